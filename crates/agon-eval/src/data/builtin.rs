//! Fresh questions with answers that follow from how they are made: nobody has seen them before.

mod arithmetic;
mod dates;
mod logic;

use crate::draw::share;
use crate::names::named_values;
use crate::{Gold, Question};
use std::collections::BTreeSet;

named_values! {
    /// A set of questions that Agon makes itself.
    pub enum BuiltinSet {
        Arithmetic = "arithmetic": "calculations and word problems in several steps",
        Logic = "logic": "orders, liars, implications and sets",
        Dates = "dates": "weekdays, distances between dates, leap years",
    }
}

/// Most questions of a built-in set.
pub const MOST_BUILTIN: u32 = 2_000;

/// So many questions of a set, at most [`MOST_BUILTIN`], all different; the same seed gives the same ones.
pub fn builtin_questions(set: BuiltinSet, count: u32, seed: u64) -> Vec<Question> {
    // far more tries than questions that happen to be the same
    const TRIES: u32 = 20;
    let (mut questions, mut texts) = (Vec::new(), BTreeSet::new());
    let count = count.min(MOST_BUILTIN);
    for number in 0..count {
        let level = number / 5 % 3 + 1;
        let made = (0..TRIES).map(|attempt| {
            let mut draws = Draws { seed, set, number, attempt, next: 0 };
            made(set, number, level, &mut draws)
        });
        let Some(made) = made.into_iter().find(|made| !texts.contains(&made.text)) else { continue };
        texts.insert(made.text.clone());
        questions.push(Question {
            id: format!("{}-{}", set.as_str(), number + 1),
            text: made.text,
            options: made.options,
            context: None,
            gold: made.gold,
            category: Some(format!("{} {level}", made.topic)),
            group: None,
        });
    }
    questions
}

fn made(set: BuiltinSet, number: u32, level: u32, draws: &mut Draws) -> Made {
    match set {
        BuiltinSet::Arithmetic => arithmetic::made(number % 5, level, draws),
        BuiltinSet::Logic => logic::made(number % 5, level, draws),
        BuiltinSet::Dates => dates::made(number % 5, level, draws),
    }
}

/// A question that was made.
struct Made {
    topic: &'static str,
    text: String,
    options: Vec<String>,
    gold: Gold,
}
impl Made {
    fn number(topic: &'static str, text: String, answer: i64) -> Self {
        let gold = Gold::Number { answers: vec![answer as f64], tolerance: Default::default() };
        Self { topic, text, options: Vec::new(), gold }
    }
    fn exact(topic: &'static str, text: String, answer: String) -> Self {
        Self { topic, text, options: Vec::new(), gold: Gold::Exact { answers: vec![answer] } }
    }
    fn choice(topic: &'static str, text: String, options: Vec<String>, right: usize) -> Self {
        Self { topic, text, options, gold: Gold::Choice { right: vec![right] } }
    }
    /// A choice among the right answer and others, in a drawn order.
    fn among(topic: &'static str, text: String, right: String, others: Vec<String>, draws: &mut Draws) -> Self {
        let mut options: Vec<String> = vec![right.clone()];
        for other in others {
            if !options.contains(&other) {
                options.push(other);
            }
        }
        draws.shuffle(&mut options);
        let at = options.iter().position(|option| *option == right).unwrap_or(0);
        Self::choice(topic, text, options, at)
    }
}

/// The random numbers of one question.
struct Draws {
    seed: u64,
    set: BuiltinSet,
    number: u32,
    attempt: u32,
    next: u32,
}
impl Draws {
    /// A whole number from `low` to `high`.
    fn from(&mut self, low: i64, high: i64) -> i64 {
        self.next += 1;
        let share = share(self.seed, "builtin", &[&self.set.as_str(), &self.number, &self.attempt, &self.next]);
        low + (share * (high - low + 1) as f64) as i64
    }
    fn pick<T: Copy>(&mut self, items: &[T], otherwise: T) -> T {
        let at = usize::try_from(self.from(0, items.len() as i64 - 1)).unwrap_or(0);
        items.get(at).copied().unwrap_or(otherwise)
    }
    fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let at = usize::try_from(self.from(0, last as i64)).unwrap_or(0);
            items.swap(last, at);
        }
    }
    /// So many different names.
    fn names(&mut self, count: usize) -> Vec<&'static str> {
        let mut names = NAMES;
        self.shuffle(&mut names);
        names.into_iter().take(count).collect()
    }
}

const NAMES: [&str; 12] =
    ["Ada", "Bruno", "Chen", "Dara", "Emil", "Farah", "Goran", "Hana", "Ivo", "Jana", "Kofi", "Lena"];
