//! The result as its author wants it, checked against his schema.
use super::{Malformed, slips};
use crate::text::{cut, one_line};
use agon_core::fence::without_quotations;
use agon_core::json::unique;
use agon_core::{Answer, Ask, DebateSpec, Synthesis};
use agon_schema::{Cache, MOST_NODES, Schema};
use serde_json::Value;

/// How many of a validator's messages are told, and how much of each.
const MOST_PROBLEMS: usize = 8;
const PROBLEM_LENGTH: usize = 200;
/// How many code fences of an answer are looked into.
const MOST_FENCES: usize = 16;

/// Valid output is kept as compact JSON. What is wrong is told to the model once; after that the text stays with its problems.
pub(super) fn read(spec: &DebateSpec, ask: &Ask, text: &str) -> Result<Answer, Malformed> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Malformed("the answer is empty".to_owned()));
    }
    let schema = spec.synthesizer.as_ref().and_then(|synthesizer| synthesizer.output_schema.as_ref());
    let (output, problems) = match schema.map(|schema| checked(schema, text)) {
        None => (None, Vec::new()),
        Some(Ok(output)) => (Some(output.to_string().into()), Vec::new()),
        Some(Err(problems)) => (None, problems),
    };
    if !problems.is_empty() && ask.correction.is_none() {
        return Err(Malformed(problems.join("; ")));
    }
    Ok(Answer::Synthesis(Synthesis { text: text.into(), output, problems }))
}

/// The last value in the text that the schema describes; else what is wrong with the very last one.
fn checked(schema: &Value, text: &str) -> Result<Value, Vec<String>> {
    let schema = Cache::shared().compiled(schema, MOST_NODES).map_err(|error| {
        let place = if error.at.is_empty() { String::new() } else { format!(" at {}", told(&error.at)) };
        vec![format!("the schema cannot be used{place}: {}", told(&error.to_string()))]
    })?;
    let mut problems = None;
    for value in values(text) {
        let found = value.as_ref().map_or_else(|error| vec![error.clone()], |value| wrong(&schema, value));
        match value {
            Ok(value) if found.is_empty() => return Ok(value),
            Ok(_) | Err(_) => problems = problems.or(Some(found)),
        }
    }
    let none = || vec![format!("found no JSON value that is the whole answer, in \"{}\"", cut(&one_line(text), 80))];
    Err(problems.unwrap_or_else(none))
}

fn wrong(schema: &Schema, output: &Value) -> Vec<String> {
    let problems = schema.problems(output, MOST_PROBLEMS).into_iter().map(|problem| {
        let place = if problem.at.is_empty() { "the answer".to_owned() } else { told(&problem.at) };
        format!("{place}: {}", told(&problem.message))
    });
    problems.collect()
}

fn told(text: &str) -> String {
    cut(&one_line(text), PROBLEM_LENGTH).into_owned()
}

/// The whole answer, or what stands in its code fences, the last one first. One that names a member twice is told of instead.
fn values(text: &str) -> Vec<Result<Value, String>> {
    let told = |json: &str| match unique(json) {
        Ok(value) => Some(Ok(value)),
        Err(error) if error.is_data() => Some(Err(told(&error.to_string()))),
        // what is no JSON is read where its mistakes leave one meaning
        Err(_) if json.starts_with('{') => match slips::read(json) {
            (end, Ok(members)) if end == json.len() => Some(Ok(Value::Object(members))),
            (_, Ok(_)) => None,
            (_, Err(mistake)) => Some(Err(told(&slips::told(json, &mistake)))),
        },
        Err(_) => None,
    };
    if let Some(value) = told(text) {
        return vec![value];
    }
    // between two fences stands code, then prose; the rest of a fence's first line names the language
    let unquoted = without_quotations(text);
    let fenced = unquoted.split("```").skip(1).step_by(2).filter_map(|fenced| Some(fenced.split_once('\n')?.1));
    let mut found: Vec<Result<Value, String>> = fenced.filter_map(|body| told(body.trim())).collect();
    found.reverse();
    found.truncate(MOST_FENCES);
    found
}
