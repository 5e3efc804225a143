//! Messages between processes. All of them are hints: the journal and the registers hold the truth.
use crate::enums::Numbered as _;
use crate::error::{DecodeError, required};
use crate::flat as pb;
use crate::kinds::{debate, priority};
use crate::task::turn;
use agon_core::{Ask, DebateId, HostId, NodeId, ParticipantId, Position, Priority, TurnId};

/// A turn that is offered to one host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnOffer {
    /// The debate.
    pub debate: DebateId,
    /// The turn.
    pub ask: Ask,
    /// The first offer of this try, by the coordinator that opened it: nobody can have decided its register yet.
    pub first: bool,
    /// The node that coordinates the debate and wants to hear of the turn.
    pub owner: Option<NodeId>,
    /// How urgent the debate is.
    pub priority: Priority,
    /// The time that is left for the turn; absent in offers of earlier versions.
    pub time_left: Option<TimeLeft>,
}

/// What is left of a turn's time, by no clock that two machines have to share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimeLeft {
    /// To the turn's deadline, in milliseconds, when this was sent.
    pub left_ms: u64,
    /// When this was sent, in milliseconds since the process of the sender started.
    pub sent_ms: u64,
}

/// A host's answer to an offer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferReply {
    /// The host plays the turn.
    pub accepted: bool,
    /// Which host.
    pub host: HostId,
    /// Why not, for a person.
    pub reason: Option<String>,
}

/// The register of a turn is decided: read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnDecided {
    /// The debate.
    pub debate: DebateId,
    /// The turn.
    pub turn: TurnId,
}

/// A piece of a speech while it is generated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenDelta {
    /// The debate.
    pub debate: DebateId,
    /// The turn.
    pub turn: TurnId,
    /// Who speaks.
    pub participant: ParticipantId,
    /// Bytes of the speech before this piece; a gap means that pieces were lost.
    pub offset: u64,
    /// The piece.
    pub text: String,
    /// What the turn waits for, in words; empty unless it waits, and only without text.
    pub waiting: String,
}

/// A debate's log has grown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogAdvanced {
    /// The debate.
    pub debate: DebateId,
    /// Its last event.
    pub position: Position,
}

/// A debate wants an owner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobReady {
    /// The debate.
    pub debate: DebateId,
}

/// A turn is given up: stop generating.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CancelTurn {
    /// The debate.
    pub debate: DebateId,
    /// The turn.
    pub turn: TurnId,
}

/// Somebody asks to end a debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CancelDebate {
    /// The debate.
    pub debate: DebateId,
    /// Why.
    pub reason: String,
}

impl From<&TurnOffer> for pb::TurnOffer {
    fn from(offer: &TurnOffer) -> Self {
        Self {
            debate: offer.debate.to_string(),
            ask: Some((&offer.ask).into()),
            first: offer.first,
            owner: offer.owner.as_ref().map(NodeId::to_string),
            priority: offer.priority.number(),
            time_left: offer.time_left.map(|TimeLeft { left_ms, sent_ms }| pb::TimeLeft { left_ms, sent_ms }),
        }
    }
}
impl TryFrom<pb::TurnOffer> for TurnOffer {
    type Error = DecodeError;
    fn try_from(offer: pb::TurnOffer) -> Result<Self, DecodeError> {
        Ok(Self {
            debate: debate(&offer.debate, "debate")?,
            ask: required(offer.ask, "ask")?,
            first: offer.first,
            owner: offer.owner.map(NodeId::new),
            priority: priority(offer.priority, "priority")?,
            time_left: offer.time_left.map(|pb::TimeLeft { left_ms, sent_ms }| TimeLeft { left_ms, sent_ms }),
        })
    }
}

impl From<&OfferReply> for pb::OfferReply {
    fn from(reply: &OfferReply) -> Self {
        Self { accepted: reply.accepted, host: reply.host.to_string(), reason: reply.reason.clone() }
    }
}
impl From<pb::OfferReply> for OfferReply {
    fn from(reply: pb::OfferReply) -> Self {
        Self { accepted: reply.accepted, host: HostId::new(reply.host), reason: reply.reason }
    }
}

impl From<&TurnDecided> for pb::TurnDecided {
    fn from(decided: &TurnDecided) -> Self {
        Self { debate: decided.debate.to_string(), turn: Some(decided.turn.into()) }
    }
}
impl TryFrom<pb::TurnDecided> for TurnDecided {
    type Error = DecodeError;
    fn try_from(decided: pb::TurnDecided) -> Result<Self, DecodeError> {
        Ok(Self { debate: debate(&decided.debate, "debate")?, turn: turn(decided.turn, "turn")? })
    }
}

impl From<&TokenDelta> for pb::TokenDelta {
    fn from(delta: &TokenDelta) -> Self {
        Self {
            debate: delta.debate.to_string(),
            turn: Some(delta.turn.into()),
            participant: delta.participant.to_string(),
            offset: delta.offset,
            text: delta.text.clone(),
            waiting: delta.waiting.clone(),
        }
    }
}
impl TryFrom<pb::TokenDelta> for TokenDelta {
    type Error = DecodeError;
    fn try_from(delta: pb::TokenDelta) -> Result<Self, DecodeError> {
        Ok(Self {
            debate: debate(&delta.debate, "debate")?,
            turn: turn(delta.turn, "turn")?,
            participant: ParticipantId::new(delta.participant),
            offset: delta.offset,
            text: delta.text,
            waiting: delta.waiting,
        })
    }
}

impl From<&LogAdvanced> for pb::LogAdvanced {
    fn from(advanced: &LogAdvanced) -> Self {
        Self { debate: advanced.debate.to_string(), position: advanced.position.0 }
    }
}
impl TryFrom<pb::LogAdvanced> for LogAdvanced {
    type Error = DecodeError;
    fn try_from(advanced: pb::LogAdvanced) -> Result<Self, DecodeError> {
        Ok(Self { debate: debate(&advanced.debate, "debate")?, position: Position(advanced.position) })
    }
}

impl From<&JobReady> for pb::JobReady {
    fn from(job: &JobReady) -> Self {
        Self { debate: job.debate.to_string() }
    }
}
impl TryFrom<pb::JobReady> for JobReady {
    type Error = DecodeError;
    fn try_from(job: pb::JobReady) -> Result<Self, DecodeError> {
        Ok(Self { debate: debate(&job.debate, "debate")? })
    }
}

impl From<&CancelTurn> for pb::CancelTurn {
    fn from(cancel: &CancelTurn) -> Self {
        Self { debate: cancel.debate.to_string(), turn: Some(cancel.turn.into()) }
    }
}
impl TryFrom<pb::CancelTurn> for CancelTurn {
    type Error = DecodeError;
    fn try_from(cancel: pb::CancelTurn) -> Result<Self, DecodeError> {
        Ok(Self { debate: debate(&cancel.debate, "debate")?, turn: turn(cancel.turn, "turn")? })
    }
}

impl From<&CancelDebate> for pb::CancelDebate {
    fn from(cancel: &CancelDebate) -> Self {
        Self { debate: cancel.debate.to_string(), reason: cancel.reason.clone() }
    }
}
impl TryFrom<pb::CancelDebate> for CancelDebate {
    type Error = DecodeError;
    fn try_from(cancel: pb::CancelDebate) -> Result<Self, DecodeError> {
        Ok(Self { debate: debate(&cancel.debate, "debate")?, reason: cancel.reason })
    }
}
