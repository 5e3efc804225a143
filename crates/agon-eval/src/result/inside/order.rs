//! Order: whether places in it mattered.
use super::{Estimator, HeldDebate};
use crate::{OrderPlace, OrderResult, OrderRow};
use std::collections::BTreeMap;

/// Rates by the seat of the only one who was right, by the last speaker, by the judge's order.
pub(super) fn order(held: &[HeldDebate<'_, '_>], estimator: &Estimator) -> Option<OrderResult> {
    let mut places: BTreeMap<(OrderPlace, String), Vec<(u32, f64)>> = BTreeMap::new();
    let mut changed = Vec::new();
    for debate in held {
        let right = f64::from(u8::from(debate.cell.is_right()));
        let first = debate.first_answers();
        let among: Vec<u32> =
            first.iter().filter(|(_, _, answer)| debate.is_right(answer)).map(|(seat, _, _)| *seat).collect();
        if let [seat] = among.as_slice() {
            let place = (OrderPlace::RightSeat, format!("{:04}", seat + 1));
            places.entry(place).or_default().push((debate.cluster, right));
        }
        let last = debate.facts.last_speaker.and_then(|last| first.iter().find(|(seat, _, _)| *seat == last));
        if let Some((_, _, answer)) = last {
            let value = if debate.is_right(answer) { "right" } else { "wrong" };
            places.entry((OrderPlace::LastSpeaker, value.to_owned())).or_default().push((debate.cluster, right));
        }
        let mut judges: BTreeMap<&str, Vec<Option<String>>> = BTreeMap::new();
        for judged in &debate.facts.judged {
            let found = judged.answer.as_deref();
            let scored = f64::from(u8::from(found.is_some_and(|answer| debate.is_right(answer))));
            let place = (OrderPlace::JudgeOrder, format!("{:04}", judged.order + 1));
            places.entry(place).or_default().push((debate.cluster, scored));
            let key = found.map(|answer| debate.question.answer_key(answer));
            judges.entry(judged.judge.as_str()).or_default().push(key);
        }
        for found in judges.into_values().filter(|found| found.len() > 1) {
            let differ = found.iter().any(|one| found.first() != Some(one));
            changed.push((debate.cluster, f64::from(u8::from(differ)), 1.0));
        }
    }
    let row = |((by, value), values): ((OrderPlace, String), Vec<(u32, f64)>)| {
        let right = estimator.mean(&values)?;
        Some(OrderRow { by, value: value.trim_start_matches('0').to_owned(), right })
    };
    let rows: Vec<OrderRow> = places.into_iter().filter_map(row).collect();
    (!rows.is_empty()).then(|| OrderResult { rows, judges_changed: estimator.share(&changed) })
}
