//! The chances of a world, and every draw that they decide.

use std::collections::BTreeMap;

use super::{GraderMind, KnownQuestion};
use crate::dice::KeyedDice;

/// Index of the right answer among the candidates.
pub(crate) const RIGHT: usize = 0;

/// How speakers know, err and are moved. Chances are from 0 to 1.
#[derive(Debug, Clone, PartialEq)]
pub struct MindWorld {
    /// Seed of every draw.
    pub seed: u64,
    /// Chance that a wrong speaker moves to the right answer between its ballots if somebody stated it.
    pub truth: f64,
    /// Chance that a speaker moves to the answer of most, if that is another than its own.
    pub sway: f64,
    /// Chance that a wrong answer is the common wrong one.
    pub shared: f64,
    /// Chance that a judge finds the right answer if somebody stated it; else it follows most.
    pub judge: f64,
    /// Chance that a judge takes whatever it is shown first.
    pub order_bias: f64,
    /// Skill by model, on the scale of the difficulties.
    pub skill: ByModel,
    /// Mean length of a speech in words by model; without one, the cast's usual length.
    pub length: Option<ByModel>,
    /// How ballots and samples state their confidence; without it, at random.
    pub confidence: Option<StatedConfidence>,
    /// Of questions that name none.
    pub difficulty: Difficulty,
    /// How graders err.
    pub grader: GraderMind,
}

/// A figure by model name, with one for all others.
#[derive(Debug, Clone, PartialEq)]
pub struct ByModel {
    /// For models that are not named.
    pub default: f64,
    /// For these.
    pub models: BTreeMap<String, f64>,
}

/// Confidence as the chance to be right in percent, shifted by so many points.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StatedConfidence {
    /// Points added; 0 is calibrated.
    pub shift: f64,
}

/// A normal distribution of difficulties.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difficulty {
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub spread: f64,
}

impl Default for MindWorld {
    /// A world in which debates beat the votes of their own debaters.
    fn default() -> Self {
        Self {
            seed: 0,
            truth: 0.35,
            sway: 0.05,
            shared: 0.6,
            judge: 0.8,
            order_bias: 0.0,
            skill: ByModel::all(0.5),
            length: None,
            confidence: None,
            difficulty: Difficulty { mean: 0.0, spread: 1.5 },
            grader: GraderMind::default(),
        }
    }
}

impl ByModel {
    /// The same figure for every model.
    pub fn all(default: f64) -> Self {
        Self { default, models: BTreeMap::new() }
    }

    /// The figure of a model; a name without tag stands for the tag `latest`.
    pub fn of(&self, model: &str) -> f64 {
        let bare = model.strip_suffix(":latest").unwrap_or(model);
        self.models.get(model).or_else(|| self.models.get(bare)).copied().unwrap_or(self.default)
    }
}

impl Difficulty {
    /// A draw (Box and Muller, 1958).
    pub(crate) fn draw(self, dice: &mut KeyedDice) -> f64 {
        // the logarithm of 0 is none
        let (u, v) = (1.0 - dice.unit(), dice.unit());
        self.mean + self.spread * (-2.0 * u.ln()).sqrt() * (std::f64::consts::TAU * v).cos()
    }
}

impl MindWorld {
    /// The chance that a speaker of this model knows the answer: 1 / (1 + exp(b - skill)).
    pub(crate) fn chance(&self, question: &KnownQuestion, model: &str) -> f64 {
        1.0 / (1.0 + (question.difficulty - self.skill.of(model)).exp())
    }

    /// What a speaker answers that heard nobody.
    pub(crate) fn own(&self, question: &KnownQuestion, model: &str, dice: &mut KeyedDice) -> usize {
        if dice.unit() < self.chance(question, model) {
            return RIGHT;
        }
        let others = question.candidates.len().saturating_sub(2);
        let common = dice.unit() < self.shared || others == 0;
        if common { 1 } else { 2 + dice.below(others) }
    }

    /// What a speaker answers after a debate in which all of `stated` were stated and `latest` is what each speaker stood by last, the
    /// speaker itself included.
    pub(crate) fn moved(&self, own: usize, stated: &[usize], latest: &[usize], dice: &mut KeyedDice) -> usize {
        let (by_truth, by_most) = (dice.unit() < self.truth, dice.unit() < self.sway);
        if own != RIGHT && by_truth && stated.contains(&RIGHT) {
            return RIGHT;
        }
        let count = |answer: usize| latest.iter().filter(|other| **other == answer).count();
        let most = latest.iter().copied().find(|answer| 2 * count(*answer) > latest.len());
        most.filter(|most| by_most && *most != own).unwrap_or(own)
    }

    /// What a judge finds, shown answers in this order; none where nobody stated one. Ties among those that most state fall by lot.
    pub(crate) fn judged(&self, shown: &[usize], dice: &mut KeyedDice) -> Option<usize> {
        let (by_order, by_truth) = (dice.unit() < self.order_bias, dice.unit() < self.judge);
        if by_order {
            return shown.first().copied();
        }
        if by_truth && shown.contains(&RIGHT) {
            return Some(RIGHT);
        }
        dice.pick(&most_stated(shown)).copied()
    }

    /// The confidence that a speaker states, 0 to 100.
    pub(crate) fn stated_confidence(&self, question: &KnownQuestion, model: &str) -> Option<u64> {
        let shift = self.confidence?.shift;
        Some((100.0 * self.chance(question, model) + shift).round().clamp(0.0, 100.0) as u64)
    }
}

/// The answers that share the top, in order of the candidates.
pub(crate) fn most_stated(answers: &[usize]) -> Vec<usize> {
    let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
    for answer in answers {
        *counts.entry(*answer).or_default() += 1;
    }
    let top = counts.values().max().copied().unwrap_or(0);
    counts.into_iter().filter(|(_, count)| *count == top).map(|(answer, _)| answer).collect()
}
