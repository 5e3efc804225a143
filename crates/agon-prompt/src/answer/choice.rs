//! Ballots, votes, judgements, rankings.
use super::json::{Object, whole_number};
use super::{Malformed, one_of, wrong};
use crate::schema::{MAX_CHOICE, MAX_CITATIONS, MAX_POINTS, MAX_REASONS, MOST_CONFIDENCE};
use crate::text::one_line;
use agon_core::fence::neutralise;
use agon_core::{Answer, AnswerKind, CitedEntry, DebateSpec, Judgement, Ranked};
use serde_json::Value;

/// One choice with its reasons; any text where none is listed.
pub(super) fn choice(spec: &DebateSpec, object: &Object, allowed: &[String]) -> Result<Answer, Malformed> {
    let choice = answer_text(spec, object, "choice")?;
    let choice = if allowed.is_empty() {
        let length = choice.chars().count();
        if length > MAX_CHOICE {
            return Err(Malformed(format!("choice: found {length} characters, allowed {MAX_CHOICE}")));
        }
        // others choose among such answers, word for word
        if neutralise(&one_line(&choice)).1 > 0 {
            return Err(Malformed(
                "choice: found what looks like the marks of a prompt, allowed plain words".to_owned(),
            ));
        }
        spec.read_answer(&choice).map_err(|problem| Malformed(format!("choice: {problem}")))?
    } else {
        picked(spec, "choice", &choice, allowed, "")?
    };
    Ok(Answer::Choice { choice, reasons: reasons(object)?, confidence: confidence(spec, object)? })
}

/// The same in lines: the choice alone on the first, and a reason on each of the others, for models that write no JSON.
pub(super) fn in_lines(spec: &DebateSpec, text: &str, allowed: &[String]) -> Option<Answer> {
    if text.contains('{') || allowed.is_empty() || spec.answers.confidence {
        return None;
    }
    let bare = |line: &str| {
        let line = line.trim().trim_start_matches(['-', '*', '#', '>', ' ']);
        let line = line
            .split_once(['.', ')'])
            .filter(|(number, _)| number.parse::<u8>().is_ok())
            .map_or(line, |(_, rest)| rest);
        line.trim().trim_end_matches('*').to_owned()
    };
    let mut lines = text.lines().map(bare).filter(|line| !line.is_empty());
    let first = lines.next()?;
    let is_key = |key: &str| matches!(key.to_lowercase().as_str(), "choice" | "answer" | "vote");
    let named = first.split_once(':').filter(|(key, _)| is_key(key)).map(|(_, choice)| choice);
    let choice = named.unwrap_or(&first).trim().trim_matches('"');
    let choice = picked(spec, "choice", choice, allowed, "").ok()?;
    let reasons: Vec<String> = lines.take(MAX_REASONS).collect();
    (!reasons.is_empty()).then_some(Answer::Choice { choice, reasons, confidence: None })
}

/// A text, or the number where an answer is one.
fn answer_text(spec: &DebateSpec, object: &Object, field: &str) -> Result<String, Malformed> {
    let is_number = spec.answer.as_ref().is_some_and(|form| form.kind == AnswerKind::Number);
    match object.required(field)? {
        Value::Number(number) if is_number => Ok(number.to_string()),
        _ => object.text(field),
    }
}

/// The allowed choice that this is: by its words, else as the answer that it is.
fn picked(spec: &DebateSpec, field: &str, choice: &str, allowed: &[String], also: &str) -> Result<String, Malformed> {
    one_of(field, choice, allowed, also).or_else(|problem| spec.pick(allowed, choice).cloned().ok_or(problem))
}

fn reasons(object: &Object) -> Result<Vec<String>, Malformed> {
    let reasons = object.texts("reasons", 1, MAX_REASONS)?;
    if reasons.is_empty() {
        return Err(Malformed("reasons: found none with text, allowed 1 to 5 texts".to_owned()));
    }
    Ok(reasons)
}

/// How sure the voter is, where the file asks for it.
fn confidence(spec: &DebateSpec, object: &Object) -> Result<Option<u8>, Malformed> {
    if !spec.answers.confidence {
        return Ok(None);
    }
    let value = object.required("confidence")?;
    let percent = whole_number(value).and_then(|percent| u8::try_from(percent).ok());
    let percent = percent.filter(|percent| *percent <= MOST_CONFIDENCE);
    percent.map(Some).ok_or_else(|| wrong("confidence", value, "a whole number from 0 to 100"))
}

