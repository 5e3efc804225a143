//! The in-memory twin: the same guarantees, gone with the process. For tests and trials.
use crate::chain;
use crate::live::ends;
use crate::lock::lock;
use crate::port::{AppendError, DebateHead, Decision, Job, Jobs, Journal, Page, Registers, StoreError, empty_record};
use crate::upkeep::{RawRecord, Upkeep, Verified, Walk};
use agon_core::{DebateId, Position, Record, TurnId, TurnResult};
use agon_proto::encode_record;
use async_trait::async_trait;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::time::Instant;

/// A store in memory. Leases follow tokio's clock, so that a paused clock drives them.
#[derive(Debug, Default)]
pub struct MemoryStore {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// By order of admission.
    logs: BTreeMap<u64, Log>,
    numbers: HashMap<DebateId, u64>,
    registers: HashMap<(DebateId, TurnId), Arc<TurnResult>>,
    jobs: BTreeMap<u64, HeldJob>,
    counter: u64,
}

#[derive(Debug)]
struct Log {
    id: DebateId,
    records: Vec<Arc<Record>>,
}

#[derive(Debug)]
struct HeldJob {
    debate: DebateId,
    token: Option<u64>,
    free_at: Instant,
    deliveries: u32,
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }
}

impl State {
    fn next(&mut self) -> u64 {
        self.counter += 1;
        self.counter
    }
    fn log(&self, debate: &DebateId) -> Option<&Log> {
        self.logs.get(self.numbers.get(debate)?)
    }
    fn held(&mut self, job: &Job) -> Option<&mut HeldJob> {
        self.jobs.values_mut().find(|held| held.debate == job.debate && held.token == Some(job.token))
    }
}

impl Log {
    fn last(&self) -> Position {
        self.records.last().map_or(Position(0), |record| record.last())
    }
    fn head(&self) -> Option<DebateHead> {
        let (first, last) = (self.records.first()?, self.records.last()?);
        Some(DebateHead {
            id: self.id.clone(),
            last: last.last(),
            admitted: first.at,
            updated: last.at,
            ended: ends(last),
        })
    }
}

#[async_trait]
impl Journal for MemoryStore {
    async fn append(&self, debate: &DebateId, record: Record) -> Result<Arc<Record>, AppendError> {
        if record.events.is_empty() {
            return Err(empty_record());
        }
        let mut state = lock(&self.state);
        let last = state.log(debate).map_or(Position(0), Log::last);
        if record.first != last.next() {
            return Err(AppendError::Fenced { last });
        }
        let record = Arc::new(record);
        let number = match state.numbers.get(debate) {
            Some(number) => *number,
            None => {
                let number = state.next();
                state.numbers.insert(debate.clone(), number);
                number
            }
        };
        let log = state.logs.entry(number).or_insert_with(|| Log { id: debate.clone(), records: Vec::new() });
        log.records.push(Arc::clone(&record));
        Ok(record)
    }

    async fn read(&self, debate: &DebateId, after: Position) -> Result<Vec<Arc<Record>>, StoreError> {
        let state = lock(&self.state);
        let records = state.log(debate).map_or(&[][..], |log| &log.records);
        let known = records.partition_point(|record| record.last() <= after);
        Ok(records.iter().skip(known).cloned().collect())
    }

    async fn list(&self, page: Page) -> Result<Vec<DebateHead>, StoreError> {
        let state = lock(&self.state);
        let end = match page.after {
            None => u64::MAX,
            Some(cursor) => *state.numbers.get(&cursor).ok_or(StoreError::NotFound(cursor))?,
        };
        Ok(state.logs.range(..end).rev().take(page.limit as usize).filter_map(|(_, log)| log.head()).collect())
    }

    fn forget(&self, _debate: &DebateId) {
        // Memory is all there is: forgetting would lose the log.
    }
}

#[async_trait]
impl Registers for MemoryStore {
    async fn decide(&self, debate: &DebateId, turn: TurnId, result: TurnResult) -> Result<Decision, StoreError> {
        let mut state = lock(&self.state);
        let mut won = false;
        let result = state.registers.entry((debate.clone(), turn)).or_insert_with(|| {
            won = true;
            Arc::new(result)
        });
        Ok(Decision { result: Arc::clone(result), won })
    }

