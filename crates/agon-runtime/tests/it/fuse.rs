//! Ports that count every effect of a process, and can cut it off right before or right after any of them.
use crate::wired::{PortUse, Valve};
use agon_bus::{BusError, Delivery, Message, Reply, Request, Server};
use agon_store::StoreError;
use async_trait::async_trait;
use std::future::Future;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::sync::watch;

/// Which side of an effect the cut is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutSide {
    /// The effect does not happen.
    Before,
    /// The effect happens, and nobody learns of it.
    After,
}

/// Counts effects; at the chosen one the process freezes.
pub struct Fuse {
    state: Mutex<(u64, Vec<String>)>,
    cut: Option<(u64, CutSide)>,
    frozen: watch::Sender<bool>,
}

impl Fuse {
    pub fn new(cut: Option<(u64, CutSide)>) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), cut, frozen: watch::Sender::new(false) })
    }
    /// The effects so far, by name.
    pub fn effects(&self) -> Vec<String> {
        self.state.lock().unwrap().1.clone()
    }
    /// Waits until the process is frozen.
    pub async fn blown(&self) {
        self.frozen.subscribe().wait_for(|frozen| *frozen).await.unwrap();
    }
    /// Lets a frozen process go on.
    pub fn thaw(&self) {
        self.frozen.send_replace(false);
    }
    /// Waits while the process is frozen: for ever, unless it thaws.
    async fn live(&self) {
        self.frozen.subscribe().wait_for(|frozen| !*frozen).await.unwrap();
    }
    fn count(&self, name: &str) -> Option<CutSide> {
        let mut state = self.state.lock().unwrap();
        state.0 += 1;
        state.1.push(name.to_owned());
        self.cut.filter(|(at, _)| *at == state.0).map(|(_, side)| side)
    }
    async fn effect<T>(&self, name: &str, effect: impl Future<Output = T>) -> T {
        self.live().await;
        let side = self.count(name);
        if side == Some(CutSide::Before) {
            self.frozen.send_replace(true);
            self.live().await;
        }
        let output = effect.await;
        if side == Some(CutSide::After) {
            self.frozen.send_replace(true);
        }
        self.live().await;
        output
    }
    fn effect_now(&self, name: &str, effect: impl FnOnce()) {
        if *self.frozen.borrow() {
            return;
        }
        let side = self.count(name);
        if side != Some(CutSide::Before) {
            effect();
        }
        if side.is_some() {
            self.frozen.send_replace(true);
        }
    }
    async fn read<T>(&self, read: impl Future<Output = T>) -> T {
        self.live().await;
        let output = read.await;
        self.live().await;
        output
    }
    async fn pass<T>(&self, what: PortUse, run: impl Future<Output = T>) -> T {
        match what {
            PortUse::Effect(name) => self.effect(name, run).await,
            PortUse::Read | PortUse::ReadLog => self.read(run).await,
            PortUse::Look => run.await,
        }
    }
}

impl Valve for Fuse {
    async fn store<T: Send, E: From<StoreError> + Send>(
        &self,
        what: PortUse,
        run: impl Future<Output = Result<T, E>> + Send,
    ) -> Result<T, E> {
        self.pass(what, run).await
    }
    async fn bus<T: Send>(
        &self,
        what: PortUse,
        run: impl Future<Output = Result<T, BusError>> + Send,
    ) -> Result<T, BusError> {
        self.pass(what, run).await
    }
    fn server(self: &Arc<Self>, server: Box<dyn Server>) -> Box<dyn Server> {
        Box::new(WiredServer { fuse: self.clone(), server })
    }
    fn delivery(self: &Arc<Self>, delivery: Box<dyn Delivery>) -> Box<dyn Delivery> {
        Box::new(WiredDelivery { fuse: self.clone(), delivery })
    }
}

struct WiredServer {
    fuse: Arc<Fuse>,
    server: Box<dyn Server>,
}
#[async_trait]
impl Server for WiredServer {
    async fn next(&mut self) -> Option<Request> {
        let Request { message, reply } = self.fuse.read(self.server.next()).await?;
        let fuse = self.fuse.clone();
        let reply: Reply = Box::new(move |bytes| fuse.effect_now("reply", || reply(bytes)));
        Some(Request { message, reply })
    }
}

struct WiredDelivery {
    fuse: Arc<Fuse>,
    delivery: Box<dyn Delivery>,
}
#[async_trait]
impl Delivery for WiredDelivery {
    fn message(&self) -> &Message {
        self.delivery.message()
    }
    fn deliveries(&self) -> u32 {
        self.delivery.deliveries()
    }
    async fn extend(&self) -> Result<bool, BusError> {
        self.fuse.effect("extend turn", self.delivery.extend()).await
    }
    async fn ack(&self) -> Result<(), BusError> {
        self.fuse.effect("ack", self.delivery.ack()).await
    }
    async fn nak(&self, delay: Duration) -> Result<(), BusError> {
        self.fuse.effect("nak", self.delivery.nak(delay)).await
    }
}
