//! Looking after the logs in memory.
use super::{MemoryLog, MemoryStore};
use crate::chain;
use crate::lock::lock;
use crate::port::{Journal as _, StoreError};
use crate::upkeep::{DebateHead, ListPage, LogWalk, RawRecord, Upkeep, VerifiedLog};
use agon_core::{DebateId, Position, Record, TurnId};
use agon_proto::encode_record;
use async_trait::async_trait;
use std::sync::Arc;

#[async_trait]
impl Upkeep for MemoryStore {
    async fn verify(&self, debate: &DebateId) -> Result<VerifiedLog, StoreError> {
        let mut walk = LogWalk::from_start(debate);
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

    async fn purge_registers(&self, debate: &DebateId, _turns: &[TurnId]) -> Result<(), StoreError> {
        lock(&self.state).registers.retain(|(owner, _), _| owner != debate);
        Ok(())
    }

    async fn list(&self, page: ListPage) -> Result<Vec<DebateHead>, StoreError> {
        let state = lock(&self.state);
        let end = match page.after {
            None => u64::MAX,
            Some(cursor) => *state.numbers.get(&cursor).ok_or(StoreError::NotFound(cursor))?,
        };
        Ok(state
            .logs
            .range(..end)
            .rev()
            .take(page.limit as usize)
            .filter_map(|(_, log)| MemoryLog::head(log))
            .collect())
    }

    async fn delete(&self, debate: &DebateId) -> Result<bool, StoreError> {
        let mut state = lock(&self.state);
        state.registers.retain(|(owner, _), _| owner != debate);
        state.jobs.remove(debate);
        state.orders.remove(debate);
        state.catalogue.strike(debate);
        let number = state.numbers.remove(debate);
        Ok(number.is_some_and(|number| state.logs.remove(&number).is_some()))
    }
}
