//! What debaters answer beside speeches: bids, points, critiques, revisions, notes.
use super::json::Object;
use super::{Malformed, participant, roster};
use crate::schema::MAX_POINTS;
use agon_core::{Answer, Bid, Critique, DebateSpec, Declined, Note, ParticipantId, Point, PointReply, Revision};
use serde_json::Value;

pub(super) fn bid(spec: &DebateSpec, object: &Object) -> Result<Answer, Malformed> {
    let to = match object.0.get("to") {
        None | Some(Value::Null) => None,
        Some(name) => Some(participant("to", name, &roster(spec))?),
    };
    Ok(Answer::Bid(Bid { urgency: object.level("urgency")?, to, text: object.optional_text("reason")? }))
}

/// A point of information. However urgent, without a text nothing is offered.
pub(super) fn point(object: &Object) -> Result<Answer, Malformed> {
    let (urgency, text) = (object.level("urgency")?, object.optional_text("point")?);
    let urgency = if text.is_some() { urgency } else { 0 };
    Ok(Answer::Bid(Bid { urgency, to: None, text }))
}

pub(super) fn answer_points(object: &Object, points: &[Point]) -> Result<Answer, Malformed> {
    let by: Vec<ParticipantId> = points.iter().map(|point| point.by.clone()).collect();
    let accepts = match object.required("accept")? {
        Value::Null => return Ok(Answer::PointReply(PointReply::default())),
        name => participant("accept", name, &by)?,
    };
    let Some(reply) = object.optional_text("reply")? else {
        return Err(Malformed(format!("reply: missing, although the point of {accepts} is accepted")));
    };
    Ok(Answer::PointReply(PointReply { accepts: Some(accepts), reply: Some(reply) }))
}

pub(super) fn critique(object: &Object) -> Result<Answer, Malformed> {
    let severity = object.level("severity")?;
    let issues = object.texts("issues", 0, MAX_POINTS)?;
    if severity > 0 && issues.is_empty() {
        return Err(Malformed(format!("issues: found none with severity {severity}, allowed are 1 to {MAX_POINTS}")));
    }
    let suggestions = object.texts("suggestions", 0, MAX_POINTS)?;
    Ok(Answer::Critique(Critique { severity, issues, suggestions }))
}

/// A revised proposal. A critic stands in one list at most.
pub(super) fn revision(object: &Object, critics: &[ParticipantId]) -> Result<Answer, Malformed> {
    let mut accepted: Vec<ParticipantId> = Vec::new();
    for name in object.array("accepted", 0, critics.len())? {
        let name = participant("accepted", name, critics)?;
        if !accepted.contains(&name) {
            accepted.push(name);
        }
    }
    let mut declined: Vec<Declined> = Vec::new();
    for item in object.array("declined", 0, critics.len())? {
        let item = Object::of("declined", item)?;
        let critic = participant("critic", item.required("critic")?, critics)?;
        if accepted.contains(&critic) || declined.iter().any(|other| other.critic == critic) {
            return Err(Malformed(format!("declined: found {critic} a second time, allowed is each critic once")));
        }
        declined.push(Declined { critic, why: item.text("why")? });
    }
    Ok(Answer::Revision(Revision { text: object.text("text")?.into(), accepted, declined }))
}

/// The members that were asked for; others are dropped.
pub(super) fn note(object: &Object, reflection: bool, evolution: bool) -> Result<Answer, Malformed> {
    let mut note = Note::default();
    if reflection {
        note.position = Some(object.text("position")?);
        note.changed_by = object.optional_text("changed_by")?;
        note.contradictions = object.optional_texts("contradictions", MAX_POINTS)?;
    }
    if evolution {
        note.worked = object.optional_text("worked")?;
        note.did_not_work = object.optional_text("did_not_work")?;
        note.next = Some(object.text("next")?);
    }
    Ok(Answer::Note(note))
}
