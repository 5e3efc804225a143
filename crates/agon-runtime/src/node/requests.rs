//! What can be asked of debates and hosts elsewhere.
use super::Node;
use crate::base::tasks::tell;
use crate::base::{catalogue, journal, subjects};
use crate::node::root;
use crate::owner::{owner, was_resumed};
use crate::watch::ends;
use agon_bus::{BusError, Payload};
use agon_core::{
    Debate, DebateId, DebateState, HostId, Input, NodeId, Position, Priority, Reason, ReasonCode, Record, Timestamp,
};
use agon_proto::{CancelDebate, CancelOrder, DebateSummary, Hint, LogAdvanced, OfferReply, SummaryState, Wire};
use agon_store::{AppendError, StoreError};
use std::sync::Arc;
use std::time::Duration;

/// Why a debate was not told to end.
#[derive(Clone, Debug, thiserror::Error)]
pub enum CancelError {
    /// There is no such debate.
    #[error("there is no debate {0}")]
    Unknown(DebateId),
    /// It is over.
    #[error("debate {debate} has already ended: {state:?}")]
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

/// Why a debate was not resumed.
#[derive(Clone, Debug, thiserror::Error)]
pub enum ResumeError {
    /// There is no such debate.
    #[error("there is no debate {0}")]
    Unknown(DebateId),
    /// It is over.
    #[error("debate {debate} has already ended: {state:?}")]
    Ended {
        /// Which.
        debate: DebateId,
        /// How it ended.
        state: DebateState,
    },
    /// It waits for a coordinator, or has one.
    #[error("debate {0} is not paused or interrupted")]
    Runs(DebateId),
    /// It could not be written down; the debate may be resumed again.
    #[error("the resumption cannot be written down")]
    Append(#[from] AppendError),
    /// It is written down, but could not be queued; the debate may be resumed again.
    #[error("the debate is resumed but not queued")]
    Queue(#[source] StoreError),
}

/// Why a debate was not paused.
#[derive(Clone, Debug, thiserror::Error)]
pub enum PauseError {
    /// There is no such debate.
    #[error("there is no debate {0}")]
    Unknown(DebateId),
    /// It is over.
    #[error("debate {debate} has already ended: {state:?}")]
    Ended {
        /// Which.
        debate: DebateId,
        /// How it ended.
        state: DebateState,
    },
    /// It could not be written down; the debate may be paused again.
    #[error("the pause cannot be written down")]
    Append(#[from] AppendError),
}

/// Why a host was not told to take no more turns.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DrainError {
    /// No such host answers.
    #[error("there is no host {0}")]
    Unknown(HostId),
    /// It does not obey.
    #[error("host {host} refuses: {reason}")]
    Refused {
        /// Which.
        host: HostId,
        /// Why, as it says.
        reason: String,
    },
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
        let summary = catalogue::known(&self.shared, debate).await;
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

    async fn still_runs(&self, debate: &DebateId, summary: Option<&DebateSummary>) -> Result<(), CancelError> {
        let over = |state| CancelError::Ended { debate: debate.clone(), state };
        if let Some(DebateSummary { state: SummaryState::Ended { state, .. }, .. }) = summary {
            return Err(over(*state));
        }
        let records = journal::read(&self.shared, debate, Position(0)).await?;
        let Some(last) = records.last() else { return Err(CancelError::Unknown(debate.clone())) };
        ends(last).map_or(Ok(()), |(state, _)| Err(over(state)))
    }

    /// The owner, if there is one, is told at once; else somebody shall own the debate.
    async fn tell_owner(
        &self,
        debate: &DebateId,
        order: CancelOrder,
        summary: Option<DebateSummary>,
    ) -> Result<(), StoreError> {
        let priority = summary.as_ref().map_or_else(Priority::default, |summary| summary.priority);
        match summary.map(|summary| summary.state) {
            Some(SummaryState::Running { owner }) => {
                let hint = Hint::CancelDebate(CancelDebate { debate: debate.clone(), reason: order.reason });
                self.shared.hint_node(&owner, hint).await;
            }
            // it keeps its place in the queue
            Some(SummaryState::Queued) => {
                self.shared.in_time(self.shared.jobs.enqueue(debate, priority)).await?;
                self.shared.hint_ready(debate, priority).await;
            }
            Some(SummaryState::Local | SummaryState::Halted(_) | SummaryState::Ended { .. }) | None => {
                self.shared.in_time(self.shared.jobs.renew(debate, priority)).await?;
                self.shared.hint_ready(debate, priority).await;
            }
        }
        Ok(())
    }

    /// Tells the coordinators that an eval was admitted or deleted, or that somebody else than its driver has written to its log. They
    /// find out by themselves; this is only faster.
    pub async fn eval_changed(&self, eval: &DebateId) {
        self.shared.hint_eval(eval).await;
    }

    /// Has a debate continued that nobody plays. Resuming it again before it has gone on is harmless. A node that takes no
    /// jobs plays it itself, whatever its log says of others.
    pub async fn resume(&self, debate: &DebateId, by: Option<&str>) -> Result<(), ResumeError> {
        self.go_on(debate, by, !self.shared.config.takes_jobs).await
    }

    /// The same for a debate of another process that is gone, whatever its log says.
    pub async fn take_over(&self, debate: &DebateId, by: Option<&str>) -> Result<(), ResumeError> {
        self.go_on(debate, by, true).await
    }

    async fn go_on(&self, debate: &DebateId, by: Option<&str>, is_halted: bool) -> Result<(), ResumeError> {
        let records = journal::read(&self.shared, debate, Position(0)).await.map_err(AppendError::Store)?;
        let (Some(first), Some(last)) = (records.first(), records.last()) else {
            return Err(ResumeError::Unknown(debate.clone()));
        };
        let folded = Debate::fold(records.iter().map(Arc::as_ref));
        let mut folded = folded.ok_or_else(|| ResumeError::Unknown(debate.clone()))?;
        if let Some((state, _)) = folded.ended() {
            return Err(ResumeError::Ended { debate: debate.clone(), state });
        }
        if folded.interrupted() || is_halted {
            let at = self.shared.clock.now().max(last.at);
            let nonce = self.shared.config.random.number();
            let record = resumption(&folded, at, by, nonce).ok_or_else(|| ResumeError::Runs(debate.clone()))?;
            match journal::append(&self.shared, debate, &record).await {
                Ok(record) => folded.apply_record(&record),
                // somebody else was faster, and queues it
                Err(AppendError::Fenced { .. }) if self.shared.config.takes_jobs => return Ok(()),
                Err(error) => return Err(error.into()),
            }
            let hint = Hint::LogAdvanced(LogAdvanced { debate: debate.clone(), position: folded.position() });
            self.shared.hint_debate(debate, hint).await;
            catalogue::note(&self.shared, catalogue::standing(&folded, first.at, at, None)).await;
        } else if !was_resumed(&records) {
            return Err(ResumeError::Runs(debate.clone()));
        }
        if !self.shared.config.takes_jobs {
            self.adopt(debate);
            return Ok(());
        }
        let priority = folded.admission().priority;
        self.shared.in_time(self.shared.jobs.renew(debate, priority)).await.map_err(ResumeError::Queue)?;
        self.shared.hint_ready(debate, priority).await;
        Ok(())
    }

    /// Pauses a debate, whoever plays it: nothing more is asked. Turns that hosts have are played to their end, and count once the debate
    /// is resumed. One that nobody plays stays as it is.
    pub async fn pause(&self, debate: &DebateId, detail: Option<String>) -> Result<(), PauseError> {
        let reason = Reason { code: ReasonCode::Paused, detail };
        // each further try is one after which the debate has gone on, which it does not forever
        loop {
            let records = journal::read(&self.shared, debate, Position(0)).await.map_err(AppendError::Store)?;
            let folded = Debate::fold(records.iter().map(Arc::as_ref));
            let (Some(first), Some(last), Some(mut folded)) = (records.first(), records.last(), folded) else {
                return Err(PauseError::Unknown(debate.clone()));
            };
            if let Some((state, _)) = folded.ended() {
                return Err(PauseError::Ended { debate: debate.clone(), state });
            }
            let at = self.shared.clock.now().max(last.at);
            // one that nobody plays needs no pause
            let Ok(events) = folded.decide(at, Input::Interrupt { reason: reason.clone() }) else { return Ok(()) };
            match journal::append(&self.shared, debate, &folded.record(at, self.shared.config.random.number(), events))
                .await
            {
                Ok(record) => folded.apply_record(&record),
                // it has gone on meanwhile
                Err(AppendError::Fenced { .. }) => continue,
                Err(error) => return Err(error.into()),
            }
            self.tell_halted(&folded, first.at, at, owner(&records)).await;
            return Ok(());
        }
    }

    /// Tells those who watch the debate, the catalogue, and its owner, who finds out with the next record otherwise.
    async fn tell_halted(&self, debate: &Debate, admitted: Timestamp, at: Timestamp, owner: Option<&NodeId>) {
        let id = &debate.admission().id;
        let hint = Hint::LogAdvanced(LogAdvanced { debate: id.clone(), position: debate.position() });
        if let Some(owner) = owner {
            self.shared.hint_node(owner, hint.clone()).await;
        }
        self.shared.hint_debate(id, hint).await;
        catalogue::note(&self.shared, catalogue::standing(debate, admitted, at, None)).await;
    }

    /// Tells a host to take no more turns, or to take turns again. What it plays it plays to the end.
    pub async fn drain_host(&self, host: &HostId, undo: bool) -> Result<(), DrainError> {
        let verb = if undo { subjects::UNDRAIN } else { subjects::DRAIN };
        let subject = subjects::host_request(host, verb);
        let order = self.shared.directory.ordering(host, &subject, &Payload::default().body);
        match self.shared.bus.request(&subject, order.into(), HOST_PATIENCE).await {
            Ok(reply) => match OfferReply::from_bytes(&reply) {
                Ok(OfferReply { accepted: false, reason, .. }) => {
                    Err(DrainError::Refused { host: host.clone(), reason: reason.unwrap_or_default() })
                }
                Ok(_) | Err(_) => Ok(()),
            },
            Err(BusError::NoResponders(_)) => Err(DrainError::Unknown(host.clone())),
            Err(error) => Err(DrainError::Bus { host: host.clone(), error }),
        }
    }
}

/// What is written down when a debate is resumed.
fn resumption(debate: &Debate, at: Timestamp, by: Option<&str>, nonce: u64) -> Option<Record> {
    let events = debate.decide(at, Input::Resume { by: by.map(str::to_owned) }).ok()?;
    Some(debate.record(at, nonce, events))
}
