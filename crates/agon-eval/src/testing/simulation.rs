//! Simulated evals with a planted truth: do intervals cover it, how often is a verdict wrong, and does a gate do what it is for?
use super::flips;
use super::gates::{GateTrial, GateWorld};
use crate::stats::{BettingSequence, Compared, Effort, ResampleDice, ScorePair, clustered, compare, holm};
use crate::{Evidence, Interval, VerdictKind, judge};
use agon_core::gate::GateKind;

const ALPHA: f64 = 0.05;
const WORTH: f64 = 0.03;
const PLANTED: f64 = 0.08;
const DISCORDANCE: f64 = 0.25;

/// A figure that is the mean over simulated evals.
#[derive(Clone, Copy, Debug)]
pub struct SimulationCheck {
    /// What is checked.
    pub what: &'static str,
    /// The smallest figure that passes.
    pub low: f64,
    /// The largest figure that passes.
    pub high: f64,
    /// How many evals are simulated.
    pub evals: u32,
    /// The figure of one eval, by its number.
    pub one: fn(u32) -> f64,
}

/// All checks, at full size.
pub const SIMULATION_CHECKS: [SimulationCheck; 17] = [
    coverage("interval covers +8 points, 100 questions", |eval| covers(SimulatedWorld::Single { n: 100 }, eval)),
    coverage("interval covers +8 points, 324 questions", |eval| covers(SimulatedWorld::Single { n: 324 }, eval)),
    coverage("interval covers +8 points, 40 groups x 4 questions x 2", |eval| covers(SimulatedWorld::Groups, eval)),
    coverage("interval covers +8 points, 100 fractional scores", |eval| {
        covers(SimulatedWorld::Fractions { n: 100 }, eval)
    }),
    coverage("interval covers +8 points, 324 fractional scores", |eval| {
        covers(SimulatedWorld::Fractions { n: 324 }, eval)
    }),
    at_most("wrong verdict, no difference, 100 questions", 0.05, 1_000, |eval| {
        wrong(SimulatedWorld::Single { n: 100 }, 1, eval)
    }),
    at_most("wrong verdict, no difference, 324 questions", 0.05, 1_000, |eval| {
        wrong(SimulatedWorld::Single { n: 324 }, 1, eval)
    }),
    at_most("any wrong verdict of 3, no difference, 40 groups", 0.055, 10_000, |eval| {
        wrong(SimulatedWorld::Groups, 3, eval)
    }),
    at_most("wrong verdict, no difference, a look every 10 to 3,000", 0.05, 1_000, |eval| {
        share(is_clear(sequential(0.0, 3_000, false, eval).0))
    }),
    SimulationCheck {
        what: "+8 points found, 324 questions",
        low: 0.76,
        high: 0.84,
        evals: 1_000,
        one: |eval| share(fixed(SimulatedWorld::Single { n: 324 }, PLANTED, 1, eval) == [VerdictKind::Helped]),
    },
    SimulationCheck {
        what: "+8 points found, a look every 10 to 520",
        low: 0.76,
        high: 0.84,
        evals: 1_000,
        one: |eval| share(sequential(PLANTED, 520, true, eval).0 == VerdictKind::Helped),
    },
    SimulationCheck {
        what: "questions until it stops, a look every 10 to 520",
        low: 10.0,
        high: 360.0,
        evals: 1_000,
        one: |eval| sequential(PLANTED, 520, true, eval).1 as f64,
    },
    flipped("interval covers the share of ballots mended", |eval| share(flips::covers(eval).mended)),
    flipped("interval covers the share of ballots broken", |eval| share(flips::covers(eval).broken)),
    gated("gate saves 90 % of what the best one saves", 0.9, |eval| share(tried(GateWorld::CONTESTED, eval).saves())),
    gated("gate without a signal does no harm, debates win", 0.95, |eval| {
        share(tried(GateWorld::Blind { wins: 0.16, loses: 0.02 }, eval).does_no_harm())
    }),
    gated("gate without a signal does no harm, debates lose", 0.95, |eval| {
        share(tried(GateWorld::Blind { wins: 0.02, loses: 0.16 }, eval).does_no_harm())
    }),
];

