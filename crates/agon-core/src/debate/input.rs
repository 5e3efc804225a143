//! What reaches the machine, and what it wants from the world.
use crate::ids::{NodeId, Timestamp, TurnId};
use crate::outcome::Reason;
use crate::task::{Ask, TurnResult};
use std::sync::Arc;

/// Something that happened outside.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A coordinator takes the debate over. Always the first input after a replay.
    Claim {
        /// Which.
        writer: NodeId,
    },
    /// The register of a turn is decided. [`TurnResult::Withdrawn`] means that the deadline passed first.
    TurnDecided {
        /// The turn.
        turn: TurnId,
        /// What the register holds.
        result: TurnResult,
    },
    /// The wait before a further try is over.
    RetryDue {
        /// The try to start.
        turn: TurnId,
    },
    /// So much was heard of a speech that goes on. Told once for each try, about half-way, and only where speeches may be
    /// interrupted; a try of which nothing is told is simply not interrupted.
    SpeechHeard {
        /// The turn.
        turn: TurnId,
        /// What was said so far.
        text: Arc<str>,
    },
    /// Somebody wants the debate ended.
    Cancel {
        /// Why.
        reason: String,
    },
    /// The owner cannot go on, for instance because its restart budget is spent: nobody goes on before [`Input::Resume`].
    Interrupt {
        /// Why.
        reason: Reason,
    },
    /// Somebody wants a debate continued that nobody plays.
    Resume {
        /// Who, as far as it is known.
        by: Option<String>,
    },
}

/// Something that the world owes the debate. Doing it twice is harmless.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Have this turn taken, and at its deadline race for its register with [`TurnResult::Withdrawn`].
    Ask(Ask),
    /// Wake the debate with [`Input::RetryDue`].
    WakeAt {
        /// When.
        at: Timestamp,
        /// For which try.
        turn: TurnId,
    },
    /// Have a running speech end where it is: somebody interrupted it. Its result is still awaited.
    Cut {
        /// The speech.
        turn: TurnId,
    },
    /// The debate is over: withdraw what is still asked, complete the job.
    Finish,
}

/// Why an input changes nothing. Late and doubled inputs are harmless.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The debate is over.
    #[error("the debate has ended")]
    Ended,
    /// The debate waits to be resumed.
    #[error("the debate is interrupted")]
    Interrupted,
    /// Nobody has claimed the debate yet.
    #[error("the debate has no owner yet")]
    Unclaimed,
    /// The turn is not open, or another try of it is.
    #[error("turn {0} is not open")]
    NotOpen(TurnId),
}
