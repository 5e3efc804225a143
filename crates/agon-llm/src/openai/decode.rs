//! Decodes the answer to a chat: server-sent events, or one document of nearly the same shape.

use serde::Deserialize;
use serde_json::Value;

use super::parts::MessageParts;
use super::sse::{EventBuffer, EventTone};
use super::tools::{CallDrafts, CallPiece};
use crate::classify::mid_stream;
use crate::draft::{AnswerDraft, EndReason, MAX_CALLS};
use crate::wire::{AtMost, Borrowed, First, Metric, Tree, without_nan};
use crate::{ChatAnswer, ChatError, Decoder, DeltaSink, Framing, Progress};

/// Where servers write the tokens of the prompt, within `usage`.
const PROMPT_TOKENS: [&str; 2] = ["/prompt_tokens", "/input_tokens"];
/// Where they write the generated ones.
const COMPLETION_TOKENS: [&str; 2] = ["/completion_tokens", "/output_tokens"];
/// Where they write those of the prompt that a cache spared: OpenAI, Moonshot, DeepSeek, Anthropic.
const CACHED_TOKENS: [&str; 5] = [
    "/prompt_tokens_details/cached_tokens",
    "/input_tokens_details/cached_tokens",
    "/cached_tokens",
    "/prompt_cache_hit_tokens",
    "/cache_read_input_tokens",
];

/// Decodes the answers of OpenAI-compatible servers; success needs a `finish_reason`.
#[derive(Debug)]
pub struct SseDecoder {
    framing: Framing,
    events: EventBuffer,
    state: State,
}

#[derive(Debug, Default)]
struct State {
    draft: AnswerDraft,
    calls: CallDrafts,
    progress: Progress,
    /// A `finish_reason` of "" was seen, which some servers send with every piece and some only at the end.
    blank_end: bool,
}

impl SseDecoder {
    /// A decoder for one answer.
    #[must_use]
    pub fn new(framing: Framing) -> Self {
        Self { framing, events: EventBuffer::default(), state: State::default() }
    }
}

impl Decoder for SseDecoder {
    fn push(&mut self, bytes: &[u8], sink: &mut dyn DeltaSink) -> Result<Progress, ChatError> {
        let Self { framing, events, state } = self;
        state.progress.advanced = false;
        state.draft.receive(bytes)?;
        match framing {
            Framing::Whole => events.keep(bytes)?,
            Framing::Streamed => events.push(bytes, |data, tone| state.event(data, tone, sink))?,
        }
        Ok(state.progress)
    }

    fn finish(mut self, sink: &mut dyn DeltaSink) -> Result<ChatAnswer, ChatError> {
        match self.framing {
            Framing::Whole => {
                let document = self.events.take_document();
                self.state.last(&document, EventTone::Plain, sink)?;
                self.state.close_blank();
            }
            Framing::Streamed if self.state.progress.complete => {}
            Framing::Streamed => {
                if let Some((data, tone)) = self.events.take_rest()? {
                    self.state.last(&data, tone, sink)?;
                }
            }
        }
        self.state.conclude(sink)
    }
}

