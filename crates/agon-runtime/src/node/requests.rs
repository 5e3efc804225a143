//! What can be asked of debates and hosts elsewhere.
use super::Node;
use crate::tasks::tell;
use crate::watch::ends;
use crate::{ledger, notes, root, subjects};
use agon_bus::{BusError, Payload};
use agon_core::{DebateId, DebateState, HostId, Input, Position, Priority};
use agon_proto::{CancelDebate, CancelOrder, Hint, Summary, SummaryState};
use agon_store::StoreError;
use std::time::Duration;

/// Why a debate was not told to end.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CancelError {
    /// There is no such debate.
    #[error("there is no debate {0}")]
    Unknown(DebateId),
    /// It is over.
    #[error("debate {debate} is over already: {state:?}")]
    Ended {
        /// Which.
        debate: DebateId,
        /// How it ended.
        state: DebateState,
    },
    /// The order could not be written down; it may be given again.
    #[error("the order cannot be written down")]
    Store(#[from] StoreError),
}

/// Why a host was not told to take no more turns.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DrainError {
    /// No such host answers.
    #[error("there is no host {0}")]
    Unknown(HostId),
    /// It did not answer, or the bus failed.
    #[error("host {host} cannot be asked")]
    Bus {
        /// Which.
        host: HostId,
        /// Why.
        #[source]
        error: BusError,
    },
}

/// How long a host may take to answer.
const HOST_PATIENCE: Duration = Duration::from_secs(2);

impl Node {
    /// Orders a debate to be ended, wherever it is held. The order lasts: whoever owns the debate next carries it out
    /// first. The first order counts.
    pub async fn cancel(&self, debate: &DebateId, reason: &str, by: Option<&str>) -> Result<(), CancelError> {
        let summary = notes::known(&self.shared, debate).await;
        self.still_runs(debate, summary.as_ref()).await?;
        let order = CancelOrder { reason: reason.to_owned(), by: by.map(str::to_owned) };
        let order = self.shared.in_time(self.shared.commands.order_cancel(debate, order)).await?;
        if self.shared.config.embedded {
            // nobody else would take the debate up for it
            let orders = Some(Input::Cancel { reason: order.reason });
            tell(&self.root, root::Msg::Adopt { debate: debate.clone(), orders });
            return Ok(());
        }
        self.tell_owner(debate, order, summary).await.map_err(CancelError::Store)
    }

    async fn still_runs(&self, debate: &DebateId, summary: Option<&Summary>) -> Result<(), CancelError> {
        let over = |state| CancelError::Ended { debate: debate.clone(), state };
        if let Some(Summary { state: SummaryState::Ended { state, .. }, .. }) = summary {
            return Err(over(*state));
        }
        let records = ledger::read(&self.shared, debate, Position(0)).await?;
        let Some(last) = records.last() else { return Err(CancelError::Unknown(debate.clone())) };
        ends(last).map_or(Ok(()), |(state, _)| Err(over(state)))
    }

    /// The owner, if there is one, is told at once; else somebody shall own the debate.
    async fn tell_owner(
        &self,
        debate: &DebateId,
        order: CancelOrder,
        summary: Option<Summary>,
    ) -> Result<(), StoreError> {
        let priority = summary.as_ref().map_or_else(Priority::default, |summary| summary.priority);
        match summary.map(|summary| summary.state) {
            Some(SummaryState::Running { owner }) => {
                let hint = Hint::CancelDebate(CancelDebate { debate: debate.clone(), reason: order.reason });
                self.shared.hint_node(&owner, hint).await;
            }
            Some(SummaryState::Queued | SummaryState::Local | SummaryState::Ended { .. }) | None => {
                self.shared.in_time(self.shared.jobs.enqueue(debate, priority)).await?;
                self.shared.hint_ready(debate, priority).await;
            }
        }
        Ok(())
    }

    /// Tells a host to take no more turns, or to take turns again. What it plays it plays to the end.
    pub async fn drain_host(&self, host: &HostId, undo: bool) -> Result<(), DrainError> {
        let verb = if undo { subjects::UNDRAIN } else { subjects::DRAIN };
        let subject = subjects::host_request(host, verb);
        match self.shared.bus.request(&subject, Payload::default(), HOST_PATIENCE).await {
            Ok(_) => Ok(()),
            Err(BusError::NoResponders(_)) => Err(DrainError::Unknown(host.clone())),
            Err(error) => Err(DrainError::Bus { host: host.clone(), error }),
        }
    }
}
