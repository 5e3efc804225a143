//! Which answers are graded to see whether a grader can be trusted.
use crate::draw::shuffle;
use crate::{Gold, Question};

/// Gold answers, and as many answers to other questions, that are graded.
pub const CONTROLS: usize = 20;

/// Fewest grades that are asked for again.
pub const LEAST_REPEATS: usize = 20;

/// An answer whose grade is known beforehand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlAnswer {
    /// Index of the question.
    pub question: u32,
    /// The right answer to it.
    pub gold: String,
    /// The right answer to another question, which is wrong here.
    pub foreign: String,
}

/// Up to [`CONTROLS`] questions with their own reference and that of another question. Fewer where fewer have one; none where all have the
/// same. Drawn by the seed.
pub fn control_answers(questions: &[Question], seed: u64) -> Vec<ControlAnswer> {
    let known = (0..).zip(questions).filter_map(|(at, question)| Some((at, reference(question)?)));
    let mut known: Vec<(u32, &str)> = known.collect();
    shuffle(seed, "controls", &[], &mut known);
    let foreign = |place: usize, own: &str| {
        let others = known.iter().cycle().skip(place + 1).take(known.len());
        let same = |other: &str| other.trim().to_lowercase() == own.trim().to_lowercase();
        others.map(|(_, other)| *other).find(|other| !same(other))
    };
    let controls = known.iter().enumerate().filter_map(|(place, (question, gold))| {
        let foreign = foreign(place, gold)?.to_owned();
        Some(ControlAnswer { question: *question, gold: (*gold).to_owned(), foreign })
    });
    controls.take(CONTROLS).collect()
}

/// The reference answer of a question that a grader scores.
fn reference(question: &Question) -> Option<&str> {
    let answers = match &question.gold {
        Gold::Rubric { answers, .. } | Gold::Pairwise { answers } => answers,
        Gold::Choice { .. } | Gold::Exact { .. } | Gold::Number { .. } | Gold::Command { .. } => return None,
    };
    answers.iter().map(String::as_str).find(|answer| !answer.trim().is_empty())
}

/// Which of so many grades are asked for again: a tenth, 20 at least, all where there are fewer. Indices in order, drawn by the seed.
pub fn repeated(grades: usize, seed: u64) -> Vec<usize> {
    let mut all: Vec<usize> = (0..grades).collect();
    shuffle(seed, "repeated grades", &[&grades], &mut all);
    all.truncate(grades.div_ceil(10).max(LEAST_REPEATS));
    all.sort_unstable();
    all
}
