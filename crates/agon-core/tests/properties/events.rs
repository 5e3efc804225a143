//! What the events of a log have in common.
use agon_core::*;

/// Fails with a message unless a rule holds.
#[macro_export]
macro_rules! require {
    ($holds:expr, $($message:tt)*) => {
        if !$holds {
            return Err(format!($($message)*));
        }
    };
}

/// The turn that an event settles, and how its answer came about, where the event is an answer.
fn answered(event: &Event) -> Option<(TurnId, &Call)> {
    match event {
        Event::SpeechRecorded(speech) => Some((speech.turn, &speech.call)),
        Event::BallotCast { turn, call, .. }
        | Event::BidPlaced { turn, call, .. }
        | Event::PointsAnswered { turn, call, .. }
        | Event::CritiqueRecorded { turn, call, .. }
        | Event::NoteTaken { turn, call, .. }
        | Event::VoteCast { turn, call, .. }
        | Event::DebatersScored { turn, call, .. }
        | Event::ModeratorInterjected { turn, call, .. }
        | Event::SpeechesScored { turn, call, .. }
        | Event::ResearchBriefed { turn, call, .. }
        | Event::ModeratorConcluded { turn, call, .. }
        | Event::SummaryRecorded { turn, call, .. }
        | Event::EnoughAsked { turn, call, .. }
        | Event::JudgementRecorded { turn, call, .. }
        | Event::RankingRecorded { turn, call, .. }
        | Event::SynthesisRecorded { turn, call, .. } => Some((*turn, call)),
        Event::ModeratorDecided { turn, fallback: false, call, .. } => call.as_ref().map(|call| (*turn, &**call)),
        Event::RoundMeasured { turn, call, .. } => turn.zip(call.as_ref()).map(|(turn, call)| (turn, &**call)),
        _ => None,
    }
}

/// The turn that an event settles, if it settles one.
pub fn settles(event: &Event) -> Option<TurnId> {
    match event {
        Event::TurnFailed { turn, .. } => Some(*turn),
        event => answered(event).map(|(turn, _)| turn),
    }
}

/// The call that an event records, where one reached a host.
pub fn call(event: &Event) -> Option<&Call> {
    match event {
        Event::TurnFailed { call, .. } => Some(&**call).filter(|call| call.host.is_some()),
        event => answered(event).map(|(_, call)| call),
    }
}

/// All events of a log.
pub fn all(log: &[Record]) -> impl Iterator<Item = &Event> {
    log.iter().flat_map(|record| &record.events)
}

/// What each seat was first asked, in order.
pub fn first_asks(log: &[Record]) -> impl Iterator<Item = &Ask> {
    all(log).filter_map(|event| match event {
        Event::TurnAsked(ask) if ask.turn.attempt == 1 => Some(ask),
        _ => None,
    })
}
