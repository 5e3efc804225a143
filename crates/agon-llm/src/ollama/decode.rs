//! Decodes the answer to a chat: lines of JSON, or one document of the same shape.

use serde::Deserialize;
use serde::de::IgnoredAny;

use crate::classify::mid_stream;
use crate::draft::{AnswerDraft, MAX_CALLS};
use crate::lines::LineBuffer;
use crate::wire::{AtMost, Borrowed, Metric, Tree, without_nan};
use crate::{ChatAnswer, ChatError, Decoder, DeltaSink, Framing, Progress, ToolCall};

/// Decodes Ollama's answers; success needs `done:true`.
#[derive(Debug)]
pub struct NdjsonDecoder {
    framing: Framing,
    lines: LineBuffer,
    state: State,
}

#[derive(Debug, Default)]
struct State {
    draft: AnswerDraft,
    progress: Progress,
}

impl NdjsonDecoder {
    /// A decoder for one answer.
    #[must_use]
    pub fn new(framing: Framing) -> Self {
        Self { framing, lines: LineBuffer::default(), state: State::default() }
    }
}

impl Decoder for NdjsonDecoder {
    fn push(&mut self, bytes: &[u8], sink: &mut dyn DeltaSink) -> Result<Progress, ChatError> {
        let Self { framing, lines, state } = self;
        state.progress.advanced = false;
        state.draft.receive(bytes)?;
        match framing {
            Framing::Whole => lines.keep(bytes)?,
            Framing::Streamed => lines.push(bytes, |line| state.line(line, sink))?,
        }
        Ok(state.progress)
    }

    fn finish(mut self, sink: &mut dyn DeltaSink) -> Result<ChatAnswer, ChatError> {
        let rest = self.lines.take_rest();
        let pending = !self.state.progress.complete && !rest.trim_ascii().is_empty();
        if pending {
            self.state.last(&rest, sink)?;
        }
        self.state.draft.conclude(sink)
    }
}

impl State {
    fn line(&mut self, line: &[u8], sink: &mut dyn DeltaSink) -> Result<(), ChatError> {
        if self.progress.complete || line.trim_ascii().is_empty() {
            return Ok(());
        }
        // All but the first and the last line hold nothing but a piece of text.
        if self.draft.answer.model.is_some()
            && let Ok(piece) = serde_json::from_slice::<StreamPiece<'_>>(line)
            && piece.is_plain()
        {
            self.progress.advanced = true;
            return self.draft.say(piece.message.content.as_str(), sink);
        }
        match serde_json::from_slice::<ChatReply<'_>>(line) {
            Ok(reply) => self.take(reply, sink),
            Err(_) if let Some(clean) = without_nan(line) => self.line(&clean, sink),
            Err(error) => Err(self.draft.blame(ChatError::malformed(&error.to_string()))),
        }
    }

    /// Takes what has no line end: a whole document is as good as a line, half of one is a cut.
    fn last(&mut self, rest: &[u8], sink: &mut dyn DeltaSink) -> Result<(), ChatError> {
        match serde_json::from_slice::<ChatReply<'_>>(rest) {
            Ok(reply) => self.take(reply, sink),
            Err(error) if error.is_eof() => Err(self.draft.blame(ChatError::cut("within a line"))),
            Err(_) if let Some(clean) = without_nan(rest) => self.last(&clean, sink),
            Err(error) => Err(self.draft.blame(ChatError::malformed(&error.to_string()))),
        }
    }

    fn take(&mut self, reply: ChatReply<'_>, sink: &mut dyn DeltaSink) -> Result<(), ChatError> {
        if let Some(error) = &reply.error {
            return Err(self.draft.blame(mid_stream(&error.0)));
        }
        self.progress.advanced = true;
        if self.draft.answer.model.is_none() {
            let model = reply.model.as_ref().map(|model| self.draft.name("the model", model.as_str()));
            self.draft.answer.model = model.transpose()?;
        }
        if reply.done == Some(true) {
            self.measure(&reply)?;
        }
        if let Some(message) = reply.message {
            self.hear(message, sink)?;
        }
        Ok(())
    }

    fn hear(&mut self, message: ReplyMessage<'_>, sink: &mut dyn DeltaSink) -> Result<(), ChatError> {
        if let Some(thinking) = &message.thinking {
            self.draft.think(thinking.as_str(), sink);
        }
        if let Some(content) = &message.content {
            self.draft.say(content.as_str(), sink)?;
        }
        for call in message.tool_calls.unwrap_or_default().0 {
            self.call(call)?;
        }
        Ok(())
    }

    fn call(&mut self, call: ReplyCall<'_>) -> Result<(), ChatError> {
        let id = call.id.map(|id| self.draft.name("a tool call", id.as_str())).transpose()?;
        let name = self.draft.name("a tool", call.function.name.as_str())?;
        let arguments = call.function.arguments.0;
        let bytes = arguments.to_string().len();
        self.draft.call(ToolCall { id, name, arguments }, bytes)
    }

    fn measure(&mut self, reply: &ChatReply<'_>) -> Result<(), ChatError> {
        self.progress.complete = true;
        let usage = &mut self.draft.answer.usage;
        usage.prompt_tokens = reply.prompt_eval_count.tokens();
        usage.cached_tokens = reply.prompt_eval_cached_count.count();
        usage.completion_tokens = reply.eval_count.tokens();
        let timing = &mut self.draft.answer.timing;
        timing.load_ms = reply.load_duration.nanos();
        timing.prefill_ms = reply.prompt_eval_duration.nanos();
        timing.decode_ms = reply.eval_duration.nanos();
        // Before done_reason existed, done alone meant a stop.
        self.draft.ended(reply.done_reason.as_ref().map_or("stop", Borrowed::as_str))
    }
}

