//! Speeches of debaters, and plain text of everybody else.

use crate::{
    cast::{
        desk,
        lines::{
            AGREEMENT, ANGLES, ANSWERS, APPLAUSE, BRIDGES, CHALLENGES, CONCESSIONS, CONTINUATIONS, FACTS, FAREWELLS,
            INVITATIONS, LENSES, Lens, OPENERS, PERSUASION, SUMMARIES, WEIGH, fixed_part,
        },
        scene::{Point, Scene},
    },
    fault::{Fault, Task},
    token, words,
};

/// Fewest words of a speech.
const FEWEST: usize = 110;
/// Most words of a speech.
const MOST: usize = 180;

/// The plain-text answer to a prompt.
pub fn speak(scene: &Scene<'_>) -> String {
    if !scene.brief.is_debate {
        return desk::explain_yourself(scene);
    }
    match scene.brief.kind() {
        Task::Opening => Speech::opening(scene),
        Task::Argument if scene.brief.entries.iter().all(|entry| entry.speaker == "moderator") => {
            Speech::opening(scene)
        }
        Task::Argument => Speech::argument(scene),
        Task::Closing => Speech::closing(scene),
        Task::OpenRound => desk::briefing(scene),
        Task::CloseRound => desk::close_in_lines(scene),
        Task::Judge => desk::ruling(scene).reasoning,
        Task::Vote | Task::BallotInitial | Task::BallotFinal => desk::ballot_in_words(scene),
        Task::Other => desk::chair(scene),
    }
}

/// A speech while it is being written.
struct Speech<'a, 's> {
    scene: &'s Scene<'a>,
    paragraphs: Vec<String>,
    slots: Slots<'a>,
    lenses: Vec<&'static Lens>,
}

/// What the slots of a line are filled with.
struct Slots<'a> {
    a: String,
    b: String,
    point: Option<Point<'a>>,
    fact: &'a str,
    thesis: String,
    angle: String,
}

impl<'a, 's> Speech<'a, 's> {
    fn new(scene: &'s Scene<'a>) -> Self {
        let point = scene.rival_point();
        let (a, b) = scene.sides(point.map(|point| point.entry.stance.as_str()));
        let angle = scene.brief.angle.as_deref().or(scene.brief.briefing.as_deref()).unwrap_or_default();
        let angle = words::lower_first(angle.trim().trim_end_matches(['.', '?', '!']));
        let slots = Slots { a, b, point, fact: scene.fact().unwrap_or_default(), thesis: scene.thesis(), angle };
        let deck = scene.deck("lenses", LENSES.len());
        let lenses = deck.into_iter().filter_map(|card| LENSES.get(card)).collect();
        Self { scene, paragraphs: Vec::new(), slots, lenses }
    }

    fn opening(scene: &'s Scene<'a>) -> String {
        let mut speech = Self::new(scene);
        speech.paragraph([speech.line("openers", OPENERS)]);
        let (first, second) = (speech.claim(), speech.claim());
        speech.paragraph([format!("First, {first}"), format!("Second, {second}")]);
        speech.paragraph([speech.fact(), speech.line("invitations", INVITATIONS)]);
        speech.finish()
    }

    fn argument(scene: &'s Scene<'a>) -> String {
        match scene.behaviour {
            Some(Fault::Sycophant) => return Self::applause(scene),
            Some(Fault::Stubborn) => {
                if let Some(again) = own_last_speech(scene) {
                    return again;
                }
            }
            _ => {}
        }
        let mut speech = Self::new(scene);
        if speech.slots.point.is_some() {
            let rebuttal = speech.rebuttal();
            speech.paragraph([speech.line("answers", ANSWERS), rebuttal]);
        } else {
            speech.paragraph([speech.line("continuations", CONTINUATIONS)]);
        }
        let reason = words::upper_first(&speech.claim());
        speech.paragraph([speech.angle(), reason, speech.fact()]);
        let last = if speech.slots.point.is_some() { CHALLENGES } else { INVITATIONS };
        speech.paragraph([speech.line("challenges", last)]);
        speech.finish()
    }

