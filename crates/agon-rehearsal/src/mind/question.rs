//! Questions with their answers, and how they are recognised.

use super::{KnownQuestion, MindWorld};
use crate::dice::KeyedDice;

/// A question whose answer the minds may know.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MindQuestion {
    /// Key of its draws; the same in every wording of its topic.
    pub id: String,
    /// How debates put it; one of these suffices.
    pub topics: Vec<MindTopic>,
    /// The right answers; the first is the one that speakers give.
    pub answers: Vec<String>,
    /// What can be answered; empty where the question lists nothing.
    pub options: Vec<String>,
    /// The common wrong answer; without one, one of the wrong options.
    pub distractor: Option<String>,
    /// The skill at which half of the speakers are right; without one, drawn from the world's distribution.
    pub difficulty: Option<f64>,
}

/// How a question stands in a debate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MindTopic {
    /// The debate's topic.
    Text(String),
    /// The topic and the context, for topics that are the same in several questions.
    InContext {
        /// The debate's topic.
        topic: String,
        /// Its context.
        context: String,
    },
    /// BLAKE3 of the topic, its white space folded to single spaces.
    Hash([u8; 32]),
}

impl MindTopic {
    /// Its key.
    pub fn hash(&self) -> [u8; 32] {
        match self {
            Self::Text(topic) => key(topic),
            Self::InContext { topic, context } => key(&format!("{topic}\n# Context\n{context}")),
            Self::Hash(hash) => *hash,
        }
    }
}

/// BLAKE3 of a text, its white space folded to single spaces.
pub(crate) fn key(text: &str) -> [u8; 32] {
    let mut hasher = blake3::Hasher::new();
    for (n, word) in text.split_whitespace().enumerate() {
        if n > 0 {
            hasher.update(b" ");
        }
        hasher.update(word.as_bytes());
    }
    *hasher.finalize().as_bytes()
}

impl MindQuestion {
    /// The hashes it is found by.
    pub(crate) fn keys(&self) -> impl Iterator<Item = [u8; 32]> + '_ {
        self.topics.iter().map(MindTopic::hash)
    }

    /// The question at `at`, ready for draws.
    pub(crate) fn known(&self, world: &MindWorld, all: &[Self], at: usize) -> KnownQuestion {
        let mut candidates: Vec<String> = self.answers.first().map(|answer| spoken(answer)).into_iter().collect();
        let right: Vec<String> = self.answers.iter().map(|answer| fold(answer)).collect();
        let mut wrong: Vec<String> = Vec::new();
        let mut add = |text: String| {
            let folded = fold(&text);
            if !right.contains(&folded) && wrong.iter().all(|known| fold(known) != folded) {
                wrong.push(text);
            }
        };
        self.distractor.iter().for_each(|text| add(spoken(text)));
        let listed = KeyedDice::new(world.seed, &["distractors", &self.id]).deck(self.options.len());
        listed.iter().filter_map(|card| self.options.get(*card)).for_each(|text| add(spoken(text)));
        if self.options.is_empty() {
            self.invented(world, all, at).into_iter().for_each(add);
        }
        candidates.append(&mut wrong);
        let folded = candidates.iter().enumerate().map(|(at, text)| (fold(text), at));
        let folded = folded.chain(right.into_iter().map(|text| (text, 0))).collect();
        let drawn = || world.difficulty.draw(&mut KeyedDice::new(world.seed, &["difficulty", &self.id]));
        KnownQuestion { id: self.id.clone(), candidates, folded, difficulty: self.difficulty.unwrap_or_else(drawn) }
    }

    /// Wrong answers to a question that lists none: numbers near the right one, else answers to other questions.
    fn invented(&self, world: &MindWorld, all: &[Self], at: usize) -> Vec<String> {
        let mut dice = KeyedDice::new(world.seed, &["wrong answers", &self.id]);
        let right = self.answers.first().map_or("", String::as_str);
        if let Some(number) = number(right) {
            let unit = 10f64.powi(-places(right));
            let deck = dice.deck(NEAR.len());
            let near = deck.iter().filter_map(|card| NEAR.get(*card)).map(|step| number + step * unit);
            return near.take(WRONG).map(plain).collect();
        }
        let is_text = |other: &&String| number(other).is_none();
        let start = dice.below(all.len());
        let others = (0..all.len()).map(|step| (start + step) % all.len().max(1)).filter(|other| *other != at);
        let texts = others.filter_map(|other| all.get(other)?.answers.first().filter(is_text).cloned());
        texts.take(WRONG).chain(["none of these", "it cannot be known"].map(str::to_owned)).take(WRONG).collect()
    }
}

/// Wrong answers that are made up for a question that lists none.
const WRONG: usize = 4;

/// How far wrong numbers lie from the right one, in units of its last digit.
const NEAR: [f64; 8] = [1.0, -1.0, 2.0, -2.0, 10.0, -10.0, 5.0, -5.0];

/// A number as people write it: `1,200`, `12 %`, `3/4`.
pub(crate) fn number(text: &str) -> Option<f64> {
    let text = text.trim().trim_end_matches('.').trim_end_matches('%').trim().replace(',', "");
    let read = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    match text.split_once('/') {
        Some((above, below)) => Some(read(above)? / read(below).filter(|below| *below != 0.0)?),
        None => read(&text),
    }
}

/// Decimal places that a number is written with; two for a fraction.
fn places(text: &str) -> i32 {
    let decimals = text.split_once('.').map_or("", |(_, decimals)| decimals);
    let digits = decimals.chars().take_while(char::is_ascii_digit).count();
    if text.contains('/') { 2 } else { i32::try_from(digits).unwrap_or(0) }
}

/// The shortest decimal, without the traces of binary arithmetic.
fn plain(number: f64) -> String {
    let rounded = (number * 1e9).round() / 1e9;
    if rounded == 0.0 { "0".to_owned() } else { rounded.to_string() }
}

/// A text as speakers say it: numbers in digits alone.
fn spoken(text: &str) -> String {
    let has_digit = text.contains(|c: char| c.is_ascii_digit());
    number(text).filter(|_| has_digit).map_or_else(|| text.trim().to_owned(), plain)
}

/// A text as it is compared.
pub(crate) fn fold(text: &str) -> String {
    let words = text.split_whitespace().map(str::to_lowercase).collect::<Vec<_>>().join(" ");
    let bare = words.trim_end_matches('.').trim_matches(['"', '\'', '`', '*']).to_owned();
    number(&bare).map_or(bare, plain)
}
