//! What a participant is asked to do, and what it answers.
use crate::ids::{ModelName, ParticipantId, Position, Timestamp, TurnId};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a turn asks for. Together with the log up to [`Ask::sees`] it determines the prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Task {
    /// A private ballot.
    Ballot {
        /// Before round 1 or at the end.
        stage: BallotStage,
        /// The allowed choices; empty where each voter names its own answer.
        choices: Vec<String>,
    },
    /// An opening statement. Sees nobody.
    Opening,
    /// A speech of a round.
    Argument {
        /// The moderator's briefing for this round.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        briefing: Option<Arc<str>>,
        /// The moderator's new angle for this round.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        new_angle: Option<Arc<str>>,
        /// The moderator's summary of the round before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<Arc<str>>,
    },
    /// A final statement.
    Closing,
    /// The moderator opens the round: whom to hear, on what.
    OpenRound,
    /// The moderator closes the round: summary and status.
    CloseRound,
    /// The judge reads the whole log in one order.
    Judge {
        /// Which order of presentation, from 0; order 1 is the reverse of order 0.
        order: u32,
        /// The candidates, in the order in which they are presented.
        candidates: Vec<String>,
    },
    /// A vote that decides.
    Vote {
        /// The candidates on this voter's ballot.
        candidates: Vec<String>,
    },
}

/// When a private ballot is cast.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BallotStage {
    /// Before round 1.
    Initial,
    /// After the last round.
    Final,
}

/// One request to one participant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ask {
    /// Which turn, which try.
    pub turn: TurnId,
    /// Who.
    pub participant: ParticipantId,
    /// By which model.
    pub model: ModelName,
    /// What.
    pub task: Task,
    /// The last event that the speaker may see.
    pub sees: Position,
    /// When the coordinator gives the turn up, waiting included.
    pub deadline: Timestamp,
    /// What was wrong with the try before, told to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub correction: Option<String>,
}

/// A well-formed answer. Failures are [`crate::Failure`], never text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Answer {
    /// To openings, arguments and closings.
    Speech {
        /// What was said, never empty.
        text: Arc<str>,
    },
    /// To ballots and votes.
    Choice {
        /// The choice.
        choice: String,
        /// Why.
        reasons: Vec<String>,
    },
    /// To [`Task::OpenRound`].
    RoundPlan(RoundPlan),
    /// To [`Task::CloseRound`].
    RoundSummary(RoundSummary),
    /// To [`Task::Judge`].
    Judgement(Judgement),
}

/// The moderator's decision when it opens a round.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundPlan {
    /// Whom to hear, in order; a repeated name speaks twice.
    pub next_speakers: Vec<ParticipantId>,
    /// What the speakers are told, for this round only.
    #[serde(default)]
    pub briefing: Option<String>,
    /// An angle not yet covered, for this round only.
    #[serde(default)]
    pub new_angle: Option<String>,
    /// This round is the last.
    #[serde(default)]
    pub done: bool,
}

/// The moderator's decision when it closes a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoundSummary {
    /// What the round brought; shown in the next round.
    pub summary: String,
    /// Whether the question is settled.
    pub status: RoundStatus,
    /// The decision so far, if there is one.
    #[serde(default)]
    pub decision: Option<String>,
}

/// Whether the moderator holds the question for settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RoundStatus {
    /// No further round is needed.
    Settled,
    /// The debate goes on.
    Continue,
}

/// What the judge says of one order of presentation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// The answer to the topic.
    pub verdict: String,
    /// One of the candidates, or none for a synthesis.
    pub winner: Option<String>,
    /// Why.
    pub reasoning: String,
    /// What it rests on.
    #[serde(default)]
    pub citations: Vec<CitedEntry>,
}

/// A quotation as the judge gives it: by the number of the entry in the order that it was shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CitedEntry {
    /// Number of the entry in the judge's presentation, from 1.
    pub entry: u32,
    /// The words, verbatim.
    pub quote: String,
}

/// A quotation checked against the speech that it names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Citation {
    /// The speech; absent when the judge named an entry that does not exist.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
    /// Who spoke there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub participant: Option<ParticipantId>,
    /// The words.
    pub quote: String,
    /// Whether the speech has these words, white space, letter case and quotation marks aside.
    pub verified: bool,
}

/// How an answer came about. Every figure that a backend did not report is absent, never 0.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Call {
    /// The host that generated it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host: Option<String>,
    /// The model that generated it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelName>,
    /// The model's digest at that host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// BLAKE3 of the prompt's messages and schema, hexadecimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_hash: Option<String>,
    /// Sampling options that were sent.
    #[serde(default)]
    pub options: CallOptions,
    /// Tokens.
    #[serde(default)]
    pub usage: Usage,
    /// Times.
    #[serde(default)]
    pub timing: Timing,
    /// Why generation ended, in the backend's word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// The host is a rehearsal server: nothing here is a model's word.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rehearsal: bool,
}

/// Sampling options that were sent with a call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CallOptions {
    /// Sampling temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    /// Presence penalty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub presence_penalty: Option<f64>,
    /// Sampling seed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Cap on generated tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
}

/// Tokens of a call, as reported; absent is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt, cached ones included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<u64>,
    /// Of these, tokens that the prompt cache spared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached_tokens: Option<u64>,
    /// Generated tokens, thinking included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completion_tokens: Option<u64>,
}
impl Usage {
    /// Prompt plus generated tokens; absent when either is unknown.
    pub fn total(&self) -> Option<u64> {
        Some(self.prompt_tokens?.saturating_add(self.completion_tokens?))
    }
}

/// Times of a call in milliseconds; absent is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Timing {
    /// Waiting for a permit at our side.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue_ms: Option<u64>,
    /// Loading the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load_ms: Option<u64>,
    /// Evaluating the prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefill_ms: Option<u64>,
    /// Generating.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decode_ms: Option<u64>,
    /// From sending the request to the first byte of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_byte_ms: Option<u64>,
    /// From sending the request to the end of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_ms: Option<u64>,
}

/// What became of one try: the content of its write-once register.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnResult {
    /// The participant answered.
    Answered {
        /// What.
        answer: Answer,
        /// How it came about.
        call: Box<Call>,
    },
    /// The try failed.
    Failed {
        /// Why.
        failure: crate::Failure,
        /// What it cost, as far as it is known.
        call: Box<Call>,
    },
    /// The coordinator gave the try up before there was a result.
    Withdrawn,
}
