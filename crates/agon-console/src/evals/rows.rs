//! Evals in rows and figures.
use crate::words;
use agon_proto::pb::v1 as pb;
use agon_report::{excerpt, one_line};
use pb::eval::State;

/// Characters of a text in a row.
const MOST_TEXT: usize = 300;

/// The word of a state and its colour.
pub(super) fn state(state: State) -> (&'static str, &'static str) {
    match state {
        State::Unspecified => ("unknown", "open"),
        State::Queued => ("queued", "queued"),
        State::Running => ("running", "running"),
        State::Paused => ("paused", "paused"),
        State::Complete => ("complete", "succeeded"),
        State::Stopped => ("stopped", "paused"),
        State::Cancelled => ("cancelled", "cancelled"),
        State::Failed => ("failed", "failed"),
    }
}

/// Whether it may still go on.
pub(super) fn is_open(state: State) -> bool {
    match state {
        State::Queued | State::Running | State::Paused => true,
        State::Unspecified | State::Complete | State::Stopped | State::Cancelled | State::Failed => false,
    }
}

/// Why it ended before its last question, in words.
fn stopped(reason: &str) -> String {
    match reason {
        "limit_tokens" => "the token limit was reached".to_owned(),
        "limit_seconds" => "the time limit was reached".to_owned(),
        "limit_money" => "the money limit was reached".to_owned(),
        "failures" => "too many answers failed".to_owned(),
        "gradings" => "too many gradings failed".to_owned(),
        "cancelled" => "somebody cancelled it".to_owned(),
        "decided" => "its sequential test came to an end".to_owned(),
        other => one_line(other),
    }
}

/// An eval in the list.
pub(super) struct EvalRow {
    pub id: String,
    pub debates: String,
    pub state: (&'static str, &'static str),
    pub rehearsal: bool,
    /// Cells that are over, and all.
    pub cells: (u32, u32),
    pub questions: String,
    pub failed: u32,
    pub tokens: String,
    pub admitted: String,
    pub age: String,
}

impl EvalRow {
    pub fn of(eval: &pb::Eval, now: u64) -> Self {
        let progress = eval.progress.clone().unwrap_or_default();
        let created = eval.create_time.as_ref().map_or(now, words::millis);
        Self {
            id: eval.id.clone(),
            debates: debates(eval),
            state: state(eval.state()),
            rehearsal: eval.rehearsal,
            cells: cells(&progress),
            questions: format!("{} of {}", progress.questions_over, progress.questions),
            failed: progress.failed,
            tokens: words::number(progress.tokens),
            admitted: words::moment(created),
            age: words::age(now.saturating_sub(created)),
        }
    }
}

fn debates(eval: &pb::Eval) -> String {
    let names: Vec<String> = eval.debates.iter().map(|name| one_line(name)).collect();
    if names.is_empty() { "no debate".to_owned() } else { excerpt(&names.join(", "), MOST_TEXT) }
}

/// Cells that are over, and as many as there likely are: never fewer.
fn cells(progress: &pb::EvalProgress) -> (u32, u32) {
    (progress.cells_over, progress.cells_likely.max(progress.cells_over))
}