/// The part of a line that most lines consist of; a line with anything more is read as a [`ChatReply`].
#[derive(Deserialize)]
struct StreamPiece<'a> {
    #[serde(borrow)]
    message: PieceMessage<'a>,
    #[serde(default)]
    done: bool,
    error: Option<IgnoredAny>,
}

impl StreamPiece<'_> {
    fn is_plain(&self) -> bool {
        !self.done && self.error.is_none() && self.message.thinking.is_none() && self.message.tool_calls.is_none()
    }
}

#[derive(Deserialize)]
struct PieceMessage<'a> {
    #[serde(borrow)]
    content: Borrowed<'a>,
    thinking: Option<IgnoredAny>,
    tool_calls: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct ChatReply<'a> {
    #[serde(borrow)]
    model: Option<Borrowed<'a>>,
    #[serde(borrow)]
    message: Option<ReplyMessage<'a>>,
    done: Option<bool>,
    #[serde(borrow)]
    done_reason: Option<Borrowed<'a>>,
    error: Option<Tree>,
    #[serde(default)]
    load_duration: Metric,
    #[serde(default)]
    prompt_eval_count: Metric,
    #[serde(default)]
    prompt_eval_cached_count: Metric,
    #[serde(default)]
    prompt_eval_duration: Metric,
    #[serde(default)]
    eval_count: Metric,
    #[serde(default)]
    eval_duration: Metric,
}

#[derive(Deserialize)]
struct ReplyMessage<'a> {
    #[serde(borrow)]
    content: Option<Borrowed<'a>>,
    #[serde(borrow)]
    thinking: Option<Borrowed<'a>>,
    #[serde(borrow)]
    tool_calls: Option<AtMost<ReplyCall<'a>, MAX_CALLS>>,
}

#[derive(Deserialize)]
struct ReplyCall<'a> {
    #[serde(borrow)]
    id: Option<Borrowed<'a>>,
    #[serde(borrow)]
    function: ReplyFunction<'a>,
}

#[derive(Deserialize)]
struct ReplyFunction<'a> {
    #[serde(borrow)]
    name: Borrowed<'a>,
    #[serde(default)]
    arguments: Tree,
}
