//! From scores to estimates, by the statistics of this crate.
use super::table::{CellScore, CellTable};
use crate::stats::{
    BettingSequence, Effort, FEWEST_CLUSTERS, Forecast, SEQUENTIAL_SIZE, ScorePair, brier, calibration_bins,
    calibration_error, clustered, compare, debiased_calibration_error, difference_interval, holm, questions_needed,
    studentised, wilson, wilson_of_mean,
};
use crate::{
    CalibrationBin, CalibrationResult, CellEnding, Estimate, EvalSpec, Interval, IntervalMethod, LookPoint,
    SurenessSource, VerdictKind,
};
use std::collections::BTreeMap;

/// The confidence level of all intervals.
pub(super) const LEVEL: f64 = 0.95;
/// The power for which the questions needed are told.
const POWER: f64 = 0.8;
/// Draws for what is no comparison: its intervals decide nothing.
const LIGHT_DRAWS: usize = 1_999;
/// Patterns of signs for the same.
const LIGHT_FLIPS: usize = 9_999;
/// Draws for the interval of a calibration error.
const CALIBRATION_DRAWS: usize = 499;
/// Looks that are told at the most.
const MOST_LOOKS: usize = 20;
/// Shares lie between these.
const SHARES: Interval = Interval { low: 0.0, high: 1.0 };
/// Differences of shares lie between these.
const DIFFERENCES: Interval = Interval { low: -1.0, high: 1.0 };

/// Scores of both arms on a question in a repetition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PairedScore {
    pub cluster: u32,
    /// Its position among the covered questions.
    pub question: u32,
    pub arm: f64,
    pub rival: f64,
}

/// What the scores of two arms say.
#[derive(Clone, Debug)]
pub(super) struct PairedFigures {
    pub difference: Estimate,
    pub method: Option<IntervalMethod>,
    pub arm: Option<f64>,
    pub rival: Option<f64>,
    pub p: Option<f64>,
    pub mid_p: Option<f64>,
    pub discordance: f64,
    pub arm_only: Option<u32>,
    pub rival_only: Option<u32>,
    pub questions: u32,
    pub clusters: u32,
}

/// An answer with how sure one was of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sureness {
    pub cluster: u32,
    /// 0 to 1.
    pub sure: f64,
    /// 1, 0, or the share of a tie.
    pub right: f64,
}

/// How estimates are made.
pub(super) struct Estimator {
    effort: Effort,
    alpha: f64,
    /// The smallest gain worth having, as a share.
    worth: f64,
    /// Of each covered question, when it was asked: its place among all, and its block.
    asked: Vec<(u32, u32)>,
}

impl Estimator {
    pub fn new(spec: &EvalSpec, effort: Effort, asked: Vec<(u32, u32)>) -> Self {
        Self { effort, alpha: spec.alpha, worth: spec.worth / 100.0, asked }
    }

