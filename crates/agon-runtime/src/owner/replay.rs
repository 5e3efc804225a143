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

/// Who claimed a halted debate to end it, and has not done so.
pub(crate) fn ender(records: &[Arc<Record>]) -> Option<&NodeId> {
    let events = records.iter().rev().flat_map(|record| record.events.iter().rev());
    let last =
        events.into_iter().find(|event| matches!(event, Event::Claimed { .. } | Event::DebateInterrupted { .. }));
    if let Some(Event::Claimed { writer, .. }) = last { Some(writer) } else { None }
}

/// The turns that were asked and of whose register the log knows nothing.
pub(crate) fn open_turns(records: &[Arc<Record>]) -> Vec<TurnId> {
    let mut open = BTreeSet::new();
    for event in records.iter().flat_map(|record| &record.events) {
        if let Event::TurnAsked(ask) = event {
            open.insert(ask.turn);
        }
        if let Some((turn, _)) = event.settled() {
            open.remove(&turn);
        }
    }
    open.into_iter().collect()
}

/// The turns that were asked.
pub(crate) fn asked_turns(record: &Record) -> impl Iterator<Item = TurnId> {
    record.events.iter().filter_map(|event| match event {
        Event::TurnAsked(ask) => Some(ask.turn),
        _ => None,
    })
}

/// Where each model's turns were last played.
pub(crate) fn placements(records: &[Arc<Record>]) -> BTreeMap<ModelName, HostId> {
    let events = records.iter().flat_map(|record| &record.events);
    let placed = events.filter_map(|event| match event {
        Event::ParticipantPlaced { host, model, .. } => Some((model.clone(), HostId::new(host.as_str()))),
        event => event.speech().and_then(|(said, _)| place(&said.call)),
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
