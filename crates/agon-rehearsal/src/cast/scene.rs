//! A prompt as its speaker sees it: who it argues with, what the sides are called, what may be quoted.

use crate::{
    cast::{
        prose::{bank, is_small_talk, persuasion, positions, told},
        slots::Slots,
    },
    dice::{KeyedDice, fraction},
    fault::Fault,
    mind::MindedTurn,
    prompt::{AllowedAnswers, Brief, MY_ANSWER, TranscriptLine},
    words,
};

/// Words in a quote of somebody else.
const QUOTE_WORDS: usize = 22;

/// The speaker's view of a prompt.
#[derive(Debug)]
pub struct Scene<'a> {
    /// The prompt.
    pub brief: &'a Brief,
    /// Seed of the server.
    pub seed: u64,
    /// How the speaker behaves, when a script says so.
    pub behaviour: Option<Fault>,
    /// Name of the speaker.
    pub you: &'a str,
    /// The matter as a noun phrase.
    pub matter: String,
    /// Tokens that a speech may have, if there is a limit.
    pub budget: Option<u64>,
    /// What the speaker stands by, where its mind decides that.
    pub mind: Option<MindedTurn>,
}

/// A point somebody made.
#[derive(Debug, Clone, Copy)]
pub struct QuotedPoint<'a> {
    /// Where it was made.
    pub entry: &'a TranscriptLine,
    /// Its words, verbatim.
    pub quote: &'a str,
}

impl<'a> Scene<'a> {
    /// Looks at a prompt.
    pub fn new(brief: &'a Brief, seed: u64, behaviour: Option<Fault>) -> Self {
        let you = brief.you.as_deref().unwrap_or("the speaker");
        Self { brief, seed, behaviour, you, matter: matter(brief), budget: None, mind: None }
    }

    /// Dice for one purpose of this speaker; they ignore the order of the transcript.
    pub fn dice(&self, purpose: &str) -> KeyedDice {
        let round = self.brief.round_number().to_string();
        KeyedDice::new(self.seed, &[purpose, self.brief.topic.trim(), self.you, &round])
    }

    /// Dice that fall anew with everything that is said.
    pub fn live_dice(&self, purpose: &str) -> KeyedDice {
        let last = self.brief.entries.last().map_or(0, |entry| entry.number);
        let moment = format!("{purpose} {last} {}", self.brief.entries.len());
        self.dice(&moment)
    }

    /// One of a bank's lines, filled; addressed to `to` if that is given.
    pub fn remark(&self, purpose: &str, lines: &str, to: Option<&str>) -> String {
        let slots = Slots::new(self).towards(to);
        let lines: Vec<&str> = bank(lines).iter().copied().filter(|line| slots.can_fill(line)).collect();
        self.live_dice(purpose).pick(&lines).map(|line| words::upper_first(&slots.fill(line))).unwrap_or_default()
    }

    /// The names of those I argue with, as far as the prompt tells them.
    pub fn others(&self) -> Vec<String> {
        let mut names: Vec<String> = self.brief.cast.iter().map(|debater| debater.name.clone()).collect();
        for entry in self.brief.voices() {
            if !names.contains(&entry.speaker) {
                names.push(entry.speaker.clone());
            }
        }
        names.retain(|name| name != self.you);
        names
    }

    /// Whom this turn is addressed to.
    pub fn target(&self) -> Option<String> {
        let to = self.brief.to.as_deref()?.trim().trim_matches('"');
        let known =
            |name: &String| to == name || to.starts_with(&format!("{name} ")) || to.starts_with(&format!("{name},"));
        self.others().into_iter().find(known).or_else(|| Some(to.to_owned()))
    }

