//! An answer that is still arriving.

use crate::{ChatAnswer, ChatError, ChatErrorKind, DeltaSink, FinishReason, MAX_LINE_BYTES};

/// As much of a refusal is kept as an error shows.
const MAX_REFUSAL_BYTES: usize = 2_048;

/// Why a server says that an answer ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Stop,
    Length,
    Other(String),
}

/// Parts of the words by which services say that they withheld or broke off an answer.
const WITHHELD: [&str; 9] =
    ["filter", "safety", "refus", "recitation", "prohibited", "blocklist", "guardrail", "abort", "cancel"];

impl End {
    /// An end in the server's own word.
    fn is_withheld(word: &str) -> bool {
        let word = word.to_lowercase();
        WITHHELD.iter().any(|part| word.contains(part))
    }
}

/// What has arrived of an answer.
#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub(crate) answer: ChatAnswer,
    pub(crate) end: Option<End>,
    /// What the model says in the place of an answer.
    pub(crate) refusal: Option<String>,
}

impl Draft {
    /// Adds text and hands it on.
    pub(crate) fn say(&mut self, delta: &str, sink: &mut dyn DeltaSink) -> Result<(), ChatError> {
        if delta.is_empty() {
            return Ok(());
        }
        if self.answer.text.len() + delta.len() > MAX_LINE_BYTES {
            return Err(self.fail(ChatErrorKind::Malformed, "the answer is longer than 8 MiB"));
        }
        self.answer.text.push_str(delta);
        sink.text(delta);
        Ok(())
    }

    /// Takes a piece of a refusal.
    pub(crate) fn refuse(&mut self, delta: &str) {
        let said = self.refusal.get_or_insert_default();
        if said.len() < MAX_REFUSAL_BYTES {
            said.push_str(delta);
        }
    }

    /// Counts thinking without keeping it.
    pub(crate) fn think(&mut self, delta: &str, sink: &mut dyn DeltaSink) {
        if !delta.is_empty() {
            let chars = delta.chars().count();
            self.answer.thinking_chars += chars;
            sink.thinking(chars);
        }
    }

    /// An error that carries what was counted so far.
    pub(crate) fn fail(&self, kind: ChatErrorKind, detail: &str) -> ChatError {
        ChatError { usage: self.answer.usage.plausible(), ..ChatError::new(kind, detail) }
    }

    /// An error of the server's, with what was counted so far.
    pub(crate) fn blame(&self, error: ChatError) -> ChatError {
        ChatError { usage: self.answer.usage.plausible(), ..error }
    }

    /// Judges a draft whose end has been declared, or has not.
    pub(crate) fn conclude(mut self) -> Result<ChatAnswer, ChatError> {
        let thinking_chars = self.answer.thinking_chars;
        let empty = self.answer.text.trim().is_empty() && self.answer.tool_calls.is_empty();
        let Some(end) = self.end.take() else {
            let cut = ChatError::cut(&format!("after {} characters", self.answer.text.chars().count()));
            return Err(self.blame(cut));
        };
        if let (Some(refusal), End::Stop | End::Other(_)) = (&self.refusal, &end) {
            return Err(self.fail(ChatErrorKind::Refused, refusal));
        }
        let finish = match end {
            End::Length if empty => return Err(self.fail(ChatErrorKind::BudgetEaten { thinking_chars }, "")),
            End::Length => {
                let partial_chars = self.answer.text.chars().count();
                return Err(self.fail(ChatErrorKind::Truncated { partial_chars }, ""));
            }
            End::Other(word) if End::is_withheld(&word) => return Err(self.fail(ChatErrorKind::Refused, &word)),
            End::Stop | End::Other(_) if empty => {
                return Err(self.fail(ChatErrorKind::Empty { thinking_chars }, ""));
            }
            End::Stop => FinishReason::Stop,
            End::Other(word) => FinishReason::Other(word),
        };
        Ok(ChatAnswer { finish, usage: self.answer.usage.plausible(), ..self.answer })
    }
}
