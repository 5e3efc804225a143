//! The bus as a node sees it.
use crate::faults::SimulatedFault;
use crate::ports::{CallError as _, NodePorts, PortCall};
use agon_bus::{Backlog, Bus, BusError, Delivery, Message, Payload, Received, Request, Server, Subscription};
use async_trait::async_trait;
use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

/// The bus of one node. A type of its own, because its parts outlive calls and know the node.
pub(crate) struct NodeBus(pub(crate) Arc<NodePorts>);

impl NodeBus {
    /// Sends a hint on its way.
    fn send(&self, asked: PortCall<'_>, (subject, payload): (&str, Payload), after: Duration) {
        let (world, subject) = (self.0.world.clone(), subject.to_owned());
        let name = self.0.name_of(asked, &payload.body);
        self.0.world.later(after, name, async move {
            // nobody hears of it where the bus is closed
            world.bus.publish(&subject, payload).await.unwrap_or_default();
        });
    }

    async fn delivered(&self, delivery: Box<dyn Delivery>) -> Result<Box<dyn Delivery>, BusError> {
        self.0.enter(PortCall::bus("receive", &delivery.message().subject), &[]).await;
        Ok(Box::new(NodeDelivery { ports: self.0.clone(), inner: delivery }))
    }
}

#[async_trait]
impl Bus for NodeBus {
    async fn publish(&self, subject: &str, payload: Payload) -> Result<(), BusError> {
        let (ports, world) = (&self.0, &self.0.world);
        let asked = PortCall::bus("hint", subject);
        ports.enter(asked, &payload.body).await;
        if ports.cut_until().is_some() || world.strikes(SimulatedFault::LostHint) {
            return Ok(());
        }
        if world.strikes(SimulatedFault::DoubledHint) {
            let after = Duration::from_millis(world.draws.within(0..3_000));
            self.send(asked, (subject, payload.clone()), after);
        }
        let late = world.strikes(SimulatedFault::LateHint);
        let after = if late { Duration::from_millis(world.draws.within(1..5_000)) } else { world.latency() };
        if after.is_zero() {
            return world.bus.publish(subject, payload).await;
        }
        self.send(asked, (subject, payload), after);
        Ok(())
    }

    async fn subscribe(&self, pattern: &str) -> Result<Box<dyn Subscription>, BusError> {
        let asked = PortCall::bus("subscribe to", pattern);
        let inner = self.0.call(asked, self.0.world.bus.subscribe(pattern)).await?;
        Ok(Box::new(NodeSubscription { ports: self.0.clone(), inner, was_cut: false }))
    }

    fn may_have_listeners(&self, _: &str) -> bool {
        self.0.cut_until().is_none()
    }

    async fn request(&self, subject: &str, payload: Payload, patience: Duration) -> Result<Payload, BusError> {
        let (ports, world) = (&self.0, &self.0.world);
        let asked = PortCall::bus("request", subject);
        let asks = async {
            ports.enter(asked, &payload.body).await;
            let lost = world.strikes(SimulatedFault::LostRequest) || ports.cut_until().is_some();
            let unanswered = world.strikes(SimulatedFault::LostReply);
            if lost {
                return std::future::pending().await;
            }
            let reply = ports.call(asked, world.bus.request(subject, payload, patience)).await;
            if unanswered { std::future::pending().await } else { reply }
        };
        let reply = tokio::time::timeout(patience, asks).await;
        ports.awake().await;
        reply.unwrap_or_else(|_| Err(BusError::Timeout { subject: subject.to_owned(), waited: patience }))
    }

    async fn serve(&self, pattern: &str) -> Result<Box<dyn Server>, BusError> {
        let inner = self.0.call(PortCall::bus("serve", pattern), self.0.world.bus.serve(pattern)).await?;
        Ok(Box::new(NodeServer { ports: self.0.clone(), inner }))
    }

    async fn enqueue(&self, subject: &str, payload: Payload) -> Result<(), BusError> {
        let asked = PortCall::bus("queue", subject);
        self.0.enter(asked, &[]).await;
        if self.0.world.strikes(SimulatedFault::LateWrite) {
            let (world, subject) = (self.0.world.clone(), subject.to_owned());
            let late = Duration::from_millis(world.draws.within(1..8_000));
            self.0.world.later(late, self.0.name_of(asked, &[]), async move {
                world.bus.enqueue(&subject, payload).await.unwrap_or_default();
            });
            return Err(BusError::unanswered());
        }
        self.0.call(asked, self.0.world.bus.enqueue(subject, payload)).await
    }

