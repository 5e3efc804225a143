//! The JSON Schemas of structured answers.
use agon_core::{DebateSpec, Task, TurnMode};
use serde_json::{Value, json};

/// Most reasons on a ballot.
pub(crate) const MAX_REASONS: usize = 5;
/// Longest free choice on a ballot, in characters.
pub(crate) const MAX_CHOICE: usize = 200;
/// Most quotations in a judgement.
pub(crate) const MAX_CITATIONS: usize = 8;

/// The schema of a task's answer; none for speeches.
pub(crate) fn of(spec: &DebateSpec, task: &Task) -> Option<Value> {
    match task {
        Task::Opening | Task::Argument { .. } | Task::Closing => None,
        Task::Ballot { choices, .. } => Some(choice(choices)),
        Task::Vote { candidates, .. } => Some(choice(candidates)),
        Task::OpenRound => Some(open_round(spec)),
        Task::CloseRound => Some(object(&[
            ("summary", json!({"type": "string", "minLength": 1})),
            ("status", json!({"type": "string", "enum": ["settled", "continue"]})),
            ("decision", json!({"type": ["string", "null"]})),
        ])),
        Task::Judge { candidates, .. } => Some(judge(candidates)),
        _ => None,
    }
}

fn choice(choices: &[String]) -> Value {
    let choice = match choices {
        [] => json!({"type": "string", "minLength": 1, "maxLength": MAX_CHOICE}),
        choices => json!({"type": "string", "enum": choices}),
    };
    let reasons =
        json!({"type": "array", "minItems": 1, "maxItems": MAX_REASONS, "items": {"type": "string", "minLength": 1}});
    object(&[("choice", choice), ("reasons", reasons)])
}

fn open_round(spec: &DebateSpec) -> Value {
    let names: Vec<&str> = spec.personas.iter().map(|persona| persona.name.as_str()).collect();
    let most = match spec.turn_mode {
        TurnMode::Moderator => 2 * names.len(),
        _ => 0,
    };
    let speakers = json!({"type": "array", "maxItems": most, "items": {"type": "string", "enum": names}});
    object(&[
        ("next_speakers", speakers),
        ("briefing", json!({"type": ["string", "null"]})),
        ("new_angle", json!({"type": ["string", "null"]})),
        ("done", json!({"type": "boolean"})),
    ])
}

fn judge(candidates: &[String]) -> Value {
    let winners: Vec<Value> = candidates.iter().map(|candidate| json!(candidate)).chain([Value::Null]).collect();
    let citation = object(&[
        ("entry", json!({"type": "integer", "minimum": 1})),
        ("quote", json!({"type": "string", "minLength": 1})),
    ]);
    object(&[
        ("verdict", json!({"type": "string", "minLength": 1})),
        ("winner", json!({"enum": winners})),
        ("reasoning", json!({"type": "string", "minLength": 1})),
        ("citations", json!({"type": "array", "minItems": 1, "maxItems": MAX_CITATIONS, "items": citation})),
    ])
}

/// An object with exactly these members, in this order.
pub(crate) fn object(members: &[(&str, Value)]) -> Value {
    let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    let properties: serde_json::Map<String, Value> =
        members.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
}
