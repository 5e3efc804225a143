//! The JSON Schemas of structured answers: objects with every member required and none besides, in constructs that model
//! servers can turn into grammars.
mod aside;

use agon_core::{AnswerKind, BallotForm, Conclusion, ConsensusStrategy, DebateSpec, Task, Work};
use serde_json::{Value, json};

/// Most reasons on a ballot.
pub(crate) const MAX_REASONS: usize = 5;
/// Longest free choice on a ballot, in characters.
pub(crate) const MAX_CHOICE: usize = 200;
/// Most quotations in a judgement.
pub(crate) const MAX_CITATIONS: usize = 8;
/// Most objections, issues, suggestions or contradictions that are named.
pub(crate) const MAX_POINTS: usize = 8;
/// Most debaters that a moderator turns to in one go, for each of its reasons to.
pub(crate) const MAX_REMARKS: usize = 4;
/// Urgencies, severities and scores go from 0 to this.
pub(crate) const TOP: u8 = 10;
/// A voter's confidence goes from 0 to this.
pub(crate) const MOST_CONFIDENCE: u8 = 100;
/// What is scored.
pub(crate) const SCALES: [&str; 4] = ["clarity", "evidence", "originality", "on_topic"];

/// The schema of a task's answer; none for plain text. A judge may cite so many `speeches`, where that is known.
pub(crate) fn of(spec: &DebateSpec, task: &Task, speeches: Option<usize>) -> Option<Value> {
    let Task { work, material } = task;
    match work {
        Work::Conclude { conclusion: Conclusion::Decision } => {
            Some(object(&[("verdict", text()), ("reasoning", text())]))
        }
        Work::Bid { purpose, .. } => Some(aside::bid(spec, *purpose)),
        Work::AnswerPoints => Some(aside::answer_points(material.points())),
        Work::Critique { .. } => Some(aside::critique()),
        Work::Revise => Some(aside::revision(material.critics())),
        Work::Reflect => {
            let (reflection, evolution) = material.notes();
            Some(aside::reflection(reflection, evolution))
        }
        Work::Interject => spec.moderator.as_ref().map(|moderator| aside::interjection(spec, moderator)),
        Work::ScoreSpeeches => Some(speech_scores(material.speeches().len())),
        Work::Ballot { .. } => Some(cast(spec, choice(spec, material.choices()))),
        Work::Vote => Some(cast(spec, vote(spec, material.candidates(), material.form()))),
        Work::ScoreDebaters => {
            Some(debater_scores(material.debaters().iter().map(|(_, label)| label.as_str()).collect()))
        }
        Work::OpenRound => Some(open_round(spec)),
        Work::CloseRound => Some(close_round(spec)),
        Work::EnoughSaid => Some(object(&[("enough", truth()), ("reasoning", text())])),
        Work::Judge { .. } => Some(judge(spec, material.candidates(), speeches)),
        Work::Rank { .. } => {
            let ranked = object(&[("candidate", one_of(material.candidates())), ("reason", text())]);
            Some(object(&[("ranking", exactly(material.candidates().len(), ranked))]))
        }
        Work::Synthesise => spec.synthesizer.as_ref().and_then(|synthesizer| synthesizer.output_schema.clone()),
        // answered in plain text
        Work::Opening
        | Work::Argument { .. }
        | Work::Statement { .. }
        | Work::Closing
        | Work::Research
        | Work::Conclude { conclusion: Conclusion::Reconciliation | Conclusion::Summary }
        | Work::Summarise
        // answered by figures
        | Work::Measure => None,
    }
}

/// Whether the moderator may call the vote: only where one decides.
pub(crate) fn calls_votes(spec: &DebateSpec) -> bool {
    spec.consensus_strategy == ConsensusStrategy::Vote
}

fn close_round(spec: &DebateSpec) -> Value {
    let status = json!({"type": "string", "enum": ["settled", "continue"]});
    let members = [("summary", text()), ("status", status), ("decision", optional_text()), ("vote_now", truth())];
    let most = if calls_votes(spec) { members.len() } else { members.len() - 1 };
    object(members.get(..most).unwrap_or_default())
}