/// One eval.
pub(super) struct EvalView {
    pub id: String,
    pub debates: String,
    pub state: (&'static str, &'static str),
    pub open: bool,
    pub rehearsal: bool,
    /// Why it ended early.
    pub stopped: Option<String>,
    /// What keeps it.
    pub waits_for: Option<String>,
    pub admitted: String,
    pub seed: Option<u64>,
    pub cells: (u32, u32),
    /// Names and values.
    pub facts: Vec<(&'static str, String)>,
    pub arms: Vec<ArmRow>,
    pub may_cancel: bool,
    pub may_retry: bool,
    pub may_delete: bool,
}

/// How far an arm or a pool of samples is.
pub(super) struct ArmRow {
    pub name: String,
    pub over: String,
    pub failed: u32,
    pub tokens: String,
}

impl EvalView {
    pub fn of(eval: &pb::Eval, may_write: bool, now: u64) -> Self {
        let progress = eval.progress.clone().unwrap_or_default();
        let open = is_open(eval.state());
        let stopped = eval.stopped.as_deref().map(|reason| match &eval.stopped_detail {
            Some(detail) => format!("{}: {}", stopped(reason), excerpt(detail, MOST_TEXT)),
            None => stopped(reason),
        });
        Self {
            id: eval.id.clone(),
            debates: debates(eval),
            state: state(eval.state()),
            open,
            rehearsal: eval.rehearsal,
            stopped,
            waits_for: Some(excerpt(&eval.waits_for, MOST_TEXT)).filter(|why| open && !why.is_empty()),
            admitted: eval.create_time.as_ref().map(|at| words::moment(words::millis(at))).unwrap_or_default(),
            seed: eval.seed,
            cells: cells(&progress),
            facts: facts(eval, &progress, now),
            arms: progress.arms.iter().map(ArmRow::of).collect(),
            may_cancel: may_write && open,
            may_retry: may_write && !open && progress.failed > 0,
            may_delete: may_write && !open,
        }
    }
}

impl ArmRow {
    fn of(arm: &pb::ArmProgress) -> Self {
        Self {
            name: one_line(&arm.name),
            over: words::number(arm.over.into()),
            failed: arm.failed,
            tokens: words::number(arm.tokens),
        }
    }
}

fn facts(eval: &pb::Eval, progress: &pb::EvalProgress, now: u64) -> Vec<(&'static str, String)> {
    let mut out = vec![("questions", format!("{} of {}", progress.questions_over, progress.questions))];
    if let (Some(over), Some(blocks)) = (progress.blocks_over, progress.blocks) {
        out.push(("blocks", format!("{over} of {blocks}")));
    }
    if let Some(open) = progress.cells_open.filter(|open| *open > 0) {
        out.push(("cells now", words::number(open.into())));
    }
    if progress.failed > 0 {
        out.push(("failed", words::number(progress.failed.into())));
    }
    let tokens = words::number(progress.tokens);
    let open = is_open(eval.state());
    out.push(match progress.tokens_likely.filter(|_| open) {
        Some(likely) => ("tokens now", format!("{tokens} of about {}", words::number(likely))),
        None if open => ("tokens now", tokens),
        None => ("tokens", tokens),
    });
    if let Some(reused) = progress.reused.filter(|reused| *reused > 0) {
        out.push(("held before", words::number(reused.into())));
    }
    if let Some(created) = eval.create_time.as_ref().map(words::millis) {
        let until = eval.end_time.as_ref().map_or(now, words::millis);
        out.push((if open { "age" } else { "took" }, words::duration(until.saturating_sub(created))));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eval(state: State, failed: u32) -> pb::Eval {
        let progress = pb::EvalProgress {
            questions: 30,
            questions_over: 10,
            cells_over: 40,
            cells_likely: 30,
            failed,
            tokens: 12_000,
            tokens_likely: Some(36_000),
            ..pb::EvalProgress::default()
        };
        pb::Eval {
            id: "one-1".to_owned(),
            state: state.into(),
            progress: Some(progress),
            debates: vec!["pan\nel".to_owned()],
            waits_for: "the model m\u{202e} is away".to_owned(),
            ..pb::Eval::default()
        }
    }

    #[test]
    fn what_can_be_ordered_follows_from_the_state() {
        let orders = |state, failed, may| {
            let view = EvalView::of(&eval(state, failed), may, 0);
            (view.may_cancel, view.may_retry, view.may_delete)
        };
        assert_eq!(orders(State::Running, 1, true), (true, false, false));
        assert_eq!(orders(State::Complete, 0, true), (false, false, true));
        assert_eq!(orders(State::Stopped, 1, true), (false, true, true));
        assert_eq!(orders(State::Failed, 1, false), (false, false, false));
    }

    #[test]
    fn progress_is_never_more_than_whole_and_texts_are_tame() {
        let view = EvalView::of(&eval(State::Running, 0), true, 0);
        assert_eq!((view.cells, view.debates.as_str()), ((40, 40), "pan el"));
        assert_eq!(view.waits_for.as_deref(), Some("the model m is away"));
        assert!(view.facts.contains(&("tokens now", "12,000 of about 36,000".to_owned())), "{:?}", view.facts);
        let over = EvalView::of(&eval(State::Complete, 0), true, 0);
        assert!(over.waits_for.is_none() && over.facts.contains(&("tokens", "12,000".to_owned())));
    }
}
