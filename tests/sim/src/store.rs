//! The store as a node sees it.
use crate::faults::SimulatedFault;
use crate::ports::{CallError as _, NodePorts, PortCall};
use agon_core::{DebateId, Position, Priority, Record, TurnId, TurnResult};
use agon_store::{
    AppendError, CancelOrder, Catalogue, CatalogueQuery, Commands, Condition, Cursor, DebateBacklog, DebateHead,
    DebateSummary, Job, Jobs, Journal, ListPage, OwnerTest, RawRecord, RegisterOutcome, Registers, StoreError,
    SummaryState, Upkeep, VerifiedLog,
};
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// How long a client of the store waits for an answer that does not come.
const PATIENCE: Duration = Duration::from_secs(2);

impl NodePorts {
    /// How long after its sender gave up a write lands, where it does so.
    async fn lands_late(&self, asked: PortCall<'_>) -> Option<Duration> {
        self.enter(asked, &[]).await;
        if !self.world.strikes(SimulatedFault::LateWrite) {
            return None;
        }
        Some(Duration::from_millis(self.world.draws.within(1..8_000)))
    }

    fn full(&self) -> Option<StoreError> {
        let full = self.world.seen().store_full.is_some_and(|until| until > Instant::now());
        full.then(|| StoreError::Full("the simulated store".to_owned()))
    }

    async fn land(&self, debate: &DebateId, record: Record) -> Result<Arc<Record>, AppendError> {
        if let Some(full) = self.full().filter(|_| self.world.draws.happens(500)) {
            return Err(full.into());
        }
        let appended = self.world.store.append_record(debate, record).await;
        match &appended {
            Ok(record) => self.world.appended(debate, record),
            Err(AppendError::Fenced { .. }) => self.world.seen().fenced += 1,
            Err(AppendError::Unsure(_) | AppendError::Store(_)) => {}
        }
        appended
    }

    async fn write(&self, debate: &DebateId, turn: TurnId, result: TurnResult) -> Result<RegisterOutcome, StoreError> {
        if let Some(full) = self.full().filter(|_| self.world.draws.happens(500)) {
            return Err(full);
        }
        let outcome = self.world.store.decide_turn(debate, turn, result).await?;
        if outcome.won {
            self.world.decided(debate, turn, &outcome.result);
        }
        Ok(outcome)
    }

    /// Itself, for what runs on after a call.
    fn again(&self) -> Self {
        Self::new(self.world.clone(), self.name.clone())
    }
}

#[async_trait]
impl Journal for NodePorts {
    async fn append(&self, debate: &DebateId, record: Record) -> Result<Arc<Record>, AppendError> {
        let asked = PortCall::store("append to", debate.as_str()).at(record.first);
        if let Some(late) = self.lands_late(asked).await {
            let (lander, debate) = (self.again(), debate.clone());
            self.world.later(late, self.name_of(asked, &[]), async move {
                let landed = lander.land(&debate, record).await.is_ok();
                lander.world.note(format_args!("{}: late append to {debate}, {landed}", lander.name));
            });
            tokio::time::sleep(PATIENCE).await;
            self.awake().await;
            return Err(AppendError::unanswered());
        }
        self.call(asked, self.land(debate, record)).await
    }

    async fn read(&self, debate: &DebateId, after: Position) -> Result<Vec<Arc<Record>>, StoreError> {
        let asked = PortCall::store("read", debate.as_str()).at(after);
        let read = async {
            let mut records = self.world.store.read(debate, after).await?;
            if records.len() > 1 && self.world.strikes(SimulatedFault::ShortRead) {
                let kept = self.world.draws.within(1..u64::try_from(records.len()).unwrap_or(1));
                records.truncate(usize::try_from(kept).unwrap_or(1));
            }
            Ok(records)
        };
        self.call(asked, read).await
    }

    fn forget(&self, debate: &DebateId) {
        self.world.store.forget(debate);
    }
}

#[async_trait]
impl Registers for NodePorts {
    async fn decide(&self, debate: &DebateId, turn: TurnId, result: TurnResult) -> Result<RegisterOutcome, StoreError> {
        let asked = PortCall::store("decide", debate.as_str()).of(turn);
        if let Some(late) = self.lands_late(asked).await {
            let (lander, debate) = (self.again(), debate.clone());
            self.world.later(late, self.name_of(asked, &[]), async move {
                let won = lander.write(&debate, turn, result).await.is_ok_and(|outcome| outcome.won);
                lander.world.note(format_args!("{}: late result of {turn} of {debate}, {won}", lander.name));
            });
            tokio::time::sleep(PATIENCE).await;
            self.awake().await;
            return Err(StoreError::unanswered());
        }
        self.call(asked, self.write(debate, turn, result)).await
    }

    async fn get(&self, debate: &DebateId, turn: TurnId) -> Result<Option<Arc<TurnResult>>, StoreError> {
        let asked = PortCall::store("look at", debate.as_str()).of(turn);
        self.call(asked, self.world.store.result_of(debate, turn)).await
    }
}

