//! Whether a server is believed when it counts fewer prompt tokens than were sent.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::{ChatAnswer, ChatError, ChatErrorKind};

/// What is known of how one server counts the prompts of each model.
#[derive(Debug, Default)]
pub(crate) struct PromptCounts(Mutex<BTreeMap<String, KnownCounts>>);

#[derive(Debug, Default)]
struct KnownCounts {
    /// The highest count that was as high as it had to be.
    highest: Option<u64>,
    /// The server counts a part of the prompt only: without what it has cached, or the last message.
    partial: bool,
}

impl PromptCounts {
    /// Judges a count by the fewest tokens that can be true. Cached tokens that were counted apart are added. A low count says
    /// that the prompt was cut if the server has counted as expected before: a context that was full then holds as much now.
    /// Any other low count is unknown.
    ///
    /// # Errors
    /// When the server has cut the prompt.
    pub(crate) fn judge(&self, model: &str, expected: Option<u64>, answer: &mut ChatAnswer) -> Result<(), ChatError> {
        let usage = &mut answer.usage;
        let (Some(expected), Some(count)) = (expected, usage.prompt_tokens) else { return Ok(()) };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = all.entry(model.to_owned()).or_default();
        let whole = count.saturating_add(usage.cached_tokens.unwrap_or(0));
        if whole >= expected {
            let prompt_tokens = if count >= expected { count } else { whole };
            usage.prompt_tokens = Some(prompt_tokens);
            known.highest = known.highest.max(Some(prompt_tokens));
            return Ok(());
        }
        let is_cut = !known.partial && known.highest.is_some_and(|highest| count.saturating_mul(2) >= highest);
        if is_cut {
            let kind = ChatErrorKind::SilentTruncation { prompt_tokens: count, expected };
            return Err(ChatError { usage: *usage, ..ChatError::new(kind, "") });
        }
        known.partial = true;
        (usage.prompt_tokens, usage.cached_tokens) = (None, None);
        answer.disbelieved_count = Some(count);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::Usage;

    /// What becomes of counts (prompt, cached) where so many were expected, one after the other: the prompt's tokens, or a cut.
    fn judged(calls: &[(u64, Option<u64>, u64)]) -> Vec<Result<Option<u64>, ()>> {
        let counts = PromptCounts::default();
        let judge = |(prompt, cached_tokens, expected): &(u64, Option<u64>, u64)| {
            let usage = Usage { prompt_tokens: Some(*prompt), cached_tokens: *cached_tokens, completion_tokens: None };
            let mut answer = ChatAnswer { usage, ..ChatAnswer::default() };
            let judged = counts.judge("m", Some(*expected), &mut answer);
            assert_eq!(answer.disbelieved_count.is_some(), judged.is_ok() && answer.usage.prompt_tokens.is_none());
            judged.map(|()| answer.usage.prompt_tokens).map_err(drop)
        };
        calls.iter().map(judge).collect()
    }

    #[test]
    fn a_low_count_is_believed_of_a_server_that_has_counted_well() {
        // a context of 2,048 that is full
        let counts = [(900, None, 300), (1_800, None, 600), (2_040, None, 3_000), (2_040, None, 4_000)];
        assert_eq!(judged(&counts), [Ok(Some(900)), Ok(Some(1_800)), Err(()), Err(())]);
    }

    #[test]
    fn a_low_count_is_unknown_of_any_other_server() {
        // the last message only, from the first call
        assert_eq!(judged(&[(1, None, 100), (9, None, 300)]), [Ok(None), Ok(None)]);
        // without what is cached: the first prompt is counted as a whole
        let uncached = [(700, None, 200), (12, None, 300), (290, None, 400), (390, None, 400)];
        assert_eq!(judged(&uncached), [Ok(Some(700)), Ok(None), Ok(None), Ok(None)]);
    }

    #[test]
    fn cached_tokens_that_were_counted_apart_are_added() {
        assert_eq!(judged(&[(200, Some(150), 300), (400, Some(150), 300)]), [Ok(Some(350)), Ok(Some(400))]);
    }
}
