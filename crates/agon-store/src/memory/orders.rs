//! Orders, request ids and the catalogue in memory.
use super::MemoryStore;
use crate::catalogue::{Catalogue, CatalogueQuery, DebateBacklog, DebateVectors, OwnerTest};
use crate::lock::lock;
use crate::port::{Commands, Cursor, ORDERS_AT_ONCE, REQUESTS_KEPT, REQUESTS_PURGED, Requests, StoreError};
use agon_core::{DebateId, ModelName, TenantId};
use agon_proto::{CancelOrder, DebateSummary, RequestClaim};
use async_trait::async_trait;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Bound;
use tokio::time::Instant;

/// The orders of all debates, in the order in which they were given.
#[derive(Debug, Default)]
pub(super) struct Orders {
    given: BTreeMap<Cursor, (DebateId, CancelOrder)>,
    places: HashMap<DebateId, Cursor>,
    last: u64,
}

impl Orders {
    fn get(&self, debate: &DebateId) -> Option<&CancelOrder> {
        self.given.get(self.places.get(debate)?).map(|(_, order)| order)
    }

    fn give(&mut self, debate: &DebateId, order: CancelOrder) -> CancelOrder {
        if let Some(first) = self.get(debate) {
            return first.clone();
        }
        self.last += 1;
        self.places.insert(debate.clone(), Cursor(self.last));
        self.given.insert(Cursor(self.last), (debate.clone(), order.clone()));
        order
    }

    fn after(&self, cursor: Option<Cursor>) -> (Vec<(DebateId, CancelOrder)>, Cursor) {
        let Some(cursor) = cursor else { return (Vec::new(), Cursor(self.last)) };
        let later = self.given.range((Bound::Excluded(cursor), Bound::Unbounded)).take(ORDERS_AT_ONCE);
        let mut end = cursor;
        let orders = later.map(|(place, order)| {
            end = *place;
            order.clone()
        });
        (orders.collect(), end)
    }

    pub(super) fn remove(&mut self, debate: &DebateId) {
        self.places.remove(debate).and_then(|place| self.given.remove(&place));
    }
}

type RequestKey = (TenantId, String);

/// What request ids stand for, and the order in which they came.
#[derive(Debug, Default)]
pub(super) struct RequestClaims {
    claims: HashMap<RequestKey, RequestClaim>,
    ages: VecDeque<(Instant, RequestKey)>,
}

impl RequestClaims {
    /// How many are remembered.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.claims.len()
    }

    fn claim(&mut self, key: RequestKey, claim: RequestClaim) -> RequestClaim {
        let now = Instant::now();
        for _ in 0..REQUESTS_PURGED {
            let old = |(at, _): &&(Instant, RequestKey)| now.saturating_duration_since(*at) > REQUESTS_KEPT;
            let Some((_, old)) = self.ages.front().filter(old) else { break };
            self.claims.remove(old);
            self.ages.pop_front();
        }
        if let Some(first) = self.claims.get(&key) {
            return first.clone();
        }
        self.ages.push_back((now, key.clone()));
        self.claims.insert(key, claim.clone());
        claim
    }
}

#[async_trait]
impl Commands for MemoryStore {
    async fn order_cancel(&self, debate: &DebateId, order: CancelOrder) -> Result<CancelOrder, StoreError> {
        Ok(lock(&self.state).orders.give(debate, order))
    }

    async fn cancel_ordered(&self, debate: &DebateId) -> Result<Option<CancelOrder>, StoreError> {
        Ok(lock(&self.state).orders.get(debate).cloned())
    }

    async fn orders_after(&self, cursor: Option<Cursor>) -> Result<(Vec<(DebateId, CancelOrder)>, Cursor), StoreError> {
        Ok(lock(&self.state).orders.after(cursor))
    }
}

#[async_trait]
impl Requests for MemoryStore {
    async fn claim(
        &self,
        tenant: &TenantId,
        request_id: &str,
        claim: RequestClaim,
    ) -> Result<RequestClaim, StoreError> {
        Ok(lock(&self.state).claims.claim((tenant.clone(), request_id.to_owned()), claim))
    }

    async fn claimed(&self, tenant: &TenantId, request_id: &str) -> Result<Option<RequestClaim>, StoreError> {
        Ok(lock(&self.state).claims.claims.get(&(tenant.clone(), request_id.to_owned())).cloned())
    }
}

#[async_trait]
impl Catalogue for MemoryStore {
    async fn note(&self, summary: DebateSummary) -> Result<(), StoreError> {
        lock(&self.state).catalogue.note(summary);
        Ok(())
    }

    async fn get_summary(&self, debate: &DebateId) -> Result<Option<DebateSummary>, StoreError> {
        Ok(lock(&self.state).catalogue.get(debate).cloned())
    }

    async fn find(&self, query: &CatalogueQuery) -> Result<Vec<DebateSummary>, StoreError> {
        Ok(lock(&self.state).catalogue.find(query))
    }

    async fn unfinished(&self) -> Result<Vec<DebateSummary>, StoreError> {
        Ok(lock(&self.state).catalogue.unfinished())
    }

    async fn standing(&self) -> Result<DebateBacklog, StoreError> {
        Ok(lock(&self.state).catalogue.standing())
    }

    async fn left(&self, is_gone: &OwnerTest<'_>) -> Result<Vec<DebateId>, StoreError> {
        Ok(lock(&self.state).catalogue.left(is_gone))
    }

    async fn vectors(&self, model: &ModelName, debates: &[DebateId]) -> Result<DebateVectors, StoreError> {
        Ok(lock(&self.state).catalogue.vectors(model, debates))
    }

    async fn keep_vectors(&self, model: &ModelName, vectors: DebateVectors) -> Result<(), StoreError> {
        lock(&self.state).catalogue.keep_vectors(model, vectors);
        Ok(())
    }

    async fn strike(&self, debate: &DebateId) -> Result<(), StoreError> {
        lock(&self.state).catalogue.strike(debate);
        Ok(())
    }
}
