//! Tools on the way to an answer: how a model is told of them, how their results reach it.
//!
//! Whoever calls tools natively sends [`Prompt::messages`] with the tools beside it, and each result as a message of the role
//! `tool` with the text of [`Prompt::tool_result`]. Where a model has no tools of its own, a [`ToolLoop`] gives it the same
//! by structured answers.
use crate::answer::Malformed;
use crate::answer::json::{Object, found, objects};
use crate::prompt::{Prompt, PromptMessage, PromptRole};
use crate::schema::object;
use crate::template::{self, fill};
use agon_core::fence::{Fence, FenceKind, Foreign, Part, PromptText, Written};
use agon_core::json::unique;
use serde_json::{Value, json};
use std::sync::Arc;

/// A tool as a model is told of it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolInfo {
    /// The name that it is called by.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its arguments.
    pub parameters: Value,
}

/// What came of a tool: its result, or why there is none.
pub type ToolText<'a> = Result<&'a str, &'a str>;

impl Prompt {
    /// The text that tells of a tool's result, or why there is none: fenced like speech, look-alikes of our marks defused. The
    /// caller has cut the result to its limit.
    pub fn tool_result(&self, tool: &str, outcome: ToolText<'_>) -> PromptText {
        let (kind, words) = match outcome {
            Ok(result) => (FenceKind::Result, result),
            Err(problem) => (FenceKind::NoResult, problem),
        };
        let mut told = Written::default();
        let mut fence = Fence::open(&mut told, kind, &self.mark);
        fence.ours("Tool: ").line(&Foreign::new(tool)).ours("\n").text(&Foreign::new(words)).ours("\n");
        fence.close(kind);
        if outcome.is_err() {
            told.push("\n");
            told.push(fill(template::WITHOUT_RESULT, &[]));
        }
        told.finished()
    }
}

/// The loop in which a model without tools of its own asks for them by structured answers.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolLoop {
    prompt: Prompt,
    tools: Vec<ToolInfo>,
}

/// One answer inside a [`ToolLoop`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoopStep {
    /// A tool is wanted.
    Call {
        /// Which, by one of the names that were given.
        tool: String,
        /// The arguments, as JSON text of an object.
        arguments: String,
    },
    /// The answer to the task, to be read by [`crate::read_answer`].
    Answer(String),
}

impl ToolLoop {
    /// The loop for a prompt, with the tools that are to be had.
    pub fn new(mut prompt: Prompt, tools: Vec<ToolInfo>) -> Self {
        let mut told = fill(template::TOOL_LOOP, &[]);
        told.push("\n");
        let mut fence = Fence::open(&mut told, FenceKind::Tools, &prompt.mark);
        tools.iter().for_each(|tool| push_listed(&mut fence, tool));
        fence.close(FenceKind::Tools);
        told.push("\n");
        let chars = Part::from(&told).chars() as u64;
        prompt.estimated_tokens = prompt.estimated_tokens.saturating_add(chars.saturating_mul(2) / 7);
        if let Some(last) = prompt.messages.iter_mut().rfind(|message| message.role == PromptRole::User) {
            last.text = Written::joined([Part::from(&last.text), (&told).into()], "\n").finished();
        }
        Self { prompt, tools }
    }

    /// The prompt of the next call. `may_call` is false once the calls of the turn are used up: then only the answer is left.
    pub fn prompt(&self, may_call: bool) -> Prompt {
        let mut prompt = self.prompt.clone();
        prompt.schema = Some(Arc::new(self.schema(may_call)));
        prompt
    }

    /// Adds what the model wanted and what came of it to the conversation.
    pub fn heard(&mut self, wanted: &str, tool: &str, outcome: ToolText<'_>) {
        let told = self.prompt.tool_result(tool, outcome);
        let added = wanted.chars().count().saturating_add(told.chars().count()) as u64;
        self.prompt.estimated_tokens = self.prompt.estimated_tokens.saturating_add(added.saturating_mul(2) / 7);
        self.prompt
            .messages
            .push(PromptMessage { role: PromptRole::Assistant, text: Foreign::new(wanted).as_own_answer().finished() });
        self.prompt.messages.push(PromptMessage { role: PromptRole::User, text: told });
    }

