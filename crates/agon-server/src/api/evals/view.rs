//! An eval as the API shows it, folded from its log or by its card.
use crate::api::view::timestamp;
use agon_core::{DebateId, Timestamp};
use agon_eval::{ArmProgress, EvalCard, EvalMachine, EvalPlan, EvalProgress, PlannedPart, PlannedQuestions};
use agon_proto::pb::v1 as pb;
use agon_runtime::OpenEval;
use agon_store::EvalHead;
use pb::eval::State;

/// An eval as its log shows it.
pub(super) fn shown(eval: &OpenEval) -> pb::Eval {
    let machine = &eval.machine;
    let admission = machine.admission();
    let at = |event: Option<&(u64, _)>| event.map(|(at, _)| timestamp(Timestamp(*at)));
    let updated = at(eval.events.last());
    pb::Eval {
        state: state(machine).into(),
        stopped: machine.stopped().map(str::to_owned),
        stopped_detail: machine.stop().and_then(|stop| stop.detail.clone()),
        debates: admission.spec.debates.iter().map(|debate| debate.name.to_string()).collect(),
        rehearsal: admission.rehearsal,
        create_time: at(eval.events.first()),
        update_time: updated,
        end_time: machine.ended().and(updated),
        progress: Some(progress(&machine.progress())),
        seed: Some(admission.spec.seed),
        sequence: Some(eval.events.len() as u64),
        withheld: machine.is_blind(),
        ..identity(&eval.id)
    }
}

/// An eval as lists show it.
pub(super) fn listed(head: &EvalHead) -> pb::Eval {
    let card: EvalCard = serde_json::from_slice(&head.card).unwrap_or_default();
    let state = match card.state.as_deref() {
        Some(ended) => end_state(ended),
        None if head.records <= 1 => State::Queued,
        None => State::Running,
    };
    pb::Eval {
        state: state.into(),
        progress: Some(progress_of(&card)),
        debates: card.debates,
        rehearsal: card.rehearsal,
        create_time: Some(timestamp(head.admitted)),
        update_time: Some(timestamp(head.updated)),
        end_time: head.ended.then(|| timestamp(head.updated)),
        ..identity(&head.id)
    }
}

/// Only its names.
pub(super) fn identity(id: &DebateId) -> pb::Eval {
    pb::Eval { name: format!("evals/{}", id.name()), id: id.name().to_owned(), ..pb::Eval::default() }
}

fn state(machine: &EvalMachine) -> State {
    match machine.ended() {
        Some(ended) => end_state(ended),
        None if machine.epoch() == 0 => State::Queued,
        None => State::Running,
    }
}

fn end_state(ended: &str) -> State {
    match ended {
        "complete" => State::Complete,
        "cancelled" => State::Cancelled,
        "failed" => State::Failed,
        _ => State::Stopped,
    }
}

/// The progress of a folded eval.
pub(super) fn progress(progress: &EvalProgress) -> pb::EvalProgress {
    let arm = |arm: &ArmProgress| pb::ArmProgress {
        name: arm.name.clone(),
        over: arm.over,
        failed: arm.failed,
        tokens: arm.tokens,
    };
    pb::EvalProgress {
        questions: progress.questions,
        questions_over: progress.questions_over,
        blocks: Some(progress.blocks),
        blocks_over: Some(progress.blocks_over),
        cells_over: progress.cells_over,
        cells_open: Some(progress.cells_open),
        cells_likely: progress.cells_likely,
        reused: Some(progress.reused),
        failed: progress.failed,
        tokens: progress.tokens,
        tokens_likely: progress.tokens_likely,
        arms: progress.arms.iter().map(arm).collect(),
    }
}

/// The progress that lists show.
pub(super) fn progress_of(card: &EvalCard) -> pb::EvalProgress {
    pb::EvalProgress {
        questions: card.questions,
        questions_over: card.questions_over,
        cells_over: card.cells_over,
        cells_likely: card.cells_likely,
        failed: card.failed,
        tokens: card.tokens,
        ..pb::EvalProgress::default()
    }
}

/// What an eval would take.
pub(super) fn plan(plan: EvalPlan, unserved: Vec<pb::Unserved>, warnings: Vec<String>) -> pb::EvalPlan {
    let part = |part: PlannedPart| pb::PlannedArm {
        name: part.name,
        cells: part.cells,
        calls_each: part.calls_each,
        calls: part.calls,
        models: part.models,
        arms: part.arms,
    };
    let needed = |needed: PlannedQuestions| pb::NeededQuestions { points: needed.points, questions: needed.questions };
    pb::EvalPlan {
        questions: plan.questions,
        parts: plan.parts.into_iter().map(part).collect(),
        cells: plan.cells,
        cells_most: plan.cells_most,
        reused: plan.reused,
        calls: plan.calls,
        calls_most: plan.calls_most,
        tokens_likely: plan.tokens_likely,
        tokens_most: plan.tokens_most,
        money_likely: plan.money_likely,
        smallest_points: plan.smallest_points,
        needed: plan.needed.into_iter().map(needed).collect(),
        unserved,
        warnings,
        gradings_likely: plan.gradings_likely,
        gradings_most: plan.gradings_most,
        graders: plan.graders,
        scored: plan.scored.into_iter().collect(),
        notes: plan.notes,
    }
}
