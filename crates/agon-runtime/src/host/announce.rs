//! What hosts say of themselves, and what is heard of others. Tasks of their own: no actor that hangs can silence a host.
use crate::base::shared::Shared;
use crate::base::subjects;
use crate::base::trouble::{BUS_PAUSE, Trouble};
use agon_bus::{BusError, Message, Payload, Received, Subscription};
use agon_proto::{HostAlive, KeyTold, Wire};
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
            biased;
            () = tokio::time::sleep(shared.config.times.heartbeat) => {}
            changed = changes.changed() => if changed.is_err() { return },
        }
    }
}

async fn announce_once(shared: &Shared) {
    if shared.config.tells_keys {
        // before the hosts themselves: who knows a host then knows its key
        for told in shared.directory.own_keys() {
            say(shared, &subjects::host_key(&told.host), told.to_bytes()).await;
        }
    }
    for alive in shared.directory.announcements() {
        say(shared, &subjects::host_alive(&alive.host), alive.to_bytes()).await;
    }
}

async fn say(shared: &Shared, subject: &str, payload: impl Into<Payload>) {
    match tokio::time::timeout(PATIENCE, shared.bus.publish(subject, payload.into())).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::debug!(subject, %error, "announcement lost"),
        Err(_) => tracing::debug!(subject, "announcement lost, the bus does not take it"),
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
    let mut trouble = Trouble::default();
    loop {
        match hear(&shared, &mut trouble).await {
            Ok(()) | Err(BusError::Closed(_)) => return,
            Err(error) if trouble.is_news() => tracing::warn!(%error, "hosts cannot be heard"),
            Err(_) => {}
        }
        tokio::time::sleep(BUS_PAUSE).await;
    }
}

async fn hear(shared: &Shared, trouble: &mut Trouble) -> Result<(), BusError> {
    let mut keys = match shared.config.hears_keys {
        true => Some(shared.bus.subscribe(&subjects::host_keys()).await?),
        false => None,
    };
    let mut hosts = shared.bus.subscribe(&subjects::hosts_alive()).await?;
    // silence means something only to one who hears: himself, if he says anything
    let speaks = shared.config.max_debates > 0 && !shared.directory.announces();
    let mut own = match speaks {
        true => Some(shared.bus.subscribe(&subjects::node_alive(&shared.config.id)).await?),
        false => None,
    };
    if let Some(after) = trouble.over() {
        tracing::info!(after, "hosts are heard again");
    }
    shared.directory.listens();
    loop {
        let next = shared.directory.expire();
        tokio::select! {
            biased;
            received = next_of(&mut keys) => match received {
                Some(Received::Message(message)) => take_in_key(shared, &message).await,
                Some(Received::Lagged(lost)) => tracing::debug!(lost, "keys of hosts lost"),
                None => return Ok(()),
            },
            received = hosts.next() => match received {
                Some(Received::Message(message)) => take_in(shared, &message),
                Some(Received::Lagged(lost)) => tracing::debug!(lost, "announcements lost"),
                None => return Ok(()),
            },
            received = next_of(&mut own) => match received {
                Some(_) => shared.directory.bus_is_heard(),
                None => return Ok(()),
            },
            () = at(next) => {}
        }
    }
}

/// Who was not shown its key yet is shown it now, so that it obeys nobody who does not know it.
async fn take_in_key(shared: &Shared, message: &Message) {
    let told = match KeyTold::from_bytes(&message.payload) {
        Ok(told) if subjects::host_key(&told.host) == message.subject => told,
        Ok(told) => {
            return tracing::warn!(host = %told.host, subject = message.subject, "key on another host's subject");
        }
        Err(error) => return tracing::warn!(subject = message.subject, %error, "key of a host cannot be read"),
    };
    let (host, shown) = (told.host.clone(), told.shown);
    shared.directory.learn_key(told);
    if !shown {
        let subject = subjects::host_request(&host, subjects::GREET);
        let greeting = shared.directory.ordering(&host, &subject, &bytes::Bytes::new());
        say(shared, &subject, greeting).await;
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

async fn next_of(own: &mut Option<Box<dyn Subscription>>) -> Option<Received> {
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
