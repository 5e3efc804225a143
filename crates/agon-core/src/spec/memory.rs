//! What a speaker sees, and what is kept of the past.
use super::DebateSpec;
use super::roles::{Persona, Sight, TurnKind, Voice};
use crate::ids::ParticipantId;
use serde::Serialize;

named! {
    /// What a speaker sees.
    #[derive(PartialOrd, Ord)]
    pub enum ContextScope {
        FullLog = "full_log": "the whole debate" => "the whole log",
        LastNTurns = "last_n_turns": "at most the last `context_turns` speeches" => "the last speeches",
        SummaryOnly = "summary_only": "a running summary, and the last round" => "a summary and the last round",
        PersonaScoped = "persona_scoped": "the speaker's own speeches, those addressed to it, and the moderator's"
            => "one's own speeches, those that address one, and the moderator's",
    }
}

named! {
    /// What is kept of the past.
    #[derive(PartialOrd, Ord)]
    pub enum Memory {
        AppendAll = "append_all": "everything" => "everything is kept",
        RollingWindow = "rolling_window": "at most the last `memory_window` speeches" => "a rolling window of the last speeches",
        SummarizePast = "summarize_past": "a summary every `summarize_every` rounds, and everything since"
            => "a summary of the past, and what was said since",
        PersonaMasking = "persona_masking": "what `sees` and `hidden_from` of the personas allow"
            => "everything that each persona may see",
    }
}

/// How much a window keeps, and when summaries are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Windows {
    /// `last_n_turns`: speeches shown at most.
    pub context_turns: u32,
    /// `rolling_window`: speeches kept at most.
    pub memory_window: u32,
    /// `summarize_past`: rounds between two summaries.
    pub summarize_every: u32,
    /// How many speeches both windows drop at a time, 1 to their size: 1 shows the last ones exactly, more keeps what two calls share
    /// the same for as many speeches.
    pub window_step: u32,
}
impl Default for Windows {
    fn default() -> Self {
        Self { context_turns: 12, memory_window: 12, summarize_every: 2, window_step: 1 }
    }
}
impl Windows {
    /// How many of `total` speeches a window of `size` has dropped: as many as are too many, in steps of `window_step`.
    pub fn dropped(&self, size: u32, total: usize) -> usize {
        let size = size.max(1);
        let step = self.window_step.clamp(1, size) as usize;
        total.saturating_sub(size as usize).div_ceil(step) * step
    }
}

/// Who sums up what memory no longer holds word for word.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Summarizer {
    /// Added to its prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The model and how it is sampled.
    #[serde(flatten)]
    pub voice: Voice,
}

impl DebateSpec {
    /// How many speeches the smallest window shows; none where everything is shown.
    pub fn smallest_window(&self) -> Option<u32> {
        let last_n = (self.context_scope == ContextScope::LastNTurns).then_some(self.windows.context_turns);
        let rolls = (self.memory == Memory::RollingWindow).then_some(self.windows.memory_window);
        [last_n, rolls].into_iter().flatten().min()
    }
    /// Whether masks let a debater see somebody's turns of a kind. Its own it always sees.
    pub fn lets_see(&self, reader: &Persona, author: &ParticipantId, kind: TurnKind) -> bool {
        if self.memory != Memory::PersonaMasking || *author == reader.name {
            return true;
        }
        if self.persona(author).is_some_and(|author| author.hidden_from.contains(&reader.name)) {
            return false;
        }
        reader.sees.as_ref().is_none_or(|sees| {
            sees.iter().any(|allowed| match allowed {
                Sight::Kind(allowed) => *allowed == kind,
                Sight::Persona(name) => name == author,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_shows_the_last_speeches_exactly_and_with_a_step_drops_so_many_at_a_time() {
        let dropped = |window_step| -> Vec<usize> {
            let windows = Windows { window_step, ..Windows::default() };
            (0..10).map(|total| windows.dropped(4, total)).collect()
        };
        assert_eq!(dropped(1), [0, 0, 0, 0, 0, 1, 2, 3, 4, 5]);
        assert_eq!(dropped(2), [0, 0, 0, 0, 0, 2, 2, 4, 4, 6]);
        for (size, step) in (1..9).flat_map(|size| (1..=size).map(move |step| (size, step))) {
            let windows = Windows { window_step: step, ..Windows::default() };
            for total in 0..40 {
                let shown = total - windows.dropped(size, total);
                let least = total.min((size - step + 1) as usize);
                assert!((least..=size as usize).contains(&shown), "{size} {step} {total}: {shown}");
            }
        }
    }
}
