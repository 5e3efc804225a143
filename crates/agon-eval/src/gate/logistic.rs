//! Ridge logistic regression by Newton's method (Hastie, Tibshirani and Friedman, The Elements of Statistical Learning, 4.4.1).
use super::GateRow;
use super::cuts::rounded;
use super::folds::folds;
use agon_core::gate::{GateFeature, GateMethod, MOST_GATE_FEATURES, ScaledFeature, SideChance};

/// An intercept and the features.
const WIDTH: usize = MOST_GATE_FEATURES + 1;
/// Strengths of the ridge that are tried, strongest first.
const STRENGTHS: [f64; 2] = [30.0, 3.0];
/// The ridge of the intercept: where all answers are right, it stays finite.
const INTERCEPT_STRENGTH: f64 = 0.1;
/// Folds in which the strength is chosen.
const STRENGTH_FOLDS: usize = 3;
/// Steps at the most.
const MOST_STEPS: usize = 30;
/// A step below this ends it.
const SMALL_STEP: f64 = 1e-5;
/// Share of rows in which a feature has to be known.
const KNOWN_SHARE: f64 = 0.95;
/// A feature with a smaller spread says nothing.
const LEAST_SPREAD: f64 = 1e-6;

/// The order in which features are taken, until there are enough: those that say the same as earlier ones come last.
const PREFERRED: [GateFeature; 10] = [
    GateFeature::TopShare,
    GateFeature::Entropy,
    GateFeature::ModelsDisagree,
    GateFeature::ConfidenceMean,
    GateFeature::ReasonWordsMean,
    GateFeature::QuestionWords,
    GateFeature::Options,
    GateFeature::ReasonWordsSpread,
    GateFeature::Margin,
    GateFeature::Answers,
];

type Weights = [f64; WIDTH];
/// One for each weight.
type Equations = [[f64; WIDTH + 1]; WIDTH];

/// A logistic gate without a threshold, with the scores of its own rows: those of folds that it was not fitted on.
pub(super) struct Fitted {
    features: Vec<ScaledFeature>,
    debate: SideChance,
    vote_first: SideChance,
    pub scores: Vec<Option<f64>>,
}

impl Fitted {
    pub(super) fn with(&self, threshold: f64) -> GateMethod {
        GateMethod::Logistic {
            features: self.features.clone(),
            debate: self.debate.clone(),
            vote_first: self.vote_first.clone(),
            threshold,
        }
    }
}

/// One row on the scale of its features.
struct Scaled {
    at: usize,
    values: Weights,
    debate: f64,
    vote_first: f64,
    fold: usize,
}

/// Fits both chances; none where no feature says anything.
pub(super) fn fit(rows: &[&GateRow], seed: u64, about: &str) -> Option<Fitted> {
    let features = usable(rows);
    let of_fold = folds(rows, STRENGTH_FOLDS, seed, about);
    let scaled = rows.iter().zip(of_fold).enumerate().filter_map(|(at, (row, fold))| {
        let mut values = [0.0; WIDTH];
        for (slot, value) in
            values.iter_mut().zip(std::iter::once(Some(1.0)).chain(features.iter().map(|one| one.of(&row.features))))
        {
            *slot = value?;
        }
        Some(Scaled { at, values, debate: row.debate_right, vote_first: row.vote_first_right, fold })
    });
    let scaled: Vec<Scaled> = scaled.collect();
    if features.is_empty() || scaled.is_empty() {
        return None;
    }
    let tried = STRENGTHS.iter().filter_map(|strength| Tried::new(&scaled, *strength));
    let Tried { debate, vote_first, chances, .. } = tried.min_by(|one, other| one.loss.total_cmp(&other.loss))?;
    let mut scores = vec![None; rows.len()];
    for (row, (debate, vote_first)) in scaled.iter().zip(chances) {
        if let Some(score) = scores.get_mut(row.at) {
            *score = Some(debate - vote_first);
        }
    }
    let count = features.len();
    Some(Fitted { features, debate: side(&debate, count), vote_first: side(&vote_first, count), scores })
}

/// The features that are known nearly everywhere and differ, with their means and standard deviations.
fn usable(rows: &[&GateRow]) -> Vec<ScaledFeature> {
    let scaled = |feature: &GateFeature| {
        let values: Vec<f64> = rows.iter().filter_map(|row| row.features.get(*feature)).collect();
        let n = values.len() as f64;
        let mean = values.iter().sum::<f64>() / n;
        let scale = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / n).sqrt();
        let says = n >= KNOWN_SHARE * rows.len() as f64 && scale > LEAST_SPREAD * mean.abs().max(1.0);
        says.then(|| ScaledFeature { feature: *feature, mean: rounded(mean), scale: rounded(scale) })
    };
    PREFERRED.iter().filter_map(scaled).take(MOST_GATE_FEATURES).collect()
}

fn side(weights: &Weights, features: usize) -> SideChance {
    let mut rounded = weights.iter().copied().map(rounded);
    SideChance { intercept: rounded.next().unwrap_or(0.0), coefficients: rounded.take(features).collect() }
}

/// What a strength leads to.
struct Tried {
    /// The loss over folds that were not fitted on.
    loss: f64,
    /// Fitted to all rows.
    debate: Weights,
    vote_first: Weights,
    /// Each row's chances, fitted to the other folds.
    chances: Vec<(f64, f64)>,
}

