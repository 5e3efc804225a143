//! The hints about debates: one subject carries all kinds, told apart by a leading byte, so that who is not concerned decodes nothing.
use agon_core::{DebateId, Position, TurnId};
use agon_proto::{CancelDebate, CancelTurn, DecodeError, JobReady, LogAdvanced, TurnDecided, Wire};
use bytes::{BufMut, Bytes, BytesMut};

/// A hint about a debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Hint {
    /// A turn's register is decided.
    Decided(TurnDecided),
    /// A turn is given up.
    CancelTurn(CancelTurn),
    /// A debate is to end, or has ended: its turns are given up.
    CancelDebate(CancelDebate),
    /// A debate wants an owner.
    JobReady(JobReady),
    /// A log has grown.
    LogAdvanced(LogAdvanced),
}

const DECIDED: u8 = 1;
const CANCEL_TURN: u8 = 2;
const CANCEL_DEBATE: u8 = 3;
const JOB_READY: u8 = 4;
const LOG_ADVANCED: u8 = 5;

/// Whether the bytes hold a hint that a log has grown, the most frequent one, which only watchers want.
pub(crate) fn is_log_advanced(payload: &[u8]) -> bool {
    payload.first() == Some(&LOG_ADVANCED)
}

fn tagged(kind: u8, message: &impl Wire) -> Bytes {
    let body = message.to_bytes();
    let mut bytes = BytesMut::with_capacity(body.len() + 1);
    bytes.put_u8(kind);
    bytes.extend_from_slice(&body);
    bytes.freeze()
}

pub(crate) fn decided(debate: &DebateId, turn: TurnId) -> Bytes {
    tagged(DECIDED, &TurnDecided { debate: debate.clone(), turn })
}
pub(crate) fn cancel_turn(debate: &DebateId, turn: TurnId) -> Bytes {
    tagged(CANCEL_TURN, &CancelTurn { debate: debate.clone(), turn })
}
pub(crate) fn cancel_debate(debate: &DebateId, reason: &str) -> Bytes {
    tagged(CANCEL_DEBATE, &CancelDebate { debate: debate.clone(), reason: reason.to_owned() })
}
pub(crate) fn job_ready(debate: &DebateId) -> Bytes {
    tagged(JOB_READY, &JobReady { debate: debate.clone() })
}
pub(crate) fn log_advanced(debate: &DebateId, position: Position) -> Bytes {
    tagged(LOG_ADVANCED, &LogAdvanced { debate: debate.clone(), position })
}

impl Hint {
    /// Reads a hint; none for a kind that this version does not know.
    pub(crate) fn decode(payload: &[u8]) -> Result<Option<Self>, DecodeError> {
        let Some((kind, body)) = payload.split_first() else { return Ok(None) };
        Ok(Some(match *kind {
            DECIDED => Self::Decided(Wire::from_bytes(body)?),
            CANCEL_TURN => Self::CancelTurn(Wire::from_bytes(body)?),
            CANCEL_DEBATE => Self::CancelDebate(Wire::from_bytes(body)?),
            JOB_READY => Self::JobReady(Wire::from_bytes(body)?),
            LOG_ADVANCED => Self::LogAdvanced(Wire::from_bytes(body)?),
            _ => return Ok(None),
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_hint_comes_back_as_it_went_out() {
        let debate = DebateId::parse("a-debate").unwrap();
        let turn = TurnId { round: 1, seat: 2, attempt: 3 };
        let reason = "enough".to_owned();
        let hints = [
            (decided(&debate, turn), Hint::Decided(TurnDecided { debate: debate.clone(), turn })),
            (cancel_turn(&debate, turn), Hint::CancelTurn(CancelTurn { debate: debate.clone(), turn })),
            (cancel_debate(&debate, "enough"), Hint::CancelDebate(CancelDebate { debate: debate.clone(), reason })),
            (job_ready(&debate), Hint::JobReady(JobReady { debate: debate.clone() })),
            (
                log_advanced(&debate, Position(7)),
                Hint::LogAdvanced(LogAdvanced { debate: debate.clone(), position: Position(7) }),
            ),
        ];

        for (bytes, hint) in hints {
            assert_eq!(Hint::decode(&bytes).unwrap(), Some(hint));
        }
    }

    #[test]
    fn a_hint_of_an_unknown_kind_is_passed_over() {
        assert_eq!(Hint::decode(&[200, 1, 2]).unwrap(), None);
        assert_eq!(Hint::decode(&[]).unwrap(), None);
    }
}