    fn schema(&self, may_call: bool) -> Value {
        let names: Vec<Value> = self.tools.iter().map(|tool| json!(tool.name)).chain([Value::Null]).collect();
        let actions: &[&str] = if may_call { &["tool", "answer"] } else { &["answer"] };
        let answer = match &self.prompt.schema {
            Some(schema) => json!({"anyOf": [schema.as_ref(), {"type": "null"}]}),
            None => json!({"type": ["string", "null"]}),
        };
        object(&[
            ("action", json!({"type": "string", "enum": actions})),
            ("tool", json!({"enum": names})),
            ("arguments", json!({"type": ["object", "null"]})),
            ("answer", answer),
        ])
    }

    /// Reads one answer inside the loop.
    pub fn read(&self, text: &str, may_call: bool) -> Result<LoopStep, Malformed> {
        let text = agon_core::thinking::without_thinking(text);
        let mut problem = None;
        let acts = |object: Result<Object, Malformed>| match object {
            Ok(object) => Some(object).filter(|object| object.0.contains_key("action")),
            Err(malformed) => {
                problem.get_or_insert(malformed);
                None
            }
        };
        let Some(object) = objects(&text).into_iter().find_map(acts) else {
            let none = || Malformed("found no JSON object with a member \"action\"".to_owned());
            return Err(problem.unwrap_or_else(none));
        };
        let action = object.required("action")?;
        match action.as_str() {
            Some("answer") => answer(object.required("answer")?),
            Some("tool") if may_call => self.call(object.required("tool")?, object.0.get("arguments")),
            Some("tool") => Err(Malformed("action: found \"tool\", allowed \"answer\": no call is left".to_owned())),
            Some(_) | None => {
                Err(Malformed(format!("action: found {}, allowed \"tool\" or \"answer\"", found(action))))
            }
        }
    }

    fn call(&self, tool: &Value, arguments: Option<&Value>) -> Result<LoopStep, Malformed> {
        let known = tool.as_str().and_then(|name| self.tools.iter().find(|known| known.name == name.trim()));
        let Some(known) = known else {
            let names: Vec<&str> = self.tools.iter().map(|tool| tool.name.as_str()).collect();
            return Err(Malformed(format!("tool: found {}, allowed {}", found(tool), names.join(", "))));
        };
        let arguments = match arguments {
            None | Some(Value::Null) => "{}".to_owned(),
            Some(Value::Object(members)) => Value::Object(members.clone()).to_string(),
            // some models write the object as text
            Some(Value::String(text)) => match unique(text) {
                Ok(Value::Object(members)) => Value::Object(members).to_string(),
                Ok(_) | Err(_) => return Err(Malformed("arguments: found a text, allowed a JSON object".to_owned())),
            },
            Some(other) => return Err(Malformed(format!("arguments: found {}, allowed a JSON object", found(other)))),
        };
        Ok(LoopStep::Call { tool: known.name.clone(), arguments })
    }
}

fn answer(answer: &Value) -> Result<LoopStep, Malformed> {
    match answer {
        Value::String(text) if !text.trim().is_empty() => Ok(LoopStep::Answer(text.clone())),
        Value::Object(_) => Ok(LoopStep::Answer(answer.to_string())),
        other => Err(Malformed(format!("answer: found {}, allowed the answer to the task", found(other)))),
    }
}

/// A tool on one line: name, what it does, the schema of its arguments.
fn push_listed(fence: &mut Fence<'_>, tool: &ToolInfo) {
    fence.ours("- ").line(&Foreign::new(tool.name.as_str())).ours(": ").line(&Foreign::new(tool.description.as_str()));
    fence.ours(" Arguments: ").line(&Foreign::new(tool.parameters.to_string())).ours("\n");
}
