//! When the rounds end.
use crate::ids::ModelName;
use serde::Serialize;

named! {
    /// A stop rule that can be switched on.
    #[derive(PartialOrd, Ord)]
    pub enum EndCondition {
        RoundsExhausted = "rounds_exhausted": "`max_rounds` rounds have run; always active",
        ConsensusReached = "consensus_reached": "the speakers agree: by their stated answers, otherwise by similarity; never by words alone with assigned stances",
        NoNewArguments = "no_new_arguments": "every new speech is too similar to an earlier one, and no stated answer changed",
        Impasse = "impasse": "for two rounds nobody moved, and they do not agree; both by stated answers, otherwise both by similarity",
    }
}
impl EndCondition {
    /// Whether it looks at what was said.
    pub fn compares(self) -> bool {
        match self {
            Self::ConsensusReached | Self::NoNewArguments | Self::Impasse => true,
            Self::RoundsExhausted => false,
        }
    }
}

/// How similar two speeches must be to say the same, and by what that is measured.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Similarity {
    /// From 0 to 1; 0.85 where the file says nothing.
    pub similarity_threshold: f64,
    /// The model whose embeddings are compared; absent: words are compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedding_model: Option<ModelName>,
}
impl Default for Similarity {
    fn default() -> Self {
        Self { similarity_threshold: 0.85, embedding_model: None }
    }
}

/// Caps on the whole debate. The decision's share is reserved first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Budget {
    /// Prompt plus generated tokens of all calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// Seconds from the first turn to the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seconds: Option<u64>,
}
impl Budget {
    /// Whether nothing is capped.
    pub fn is_unlimited(&self) -> bool {
        self.tokens.is_none() && self.seconds.is_none()
    }
}

/// How much a turn may use its tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ToolLimits {
    /// Calls in one turn.
    pub max_calls_per_turn: u32,
    /// Milliseconds that one call may take.
    pub timeout_ms: u64,
    /// Characters of one result that a model is shown.
    pub max_result_chars: u32,
}
impl Default for ToolLimits {
    fn default() -> Self {
        Self { max_calls_per_turn: 3, timeout_ms: 20_000, max_result_chars: 6_000 }
    }
}
impl ToolLimits {
    /// Whether nothing was changed.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Whose words watchers see as they come, and whose stand in exported history. The log keeps everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Visible {
    /// The debaters' speeches.
    pub debaters: Shown,
    /// What the moderator says.
    pub moderator: Shown,
    /// What the judges say before the verdict, and their reasons.
    pub judge: Shown,
    /// What the synthesizer makes of the result.
    #[serde(skip_serializing_if = "Shown::is_default")]
    pub synthesizer: Shown,
    /// Whether debaters know each other by name; else by stance.
    #[serde(skip_serializing_if = "Clone::clone")]
    pub names: bool,
}
impl Default for Visible {
    fn default() -> Self {
        let shown = Shown::default();
        Self { debaters: shown, moderator: shown, judge: shown, synthesizer: shown, names: true }
    }
}
impl Visible {
    /// Whether everything is shown everywhere.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// Where a role's words are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Shown {
    /// To watchers, while the debate runs.
    pub client: bool,
    /// In reports and exported transcripts.
    pub history: bool,
}
impl Shown {
    /// Whether they are shown everywhere.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}
impl Default for Shown {
    fn default() -> Self {
        Self { client: true, history: true }
    }
}
