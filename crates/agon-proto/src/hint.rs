//! The hints: one message for all of them, so that a reader passes over those that it does not know.
use crate::error::DecodeError;
use crate::flat as pb;
use crate::message::{CancelDebate, CancelTurn, JobReady, LogAdvanced, TurnDecided};
use crate::mirror::mirror;
use agon_core::{DebateId, HostId, NodeId, TurnId};
use bytes::Bytes;
use prost::Message as _;
use std::sync::Arc;

/// A host has taken a turn from a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnTaken {
    /// The debate.
    pub debate: DebateId,
    /// The turn.
    pub turn: TurnId,
    /// By whom.
    pub host: HostId,
}

/// A host gives a turn back that it was offered and cannot play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnReturned {
    /// The debate.
    pub debate: DebateId,
    /// The turn.
    pub turn: TurnId,
    /// By whom.
    pub host: HostId,
}

/// How a `log_advanced` begins on the wire: field 5, length-delimited.
const LOG_ADVANCED_KEY: u8 = 0x2A;

/// A node has taken a debate over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnerChanged {
    /// The debate.
    pub debate: DebateId,
    /// The node that coordinates it from now on.
    pub owner: NodeId,
}

/// So much was heard of a speech that goes on and may be interrupted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpeechHeard {
    /// The debate.
    pub debate: DebateId,
    /// The turn.
    pub turn: TurnId,
    /// What was said so far.
    pub text: Arc<str>,
}

/// Somebody has interrupted a speech: end it where it is. Its result is still awaited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutTurn {
    /// The debate.
    pub debate: DebateId,
    /// The turn.
    pub turn: TurnId,
}

/// An eval was admitted or deleted, or somebody else than its driver has written to its log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvalChanged {
    /// The eval.
    pub eval: DebateId,
}

mirror! {
    TurnTaken as TurnTaken { debate, turn, host }
    TurnReturned as TurnReturned { debate, turn, host }
    OwnerChanged as OwnerChanged { debate, owner }
    SpeechHeard as HeardSpeech { debate, turn, text }
    CutTurn as CutTurn { debate, turn }
    EvalChanged as EvalChanged { eval }
}

/// A hint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hint {
    /// To the owning node: a turn's register is decided.
    TurnDecided(TurnDecided),
    /// To the hosts: a turn is given up.
    CancelTurn(CancelTurn),
    /// To the owner: end the debate. To the hosts: it is over.
    CancelDebate(CancelDebate),
    /// To all coordinators: a debate wants an owner.
    JobReady(JobReady),
    /// To watchers: a log has grown.
    LogAdvanced(LogAdvanced),
    /// To the owning node: a host has taken a turn from a queue.
    TurnTaken(TurnTaken),
    /// To the hosts: tell the new owner which turns you play.
    OwnerChanged(OwnerChanged),
    /// To the owning node: a speech that may be interrupted is about half-way.
    SpeechHeard(SpeechHeard),
    /// To the hosts: a speech was interrupted, end it where it is.
    CutTurn(CutTurn),
    /// To the owning node: a host cannot play a turn that it was offered.
    TurnReturned(TurnReturned),
    /// To all coordinators: an eval is there, goes on or is to end.
    EvalChanged(EvalChanged),
}

impl Hint {
    /// The hint as bytes.
    pub fn to_bytes(&self) -> Bytes {
        use pb::hint::Kind;
        let kind = match self {
            Self::TurnDecided(hint) => Kind::TurnDecided(hint.into()),
            Self::CancelTurn(hint) => Kind::CancelTurn(hint.into()),
            Self::CancelDebate(hint) => Kind::CancelDebate(hint.into()),
            Self::JobReady(hint) => Kind::JobReady(hint.into()),
            Self::LogAdvanced(hint) => Kind::LogAdvanced(hint.into()),
            Self::TurnTaken(hint) => Kind::TurnTaken(hint.into()),
            Self::OwnerChanged(hint) => Kind::OwnerChanged(hint.into()),
            Self::SpeechHeard(hint) => Kind::SpeechHeard(hint.into()),
            Self::CutTurn(hint) => Kind::CutTurn(hint.into()),
            Self::TurnReturned(hint) => Kind::TurnReturned(hint.into()),
            Self::EvalChanged(hint) => Kind::EvalChanged(hint.into()),
        };
        pb::Hint { kind: Some(kind) }.encode_to_vec().into()
    }