    async fn try_pull(&self, pattern: &str, lease: Duration) -> Result<Option<Box<dyn Delivery>>, BusError> {
        let asked = PortCall::bus("look into", pattern);
        match self.0.call(asked, self.0.world.bus.try_pull(pattern, lease)).await? {
            Some(delivery) => self.delivered(delivery).await.map(Some),
            None => Ok(None),
        }
    }

    async fn pull(&self, pattern: &str, lease: Duration) -> Result<Box<dyn Delivery>, BusError> {
        let ports = &self.0;
        loop {
            ports.awake().await;
            if let Some(until) = ports.cut_until() {
                tokio::time::sleep_until(until).await;
                continue;
            }
            let pulled = tokio::select! {
                biased;
                () = ports.change() => continue,
                pulled = ports.world.bus.pull(pattern, lease) => pulled?,
            };
            return self.delivered(pulled).await;
        }
    }

    async fn backlog(&self) -> Result<Vec<Backlog>, BusError> {
        self.0.call(PortCall::bus("count the work", ""), self.0.world.bus.backlog()).await
    }
    async fn queued_subjects(&self) -> Result<HashSet<String>, BusError> {
        self.0.call(PortCall::bus("list the work", ""), self.0.world.bus.queued_subjects()).await
    }
    async fn peek(&self, subject: &str) -> Result<Option<Payload>, BusError> {
        self.0.call(PortCall::bus("peek at", subject), self.0.world.bus.peek(subject)).await
    }
    fn is_connected(&self) -> bool {
        self.0.cut_until().is_none()
    }
    async fn drain(&self) {}
}

struct NodeSubscription {
    ports: Arc<NodePorts>,
    inner: Box<dyn Subscription>,
    /// It could not hear, and has not said so.
    was_cut: bool,
}

#[async_trait]
impl Subscription for NodeSubscription {
    async fn next(&mut self) -> Option<Received> {
        loop {
            self.ports.awake().await;
            if let Some(until) = self.ports.cut_until() {
                self.was_cut = true;
                tokio::time::sleep_until(until).await;
                continue;
            }
            if std::mem::take(&mut self.was_cut) {
                // what came meanwhile is lost
                while futures_util::FutureExt::now_or_never(self.inner.next()).flatten().is_some() {}
                return Some(Received::Lagged(1));
            }
            tokio::select! {
                biased;
                () = self.ports.change() => {}
                received = self.inner.next() => return received,
            }
        }
    }
}

struct NodeServer {
    ports: Arc<NodePorts>,
    inner: Box<dyn Server>,
}

#[async_trait]
impl Server for NodeServer {
    async fn next(&mut self) -> Option<Request> {
        loop {
            self.ports.awake().await;
            let request = tokio::select! {
                biased;
                () = self.ports.change() => continue,
                request = self.inner.next() => request?,
            };
            // one that is cut off hears nothing
            if self.ports.cut_until().is_some() {
                continue;
            }
            let Request { message, reply } = request;
            let ports = self.ports.clone();
            let reply = Box::new(move |payload| {
                if !ports.is_dead() && ports.cut_until().is_none() {
                    reply(payload);
                }
            });
            return Some(Request { message, reply });
        }
    }
}

struct NodeDelivery {
    ports: Arc<NodePorts>,
    inner: Box<dyn Delivery>,
}

#[async_trait]
impl Delivery for NodeDelivery {
    fn message(&self) -> &Message {
        self.inner.message()
    }
    fn deliveries(&self) -> u32 {
        self.inner.deliveries()
    }
    async fn extend(&self) -> Result<bool, BusError> {
        let asked = PortCall::bus("extend the lease of", &self.inner.message().subject);
        self.ports.call(asked, self.inner.extend()).await
    }
    async fn ack(&self) -> Result<(), BusError> {
        let acknowledge =
            async { if self.ports.world.strikes(SimulatedFault::LostAck) { Ok(()) } else { self.inner.ack().await } };
        self.ports.call(PortCall::bus("acknowledge", &self.inner.message().subject), acknowledge).await
    }
    async fn nak(&self, delay: Duration) -> Result<(), BusError> {
        self.ports.call(PortCall::bus("give back", &self.inner.message().subject), self.inner.nak(delay)).await
    }
}
