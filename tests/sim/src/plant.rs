//! The store of a run, and the bugs that can be planted in it to see whether a run finds them.
use agon_core::{DebateId, Event, Priority, Record, TurnId, TurnResult};
use agon_store::{
    AppendError, Catalogue as _, Job, Jobs as _, Journal as _, MemoryStore, OwnerTest, RegisterOutcome, Registers as _,
    StoreError,
};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// A bug that is planted in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum PlantedBug {
    /// An append goes to the end of the log whatever its writer takes for the end.
    Fence,
    /// A result overwrites what its register holds.
    Register,
    /// Whoever takes a debate over keeps the epoch of the owner before.
    Epoch,
    /// A job that was taken sleeps for ten minutes, whatever its taker says of it.
    Sleep,
    /// A job stays when its debate is claimed, asleep for ten minutes, and is taken for one that wakes somebody.
    Moved,
    /// Debates that their owner has left are not known.
    Left,
}

/// The store in memory, with a bug or without.
pub(crate) struct PlantedStore {
    inner: MemoryStore,
    plant: Option<PlantedBug>,
    overwritten: Mutex<BTreeMap<(DebateId, TurnId), Arc<TurnResult>>>,
    deliveries: Mutex<BTreeMap<DebateId, SimulatedDelivery>>,
}

/// A job that was delivered, as a server of queues knows it.
#[derive(Clone, Copy)]
struct SimulatedDelivery {
    /// When its lease runs out. This is on disk.
    lease_ends: Instant,
    /// It was given back. This is in memory alone.
    given_back: bool,
    /// It comes again only when its lease has run out: the server was restarted since.
    forgotten: bool,
}

/// For how long a job sleeps where a bug makes it.
const SLEEP: Duration = Duration::from_secs(600);

impl Deref for PlantedStore {
    type Target = MemoryStore;
    fn deref(&self) -> &MemoryStore {
        &self.inner
    }
}

impl PlantedStore {
    pub(crate) fn new(inner: MemoryStore, plant: Option<PlantedBug>) -> Self {
        Self { inner, plant, overwritten: Mutex::default(), deliveries: Mutex::default() }
    }

    fn deliveries(&self) -> MutexGuard<'_, BTreeMap<DebateId, SimulatedDelivery>> {
        self.deliveries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The server of the queue starts anew: which jobs were given back is forgotten, so that they come again when their leases end.
    pub(crate) fn restart(&self) {
        for delivery in self.deliveries().values_mut() {
            delivery.forgotten |= delivery.given_back;
        }
    }

    pub(crate) async fn enqueue_job(&self, debate: &DebateId, priority: Priority) -> Result<(), StoreError> {
        self.inner.enqueue(debate, priority).await
    }

    pub(crate) async fn renew_job(&self, debate: &DebateId, priority: Priority) -> Result<(), StoreError> {
        if self.plant == Some(PlantedBug::Moved) {
            return self.inner.enqueue(debate, priority).await;
        }
        self.deliveries().remove(debate);
        self.inner.renew(debate, priority).await
    }

    pub(crate) async fn take_job(&self, owner: &str, lease: Duration) -> Result<Option<Job>, StoreError> {
        let lease = if self.plant == Some(PlantedBug::Sleep) { SLEEP } else { lease };
        loop {
            let Some(job) = self.inner.take(owner, lease).await? else { return Ok(None) };
            let now = Instant::now();
            let asleep =
                self.deliveries().get(&job.debate).filter(|known| known.forgotten).map(|known| known.lease_ends);
            if let Some(until) = asleep.filter(|until| *until > now) {
                self.inner.release(&job, until - now).await?;
                continue;
            }
            let delivery = SimulatedDelivery { lease_ends: now + lease, given_back: false, forgotten: false };
            self.deliveries().insert(job.debate.clone(), delivery);
            return Ok(Some(job));
        }
    }

    pub(crate) async fn complete_job(&self, job: &Job) -> Result<(), StoreError> {
        if self.plant == Some(PlantedBug::Moved) {
            return self.inner.release(job, SLEEP).await;
        }
        self.deliveries().remove(&job.debate);
        self.inner.complete(job).await
    }

    pub(crate) async fn release_job(&self, job: &Job, delay: Duration) -> Result<(), StoreError> {
        if self.plant == Some(PlantedBug::Sleep) {
            return Ok(());
        }
        if let Some(delivery) = self.deliveries().get_mut(&job.debate) {
            delivery.given_back = true;
        }
        self.inner.release(job, delay).await
    }

    pub(crate) async fn left_debates(&self, is_gone: &OwnerTest<'_>) -> Result<Vec<DebateId>, StoreError> {
        if self.plant == Some(PlantedBug::Left) { Ok(Vec::new()) } else { self.inner.left(is_gone).await }
    }

    pub(crate) async fn append_record(&self, debate: &DebateId, record: Record) -> Result<Arc<Record>, AppendError> {
        match self.plant {
            Some(PlantedBug::Epoch) => self.inner.append(debate, keeping_epoch(record)).await,
            Some(PlantedBug::Fence) => match self.inner.append(debate, record.clone()).await {
                Err(AppendError::Fenced { last }) => {
                    self.inner.append(debate, Record { first: last.next(), ..record }).await
                }
                appended => appended,
            },
            Some(_) | None => self.inner.append(debate, record).await,
        }
    }

    pub(crate) async fn decide_turn(
        &self,
        debate: &DebateId,
        turn: TurnId,
        result: TurnResult,
    ) -> Result<RegisterOutcome, StoreError> {
        if self.plant != Some(PlantedBug::Register) {
            return self.inner.decide(debate, turn, result).await;
        }
        let result = Arc::new(result);
        let mut overwritten = self.overwritten.lock().unwrap_or_else(PoisonError::into_inner);
        overwritten.insert((debate.clone(), turn), result.clone());
        Ok(RegisterOutcome { result, won: true })
    }

    pub(crate) async fn result_of(
        &self,
        debate: &DebateId,
        turn: TurnId,
    ) -> Result<Option<Arc<TurnResult>>, StoreError> {
        let key = (debate.clone(), turn);
        let overwritten = self.overwritten.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        match overwritten {
            Some(result) => Ok(Some(result)),
            None => self.inner.get(debate, turn).await,
        }
    }
}

/// A claim after the first, without the step to the next epoch.
fn keeping_epoch(mut record: Record) -> Record {
    for event in &mut record.events {
        if let Event::Claimed { epoch, .. } = event
            && *epoch > 1
        {
            *epoch -= 1;
            record.epoch = record.epoch.min(*epoch);
        }
    }
    record
}