    /// Whether the bytes hold a hint that only watchers want: the most frequent one, told without decoding it.
    pub fn is_log_advanced(bytes: &[u8]) -> bool {
        bytes.first() == Some(&LOG_ADVANCED_KEY)
    }

    /// Reads a hint; none for a kind that this version does not know.
    pub fn from_bytes(bytes: &[u8]) -> Result<Option<Self>, DecodeError> {
        use pb::hint::Kind;
        let Some(kind) = pb::Hint::decode(bytes).map_err(DecodeError::Bytes)?.kind else { return Ok(None) };
        Ok(Some(match kind {
            Kind::TurnDecided(hint) => Self::TurnDecided(hint.try_into()?),
            Kind::CancelTurn(hint) => Self::CancelTurn(hint.try_into()?),
            Kind::CancelDebate(hint) => Self::CancelDebate(hint.try_into()?),
            Kind::JobReady(hint) => Self::JobReady(hint.try_into()?),
            Kind::LogAdvanced(hint) => Self::LogAdvanced(hint.try_into()?),
            Kind::TurnTaken(hint) => Self::TurnTaken(hint.try_into()?),
            Kind::OwnerChanged(hint) => Self::OwnerChanged(hint.try_into()?),
            Kind::SpeechHeard(hint) => Self::SpeechHeard(hint.try_into()?),
            Kind::CutTurn(hint) => Self::CutTurn(hint.try_into()?),
            Kind::TurnReturned(hint) => Self::TurnReturned(hint.try_into()?),
            Kind::EvalChanged(hint) => Self::EvalChanged(hint.try_into()?),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::Position;

    #[test]
    fn every_hint_comes_back_as_it_went_out() {
        let debate = DebateId::parse("acme/a-debate").unwrap();
        let turn = TurnId { round: 1, seat: 2, attempt: 3 };
        let hints = [
            Hint::TurnDecided(TurnDecided { debate: debate.clone(), turn }),
            Hint::CancelTurn(CancelTurn { debate: debate.clone(), turn }),
            Hint::CancelDebate(CancelDebate { debate: debate.clone(), reason: "enough".to_owned() }),
            Hint::JobReady(JobReady { debate: debate.clone() }),
            Hint::LogAdvanced(LogAdvanced { debate: debate.clone(), position: Position(7) }),
            Hint::TurnTaken(TurnTaken { debate: debate.clone(), turn, host: HostId::new("gpu-1") }),
            Hint::OwnerChanged(OwnerChanged { debate: debate.clone(), owner: NodeId::new("node-1") }),
            Hint::SpeechHeard(SpeechHeard { debate: debate.clone(), turn, text: "We should".into() }),
            Hint::CutTurn(CutTurn { debate: debate.clone(), turn }),
            Hint::TurnReturned(TurnReturned { debate: debate.clone(), turn, host: HostId::new("gpu-1") }),
            Hint::EvalChanged(EvalChanged { eval: debate }),
        ];

        for hint in hints {
            assert_eq!(Hint::is_log_advanced(&hint.to_bytes()), matches!(hint, Hint::LogAdvanced(_)));
            assert_eq!(Hint::from_bytes(&hint.to_bytes()).unwrap(), Some(hint));
        }
    }

    #[test]
    fn a_hint_of_an_unknown_kind_is_passed_over() {
        // field 90, length-delimited, empty
        assert_eq!(Hint::from_bytes(&[0xD2, 0x05, 0x00]).unwrap(), None);
        assert_eq!(Hint::from_bytes(&[]).unwrap(), None);
        assert!(Hint::from_bytes(&[0xFF]).is_err());
    }
}