/// Questions that a gate is learned on, and fresh ones that it is tried on.
const GATE_QUESTIONS: (u32, u32) = (400, 20_000);

fn tried(world: GateWorld, eval: u32) -> GateTrial {
    let (learned_on, tried_on) = GATE_QUESTIONS;
    // no gate at all saves nothing and does as every debate does
    let none =
        GateTrial { gate: 0.0, always: 1.0, never: 0.0, savings: 0.0, best_savings: 1.0, kind: GateKind::Always };
    world.trial(learned_on, tried_on, eval.into()).unwrap_or(none)
}
const fn flipped(what: &'static str, one: fn(u32) -> f64) -> SimulationCheck {
    SimulationCheck { what, low: 0.93, high: 1.0, evals: 1_000, one }
}
const fn gated(what: &'static str, low: f64, one: fn(u32) -> f64) -> SimulationCheck {
    SimulationCheck { what, low, high: 1.0, evals: 100, one }
}

const fn coverage(what: &'static str, one: fn(u32) -> f64) -> SimulationCheck {
    SimulationCheck { what, low: 0.93, high: 0.97, evals: 1_000, one }
}
const fn at_most(what: &'static str, high: f64, evals: u32, one: fn(u32) -> f64) -> SimulationCheck {
    SimulationCheck { what, low: 0.0, high, evals, one }
}

/// Where questions come from.
#[derive(Clone, Copy, Debug)]
enum SimulatedWorld {
    /// Single yes-or-no answers.
    Single { n: usize },
    /// 40 groups of 4 questions, asked twice.
    Groups,
    /// Single scores in quarters.
    Fractions { n: usize },
}

fn effort(eval: u32) -> Effort {
    Effort { draws: 1_999, flips: 1_999, seed: u64::from(eval) }
}
fn share(yes: bool) -> f64 {
    f64::from(u8::from(yes))
}
fn is_clear(kind: VerdictKind) -> bool {
    matches!(kind, VerdictKind::Helped | VerdictKind::Hurt)
}

/// Draws the scores of one comparison with this mean difference.
fn draw(world: SimulatedWorld, effect: f64, number: u32, eval: u32) -> Vec<ScorePair> {
    let dice = &mut ResampleDice::new(u64::from(eval), &format!("simulation {world:?} {effect} {number}"));
    match world {
        SimulatedWorld::Single { n } => (0..n).map(|cluster| yes_or_no(dice, cluster, effect)).collect(),
        SimulatedWorld::Groups => {
            let mut all = Vec::new();
            for cluster in 0..40 {
                let group = effect + 0.2 * (dice.unit() - 0.5);
                for _ in 0..4 {
                    let question = group + 0.12 * (dice.unit() - 0.5);
                    all.extend((0..2).map(|_| yes_or_no(dice, cluster, question)));
                }
            }
            all
        }
        SimulatedWorld::Fractions { n } => (0..n)
            .map(|cluster| {
                let rival = dice.below(5) as f64 / 4.0;
                // 4 of 10 answers are new ones, and better by effect / 0.4 in the mean
                let arm = match dice.unit() {
                    same if same >= 0.4 => rival,
                    _ if dice.unit() < 5.0 * effect => 1.0,
                    _ => dice.below(5) as f64 / 4.0,
                };
                ScorePair { cluster, arm, rival }
            })
            .collect(),
    }
}

fn yes_or_no(dice: &mut ResampleDice, cluster: usize, effect: f64) -> ScorePair {
    let arm_only = (DISCORDANCE + effect) / 2.0;
    let (arm, rival) = match dice.unit() {
        at if at < arm_only => (1.0, 0.0),
        at if at < DISCORDANCE => (0.0, 1.0),
        at if at < 0.7 => (1.0, 1.0),
        _ => (0.0, 0.0),
    };
    ScorePair { cluster, arm, rival }
}