    fn closing(scene: &'s Scene<'a>) -> String {
        if scene.behaviour == Some(Fault::Sycophant) {
            return Self::applause(scene);
        }
        let mut speech = Self::new(scene);
        speech.paragraph([speech.line("summaries", SUMMARIES)]);
        if speech.slots.point.is_some() {
            speech.paragraph([speech.line("concessions", CONCESSIONS)]);
        }
        let gists: Vec<&str> =
            speech.lenses.iter().map(|lens| lens.gist).filter(|gist| !scene.was_said(gist)).take(3).collect();
        let kept = match gists.as_slice() {
            [a, b, c, ..] => format!("{WEIGH}: {a}; {b}; and {c}."),
            _ => String::new(),
        };
        speech.paragraph([kept, speech.fact()]);
        speech.paragraph([speech.line("farewells", FAREWELLS)]);
        speech.finish()
    }

    fn applause(scene: &'s Scene<'a>) -> String {
        let mut speech = Self::new(scene);
        if speech.slots.point.is_none() {
            speech.paragraph([speech.line("continuations", CONTINUATIONS)]);
            return speech.finish();
        }
        speech.paragraph([speech.line("agreement", AGREEMENT)]);
        let applause: Vec<String> = APPLAUSE.iter().map(|line| speech.fill(line)).collect();
        speech.paragraph(applause);
        speech.trim_to_length();
        speech.paragraphs.join("\n\n")
    }

