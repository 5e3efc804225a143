//! Looks after nodes and hosts that missed a sign of life.
//!
//! The system closes the connections of a process that was killed, so that nobody listens at its subjects any more, and the bus says so at once
//! to whoever asks there. A process that is only slow or stopped still has its connection: its silence alone kills it, much later.
use crate::base::shared::Shared;
use crate::base::subjects;
use crate::cluster::Life;
use agon_bus::{BusError, Payload};
use agon_core::{HostId, NodeId};
use agon_store::StoreError;
use bytes::Bytes;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// A sign of life may be so late.
const GRACE: Duration = Duration::from_millis(200);
/// How often those who are late are asked for.
const EVERY: Duration = Duration::from_millis(200);
/// How long they have to answer.
const PATIENCE: Duration = Duration::from_millis(150);
/// So many times in a row nobody is there: a connection that broke is made again sooner.
const TIMES: u32 = 3;

/// Who is asked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Late {
    Node(NodeId),
    Host(HostId),
}

/// Runs until its owner is gone.
pub(crate) async fn run(shared: Shared) {
    let after = shared.config.times.heartbeat + GRACE;
    // when each was last heard, and how often nobody was there since
    let mut missing: BTreeMap<Late, (Instant, u32)> = BTreeMap::new();
    loop {
        tokio::time::sleep(EVERY).await;
        let now = Instant::now();
        let nodes = shared.peers.late(after, now).into_iter().map(|(node, last)| (Late::Node(node), last));
        let owners =
            unheard_owners(&shared, after, now).await.into_iter().map(|(node, since)| (Late::Node(node), since));
        let hosts = shared.directory.late(after, now).into_iter().map(|(host, last)| (Late::Host(host), last));
        let asked = nodes.chain(owners).chain(hosts).map(|(late, last)| {
            let shared = &shared;
            async move { is_gone(shared, &late).await.then_some((late, last)) }
        });
        let gone = futures_util::future::join_all(asked).await;
        let mut still = BTreeMap::new();
        for (late, last) in gone.into_iter().flatten() {
            let before = missing.get(&late).filter(|(known, _)| *known == last).map_or(0, |(_, times)| *times);
            match before + 1 {
                TIMES.. => bury(&shared, &late, last),
                times => drop(still.insert(late, (last, times))),
            }
        }
        missing = still;
    }
}

/// The owners of debates that a node which has just started, or come back to the bus, has never heard: they may have died before.
async fn unheard_owners(shared: &Shared, after: Duration, now: Instant) -> Vec<(NodeId, Instant)> {
    if shared.peers.knows(now) {
        return Vec::new();
    }
    // without a catalogue, silence tells later
    let standing = shared.in_time::<_, StoreError>(shared.catalogue.standing()).await;
    let running = standing.map(|standing| standing.running).unwrap_or_default();
    shared.peers.unheard(running.into_keys(), after, now)
}

async fn is_gone(shared: &Shared, late: &Late) -> bool {
    let (subject, body) = match late {
        // no hint, so that whoever hears it does nothing
        Late::Node(node) => (subjects::node(node), Bytes::new()),
        Late::Host(host) => {
            let subject = subjects::host_request(host, subjects::GREET);
            let greeting = shared.directory.ordering(host, &subject, &Bytes::new());
            (subject, greeting)
        }
    };
    matches!(shared.bus.request(&subject, Payload::from(body), PATIENCE).await, Err(BusError::NoResponders(_)))
}

fn bury(shared: &Shared, late: &Late, last: Instant) {
    match late {
        Late::Node(node) => {
            match shared.peers.life(node, Instant::now()) {
                Life::Leaving => tracing::info!(%node, "node has gone in order"),
                Life::Alive | Life::Dead | Life::Unknown => {
                    tracing::warn!(%node, "node is gone, its debates are taken over");
                }
            }
            shared.peers.bury(node, last);
        }
        Late::Host(host) => shared.directory.bury(host, last),
    }
}
