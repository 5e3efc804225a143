//! Speeches of debaters, and plain text of everybody else.

use crate::{
    cast::{
        chair, conviction, hostile, officials,
        prose::{LENSES, Lens, bank, fixed_part, only, persuasion},
        scene::Scene,
        slots::Slots,
        steps, turns,
    },
    fault::Fault,
    mind,
    prompt::{Brief, MY_ANSWER, MY_CONFIDENCE},
    task::PromptTask,
    token, words,
};

/// Fewest words of a speech.
const FEWEST: usize = 110;
/// Most words of a speech.
const MOST: usize = 180;

/// The plain-text answer to a prompt.
pub fn speak(scene: &Scene<'_>) -> String {
    let text = spoken(scene);
    match scene.mind.as_ref().and_then(|mind| mind.words) {
        Some(words) => mind::of_length(&text, words, scene.budget),
        None => text,
    }
}

fn spoken(scene: &Scene<'_>) -> String {
    if !scene.brief.is_debate {
        let short = scene.brief.to_shorten.as_deref().map(chair::shorten).filter(|text| !text.is_empty());
        return short.unwrap_or_else(|| officials::explain_yourself(scene));
    }
    let answer = conviction::answer(scene);
    let moved = conviction::is_asked(scene) && scene.brief.stance.as_ref().is_some_and(|stance| *stance != answer);
    if moved {
        // who has come round argues from where it stands now
        let brief = Brief { stance: Some(answer), ..scene.brief.clone() };
        let (budget, mind) = (scene.budget, scene.mind.clone());
        return by_task(&Scene { budget, mind, ..Scene::new(&brief, scene.seed, scene.behaviour) });
    }
    by_task(scene)
}

fn by_task(scene: &Scene<'_>) -> String {
    match scene.brief.kind() {
        PromptTask::Opening => SpeechDraft::opening(scene),
        PromptTask::Argument if scene.brief.bench.is_some() => turns::bench(scene),
        PromptTask::Argument if scene.brief.voices().next().is_none() => SpeechDraft::opening(scene),
        PromptTask::Argument => SpeechDraft::argument(scene),
        PromptTask::Closing => SpeechDraft::closing(scene),
        PromptTask::Proposal => turns::proposal(scene),
        PromptTask::Question => turns::question(scene, "questions"),
        PromptTask::FollowUp => turns::question(scene, "follow ups"),
        PromptTask::Answer => turns::answer(scene),
        PromptTask::Clarification => turns::clarification(scene),
        PromptTask::Rebuttal => turns::rebuttal(scene),
        PromptTask::Steps => steps::argument(scene),
        PromptTask::Revision => turns::revision(scene),
        PromptTask::OpenRound => officials::briefing(scene),
        PromptTask::CloseRound => officials::close_in_lines(scene),
        PromptTask::Judge | PromptTask::MediatorDecision => officials::ruling(scene).reasoning,
        PromptTask::Vote
        | PromptTask::BallotInitial
        | PromptTask::BallotFinal
        | PromptTask::RankedVote
        | PromptTask::ApprovalVote => officials::ballot_in_words(scene),
        PromptTask::Research => chair::research(scene),
        PromptTask::Reconcile => chair::reconcile(scene),
        PromptTask::ClosingSummary => chair::closing_summary(scene),
        PromptTask::Summarise => chair::digest(scene),
        // these expect an object: without a schema the cast has only words
        PromptTask::Critique
        | PromptTask::Bid
        | PromptTask::Reaction
        | PromptTask::Interruption
        | PromptTask::PointOfInformation => officials::chair(scene),
        PromptTask::AnswerPoints
        | PromptTask::Reflection
        | PromptTask::Interject
        | PromptTask::ScoreSpeeches
        | PromptTask::ScoreDebaters => officials::chair(scene),
        PromptTask::Enough | PromptTask::Rank | PromptTask::Synthesise | PromptTask::Other => officials::chair(scene),
    }
}

/// A speech while it is being written.
pub struct SpeechDraft<'a, 's> {
    scene: &'s Scene<'a>,
    paragraphs: Vec<String>,
    pub slots: Slots<'a>,
    lenses: Vec<&'static Lens>,
    fewest: usize,
    most: usize,
    /// What stands at the end whatever is cut before it.
    ending: Vec<String>,
}

