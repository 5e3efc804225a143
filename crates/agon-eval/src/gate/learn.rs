//! The choice among gates by cross-validation.
use super::choice::{GateObjective, GateStanding, best, good_enough};
use super::cuts::{Cuts, Skipping};
use super::errors::{clusters_of, mean};
use super::figures::{ChosenGate, figures};
use super::folds::folds;
use super::{GateRow, logistic};
use crate::GateResult;
use agon_core::gate::{GATE_FORMAT, GateFeature, GateKind, GateMethod, GateOrigin, GateRule, GateSide};

/// Fewest rows that a gate is learned from.
pub const FEWEST_GATE_ROWS: usize = 50;
/// Fewest contested rows that a logistic gate is learned from.
pub const FEWEST_CONTESTED_ROWS: usize = 100;
/// Folds of the cross-validation; also the fewest clusters.
const FOLDS: usize = 10;
/// How often the cross-validation is repeated with other folds.
const REPEATS: usize = 5;

/// How a gate is learned.
#[derive(Clone, Debug, PartialEq)]
pub struct GatePlan {
    /// What it is to achieve.
    pub objective: GateObjective,
    /// What it is learned on, for its file.
    pub origin: GateOrigin,
    /// Folds derive from it.
    pub seed: u64,
}

/// A gate, and how it did on questions that it had not been learned on.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnedGate {
    /// The rule.
    pub rule: GateRule,
    /// The figures, out of fold.
    pub figures: GateResult,
}

/// Why no gate can be learned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GateLearnError {
    /// There is no question.
    #[error("a gate needs {FEWEST_GATE_ROWS} questions with first ballots, scores and tokens; there are none")]
    NoRows,
    /// The price is negative or no number.
    #[error("the price of a gate is {0} points per million tokens; allowed is 0 or more")]
    Price(String),
}

/// Learns a gate: the simplest candidate within one standard error of the best, by 5 times 10-fold cross-validation with whole clusters
/// in folds. Thresholds and strengths are chosen inside the folds. Too few questions or groups give the gate `always`.
pub fn learn_gate(rows: &[GateRow], plan: &GatePlan) -> Result<LearnedGate, GateLearnError> {
    let rows: Vec<&GateRow> = rows.iter().collect();
    check(&rows, plan.objective)?;
    if let Some(why) = too_few(&rows) {
        return Ok(always(&rows, plan, why));
    }
    let candidates = cross_validated(&rows, plan);
    let (mut chosen, beaten) = simplest(&rows, plan.objective, &candidates);
    let mut fitted = GateFit::of(chosen, &rows, plan, "all");
    if fitted.method.kind() != chosen {
        // on all rows no threshold is good enough any more
        chosen = fitted.method.kind();
        fitted = GateFit::of(chosen, &rows, plan, "all");
    }
    let skipped = candidates.iter().find(|one| one.kind == chosen).map_or(&[][..], |one| &one.skipped);
    let scores = candidates.iter().find(|one| one.kind == chosen).and_then(|one| one.scores.clone());
    let judged = ChosenGate { rows: &rows, method: &fitted.method, skipped, scores, objective: plan.objective, beaten };
    let figures = figures(&judged, &plan.origin.debate);
    Ok(LearnedGate { rule: rule(fitted.method, plan), figures })
}

fn rule(method: GateMethod, plan: &GatePlan) -> GateRule {
    GateRule { version: GATE_FORMAT, method, learned_on: Some(plan.origin.clone()) }
}

/// The gate that changes nothing, where nothing can be learned.
fn always(rows: &[&GateRow], plan: &GatePlan, why: String) -> LearnedGate {
    let (method, skipped) = (GateMethod::Always, vec![0.0; rows.len()]);
    let objective = plan.objective;
    let judged = ChosenGate { rows, method: &method, skipped: &skipped, scores: None, objective, beaten: false };
    let figures = GateResult { why, ..figures(&judged, &plan.origin.debate) };
    LearnedGate { rule: rule(method, plan), figures }
}

fn check(rows: &[&GateRow], objective: GateObjective) -> Result<(), GateLearnError> {
    if let GateObjective::Price { points_per_million: price } = objective
        && !(price.is_finite() && price >= 0.0)
    {
        return Err(GateLearnError::Price(price.to_string()));
    }
    if rows.is_empty() { Err(GateLearnError::NoRows) } else { Ok(()) }
}

