//! The debates of an eval, held by the node of this process.
use super::waits::CellWaits;
use crate::local_runtime::LocalRuntime;
use crate::ownership::Ownership;
use crate::store::Store;
use crate::watching::interrupts;
use agon_core::fence::{Mark, Reader};
use agon_core::{Ballots, DebateId, Event, Position, RetryPolicy};
use agon_eval::{CellOrder, MOST_PROGRAM_OUTPUT, PrintedOutput, ProgramFailure, ProgramFault, ProgramOrder};
use agon_runtime::{CellHolder, CellStanding, HeldCell, HoldError, Watched, cell_admission, cell_standing};
use agon_store::{LocalState, StoreError, Upkeep as _};
use agon_tools::{OneShot, OneShotError, OneShotOutput};
use async_trait::async_trait;
use std::fmt::Display;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How often a debate is looked at that another process plays.
const LOOK: Duration = Duration::from_secs(1);

/// Holds debates in this process.
pub struct LocalHolder {
    /// The node with its store.
    pub runtime: Arc<LocalRuntime>,
    /// How failed tries follow each other.
    pub retry: RetryPolicy,
    /// What its debates wait for.
    pub waits: Arc<CellWaits>,
}

/// How a debate stands in the store.
enum StoredCell {
    Absent,
    Open,
    Over(HeldCell),
}

#[async_trait]
impl CellHolder for LocalHolder {
    async fn hold(&self, order: &CellOrder) -> Result<HeldCell, HoldError> {
        let name = &order.debate.id;
        let id = DebateId::parse(name).map_err(|error| failed(name, error))?;
        self.prepare(order);
        loop {
            let ownership = match self.stored(&id, order).await? {
                StoredCell::Over(held) => return Ok(held),
                StoredCell::Absent | StoredCell::Open if self.plays_elsewhere(&id).await? => {
                    tokio::time::sleep(LOOK).await;
                    continue;
                }
                StoredCell::Absent => {
                    let own = Ownership::admit(self.store(), &id).await.map_err(|stop| failed(name, stop.why()))?;
                    self.runtime
                        .node
                        .submit(cell_admission(&id, order, self.retry))
                        .await
                        .map_err(|error| failed(name, error))?;
                    own
                }
                StoredCell::Open => {
                    let own = Ownership::claim(self.store(), &id).await.map_err(|stop| failed(name, stop.why()))?;
                    // it has just ended
                    let Some(own) = own else { continue };
                    self.runtime.node.resume(&id, None).await.map_err(|error| failed(name, error))?;
                    own
                }
            };
            self.ended(&id).await?;
            drop(ownership);
            // what the registers held stands in the log now
            self.store().sqlite.purge_registers(&id, &[]).await.map_err(|error| failed(name, error))?;
        }
    }

    async fn cancel(&self, debate: &str, reason: &str) {
        let Ok(id) = DebateId::parse(debate) else { return };
        if let Err(error) = self.runtime.node.cancel(&id, reason, None).await {
            tracing::debug!(debate, %error, "debate not cancelled");
        }
    }

    async fn run(&self, order: &ProgramOrder) -> Result<Result<PrintedOutput, ProgramFailure>, HoldError> {
        let ProgramOrder { program, timeout, input, .. } = order;
        let (run, folder) = (program.run.as_slice(), Path::new(&program.folder));
        let ran = OneShot { run, folder, input, timeout: *timeout, most: MOST_PROGRAM_OUTPUT }.run().await;
        Ok(match ran {
            Ok(OneShotOutput { output, complaint }) => Ok(PrintedOutput { output, complaint }),
            Err(error) => Err(program_failure(&error)),
        })
    }
}

fn program_failure(error: &OneShotError) -> ProgramFailure {
    let fault = match error {
        OneShotError::NotStarted(_) => ProgramFault::NotStarted,
        OneShotError::Timeout { .. } => ProgramFault::Timeout,
        OneShotError::Ended { .. } => ProgramFault::Ended,
        OneShotError::TooLong { .. } => ProgramFault::TooLong,
        OneShotError::NotText { .. } => ProgramFault::Output,
    };
    ProgramFailure { fault, detail: error.to_string(), complaint: error.complaint().to_owned() }
}

impl LocalHolder {
    /// Scripted speakers open with what their first ballots were for, though an earlier process may have been asked for these.
    fn prepare(&self, order: &CellOrder) {
        let first = order.spec.ballots == Ballots::Both && !order.spec.ballots_on_proposals();
        if let Some(minds) = self.runtime.minds().filter(|_| first) {
            minds.expect_ballots(Mark::new(order.debate.seed, Reader::Debate).as_str());
        }
    }

    fn store(&self) -> &Store {
        &self.runtime.store
    }

    /// Whether another living process plays the debate.
    async fn plays_elsewhere(&self, id: &DebateId) -> Result<bool, HoldError> {
        let local = self.store().sqlite.local(id).await.map_err(|error| failed(id.as_str(), error))?;
        Ok(match local {
            Some(LocalState::Played(owner)) => owner.pid != std::process::id(),
            Some(LocalState::Halted(_)) | None => false,
        })
    }

    /// The debate as it stands in the store; one of another spec is refused.
    async fn stored(&self, id: &DebateId, order: &CellOrder) -> Result<StoredCell, HoldError> {
        let log = match self.store().stored_log(id).await {
            Ok(log) => log,
            Err(StoreError::NotFound(_)) => return Ok(StoredCell::Absent),
            Err(error) => return Err(failed(id.as_str(), error)),
        };
        Ok(match cell_standing(order, &log.records)? {
            CellStanding::Absent => StoredCell::Absent,
            CellStanding::Open => StoredCell::Open,
            CellStanding::Over => {
                StoredCell::Over(HeldCell { head: log.head.unwrap_or_default(), records: log.records })
            }
        })
    }

    /// Waits until the debate is over.
    async fn ended(&self, id: &DebateId) -> Result<(), HoldError> {
        let node = &self.runtime.node;
        let watch = node.watch(id, Position(0), true).await;
        let mut watch = watch.map_err(|error| failed(id.as_str(), error))?;
        loop {
            let seen = tokio::select! {
                seen = watch.next() => seen.map_err(|error| failed(id.as_str(), error))?,
                down = node.failed() => return Err(failed(id.as_str(), down)),
            };
            let Some(seen) = seen else { return Ok(()) };
            let record = match seen {
                Watched::Record(record) => record,
                Watched::Delta(delta) => {
                    self.waits.heard(&delta.waiting);
                    continue;
                }
            };
            record.events.iter().for_each(|event| self.waits.event(event));
            if matches!(record.events.last(), Some(Event::DebateEnded { .. })) {
                return Ok(());
            }
            // an interruption that was there before this process resumed the debate is followed by its resumption
            if let Some(reason) = interrupts(&record)
                && self.is_halted(id).await?
            {
                return Err(HoldError::Halted { debate: id.to_string(), why: agon_report::why(reason).to_string() });
            }
        }
    }

    async fn is_halted(&self, id: &DebateId) -> Result<bool, HoldError> {
        let log = self.store().stored_log(id).await.map_err(|error| failed(id.as_str(), error))?;
        Ok(log.records.last().is_some_and(|last| interrupts(last).is_some()))
    }
}

fn failed(debate: &str, why: impl Display) -> HoldError {
    HoldError::Failed { debate: debate.to_owned(), why: why.to_string() }
}