/// A ballot or vote, with the voter's confidence where the file asks for it.
fn cast(spec: &DebateSpec, mut members: Vec<(&'static str, Value)>) -> Value {
    if spec.answers.confidence {
        members.push(("confidence", json!({"type": "integer", "minimum": 0, "maximum": MOST_CONFIDENCE})));
    }
    object(&members)
}

fn choice(spec: &DebateSpec, choices: &[String]) -> Vec<(&'static str, Value)> {
    let choice = match choices {
        [] => own_answer(spec),
        choices => one_of(choices),
    };
    vec![("choice", choice), ("reasons", texts(1, MAX_REASONS))]
}

fn vote(spec: &DebateSpec, candidates: &[String], form: BallotForm) -> Vec<(&'static str, Value)> {
    match form {
        // scores have a task of their own
        BallotForm::Single | BallotForm::Scores => choice(spec, candidates),
        BallotForm::Ranking => {
            vec![("ranking", exactly(candidates.len(), one_of(candidates))), ("reasons", texts(1, MAX_REASONS))]
        }
        BallotForm::Approval => {
            let approved =
                json!({"type": "array", "minItems": 1, "maxItems": candidates.len(), "items": one_of(candidates)});
            vec![("approved", approved), ("reasons", texts(1, MAX_REASONS))]
        }
    }
}

fn open_round(spec: &DebateSpec) -> Value {
    let names = names(spec);
    let most = if spec.turn_mode.is_by_moderator() { 2 * names.len() } else { 0 };
    let speakers = json!({"type": "array", "maxItems": most, "items": {"type": "string", "enum": names}});
    object(&[
        ("next_speakers", speakers),
        ("briefing", optional_text()),
        ("new_angle", optional_text()),
        ("done", json!({"type": "boolean"})),
    ])
}

/// An answer to the topic in the speaker's own words, or as a number.
fn own_answer(spec: &DebateSpec) -> Value {
    match spec.answer.as_ref().is_some_and(|form| form.kind == AnswerKind::Number) {
        true => json!({"type": "number"}),
        false => json!({"type": "string", "minLength": 1, "maxLength": MAX_CHOICE}),
    }
}

fn judge(spec: &DebateSpec, candidates: &[String], speeches: Option<usize>) -> Value {
    let wanted = spec.wants_winner(candidates);
    let null = (!wanted).then_some(Value::Null);
    let winners: Vec<Value> = candidates.iter().map(|candidate| json!(candidate)).chain(null).collect();
    let winner = if winners.is_empty() { own_answer(spec) } else { json!({"enum": winners}) };
    let entry = match speeches {
        // no number is right where nothing was said, and a range without one is no range
        Some(most) if most > 0 => json!({"type": "integer", "minimum": 1, "maximum": most}),
        Some(_) | None => json!({"type": "integer", "minimum": 1}),
    };
    let citation = object(&[("entry", entry), ("quote", text())]);
    object(&[
        ("verdict", text()),
        ("winner", winner),
        ("reasoning", text()),
        ("citations", json!({"type": "array", "minItems": 1, "maxItems": MAX_CITATIONS, "items": citation})),
        ("open_objections", texts(0, MAX_POINTS)),
    ])
}

fn speech_scores(count: usize) -> Value {
    let numbers: Vec<usize> = (1..=count).collect();
    let speech = ("speech", json!({"type": "integer", "enum": numbers}));
    object(&[("scores", exactly(count, scores(speech, Some(("comment", text())))))])
}

fn debater_scores(labels: Vec<&str>) -> Value {
    let count = labels.len();
    object(&[("scores", exactly(count, scores(("name", json!({"type": "string", "enum": labels})), None)))])
}

fn scores<'a>(of: (&'a str, Value), also: Option<(&'a str, Value)>) -> Value {
    let scales = SCALES.into_iter().map(|scale| (scale, level()));
    let members: Vec<(&str, Value)> = std::iter::once(of).chain(scales).chain(also).collect();
    object(&members)
}

/// An object with exactly these members, in this order.
pub(crate) fn object(members: &[(&str, Value)]) -> Value {
    let names: Vec<&str> = members.iter().map(|(name, _)| *name).collect();
    let properties: serde_json::Map<String, Value> =
        members.iter().map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
}

fn text() -> Value {
    json!({"type": "string", "minLength": 1})
}

fn truth() -> Value {
    json!({"type": "boolean"})
}

fn optional_text() -> Value {
    json!({"type": ["string", "null"]})
}

fn texts(least: usize, most: usize) -> Value {
    if least == 0 {
        return json!({"type": "array", "maxItems": most, "items": text()});
    }
    json!({"type": "array", "minItems": least, "maxItems": most, "items": text()})
}

/// A figure from 0 to 10.
fn level() -> Value {
    json!({"type": "integer", "minimum": 0, "maximum": TOP})
}

fn one_of(choices: &[String]) -> Value {
    json!({"type": "string", "enum": choices})
}

fn exactly(count: usize, items: Value) -> Value {
    json!({"type": "array", "minItems": count, "maxItems": count, "items": items})
}

fn names(spec: &DebateSpec) -> Vec<&str> {
    spec.personas.iter().map(|persona| persona.name.as_str()).collect()
}
