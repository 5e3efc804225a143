//! An answer that is still arriving.

use agon_core::Usage;
use agon_core::thinking::{AnswerPiece, ThinkingFilter};

use crate::answer::plausible;
use crate::{ChatAnswer, ChatError, ChatErrorKind, DeltaSink, MAX_REPLY_BYTES, STOP, ToolCall};

/// As much of a refusal is kept as an error shows.
const MAX_REFUSAL_BYTES: usize = 2_048;

/// So much of an answer is kept, all its fields together, in bytes.
const MAX_KEPT_BYTES: usize = 8 * 1024 * 1024;
/// More calls than this in one answer is a model in a loop.
pub(crate) const MAX_CALLS: usize = 128;
/// So long may a name or an id be, of a model, a tool, a call or an end, in bytes.
const MAX_NAME_BYTES: usize = 1_024;

/// Why a server says that an answer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum EndReason {
    Stop,
    Length,
    Other(String),
}

/// Parts of the words by which services say that they withheld or broke off an answer.
const WITHHELD: [&str; 9] =
    ["filter", "safety", "refus", "recitation", "prohibited", "blocklist", "guardrail", "abort", "cancel"];

/// The words for an answer that was cut at its limit, in small letters and without what joins them.
const LENGTH: [&str; 8] = [
    "length",
    "maxtokens",
    "maxoutputtokens",
    "maxnewtokens",
    "maxlength",
    "modellength",
    "tokenlimit",
    "modelcontextwindowexceeded",
];

/// Parts of the words by which services say that they failed within an answer.
const FAILED: [&str; 4] = ["error", "insufficient", "timeout", "time_limit"];

impl EndReason {
    /// What the server's word for an end says, whatever its letter case; nothing where it is not known.
    fn known(word: &str) -> Option<Self> {
        let plain: String = word.chars().filter(char::is_ascii_alphanumeric).collect();
        match plain.to_ascii_lowercase().as_str() {
            "stop" | "toolcalls" | "functioncall" => Some(Self::Stop),
            plain if LENGTH.contains(&plain) => Some(Self::Length),
            _ => None,
        }
    }

    fn is_failure(word: &str) -> bool {
        let word = word.to_lowercase();
        FAILED.iter().any(|part| word.contains(part)) && !Self::is_withheld(&word)
    }

    /// An end in the server's own word.
    fn is_withheld(word: &str) -> bool {
        let word = word.to_lowercase();
        WITHHELD.iter().any(|part| word.contains(part))
    }
}

/// What has arrived of an answer.
#[derive(Debug, Default)]
pub(crate) struct AnswerDraft {
    pub(crate) answer: ChatAnswer,
    pub(crate) end: Option<EndReason>,
    /// What the model says in the place of an answer.
    pub(crate) refusal: Option<String>,
    /// Separates the thinking that a model wrote into its answer.
    filter: ThinkingFilter,
    /// Bytes that came, whatever they were.
    received: usize,
    /// Bytes that were kept.
    kept: usize,
}

impl AnswerDraft {
    /// Charges for bytes that came, before anything is made of them.
    pub(crate) fn receive(&mut self, bytes: &[u8]) -> Result<(), ChatError> {
        self.received = self.received.saturating_add(bytes.len());
        if self.received > MAX_REPLY_BYTES {
            return Err(self.fail(ChatErrorKind::Malformed, "the reply is longer than 64 MiB"));
        }
        Ok(())
    }

    /// Charges for what is about to be kept.
    fn keep(&mut self, bytes: usize) -> Result<(), ChatError> {
        self.kept = self.kept.saturating_add(bytes);
        if self.kept > MAX_KEPT_BYTES {
            return Err(self.fail(ChatErrorKind::Malformed, "the answer is longer than 8 MiB"));
        }
        Ok(())
    }

    /// A name or an id of a length that one may have.
    pub(crate) fn name(&mut self, what: &str, name: &str) -> Result<String, ChatError> {
        if name.len() > MAX_NAME_BYTES {
            let detail = format!("the name of {what} is longer than {MAX_NAME_BYTES} bytes");
            return Err(self.fail(ChatErrorKind::Malformed, &detail));
        }
        self.keep(name.len())?;
        Ok(name.to_owned())
    }

    /// Adds a call of a tool, whose arguments took so many bytes.
    pub(crate) fn call(&mut self, call: ToolCall, bytes: usize) -> Result<(), ChatError> {
        if self.answer.tool_calls.len() >= MAX_CALLS {
            return Err(self.fail(ChatErrorKind::Malformed, "more than 128 tool calls in one answer"));
        }
        self.keep(bytes)?;
        self.answer.tool_calls.push(call);
        Ok(())
    }

