//! Diversity: whether the debaters' models err alike.
use super::{Estimator, HeldDebate};
use crate::{DiversityResult, ModelAlone, ModelPair};
use std::collections::BTreeMap;

/// The first answers of a model to a question: whether each is right, and its form.
type FirstAnswers = Vec<(bool, String)>;

/// Each model's rate by its first answers, and the agreement of each pair of models.
pub(super) fn diversity(held: &[HeldDebate<'_, '_>], estimator: &Estimator) -> Option<DiversityResult> {
    let mut alone: BTreeMap<&str, Vec<(u32, f64, f64)>> = BTreeMap::new();
    let mut each: Vec<(u32, usize, BTreeMap<&str, FirstAnswers>)> = Vec::new();
    for debate in held {
        let mut models: BTreeMap<&str, FirstAnswers> = BTreeMap::new();
        for (_, model, answer) in debate.first_answers() {
            let Some(model) = model else { continue };
            let right = debate.is_right(answer);
            alone.entry(model).or_default().push((debate.cluster, f64::from(u8::from(right)), 1.0));
            models.entry(model).or_default().push((right, debate.question.answer_key(answer)));
        }
        each.push((debate.cluster, debate.question.options.len(), models));
    }
    let rates: BTreeMap<&str, f64> = alone.iter().map(|(model, values)| (*model, mean(values))).collect();
    let models: Vec<ModelAlone> = alone
        .iter()
        .filter_map(|(model, values)| Some(ModelAlone { model: (*model).to_owned(), right: estimator.share(values)? }))
        .collect();
    let names: Vec<&str> = rates.keys().copied().collect();
    let mut pairs = Vec::new();
    for (at, first) in names.iter().enumerate() {
        for second in names.iter().skip(at + 1) {
            let both = rates.get(first).zip(rates.get(second)).map(|(one, other)| (*one, *other));
            let Some(chance) = both else { continue };
            let values: Vec<(u32, f64, f64)> =
                each.iter().filter_map(|question| agreement(question, (first, second), chance)).collect();
            let pair = estimator.signed_share(&values);
            pairs.extend(pair.map(|agreement| ModelPair {
                first: (*first).to_owned(),
                second: (*second).to_owned(),
                agreement,
            }));
        }
    }
    (!models.is_empty()).then_some(DiversityResult { models, pairs })
}

fn mean(values: &[(u32, f64, f64)]) -> f64 {
    values.iter().map(|(_, right, _)| right).sum::<f64>() / values.len().max(1) as f64
}

/// What a question adds to (observed - expected) and to (1 - expected) of two models' agreement. Two wrong answers agree by chance
/// once in as many times as there are wrong options; where there are none to choose from, never.
fn agreement(
    (cluster, options, models): &(u32, usize, BTreeMap<&str, FirstAnswers>),
    (first, second): (&str, &str),
    (one, other): (f64, f64),
) -> Option<(u32, f64, f64)> {
    let (mine, theirs) = (models.get(first)?, models.get(second)?);
    let pairs = mine.iter().flat_map(|mine| theirs.iter().map(move |theirs| f64::from(u8::from(mine.1 == theirs.1))));
    let observed = pairs.sum::<f64>() / (mine.len() * theirs.len()) as f64;
    let wrong = if *options > 1 { (1.0 - one) * (1.0 - other) / (options - 1) as f64 } else { 0.0 };
    let expected = one * other + wrong;
    Some((*cluster, observed - expected, 1.0 - expected))
}
