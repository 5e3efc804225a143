//! The store of a run, and the bugs that can be planted in it to see whether a run finds them.
use agon_core::{DebateId, Event, Record, TurnId, TurnResult};
use agon_store::{AppendError, Journal as _, MemoryStore, RegisterOutcome, Registers as _, StoreError};
use std::collections::BTreeMap;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

/// A bug that is planted in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum PlantedBug {
    /// An append goes to the end of the log whatever its writer takes for the end.
    Fence,
    /// A result overwrites what its register holds.
    Register,
    /// Whoever takes a debate over keeps the epoch of the owner before.
    Epoch,
}

/// The store in memory, with a bug or without.
pub(crate) struct PlantedStore {
    inner: MemoryStore,
    plant: Option<PlantedBug>,
    overwritten: Mutex<BTreeMap<(DebateId, TurnId), Arc<TurnResult>>>,
}

impl Deref for PlantedStore {
    type Target = MemoryStore;
    fn deref(&self) -> &MemoryStore {
        &self.inner
    }
}

impl PlantedStore {
    pub(crate) fn new(inner: MemoryStore, plant: Option<PlantedBug>) -> Self {
        Self { inner, plant, overwritten: Mutex::default() }
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
            Some(PlantedBug::Register) | None => self.inner.append(debate, record).await,
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
