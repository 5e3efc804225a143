//! What the judges found, one by one.
use super::key::{self, KeyView};
use crate::minutes::Minutes;
use crate::text::{excerpt, one_line};
use crate::words;
use agon_core::Ranked;

pub(super) struct Judges {
    pub(super) ranked: bool,
    pub(super) rows: Vec<JudgeRow>,
    pub(super) objections: Vec<String>,
}
pub(super) struct JudgeRow {
    pub(super) judge: &'static str,
    pub(super) order: u32,
    pub(super) found: String,
    pub(super) reasons: Vec<(String, String)>,
    /// How many of its quotations stand where they are said to; nothing in a ranking, which quotes nothing.
    pub(super) checked: Option<String>,
    pub(super) key: Option<KeyView>,
}

/// The panel, the rankings, and the objections that nobody answered; nothing where one judge says all in the verdict.
pub(super) fn judges(minutes: &Minutes<'_>) -> Option<Judges> {
    let objections: Vec<String> =
        minutes.open_objections().map(|(who, text)| format!("{}: {}", words::who(who), one_line(text))).collect();
    let ranked = minutes.rankings().next().is_some();
    let panel = minutes.admission.spec.judge.as_ref().is_some_and(|judge| judge.panel > 1);
    if objections.is_empty() && !ranked && !panel {
        return None;
    }
    let judged = minutes.judgements().map(|(entry, judged)| JudgeRow {
        judge: words::office(entry.participant),
        order: judged.order.saturating_add(1),
        found: judged.winner.map_or_else(|| "a synthesis".to_owned(), one_line),
        reasons: Vec::new(),
        checked: Some(minutes.checked(entry, judged)),
        key: None,
    });
    let rankings = minutes.rankings().map(|(entry, order, ranking)| JudgeRow {
        judge: words::office(entry.participant),
        order: order.saturating_add(1),
        found: places(ranking),
        reasons: ranking.iter().map(|one| (one_line(&one.candidate), excerpt(&one.reason, 400))).collect(),
        checked: None,
        key: key::to(minutes, entry, order, ranking.iter().map(|one| one.reason.as_str())),
    });
    let rows: Vec<JudgeRow> = judged.chain(rankings).collect();
    (!rows.is_empty() || !objections.is_empty()).then_some(Judges { ranked, rows, objections })
}

/// `1. Invest now, 2. Wait a year`.
fn places(ranking: &[Ranked]) -> String {
    let places = (1..).zip(ranking).map(|(place, one): (u32, _)| format!("{place}. {}", one_line(&one.candidate)));
    places.collect::<Vec<_>>().join(", ")
}
