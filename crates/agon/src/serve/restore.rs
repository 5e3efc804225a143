//! Streams that NATS has lost while the process ran: whoever may set them up does so, and whoever may not ends, to be started anew once
//! somebody has run `agon provision`.
use super::Herald;
use super::infrastructure::not_set_up;
use crate::exit::Stop;
use agon_bus::nats::provision::{ProvisionError, SetUp};
use agon_bus::nats::{NatsLink, ProvisionConfig, provision_queues};
use agon_store::{NatsStore, NatsStoreConfig, NatsStoreError, NatsUse};
use std::time::Duration;
use tokio::time::Instant;

/// How often the store is asked what it misses, which asks NATS nothing.
const LOOK: Duration = Duration::from_secs(1);

/// How long a stream has to be missing before it is made again: nats-server 2.9 deletes files of a stream for a while after it has
/// forgotten it, and would delete those of the new one.
const SETTLE: Duration = Duration::from_secs(5);

/// The pause between two looks at the start.
const AGAIN: Duration = Duration::from_secs(1);

/// What a process needs of NATS.
pub struct Streams {
    /// The connection.
    pub link: NatsLink,
    /// The streams of the bus.
    pub bus: ProvisionConfig,
    /// Whether turns are queued or taken.
    pub queues: bool,
    /// Those of the store.
    pub store: NatsStoreConfig,
    /// What of them.
    pub uses: NatsUse,
}

impl Streams {
    /// Opens the store once everything is there: as it waits for NATS, a process waits for whoever may set up what is missing.
    pub async fn open(&self, patience: Duration, herald: &Herald) -> Result<NatsStore, NatsStoreError> {
        let until = Instant::now() + patience;
        let mut waits = false;
        loop {
            match self.try_open().await {
                Err(NatsStoreError::Stream(error @ ProvisionError::Denied { .. })) if Instant::now() < until => {
                    if !std::mem::replace(&mut waits, true) {
                        herald.tell(&format!("waiting for streams, which `agon provision` sets up: {error}"));
                    }
                }
                opened => return opened,
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    async fn try_open(&self) -> Result<NatsStore, NatsStoreError> {
        if self.queues {
            provision_queues(&self.link, &self.bus).await?;
        }
        NatsStore::open_for(&self.link, self.store.clone(), self.uses).await
    }

    /// Looks for as long as it is polled. Returns when something is missing that this user may not set up.
    pub async fn keep(&self, store: &NatsStore) -> Stop {
        let mut missed = None;
        loop {
            tokio::time::sleep(LOOK).await;
            if !self.link.is_connected() || store.missing().is_empty() {
                missed = None;
                continue;
            }
            if missed.get_or_insert_with(Instant::now).elapsed() < SETTLE {
                continue;
            }
            missed = None;
            match self.restore().await {
                Ok(()) => {}
                Err(NatsStoreError::Stream(error @ ProvisionError::Denied { .. })) => return not_set_up(error),
                // NATS is away or has no room: that shows in the health of the process. A cluster that was given a name meanwhile goes on
                Err(error) => tracing::debug!(%error, "missing streams cannot be set up"),
            }
        }
    }

    async fn restore(&self) -> Result<(), NatsStoreError> {
        if self.queues {
            provision_queues(&self.link, &self.bus).await?;
        }
        let done = NatsStore::restore(&self.link, &self.store, self.uses).await?;
        for (name, _) in done.into_iter().filter(|(_, set_up)| *set_up == SetUp::Created) {
            tracing::error!(name, "missing in NATS, set up again; its content is lost");
        }
        Ok(())
    }
}
