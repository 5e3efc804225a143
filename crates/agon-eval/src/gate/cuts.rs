//! All thresholds of a score, each with how good it is, in one pass over the rows.
use super::GateRow;
use super::choice::{GateObjective, GateStanding};
use super::errors::clusters_of;
use agon_core::gate::GateSide;

/// Significant digits of learned numbers: files read them back exactly.
const DIGITS: usize = 9;

/// A threshold and how good it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cut {
    pub threshold: f64,
    pub standing: GateStanding,
    /// Mean of the right answers, 0 to 1.
    pub right: f64,
    /// Share of rows that are debated.
    pub debated: f64,
}

/// The thresholds of a score, from the one that skips least to the one that skips most.
pub(crate) struct Cuts(pub Vec<Cut>);

impl Cuts {
    /// Every threshold between two values of the score. `scores` has one for each row, absent where the row is debated whatever the
    /// threshold is.
    pub(crate) fn between(
        rows: &[&GateRow],
        scores: &[Option<f64>],
        debate_when: GateSide,
        objective: GateObjective,
    ) -> Self {
        let scored = rows.iter().zip(scores).filter(|(row, _)| row.may_be_skipped());
        let mut order: Vec<(f64, &GateRow)> = scored.filter_map(|(row, score)| Some(((*score)?, *row))).collect();
        match debate_when {
            GateSide::AtLeast => order.sort_by(|(a, _), (b, _)| a.total_cmp(b)),
            GateSide::Below => order.sort_by(|(a, _), (b, _)| b.total_cmp(a)),
        }
        let mut skipping = Skipping::none(rows, objective);
        let mut cuts = Vec::new();
        for (at, (score, row)) in order.iter().enumerate() {
            skipping.skip(row);
            let Some((next, _)) = order.get(at + 1) else { break };
            if let Some(threshold) = threshold_between(*score, *next) {
                cuts.push(skipping.cut(threshold));
            }
        }
        Self(cuts)
    }
}

/// A number between two, so that the first is on the one side and the second, if it is the higher one, on the other.
fn threshold_between(one: f64, other: f64) -> Option<f64> {
    let (low, high) = if one < other { (one, other) } else { (other, one) };
    let middle = rounded(low + (high - low) / 2.0);
    (low < middle && middle <= high).then_some(middle)
}

/// A number of nine significant digits.
pub(super) fn rounded(value: f64) -> f64 {
    format!("{value:.*e}", DIGITS - 1).parse().unwrap_or(value)
}

/// Rows of which some are skipped, with the sums that say how good that is.
pub(crate) struct Skipping {
    objective: GateObjective,
    rows: f64,
    /// For each cluster, the sum of the gains over the better of always and never.
    gains: Vec<f64>,
    gain: f64,
    squares: f64,
    clusters: f64,
    right: f64,
    tokens: f64,
    debated: f64,
}

impl Skipping {
    /// All rows are debated.
    pub(crate) fn none(rows: &[&GateRow], objective: GateObjective) -> Self {
        let mut seen = vec![false; clusters_of(rows)];
        let mut differences = vec![0.0f64; seen.len()];
        let mut never = 0.0;
        for row in rows {
            let (debate, ballots) = objective.worth(row);
            let difference = if row.may_be_skipped() { ballots - debate } else { 0.0 };
            never += difference;
            let at = row.cluster as usize;
            if let Some((sum, seen)) = differences.get_mut(at).zip(seen.get_mut(at)) {
                *sum -= difference;
                *seen = true;
            }
        }
        // measured against never where that is the better one
        let gains = if never > 0.0 { differences } else { vec![0.0; seen.len()] };
        Self {
            objective,
            rows: rows.len() as f64,
            gain: gains.iter().sum(),
            squares: gains.iter().map(|gain| gain * gain).sum(),
            gains,
            clusters: seen.iter().filter(|seen| **seen).count() as f64,
            right: rows.iter().map(|row| row.debate_right).sum(),
            tokens: rows.iter().map(|row| row.debate_tokens).sum(),
            debated: rows.len() as f64,
        }
    }
    /// Skips one more row.
    pub(crate) fn skip(&mut self, row: &GateRow) {
        self.skip_share(row, 1.0);
    }
    /// Skips one more row in this share of cases.
    pub(crate) fn skip_share(&mut self, row: &GateRow, share: f64) {
        let (debate, ballots) = self.objective.worth(row);
        let change = (ballots - debate) * share;
        if let Some(gain) = self.gains.get_mut(row.cluster as usize) {
            self.squares += change * (2.0 * *gain + change);
            *gain += change;
            self.gain += change;
        }
        self.right -= row.gain() * share;
        self.tokens += (row.ballot_tokens - row.debate_tokens) * share;
        self.debated -= share;
    }
    /// How good it is so far.
    pub(crate) fn cut(&self, threshold: f64) -> Cut {
        let spread = (self.squares - self.gain * self.gain / self.clusters).max(0.0);
        let error = (spread * self.clusters / (self.clusters - 1.0).max(1.0)).sqrt() / self.rows;
        Cut {
            threshold,
            standing: GateStanding { gain: self.gain / self.rows, error, tokens: self.tokens / self.rows },
            right: self.right / self.rows,
            debated: self.debated / self.rows,
        }
    }
}
