//! Why a debate stood still, as events of its spans: another owner, a pause, a turn that went to another host, a server that was waited for.
use crate::names::attribute;
use crate::span::{SpanDraft, seconds, word};
use agon_core::{Event, FailureCause, ParticipantId, Timestamp, TurnId};
use opentelemetry::KeyValue;
use std::collections::BTreeMap;

/// Something that held the debate up.
pub(crate) struct Standstill {
    name: &'static str,
    at: Timestamp,
    attributes: Vec<KeyValue>,
}

impl Standstill {
    /// The same as an event of a span.
    pub(crate) fn tell(&self, draft: SpanDraft) -> SpanDraft {
        draft.event(self.name, self.at, self.attributes.clone())
    }
}

/// What a log says of that, read event by event.
#[derive(Default)]
pub(crate) struct Standstills<'a> {
    /// Of the whole debate.
    pub(crate) debate: Vec<Standstill>,
    /// Of a turn.
    pub(crate) turns: BTreeMap<TurnId, Vec<Standstill>>,
    owner: Option<&'a str>,
    hosts: BTreeMap<&'a str, &'a str>,
    /// Who was placed elsewhere, from where and to where, with the turn that is told next.
    moved: Option<(&'a ParticipantId, &'a str, &'a str)>,
}

impl<'a> Standstills<'a> {
    /// Takes in an event; `before` is the time of the one before it.
    pub(crate) fn take(&mut self, before: Timestamp, at: Timestamp, event: &'a Event) {
        let idle = KeyValue::new(attribute::IDLE, seconds(at.since(before)));
        match event {
            Event::Claimed { writer, .. } => {
                if let Some(previous) = self.owner.replace(writer.as_str()) {
                    let owner = KeyValue::new(attribute::OWNER, writer.to_string());
                    let previous = KeyValue::new(attribute::PREVIOUS_OWNER, previous.to_owned());
                    self.hold("debate.taken_over", at, vec![owner, previous]);
                }
            }
            Event::DebateInterrupted { reason } => {
                let reason = KeyValue::new(attribute::REASON, word(&reason.code));
                self.hold("debate.interrupted", at, vec![reason]);
            }
            Event::DebateResumed { .. } => self.hold("debate.resumed", at, vec![idle]),
            Event::ParticipantPlaced { participant, host, .. } => {
                let previous = self.hosts.insert(participant.as_str(), host.as_str());
                let previous = previous.filter(|previous| *previous != host.as_str());
                self.moved = previous.map(|previous| (participant, previous, host.as_str()));
            }
            Event::TurnFailed { turn, failure, retry_at, .. } => {
                let waits = matches!(failure.cause, FailureCause::BreakerOpen | FailureCause::ServerAway);
                if let Some(retry_at) = retry_at.filter(|_| waits) {
                    let cause = KeyValue::new(attribute::ERROR_TYPE, failure.cause.as_str());
                    let turn = KeyValue::new(attribute::TURN, turn.to_string());
                    let wait = KeyValue::new(attribute::WAIT, seconds(retry_at.since(at)));
                    self.hold("debate.waiting", at, vec![turn, cause, wait]);
                }
            }
            _ => {}
        }
    }

    /// The turn of which the log tells next; its speaker may have been placed for it.
    pub(crate) fn told(&mut self, at: Timestamp, turn: TurnId, participant: &ParticipantId) {
        let Some((_, from, to)) = self.moved.take_if(|(who, ..)| *who == participant) else { return };
        let attributes = vec![
            KeyValue::new(attribute::HOST, to.to_owned()),
            KeyValue::new(attribute::PREVIOUS_HOST, from.to_owned()),
        ];
        let moved = Standstill { name: "debate.turn.moved", at, attributes };
        self.turns.entry(turn).or_default().push(moved);
    }

    fn hold(&mut self, name: &'static str, at: Timestamp, attributes: Vec<KeyValue>) {
        self.debate.push(Standstill { name, at, attributes });
    }
}
