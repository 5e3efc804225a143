//! Calibration: how far shares and stated confidence say how often an answer is right.
use super::Estimate;
use crate::Interval;
use serde::{Deserialize, Serialize};

/// Calibration of an arm, or of one model in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibrationResult {
    /// The arm's id.
    pub arm: String,
    /// The model; absent for the whole arm.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The persona; absent for all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub persona: Option<String>,
    /// What stands for sureness.
    pub source: SurenessSource,
    /// Answers with a sureness.
    pub n: u32,
    /// Bins of equal size, least sure first; at most 10.
    pub bins: Vec<CalibrationBin>,
    /// Mean squared distance of sureness from being right; 0 is best.
    pub brier: f64,
    /// The part of it that is miscalibration, by the bins.
    pub reliability: f64,
    /// The part that tells right from wrong answers apart, which is subtracted.
    pub resolution: f64,
    /// The part that the rate of right answers alone makes.
    pub uncertainty: f64,
    /// Expected calibration error: mean distance of bins from the diagonal, with a bootstrap interval.
    pub ece: Estimate,
    /// The same for a perfectly calibrated arm of this size: above 0 by chance alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ece_if_perfect: Option<f64>,
    /// Between these lie 95 % of the errors of a perfectly calibrated arm of this size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ece_if_perfect_range: Option<Interval>,
    /// The root mean squared calibration error without the part that chance alone makes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub debiased_error: Option<f64>,
}

/// What stands for sureness.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SurenessSource {
    /// The share of the last ballots, else the first, behind the answer.
    BallotShare,
    /// The share of the samples behind the answer.
    SampleShare,
    /// The share of the judgements behind the answer.
    JudgeShare,
    /// What ballots say of themselves.
    StatedByBallots,
    /// What samples say of themselves.
    StatedBySamples,
}

/// Answers that are about as sure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CalibrationBin {
    /// The mean sureness, 0 to 1.
    pub sureness: f64,
    /// The least in the bin.
    pub least: f64,
    /// The most in the bin.
    pub most: f64,
    /// Share of right answers, with Wilson's interval.
    pub right: Estimate,
}
