//! The figures of a gate, out of fold.
use super::GateRow;
use super::choice::{GATE_MARGIN, GateObjective};
use super::cuts::{Cut, Cuts, Skipping};
use super::errors::{MeanError, mean, ratio};
use crate::stats::{wilson, wilson_of_mean};
use crate::{Estimate, GateCurvePoint, GatePolicy, GateResult};
use agon_core::gate::{GateFeature, GateKind, GateMethod, GateSide};

/// Points of a curve at the most.
const CURVE_POINTS: usize = 50;
/// What shares are.
const SHARE: (f64, f64) = (0.0, 1.0);

/// A gate that was chosen.
pub(super) struct ChosenGate<'a> {
    pub rows: &'a [&'a GateRow],
    /// As it was fitted to all rows.
    pub method: &'a GateMethod,
    /// In which share of the repetitions it skips each row, when learned on others.
    pub skipped: &'a [f64],
    /// Mean score of each row when learned on others, where a score is learned.
    pub scores: Option<Vec<Option<f64>>>,
    pub objective: GateObjective,
    /// Some gate was better than both always and never.
    pub beaten: bool,
}

pub(super) fn figures(judged: &ChosenGate<'_>, debate: &str) -> GateResult {
    let rows = judged.rows;
    let skipped = |at: usize| judged.skipped.get(at).copied().unwrap_or(0.0);
    let never = |at: usize| rows.get(at).map_or(0.0, |row| f64::from(u8::from(row.may_be_skipped())));
    let knows =
        |at: usize| rows.get(at).map_or(0.0, |row| f64::from(u8::from(row.may_be_skipped() && row.gain() <= 0.0)));
    let policies = vec![
        policy("gate", rows, skipped),
        policy("always", rows, |_| 0.0),
        policy("never", rows, never),
        policy("knows", rows, knows),
    ];
    let field = |at: usize, of: fn(&GateRow) -> f64| rows.get(at).map_or(0.0, |row| of(row));
    let saved = |at: usize| skipped(at) * field(at, |row| row.debate_tokens - row.ballot_tokens);
    let savings = ratio(rows, saved, |at| field(at, |row| row.debate_tokens));
    let harm = |at: usize| field(at, |row| (-row.gain()).max(0.0));
    let regret = mean(rows, |at| (skipped(at) - knows(at)) * field(at, GateRow::gain));
    GateResult {
        debate: debate.to_owned(),
        kind: judged.method.kind().as_str().to_owned(),
        why: why(judged, &policies, savings),
        questions: u32::try_from(rows.len()).unwrap_or(u32::MAX),
        policies,
        savings: savings.map(|savings| savings.estimate(rows.len(), (f64::NEG_INFINITY, 1.0))),
        regret: Some(regret.estimate(rows.len(), SHARE)),
        harm_avoided: harm_avoided(rows, harm, skipped),
        left_ballots: left(rows, skipped),
        curve: curve(judged),
    }
}

/// The share of the harm that is skipped, with Wilson's interval over the debates that do any: few of them say little.
fn harm_avoided(rows: &[&GateRow], harm: impl Fn(usize) -> f64, skipped: impl Fn(usize) -> f64) -> Option<Estimate> {
    let share = ratio(rows, |at| harm(at) * skipped(at), &harm)?.mean.clamp(0.0, 1.0);
    let debates = (0..rows.len()).filter(|at| harm(*at) > 0.0).count();
    Some(Estimate { value: share, interval: wilson_of_mean(share, debates as u64, 0.95), n: debates as u32 })
}

/// The share of the skipped debates that would have left their ballots, with Wilson's interval.
fn left(rows: &[&GateRow], skipped: impl Fn(usize) -> f64) -> Option<Estimate> {
    let share = |counts: fn(&GateRow) -> bool| -> f64 {
        rows.iter().enumerate().filter(|(_, row)| counts(row)).map(|(at, _)| skipped(at)).sum()
    };
    let (all, left) = (share(|_| true).round(), share(|row| row.left).round());
    let interval = wilson(left as u64, all as u64, 0.95)?;
    Some(Estimate { value: left / all, interval: Some(interval), n: all as u32 })
}