    /// The latest point of weight that somebody made.
    pub fn point_of(&self, name: &str) -> Option<QuotedPoint<'a>> {
        self.first_weighty(self.brief.entries.iter().rev().filter(|entry| entry.speaker == name))
    }

    /// A deck of `n` cards for the whole debate, cut at another place for each speaker so that two do not start with the same card.
    pub fn deck(&self, purpose: &str, n: usize) -> Vec<usize> {
        let topic = self.brief.topic.as_str();
        let mut deck = KeyedDice::new(self.seed, &[purpose, topic]).deck(n);
        let round = self.brief.round_number() as usize;
        let seat = self.brief.cast.iter().position(|debater| debater.name == self.you);
        let start = match seat {
            Some(seat) => seat * n / self.brief.cast.len().max(1) + round,
            // openings are prompted without the roster
            None => KeyedDice::new(self.seed, &["seat", topic, self.you]).below(n),
        };
        deck.rotate_left(start % n.max(1));
        deck
    }

    /// Whether `text` was said before, by anybody.
    pub fn was_said(&self, text: &str) -> bool {
        self.brief.entries.iter().any(|entry| entry.text.contains(text))
    }

    /// A stance as something one can make a case for.
    pub fn side(&self, stance: &str) -> String {
        let plain = stance.trim().trim_end_matches('.');
        if let Some((_, name)) = positions().iter().find(|(clause, _)| *clause == plain) {
            return (*name).to_owned();
        }
        match label(plain) {
            Some(true) => return "a yes".to_owned(),
            Some(false) => return "a no".to_owned(),
            None if plain.is_empty() => return "the other view".to_owned(),
            None => {}
        }
        let phrases = words::noun_phrases(plain);
        let topical = phrases.iter().find(|phrase| shares_word(phrase, &self.brief.topic));
        match topical.or(phrases.first()) {
            Some(phrase) if words::is_negative(plain) => format!("caution about {phrase}"),
            Some(phrase) => phrase.clone(),
            None => words::lower_first(plain),
        }
    }

    /// My side and the other one, never by the same name.
    pub fn sides(&self, other: Option<&str>) -> (String, String) {
        let mine = self.brief.stance.as_deref().unwrap_or_default();
        let other = other.or_else(|| self.rival_stance()).unwrap_or_default();
        let a = if mine.is_empty() { "caution".to_owned() } else { self.side(mine) };
        let b = match label(mine) {
            _ if !other.is_empty() => self.side(other),
            Some(mine) => self.side(if mine { "no" } else { "yes" }),
            None => self.other_choice(&a).unwrap_or_default(),
        };
        if a == b || b.is_empty() { (a, "the alternative".to_owned()) } else { (a, b) }
    }

    /// What a topic of the form `X or Y` offers beside `side`.
    fn other_choice(&self, side: &str) -> Option<String> {
        let (first, second) = self.brief.topic.split_once(" or ")?;
        let first = words::noun_phrases(first).pop()?;
        let second = words::noun_phrases(second).into_iter().next()?;
        if first == side { Some(second) } else { (second == side).then_some(first) }
    }

    fn rival_stance(&self) -> Option<&'a str> {
        let mine = self.brief.stance.as_deref().unwrap_or_default();
        self.brief
            .cast
            .iter()
            .map(|debater| debater.stance.as_str())
            .find(|stance| *stance != mine && !stance.is_empty())
    }

    /// My claim as a clause that can stand behind a colon.
    pub fn thesis(&self) -> String {
        let stance = self.brief.stance.as_deref().unwrap_or_default().trim().trim_end_matches(['.', '!']);
        let asks = self.brief.topic.trim().ends_with('?');
        match (label(stance), asks) {
            (Some(true), true) => told("yes to a question", &[]),
            (Some(true), false) => told("yes to a motion", &[]),
            (Some(false), true) => told("no to a question", &[]),
            (Some(false), false) => told("no to a motion", &[]),
            (None, _) if stance.is_empty() => told("undecided", &[("t", &self.matter)]),
            (None, _) => words::lower_first(stance),
        }
    }

    /// The point most worth answering: of another stance, the latest that has any weight, and one aimed at me before others.
    pub fn rival_point(&self) -> Option<QuotedPoint<'a>> {
        let mine = self.brief.stance.as_deref().unwrap_or_default();
        let mut rivals: Vec<&'a TranscriptLine> = self
            .brief
            .voices()
            .rev()
            .filter(|entry| entry.speaker != self.you && (entry.stance != mine || mine.is_empty()))
            .collect();
        // stable: of the latest round those who named me come first, and the latest before the others
        let recent = (self.brief.cast.len().max(2) - 1).min(rivals.len());
        let (latest, _) = rivals.split_at_mut(recent);
        latest.sort_by_key(|entry| !entry.text.contains(self.you));
        self.first_weighty(rivals.into_iter())
    }

    /// The best point of the first entry that made one of weight, else of the first that can be quoted at all.
    pub fn first_weighty(&self, entries: impl Iterator<Item = &'a TranscriptLine> + Clone) -> Option<QuotedPoint<'a>> {
        let best = |entry| self.points_of(entry, -4.0).max_by(|(a, _), (b, _)| a.total_cmp(b));
        let mut points = entries.filter_map(best);
        let weighty = points.clone().find(|(weight, _)| *weight > 0.5);
        weighty.or_else(|| points.next()).map(|(_, point)| point)
    }

    /// The point that carried most weight among the entries of a stance: one that others had to take up, before others.
    pub fn weightiest_point(&self, stance: &str) -> Option<QuotedPoint<'a>> {
        let entries = self.brief.entries.iter().filter(|entry| entry.stance == stance);
        let points = entries.flat_map(|entry| self.points_of(entry, 2.0));
        points.max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, point)| point)
    }

    /// What of an entry can be quoted, with its weight, which does not depend on where the entry stands; `quoted` is what being quoted adds.
    fn points_of(
        &self,
        entry: &'a TranscriptLine,
        quoted: f64,
    ) -> impl Iterator<Item = (f64, QuotedPoint<'a>)> + use<'a, '_> {
        let mut dice = KeyedDice::new(self.seed, &["point", &entry.text]);
        words::sentences(&entry.text).into_iter().filter_map(move |sentence| {
            let luck = dice.unit();
            let (quote, whole) = match words::fragment(sentence, QUOTE_WORDS) {
                Some(quote) => (quote, true),
                None => (words::first_words(sentence, QUOTE_WORDS)?, false),
            };
            let others = self.brief.entries.iter().filter(|other| other.number != entry.number);
            let traits = [
                (2.0, shares_word(sentence, &self.brief.topic)),
                (1.5, sentence.chars().any(|c| c.is_ascii_digit())),
                (1.0, sentence.contains("case for") || sentence.contains("because")),
                (-5.0, is_small_talk(sentence) || sentence.starts_with(MY_ANSWER)),
                (-3.0, !whole),
                (-2.0, self.brief.cast.iter().any(|debater| sentence.contains(&debater.name))),
                (-1.0, sentence.ends_with('?')),
                (quoted, others.clone().any(|other| other.text.contains(quote))),
            ];
            let weight = traits.iter().filter(|(_, holds)| *holds).map(|(weight, _)| weight).sum::<f64>() + luck;
            Some((weight, QuotedPoint { entry, quote }))
        })
    }

    /// A line of the context, one with a number before others, and one that was not cited before others.
    pub fn fact(&self) -> Option<&'a str> {
        let mut dice = self.dice("fact");
        let scored = words::sentences(&self.brief.context).into_iter().filter_map(|sentence| {
            let quote = words::fragment(sentence.trim_start_matches(['-', '*', ' ']), 22)?;
            let cited = self.was_said(quote);
            let score = 2.0 * f64::from(u8::from(quote.chars().any(|c| c.is_ascii_digit())))
                - 3.0 * f64::from(u8::from(cited))
                + dice.unit();
            Some((score, quote))
        });
        scored.max_by(|(a, _), (b, _)| a.total_cmp(b)).map(|(_, quote)| quote)
    }

    /// How good a stance is: seeded, the same wherever it stands in the transcript, and raised by persuasion.
    pub fn merit(&self, stance: &str) -> f64 {
        let persuaded =
            self.brief.entries.iter().any(|entry| entry.stance == stance && entry.text.contains(persuasion()));
        let own = fraction(self.seed, &["merit", self.brief.topic.trim(), stance]);
        let taste = fraction(self.seed, &["taste", self.you, stance]) * 0.1;
        own + taste + if persuaded { 2.0 } else { 0.0 }
    }
}

