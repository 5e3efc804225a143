//! Planted truth: speakers who know or do not know the answers to questions, with chances that are written down.
//!
//! [`Minds`] are made of a [`MindWorld`] (chances) and of questions with their answers. A server that has minds answers prompts on these
//! questions by them; prompts on anything else get the usual cast. No prompt holds an answer: questions are found by the BLAKE3 hash of
//! their topic. [`Minds::truth`] says how often each method is right in such a world, by the same functions that decide what is said.

mod file;
mod grader;
mod question;
mod speech;
#[cfg(test)]
mod tests;
mod truth;
mod turn;
mod world;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Mutex,
};

pub use file::{MindsFile, MindsFileProblem};
pub use grader::GraderMind;
pub use question::{MindQuestion, MindTopic};
pub(crate) use speech::of_length;
pub use truth::{TrueRate, TruthArm};
pub(crate) use turn::{MindCall, MindedTurn};
pub use world::{ByModel, Difficulty, MindWorld, StatedConfidence};

use crate::{dice::KeyedDice, stats::lock};

/// Most debates whose first ballots are remembered.
const MOST_DEBATES: usize = 1 << 20;

/// The questions of a world, with what its speakers know.
#[derive(Debug)]
pub struct Minds {
    world: MindWorld,
    questions: Vec<KnownQuestion>,
    by_topic: BTreeMap<[u8; 32], usize>,
    balloted: Mutex<BTreeSet<String>>,
}

/// A question as speakers know it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct KnownQuestion {
    /// Key of its draws.
    pub(crate) id: String,
    /// What can be answered: the right answer, the common wrong one, and the others.
    pub(crate) candidates: Vec<String>,
    /// The candidates as they are compared, and further spellings of the right answer.
    folded: Vec<(String, usize)>,
    /// The skill at which half of the speakers are right.
    pub(crate) difficulty: f64,
}

impl Minds {
    /// Minds that know these questions.
    pub fn new(world: MindWorld, questions: Vec<MindQuestion>) -> Self {
        let known: Vec<KnownQuestion> =
            questions.iter().enumerate().map(|(at, question)| question.known(&world, &questions, at)).collect();
        let mut by_topic = BTreeMap::new();
        let mut doubtful = BTreeSet::new();
        for (at, question) in known.iter().enumerate() {
            for key in questions.iter().skip(at).take(1).flat_map(MindQuestion::keys) {
                let first: usize = *by_topic.entry(key).or_insert(at);
                // the same question twice is no doubt: the first one counts
                if known.get(first).is_some_and(|before| before.text(0) != question.text(0)) {
                    doubtful.insert(key);
                }
            }
        }
        // a topic that several questions share says nothing; their contexts tell them apart
        by_topic.retain(|key, _| !doubtful.contains(key));
        Self { world, questions: known, by_topic, balloted: Mutex::default() }
    }

    /// The chances of the world.
    pub fn world(&self) -> &MindWorld {
        &self.world
    }

    /// How many questions are known.
    pub fn len(&self) -> usize {
        self.questions.len()
    }

    /// Whether no question is known.
    pub fn is_empty(&self) -> bool {
        self.questions.is_empty()
    }

    /// Says that the debate whose transcript has this mark casts first ballots, so that its openings state what these voted for. A server
    /// that is asked for the ballots knows it; a server that takes over such a debate does not.
    pub fn expect_ballots(&self, mark: &str) {
        let mut balloted = lock(&self.balloted);
        if balloted.len() < MOST_DEBATES {
            balloted.insert(mark.to_owned());
        }
    }

    fn is_balloted(&self, mark: &str) -> bool {
        lock(&self.balloted).contains(mark)
    }

    /// The question of a system message: by its topic, or by topic and context.
    pub(crate) fn find(&self, system: &str) -> Option<&KnownQuestion> {
        let topic = system.split_once("\n# Question\n").map(|(_, topic)| topic)?;
        let ends = topic.match_indices("\n# ").map(|(at, _)| at).take(MOST_SECTIONS).chain([topic.len()]);
        let ends: Vec<usize> = ends.collect();
        let found = ends.iter().rev().find_map(|end| self.by_topic.get(&question::key(topic.get(..*end)?)))?;
        self.questions.get(*found)
    }

    /// Dice for one purpose on one question.
    fn dice(&self, purpose: &str, question: &KnownQuestion, parts: &[&str]) -> KeyedDice {
        let key: Vec<&str> = [purpose, question.id.as_str()].into_iter().chain(parts.iter().copied()).collect();
        KeyedDice::new(self.world.seed, &key)
    }
}

/// Most headings of a system message at which a topic may end.
const MOST_SECTIONS: usize = 64;

impl KnownQuestion {
    /// The candidate that a text names, letter case and the form of numbers aside.
    pub(crate) fn index(&self, text: &str) -> Option<usize> {
        let folded = question::fold(text);
        self.folded.iter().find(|(known, _)| *known == folded).map(|(_, at)| *at)
    }

    /// The text of a candidate.
    pub(crate) fn text(&self, index: usize) -> &str {
        self.candidates.get(index).map_or("", String::as_str)
    }
}