impl<'a, 's> SpeechDraft<'a, 's> {
    /// An empty speech of the usual length.
    pub fn new(scene: &'s Scene<'a>) -> Self {
        let deck = scene.deck("lenses", LENSES.len());
        let lenses = deck.into_iter().filter_map(|card| LENSES.get(card)).collect();
        let marked = marked_claim(scene);
        let answer = conviction::is_asked(scene).then(|| conviction::line(scene));
        let sure = conviction::confidence(scene).map(|percent| format!("{MY_CONFIDENCE} {percent}"));
        let ending = marked.into_iter().chain(answer).chain(sure).collect();
        let slots = Slots::new(scene);
        let mut speech = Self { scene, paragraphs: Vec::new(), slots, lenses, fewest: FEWEST, most: MOST, ending };
        if scene.brief.bench.is_some() && scene.brief.kind() == PromptTask::Argument {
            speech.paragraph([speech.line("benches")]);
        }
        if conviction::is_asked(scene) && conviction::has_changed(scene) {
            speech.paragraph([speech.line("changes")]);
        }
        if speech.slots.has_finding() {
            speech.paragraph([speech.line("findings")]);
        }
        speech
    }

    /// A speech of another length, in words.
    pub fn of(scene: &'s Scene<'a>, fewest: usize, most: usize) -> Self {
        Self { fewest, most, ..Self::new(scene) }
    }

    /// Says something at the end that must not be cut.
    pub fn say_whole(&mut self, text: String) {
        self.ending.insert(0, text);
    }

    /// A speech that says nothing of what its speaker stands by.
    pub fn without_answer(mut self) -> Self {
        self.ending.clear();
        self
    }

    pub fn opening(scene: &'s Scene<'a>) -> String {
        let mut speech = Self::new(scene);
        speech.paragraph([speech.line("openers")]);
        let (first, second) = (speech.claim(), speech.claim());
        speech.paragraph([format!("First, {first}"), format!("Second, {second}")]);
        speech.paragraph([speech.fact(), speech.line("invitations")]);
        speech.finish()
    }

    pub fn argument(scene: &'s Scene<'a>) -> String {
        match scene.behaviour {
            Some(Fault::Sycophant) => return Self::applause(scene),
            Some(Fault::Stubborn) => {
                if let Some(again) = own_last_speech(scene) {
                    let answer = conviction::is_asked(scene).then(|| conviction::line(scene));
                    return answer.map_or(again.clone(), |answer| format!("{again}\n\n{answer}"));
                }
            }
            _ => {}
        }
        let mut speech = Self::new(scene);
        if speech.slots.point.is_some() {
            let rebuttal = speech.rebuttal();
            speech.paragraph([speech.line("answers"), rebuttal]);
        } else {
            speech.paragraph([speech.line("continuations")]);
        }
        let reason = words::upper_first(&speech.claim());
        speech.paragraph([speech.angle(), reason, speech.fact()]);
        let last = if speech.slots.point.is_some() { "challenges" } else { "invitations" };
        speech.paragraph([speech.line_of("challenges", last)]);
        speech.finish()
    }

    pub fn closing(scene: &'s Scene<'a>) -> String {
        if scene.behaviour == Some(Fault::Sycophant) {
            return Self::applause(scene);
        }
        let mut speech = Self::new(scene);
        speech.paragraph([speech.line("summaries")]);
        if speech.slots.point.is_some() {
            speech.paragraph([speech.line("concessions")]);
        }
        let gists: Vec<&str> =
            speech.lenses.iter().map(|lens| lens.gist).filter(|gist| !scene.was_said(gist)).take(3).collect();
        let kept = match gists.as_slice() {
            [a, b, c, ..] => format!("{}: {a}; {b}; and {c}.", only("weigh")),
            _ => String::new(),
        };
        speech.paragraph([kept, speech.fact()]);
        speech.paragraph([speech.line("farewells")]);
        speech.finish()
    }

    fn applause(scene: &'s Scene<'a>) -> String {
        let mut speech = Self::new(scene);
        if speech.slots.point.is_none() {
            speech.paragraph([speech.line("continuations")]);
            return speech.finish();
        }
        speech.paragraph([speech.line("agreement")]);
        let applause: Vec<String> = bank("applause").iter().map(|line| speech.fill(line)).collect();
        speech.paragraph(applause);
        speech.close()
    }