/// Accuracy, tokens and share of debates where this share of each row is skipped.
fn policy(name: &str, rows: &[&GateRow], skipped: impl Fn(usize) -> f64) -> GatePolicy {
    let mixed = |debate: fn(&GateRow) -> f64, ballots: fn(&GateRow) -> f64| -> MeanError {
        mean(rows, |at| {
            let share = skipped(at);
            rows.get(at).map_or(0.0, |row| (1.0 - share) * debate(row) + share * ballots(row))
        })
    };
    let n = rows.len();
    GatePolicy {
        name: name.to_owned(),
        right: mixed(|row| row.debate_right, |row| row.vote_first_right).estimate(n, SHARE),
        tokens: mixed(|row| row.debate_tokens, |row| row.ballot_tokens).estimate(n, (0.0, f64::INFINITY)),
        debated: mean(rows, |at| 1.0 - skipped(at)).estimate(n, SHARE),
    }
}

fn why(judged: &ChosenGate<'_>, policies: &[GatePolicy], savings: Option<MeanError>) -> String {
    let right = |name: &str| {
        let policy = policies.iter().find(|policy| policy.name == name);
        policy.map_or(0.0, |policy| policy.right.value * 100.0)
    };
    let (gate, always, never) = (right("gate"), right("always"), right("never"));
    let margin = GATE_MARGIN * 100.0;
    let kind = judged.method.kind();
    let both = format!("{always:.1} % right with every debate and {never:.1} % with none");
    match (kind, judged.objective) {
        (GateKind::Never, _) if judged.beaten => {
            format!(
                "No debate is surely worth its tokens: what is better than never debating is so by less than one standard error; {both}."
            )
        }
        (GateKind::Never, _) => format!("No gate beats both: no debate is worth its tokens; {both}."),
        (GateKind::Always, GateObjective::FewestTokens) => {
            format!(
                "No gate beats both: each that saves tokens may cost more than {margin} points of accuracy; {both}."
            )
        }
        (GateKind::Always, GateObjective::Price { .. }) => {
            format!("No gate beats both: every debate is worth its tokens; {both}.")
        }
        (GateKind::Unanimous | GateKind::Threshold | GateKind::Logistic, _) => {
            let saved = savings.map_or(0.0, |savings| savings.mean * 100.0);
            format!(
                "The simplest gate within one standard error of the best: {gate:.1} % right and {saved:.0} % of the tokens saved; {both}."
            )
        }
    }
}

/// The curve over thresholds of the score; of the top share where the gate has no score. The ends debate everything and nothing.
fn curve(judged: &ChosenGate<'_>) -> Vec<GateCurvePoint> {
    let of_feature = |feature: GateFeature| judged.rows.iter().map(|row| row.features.get(feature)).collect();
    let (scores, side): (Vec<Option<f64>>, GateSide) = match (judged.method, &judged.scores) {
        (GateMethod::Logistic { .. }, Some(scores)) => (scores.clone(), GateSide::AtLeast),
        (GateMethod::Threshold { feature, debate_when, .. }, _) => (of_feature(*feature), *debate_when),
        (GateMethod::Never | GateMethod::Always | GateMethod::Unanimous | GateMethod::Logistic { .. }, _) => {
            (of_feature(GateFeature::TopShare), GateSide::Below)
        }
    };
    let cuts = Cuts::between(judged.rows, &scores, side, judged.objective).0;
    let every = cuts.len().div_ceil(CURVE_POINTS - 2).max(1);
    let (low, high) = ends(&scores);
    let (none, all) = match side {
        GateSide::AtLeast => (low, high.next_up()),
        GateSide::Below => (high.next_up(), low),
    };
    let mut skipping = Skipping::none(judged.rows, judged.objective);
    let first = skipping.cut(none);
    let scored = judged.rows.iter().zip(&scores).filter(|(row, score)| score.is_some() && row.may_be_skipped());
    scored.for_each(|(row, _)| skipping.skip(row));
    let last = skipping.cut(all);
    let between = cuts.into_iter().step_by(every);
    std::iter::once(first).chain(between).chain([last]).filter(|cut| cut.threshold.is_finite()).map(point).collect()
}

fn ends(scores: &[Option<f64>]) -> (f64, f64) {
    let known = || scores.iter().flatten().copied();
    (known().fold(f64::INFINITY, f64::min), known().fold(f64::NEG_INFINITY, f64::max))
}

fn point(cut: Cut) -> GateCurvePoint {
    GateCurvePoint {
        threshold: cut.threshold,
        right: cut.right.clamp(0.0, 1.0),
        tokens: cut.standing.tokens,
        debated: cut.debated.clamp(0.0, 1.0),
    }
}