/// Every candidate once, best first.
pub(super) fn ranked(spec: &DebateSpec, object: &Object, candidates: &[String]) -> Result<Answer, Malformed> {
    let items = object.array("ranking", candidates.len(), candidates.len())?;
    let (choices, confidence) = (different("ranking", items, candidates)?, confidence(spec, object)?);
    Ok(Answer::Choices { choices, reasons: reasons(object)?, confidence })
}

/// One candidate or more.
pub(super) fn approved(spec: &DebateSpec, object: &Object, candidates: &[String]) -> Result<Answer, Malformed> {
    let items = object.array("approved", 1, candidates.len())?;
    let (choices, confidence) = (different("approved", items, candidates)?, confidence(spec, object)?);
    Ok(Answer::Choices { choices, reasons: reasons(object)?, confidence })
}

/// The candidates that these are, none twice.
fn different<'a>(
    field: &str,
    items: impl IntoIterator<Item = &'a Value>,
    candidates: &[String],
) -> Result<Vec<String>, Malformed> {
    let mut known: Vec<String> = Vec::new();
    for item in items {
        let name = item.as_str().ok_or_else(|| wrong(field, item, "candidates alone"))?;
        let name = one_of(field, name, candidates, "")?;
        if known.contains(&name) {
            return Err(Malformed(format!("{field}: found \"{name}\" twice, allowed once")));
        }
        known.push(name);
    }
    Ok(known)
}

pub(super) fn ranking(object: &Object, candidates: &[String]) -> Result<Answer, Malformed> {
    let items = object.array("ranking", candidates.len(), candidates.len())?;
    let places = items.iter().map(|item| Object::of("ranking", item)).collect::<Result<Vec<_>, _>>()?;
    let names = places.iter().map(|place| place.required("candidate")).collect::<Result<Vec<_>, _>>()?;
    let names = different("candidate", names, candidates)?;
    let place = |(candidate, place): (String, &Object)| Ok(Ranked { candidate, reason: place.text("reason")? });
    names.into_iter().zip(&places).map(place).collect::<Result<_, _>>().map(Answer::Ranking)
}

pub(super) fn enough(object: &Object) -> Result<Answer, Malformed> {
    Ok(Answer::Enough { enough: object.truth("enough")?, reasoning: object.text("reasoning")? })
}

pub(super) fn judgement(spec: &DebateSpec, object: &Object, candidates: &[String]) -> Result<Answer, Malformed> {
    let wanted = spec.wants_winner(candidates);
    let null = if wanted { "" } else { "null, " };
    let winner = match object.required("winner")? {
        Value::Null if !wanted => None,
        Value::String(_) | Value::Number(_) if wanted && candidates.is_empty() => {
            let own = answer_text(spec, object, "winner")?;
            Some(spec.read_answer(&own).map_err(|problem| Malformed(format!("winner: {problem}")))?)
        }
        Value::String(winner) => Some(picked(spec, "winner", winner, candidates, null)?),
        Value::Number(_) if wanted => {
            Some(picked(spec, "winner", &answer_text(spec, object, "winner")?, candidates, null)?)
        }
        other => {
            let allowed = if wanted { "one of the candidates" } else { "one of the candidates or null" };
            return Err(wrong("winner", other, allowed));
        }
    };
    let items = object.first("citations", 0, MAX_CITATIONS)?;
    let citations = items.iter().map(citation).collect::<Result<_, _>>()?;
    Ok(Answer::Judgement(Judgement {
        verdict: object.text("verdict")?,
        winner,
        reasoning: object.text("reasoning")?,
        citations,
        open_objections: object.optional_texts("open_objections", MAX_POINTS)?,
    }))
}

/// Speeches are numbered from 1.
const NO_SPEECH: u32 = 0;

fn citation(item: &Value) -> Result<CitedEntry, Malformed> {
    let object = item.as_object().ok_or_else(|| wrong("citations", item, "objects with entry and quote"))?;
    let object = Object(object.clone(), None);
    // what names no speech is a quotation that cannot be verified, and no reason to lose the judgement
    let number = whole_number(object.required("entry")?).unwrap_or(NO_SPEECH);
    Ok(CitedEntry { entry: number, quote: object.text("quote")? })
}