/// Whether the interval holds the difference that was planted.
fn covers(world: SimulatedWorld, eval: u32) -> f64 {
    let interval = compare(&draw(world, PLANTED, 0, eval), 1.0 - ALPHA, effort(eval)).and_then(|seen| seen.interval);
    share(interval.is_some_and(|interval| interval.low <= PLANTED && PLANTED <= interval.high))
}

/// The verdicts of a fixed design with so many primary comparisons.
fn fixed(world: SimulatedWorld, effect: f64, comparisons: u32, eval: u32) -> Vec<VerdictKind> {
    let draws = (0..comparisons).filter_map(|at| compare(&draw(world, effect, at, eval), 1.0 - ALPHA, effort(eval)));
    let seen: Vec<Compared> = draws.collect();
    let adjusted = holm(&seen.iter().map(|compared| compared.p).collect::<Vec<f64>>());
    seen.iter().zip(adjusted).map(|(compared, p)| verdict(compared.interval, p)).collect()
}

fn wrong(world: SimulatedWorld, comparisons: u32, eval: u32) -> f64 {
    share(fixed(world, 0.0, comparisons, eval).into_iter().any(is_clear))
}

fn verdict(interval: Option<Interval>, p: f64) -> VerdictKind {
    let (ratio, held_down, trusted) = (Some(1.0), false, true);
    judge(&Evidence { interval, p_adjusted: Some(p), worth: WORTH, alpha: ALPHA, ratio, held_down, trusted }).kind
}

/// The verdict of a sequential design with a look every 10 questions, and after how many it stopped. Where `no_gain` does not stop it,
/// only a winner does.
fn sequential(effect: f64, most: usize, no_gain: bool, eval: u32) -> (VerdictKind, usize) {
    let differences = clustered(&draw(SimulatedWorld::Single { n: most }, effect, 0, eval));
    let Some(mut bets) = BettingSequence::new(ALPHA, WORTH) else {
        return (VerdictKind::CannotTell, 0);
    };
    for (at, difference) in differences {
        bets.push(difference);
        if at % 10 != 9 {
            continue;
        }
        bets.look();
        if bets.winner().is_some() || (no_gain && bets.below_worth()) {
            break;
        }
    }
    let kind = if bets.winner().is_some() { verdict(bets.interval(), bets.p()) } else { VerdictKind::CannotTell };
    (if bets.winner().is_none() && bets.below_worth() { VerdictKind::NoGain } else { kind }, bets.n())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three standard errors of a share over so many evals, at most.
    fn slack(evals: u32) -> f64 {
        3.0 * (0.05 * 0.95 / f64::from(evals)).sqrt()
    }
    fn mean(check: &SimulationCheck, evals: u32) -> f64 {
        (0..evals).map(|eval| (check.one)(eval)).sum::<f64>() / f64::from(evals)
    }

    #[test]
    fn a_tenth_of_the_simulations_lies_near_what_all_of_them_have_to_show() {
        for check in &SIMULATION_CHECKS {
            let evals = (check.evals / 10).min(100);
            let seen = mean(check, evals);
            // a share of about 0.8 varies more, and a mean stop by the stops' spread
            let slack = if check.high > 1.0 {
                40.0
            } else if check.low == 0.76 {
                0.12
            } else {
                slack(evals)
            };
            assert!(check.low - slack <= seen && seen <= check.high + slack, "{}: {seen}", check.what);
        }
    }

    #[test]
    fn worlds_have_the_difference_that_was_planted() {
        for world in [SimulatedWorld::Single { n: 324 }, SimulatedWorld::Groups, SimulatedWorld::Fractions { n: 324 }] {
            for effect in [0.0, PLANTED] {
                let of = |eval| {
                    let differences = clustered(&draw(world, effect, 0, eval));
                    differences.values().sum::<f64>() / differences.len() as f64
                };
                let seen = (0..400).map(of).sum::<f64>() / 400.0;
                assert!((seen - effect).abs() < 0.008, "{world:?} {effect}: {seen}");
            }
        }
    }

    #[test]
    fn a_check_that_has_to_miss_does() {
        let narrow = SimulationCheck { one: |_| 0.0, ..SIMULATION_CHECKS[0] };
        assert!(mean(&narrow, 10) < narrow.low);
    }
}