/// The noun phrase of the topic that most stances are about, and the first of equals.
fn matter(brief: &Brief) -> String {
    let phrases = words::noun_phrases(&brief.topic);
    let cast = brief.cast.iter().map(|debater| debater.stance.as_str());
    let mut stances: Vec<&str> = cast.chain(brief.entries.iter().map(|entry| entry.stance.as_str())).collect();
    stances.extend(brief.stance.as_deref());
    stances.sort_unstable();
    stances.dedup();
    let interest = |phrase: &str| stances.iter().filter(|stance| shares_word(phrase, stance)).count();
    let best = phrases.iter().rev().max_by_key(|phrase| interest(phrase));
    best.cloned().unwrap_or_else(|| "the question".to_owned())
}

/// The position of somebody who was given none.
pub fn position(seed: u64, topic: &str, name: &str) -> String {
    let clause = KeyedDice::new(seed, &["position", topic, name]).pick(&positions()).map(|(clause, _)| *clause);
    clause.unwrap_or_default().to_owned()
}

/// The same where only some answers are allowed.
pub fn position_among(seed: u64, (topic, name): (&str, &str), allowed: &AllowedAnswers) -> String {
    let mut dice = KeyedDice::new(seed, &["position", topic, name]);
    match allowed {
        AllowedAnswers::Options(options) => dice.pick(options).cloned().unwrap_or_default(),
        AllowedAnswers::Number => (1 + dice.below(9)).to_string(),
    }
}

/// Whether a stance is a bare label for or against.
fn label(stance: &str) -> Option<bool> {
    match stance.trim().to_lowercase().as_str() {
        "for" | "pro" | "yes" | "in favour" | "in favor" | "affirmative" | "proposition" | "support" | "agree" => {
            Some(true)
        }
        "against" | "con" | "no" | "negative" | "opposition" | "oppose" | "contra" | "disagree" => Some(false),
        _ => None,
    }
}

fn shares_word(text: &str, topic: &str) -> bool {
    let topic = topic.to_lowercase();
    let long = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    text.split_whitespace().map(long).any(|word| word.len() > 3 && topic.contains(&word))
}
