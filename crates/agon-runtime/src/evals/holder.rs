//! Whoever holds the debates of an eval.
use agon_core::{Admission, Debate, DebateId, Event, Priority, Record, RetryPolicy};
use agon_eval::{CellOrder, PrintedOutput, ProgramFailure, ProgramOrder};
use async_trait::async_trait;

/// Holds debates, in this process or at a server.
#[async_trait]
pub trait CellHolder: Send + Sync {
    /// Has a debate held to its end, and gives its log. A debate of this id that has ended is found and not held again; one that was
    /// begun goes on.
    async fn hold(&self, order: &CellOrder) -> Result<HeldCell, HoldError>;
    /// Ends a debate that nobody wants any more, if it goes on.
    async fn cancel(&self, debate: &str, reason: &str);
    /// Runs a program of the user's own to its end; whoever drops this ends it. A server runs none.
    async fn run(&self, _: &ProgramOrder) -> Result<Result<PrintedOutput, ProgramFailure>, HoldError> {
        Err(HoldError::Programs)
    }
}

/// A debate that is over.
#[derive(Clone, Debug)]
pub struct HeldCell {
    /// Its log.
    pub records: Vec<Record>,
    /// BLAKE3 of its last record, hexadecimal.
    pub head: String,
}

/// Why a debate was not held to its end. The eval can go on later.
#[derive(Clone, Debug, thiserror::Error)]
pub enum HoldError {
    /// Another debate has the id.
    #[error("the debate {0} in this store is not the one that the eval would hold")]
    Other(String),
    /// Nobody here may run it.
    #[error("the eval has programs, which run only on the machine of whoever began it")]
    Programs,
    /// It was paused or interrupted.
    #[error("debate {debate} was halted: {why}")]
    Halted {
        /// Which.
        debate: String,
        /// Why.
        why: String,
    },
    /// The store, the node or the server failed.
    #[error("debate {debate} cannot be held: {why}")]
    Failed {
        /// Which.
        debate: String,
        /// Why.
        why: String,
    },
}

/// How the debate of a cell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellStanding {
    /// There is none yet.
    Absent,
    /// It goes on.
    Open,
    /// It is over.
    Over,
}

/// How the debate of a cell stands by its log; one of another spec is refused.
pub fn cell_standing<'a>(
    order: &CellOrder,
    records: impl IntoIterator<Item = &'a Record>,
) -> Result<CellStanding, HoldError> {
    let mut records = records.into_iter().peekable();
    if records.peek().is_none() {
        return Ok(CellStanding::Absent);
    }
    let name = || order.debate.id.clone();
    let without = || HoldError::Failed { debate: name(), why: "its log has no admission".to_owned() };
    let debate = Debate::fold(records).ok_or_else(without)?;
    let admission = debate.admission();
    if admission.spec != order.spec || admission.seed != order.debate.seed {
        return Err(HoldError::Other(name()));
    }
    Ok(if debate.ended().is_some() { CellStanding::Over } else { CellStanding::Open })
}

/// What the debate of a cell starts from.
pub fn cell_admission(id: &DebateId, order: &CellOrder, retry: RetryPolicy) -> Admission {
    Admission {
        id: id.clone(),
        spec: order.spec.clone(),
        seed: order.debate.seed,
        retry,
        agon_version: env!("CARGO_PKG_VERSION").to_owned(),
        request_id: None,
        rehearsal: order.rehearsal,
        priority: Priority::Batch,
        labels: order.labels.clone(),
        creator: None,
        submitted_by: None,
        rejudges: None,
        history: Default::default(),
        recalled: None,
        feeds: Default::default(),
        ratings: Default::default(),
    }
}

/// Whether a debate was held for this eval, by the first record of its log.
pub(crate) fn is_own(eval: &str, first: Option<&Record>) -> bool {
    match first.and_then(|record| record.events.first()) {
        Some(Event::DebateAdmitted(admission)) => admission.labels.get("eval").is_some_and(|of| of == eval),
        _ => false,
    }
}
