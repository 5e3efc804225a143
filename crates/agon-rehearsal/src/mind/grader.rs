//! Graders that know which answers are right, and err or are biased with given chances.

use super::{KnownQuestion, Minds, question, world::RIGHT};
use crate::dice::KeyedDice;
use crate::prompt::Brief;

/// How graders err. Chances are from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GraderMind {
    /// Chance that a grade is what it should be.
    pub accuracy: f64,
    /// Chance that the first of two answers is called the better one, whatever they say.
    pub order_bias: f64,
    /// Chance that an answer is accepted, whatever it says.
    pub leniency: f64,
}

impl Default for GraderMind {
    fn default() -> Self {
        Self { accuracy: 1.0, order_bias: 0.0, leniency: 0.0 }
    }
}

/// What a grading quotes.
struct QuotedGrading {
    question: String,
    answers: Vec<String>,
}

impl QuotedGrading {
    /// Reads what a grading quotes in its context; none where the topic is no grading.
    fn read(topic: &str, context: &str) -> Option<Self> {
        let starts = ["Grade one answer to a question.", "Compare two answers to a question."];
        if !starts.iter().any(|start| topic.starts_with(start)) {
            return None;
        }
        let (mut question, mut answers, mut title) = (String::new(), Vec::new(), "");
        for line in context.lines() {
            let Some(words) = line.strip_prefix('>') else {
                if !line.trim().is_empty() {
                    title = line.trim();
                    if is_answer(title) {
                        answers.push(String::new());
                    }
                }
                continue;
            };
            let part = match title {
                "Question:" => &mut question,
                title if is_answer(title) => match answers.last_mut() {
                    Some(answer) => answer,
                    None => continue,
                },
                _ => continue,
            };
            part.push_str(words.trim());
            part.push('\n');
        }
        (!question.is_empty() && !answers.is_empty()).then_some(Self { question, answers })
    }
}

fn is_answer(title: &str) -> bool {
    matches!(title, "Answer to grade:" | "First answer:" | "Second answer:")
}

impl Minds {
    /// What a grader finds, in the words it has to answer with; none where the prompt is no grading.
    ///
    /// Where nobody knows what is right, each answer has a merit by chance, the same in any order and for every grader.
    pub(super) fn graded(&self, brief: &Brief, sampling: Option<i64>) -> Option<&'static str> {
        let grading = QuotedGrading::read(&brief.topic, &brief.context)?;
        let known = self.by_topic.get(&question::key(&grading.question)).and_then(|at| self.questions.get(*at));
        let id = known.map_or(grading.question.as_str(), |question| question.id.as_str());
        let you = brief.you.as_deref().unwrap_or_default();
        let sample = sampling.map(|seed| seed.to_string()).unwrap_or_default();
        let mut dice = KeyedDice::new(self.world.seed, &["grades", id, you, &sample]);
        let GraderMind { accuracy, order_bias, leniency } = self.world.grader;
        let (biased, lenient, errs) = (dice.unit() < order_bias, dice.unit() < leniency, dice.unit() >= accuracy);
        let right: Vec<bool> = match known {
            Some(question) => grading.answers.iter().map(|answer| states_right(question, answer)).collect(),
            None => self.merits(&grading, brief),
        };
        Some(match *right.as_slice() {
            [right] if lenient || (right != errs) => "met",
            [_] => "not met",
            _ if biased => "first",
            [first, second] if first == second && !errs => "equal",
            [first, _] if first != errs => "first",
            _ => "second",
        })
    }
}

impl Minds {
    /// Which answers to an unknown question are good: one alone by an even chance, of two different ones the one with more merit.
    fn merits(&self, grading: &QuotedGrading, brief: &Brief) -> Vec<bool> {
        let merit = |answer: &String| KeyedDice::new(self.world.seed, &["merit", &grading.question, answer]).unit();
        match grading.answers.as_slice() {
            [first, second] => vec![merit(first) > merit(second), merit(second) > merit(first)],
            // its context has the answer and one criterion
            _ => vec![KeyedDice::new(self.world.seed, &["merit", &brief.context]).unit() < 0.5],
        }
    }
}

/// Whether an answer is the right one, or a text that contains it and no other candidate.
fn states_right(question: &KnownQuestion, answer: &str) -> bool {
    if let Some(index) = question.index(answer) {
        return index == RIGHT;
    }
    let words = |text: &str| {
        let parts = text.split(|c: char| !c.is_alphanumeric() && c != '.' && c != '-').filter(|part| !part.is_empty());
        format!(" {} ", parts.map(|part| part.trim_end_matches('.').to_lowercase()).collect::<Vec<_>>().join(" "))
    };
    let said = words(answer);
    let states = |text: &String| said.contains(&words(text));
    question.candidates.iter().enumerate().all(|(at, text)| states(text) == (at == RIGHT))
}
