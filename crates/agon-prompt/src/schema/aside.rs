//! The schemas of what is said beside the speeches: bids, points, critiques, notes, interjections.
use super::{MAX_POINTS, MAX_REMARKS, level, names, object, optional_text, text, texts};
use agon_core::{BidPurpose, DebateSpec, Moderator, ParticipantId, Point};
use serde_json::{Value, json};

pub(super) fn bid(spec: &DebateSpec, purpose: BidPurpose) -> Value {
    match purpose {
        BidPurpose::Point => object(&[("urgency", level()), ("point", optional_text())]),
        BidPurpose::Floor | BidPurpose::Reaction | BidPurpose::Circle | BidPurpose::Interruption => {
            object(&[("urgency", level()), ("to", one_or_null(names(spec))), ("reason", text())])
        }
    }
}

pub(super) fn answer_points(points: &[Point]) -> Value {
    let mut by: Vec<&str> = points.iter().map(|point| point.by.as_str()).collect();
    by.dedup();
    object(&[("accept", one_or_null(by)), ("reply", optional_text())])
}

pub(super) fn critique() -> Value {
    object(&[("severity", level()), ("issues", texts(0, MAX_POINTS)), ("suggestions", texts(0, MAX_POINTS))])
}

pub(super) fn revision(critics: &[ParticipantId]) -> Value {
    let mut names: Vec<&str> = critics.iter().map(ParticipantId::as_str).collect();
    names.dedup();
    let critic = json!({"type": "string", "enum": names});
    let declined = object(&[("critic", critic.clone()), ("why", text())]);
    let most = names.len();
    object(&[
        ("text", text()),
        ("accepted", json!({"type": "array", "maxItems": most, "items": critic})),
        ("declined", json!({"type": "array", "maxItems": most, "items": declined})),
    ])
}

pub(super) fn reflection(reflection: bool, evolution: bool) -> Value {
    let on_position = [("position", text()), ("changed_by", optional_text()), ("contradictions", texts(0, MAX_POINTS))];
    let on_tactics = [("worked", optional_text()), ("did_not_work", optional_text()), ("next", text())];
    let members: Vec<(&str, Value)> =
        on_position.into_iter().filter(|_| reflection).chain(on_tactics.into_iter().filter(|_| evolution)).collect();
    object(&members)
}

/// Only what is among the moderator's duties.
pub(super) fn interjection(spec: &DebateSpec, moderator: &Moderator) -> Value {
    let remark = object(&[("name", json!({"type": "string", "enum": names(spec)})), ("text", text())]);
    let remarks = || json!({"type": "array", "maxItems": MAX_REMARKS, "items": remark});
    let members = [
        ("comment", if moderator.sums_up_midway() { text() } else { optional_text() }, moderator.interjects),
        ("warnings", remarks(), moderator.warns),
        ("questions", remarks(), moderator.clarifies),
        ("revisions", remarks(), moderator.reflects),
    ];
    let on: Vec<(&str, Value)> =
        members.into_iter().filter(|(.., on)| *on).map(|(name, schema, _)| (name, schema)).collect();
    object(&on)
}

fn one_or_null(names: Vec<&str>) -> Value {
    let choices: Vec<Value> = names.into_iter().map(|name| json!(name)).chain([Value::Null]).collect();
    json!({"enum": choices})
}
