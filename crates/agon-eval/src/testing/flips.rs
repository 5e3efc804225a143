//! Debates whose ballots change with planted chances.
use super::{PlantedEval, planted_ballot};
use crate::stats::ResampleDice;
use crate::{Estimate, Facts};

const QUESTIONS: u32 = 100;
const VOTERS: u32 = 3;
/// The right answer to every question of a planted eval, and wrong ones.
const ANSWERS: [&str; 3] = ["4", "5", "6"];
/// Chance that a wrong ballot becomes right.
const MENDS: f64 = 0.3;
/// Chance that a right ballot becomes wrong.
const BREAKS: f64 = 0.1;
/// How far the chances of a question may lie from those of all.
const SPREAD: f64 = 0.1;

/// Whether intervals cover the planted shares.
pub(super) struct FlipsCovered {
    pub mended: bool,
    pub broken: bool,
}

/// Whether one eval's do.
pub(super) fn covers(eval: u32) -> FlipsCovered {
    let dice = &mut ResampleDice::new(eval.into(), "planted flips");
    let mut planted = PlantedEval::new(QUESTIONS);
    for question in 0..QUESTIONS {
        planted.debate(question, debate(dice));
    }
    let result = planted.result();
    let ballots = result.inside.first().and_then(|inside| inside.ballots);
    let within = |share: Option<Estimate>, planted: f64| {
        let interval = share.and_then(|share| share.interval);
        interval.is_some_and(|interval| interval.low <= planted && planted <= interval.high)
    };
    FlipsCovered {
        mended: ballots.is_some_and(|flips| within(flips.mended, MENDS)),
        broken: ballots.is_some_and(|flips| within(flips.broken, BREAKS)),
    }
}

/// A debate on a question that some know better than others, and that moves some more than others.
fn debate(dice: &mut ResampleDice) -> Facts {
    let known = 0.3 + 0.5 * dice.unit();
    let moved = 2.0 * SPREAD * (dice.unit() - 0.5);
    let mut ballots = Vec::new();
    for seat in 0..VOTERS {
        let first = if dice.unit() < known { 0 } else { 1 + dice.below(2) };
        let last = match first {
            0 if dice.unit() < BREAKS + moved => 1,
            0 => 0,
            _ if dice.unit() < MENDS + moved => 0,
            wrong => wrong,
        };
        for (is_last, answer) in [(false, first), (true, last)] {
            ballots.push(planted_ballot(is_last, seat, ANSWERS.get(answer).copied().unwrap_or_default()));
        }
    }
    Facts { ballots, ..Facts::planted("4", 1_000) }
}