    /// The share of right answers; cells that only a grader can score are not in it. None where all answers are such, because failures
    /// alone are no rate.
    pub fn rate(&self, table: &CellTable<'_>, cells: &[CellScore<'_>]) -> Option<Estimate> {
        let mut answered = cells.iter().filter(|cell| cell.ending == CellEnding::Answered).peekable();
        if answered.peek().is_some() && answered.all(|cell| cell.score.is_none()) {
            return None;
        }
        let values: Vec<(u32, f64)> =
            cells.iter().filter_map(|cell| Some((table.cluster(cell.at), cell.score?))).collect();
        self.mean(&values)
    }

    /// The mean over clusters of their means of shares.
    pub fn mean(&self, values: &[(u32, f64)]) -> Option<Estimate> {
        if values.is_empty() {
            return None;
        }
        let means = cluster_means(values);
        let value = means.iter().sum::<f64>() / means.len() as f64;
        let plain = values.iter().all(|(_, value)| *value == 0.0 || *value == 1.0);
        let interval = if plain && means.len() == values.len() {
            let hits = values.iter().filter(|(_, value)| *value == 1.0).count();
            wilson(hits as u64, values.len() as u64, LEVEL)
        } else {
            self.share_interval(&means, value)
        };
        Some(Estimate { value, interval, n: number(values.len()) })
    }

    /// The interval of a mean of shares; Wilson's where fewer than 10 clusters are other than the rest, of which resamples say too little.
    fn share_interval(&self, means: &[f64], mean: f64) -> Option<Interval> {
        let others = |end: f64| means.iter().filter(|share| (**share - end).abs() > 1e-12).count();
        if means.len() >= FEWEST_CLUSTERS && others(0.0).min(others(1.0)) < FEWEST_CLUSTERS {
            return wilson_of_mean(mean, means.len() as u64, LEVEL);
        }
        self.spread(means, SHARES)
    }

    /// The mean over clusters of their mean differences of shares.
    pub fn difference(&self, values: &[(u32, f64)]) -> Option<Estimate> {
        if values.is_empty() {
            return None;
        }
        let means = cluster_means(values);
        let value = means.iter().sum::<f64>() / means.len() as f64;
        let effort = Effort { draws: self.effort.draws.min(LIGHT_DRAWS), ..self.effort };
        let interval = difference_interval(&means, LEVEL, effort).map(|(interval, _)| interval);
        Some(Estimate { value, interval, n: number(values.len()) })
    }

    /// A share of all, by cluster: (cluster, those that count, all of them).
    pub fn share(&self, values: &[(u32, f64, f64)]) -> Option<Estimate> {
        self.ratio(values, SHARES)
    }

    /// The same where it may be below 0.
    pub fn signed_share(&self, values: &[(u32, f64, f64)]) -> Option<Estimate> {
        self.ratio(values, DIFFERENCES)
    }

    /// A ratio of sums. Its interval is that of the mean of its linear form, cluster by cluster.
    fn ratio(&self, values: &[(u32, f64, f64)], range: Interval) -> Option<Estimate> {
        let (above, below) = values.iter().fold((0.0, 0.0), |(a, b), (_, above, below)| (a + above, b + below));
        if below.is_nan() || below <= 0.0 {
            return None;
        }
        let value = above / below;
        let mut sums: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
        for (cluster, above, below) in values {
            let (a, b) = sums.entry(*cluster).or_default();
            *a += above;
            *b += below;
        }
        let single = sums.len() == values.len();
        let plain = |(_, above, below): &(u32, f64, f64)| *below == 1.0 && (*above == 0.0 || *above == 1.0);
        let interval = if single && values.iter().all(plain) {
            wilson(above as u64, values.len() as u64, LEVEL)
        } else {
            let mean = below / sums.len() as f64;
            let linear: Vec<f64> = sums.values().map(|(a, b)| value + (a - value * b) / mean).collect();
            self.spread(&linear, range)
        };
        Some(Estimate { value, interval, n: number(values.len()) })
    }

    /// The interval of a mean of clusters. Where none differs from the others, and all are at an end of the shares, Wilson's.
    fn spread(&self, means: &[f64], range: Interval) -> Option<Interval> {
        let interval = studentised(means, LEVEL, self.effort.draws.min(LIGHT_DRAWS), range, self.effort.seed);
        let first = means.first().copied()?;
        let at_end = range == SHARES && (first == 0.0 || first == 1.0) && means.iter().all(|mean| *mean == first);
        interval.or_else(|| {
            if at_end { wilson((first * means.len() as f64) as u64, means.len() as u64, LEVEL) } else { None }
        })
    }

    /// What the scores of two arms say: by a fixed test, or by bets in the order in which questions were asked.
    pub fn paired(&self, pairs: &[PairedScore], sequential: bool) -> Option<PairedFigures> {
        self.paired_by(pairs, sequential, self.effort)
    }

    /// The same with fewer draws, for what is beside the comparisons.
    pub fn paired_lightly(&self, pairs: &[PairedScore], sequential: bool) -> Option<PairedFigures> {
        let Effort { draws, flips, seed } = self.effort;
        let effort = Effort { draws: draws.min(LIGHT_DRAWS), flips: flips.min(LIGHT_FLIPS), seed };
        self.paired_by(pairs, sequential, effort)
    }

    fn paired_by(&self, pairs: &[PairedScore], sequential: bool, effort: Effort) -> Option<PairedFigures> {
        let scores: Vec<ScorePair> = pairs
            .iter()
            .map(|pair| ScorePair { cluster: pair.cluster as usize, arm: pair.arm, rival: pair.rival })
            .collect();
        let seen = compare(&scores, LEVEL, effort)?;
        let of = |pick: fn(&PairedScore) -> f64| {
            let values: Vec<(u32, f64)> = pairs.iter().map(|pair| (pair.cluster, pick(pair))).collect();
            let means = cluster_means(&values);
            Some(means.iter().sum::<f64>() / means.len() as f64)
        };
        let mut questions: Vec<u32> = pairs.iter().map(|pair| pair.question).collect();
        questions.sort_unstable();
        questions.dedup();
        let counts = seen.mid_p.map(|(_, counts)| counts);
        let difference = Estimate { value: seen.difference, interval: seen.interval, n: number(pairs.len()) };
        let mut figures = PairedFigures {
            difference,
            method: seen.method,
            arm: of(|pair| pair.arm),
            rival: of(|pair| pair.rival),
            p: Some(seen.p),
            mid_p: seen.mid_p.map(|(p, _)| p),
            discordance: seen.discordance,
            arm_only: counts.map(|counts| u32::try_from(counts.arm_only).unwrap_or(u32::MAX)),
            rival_only: counts.map(|counts| u32::try_from(counts.rival_only).unwrap_or(u32::MAX)),
            questions: number(questions.len()),
            clusters: number(seen.clusters),
        };
        if sequential {
            let sequence = self.sequence(pairs, |_, _| {})?;
            figures.p = Some(sequence.p());
            figures.mid_p = None;
            figures.difference.interval = sequence.interval();
            figures.method = figures.difference.interval.map(|_| IntervalMethod::Sequence);
        }
        Some(figures)
    }

    /// Bets on the clusters in the order in which their last questions were asked, with a look after each block,
    /// which is told of the pairs until then.
    fn sequence(
        &self,
        pairs: &[PairedScore],
        mut looked: impl FnMut(&BettingSequence, u32),
    ) -> Option<BettingSequence> {
        let scores: Vec<ScorePair> = pairs
            .iter()
            .map(|pair| ScorePair { cluster: pair.cluster as usize, arm: pair.arm, rival: pair.rival })
            .collect();
        let differences = clustered(&scores);
        let mut last: BTreeMap<usize, ((u32, u32), u32)> = BTreeMap::new();
        for pair in pairs {
            let (place, block) = self.asked.get(pair.question as usize).copied().unwrap_or((pair.question, 0));
            let (when, size) = last.entry(pair.cluster as usize).or_insert(((place, block), 0));
            *when = (*when).max((place, block));
            *size += 1;
        }
        let mut order: Vec<((u32, u32), u32, f64)> = differences
            .into_iter()
            .filter_map(|(cluster, difference)| last.get(&cluster).map(|(when, size)| (*when, *size, difference)))
            .collect();
        order.sort_by_key(|(when, ..)| *when);
        let mut sequence = BettingSequence::new(self.alpha, self.worth)?;
        let mut told = 0;
        for block in order.chunk_by(|a, b| a.0.1 == b.0.1) {
            for (_, size, difference) in block {
                sequence.push(*difference);
                told += size;
            }
            sequence.look();
            looked(&sequence, told);
        }
        Some(sequence)
    }

    /// Whether bets have shown that a gain is smaller than what is worth having, and their p-value.
    pub fn bets(&self, pairs: &[PairedScore]) -> Option<(bool, f64)> {
        let sequence = self.sequence(pairs, |_, _| {})?;
        Some((sequence.below_worth(), sequence.p()))
    }

    /// The looks at a comparison, at most 20 of them, and how many there were.
    pub fn looks(&self, pairs: &[PairedScore], (arm, rival): (&str, &str)) -> (Vec<LookPoint>, u32) {
        let mut all = Vec::new();
        self.sequence(pairs, |sequence, pairs| all.push((sequence.clone(), pairs)));
        let looks = number(all.len());
        let step = all.len().div_ceil(MOST_LOOKS).max(1);
        let last = all.len().saturating_sub(1);
        let told = all.iter().enumerate().filter(|(at, _)| at % step == 0 || *at == last);
        let point = |(sequence, pairs): &(BettingSequence, u32)| LookPoint {
            arm: arm.to_owned(),
            rival: rival.to_owned(),
            clusters: number(sequence.n()),
            e: sequence.e(),
            difference: Estimate { value: sequence.mean(), interval: sequence.interval(), n: *pairs },
        };
        (told.map(|(_, look)| point(look)).collect(), looks)
    }

    /// P-values adjusted by Holm.
    pub fn holm(&self, p: &[f64]) -> Vec<f64> {
        holm(p)
    }

    /// The verdict of figures, and whether the arm won at a higher cost alone.
    pub fn verdict(
        &self,
        figures: &PairedFigures,
        p_adjusted: Option<f64>,
        ratio: Option<f64>,
        (held_down, trusted): (bool, bool),
    ) -> (VerdictKind, bool) {
        let judged = crate::judge(&crate::Evidence {
            interval: figures.difference.interval,
            p_adjusted,
            worth: self.worth,
            alpha: self.alpha,
            ratio,
            held_down,
            trusted,
        });
        (judged.kind, judged.cost_only)
    }

    /// The questions that show a gain at the discordance seen, by the test that is used; clusters of several questions count as they are.
    pub fn needed(&self, figures: &PairedFigures, gain: f64, sequential: bool) -> Option<u32> {
        let clusters = questions_needed(figures.discordance, gain, self.alpha, POWER)?;
        let size = f64::from(figures.questions) / f64::from(figures.clusters.max(1));
        let times = if sequential { SEQUENTIAL_SIZE } else { 1.0 };
        let questions = (clusters as f64 * size * times).ceil();
        (questions <= crate::stats::MOST_QUESTIONS as f64).then_some(questions as u32)
    }

    /// The calibration of answers; whose it is stays open.
    pub fn calibration(&self, answers: &[Sureness]) -> Option<CalibrationResult> {
        let forecasts: Vec<Forecast> = answers
            .iter()
            .map(|answer| Forecast { chance: answer.sure, right: answer.right, cluster: answer.cluster as usize })
            .collect();
        let parts = brier(&forecasts)?;
        let error = calibration_error(&forecasts, LEVEL, CALIBRATION_DRAWS, self.effort.seed)?;
        let bins = calibration_bins(&forecasts, LEVEL).into_iter().map(|bin| CalibrationBin {
            sureness: bin.chance,
            least: bin.low,
            most: bin.high,
            right: Estimate { value: bin.right, interval: bin.interval, n: bin.n },
        });
        Some(CalibrationResult {
            arm: String::new(),
            model: None,
            persona: None,
            source: SurenessSource::BallotShare,
            n: number(forecasts.len()),
            bins: bins.collect(),
            brier: parts.score,
            reliability: parts.reliability,
            resolution: parts.resolution,
            uncertainty: parts.uncertainty,
            ece: Estimate { value: error.error, interval: error.interval, n: number(forecasts.len()) },
            ece_if_perfect: Some(error.by_chance),
            ece_if_perfect_range: None,
            debiased_error: debiased_calibration_error(&forecasts),
        })
    }
}

fn number(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}

fn cluster_means(values: &[(u32, f64)]) -> Vec<f64> {
    let mut sums: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
    for (cluster, value) in values {
        let (sum, n) = sums.entry(*cluster).or_default();
        *sum += value;
        *n += 1.0;
    }
    sums.into_values().map(|(sum, n)| sum / n).collect()
}
