//! How much of a model's context tools may take: what they offer and what they find leaves room for the answer.
use super::talk::Talk;
use crate::base::config::HostConfig;
use crate::host::request;
use agon_llm::{ChatAnswer, ToolSpec};

/// Characters of a result's fence, and of the mark of a cut.
const FRAME: usize = 320;
/// With fewer characters left there is no room for a call and what comes of it.
const LEAST: usize = 1_000;

/// Room in characters; unbounded where nobody says how long the context is.
#[derive(Clone, Copy)]
pub(super) struct ToolRoom(Option<usize>);

impl ToolRoom {
    pub(super) fn of(chars: Option<usize>) -> Self {
        Self(chars)
    }
    /// What is left besides a conversation, and besides the answer in which calls are wanted.
    pub(super) fn beside(talk: &Talk, wanted: Option<&ChatAnswer>, host: &HostConfig) -> Self {
        let (prompt, added) = talk.prompt(true);
        let wanted = wanted.filter(|_| !talk.is_native()).map_or(0, |answer| answer.text.chars().count());
        Self(request::room(&prompt, added.saturating_add(wanted), host))
    }
    /// Whether a call and what comes of it fit.
    pub(super) fn holds_a_call(self) -> bool {
        self.0.is_none_or(|chars| chars >= LEAST)
    }
    /// The most characters that a result may have.
    pub(super) fn of_result(self, most: usize) -> usize {
        self.0.map_or(most, |chars| most.min(chars.saturating_sub(FRAME)))
    }
    /// Takes the functions that fit besides one call, in their order.
    pub(super) fn take(&mut self, functions: Vec<ToolSpec>) -> Vec<ToolSpec> {
        let fits = |function: &ToolSpec| {
            let Some(left) = &mut self.0 else { return true };
            let rest = left.checked_sub(chars(function)).filter(|rest| *rest >= LEAST);
            *left = rest.unwrap_or(*left);
            rest.is_some()
        };
        functions.into_iter().filter(fits).collect()
    }
}

/// What a function takes where a model is told of it.
pub(super) fn chars(function: &ToolSpec) -> usize {
    function.name.len() + function.description.chars().count() + function.parameters.to_string().chars().count()
}
