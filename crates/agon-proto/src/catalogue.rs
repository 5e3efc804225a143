//! What stores keep beside the logs.
use crate::enums::Numbered;
use crate::error::{DecodeError, FieldProblem};
use crate::field::{Mirrored, or};
use crate::flat as pb;
use crate::mirror::mirror;
use crate::record::Hash;
use agon_core::{
    CallCounts, Card, CardSeat, DebateId, DebateState, Dissent, Halt, ModelUsage, NodeId, Outcome, Position, Priority,
    SummaryFigures, Timestamp,
};
use std::collections::BTreeMap;

/// What the catalogue holds of a debate. A hint: the log holds the truth.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DebateSummary {
    /// The debate.
    pub id: DebateId,
    /// The beginning of its topic.
    pub topic: String,
    /// How far it is.
    pub state: SummaryState,
    /// The client's own marks.
    pub labels: BTreeMap<String, String>,
    /// How urgent it is.
    pub priority: Priority,
    /// Who submitted it.
    pub creator: Option<String>,
    /// Scripted speakers, no model.
    pub rehearsal: bool,
    /// The owner's epoch, 0 before the first.
    pub epoch: u64,
    /// The last event when this was written.
    pub last: Position,
    /// When it was admitted.
    pub admitted: Timestamp,
    /// When this was written, or once the debate has ended, when that was recorded.
    pub updated: Timestamp,
    /// What it leaves for later debates, once it has ended with a result and where its file lets it count.
    pub card: Option<Card>,
    /// Milliseconds that its duration leaves out: up to each resumption and takeover, from the last event before.
    pub paused_ms: u64,
    /// When a coordinator claimed it first; notes of earlier versions do not say.
    pub claimed: Option<Timestamp>,
    /// Rounds held; notes of earlier versions do not say.
    pub rounds: Option<u32>,
    /// What lists show besides; notes of earlier versions do not say.
    pub figures: Option<SummaryFigures>,
}

/// How far a debate is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SummaryState {
    /// Nobody has claimed it yet.
    Queued,
    /// Somebody coordinates it.
    Running {
        /// Who.
        owner: NodeId,
    },
    /// It was not submitted to a server: a process of its own plays it, or none does at the moment.
    Local,
    /// Nobody plays it before somebody has resumed it.
    Halted(Halt),
    /// It is over.
    Ended {
        /// How it ended.
        state: DebateState,
        /// What came of it.
        outcome: Option<Outcome>,
    },
}

impl SummaryState {
    /// Whether the debate has ended.
    pub fn is_over(&self) -> bool {
        matches!(self, Self::Ended { .. })
    }
}

/// What a client's request id stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestClaim {
    /// The debate that was made for it.
    pub debate: DebateId,
    /// BLAKE3 of what was asked for.
    pub payload: Hash,
}

/// An order to end a debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CancelOrder {
    /// Why.
    pub reason: String,
    /// Who gave it.
    pub by: Option<String>,
}

impl From<&DebateSummary> for pb::Summary {
    fn from(summary: &DebateSummary) -> Self {
        let mut message = Self {
            debate: summary.id.to_string(),
            topic: summary.topic.clone(),
            labels: summary.labels.clone(),
            priority: summary.priority.number(),
            creator: summary.creator.clone(),
            rehearsal: summary.rehearsal,
            epoch: summary.epoch,
            last: summary.last.0,
            admitted_ms: summary.admitted.0,
            updated_ms: summary.updated.0,
            card: summary.card.as_ref().map(Into::into),
            paused_ms: summary.paused_ms,
            claimed_ms: summary.claimed.map(|at| at.0),
            rounds: summary.rounds,
            figures: summary.figures.as_ref().map(Into::into),
            ..Self::default()
        };
        match &summary.state {
            SummaryState::Queued => message.set_state(pb::SummaryState::Queued),
            SummaryState::Running { owner } => {
                message.set_state(pb::SummaryState::Running);
                message.owner = Some(owner.to_string());
            }
            SummaryState::Local => message.set_state(pb::SummaryState::Local),
            SummaryState::Halted(halt) => {
                message.set_state(pb::SummaryState::Interrupted);
                message.paused = *halt == Halt::Paused;
            }
            SummaryState::Ended { state, outcome } => {
                message.set_state(pb::SummaryState::Ended);
                message.ended_as = state.number();
                message.outcome = outcome.map_or(0, Numbered::number);
            }
        }
        message
    }
}
impl TryFrom<pb::Summary> for DebateSummary {
    type Error = DecodeError;
    fn try_from(message: pb::Summary) -> Result<Self, DecodeError> {
        let state = match message.state() {
            pb::SummaryState::Queued => SummaryState::Queued,
            pb::SummaryState::Running => {
                let owner =
                    message.owner.as_deref().ok_or_else(|| DecodeError::field("owner", FieldProblem::Missing))?;
                SummaryState::Running { owner: NodeId::from(owner) }
            }
            pb::SummaryState::Local => SummaryState::Local,
            pb::SummaryState::Interrupted if message.paused => SummaryState::Halted(Halt::Paused),
            pb::SummaryState::Interrupted => SummaryState::Halted(Halt::Interrupted),
            pb::SummaryState::Ended => SummaryState::Ended {
                state: Numbered::from_number(message.ended_as, "ended_as")?,
                outcome: match message.outcome {
                    0 => None,
                    number => Some(Numbered::from_number(number, "outcome")?),
                },
            },
            pb::SummaryState::Unspecified => {
                return Err(DecodeError::field("state", FieldProblem::UnknownNumber(message.state)));
            }
        };
        Ok(Self {
            id: Mirrored::read(message.debate, "debate")?,
            topic: message.topic,
            state,
            labels: message.labels,
            priority: or::read(message.priority, "priority", Priority::Normal)?,
            creator: message.creator,
            rehearsal: message.rehearsal,
            epoch: message.epoch,
            last: Position(message.last),
            admitted: Timestamp(message.admitted_ms),
            updated: Timestamp(message.updated_ms),
            card: Mirrored::read(message.card, "card")?,
            paused_ms: message.paused_ms,
            claimed: message.claimed_ms.map(Timestamp),
            rounds: message.rounds,
            figures: Mirrored::read(message.figures, "figures")?,
        })
    }
}

mirror! {
    Card as Card { outcome, verdict, winner, majority, seats, course }
    CardSeat as CardSeat { persona, model, stance, first, last }
    CancelOrder as CancelOrder { reason, by }
    SummaryFigures as SummaryFigures {
        winner, dissent, models, other_calls, calls, max_rounds, turns, failed_tries, rejudges,
    }
    Dissent as Dissent { against, of, among }
    ModelUsage as ModelUsage { model, usage }
    CallCounts as CallCounts { done, planned }
}

impl From<&RequestClaim> for pb::RequestClaim {
    fn from(claim: &RequestClaim) -> Self {
        Self { debate: claim.debate.to_string(), payload_hash: claim.payload.to_vec() }
    }
}
impl TryFrom<pb::RequestClaim> for RequestClaim {
    type Error = DecodeError;
    fn try_from(claim: pb::RequestClaim) -> Result<Self, DecodeError> {
        let invalid = || DecodeError::field("payload_hash", FieldProblem::Invalid("not 32 bytes".to_owned()));
        let payload = claim.payload_hash.try_into().map_err(|_| invalid())?;
        Ok(Self { debate: Mirrored::read(claim.debate, "debate")?, payload })
    }
}
