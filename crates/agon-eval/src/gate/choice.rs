//! What a gate is to achieve, and which of several achieves it.
use super::GateRow;
use serde::{Deserialize, Serialize};

/// How much accuracy fewest tokens may cost: 0.5 points.
pub const GATE_MARGIN: f64 = 0.005;
/// How much it may cost if the figure is as far too good as one in twenty is: 1 point.
const SURE_MARGIN: f64 = 2.0 * GATE_MARGIN;
/// One figure in twenty is this many standard errors too good.
const ONE_IN_TWENTY: f64 = 1.645;

/// What a gate is to achieve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum GateObjective {
    /// The fewest tokens with an accuracy at most 0.5 points below the better of always and never debating. A gate that is clearly more
    /// accurate than both raises what is asked for.
    FewestTokens,
    /// The most accuracy minus price x tokens.
    Price {
        /// What a million tokens for a question are worth, in points of a hundred.
        points_per_million: f64,
    },
}

impl GateObjective {
    /// What a question is worth where it is debated, and where its ballots decide.
    pub(super) fn worth(self, row: &GateRow) -> (f64, f64) {
        let price = match self {
            Self::FewestTokens => 0.0,
            Self::Price { points_per_million } => points_per_million / 100.0 / 1e6,
        };
        (row.debate_right - price * row.debate_tokens, row.vote_first_right - price * row.ballot_tokens)
    }
}

/// How good a gate is, against the better of always and never.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct GateStanding {
    /// Its mean worth minus that of the better of always and never.
    pub gain: f64,
    /// Standard error of the gain, by cluster.
    pub error: f64,
    /// Its mean tokens.
    pub tokens: f64,
}

/// Those that are good enough: where few tokens are wanted, by their accuracy; otherwise all.
///
/// What is asked for is the accuracy of the better of always and never, or the one that a better gate surely has. A gate may miss it by
/// the margin, and surely misses it by twice the margin at most: luck alone makes no gate good enough.
pub(super) fn good_enough(objective: GateObjective, standings: &[GateStanding]) -> Vec<bool> {
    match objective {
        GateObjective::Price { .. } => vec![true; standings.len()],
        GateObjective::FewestTokens => {
            let surely = |one: &GateStanding| one.gain - ONE_IN_TWENTY * one.error;
            let wanted = standings.iter().map(surely).fold(0.0, f64::max);
            let enough = |one: &GateStanding| one.gain >= wanted - GATE_MARGIN && surely(one) >= wanted - SURE_MARGIN;
            standings.iter().map(enough).collect()
        }
    }
}

/// The best of those that are good enough; the first of equals. None where none is.
pub(super) fn best(objective: GateObjective, standings: &[GateStanding]) -> Option<usize> {
    let enough = good_enough(objective, standings);
    let candidates = standings.iter().enumerate().zip(enough).filter(|(_, enough)| *enough).map(|(one, _)| one);
    let cost = |one: &GateStanding| match objective {
        GateObjective::FewestTokens => one.tokens,
        GateObjective::Price { .. } => -one.gain,
    };
    candidates.min_by(|(_, one), (_, other)| cost(one).total_cmp(&cost(other))).map(|(at, _)| at)
}
