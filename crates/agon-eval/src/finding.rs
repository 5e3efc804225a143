//! Words that statistics and results share: intervals and verdicts.
use serde::{Deserialize, Serialize};

/// An interval; both bounds belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

/// What a comparison found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VerdictKind {
    /// The arm is better.
    Helped,
    /// If it is better at all, by less than is worth having.
    NoGain,
    /// The arm is worse.
    Hurt,
    /// None of it is known.
    CannotTell,
}
