//! What a file need not say.
use crate::limits::Limits;
use agon_core::Output;
use serde::{Deserialize, Serialize};

/// Values from outside the file (flags, configuration) for what the file leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Defaults {
    /// The model of every role for which neither the file nor the fields below name one.
    pub model: Option<String>,
    /// The judge's model where its own block names none; goes before the file's general `model`.
    pub judge_model: Option<String>,
    /// The moderator's model where its own block names none; goes before the file's general `model`.
    pub moderator_model: Option<String>,
    /// Milliseconds that one answer may take.
    pub timeout_per_turn_ms: u64,
    /// Caps on generated tokens of one answer.
    pub max_tokens: MaxTokens,
    /// The names of the feeds that the settings define, where they are known; a file that names another one draws a warning.
    pub feeds: Option<Vec<String>>,
    /// The same of verifiers.
    pub verifiers: Option<Vec<String>>,
    /// How much a file may unfold to.
    pub limits: Limits,
    /// What the file means where it says nothing.
    pub edition: Edition,
}
impl Default for Defaults {
    fn default() -> Self {
        let max_tokens = MaxTokens { debater: 800, moderator: 600, judge: 1500 };
        Self {
            model: None,
            judge_model: None,
            moderator_model: None,
            timeout_per_turn_ms: 90_000,
            max_tokens,
            feeds: None,
            verifiers: None,
            limits: Limits::default(),
            edition: Edition::NEWEST,
        }
    }
}

/// A set of defaults. Evals record theirs beside the text of their debate files, which they read until they end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Edition {
    /// Full windows drop half of their size, and debaters know each other by name.
    #[default]
    First,
    /// Windows show the last speeches exactly, and debaters with assigned stances know each other by these.
    Second,
}
impl Edition {
    /// The one of files that are read for the first time.
    pub const NEWEST: Self = Self::Second;
    /// Whether it is the first one, which logs need not name.
    pub fn is_first(&self) -> bool {
        *self == Self::First
    }
}

/// Caps on generated tokens of one answer, by role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxTokens {
    /// A debater's speech, ballot or vote.
    pub debater: u32,
    /// The moderator's opening or closing of a round.
    pub moderator: u32,
    /// One reading of the judge.
    pub judge: u32,
}

pub(crate) const ROUNDS: u32 = 2;
pub(crate) const PERSONAS: usize = 3;
pub(crate) const OUTPUTS: [Output; 3] = [Output::FullMarkdown, Output::Html, Output::JsonLog];
/// Generated tokens of one summary.
pub(crate) const SUMMARIZER_TOKENS: u32 = 600;
/// Generated tokens of the synthesis.
pub(crate) const SYNTHESIZER_TOKENS: u32 = 1500;
