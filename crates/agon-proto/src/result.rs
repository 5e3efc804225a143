//! What became of a try.
use crate::flat::turn_result;
use crate::mirror::oneof;

oneof! {
    agon_core::TurnResult as TurnResult in turn_result {
        Answered { answer, call } = Answered(turn_result::Answered),
        Failed { failure, call } = Failed(turn_result::Failed),
        Withdrawn {} = Withdrawn(turn_result::Withdrawn),
    }
}