/// Why nothing can be learned from so few rows.
fn too_few(rows: &[&GateRow]) -> Option<String> {
    const HELD: &str = "so every debate is held";
    if rows.len() < FEWEST_GATE_ROWS {
        let n = rows.len();
        return Some(format!("Too few questions: a gate needs {FEWEST_GATE_ROWS}, and there are {n}, {HELD}."));
    }
    let mut present = vec![false; clusters_of(rows)];
    rows.iter().filter_map(|row| row.cluster.try_into().ok()).for_each(|at: usize| {
        if let Some(slot) = present.get_mut(at) {
            *slot = true;
        }
    });
    let clusters = present.into_iter().filter(|present| *present).count();
    (clusters < FOLDS)
        .then(|| format!("Too few groups: a gate needs questions of {FOLDS}, and there are {clusters}, {HELD}."))
}

/// A candidate: in which share of the repetitions it skips each row, when learned on other rows.
struct GateCandidate {
    kind: GateKind,
    skipped: Vec<f64>,
    /// Mean score of each row when learned on others, where a score is learned.
    scores: Option<Vec<Option<f64>>>,
}

fn cross_validated(rows: &[&GateRow], plan: &GatePlan) -> Vec<GateCandidate> {
    let contested = rows.iter().filter(|row| row.is_contested()).count();
    let kinds = GateKind::ALL.into_iter().filter(|kind| match kind {
        GateKind::Never | GateKind::Always | GateKind::Unanimous | GateKind::Threshold => true,
        GateKind::Logistic => contested >= FEWEST_CONTESTED_ROWS,
    });
    let empty = |kind| GateCandidate {
        kind,
        skipped: vec![0.0; rows.len()],
        scores: (kind == GateKind::Logistic).then(|| vec![Some(0.0); rows.len()]),
    };
    let mut candidates: Vec<GateCandidate> = kinds.map(empty).collect();
    for repeat in 0..REPEATS {
        let of_fold = folds(rows, FOLDS, plan.seed, &format!("outer {repeat}"));
        for fold in 0..FOLDS {
            let with_folds = || rows.iter().copied().zip(&of_fold);
            let train: Vec<&GateRow> = with_folds().filter(|(_, of)| **of != fold).map(|(row, _)| row).collect();
            for candidate in &mut candidates {
                let fitted = GateFit::of(candidate.kind, &train, plan, &format!("inner {repeat} {fold}"));
                for (at, (row, _)) in with_folds().enumerate().filter(|(_, (_, of))| **of == fold) {
                    candidate.decide(at, row, &fitted);
                }
            }
        }
    }
    candidates
}

impl GateCandidate {
    fn decide(&mut self, at: usize, row: &GateRow, fitted: &GateFit) {
        if let Some(slot) = self.skipped.get_mut(at).filter(|_| row.is_skipped_by(&fitted.method)) {
            *slot += 1.0 / REPEATS as f64;
        }
        if let Some(slot) = self.scores.as_mut().and_then(|scores| scores.get_mut(at)) {
            let score = fitted.scored.as_ref().and_then(|method| method.score(&row.features));
            *slot = slot.zip(score).map(|(sum, score)| sum + score / REPEATS as f64);
        }
    }
}

/// A gate that was fitted to rows.
struct GateFit {
    method: GateMethod,
    /// The logistic gate, whether or not any of its thresholds is good enough.
    scored: Option<GateMethod>,
}

impl GateFit {
    fn of(kind: GateKind, rows: &[&GateRow], plan: &GatePlan, about: &str) -> Self {
        let plain = |method| Self { method, scored: None };
        match kind {
            GateKind::Never => plain(GateMethod::Never),
            GateKind::Always => plain(GateMethod::Always),
            GateKind::Unanimous => plain(GateMethod::Unanimous),
            GateKind::Threshold => plain(best_threshold(rows, plan.objective)),
            GateKind::Logistic => best_logistic(rows, plan, about),
        }
    }
}

