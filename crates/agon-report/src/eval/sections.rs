//! The sections of the report of an eval; each is a pure function of the result.
mod arms;
mod changed;
mod compared;
mod pairs;
mod rows;
mod setup;
mod sureness;
mod trust;

pub(super) use arms::{arms, failures, free_arms};
pub(super) use changed::{changed, group};
pub(super) use compared::{sensitivity, verdicts};
pub(super) use pairs::pairs;
pub(super) use rows::{categories, cells};
pub(super) use setup::{configuration, limits};
pub use sureness::gate_lines;
pub(super) use sureness::{calibration, gate};
pub(super) use trust::trust;

use super::document::{ArmKey, EvalDrawing};
use super::{draw, words};
use agon_eval::{Estimate, EvalResult, Interval};

/// Arms that figures draw at most; tables have all.
const MOST_DRAWN: usize = 40;

/// A drawing without a title of its own.
fn one_drawing(svg: Option<String>) -> Vec<EvalDrawing> {
    svg.map(|svg| EvalDrawing { title: None, svg }).into_iter().collect()
}

/// Bounds in hundredths.
fn hundredths(interval: Option<Interval>) -> Option<(f64, f64)> {
    interval
        .map(|Interval { low, high }| (low * 100.0, high * 100.0))
        .filter(|(low, high)| low.is_finite() && high.is_finite())
}

/// A figure in hundredths, where it rests on anything.
fn value(estimate: &Estimate) -> Option<f64> {
    (estimate.n > 0 && estimate.value.is_finite()).then_some(estimate.value * 100.0)
}

/// What the letters of the arms stand for.
fn keys(result: &EvalResult) -> Vec<ArmKey> {
    let key = |(at, arm)| ArmKey { letter: draw::letter(at), colour: at, name: words::arm_name(result, arm) };
    result.arms.iter().enumerate().map(key).collect()
}
