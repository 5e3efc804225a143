//! Statistics of comparisons: pure, and seeded where they draw.
//!
//! Shares and differences are fractions (0.03 is 3 points), levels are like 0.95. What cannot be computed is `None`: no figure
//! that comes out is NaN or infinite.
mod agreement;
mod betting;
mod binomial;
mod bootstrap;
mod calibration;
mod comparing;
mod correction;
mod debiased;
mod dice;
mod flips;
mod holm;
mod paired;
mod power;
mod proportion;

pub use agreement::krippendorff;
pub use betting::{BettingSequence, wealth};
pub use binomial::{binomial_tail_half, normal_quantile};
pub use bootstrap::{FEWEST_CLUSTERS, studentised};
pub use calibration::{
    BrierParts, CalibrationError, Forecast, ForecastBin, brier, calibration_bins, calibration_error,
};
pub use comparing::{Compared, Effort, ScorePair, clustered, compare, difference_interval};
pub use correction::{CorrectedShare, JudgeLabels, LEAST_RELIABILITY, corrected};
pub use debiased::debiased_calibration_error;
pub use flips::sign_flips;
pub use holm::holm;
pub use paired::{PairedCounts, mcnemar_exact, mcnemar_mid_p, tango, tango_of_sums};
pub use power::{MOST_QUESTIONS, SEQUENTIAL_SIZE, design_effect, mcnemar_power, questions_needed, smallest_effect};
pub use proportion::{wilson, wilson_of_mean};

pub(crate) use dice::ResampleDice;
