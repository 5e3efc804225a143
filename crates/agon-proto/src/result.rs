//! What became of a try.
use crate::error::{DecodeError, Problem, required};
use crate::flat as pb;
use agon_core::TurnResult;
use pb::turn_result;

impl From<&TurnResult> for pb::TurnResult {
    fn from(result: &TurnResult) -> Self {
        let kind = match result {
            TurnResult::Answered { answer, call } => turn_result::Kind::Answered(turn_result::Answered {
                answer: Some(answer.into()),
                call: Some(call.as_ref().into()),
            }),
            TurnResult::Failed { failure, call } => turn_result::Kind::Failed(turn_result::Failed {
                failure: Some(failure.into()),
                call: Some(call.as_ref().into()),
            }),
            TurnResult::Withdrawn => turn_result::Kind::Withdrawn(turn_result::Withdrawn {}),
        };
        Self { kind: Some(kind) }
    }
}
impl TryFrom<pb::TurnResult> for TurnResult {
    type Error = DecodeError;
    fn try_from(result: pb::TurnResult) -> Result<Self, DecodeError> {
        let kind = result.kind.ok_or_else(|| DecodeError::field("kind", Problem::UnknownKind))?;
        Ok(match kind {
            turn_result::Kind::Answered(answered) => Self::Answered {
                answer: required(answered.answer, "answered.answer")?,
                call: crate::call::boxed(answered.call, "answered.call")?,
            },
            turn_result::Kind::Failed(failed) => Self::Failed {
                failure: required(failed.failure, "failed.failure")?,
                call: crate::call::boxed(failed.call, "failed.call")?,
            },
            turn_result::Kind::Withdrawn(turn_result::Withdrawn {}) => Self::Withdrawn,
        })
    }
}
