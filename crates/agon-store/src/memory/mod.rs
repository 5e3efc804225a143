//! The in-memory twin: the same guarantees, gone with the process. For tests and trials.
mod evals;
mod jobs;
mod orders;
mod upkeep;

#[cfg(test)]
mod tests;

use crate::catalogue::CatalogueIndex;
use crate::live::ends;
use crate::lock::lock;
use crate::port::{AppendError, Journal, RegisterOutcome, Registers, StoreError, empty_record};
use crate::upkeep::DebateHead;
use crate::weighted_fairness::DEFAULT_MAX_JOBS;
use agon_core::{DebateId, Position, Record, TurnId, TurnResult};
use async_trait::async_trait;
use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};

/// A store in memory. Leases follow tokio's clock, so that a paused clock drives them.
#[derive(Debug)]
pub struct MemoryStore {
    state: Mutex<State>,
    max_jobs: NonZeroUsize,
}

#[derive(Debug, Default)]
struct State {
    /// By order of admission.
    logs: BTreeMap<u64, MemoryLog>,
    numbers: HashMap<DebateId, u64>,
    registers: HashMap<(DebateId, TurnId), Arc<TurnResult>>,
    jobs: jobs::MemoryJobQueue,
    orders: orders::Orders,
    claims: orders::RequestClaims,
    catalogue: CatalogueIndex,
    evals: evals::MemoryEvals,
    counter: u64,
}

#[derive(Debug)]
struct MemoryLog {
    id: DebateId,
    records: Vec<Arc<Record>>,
}

impl MemoryStore {
    /// An empty store for [`DEFAULT_MAX_JOBS`] jobs.
    pub fn new() -> Self {
        Self::with_max_jobs(DEFAULT_MAX_JOBS)
    }
    /// An empty store for so many jobs.
    pub fn with_max_jobs(max_jobs: NonZeroUsize) -> Self {
        Self { state: Mutex::default(), max_jobs }
    }
}
impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl State {
    fn next(&mut self) -> u64 {
        self.counter += 1;
        self.counter
    }
    fn log(&self, debate: &DebateId) -> Option<&MemoryLog> {
        self.logs.get(self.numbers.get(debate)?)
    }
}

impl MemoryLog {
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
        let last = state.log(debate).map_or(Position(0), MemoryLog::last);
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
        let log = state.logs.entry(number).or_insert_with(|| MemoryLog { id: debate.clone(), records: Vec::new() });
        log.records.push(Arc::clone(&record));
        Ok(record)
    }

    async fn read(&self, debate: &DebateId, after: Position) -> Result<Vec<Arc<Record>>, StoreError> {
        let state = lock(&self.state);
        let records = state.log(debate).map_or(&[][..], |log| &log.records);
        let known = records.partition_point(|record| record.last() <= after);
        Ok(records.iter().skip(known).cloned().collect())
    }

    fn forget(&self, _debate: &DebateId) {
        // Memory is all there is: forgetting would lose the log.
    }
}

#[async_trait]
impl Registers for MemoryStore {
    async fn decide(&self, debate: &DebateId, turn: TurnId, result: TurnResult) -> Result<RegisterOutcome, StoreError> {
        let mut state = lock(&self.state);
        let mut won = false;
        let result = state.registers.entry((debate.clone(), turn)).or_insert_with(|| {
            won = true;
            Arc::new(result)
        });
        Ok(RegisterOutcome { result: Arc::clone(result), won })
    }

    async fn get(&self, debate: &DebateId, turn: TurnId) -> Result<Option<Arc<TurnResult>>, StoreError> {
        Ok(lock(&self.state).registers.get(&(debate.clone(), turn)).cloned())
    }
}
