//! What a debate starts from, and what is said in it.
use crate::call::boxed;
use crate::enums::{Numbered, maybe};
use crate::error::{DecodeError, Problem, each, optional, present, required};
use crate::flat as pb;
use crate::task::{name, names, participants, turn};
use agon_core::{
    Admission, DebateId, Event, FeedItem, FeedReading, ModelName, ParticipantId, PastDebate, Priority, Recalled,
    Speech, Timestamp,
};

impl From<&Admission> for pb::Admission {
    fn from(admission: &Admission) -> Self {
        Self {
            id: admission.id.to_string(),
            spec: Some((&admission.spec).into()),
            seed: admission.seed,
            retry: Some(admission.retry.into()),
            agon_version: admission.agon_version.clone(),
            request_id: admission.request_id.clone(),
            rehearsal: admission.rehearsal,
            // the usual one is left out, as in records that were written before there was a field
            priority: if admission.priority.is_normal() { 0 } else { admission.priority.number() },
            labels: admission.labels.clone(),
            creator: admission.creator.clone(),
            submitted_by: admission.submitted_by.clone(),
            rejudges: admission.rejudges.as_ref().map(DebateId::to_string),
            history: admission.history.iter().map(Into::into).collect(),
            ratings: admission.ratings.iter().map(|(name, rating)| (name.to_string(), *rating)).collect(),
            feeds: admission.feeds.iter().map(Into::into).collect(),
            recalled: admission.recalled.as_ref().map(Into::into),
        }
    }
}
impl TryFrom<pb::Admission> for Admission {
    type Error = DecodeError;
    fn try_from(admission: pb::Admission) -> Result<Self, DecodeError> {
        Ok(Self {
            id: debate(&admission.id, "id")?,
            spec: required(admission.spec, "spec")?,
            seed: admission.seed,
            retry: present(admission.retry, "retry")?.into(),
            agon_version: admission.agon_version,
            request_id: admission.request_id,
            rehearsal: admission.rehearsal,
            priority: priority(admission.priority, "priority")?,
            labels: admission.labels,
            creator: admission.creator,
            submitted_by: admission.submitted_by,
            rejudges: admission.rejudges.map(|id| debate(&id, "rejudges")).transpose()?,
            history: each(admission.history, "history")?,
            ratings: admission.ratings.into_iter().map(|(who, rating)| (ParticipantId::new(who), rating)).collect(),
            feeds: each(admission.feeds, "feeds")?,
            recalled: optional(admission.recalled, "recalled")?,
        })
    }
}
impl From<&PastDebate> for pb::PastDebate {
    fn from(past: &PastDebate) -> Self {
        Self {
            id: past.id.to_string(),
            topic: past.topic.clone(),
            admitted_ms: past.admitted.0,
            outcome: past.outcome.number(),
            verdict: past.verdict.clone(),
            winner: past.winner.clone(),
            failed: past.failed.iter().map(Into::into).collect(),
        }
    }
}
impl TryFrom<pb::PastDebate> for PastDebate {
    type Error = DecodeError;
    fn try_from(past: pb::PastDebate) -> Result<Self, DecodeError> {
        Ok(Self {
            id: debate(&past.id, "id")?,
            topic: past.topic,
            admitted: Timestamp(past.admitted_ms),
            outcome: Numbered::from_number(past.outcome, "outcome")?,
            verdict: past.verdict,
            winner: past.winner,
            failed: each(past.failed, "failed")?,
        })
    }
}
impl From<&Recalled> for pb::Recalled {
    fn from(recalled: &Recalled) -> Self {
        Self { method: recalled.method.number(), model: recalled.model.to_string() }
    }
}
impl TryFrom<pb::Recalled> for Recalled {
    type Error = DecodeError;
    fn try_from(recalled: pb::Recalled) -> Result<Self, DecodeError> {
        let method = Numbered::from_number(recalled.method, "method")?;
        Ok(Self { method, model: ModelName::new(recalled.model) })
    }
}
impl From<&FeedReading> for pb::FeedReading {
    fn from(reading: &FeedReading) -> Self {
        Self {
            name: reading.name.clone(),
            items: reading.items.iter().map(Into::into).collect(),
            fault: reading.fault.map_or(0, Numbered::number),
        }
    }
}
impl TryFrom<pb::FeedReading> for FeedReading {
    type Error = DecodeError;
    fn try_from(reading: pb::FeedReading) -> Result<Self, DecodeError> {
        let fault = Some(reading.fault).filter(|fault| *fault != 0);
        Ok(Self {
            name: reading.name,
            items: reading.items.into_iter().map(Into::into).collect(),
            fault: maybe(fault, "fault")?,
        })
    }
}
impl From<&FeedItem> for pb::FeedItem {
    fn from(item: &FeedItem) -> Self {
        let FeedItem { title, date, link, text } = item.clone();
        Self { title, date, link, text }
    }
}
impl From<pb::FeedItem> for FeedItem {
    fn from(item: pb::FeedItem) -> Self {
        let pb::FeedItem { title, date, link, text } = item;
        Self { title, date, link, text }
    }
}
impl TryFrom<pb::DebateAdmitted> for Event {
    type Error = DecodeError;
    fn try_from(event: pb::DebateAdmitted) -> Result<Self, DecodeError> {
        Ok(Self::DebateAdmitted(Box::new(required(event.admission, "admission")?)))
    }
}

/// A priority; what does not say is normal.
pub(crate) fn priority(number: i32, field: &str) -> Result<Priority, DecodeError> {
    if number == 0 { Ok(Priority::Normal) } else { Numbered::from_number(number, field) }
}

/// A debate's id, checked.
pub(crate) fn debate(text: &str, field: &str) -> Result<DebateId, DecodeError> {
    DebateId::parse(text).map_err(|error| DecodeError::field(field, Problem::Invalid(error.to_string())))
}

impl From<&Speech> for pb::SpeechRecorded {
    fn from(speech: &Speech) -> Self {
        Self {
            turn: Some(speech.turn.into()),
            participant: speech.participant.to_string(),
            stance: speech.stance.clone(),
            kind: speech.kind.number(),
            text: speech.text.to_string(),
            neutralised: speech.neutralised,
            call: Some(speech.call.as_ref().into()),
            to: name(speech.to.as_ref()),
            bench: speech.bench.map(Numbered::number),
            answer: speech.answer.clone(),
            accepted: names(&speech.accepted),
            declined: speech.declined.iter().map(Into::into).collect(),
            cut_by: name(speech.cut_by.as_ref()),
        }
    }
}
impl TryFrom<pb::SpeechRecorded> for Speech {
    type Error = DecodeError;
    fn try_from(speech: pb::SpeechRecorded) -> Result<Self, DecodeError> {
        Ok(Self {
            turn: turn(speech.turn, "turn")?,
            participant: ParticipantId::new(speech.participant),
            stance: speech.stance,
            kind: Numbered::from_number(speech.kind, "kind")?,
            text: speech.text.into(),
            neutralised: speech.neutralised,
            call: boxed(speech.call, "call")?,
            to: speech.to.map(ParticipantId::new),
            bench: maybe(speech.bench, "bench")?,
            answer: speech.answer,
            accepted: participants(speech.accepted),
            declined: speech.declined.into_iter().map(Into::into).collect(),
            cut_by: speech.cut_by.map(ParticipantId::new),
        })
    }
}
