//! Whoever holds the debates of an eval.
use agon_core::Record;
use agon_eval::CellOrder;
use async_trait::async_trait;

/// Holds debates, in this process or at a server.
#[async_trait]
pub trait CellHolder: Send + Sync {
    /// Has a debate held to its end, and gives its log. A debate of this id that has ended is found and not held again; one that was
    /// begun goes on.
    async fn hold(&self, order: &CellOrder) -> Result<HeldCell, HoldError>;
    /// Ends a debate that nobody wants any more, if it goes on.
    async fn cancel(&self, debate: &str, reason: &str);
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
