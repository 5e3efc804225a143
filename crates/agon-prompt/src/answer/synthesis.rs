//! The result as its author wants it, checked against his schema.
use super::Malformed;
use crate::text::{cut, one_line};
use agon_core::{Answer, Ask, DebateSpec, Synthesis};
use agon_schema::Schema;
use serde_json::Value;

/// How many of a validator's messages are told, and how much of each.
const MOST_PROBLEMS: usize = 8;
const PROBLEM_LENGTH: usize = 200;

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

fn checked(schema: &Value, text: &str) -> Result<Value, Vec<String>> {
    let output = value(text).ok_or_else(|| {
        vec![format!("found no JSON value that is the whole answer, in \"{}\"", cut(&one_line(text), 80))]
    })?;
    let schema = Schema::compile(schema).map_err(|error| {
        let place = if error.at.is_empty() { String::new() } else { format!(" at {}", told(&error.at)) };
        vec![format!("the schema cannot be used{place}: {}", told(&error.to_string()))]
    })?;
    let problems = schema.problems(&output, MOST_PROBLEMS).into_iter().map(|problem| {
        let place = if problem.at.is_empty() { "the answer".to_owned() } else { told(&problem.at) };
        format!("{place}: {}", told(&problem.message))
    });
    let problems: Vec<String> = problems.collect();
    if problems.is_empty() { Ok(output) } else { Err(problems) }
}

fn told(text: &str) -> String {
    cut(&one_line(text), PROBLEM_LENGTH).into_owned()
}

/// The whole answer, or what stands in its first code fence.
fn value(text: &str) -> Option<Value> {
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    let (_, fenced) = text.split_once("```")?;
    // the rest of the fence's first line names the language
    let (_, body) = fenced.split_once('\n')?;
    let (body, _) = body.split_once("```")?;
    serde_json::from_str(body.trim()).ok()
}
