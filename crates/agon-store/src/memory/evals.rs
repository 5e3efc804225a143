//! Logs of evals in memory.
use super::MemoryStore;
use crate::chain::Hash;
use crate::evals::{
    EvalAppendError, EvalHead, EvalLogRecord, EvalLogs, NewEvalRecord, check_cursor, check_size, genesis, link,
};
use crate::lock::lock;
use crate::port::StoreError;
use agon_core::{DebateId, TenantId};
use async_trait::async_trait;

/// An eval's log.
#[derive(Debug)]
pub(super) struct MemoryEval {
    head: EvalHead,
    records: Vec<EvalLogRecord>,
}

/// The logs, in the order in which evals began.
pub(super) type MemoryEvals = Vec<MemoryEval>;

#[async_trait]
impl EvalLogs for MemoryStore {
    async fn append_eval(&self, eval: &DebateId, record: NewEvalRecord) -> Result<Hash, EvalAppendError> {
        check_size(&record)?;
        let NewEvalRecord { after, at, body, card, ended } = record;
        let mut state = lock(&self.state);
        let known = state.evals.iter_mut().find(|known| known.head.id == *eval);
        let records = known.as_ref().map_or(0, |known| known.head.records);
        if records != after {
            return Err(EvalAppendError::Fenced { records });
        }
        let prev = known.as_ref().map_or_else(|| genesis(eval), |known| known.head.hash);
        let hash = link(&prev, at, &body);
        let record = EvalLogRecord { number: records + 1, at, body, hash };
        match known {
            Some(known) => {
                known.records.push(record);
                known.head = EvalHead { records: records + 1, hash, updated: at, ended, card, ..known.head.clone() };
            }
            None => {
                let head = EvalHead { id: eval.clone(), records: 1, hash, admitted: at, updated: at, ended, card };
                state.evals.push(MemoryEval { head, records: vec![record] });
            }
        }
        Ok(hash)
    }

    async fn read_eval(&self, eval: &DebateId, after: u64) -> Result<Vec<EvalLogRecord>, StoreError> {
        let state = lock(&self.state);
        let known = state.evals.iter().find(|known| known.head.id == *eval);
        let records = known.map_or(&[][..], |known| &known.records);
        Ok(records.iter().filter(|record| record.number > after).cloned().collect())
    }

    async fn list_evals(
        &self,
        tenant: &TenantId,
        before: Option<&DebateId>,
        limit: u32,
    ) -> Result<Vec<EvalHead>, StoreError> {
        let state = lock(&self.state);
        let end = match check_cursor(tenant, before)? {
            None => state.evals.len(),
            Some(before) => state
                .evals
                .iter()
                .position(|known| known.head.id == *before)
                .ok_or_else(|| StoreError::NotFound(before.clone()))?,
        };
        let own = state.evals.iter().take(end).rev().filter(|known| known.head.id.tenant() == *tenant);
        Ok(own.take(limit as usize).map(|known| known.head.clone()).collect())
    }

    async fn open_evals(&self) -> Result<Vec<EvalHead>, StoreError> {
        let state = lock(&self.state);
        Ok(state.evals.iter().filter(|known| !known.head.ended).map(|known| known.head.clone()).collect())
    }

    async fn eval_head(&self, eval: &DebateId) -> Result<Option<EvalHead>, StoreError> {
        let state = lock(&self.state);
        Ok(state.evals.iter().find(|known| known.head.id == *eval).map(|known| known.head.clone()))
    }

    async fn delete_eval(&self, eval: &DebateId) -> Result<bool, StoreError> {
        let mut state = lock(&self.state);
        let before = state.evals.len();
        state.evals.retain(|known| known.head.id != *eval);
        Ok(state.evals.len() < before)
    }
}