impl State {
    fn event(&mut self, data: &[u8], tone: EventTone, sink: &mut dyn DeltaSink) -> Result<(), ChatError> {
        if self.progress.complete || data.trim_ascii().is_empty() {
            return Ok(());
        }
        if data.trim_ascii() == b"[DONE]" {
            self.progress = Progress { advanced: true, complete: true };
            self.close_blank();
            return Ok(());
        }
        if tone == EventTone::Failure {
            let text = String::from_utf8_lossy(data).into_owned();
            return Err(self.draft.blame(mid_stream(&Value::String(text))));
        }
        match serde_json::from_slice::<CompletionChunk<'_>>(data) {
            Ok(chunk) => self.take(chunk, sink),
            Err(_) if let Some(clean) = without_nan(data) => self.event(&clean, tone, sink),
            Err(error) => Err(self.draft.blame(ChatError::malformed(&error.to_string()))),
        }
    }

    /// Takes what the end of the body left: half a document there is a cut.
    fn last(&mut self, data: &[u8], tone: EventTone, sink: &mut dyn DeltaSink) -> Result<(), ChatError> {
        let cut = serde_json::from_slice::<serde::de::IgnoredAny>(data).is_err_and(|error| error.is_eof());
        let marker = b"[DONE]".starts_with(data.trim_ascii());
        match (cut, marker) {
            (true, false) => Err(self.draft.blame(ChatError::cut("within an event"))),
            // The marker itself was cut: whether the answer was finished is known without it.
            (_, true) if data.trim_ascii() != b"[DONE]" => Ok(()),
            _ => self.event(data, tone, sink),
        }
    }

    fn take(&mut self, chunk: CompletionChunk<'_>, sink: &mut dyn DeltaSink) -> Result<(), ChatError> {
        self.count(&chunk);
        if let Some(error) = chunk.complaint() {
            return Err(self.draft.blame(error));
        }
        self.progress.advanced = true;
        if self.draft.answer.model.is_none() {
            let model = chunk.model.as_ref().map(|model| self.draft.name("the model", model.as_str()));
            self.draft.answer.model = model.transpose()?;
        }
        // One answer was asked for; what a server adds to it is none.
        let Some(choice) = chunk.choices.0.filter(|choice| choice.index.unwrap_or(0) == 0) else { return Ok(()) };
        for said in [choice.delta, choice.message].into_iter().flatten() {
            self.hear(said, sink)?;
        }
        match choice.finish_reason.as_ref().map(Borrowed::as_str) {
            None => Ok(()),
            Some(reason) => self.end(reason),
        }
    }

    fn hear(&mut self, said: CompletionDelta<'_>, sink: &mut dyn DeltaSink) -> Result<(), ChatError> {
        // servers that use two of these names repeat the same text
        let thinking = [said.reasoning, said.reasoning_content, said.thinking, said.thinking_content];
        if let Some(thinking) = thinking.into_iter().flatten().find(|thinking| !thinking.is_empty()) {
            self.draft.think(&thinking.text, sink);
            self.draft.think(&thinking.thinking, sink);
        }
        if let Some(content) = said.content {
            self.draft.think(&content.thinking, sink);
            self.draft.say(&content.text, sink)?;
        }
        if let Some(refusal) = said.refusal.as_ref().filter(|refusal| !refusal.as_str().is_empty()) {
            self.draft.refuse(refusal.as_str());
        }
        for piece in said.tool_calls.unwrap_or_default().0 {
            self.calls.add(piece).map_err(|error| self.draft.blame(error))?;
        }
        Ok(())
    }

    fn end(&mut self, reason: &str) -> Result<(), ChatError> {
        if reason.is_empty() {
            self.blank_end = true;
            return Ok(());
        }
        self.draft.ended(reason)
    }

    /// Lets a blank reason stand for an end, where nothing more can come.
    fn close_blank(&mut self) {
        if self.blank_end && self.draft.end.is_none() {
            self.draft.end = Some(EndReason::Other(String::new()));
        }
    }

    fn count(&mut self, chunk: &CompletionChunk<'_>) {
        let counts = &mut self.draft.answer.usage;
        if let Some(Tree(usage)) = &chunk.usage {
            let read = |at: &&str| Metric::deserialize(usage.pointer(at)?).ok();
            let told = |places: &[&str]| places.iter().filter_map(read).find_map(Metric::tokens);
            counts.prompt_tokens = told(&PROMPT_TOKENS).or(counts.prompt_tokens);
            // a server that counts in every piece counts what it has generated so far
            counts.completion_tokens = told(&COMPLETION_TOKENS).max(counts.completion_tokens);
            counts.cached_tokens =
                CACHED_TOKENS.iter().filter_map(read).find_map(Metric::count).or(counts.cached_tokens);
        }
        if let Some(timings) = &chunk.timings {
            counts.cached_tokens = counts.cached_tokens.or(timings.cache_n.count());
            self.draft.answer.timing.prefill_ms = timings.prompt_ms.millis();
            self.draft.answer.timing.decode_ms = timings.predicted_ms.millis();
        }
    }

    fn conclude(mut self, sink: &mut dyn DeltaSink) -> Result<ChatAnswer, ChatError> {
        // Judged only when the answer is whole: half of a call's arguments are no JSON.
        if matches!(self.draft.end, Some(EndReason::Stop | EndReason::Other(_))) {
            for (call, bytes) in self.calls.finish().map_err(|error| self.draft.blame(error))? {
                self.draft.call(call, bytes)?;
            }
        }
        self.draft.conclude(sink)
    }
}

#[derive(Deserialize)]
struct CompletionChunk<'a> {
    #[serde(borrow)]
    model: Option<Borrowed<'a>>,
    #[serde(borrow, default)]
    choices: First<CompletionChoice<'a>>,
    usage: Option<Tree>,
    timings: Option<Timings>,
    error: Option<Tree>,
    #[serde(borrow)]
    object: Option<Borrowed<'a>>,
    message: Option<Tree>,
    code: Option<Tree>,
}

impl CompletionChunk<'_> {
    /// The failure that a chunk reports, in any of the usual shapes.
    fn complaint(&self) -> Option<ChatError> {
        let in_choice = self.choices.0.as_ref().and_then(|choice| choice.error.as_ref());
        if let Some(error) = self.error.as_ref().or(in_choice) {
            return Some(mid_stream(&error.0));
        }
        let old_vllm = self.object.as_ref().is_some_and(|object| object.as_str() == "error");
        let (message, code) = (self.message.as_ref().map(|tree| &tree.0), self.code.as_ref().map(|tree| &tree.0));
        old_vllm.then(|| mid_stream(&serde_json::json!({ "message": message, "code": code })))
    }
}

#[derive(Deserialize)]
struct CompletionChoice<'a> {
    index: Option<u64>,
    #[serde(borrow)]
    delta: Option<CompletionDelta<'a>>,
    #[serde(borrow)]
    message: Option<CompletionDelta<'a>>,
    #[serde(borrow)]
    finish_reason: Option<Borrowed<'a>>,
    error: Option<Tree>,
}

#[derive(Deserialize)]
struct CompletionDelta<'a> {
    #[serde(borrow)]
    content: Option<MessageParts<'a>>,
    #[serde(borrow)]
    refusal: Option<Borrowed<'a>>,
    #[serde(borrow)]
    reasoning: Option<MessageParts<'a>>,
    #[serde(borrow)]
    reasoning_content: Option<MessageParts<'a>>,
    #[serde(borrow)]
    thinking: Option<MessageParts<'a>>,
    #[serde(borrow)]
    thinking_content: Option<MessageParts<'a>>,
    tool_calls: Option<AtMost<CallPiece, MAX_CALLS>>,
}

#[derive(Deserialize)]
struct Timings {
    #[serde(default)]
    cache_n: Metric,
    #[serde(default)]
    prompt_ms: Metric,
    #[serde(default)]
    predicted_ms: Metric,
}