    /// The next reason nobody has given yet.
    fn claim(&mut self) -> String {
        // those who cannot see each other yet prefer different wordings
        let swaps = self.scene.you.bytes().map(usize::from).sum::<usize>() % 2 == 1;
        let both = |lens: &'static Lens| {
            let [first, second] = lens.claims;
            if swaps { [second, first] } else { [first, second] }
        };
        let turn = self.lenses.iter().flat_map(|lens| both(lens).map(|claim| (*lens, claim)));
        let fresh = turn.clone().find(|(_, claim)| !self.was_used(claim));
        // a deck that is used up starts over: better a reason twice than no reason
        let Some((lens, claim)) = fresh.or_else(|| self.lenses.first().map(|lens| (*lens, lens.claims[0]))) else {
            return String::new();
        };
        self.lenses.retain(|other| other.name != lens.name);
        self.fill(claim)
    }

    fn rebuttal(&mut self) -> String {
        // from the far end of the deck, so that it does not take the lens of the reason that follows
        let fresh = self.lenses.iter().rev().find(|lens| !self.was_used(lens.rebuttal)).or(self.lenses.last()).copied();
        fresh
            .map(|lens| {
                self.lenses.retain(|other| other.name != lens.name);
                self.fill(lens.rebuttal)
            })
            .unwrap_or_default()
    }

    fn fact(&self) -> String {
        if self.slots.fact.is_empty() || self.scene.was_said(self.slots.fact) {
            return String::new();
        }
        self.line("facts", FACTS)
    }

    fn angle(&self) -> String {
        let short = (2..=20).contains(&words::word_count(&self.slots.angle)) && !self.slots.angle.contains('\n');
        if short { self.line("angles", ANGLES) } else { String::new() }
    }

    /// A line of a bank that nobody has used in this debate.
    fn line(&self, bank: &str, lines: &[&'static str]) -> String {
        let deck = self.scene.deck(bank, lines.len());
        let mut cards = deck.iter().filter_map(|card| lines.get(*card));
        let fresh = cards.clone().find(|line| !self.was_used(line));
        fresh.or_else(|| cards.next()).map(|line| self.fill(line)).unwrap_or_default()
    }

    /// Whether a line was used before: its longest stretch between slots is in the transcript.
    fn was_used(&self, line: &str) -> bool {
        let stretch = fixed_part(line).unwrap_or(line);
        self.scene.was_said(stretch) || self.paragraphs.iter().any(|text| text.contains(stretch))
    }

    fn fill(&self, line: &str) -> String {
        let (opp, quote) =
            self.slots.point.map_or(("the other side", ""), |point| (point.entry.speaker.as_str(), point.quote));
        let mut filled = String::with_capacity(line.len() + 64);
        for (index, part) in line.split(['{', '}']).enumerate() {
            filled.push_str(match part {
                _ if index % 2 == 0 => part,
                "a" => &self.slots.a,
                "b" => &self.slots.b,
                "t" => &self.scene.matter,
                "opp" => opp,
                "quote" => quote,
                "fact" => self.slots.fact,
                "thesis" => &self.slots.thesis,
                "angle" => &self.slots.angle,
                _ => part,
            });
        }
        filled
    }

    fn paragraph(&mut self, sentences: impl IntoIterator<Item = String>) {
        let text = sentences.into_iter().filter(|s| !s.is_empty()).collect::<Vec<_>>().join(" ");
        if !text.is_empty() {
            self.paragraphs.push(text);
        }
    }

    fn words(&self) -> usize {
        self.paragraphs.iter().map(|paragraph| words::word_count(paragraph)).sum()
    }

    /// Brings the speech to its length, adds what the behaviour and the style ask for.
    fn finish(mut self) -> String {
        if self.scene.behaviour == Some(Fault::Persuader) {
            self.before_the_end(PERSUASION.to_owned());
        }
        if !self.scene.brief.manner.contains("short") && !self.scene.brief.manner.contains("concise") {
            self.stretch_to_length();
        }
        self.trim_to_length();
        self.paragraphs.join("\n\n")
    }

    fn stretch_to_length(&mut self) {
        for card in self.scene.deck("bridges", BRIDGES.len()) {
            let line = BRIDGES.get(card).copied().unwrap_or_default();
            if self.words() >= FEWEST {
                return;
            }
            if !self.was_used(line) {
                self.before_the_end(self.fill(line));
            }
        }
        while self.words() < FEWEST && !self.lenses.is_empty() {
            let reason = words::upper_first(&self.claim());
            self.before_the_end(reason);
        }
    }

    fn before_the_end(&mut self, sentence: String) {
        let at = self.paragraphs.len().saturating_sub(2);
        match self.paragraphs.get_mut(at) {
            Some(paragraph) => {
                paragraph.push(' ');
                paragraph.push_str(&sentence);
            }
            None => self.paragraphs.push(sentence),
        }
    }

    fn is_too_long(&self) -> bool {
        let tokens = || self.paragraphs.iter().map(|paragraph| token::count(paragraph) + 1).sum::<u64>();
        self.words() > MOST || self.scene.budget.is_some_and(|budget| tokens() > budget)
    }

    /// Drops sentences from the longest paragraph's end, then paragraphs, until the speech is short enough.
    fn trim_to_length(&mut self) {
        while self.is_too_long() {
            let paragraphs = self.paragraphs.len();
            let longest = self.paragraphs.iter_mut().max_by_key(|paragraph| words::word_count(paragraph));
            let Some(longest) = longest else { return };
            let sentences = words::sentences(longest);
            match sentences.split_last() {
                Some((_, kept)) if !kept.is_empty() => *longest = kept.join(" "),
                _ if paragraphs > 1 => drop(self.paragraphs.pop()),
                _ => return,
            }
        }
    }
}

fn own_last_speech(scene: &Scene<'_>) -> Option<String> {
    let own = scene.brief.entries.iter().rev().find(|entry| entry.speaker == scene.you)?;
    const LEAD: &str = "I have heard nothing that moves me, so I shall say it again.";
    let said = own.text.trim();
    Some(format!("{LEAD}\n\n{}", said.strip_prefix(LEAD).unwrap_or(said).trim()))
}