    /// Adds text and hands it on, without the thinking in it.
    pub(crate) fn say(&mut self, delta: &str, sink: &mut dyn DeltaSink) -> Result<(), ChatError> {
        if delta.is_empty() {
            return Ok(());
        }
        self.keep(delta.len())?;
        let answer = &mut self.answer;
        self.filter.push(delta, &mut |piece| take(answer, piece, sink));
        Ok(())
    }

    /// Takes a piece of a refusal.
    pub(crate) fn refuse(&mut self, delta: &str) {
        let said = self.refusal.get_or_insert_default();
        let room = MAX_REFUSAL_BYTES.saturating_sub(said.len());
        said.push_str(delta.get(..delta.floor_char_boundary(room)).unwrap_or_default());
    }

    /// Counts thinking without keeping it.
    pub(crate) fn think(&mut self, delta: &str, sink: &mut dyn DeltaSink) {
        if !delta.is_empty() {
            take(&mut self.answer, AnswerPiece::Thought(delta.chars().count()), sink);
        }
    }

    /// The tokens that were counted, as far as that can be right.
    fn usage(&self) -> Usage {
        plausible(self.answer.usage, self.answer.text.chars().count())
    }

    /// An error that carries what was counted so far.
    pub(crate) fn fail(&self, kind: ChatErrorKind, detail: &str) -> ChatError {
        ChatError { usage: self.usage(), ..ChatError::new(kind, detail) }
    }

    /// An error of the server's, with what was counted so far.
    pub(crate) fn blame(&self, error: ChatError) -> ChatError {
        ChatError { usage: self.usage(), ..error }
    }

    /// Takes the server's word for the end of the answer.
    pub(crate) fn ended(&mut self, word: &str) -> Result<(), ChatError> {
        let known = EndReason::known(word);
        if known.is_none() && EndReason::is_failure(word) {
            let word = self.name("an end", word)?;
            return Err(self.fail(ChatErrorKind::Server5xx, &format!("the answer ended in an error: `{word}`")));
        }
        self.end = Some(match known {
            Some(end) => end,
            None => EndReason::Other(self.name("an end", word)?),
        });
        Ok(())
    }

    /// Judges a draft whose end has been declared, or has not.
    pub(crate) fn conclude(mut self, sink: &mut dyn DeltaSink) -> Result<ChatAnswer, ChatError> {
        let answer = &mut self.answer;
        self.filter.finish(&mut |piece| take(answer, piece, sink));
        let thinking_chars = self.answer.thinking_chars;
        let empty = self.answer.text.trim().is_empty() && self.answer.tool_calls.is_empty();
        let Some(end) = self.end.take() else {
            let cut = ChatError::cut(&format!("after {} characters", self.answer.text.chars().count()));
            return Err(self.blame(cut));
        };
        if let (Some(refusal), EndReason::Stop | EndReason::Other(_)) = (&self.refusal, &end) {
            return Err(self.fail(ChatErrorKind::Refused, refusal));
        }
        let finish_reason = match end {
            EndReason::Length if empty => return Err(self.fail(ChatErrorKind::BudgetEaten { thinking_chars }, "")),
            EndReason::Length => {
                let partial_chars = self.answer.text.chars().count();
                return Err(self.fail(ChatErrorKind::Truncated { partial_chars }, ""));
            }
            EndReason::Other(word) if EndReason::is_withheld(&word) => {
                return Err(self.fail(ChatErrorKind::Refused, &word));
            }
            EndReason::Stop | EndReason::Other(_) if empty => {
                return Err(self.fail(ChatErrorKind::Empty { thinking_chars }, ""));
            }
            EndReason::Stop => STOP.to_owned(),
            EndReason::Other(word) => word,
        };
        Ok(ChatAnswer { finish_reason, usage: self.usage(), ..self.answer })
    }
}

fn take(answer: &mut ChatAnswer, piece: AnswerPiece<'_>, sink: &mut dyn DeltaSink) {
    match piece {
        AnswerPiece::Said(text) => {
            answer.text.push_str(text);
            sink.text(text);
        }
        AnswerPiece::Thought(chars) => {
            answer.thinking_chars += chars;
            sink.thinking(chars);
        }
        AnswerPiece::Retracted => {
            answer.text.clear();
            sink.retract();
        }
    }
}
