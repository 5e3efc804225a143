//! The bus as it is for a node that only plays turns: its user at NATS may take turns from queues and put none there.
use agon_bus::{Backlog, Bus, BusError, Delivery, Payload, Server, Subscription};
use async_trait::async_trait;
use std::sync::Arc;
use std::time::Duration;

pub struct OfHosts(pub Arc<dyn Bus>);

#[async_trait]
impl Bus for OfHosts {
    async fn enqueue(&self, subject: &str, _: Payload) -> Result<(), BusError> {
        Err(BusError::Denied(format!("publish to {subject}")))
    }
    async fn publish(&self, subject: &str, payload: Payload) -> Result<(), BusError> {
        self.0.publish(subject, payload).await
    }
    async fn subscribe(&self, pattern: &str) -> Result<Box<dyn Subscription>, BusError> {
        self.0.subscribe(pattern).await
    }
    fn may_have_listeners(&self, subject: &str) -> bool {
        self.0.may_have_listeners(subject)
    }
    async fn request(&self, subject: &str, payload: Payload, patience: Duration) -> Result<Payload, BusError> {
        self.0.request(subject, payload, patience).await
    }
    async fn serve(&self, pattern: &str) -> Result<Box<dyn Server>, BusError> {
        self.0.serve(pattern).await
    }
    async fn try_pull(&self, pattern: &str, lease: Duration) -> Result<Option<Box<dyn Delivery>>, BusError> {
        self.0.try_pull(pattern, lease).await
    }
    async fn pull(&self, pattern: &str, lease: Duration) -> Result<Box<dyn Delivery>, BusError> {
        self.0.pull(pattern, lease).await
    }
    async fn backlog(&self) -> Result<Vec<Backlog>, BusError> {
        self.0.backlog().await
    }
    async fn peek(&self, subject: &str) -> Result<Option<Payload>, BusError> {
        self.0.peek(subject).await
    }
    fn is_connected(&self) -> bool {
        self.0.is_connected()
    }
    async fn drain(&self) {
        self.0.drain().await;
    }
}
