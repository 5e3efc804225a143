//! What debates that are over leave for later ones.
use crate::ids::{DebateId, ModelName, ParticipantId, Timestamp};
use crate::outcome::{MajorityShift, Outcome};
use serde::{Deserialize, Serialize};

/// Characters of a verdict that are kept for later debates.
pub const VERDICT_CHARS: usize = 600;

/// What is kept of a debate that was held to its end: enough for ratings, positions and later debates on the same question.
/// The log holds the truth.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Card {
    /// What came out.
    pub outcome: Outcome,
    /// The beginning of the answer, of [`VERDICT_CHARS`] characters at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// Who or what won, where somebody or something did: a stance, an answer, a debater.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<String>,
    /// What became of the first ballots' majority.
    pub majority: MajorityShift,
    /// The debaters, in declared order.
    pub seats: Vec<CardSeat>,
}

/// A debater of a debate that is over.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CardSeat {
    /// Its name.
    pub persona: ParticipantId,
    /// The model that the debate file names for it.
    pub model: ModelName,
    /// What it had to argue, or the team that it spoke for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stance: Option<String>,
    /// What it chose in private before the first round.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// What it chose in private at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
}

/// An earlier debate, as a later one is told of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastDebate {
    /// Which.
    pub id: DebateId,
    /// The beginning of its topic.
    pub topic: String,
    /// When it was admitted.
    pub admitted: Timestamp,
    /// What came out.
    pub outcome: Outcome,
    /// The beginning of its answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<String>,
    /// Who or what won.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub winner: Option<String>,
}

impl PastDebate {
    /// About how many characters the telling of it takes.
    pub(crate) fn length(&self) -> u64 {
        const DATE_AND_KEYS: usize = 80;
        let texts = [&self.verdict, &self.winner].into_iter().flatten().map(String::len).sum::<usize>();
        (self.topic.len() + texts + DATE_AND_KEYS) as u64
    }
}
