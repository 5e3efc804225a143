//! How much a server has generated, where it does not keep to the limit that it was given.

use crate::{ChatAnswer, ChatError, ChatErrorKind, DeltaSink, STOP};
use agon_core::Usage;

/// How many times its limit an answer may be long before it is cut.
const OVERRUN: usize = 4;
/// A token is about this many characters in English, and fewer in most other languages.
const CHARS_PER_TOKEN: usize = 4;

/// Hands an answer on, and counts it: no piece is less than a token.
pub(crate) struct Meter<'a> {
    sink: &'a mut dyn DeltaSink,
    max_tokens: u32,
    most_tokens: usize,
    pieces: usize,
    chars: usize,
    thinking_chars: usize,
}

impl<'a> Meter<'a> {
    pub(crate) fn new(sink: &'a mut dyn DeltaSink, max_tokens: u32) -> Self {
        let most_tokens = usize::try_from(max_tokens).unwrap_or(usize::MAX).saturating_mul(OVERRUN);
        Self { sink, max_tokens, most_tokens, pieces: 0, chars: 0, thinking_chars: 0 }
    }

    /// About how many tokens came.
    pub(crate) fn tokens(&self) -> usize {
        self.pieces.max(self.chars.saturating_add(self.thinking_chars) / CHARS_PER_TOKEN)
    }

    /// What the server was told to generate at most.
    pub(crate) fn max_tokens(&self) -> u32 {
        self.max_tokens
    }

    /// Refuses an answer that ended for a reason that is not known, with as many tokens as it may have: it was cut there.
    pub(crate) fn check_end(&self, answer: &ChatAnswer) -> Result<(), ChatError> {
        let word = &answer.finish_reason;
        if word == STOP || answer.usage.completion_tokens.is_none_or(|tokens| tokens < u64::from(self.max_tokens)) {
            return Ok(());
        }
        let kind = match answer.text.chars().count() {
            0 => ChatErrorKind::BudgetEaten { thinking_chars: answer.thinking_chars },
            partial_chars => ChatErrorKind::Truncated { partial_chars },
        };
        let detail = format!("the server ended it with `{word}` at {} tokens", self.max_tokens);
        Err(ChatError { usage: answer.usage, ..ChatError::new(kind, &detail) })
    }

    /// What a server would have said that had stopped at the limit, where this one is far beyond it.
    pub(crate) fn check(&self, usage: Usage) -> Result<(), ChatError> {
        let chars = self.chars.saturating_add(self.thinking_chars);
        if self.pieces <= self.most_tokens && chars <= self.most_tokens.saturating_mul(CHARS_PER_TOKEN) {
            return Ok(());
        }
        let kind = match self.chars {
            0 => ChatErrorKind::BudgetEaten { thinking_chars: self.thinking_chars },
            partial_chars => ChatErrorKind::Truncated { partial_chars },
        };
        let detail = format!("the server went on beyond {OVERRUN} times `max_tokens`, and was cut");
        Err(ChatError { usage, ..ChatError::new(kind, &detail) })
    }
}

impl DeltaSink for Meter<'_> {
    fn text(&mut self, delta: &str) {
        self.pieces += 1;
        self.chars += delta.chars().count();
        self.sink.text(delta);
    }

    fn thinking(&mut self, chars: usize) {
        self.pieces += 1;
        self.thinking_chars += chars;
        self.sink.thinking(chars);
    }

    fn retract(&mut self) {
        self.chars = 0;
        self.sink.retract();
    }

    fn loading(&mut self) {
        self.sink.loading();
    }
}
