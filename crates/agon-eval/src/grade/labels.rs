//! Labels by people: which answers they are shown, and what follows for the rates.
use super::trust::estimate;
use crate::draw::shuffle;
use crate::stats::{JudgeLabels, LEAST_RELIABILITY, corrected, wilson_of_mean};
use crate::{CorrectedRate, Estimate};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An answer with its grade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GradedAnswer {
    /// The arm's id.
    pub arm: String,
    /// Index of the question.
    pub question: u32,
    /// From 0.
    pub repetition: u32,
    /// Whether it was graded right.
    pub accepted: bool,
}

/// What a person says of an arm's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerLabel {
    /// The arm's id.
    pub arm: String,
    /// Index of the question.
    pub question: u32,
    /// From 0.
    #[serde(default)]
    pub repetition: u32,
    /// The answer as it was shown; a label holds for this answer alone.
    pub answer: String,
    /// Whether it is right.
    pub right: bool,
}

/// An answer that a person has labelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LabelledAnswer {
    /// The arm's id.
    pub arm: String,
    /// Whether it was graded right.
    pub accepted: bool,
    /// Whether the person calls it right.
    pub right: bool,
}

/// The answers that a person is to label, as indices, in an order that says nothing: `most` of them, as evenly from each arm and each grade as
/// there are some. Drawn by the seed; more labels go on with the same draw.
pub fn label_sheet(answers: &[GradedAnswer], most: usize, seed: u64) -> Vec<usize> {
    let mut strata: BTreeMap<(&str, bool), Vec<usize>> = BTreeMap::new();
    for (at, answer) in answers.iter().enumerate() {
        strata.entry((&answer.arm, answer.accepted)).or_default().push(at);
    }
    for ((arm, accepted), stratum) in &mut strata {
        shuffle(seed, "labels", &[arm, accepted], stratum);
        stratum.reverse();
    }
    let mut sheet = Vec::new();
    while sheet.len() < most && strata.values().any(|stratum| !stratum.is_empty()) {
        let next = strata.values_mut().filter_map(Vec::pop).take(most - sheet.len());
        sheet.extend(next);
    }
    shuffle(seed, "order of labels", &[&sheet.len()], &mut sheet);
    sheet
}

/// The rates of arms, corrected by labels; arms without labels of both kinds are left out. And why grades are not to be trusted, each a sentence.
///
/// Rates are those of the grader over all answers of the arm. Labels are drawn evenly from both grades, so that sensitivity and specificity weigh
/// each label by the answers of its grade that it stands for; their `n` is the number of labels. Where every answer of an arm is labelled, the rate
/// is that of the labels, whatever the grader said.
pub fn corrected_rates(
    answers: &[GradedAnswer],
    labels: &[LabelledAnswer],
    level: f64,
) -> (Vec<CorrectedRate>, Vec<String>) {
    let mut arms: Vec<&str> = answers.iter().map(|answer| answer.arm.as_str()).collect();
    arms.sort_unstable();
    arms.dedup();
    let (mut rates, mut distrusted) = (Vec::new(), Vec::new());
    for arm in arms {
        let graded: Vec<bool> =
            answers.iter().filter(|answer| answer.arm == arm).map(|answer| answer.accepted).collect();
        let of_arm: Vec<&LabelledAnswer> = labels.iter().filter(|label| label.arm == arm).collect();
        let Some(raw) = estimate(&graded, level) else { continue };
        let Some(counts) = reweighted(&graded, &of_arm) else { continue };
        let accepted = graded.iter().filter(|accepted| **accepted).count() as u64;
        let labelled = |right: bool| of_arm.iter().filter(|label| label.right == right).count() as u64;
        let sensitivity = share(counts.right_accepted / counts.right, labelled(true), level);
        let specificity = share(counts.wrong_rejected / counts.wrong, labelled(false), level);
        let (Some(sensitivity), Some(specificity)) = (sensitivity, specificity) else { continue };
        let reliable = sensitivity.value + specificity.value >= LEAST_RELIABILITY;
        let found = match of_arm.len() == graded.len() {
            true => estimate(&of_arm.iter().map(|label| label.right).collect::<Vec<_>>(), level),
            false => corrected(accepted, graded.len() as u64, counts, level)
                .filter(|_| reliable)
                .map(|found| Estimate { value: found.rate, interval: Some(found.interval), n: raw.n }),
        };
        if found.is_none() && !reliable {
            let sum = sensitivity.value + specificity.value;
            distrusted.push(format!(
                "By people's labels of {arm}, sensitivity and specificity of the grader add up to {sum:.2}; {LEAST_RELIABILITY} are needed."
            ));
        }
        let labels = u32::try_from(of_arm.len()).unwrap_or(u32::MAX);
        rates.push(CorrectedRate { arm: arm.to_owned(), labels, sensitivity, specificity, raw, corrected: found });
    }
    (rates, distrusted)
}

fn share(value: f64, labels: u64, level: f64) -> Option<Estimate> {
    let n = u32::try_from(labels).ok().filter(|n| *n > 0)?;
    // sums of weights may be above 1 by a rounding of the last digit
    let value = value.min(1.0);
    Some(Estimate { value, interval: wilson_of_mean(value, labels, level), n })
}

/// The labels as a sample of the arm's answers would give them: as many labels, each grade with the share that it has among all answers. None
/// without labels of both grades where both occur, or without right and wrong answers.
fn reweighted(graded: &[bool], labels: &[&LabelledAnswer]) -> Option<JudgeLabels> {
    let total = labels.len() as f64;
    let count = |accepted: bool, right: bool| {
        labels.iter().filter(|label| (label.accepted, label.right) == (accepted, right)).count() as f64
    };
    let mut cells = [[0.0; 2]; 2];
    for accepted in [false, true] {
        let of_grade = graded.iter().filter(|grade| **grade == accepted).count() as f64 / graded.len() as f64;
        let labelled = count(accepted, false) + count(accepted, true);
        if labelled == 0.0 && of_grade > 0.0 {
            return None;
        }
        for right in [false, true] {
            let within = if labelled > 0.0 { count(accepted, right) / labelled } else { 0.0 };
            if let Some(cell) = cells.get_mut(usize::from(accepted)).and_then(|row| row.get_mut(usize::from(right))) {
                *cell = within * of_grade * total;
            }
        }
    }
    let [[wrong_rejected, right_rejected], [wrong_accepted, right_accepted]] = cells;
    let (right, wrong) = (right_accepted + right_rejected, wrong_accepted + wrong_rejected);
    (right > 0.0 && wrong > 0.0).then_some(JudgeLabels { right, right_accepted, wrong, wrong_rejected })
}
