//! Pools: samples that are drawn once for each question, and of which arms use prefixes.
use crate::{ArmName, EvalSpec, FIRST_SAMPLES};
use serde::{Deserialize, Serialize};

/// Samples of one poll. Debates whose polls are the same, but for the number of samples, share a pool.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pool {
    /// Whose answers the samples are.
    pub of: PoolOf,
    /// The debates whose poll it is, in the order of the eval; never empty.
    pub arms: Vec<ArmName>,
    /// The models of the samples, each once, in alphabetical order.
    pub models: Vec<String>,
    /// How many samples are drawn at first. Logs that were begun before this was written down drew [`FIRST_SAMPLES`] always.
    #[serde(default = "always")]
    pub first: u32,
}

fn always() -> u32 {
    FIRST_SAMPLES
}

impl Pool {
    /// How many samples of a question are drawn at first.
    pub fn first(&self, spec: &EvalSpec) -> u32 {
        self.first.min(spec.max_samples)
    }
}

/// Whose answers the samples of a pool are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PoolOf {
    /// The debaters' models in turn, for `single`, `self_consistency` and `best_of_n`.
    Debaters,
    /// The judge's model, for `judge_alone`.
    Judge,
}

/// The index of the pool that a debate's methods use.
pub fn pool_of(pools: &[Pool], of: PoolOf, arm: &ArmName) -> Option<u32> {
    let at = pools.iter().position(|pool| pool.of == of && pool.arms.contains(arm))?;
    u32::try_from(at).ok()
}
