//! Servers, and buses on them.
use agon_bus::nats::{NatsBus, NatsConfig, NatsLink, ProvisionConfig, QueueConfig, connect, provision};
use agon_testkit::{NatsOptions, NatsServer, nats_servers};
use std::collections::HashMap;
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

/// The longest that anything which should come may take.
pub const SOON: Duration = Duration::from_secs(20);

/// Servers that tests share while any of them needs one.
static SHARED: Mutex<Option<HashMap<PathBuf, Weak<NatsServer>>>> = Mutex::new(None);

fn shared(program: &Path) -> Arc<NatsServer> {
    let mut shared = SHARED.lock().unwrap();
    let servers = shared.get_or_insert_default();
    if let Some(server) = servers.get(program).and_then(Weak::upgrade) {
        return server;
    }
    let server = Arc::new(start(program, ""));
    servers.insert(program.to_owned(), Arc::downgrade(&server));
    server
}

/// A server of its own, with more lines in its configuration.
pub fn start(program: &Path, config: &str) -> NatsServer {
    let options =
        NatsOptions { program: Some(program.to_owned()), config: config.to_owned(), ..NatsOptions::default() };
    NatsServer::start_with(options).unwrap()
}

/// Every server program to test against.
pub fn programs() -> Vec<PathBuf> {
    nats_servers()
}

pub fn config(server: &NatsServer) -> NatsConfig {
    NatsConfig { wait: SOON, ..NatsConfig::new([server.url()], "test", "node-1") }
}

pub async fn link(server: &NatsServer) -> NatsLink {
    connect(config(server)).await.unwrap()
}

pub async fn bus_on(server: &NatsServer) -> NatsBus {
    let (control, tokens) = (link(server).await, link(server).await);
    let config = ProvisionConfig::default();
    provision(&control, &config).await.unwrap();
    NatsBus::new(control, tokens, QueueConfig { provision: config, ..QueueConfig::default() })
}

/// A bus on a server that others use too.
pub struct SharedBus {
    bus: NatsBus,
    _server: Arc<NatsServer>,
}
impl Deref for SharedBus {
    type Target = NatsBus;
    fn deref(&self) -> &NatsBus {
        &self.bus
    }
}

/// A bus on each server that is to be tested against.
pub async fn buses() -> Vec<SharedBus> {
    let mut buses = Vec::new();
    for program in programs() {
        let server = shared(&program);
        buses.push(SharedBus { bus: bus_on(&server).await, _server: server });
    }
    buses
}

/// What should come soon.
pub async fn soon<T>(what: impl Future<Output = T>) -> T {
    tokio::time::timeout(SOON, what).await.expect("it did not come in time")
}

/// Waits until it is so, looking again and again.
pub async fn until(mut is_so: impl FnMut() -> bool) {
    soon(async {
        while !is_so() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    })
    .await;
}
