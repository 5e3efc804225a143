//! What a model's text means.
pub(crate) mod json;
mod moderator;
mod speech;

pub(crate) use speech::without_thoughts;

use crate::schema::{MAX_CHOICE, MAX_CITATIONS, MAX_REASONS};
use crate::text::{cut, one_line};
use agon_core::tally::same_answer;
use agon_core::{Answer, Ask, CitedEntry, DebateSpec, Judgement, Task};
use json::{Object, found, objects};

/// What is wrong with an answer, in words that the model can act on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Malformed(pub String);

/// Reads a model's text as the answer that the task asks for.
///
/// Structured answers are found in prose and code fences, and must then have the form of their schema. A choice counts
/// when it is one of the allowed ones, letter case, white space and a final full stop aside; it is never guessed.
pub fn read_answer(spec: &DebateSpec, ask: &Ask, text: &str) -> Result<Answer, Malformed> {
    let text = speech::without_thoughts(text);
    match &ask.task {
        Task::Opening | Task::Argument { .. } | Task::Closing => speech::read(&text, &ask.participant),
        Task::Ballot { choices, .. } => first_good(&text, |object| choice(object, choices)),
        Task::Vote { candidates, .. } => first_good(&text, |object| choice(object, candidates)),
        Task::OpenRound => first_good(&text, |object| moderator::plan(spec, object)),
        Task::CloseRound => moderator::close(&text),
        Task::Judge { candidates, .. } => first_good(&text, |object| judgement(object, candidates)),
        _ => Err(Malformed("not yet".to_owned())),
    }
}

/// The first object in the text that has the right form; else what is wrong with the last one.
fn first_good(text: &str, read: impl Fn(&Object) -> Result<Answer, Malformed>) -> Result<Answer, Malformed> {
    let mut problem = None;
    for object in objects(text) {
        match read(&object) {
            Ok(answer) => return Ok(answer),
            Err(malformed) => problem = Some(malformed),
        }
    }
    Err(problem.unwrap_or_else(|| no_object(text)))
}

fn no_object(text: &str) -> Malformed {
    if text.trim().is_empty() {
        return Malformed("the answer is empty; one JSON object is wanted".to_owned());
    }
    Malformed(format!("found no complete JSON object in \"{}\"", cut(&one_line(text), 80)))
}

fn choice(object: &Object, allowed: &[String]) -> Result<Answer, Malformed> {
    let choice = object.text("choice")?;
    let choice = if allowed.is_empty() {
        if choice.chars().count() > MAX_CHOICE {
            return Err(Malformed(format!(
                "choice: found {} characters, allowed {MAX_CHOICE}",
                choice.chars().count()
            )));
        }
        choice
    } else {
        one_of("choice", &choice, allowed, "")?
    };
    let items = object.array("reasons", 1, MAX_REASONS)?;
    let mut reasons = Vec::with_capacity(items.len());
    for item in items {
        let reason = item.as_str().ok_or_else(|| wrong("reasons", item, "texts alone"))?;
        reasons.push(reason.trim().to_owned());
    }
    reasons.retain(|reason| !reason.is_empty());
    if reasons.is_empty() {
        return Err(Malformed("reasons: found none with text, allowed 1 to 5 texts".to_owned()));
    }
    Ok(Answer::Choice { choice, reasons })
}

fn judgement(object: &Object, candidates: &[String]) -> Result<Answer, Malformed> {
    let winner = match object.required("winner")? {
        serde_json::Value::Null => None,
        serde_json::Value::String(winner) => Some(one_of("winner", winner, candidates, "null, ")?),
        other => return Err(wrong("winner", other, "one of the candidates or null")),
    };
    let items = object.array("citations", 0, MAX_CITATIONS)?;
    let citations = items.iter().map(citation).collect::<Result<_, _>>()?;
    Ok(Answer::Judgement(Judgement {
        verdict: object.text("verdict")?,
        winner,
        reasoning: object.text("reasoning")?,
        citations,
        open_objections: Vec::new(),
    }))
}

fn citation(item: &serde_json::Value) -> Result<CitedEntry, Malformed> {
    let object = item.as_object().ok_or_else(|| wrong("citations", item, "objects with entry and quote"))?;
    let object = Object(object.clone());
    let entry = object.required("entry")?;
    let number = json::whole_number(entry).filter(|number| *number > 0);
    let number = number.ok_or_else(|| wrong("entry", entry, "the number of a speech, from 1"))?;
    Ok(CitedEntry { entry: number, quote: object.text("quote")? })
}

/// The allowed choice that this is, as the ballot spells it.
fn one_of(field: &str, choice: &str, allowed: &[String], also: &str) -> Result<String, Malformed> {
    let known = allowed.iter().find(|known| *known == choice);
    let known = known.or_else(|| allowed.iter().find(|known| same_answer(known, choice)));
    known.cloned().ok_or_else(|| {
        let quoted: Vec<String> = allowed.iter().map(|choice| format!("\"{}\"", one_line(choice))).collect();
        let also = if allowed.is_empty() { also.trim_end_matches(", ") } else { also };
        Malformed(format!("{field}: found \"{}\", allowed {also}{}", cut(&one_line(choice), 80), quoted.join(", ")))
    })
}

fn wrong(field: &str, value: &serde_json::Value, allowed: &str) -> Malformed {
    Malformed(format!("{field}: found {}, allowed {allowed}", found(value)))
}

#[cfg(test)]
mod tests;
