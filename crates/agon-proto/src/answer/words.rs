//! What is said between and beside speeches.
use crate::mirror::mirror;

mirror! {
    agon_core::Bid as Bid { urgency, to, text }
    agon_core::PointReply as PointReply { accepts, reply }
    agon_core::Critique as Critique { severity, issues, suggestions }
    agon_core::Revision as Revision { text, accepted, declined }
    agon_core::Declined as Declined { critic, why }
    agon_core::Note as Note { position, changed_by, contradictions, worked, did_not_work, next }
    agon_core::Interjection as Interjection { comment, warnings, questions, revisions }
    agon_core::Remark as Remark { to, text }
}
