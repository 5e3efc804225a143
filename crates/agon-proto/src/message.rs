//! Messages between processes. All of them are hints: the journal and the registers hold the truth.
use crate::mirror::mirror;
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
    /// No call of the debate has ended yet: its turns stand in line for as long as it takes.
    pub beginning: bool,
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

/// A turn of a debate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DebateTurn {
    /// The debate.
    pub debate: DebateId,
    /// The turn.
    pub turn: TurnId,
}

/// A coordinator asks a host about turns that it believes to be there, all those of its debates in one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnCheck {
    /// The node that coordinates these debates and wants to hear of the turns.
    pub owner: NodeId,
    /// The turns.
    pub turns: Vec<DebateTurn>,
}

/// A host's answer to that.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TurnCheckReply {
    /// The host has looked. False from one that does not know the question.
    pub answered: bool,
    /// The turns that are not there.
    pub absent: Vec<DebateTurn>,
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

mirror! {
    TurnOffer as TurnOffer { debate, ask, first, owner, priority: or(Priority::Normal), time_left, beginning }
    TimeLeft as TimeLeft { left_ms, sent_ms }
    OfferReply as OfferReply { accepted, host, reason }
    DebateTurn as DebateTurn { debate, turn }
    TurnCheck as TurnCheck { owner, turns }
    TurnCheckReply as TurnCheckReply { answered, absent }
    TurnDecided as TurnDecided { debate, turn }
    TokenDelta as TokenDelta { debate, turn, participant, offset, text, waiting }
    LogAdvanced as LogAdvanced { debate, position }
    JobReady as JobReady { debate }
    CancelTurn as CancelTurn { debate, turn }
    CancelDebate as CancelDebate { debate, reason }
}
