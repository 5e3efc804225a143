//! Orders and request ids on JetStream: the first message of a subject counts.
use super::NatsStore;
use super::error::StoreRefusal;
use super::js::Outgoing;
use super::subjects::{self, ALL_ORDERS, ORDERS, REQUESTS};
use crate::port::{Commands, Cursor, Requests, StoreError};
use agon_core::{DebateId, TenantId};
use agon_proto::{CancelOrder, RequestClaim, Wire};
use async_nats::HeaderMap;
use async_nats::jetstream::message::StreamMessage;
use async_trait::async_trait;
use bytes::Bytes;

/// How many orders one look hands out; the cursor leads to the rest.
const ORDERS_AT_ONCE: usize = 100;

#[async_trait]
impl Commands for NatsStore {
    async fn order_cancel(&self, debate: &DebateId, order: CancelOrder) -> Result<CancelOrder, StoreError> {
        let body = order.to_bytes();
        let standing = self.first(ORDERS, &subjects::cancel(debate), body, "ordering an end").await?;
        standing.map_or(Ok(order), |message| read(&message))
    }

    async fn cancel_ordered(&self, debate: &DebateId) -> Result<Option<CancelOrder>, StoreError> {
        let message = self.js.last(ORDERS, &subjects::cancel(debate)).await;
        message.map_err(|error| error.during("looking for an order"))?.map(|message| read(&message)).transpose()
    }

    async fn orders_after(&self, cursor: Option<Cursor>) -> Result<(Vec<(DebateId, CancelOrder)>, Cursor), StoreError> {
        let doing = "looking for orders";
        let Some(mut cursor) = cursor else {
            let end = self.js.end(ORDERS).await.map_err(|error| error.during(doing))?;
            return Ok((Vec::new(), Cursor(end)));
        };
        let mut orders = Vec::new();
        while orders.len() < ORDERS_AT_ONCE {
            let next = self.js.next(ORDERS, ALL_ORDERS, cursor.0.saturating_add(1)).await;
            let Some(message) = next.map_err(|error| error.during(doing))? else { break };
            cursor = Cursor(message.sequence);
            if let Some(debate) = subjects::debate_of(&message.subject) {
                orders.push((debate, read(&message)?));
            }
        }
        Ok((orders, cursor))
    }
}

#[async_trait]
impl Requests for NatsStore {
    async fn claim(
        &self,
        tenant: &TenantId,
        request_id: &str,
        claim: RequestClaim,
    ) -> Result<RequestClaim, StoreError> {
        let body = claim.to_bytes();
        let subject = subjects::request(tenant, request_id);
        let Some(message) = self.first(REQUESTS, &subject, body, "claiming a request id").await? else {
            return Ok(claim);
        };
        read(&message)
    }

    async fn claimed(&self, tenant: &TenantId, request_id: &str) -> Result<Option<RequestClaim>, StoreError> {
        let message = self.js.last(REQUESTS, &subjects::request(tenant, request_id)).await;
        let message = message.map_err(|error| error.during("looking for a request id"))?;
        message.map(|message| read(&message)).transpose()
    }
}

impl NatsStore {
    /// Stores the first message of a subject; otherwise, or when the answer was lost, the message that stands.
    async fn first(
        &self,
        stream: &str,
        subject: &str,
        body: Bytes,
        doing: &str,
    ) -> Result<Option<StreamMessage>, StoreError> {
        let headers = HeaderMap::new();
        let message = Outgoing { stream, subject, expected: Some(0), headers, body };
        match self.js.publish(message).await {
            Ok(_) => Ok(None),
            Err(refusal @ StoreRefusal::Denied(_)) => Err(refusal.during(doing)),
            Err(refusal @ (StoreRefusal::Moved | StoreRefusal::Full(_) | StoreRefusal::Unsure(_))) => {
                let standing = self.js.last(stream, subject).await.map_err(|error| error.during(doing))?;
                standing.map(Some).ok_or_else(|| refusal.during(doing))
            }
        }
    }
}

fn read<T: Wire>(message: &StreamMessage) -> Result<T, StoreError> {
    let unreadable = |error| StoreError::Backend(format!("{} cannot be read: {error}", message.subject));
    T::from_bytes(&message.payload).map_err(unreadable)
}