    async fn get(&self, debate: &DebateId, turn: TurnId) -> Result<Option<Arc<TurnResult>>, StoreError> {
        Ok(lock(&self.state).registers.get(&(debate.clone(), turn)).cloned())
    }
}

#[async_trait]
impl Jobs for MemoryStore {
    async fn enqueue(&self, debate: &DebateId) -> Result<(), StoreError> {
        let mut state = lock(&self.state);
        if !state.jobs.values().any(|job| job.debate == *debate) {
            let number = state.next();
            let job = HeldJob { debate: debate.clone(), token: None, free_at: Instant::now(), deliveries: 0 };
            state.jobs.insert(number, job);
        }
        Ok(())
    }

    async fn take(&self, _owner: &str, lease: Duration) -> Result<Option<Job>, StoreError> {
        let mut state = lock(&self.state);
        let (now, token) = (Instant::now(), state.next());
        let free = state.jobs.iter_mut().filter(|(_, job)| job.free_at <= now);
        let Some((_, job)) = free.min_by_key(|(number, job)| (job.free_at, **number)) else { return Ok(None) };
        job.token = Some(token);
        job.free_at = now + lease;
        job.deliveries = job.deliveries.saturating_add(1);
        Ok(Some(Job { debate: job.debate.clone(), token, deliveries: job.deliveries }))
    }

    async fn extend(&self, job: &Job, lease: Duration) -> Result<bool, StoreError> {
        let mut state = lock(&self.state);
        let Some(held) = state.held(job) else { return Ok(false) };
        held.free_at = Instant::now() + lease;
        Ok(true)
    }

    async fn complete(&self, job: &Job) -> Result<(), StoreError> {
        let token = Some(job.token);
        lock(&self.state).jobs.retain(|_, held| (&held.debate, held.token) != (&job.debate, token));
        Ok(())
    }

    async fn release(&self, job: &Job, delay: Duration) -> Result<(), StoreError> {
        if let Some(held) = lock(&self.state).held(job) {
            held.token = None;
            held.free_at = Instant::now() + delay;
        }
        Ok(())
    }
}

#[async_trait]
impl Upkeep for MemoryStore {
    async fn verify(&self, debate: &DebateId) -> Result<Verified, StoreError> {
        let mut walk = Walk::from_start(debate);
        for raw in self.raw_records(debate).await? {
            walk.step(&raw)?;
        }
        let verified = walk.verified().filter(|verified| verified.records > 0);
        verified.ok_or_else(|| StoreError::NotFound(debate.clone()))
    }

    async fn raw_records(&self, debate: &DebateId) -> Result<Vec<RawRecord>, StoreError> {
        let records = self.read(debate, Position(0)).await?;
        let mut prev = chain::genesis(debate);
        let raw = |record: Arc<Record>| {
            let body = encode_record(&record, &prev);
            prev = chain::link(&prev, &body);
            RawRecord { first: record.first, last: record.last(), body: body.into(), hash: prev }
        };
        Ok(records.into_iter().map(raw).collect())
    }

    async fn purge_registers(&self, debate: &DebateId) -> Result<(), StoreError> {
        lock(&self.state).registers.retain(|(owner, _), _| owner != debate);
        Ok(())
    }

    async fn delete(&self, debate: &DebateId) -> Result<bool, StoreError> {
        let mut state = lock(&self.state);
        state.registers.retain(|(owner, _), _| owner != debate);
        state.jobs.retain(|_, job| job.debate != *debate);
        let number = state.numbers.remove(debate);
        Ok(number.is_some_and(|number| state.logs.remove(&number).is_some()))
    }
}

#[cfg(test)]
mod tests {
    use super::MemoryStore;
    use crate::contract::{Rig, contract_tests};
    use std::sync::Arc;
    use std::time::Duration;

    struct Memory;
    impl Rig for Memory {
        type Store = MemoryStore;
        fn store(&self) -> Arc<MemoryStore> {
            Arc::default()
        }
        async fn pass(&self, time: Duration) {
            tokio::time::advance(time).await;
        }
    }
    contract_tests!(super::Memory);
}
