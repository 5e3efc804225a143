//! Work that was taken.
use super::super::link::NatsLink;
use crate::port::{BusError, Delivery, Message};
use async_nats::Subject;
use async_nats::client::{Request, RequestErrorKind};
use async_nats::jetstream::AckKind;
use async_trait::async_trait;
use bytes::Bytes;
use std::time::Duration;

/// A leased message.
pub(in super::super) struct NatsDelivery {
    pub(super) link: NatsLink,
    pub(super) message: Message,
    pub(super) deliveries: u32,
    /// Where acknowledgements go.
    pub(super) reply: Subject,
}

impl NatsDelivery {
    /// Free again at once. When that fails, its lease runs out.
    pub(super) async fn give_back(&self) {
        if let Err(error) = self.nak(Duration::ZERO).await {
            tracing::debug!(subject = %self.message.subject, %error, "work not given back");
        }
    }

    async fn tell(&self, kind: AckKind) -> Result<(), BusError> {
        let telling = self.link.client().publish(self.reply.clone(), Bytes::from(kind));
        let told = tokio::time::timeout(self.link.request_timeout(), telling).await;
        let stuck = |_| BusError::Failed(format!("nothing can be sent to {}", self.link.servers()));
        told.map_err(stuck)?.map_err(|e| BusError::Failed(e.to_string()))
    }
}

#[async_trait]
impl Delivery for NatsDelivery {
    fn message(&self) -> &Message {
        &self.message
    }
    fn deliveries(&self) -> u32 {
        self.deliveries
    }
    /// True even when the lease has run out: the server does not say.
    async fn extend(&self) -> Result<bool, BusError> {
        self.tell(AckKind::Progress).await.map(|()| true)
    }
    /// Waits until the server has removed it, so that its subject may have new work.
    async fn ack(&self) -> Result<(), BusError> {
        let waited = self.link.request_timeout();
        let request = Request::new().payload(Bytes::from(AckKind::Ack)).timeout(Some(waited));
        let asking = self.link.client().send_request(self.reply.clone(), request);
        match self.link.unless_denied(&self.reply, asking).await {
            Ok(Ok(_)) => Ok(()),
            Ok(Err(error)) if error.kind() == RequestErrorKind::TimedOut => {
                Err(BusError::Timeout { subject: self.message.subject.clone(), waited })
            }
            Ok(Err(error)) => Err(BusError::Failed(format!("not acknowledged: {error}"))),
            Err(denied) => Err(BusError::Denied(denied.to_string())),
        }
    }
    async fn nak(&self, delay: Duration) -> Result<(), BusError> {
        self.tell(AckKind::Nak((!delay.is_zero()).then_some(delay))).await
    }
}
