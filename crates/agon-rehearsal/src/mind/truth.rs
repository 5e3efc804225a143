//! How often each method is right in a world.

use super::{
    KnownQuestion, Minds,
    world::{RIGHT, most_stated},
};
use crate::dice::KeyedDice;

/// Draws of a rate that has no closed form, over all questions.
const DRAWS: usize = 400_000;

/// A method whose true rate is asked for. The models speak in turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TruthArm {
    /// One answer of one model.
    Single {
        /// The model.
        model: String,
    },
    /// The plurality of so many independent answers; ties score their share.
    Plurality {
        /// The models, in turn.
        models: Vec<String>,
        /// Answers.
        samples: usize,
    },
    /// A debate that final ballots decide, with a debater for each model; ties score their share.
    Ballots {
        /// The debaters' models.
        models: Vec<String>,
    },
    /// A debate that a judge decides, or independent answers among which a judge picks one.
    Judged {
        /// The models, in turn.
        models: Vec<String>,
        /// Debaters or samples.
        samples: usize,
        /// Orders of presentation, 1 or 2; orders that disagree give no answer.
        orders: usize,
    },
}

/// The true rate of a method over the questions of a world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrueRate {
    /// Share of right answers.
    pub rate: f64,
    /// Its standard error from the finite number of draws; 0 where the rate is exact.
    pub standard_error: f64,
    /// Share of the ballots that move from wrong to right; only of debates that ballots decide.
    pub wrong_to_right: Option<f64>,
    /// Share of the ballots that move from right to wrong; only of debates that ballots decide.
    pub right_to_wrong: Option<f64>,
}

/// What one draw came to.
#[derive(Debug, Default, Clone, Copy)]
struct Drawn {
    right: f64,
    wrong_to_right: f64,
    right_to_wrong: f64,
}

impl Minds {
    /// The true rate of a method over all questions: exact for a single answer, else by 400,000 seeded draws. None without questions, models or
    /// answers.
    pub fn truth(&self, arm: &TruthArm) -> Option<TrueRate> {
        if self.is_empty() {
            return None;
        }
        if let TruthArm::Single { model } = arm {
            let sum: f64 = self.questions.iter().map(|question| self.world.chance(question, model)).sum();
            let rate = sum / self.questions.len() as f64;
            return Some(TrueRate { rate, standard_error: 0.0, wrong_to_right: None, right_to_wrong: None });
        }
        let (models, samples) = arm.speakers();
        if models.is_empty() || samples == 0 {
            return None;
        }
        let speakers: Vec<&str> = models.iter().map(String::as_str).cycle().take(samples).collect();
        let trials = DRAWS.div_ceil(self.questions.len());
        let (mut sum, mut variance) = (Drawn::default(), 0.0);
        for question in &self.questions {
            let mut dice = self.dice("truth", question, &[]);
            let (mut right, mut squares) = (0.0, 0.0);
            for _ in 0..trials {
                let drawn = self.drawn(arm, question, &speakers, &mut dice);
                right += drawn.right;
                squares += drawn.right * drawn.right;
                sum.wrong_to_right += drawn.wrong_to_right;
                sum.right_to_wrong += drawn.right_to_wrong;
            }
            sum.right += right;
            // the questions are fixed: only the draws within them vary
            variance += (squares - right * right / trials as f64).max(0.0);
        }
        let draws = (trials * self.questions.len()) as f64;
        let of_ballots = |flips: f64| matches!(arm, TruthArm::Ballots { .. }).then_some(flips / draws / samples as f64);
        Some(TrueRate {
            rate: sum.right / draws,
            standard_error: variance.sqrt() / draws,
            wrong_to_right: of_ballots(sum.wrong_to_right),
            right_to_wrong: of_ballots(sum.right_to_wrong),
        })
    }

    /// One debate or poll on a question.
    fn drawn(&self, arm: &TruthArm, question: &KnownQuestion, speakers: &[&str], dice: &mut KeyedDice) -> Drawn {
        let own: Vec<usize> = speakers.iter().map(|model| self.world.own(question, model, dice)).collect();
        match arm {
            TruthArm::Single { .. } | TruthArm::Plurality { .. } => Drawn { right: share(&own), ..Drawn::default() },
            TruthArm::Ballots { .. } => {
                let last: Vec<usize> = own.iter().map(|one| self.world.moved(*one, &own, &own, dice)).collect();
                let flips = |from: bool, to: bool| {
                    let moved = |(a, b): &(&usize, &usize)| (**a == RIGHT) == from && (**b == RIGHT) == to;
                    own.iter().zip(&last).filter(moved).count() as f64
                };
                Drawn { right: share(&last), wrong_to_right: flips(false, true), right_to_wrong: flips(true, false) }
            }
            TruthArm::Judged { orders, .. } => {
                let mut shown: Vec<usize> =
                    dice.deck(own.len()).iter().filter_map(|card| own.get(*card).copied()).collect();
                // a judge is the same in both orders
                let judge = KeyedDice::clone(dice);
                let first = self.world.judged(&shown, dice);
                shown.reverse();
                let agrees = *orders < 2 || self.world.judged(&shown, &mut judge.clone()) == first;
                Drawn { right: f64::from(u8::from(agrees && first == Some(RIGHT))), ..Drawn::default() }
            }
        }
    }
}

impl TruthArm {
    fn speakers(&self) -> (&[String], usize) {
        match self {
            Self::Single { model } => (std::slice::from_ref(model), 1),
            Self::Plurality { models, samples } | Self::Judged { models, samples, .. } => (models, *samples),
            Self::Ballots { models } => (models, models.len()),
        }
    }
}

/// The score of a vote: 1 for the right answer alone at the top, its share where several tie.
fn share(votes: &[usize]) -> f64 {
    let top = most_stated(votes);
    if top.contains(&RIGHT) { 1.0 / top.len() as f64 } else { 0.0 }
}