#[async_trait]
impl Jobs for NodePorts {
    async fn enqueue(&self, debate: &DebateId, priority: Priority) -> Result<(), StoreError> {
        let asked = PortCall::store("queue", debate.as_str());
        self.call(asked, self.world.store.enqueue_job(debate, priority)).await
    }
    async fn take(&self, owner: &str, lease: Duration) -> Result<Option<Job>, StoreError> {
        let asked = PortCall::store("take a job", "");
        self.call(asked, self.world.store.take_job(owner, lease)).await
    }
    async fn renew(&self, debate: &DebateId, priority: Priority) -> Result<(), StoreError> {
        let asked = PortCall::store("queue anew", debate.as_str());
        self.call(asked, self.world.store.renew_job(debate, priority)).await
    }
    async fn complete(&self, job: &Job) -> Result<(), StoreError> {
        let asked = PortCall::store("complete the job of", job.debate.as_str());
        self.call(asked, self.world.store.complete_job(job)).await
    }
    async fn release(&self, job: &Job, delay: Duration) -> Result<(), StoreError> {
        let asked = PortCall::store("release the job of", job.debate.as_str());
        self.call(asked, self.world.store.release_job(job, delay)).await
    }
}

#[async_trait]
impl Commands for NodePorts {
    async fn order_cancel(&self, debate: &DebateId, order: CancelOrder) -> Result<CancelOrder, StoreError> {
        let asked = PortCall::store("order the end of", debate.as_str());
        self.call(asked, self.world.store.order_cancel(debate, order)).await
    }
    async fn cancel_ordered(&self, debate: &DebateId) -> Result<Option<CancelOrder>, StoreError> {
        let asked = PortCall::store("look for an order to", debate.as_str());
        self.call(asked, self.world.store.cancel_ordered(debate)).await
    }
    async fn orders_after(&self, cursor: Option<Cursor>) -> Result<(Vec<(DebateId, CancelOrder)>, Cursor), StoreError> {
        let asked = PortCall::store("look for orders", "");
        self.call(asked, self.world.store.orders_after(cursor)).await
    }
}

#[async_trait]
impl Catalogue for NodePorts {
    async fn note(&self, summary: DebateSummary) -> Result<(), StoreError> {
        let debate = summary.id.clone();
        let asked = PortCall::store(noted_as(&summary), debate.as_str());
        let note = async {
            if self.world.strikes(SimulatedFault::LostNote) { Ok(()) } else { self.world.store.note(summary).await }
        };
        self.call(asked, note).await
    }
    async fn get_summary(&self, debate: &DebateId) -> Result<Option<DebateSummary>, StoreError> {
        let asked = PortCall::store("look up", debate.as_str());
        self.call(asked, self.world.store.get_summary(debate)).await
    }
    async fn find(&self, query: &CatalogueQuery) -> Result<Vec<DebateSummary>, StoreError> {
        self.call(PortCall::store("find debates", ""), self.world.store.find(query)).await
    }
    async fn unfinished(&self) -> Result<Vec<DebateSummary>, StoreError> {
        self.call(PortCall::store("list unfinished debates", ""), self.world.store.unfinished()).await
    }
    async fn standing(&self) -> Result<DebateBacklog, StoreError> {
        self.call(PortCall::store("count debates", ""), self.world.store.standing()).await
    }
    async fn left(&self, is_gone: &OwnerTest<'_>) -> Result<Vec<DebateId>, StoreError> {
        self.call(PortCall::store("list debates that were left", ""), self.world.store.left_debates(is_gone)).await
    }
    async fn strike(&self, debate: &DebateId) -> Result<(), StoreError> {
        let asked = PortCall::store("strike", debate.as_str());
        self.call(asked, self.world.store.strike(debate)).await
    }
}

#[async_trait]
impl Upkeep for NodePorts {
    async fn verify(&self, debate: &DebateId) -> Result<VerifiedLog, StoreError> {
        self.call(PortCall::store("verify", debate.as_str()), self.world.store.verify(debate)).await
    }
    async fn raw_records(&self, debate: &DebateId) -> Result<Vec<RawRecord>, StoreError> {
        self.call(PortCall::store("copy", debate.as_str()), self.world.store.raw_records(debate)).await
    }
    async fn purge_registers(&self, debate: &DebateId, turns: &[TurnId]) -> Result<(), StoreError> {
        let asked = PortCall::store("purge the registers of", debate.as_str());
        self.call(asked, self.world.store.purge_registers(debate, turns)).await
    }
    async fn list(&self, page: ListPage) -> Result<Vec<DebateHead>, StoreError> {
        self.call(PortCall::store("list logs", ""), self.world.store.list(page)).await
    }
    fn condition(&self) -> Condition {
        let full = self.full().map(|full| full.to_string()).into_iter().collect();
        Condition { full, ..Condition::default() }
    }
    async fn delete(&self, debate: &DebateId) -> Result<bool, StoreError> {
        self.call(PortCall::store("delete", debate.as_str()), self.world.store.delete(debate)).await
    }
}

fn noted_as(summary: &DebateSummary) -> &'static str {
    match &summary.state {
        SummaryState::Queued => "note as queued",
        SummaryState::Running { .. } => "note as running",
        SummaryState::Local => "note as local",
        SummaryState::Halted(_) => "note as halted",
        SummaryState::Ended { .. } => "note as ended",
    }
}