    /// The next reason nobody has given yet.
    pub fn claim(&mut self) -> String {
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

    pub fn rebuttal(&mut self) -> String {
        // from the far end of the deck, so that it does not take the lens of the reason that follows
        let fresh = self.lenses.iter().rev().find(|lens| !self.was_used(lens.rebuttal)).or(self.lenses.last()).copied();
        fresh
            .map(|lens| {
                self.lenses.retain(|other| other.name != lens.name);
                self.fill(lens.rebuttal)
            })
            .unwrap_or_default()
    }

    pub fn fact(&self) -> String {
        if self.slots.fact.is_empty() || self.scene.was_said(self.slots.fact) {
            return String::new();
        }
        self.line("facts")
    }

    fn angle(&self) -> String {
        let short = (2..=20).contains(&words::word_count(&self.slots.angle)) && !self.slots.angle.contains('\n');
        if short { self.line("angles") } else { String::new() }
    }

    /// A line of a bank that nobody has used in this debate.
    pub fn line(&self, name: &str) -> String {
        self.line_of(name, name)
    }

    /// The same, from the bank that a turn needs for what is drawn as `purpose`.
    pub fn line_of(&self, purpose: &str, name: &str) -> String {
        let lines = bank(name);
        let deck = self.scene.deck(purpose, lines.len());
        let mut cards = deck.iter().filter_map(|card| lines.get(*card)).filter(|line| self.slots.can_fill(line));
        let fresh = cards.clone().find(|line| !self.was_used(line));
        fresh.or_else(|| cards.next()).map(|line| self.fill(line)).unwrap_or_default()
    }

    /// Whether a line was used before: its longest stretch between slots is in the transcript.
    fn was_used(&self, line: &str) -> bool {
        let stretch = fixed_part(line).unwrap_or(line);
        // its first letter may have been raised at the head of a sentence
        let stretch = stretch.char_indices().nth(1).and_then(|(at, _)| stretch.get(at..)).unwrap_or(stretch);
        self.scene.was_said(stretch) || self.paragraphs.iter().any(|text| text.contains(stretch))
    }

    fn fill(&self, line: &str) -> String {
        self.slots.fill(line)
    }

    pub fn paragraph(&mut self, sentences: impl IntoIterator<Item = String>) {
        let text = sentences.into_iter().filter(|s| !s.is_empty()).collect::<Vec<_>>().join(" ");
        if !text.is_empty() {
            self.paragraphs.push(text);
        }
    }

    fn words(&self) -> usize {
        self.paragraphs.iter().map(|paragraph| words::word_count(paragraph)).sum()
    }

    /// Brings the speech to its length, adds what the behaviour and the style ask for.
    pub fn finish(mut self) -> String {
        if self.scene.behaviour == Some(Fault::Persuader) {
            self.before_the_end(persuasion().to_owned());
        }
        if !self.scene.brief.manner.contains("short") && !self.scene.brief.manner.contains("concise") {
            self.stretch_to_length();
        }
        self.close()
    }

    /// The text, cut to its length, with what stands at its end.
    fn close(mut self) -> String {
        self.trim_to_length();
        if self.scene.behaviour == Some(Fault::Hostile) {
            self.attack();
        }
        self.paragraphs.append(&mut self.ending);
        self.paragraphs.join("\n\n")
    }

    /// Adds as many attacks as there is room for, the argument shortened to make some.
    fn attack(&mut self) {
        const ARGUMENT: usize = 50;
        if self.scene.budget.is_some() {
            self.most = ARGUMENT;
            self.trim_to_length();
        }
        let size = |texts: &[String]| texts.iter().map(|text| token::count(text) + 2).sum::<u64>();
        let mut left =
            self.scene.budget.unwrap_or(u64::MAX).saturating_sub(size(&self.paragraphs) + size(&self.ending));
        let mut added = 0;
        for piece in hostile::attacks(self.scene) {
            let tokens = size(std::slice::from_ref(&piece));
            if tokens <= left {
                left -= tokens;
                self.ending.insert(added, piece);
                added += 1;
            }
        }
    }

    fn stretch_to_length(&mut self) {
        let bridges = bank("bridges");
        for card in self.scene.deck("bridges", bridges.len()) {
            let line = bridges.get(card).copied().unwrap_or_default();
            if self.words() >= self.fewest {
                return;
            }
            if !self.was_used(line) {
                self.before_the_end(self.fill(line));
            }
        }
        while self.words() < self.fewest && !self.lenses.is_empty() {
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
        let tokens =
            || self.paragraphs.iter().chain(&self.ending).map(|paragraph| token::count(paragraph) + 1).sum::<u64>();
        self.words() > self.most || self.scene.budget.is_some_and(|budget| tokens() > budget)
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

/// Now and then a claim for the first verifier that the prompt names, where it asks for such: a sum, of which every other is wrong.
fn marked_claim(scene: &Scene<'_>) -> Option<String> {
    let speaks = scene.brief.role.as_deref() == Some("debater");
    let fence = scene.brief.claims.lines().find(|line| speaks && line.starts_with("```check "))?;
    let drawn = scene.deck("claims", 4).first().copied()?;
    if drawn > 1 {
        return None;
    }
    let number = scene.brief.entries.len() + 2;
    Some(format!("{fence}\n{number} + {number} = {}\n```", 2 * number + drawn))
}

fn own_last_speech(scene: &Scene<'_>) -> Option<String> {
    let own = scene.brief.entries.iter().rev().find(|entry| entry.speaker == scene.you)?;
    let lead = only("once more");
    let said = own.text.trim();
    let said = said.rfind(MY_ANSWER).and_then(|at| said.get(..at)).unwrap_or(said);
    Some(format!("{lead}\n\n{}", said.strip_prefix(lead).unwrap_or(said).trim()))
}
