//! What hosts say of themselves, and what is heard of others. Tasks of their own: no actor that hangs can silence a host.
use crate::intake::BUS_PAUSE;
use crate::shared::Shared;
use crate::subjects;
use agon_bus::{BusError, Message, Payload, Received, Subscription};
use agon_proto::{HostAlive, Wire};
use std::time::Duration;
use tokio::time::Instant;

/// How long the bus may take for one announcement.
const PATIENCE: Duration = Duration::from_secs(1);

/// Announces the hosts of this process now and then, and at once when something changes that matters. Runs until its owner is gone.
pub(crate) async fn announce(shared: Shared) {
    let mut changes = shared.directory.own_changes();
    loop {
        changes.borrow_and_update();
        announce_once(&shared).await;
        tokio::select! {
            () = tokio::time::sleep(shared.config.times.heartbeat) => {}
            changed = changes.changed() => if changed.is_err() { return },
        }
    }
}

async fn announce_once(shared: &Shared) {
    for alive in shared.directory.announcements() {
        let subject = subjects::host_alive(&alive.host);
        let sent = shared.bus.publish(&subject, Payload::from(alive.to_bytes()));
        match tokio::time::timeout(PATIENCE, sent).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::debug!(host = %alive.host, %error, "announcement lost"),
            Err(_) => tracing::debug!(host = %alive.host, "announcement lost, the bus does not take it"),
        }
    }
}

/// Takes no more turns at any host of this process, and says so.
pub(crate) async fn take_leave(shared: &Shared) {
    shared.directory.close();
    if !shared.config.embedded {
        announce_once(shared).await;
    }
}

/// Hears what the hosts of other processes announce. Runs until the bus is closed or its owner is gone.
pub(crate) async fn listen(shared: Shared) {
    loop {
        match hear(&shared).await {
            Ok(()) | Err(BusError::Closed(_)) => return,
            Err(error) => tracing::warn!(%error, "hosts cannot be heard"),
        }
        tokio::time::sleep(BUS_PAUSE).await;
    }
}

async fn hear(shared: &Shared) -> Result<(), BusError> {
    let mut hosts = shared.bus.subscribe(&subjects::hosts_alive()).await?;
    // silence means something only to one who hears: himself, if he says anything
    let speaks = shared.config.max_debates > 0 && !shared.directory.announces();
    let mut own = match speaks {
        true => Some(shared.bus.subscribe(&subjects::node_alive(&shared.config.id)).await?),
        false => None,
    };
    loop {
        let next = shared.directory.expire();
        tokio::select! {
            biased;
            received = hosts.next() => match received {
                Some(Received::Message(message)) => take_in(shared, &message),
                Some(Received::Lagged(lost)) => tracing::debug!(lost, "announcements lost"),
                None => return Ok(()),
            },
            received = next_own(&mut own) => match received {
                Some(_) => shared.directory.bus_is_heard(),
                None => return Ok(()),
            },
            () = at(next) => {}
        }
    }
}

fn take_in(shared: &Shared, message: &Message) {
    match HostAlive::from_bytes(&message.payload) {
        // a host speaks on its own subject only, which is what it is permitted to
        Ok(alive) if subjects::host_alive(&alive.host) == message.subject => shared.directory.heard(alive),
        Ok(alive) => {
            tracing::warn!(host = %alive.host, subject = message.subject, "announcement on another host's subject");
        }
        Err(error) => tracing::warn!(subject = message.subject, %error, "announcement cannot be read"),
    }
}

async fn next_own(own: &mut Option<Box<dyn Subscription>>) -> Option<Received> {
    match own {
        Some(own) => own.next().await,
        None => std::future::pending().await,
    }
}

async fn at(next: Option<Instant>) {
    match next {
        Some(next) => tokio::time::sleep_until(next).await,
        None => std::future::pending().await,
    }
}
