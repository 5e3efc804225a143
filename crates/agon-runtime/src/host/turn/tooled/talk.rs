//! A conversation with a model about tools: by its own means, or by structured answers where it has none.
use super::room;
use crate::host::request;
use agon_llm::{ChatAnswer, ChatMessage, ChatRequest, ToolCall, ToolSpec};
use agon_prompt::{LoopStep, Malformed, Prompt, ToolInfo, ToolLoop};
use agon_tools::ToolOutcome;
use serde_json::Value;
use std::sync::Arc;

/// The conversation of one turn.
pub(super) enum Talk {
    /// The model calls tools by its own means.
    Native(Box<Native>),
    /// It asks for them in its answers.
    Loop(Box<ToolLoop>),
}

/// What a model that calls tools by its own means was told.
pub(super) struct Native {
    prompt: Prompt,
    functions: Vec<ToolSpec>,
    /// The characters of these, which a prompt does not count.
    offered: usize,
    /// What came after the prompt.
    said: Vec<ChatMessage>,
    /// Its characters.
    chars: usize,
}

/// What a model wants.
pub(super) enum TalkStep {
    /// These functions called, one at least.
    Calls(Vec<ToolCall>),
    /// Nothing more: this is its answer.
    Answer(String),
}

impl Talk {
    /// A structured answer and calls of tools exclude each other at most servers: then the loop asks for both.
    pub(super) fn new(prompt: Prompt, functions: Vec<ToolSpec>, native: bool) -> Self {
        if native && prompt.schema.is_none() {
            let offered = functions.iter().map(room::chars).sum();
            return Self::Native(Box::new(Native { prompt, functions, offered, said: Vec::new(), chars: 0 }));
        }
        let info = |function: ToolSpec| ToolInfo {
            name: function.name,
            description: function.description,
            parameters: (*function.parameters).clone(),
        };
        Self::Loop(Box::new(ToolLoop::new(prompt, functions.into_iter().map(info).collect())))
    }

    pub(super) fn is_native(&self) -> bool {
        matches!(self, Self::Native(_))
    }

    /// The hash of the first prompt, as it was sent.
    pub(super) fn hash(&self) -> String {
        match self {
            Self::Native(native) => request::hash(&native.prompt),
            Self::Loop(talk) => request::hash(&talk.prompt(true)),
        }
    }

    /// The prompt of the next call, and how many characters [`Talk::complete`] adds to it.
    pub(super) fn prompt(&self, may_call: bool) -> (Prompt, usize) {
        match self {
            Self::Native(native) => {
                let offered = if may_call { native.offered } else { 0 };
                (native.prompt.clone(), native.chars.saturating_add(offered))
            }
            Self::Loop(talk) => (talk.prompt(may_call), 0),
        }
    }

    /// Adds to a request what a prompt cannot hold.
    pub(super) fn complete(&self, request: &mut ChatRequest, may_call: bool) {
        match self {
            Self::Native(native) => {
                request.messages.extend(native.said.iter().cloned());
                if may_call {
                    request.tools.clone_from(&native.functions);
                }
            }
            Self::Loop(_) => {}
        }
    }

    /// What the model wants. Of more calls than are left the first ones count, the others are as if not made.
    pub(super) fn read(&self, answer: &ChatAnswer, left: u32) -> Result<TalkStep, Malformed> {
        match self {
            Self::Native(_) if answer.tool_calls.is_empty() || left == 0 => Ok(TalkStep::Answer(answer.text.clone())),
            Self::Native(_) => {
                let most = usize::try_from(left).unwrap_or(usize::MAX);
                Ok(TalkStep::Calls(answer.tool_calls.iter().take(most).cloned().collect()))
            }
            Self::Loop(talk) => Ok(match talk.read(&answer.text, left > 0)? {
                LoopStep::Answer(text) => TalkStep::Answer(text),
                LoopStep::Call { tool, arguments } => {
                    let arguments = serde_json::from_str(&arguments).unwrap_or(Value::Null);
                    TalkStep::Calls(vec![ToolCall { id: None, name: tool, arguments }])
                }
            }),
        }
    }

    /// The model has asked for calls.
    pub(super) fn asked(&mut self, answer: &ChatAnswer, calls: &[ToolCall]) {
        match self {
            Self::Native(native) => {
                native.chars += answer.text.chars().count();
                native.chars += calls.iter().map(|call| call.arguments.to_string().chars().count()).sum::<usize>();
                let asked = ChatMessage { tool_calls: calls.to_vec(), ..ChatMessage::assistant(answer.text.clone()) };
                native.said.push(asked);
            }
            // told with what came of it
            Self::Loop(_) => {}
        }
    }

    /// What came of one of the calls in `answer`.
    pub(super) fn heard(&mut self, answer: &ChatAnswer, call: &ToolCall, outcome: &ToolOutcome) {
        let came = if outcome.is_error() { Err(outcome.text.as_str()) } else { Ok(outcome.text.as_str()) };
        match self {
            Self::Native(native) => {
                let told = native.prompt.tool_result(&call.name, came);
                native.chars += told.chars().count();
                native.said.push(ChatMessage::tool(call, Arc::<str>::from(told)));
            }
            Self::Loop(talk) => talk.heard(&answer.text, &call.name, came),
        }
    }
}