/// The best threshold of the best feature; always or never where one of these is better.
pub(super) fn best_threshold(rows: &[&GateRow], objective: GateObjective) -> GateMethod {
    let mut methods = vec![GateMethod::Always, GateMethod::Never];
    let mut standings = plain_standings(rows, objective);
    for feature in GateFeature::ALL {
        let scores: Vec<Option<f64>> = rows.iter().map(|row| row.features.get(feature)).collect();
        for debate_when in GateSide::ALL {
            let cuts = Cuts::between(rows, &scores, debate_when, objective).0;
            standings.extend(cuts.iter().map(|cut| cut.standing));
            let method = |threshold| GateMethod::Threshold { feature, debate_when, threshold };
            methods.extend(cuts.iter().map(|cut| method(cut.threshold)));
        }
    }
    best(objective, &standings).and_then(|at| methods.into_iter().nth(at)).unwrap_or(GateMethod::Always)
}

fn best_logistic(rows: &[&GateRow], plan: &GatePlan, about: &str) -> GateFit {
    let Some(fitted) = logistic::fit(rows, plan.seed, about) else {
        return GateFit { method: GateMethod::Always, scored: None };
    };
    let cuts = Cuts::between(rows, &fitted.scores, GateSide::AtLeast, plan.objective).0;
    let mut standings = plain_standings(rows, plan.objective);
    standings.extend(cuts.iter().map(|cut| cut.standing));
    let method = match best(plan.objective, &standings) {
        None | Some(0) => GateMethod::Always,
        Some(1) => GateMethod::Never,
        Some(at) => cuts.get(at - 2).map_or(GateMethod::Always, |cut| fitted.with(cut.threshold)),
    };
    GateFit { method, scored: Some(fitted.with(0.0)) }
}

/// Those of always and never.
fn plain_standings(rows: &[&GateRow], objective: GateObjective) -> Vec<GateStanding> {
    let mut skipping = Skipping::none(rows, objective);
    let always = skipping.cut(0.0).standing;
    rows.iter().filter(|row| row.may_be_skipped()).for_each(|row| skipping.skip(row));
    vec![always, skipping.cut(0.0).standing]
}

/// The simplest candidate within one standard error of the best, and whether one was good enough and better than never.
fn simplest(rows: &[&GateRow], objective: GateObjective, candidates: &[GateCandidate]) -> (GateKind, bool) {
    let standing = |candidate: &GateCandidate| {
        let mut skipping = Skipping::none(rows, objective);
        rows.iter().zip(&candidate.skipped).for_each(|(row, share)| skipping.skip_share(row, *share));
        skipping.cut(0.0).standing
    };
    let standings: Vec<GateStanding> = candidates.iter().map(standing).collect();
    let Some(best_at) = best(objective, &standings) else { return (GateKind::Always, false) };
    let enough = good_enough(objective, &standings);
    let within = |at: usize| -> bool {
        let (Some(one), Some(best)) = (candidates.get(at), candidates.get(best_at)) else { return false };
        let difference = mean(rows, |row| cost(rows, row, one, objective) - cost(rows, row, best, objective));
        let error = match objective {
            GateObjective::FewestTokens => mean(rows, |row| cost(rows, row, best, objective)).error,
            GateObjective::Price { .. } => difference.error,
        };
        difference.mean <= error.unwrap_or(0.0)
    };
    let good = candidates.iter().enumerate().zip(enough).filter(|(_, enough)| *enough).map(|(one, _)| one);
    let chosen = good.filter(|(at, _)| *at == best_at || within(*at)).map(|(_, one)| one.kind).min();
    let best_kind = candidates.get(best_at).map(|one| one.kind);
    (chosen.unwrap_or(GateKind::Always), best_kind.is_some_and(|kind| kind > GateKind::Never))
}

/// What a row costs under a candidate: tokens, or minus its worth.
fn cost(rows: &[&GateRow], at: usize, candidate: &GateCandidate, objective: GateObjective) -> f64 {
    let (Some(row), Some(skipped)) = (rows.get(at), candidate.skipped.get(at)) else { return 0.0 };
    let (debate, ballots) = match objective {
        GateObjective::FewestTokens => (row.debate_tokens, row.ballot_tokens),
        GateObjective::Price { .. } => {
            let (debate, ballots) = objective.worth(row);
            (-debate, -ballots)
        }
    };
    debate + skipped * (ballots - debate)
}
