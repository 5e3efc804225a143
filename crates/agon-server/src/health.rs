//! Whether this process can serve, for probes over gRPC and HTTP.
use crate::config::GatewayPorts;
use prost::Message as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio_util::sync::CancellationToken;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

/// How long a look at the stores may take.
const LOOK: Duration = Duration::from_secs(2);
/// The service name of a probe that only asks whether the process lives.
const LIVENESS: &str = "liveness";

/// The service name of a probe that asks whether new debates and turns find room, too.
pub const ROOM_SERVICE: &str = "room";

/// What a process needs of its store to serve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreNeed {
    /// That it answers, and ends and deletions can be written: whoever is to make room has to reach a gateway.
    Answers,
    /// That debates and turns can be written, too.
    Room,
}

/// Whether every listener of a process accepts connections. It opens once.
#[derive(Clone, Debug, Default)]
pub struct ListenerGate(Arc<AtomicBool>);

impl ListenerGate {
    /// All of them accept, or there are none.
    pub fn open(&self) {
        self.0.store(true, Ordering::Release);
    }
}

impl GatewayPorts {
    /// Why this process cannot serve now; empty when it can. What it needs of the store is looked at all the time, so that asking
    /// costs nothing.
    pub async fn unready(&self, needs: StoreNeed) -> Vec<String> {
        let mut reasons: Vec<String> = self.credentials.problem().map(str::to_owned).into_iter().collect();
        if !self.listeners.0.load(Ordering::Acquire) {
            reasons.push("the listeners are not open yet".to_owned());
        }
        if !self.node.ready() {
            reasons.push("the bus is unreachable, or this node is shutting down".to_owned());
        }
        let condition = self.upkeep.condition();
        reasons.extend(condition.broken);
        reasons.extend(condition.exhausted);
        for full in condition.full.into_iter().filter(|_| needs == StoreNeed::Room) {
            if !reasons.contains(&full) {
                reasons.push(full);
            }
        }
        let probe = agon_store::CatalogueQuery { limit: 1, ..agon_store::CatalogueQuery::default() };
        match tokio::time::timeout(LOOK, self.catalogue.find(&probe)).await {
            Ok(Ok(_)) => {}
            Ok(Err(error)) => reasons.push(format!("the store is unreachable: {error}")),
            Err(_) => reasons.push("the store does not answer".to_owned()),
        }
        reasons
    }
}

/// Says that nothing is served, until it is reported.
pub(crate) async fn start(reporter: &HealthReporter) {
    tell(reporter, &services(), ServingStatus::NotServing).await;
}

/// The services whose health follows from bus and stores: all of this server's. The empty name is the whole server.
fn services() -> Vec<String> {
    // what cannot be read has stopped the gateway from starting
    let read = prost_types::FileDescriptorSet::decode(agon_proto::DESCRIPTORS).unwrap_or_default();
    let named = read
        .file
        .iter()
        .flat_map(|file| file.service.iter().map(|service| format!("{}.{}", file.package(), service.name())));
    std::iter::once(String::new()).chain(named).collect()
}

/// Keeps the health answers true until `stop`; then they say that nothing is served.
pub(crate) async fn report(reporter: HealthReporter, ports: GatewayPorts, every: Duration, stop: CancellationToken) {
    reporter.set_service_status(LIVENESS, ServingStatus::Serving).await;
    let services = services();
    loop {
        let reasons = tokio::select! {
            reasons = ports.unready(StoreNeed::Answers) => reasons,
            () = stop.cancelled() => break,
        };
        let status = if reasons.is_empty() { ServingStatus::Serving } else { ServingStatus::NotServing };
        tell(&reporter, &services, status).await;
        let has_room = reasons.is_empty() && ports.unready(StoreNeed::Room).await.is_empty();
        let room = if has_room { ServingStatus::Serving } else { ServingStatus::NotServing };
        reporter.set_service_status(ROOM_SERVICE, room).await;
        tokio::select! {
            () = tokio::time::sleep(every) => {}
            () = stop.cancelled() => break,
        }
    }
    tell(&reporter, &services, ServingStatus::NotServing).await;
    reporter.set_service_status(ROOM_SERVICE, ServingStatus::NotServing).await;
}

async fn tell(reporter: &HealthReporter, services: &[String], status: ServingStatus) {
    for service in services {
        reporter.set_service_status(service, status).await;
    }
}
