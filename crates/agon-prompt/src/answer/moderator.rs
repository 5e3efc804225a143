//! The moderator's decisions.
use super::json::{Object, objects};
use super::{Malformed, last_good, participant, roster, wrong};
use crate::schema::MAX_REMARKS;
use crate::text::{cut, one_line};
use agon_core::{
    Answer, DebateSpec, Interjection, ParticipantId, Remark, RoundPlan, RoundStatus, RoundSummary, TurnMode,
};
use serde_json::Value;

/// How a round is opened. Names pass as they are: whether they are known is for the debate's own rules to say.
pub(super) fn plan(spec: &DebateSpec, object: &Object) -> Result<Answer, Malformed> {
    let speakers = object.required("next_speakers")?;
    let names = speakers.as_array().ok_or_else(|| wrong("next_speakers", speakers, "an array of names"))?;
    let mut next_speakers = Vec::with_capacity(names.len());
    for name in names {
        let name = name.as_str().ok_or_else(|| wrong("next_speakers", name, "names alone"))?;
        next_speakers.push(ParticipantId::new(name.trim()));
    }
    let done = object.truth("done")?;
    if next_speakers.is_empty() && !done && spec.turn_mode == TurnMode::Moderator {
        let roster: Vec<String> = spec.personas.iter().map(|persona| format!("\"{}\"", persona.name)).collect();
        return Err(Malformed(format!(
            "next_speakers: found no name while done is false, allowed are names out of {}",
            roster.join(", ")
        )));
    }
    if spec.turn_mode != TurnMode::Moderator {
        // the order is fixed: names given all the same mean nothing
        next_speakers.clear();
    }
    let (briefing, new_angle) = (object.optional_text("briefing")?, object.optional_text("new_angle")?);
    Ok(Answer::RoundPlan(RoundPlan { next_speakers, briefing, new_angle, done }))
}

/// The synthesis that is the verdict.
pub(super) fn conclusion(object: &Object) -> Result<Answer, Malformed> {
    Ok(Answer::Conclusion { verdict: object.text("verdict")?, reasoning: object.text("reasoning")? })
}

/// What is said between speeches, as far as it is among the duties; the rest is dropped.
pub(super) fn interjection(spec: &DebateSpec, object: &Object) -> Result<Answer, Malformed> {
    let Some(moderator) = &spec.moderator else { return Err(Malformed("the debate has no moderator".to_owned())) };
    let comment = if moderator.interjects { object.optional_text("comment")? } else { None };
    let known = roster(spec);
    let remarks = |field: &str, wanted: bool| -> Result<Vec<Remark>, Malformed> {
        let items = match object.0.get(field) {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(_) if !wanted => return Ok(Vec::new()),
            Some(_) => object.array(field, 0, MAX_REMARKS)?,
        };
        let remark = |item| {
            let item = Object::of(field, item)?;
            Ok(Remark { to: participant("name", item.required("name")?, &known)?, text: item.text("text")? })
        };
        items.iter().map(remark).collect()
    };
    Ok(Answer::Interjection(Interjection {
        comment,
        warnings: remarks("warnings", moderator.warns)?,
        questions: remarks("questions", moderator.clarifies)?,
        revisions: remarks("revisions", moderator.reflects)?,
    }))
}

/// How a round is closed: as JSON, or by the classic lines `SUMMARY:`, `STATUS:`, `DECISION:`.
pub(super) fn close(text: &str) -> Result<Answer, Malformed> {
    if objects(text).is_empty()
        && let Some(summary) = classic(text)
    {
        return summary;
    }
    last_good(text, |object| {
        let status = object.required("status")?;
        let status = status.as_str().ok_or_else(|| wrong("status", status, STATUSES))?;
        let (summary, decision) = (object.text("summary")?, object.optional_text("decision")?);
        let vote_now = object.0.contains_key("vote_now") && object.truth("vote_now")?;
        Ok(Answer::RoundSummary(RoundSummary { summary, status: read_status(status)?, decision, vote_now }))
    })
}

const STATUSES: &str = "\"settled\" or \"continue\"";

/// Which of the classic fields the status is.
const STATUS: usize = 1;

/// Settled only when that is all it says: anything with a "not" in it goes on.
fn read_status(status: &str) -> Result<RoundStatus, Malformed> {
    let words = status.to_lowercase().replace("n't", " not").replace("n’t", " not");
    let words: Vec<&str> = words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    match words.as_slice() {
        ["settled"] => Ok(RoundStatus::Settled),
        ["continue" | "unsettled"] => Ok(RoundStatus::Continue),
        words if words.contains(&"not") && words.contains(&"settled") => Ok(RoundStatus::Continue),
        _ => Err(wrong("status", &Value::from(status), STATUSES)),
    }
}

/// The classic lines; none when there is no line `STATUS:`.
fn classic(text: &str) -> Option<Result<Answer, Malformed>> {
    let mut fields: [Option<String>; 3] = [None, None, None];
    let mut open = None;
    for line in text.lines() {
        let (field, value) = match classic_key(line) {
            Some((field, value)) => (field, value),
            None => match open {
                Some(field) => (field, line.trim()),
                None => continue,
            },
        };
        // a status is one word, whatever follows it on further lines
        open = Some(field).filter(|field| *field != STATUS);
        if let Some(slot) = fields.get_mut(field) {
            let so_far = slot.get_or_insert_default();
            if !so_far.is_empty() && !value.is_empty() {
                so_far.push('\n');
            }
            so_far.push_str(value);
        }
    }
    let [summary, status, decision] = fields;
    let status = match read_status(&status?) {
        Ok(status) => status,
        Err(malformed) => return Some(Err(malformed)),
    };
    let Some(summary) = summary.filter(|summary| !summary.trim().is_empty()) else {
        return Some(Err(Malformed(format!("SUMMARY: missing in \"{}\"", cut(&one_line(text), 80)))));
    };
    let decision = decision.filter(|decision| !is_nothing(decision));
    Some(Ok(Answer::RoundSummary(RoundSummary { summary, status, decision, vote_now: false })))
}

fn classic_key(line: &str) -> Option<(usize, &str)> {
    let marks = |c: char| c.is_whitespace() || matches!(c, '*' | '_' | '#' | '-');
    let (key, value) = line.split_once(':')?;
    let field = match key.trim_matches(marks).to_lowercase().as_str() {
        "summary" => 0,
        "status" => STATUS,
        "decision" => 2,
        _ => return None,
    };
    // emphasis around the key may close behind the colon
    Some((field, value.trim_start_matches(['*', '_']).trim()))
}

fn is_nothing(decision: &str) -> bool {
    let word = decision.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    matches!(word.as_str(), "" | "none" | "null" | "n/a" | "no decision" | "no decision yet" | "not yet")
}