impl Tried {
    fn new(rows: &[Scaled], strength: f64) -> Option<Self> {
        let start = [0.0; WIDTH];
        let debate = newton(rows.iter().map(|row| (&row.values, row.debate)), strength, &start)?;
        let vote_first = newton(rows.iter().map(|row| (&row.values, row.vote_first)), strength, &start)?;
        let mut chances = vec![(0.0, 0.0); rows.len()];
        let mut loss = 0.0;
        for fold in 0..STRENGTH_FOLDS {
            let others = || rows.iter().filter(|row| row.fold != fold);
            let debate = newton(others().map(|row| (&row.values, row.debate)), strength, &debate)?;
            let vote_first = newton(others().map(|row| (&row.values, row.vote_first)), strength, &vote_first)?;
            for (row, slot) in rows.iter().zip(&mut chances).filter(|(row, _)| row.fold == fold) {
                *slot = (chance(&debate, &row.values), chance(&vote_first, &row.values));
                loss += log_loss(slot.0, row.debate) + log_loss(slot.1, row.vote_first);
            }
        }
        Some(Self { loss, debate, vote_first, chances })
    }
}

fn log_loss(chance: f64, right: f64) -> f64 {
    let chance = chance.clamp(1e-9, 1.0 - 1e-9);
    -(right * chance.ln() + (1.0 - right) * (1.0 - chance).ln())
}

fn chance(weights: &Weights, values: &Weights) -> f64 {
    1.0 / (1.0 + (-product(weights, values)).exp())
}

fn product(a: &Weights, b: &Weights) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn ridge(strength: f64) -> Weights {
    let mut ridge = [strength; WIDTH];
    if let Some(first) = ridge.first_mut() {
        *first = INTERCEPT_STRENGTH;
    }
    ridge
}

/// The weights that minimise the log loss plus half the ridge times their squares, from `start` on; none where a step cannot be solved. A
/// step that makes it worse is halved.
fn newton<'a>(
    rows: impl Iterator<Item = (&'a Weights, f64)> + Clone,
    strength: f64,
    start: &Weights,
) -> Option<Weights> {
    let ridge = ridge(strength);
    let mut weights = *start;
    let (mut equations, mut now) = system(rows.clone(), &weights, &ridge);
    for _ in 0..MOST_STEPS {
        let mut step = solve(equations)?;
        let mut moved = added(&weights, &step);
        let (mut then_equations, mut then) = system(rows.clone(), &moved, &ridge);
        // what is worse by less than this is rounding
        while then > now + 1e-9 * now.abs() && largest(&step) > SMALL_STEP {
            step = step.map(|part| part / 2.0);
            moved = added(&weights, &step);
            (then_equations, then) = system(rows.clone(), &moved, &ridge);
        }
        (weights, equations, now) = (moved, then_equations, then);
        if largest(&step) < SMALL_STEP {
            break;
        }
    }
    weights.iter().all(|weight| weight.is_finite()).then_some(weights)
}

fn added(a: &Weights, b: &Weights) -> Weights {
    let mut sum = *a;
    sum.iter_mut().zip(b).for_each(|(sum, b)| *sum += b);
    sum
}

fn largest(step: &Weights) -> f64 {
    step.iter().fold(0.0, |most, part| part.abs().max(most))
}

/// The equations of a Newton step, and the penalised log loss. Each equation has the second derivatives and, at its end, minus the first
/// derivative.
fn system<'a>(rows: impl Iterator<Item = (&'a Weights, f64)>, weights: &Weights, ridge: &Weights) -> (Equations, f64) {
    let mut equations = [[0.0; WIDTH + 1]; WIDTH];
    let mut loss = 0.0;
    for (values, right) in rows {
        let odds = product(weights, values);
        let chance = 1.0 / (1.0 + (-odds).exp());
        // ln(1 + exp(odds)) - right x odds, without an overflow
        loss += odds.max(0.0) + (-odds.abs()).exp().ln_1p() - right * odds;
        let weight = (chance * (1.0 - chance)).max(1e-9);
        for (equation, value) in equations.iter_mut().zip(values) {
            let scaled = weight * value;
            equation.iter_mut().zip(values).for_each(|(slot, other)| *slot += scaled * other);
            if let Some(last) = equation.last_mut() {
                *last += (right - chance) * value;
            }
        }
    }
    for (at, ((equation, weight), ridge)) in equations.iter_mut().zip(weights).zip(ridge).enumerate() {
        loss += ridge * weight * weight / 2.0;
        if let Some(slot) = equation.get_mut(at) {
            *slot += ridge;
        }
        if let Some(last) = equation.last_mut() {
            *last -= ridge * weight;
        }
    }
    (equations, loss)
}

/// Solves a symmetric, positive system by elimination; none where it is not positive.
fn solve(mut equations: Equations) -> Option<Weights> {
    for at in 0..WIDTH {
        let (done, rest) = equations.split_at_mut(at + 1);
        let pivot_row = done.last()?;
        let pivot = *pivot_row.get(at)?;
        if pivot.is_nan() || pivot < 1e-12 {
            return None;
        }
        for equation in rest {
            let factor = *equation.get(at)? / pivot;
            equation.iter_mut().zip(pivot_row).skip(at).for_each(|(slot, above)| *slot -= factor * above);
        }
    }
    let mut solution = [0.0; WIDTH];
    for (at, equation) in equations.iter().enumerate().rev() {
        let known: f64 = equation.iter().zip(&solution).skip(at + 1).map(|(part, solved)| part * solved).sum();
        *solution.get_mut(at)? = (equation.last()? - known) / equation.get(at)?;
    }
    Some(solution)
}

#[cfg(test)]
mod tests;
