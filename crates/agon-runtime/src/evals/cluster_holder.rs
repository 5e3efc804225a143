//! The debates of an eval, held by whoever coordinates debates in the cluster.
use super::CancelledEval;
use super::holder::{CellHolder, CellStanding, HeldCell, HoldError, cell_admission, cell_standing, is_own};
use crate::base::journal;
use crate::node::Node;
use crate::room::DebateRoom;
use agon_core::{DebateId, Position, RetryPolicy, TenantId};
use agon_eval::CellOrder;
use agon_store::{Upkeep, chain};
use async_trait::async_trait;
use std::fmt::Display;
use std::sync::Arc;

/// Submits debates, and waits for their ends.
pub(crate) struct ClusterHolder {
    pub(crate) node: Arc<Node>,
    pub(crate) upkeep: Arc<dyn Upkeep>,
    pub(crate) room: Arc<DebateRoom>,
    pub(crate) retry: RetryPolicy,
    /// The eval, as its debates' labels name it.
    pub(crate) eval: String,
    pub(crate) tenant: TenantId,
}

/// Why a debate is not over yet.
enum CellDelay {
    /// It never will be.
    Lasting(HoldError),
    /// There is no room, or something does not answer.
    Passing(String),
}

impl CellDelay {
    fn passing(why: impl Display) -> Self {
        Self::Passing(why.to_string())
    }
}

#[async_trait]
impl CellHolder for ClusterHolder {
    async fn hold(&self, order: &CellOrder) -> Result<HeldCell, HoldError> {
        let id = self.id(&order.debate.id)?;
        let times = &self.node.shared().config.times;
        let mut pause = times.park;
        loop {
            match self.held(&id, order).await {
                Ok(Some(held)) => return Ok(held),
                Ok(None) => pause = times.park,
                Err(CellDelay::Lasting(error)) => return Err(error),
                Err(CellDelay::Passing(why)) => {
                    tracing::debug!(debate = %id, why, "the debate of an eval waits");
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(times.park_max);
                }
            }
        }
    }

    async fn cancel(&self, debate: &str, reason: &str) {
        let Ok(id) = self.id(debate) else { return };
        self.node.cancel_of_eval(&self.eval, &id, reason).await;
    }
}

impl Node {
    /// Ends a debate that an eval has held, if it goes on.
    async fn cancel_of_eval(&self, eval: &str, id: &DebateId, reason: &str) {
        match journal::read(self.shared(), id, Position(0)).await {
            // another eval holds the same debate, and goes on
            Ok(records) if !is_own(eval, records.first().map(Arc::as_ref)) => {}
            Ok(_) => {
                if let Err(error) = self.cancel(id, reason, None).await {
                    tracing::debug!(debate = %id, %error, "debate not cancelled");
                }
            }
            Err(error) => tracing::warn!(debate = %id, %error, "debate of an eval not cancelled"),
        }
    }

    /// Ends the debates that a cancelled eval was waiting for, and tells the coordinators: nobody may be driving the eval, who would.
    pub async fn eval_cancelled(&self, cancelled: &CancelledEval) {
        let id = &cancelled.eval.id;
        self.eval_changed(id).await;
        for debate in &cancelled.open {
            if let Ok(debate) = DebateId::in_tenant(&id.tenant(), debate) {
                self.cancel_of_eval(id.name(), &debate, "the eval has ended").await;
            }
        }
    }
}

impl ClusterHolder {
    fn id(&self, debate: &str) -> Result<DebateId, HoldError> {
        let failed = |why: &dyn Display| HoldError::Failed { debate: debate.to_owned(), why: why.to_string() };
        DebateId::in_tenant(&self.tenant, debate).map_err(|error| failed(&error))
    }

    /// The debate if it is over; nothing once it has come so far.
    async fn held(&self, id: &DebateId, order: &CellOrder) -> Result<Option<HeldCell>, CellDelay> {
        let records = journal::read(self.node.shared(), id, Position(0)).await.map_err(CellDelay::passing)?;
        let standing = cell_standing(order, records.iter().map(Arc::as_ref)).map_err(CellDelay::Lasting)?;
        match standing {
            CellStanding::Over => {
                let verified = self.upkeep.verify(id).await.map_err(CellDelay::passing)?;
                let records = records.iter().map(|record| record.as_ref().clone()).collect();
                return Ok(Some(HeldCell { records, head: chain::hex(&verified.head_hash) }));
            }
            CellStanding::Absent => {
                self.room.take(&self.tenant).await.map_err(CellDelay::passing)?;
                let admission = cell_admission(id, order, self.retry);
                self.node.submit(admission).await.map_err(CellDelay::passing)?;
            }
            CellStanding::Open => {}
        }
        self.node.finished(id).await.map(|_| None).map_err(CellDelay::passing)
    }
}
