//! What a coordinator reads from a log besides the machine's own state. Pure.
use agon_core::{Call, Event, HostId, ModelName, NodeId, Record, TurnId, TurnResult};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many claims stand at the end of the log with nothing else between them.
pub(crate) fn claims_without_progress(records: &[Arc<Record>]) -> u32 {
    let events = records.iter().rev().flat_map(|record| record.events.iter().rev());
    let claims = events.take_while(|event| matches!(event, Event::Claimed { .. })).count();
    u32::try_from(claims).unwrap_or(u32::MAX)
}

/// Whether the debate was resumed and nothing but claims followed.
pub(crate) fn was_resumed(records: &[Arc<Record>]) -> bool {
    let mut events = records.iter().rev().flat_map(|record| record.events.iter().rev());
    let last = events.find(|event| !matches!(event, Event::Claimed { .. }));
    matches!(last, Some(Event::DebateResumed { .. }))
}

/// Who claimed the debate last.
pub(crate) fn owner(records: &[Arc<Record>]) -> Option<&NodeId> {
    let events = records.iter().rev().flat_map(|record| record.events.iter().rev());
    events.into_iter().find_map(|event| match event {
        Event::Claimed { writer, .. } => Some(writer),
        _ => None,
    })
}

/// The turns that were asked and of whose register the log knows nothing.
pub(crate) fn open_turns(records: &[Arc<Record>]) -> Vec<TurnId> {
    let mut open = BTreeSet::new();
    for event in records.iter().flat_map(|record| &record.events) {
        match told(event) {
            Told::Asked(turn) => drop(open.insert(turn)),
            Told::Settled(turn) => drop(open.remove(&turn)),
            Told::Nothing => {}
        }
    }
    open.into_iter().collect()
}

enum Told {
    Asked(TurnId),
    Settled(TurnId),
    Nothing,
}

fn told(event: &Event) -> Told {
    match event {
        Event::TurnAsked(ask) => Told::Asked(ask.turn),
        Event::SpeechRecorded(speech) => Told::Settled(speech.turn),
        Event::BallotCast { turn, .. }
        | Event::BidPlaced { turn, .. }
        | Event::PointsAnswered { turn, .. }
        | Event::CritiqueRecorded { turn, .. }
        | Event::NoteTaken { turn, .. }
        | Event::VoteCast { turn, .. }
        | Event::DebatersScored { turn, .. }
        | Event::ModeratorDecided { turn, .. }
        | Event::ModeratorInterjected { turn, .. }
        | Event::SpeechesScored { turn, .. }
        | Event::ResearchBriefed { turn, .. }
        | Event::ModeratorConcluded { turn, .. }
        | Event::SummaryRecorded { turn, .. }
        | Event::RoundMeasured { turn: Some(turn), .. }
        | Event::EnoughAsked { turn, .. }
        | Event::TurnFailed { turn, .. }
        | Event::JudgementRecorded { turn, .. }
        | Event::RankingRecorded { turn, .. }
        | Event::SynthesisRecorded { turn, .. } => Told::Settled(*turn),
        // tools and first halves are told of turns that may go on
        Event::ToolCalled { .. }
        | Event::SpeechHeard { .. }
        | Event::DebateAdmitted(_)
        | Event::Claimed { .. }
        | Event::PhaseEntered { .. }
        | Event::ParticipantPlaced { .. }
        | Event::RoundOpened { .. }
        | Event::StageOpened { .. }
        | Event::RoundMeasured { turn: None, .. }
        | Event::SeatSkipped { .. }
        | Event::LoopEnded { .. }
        | Event::VoteTallied { .. }
        | Event::VerdictReached { .. }
        | Event::DebateInterrupted { .. }
        | Event::DebateResumed { .. }
        | Event::CancelRequested { .. }
        | Event::DebateEnded { .. } => Told::Nothing,
    }
}

/// Where each model's turns were last played.
pub(crate) fn placements(records: &[Arc<Record>]) -> BTreeMap<ModelName, HostId> {
    let events = records.iter().flat_map(|record| &record.events);
    let placed = events.filter_map(|event| match event {
        Event::ParticipantPlaced { host, model, .. } => Some((model.clone(), HostId::new(host.as_str()))),
        Event::SpeechRecorded(speech) => place(&speech.call),
        _ => None,
    });
    placed.collect()
}

/// Where a result came from. A failure says nothing of where the prompts are warm.
pub(crate) fn placement(result: &TurnResult) -> Option<(ModelName, HostId)> {
    match result {
        TurnResult::Answered { call, .. } => place(call),
        TurnResult::Failed { .. } | TurnResult::Withdrawn => None,
    }
}

fn place(call: &Call) -> Option<(ModelName, HostId)> {
    Some((call.model.clone()?, HostId::new(call.host.as_deref()?)))
}
