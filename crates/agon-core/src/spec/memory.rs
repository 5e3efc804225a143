//! What a speaker sees, and what is kept of the past.
use super::DebateSpec;
use super::roles::{Persona, Sight, TurnKind, Voice};
use crate::ids::ParticipantId;
use serde::{Deserialize, Serialize};

/// What a speaker sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContextScope {
    /// The whole log.
    FullLog,
    /// The last `context_turns` speeches at most.
    LastNTurns,
    /// The running summary and the last round.
    SummaryOnly,
    /// One's own speeches, those that address one, and the moderator's.
    PersonaScoped,
}

/// What is kept of the past.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Memory {
    /// Everything.
    AppendAll,
    /// The last `memory_window` speeches at most.
    RollingWindow,
    /// A summary every `summarize_every` rounds, and what was said since.
    SummarizePast,
    /// Everything that `sees` and `hidden_from` leave.
    PersonaMasking,
}

/// How much a window keeps, and when summaries are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Windows {
    /// `last_n_turns`: speeches shown at most.
    pub context_turns: u32,
    /// `rolling_window`: speeches kept at most.
    pub memory_window: u32,
    /// `summarize_past`: rounds between two summaries.
    pub summarize_every: u32,
}
impl Default for Windows {
    fn default() -> Self {
        Self { context_turns: 12, memory_window: 12, summarize_every: 2 }
    }
}
impl Windows {
    /// How many of `total` speeches a window of `size` has dropped. It drops half its size at a time, so that what two
    /// calls share stays the same for as long as it can.
    pub fn dropped(size: u32, total: usize) -> usize {
        let size = size.max(1) as usize;
        let half = size.div_ceil(2);
        total.saturating_sub(size).div_ceil(half) * half
    }
}

/// Who sums up what memory no longer holds word for word.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summarizer {
    /// Added to its prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The model and how it is sampled.
    #[serde(flatten)]
    pub voice: Voice,
}

impl DebateSpec {
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
    fn a_window_never_shows_more_than_its_size_and_drops_half_at_a_time() {
        let dropped: Vec<usize> = (0..10).map(|total| Windows::dropped(4, total)).collect();
        assert_eq!(dropped, [0, 0, 0, 0, 0, 2, 2, 4, 4, 6]);
        for size in 1..9 {
            for total in 0..40 {
                let shown = total - Windows::dropped(size, total);
                assert!(shown <= size as usize && (total == 0 || shown > 0), "{size} {total}");
            }
        }
    }
}
