//! The store on JetStream, from nats-server 2.9 on.
//!
//! Every read that decides something asks the stream's leader, every write that must not be doubled carries the sequence that its
//! subject has to have, and no message has an id for the server to compare: `docs/reference/nats.md` says why.
mod admission;
mod catalogue;
mod config;
mod error;
mod evals;
mod heads;
mod job_leases;
mod jobs;
mod js;
mod log;
mod orders;
mod parts;
mod registers;
mod replay;
mod setup;
mod stream_health;
mod subjects;
mod tail;
mod upkeep;
mod write_probe;

#[cfg(test)]
mod tests;

pub use config::{NatsCache, NatsLimits, NatsStorage, NatsStoreConfig};
pub use error::NatsStoreError;
pub use setup::NatsUse;

use crate::condition::Condition;
use crate::live::Live;
use crate::lock::lock;
use agon_bus::nats::NatsLink;
use agon_bus::nats::provision::SetUp;
use catalogue::CatalogueView;
use evals::EvalCache;
use heads::Heads;
use jobs::NatsJobQueue;
use js::Js;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};
use stream_health::StreamHealth;
use tokio::task::JoinSet;

/// A store on JetStream. It owns the tasks that keep its catalogue up and look after its streams, which end when it is closed or dropped.
pub struct NatsStore {
    config: NatsStoreConfig,
    js: Js,
    live: Live,
    heads: Heads,
    queue: NatsJobQueue,
    evals: EvalCache,
    listing: Arc<CatalogueView>,
    found: Arc<StreamHealth>,
    /// Debates are admitted one by one where a stream is filling.
    admitting: tokio::sync::Mutex<()>,
    tasks: Mutex<JoinSet<()>>,
}

impl NatsStore {
    /// Sets up what is missing and opens the store. The catalogue is complete once [`NatsStore::ready`] returns.
    pub async fn open(link: &NatsLink, config: NatsStoreConfig) -> Result<Self, NatsStoreError> {
        Self::open_for(link, config, NatsUse::ALL).await
    }

    /// Sets up all that any process uses, and says what that came to, by stream and consumer.
    pub async fn provision(link: &NatsLink, config: &NatsStoreConfig) -> Result<Vec<(String, SetUp)>, NatsStoreError> {
        let js = Js::new(link, config.deadline);
        setup::set_up(link, &js, config, NatsUse::ALL).await
    }

    /// Sets up again what a process that uses this much of it has lost.
    pub async fn restore(
        link: &NatsLink,
        config: &NatsStoreConfig,
        uses: NatsUse,
    ) -> Result<Vec<(String, SetUp)>, NatsStoreError> {
        setup::set_up(link, &Js::new(link, config.deadline), config, uses).await
    }

    /// The streams that this process uses and that were not there when the store last looked, and the consumers of jobs that did not
    /// answer. Asks nothing.
    pub fn missing(&self) -> BTreeSet<String> {
        self.found.missing()
    }

    /// How what a process uses of the store is now, for whoever does not open it; nothing where none of its streams exists.
    pub async fn examine(link: &NatsLink, config: &NatsStoreConfig, uses: NatsUse) -> Option<Condition> {
        stream_health::examine(link, config, uses).await
    }

    /// The names of all its streams.
    pub fn stream_names(config: &NatsStoreConfig) -> Vec<String> {
        setup::streams(config).into_iter().map(|stream| stream.name).collect()
    }

    /// As [`NatsStore::open`] for a process that uses only a part: without debates to admit or to own, the catalogue stays empty.
    pub async fn open_for(link: &NatsLink, config: NatsStoreConfig, uses: NatsUse) -> Result<Self, NatsStoreError> {
        let js = Js::new(link, config.deadline);
        setup::set_up(link, &js, &config, uses).await?;
        let found = Arc::clone(&js.found);
        let cache = &config.cache;
        let listing = Arc::new(CatalogueView::new());
        let mut tasks = JoinSet::new();
        if uses.knows_all() {
            tasks.spawn(tail::follow(js.clone(), Arc::clone(&listing)));
        }
        tasks.spawn(stream_health::keep(link.clone(), js.clone(), config.clone(), uses));
        Ok(Self {
            live: Live::new(cache.records.get(), cache.debates.get()),
            heads: Heads::new(cache.debates.get(), cache.places.get()),
            queue: NatsJobQueue::new(cache.held_jobs.get()),
            evals: EvalCache::new(cache.debates.get(), cache.places.get(), uses.evals),
            tasks: Mutex::new(tasks),
            listing,
            admitting: tokio::sync::Mutex::default(),
            found,
            js,
            config,
        })
    }

    /// Waits until the catalogue holds all that stood in it when the store was opened.
    pub async fn ready(&self) {
        // The sender lives as long as the store does.
        self.listing.loaded.subscribe().wait_for(|loaded| *loaded).await.ok();
    }

    /// Ends the store's tasks. What was answered is stored; nothing has to be flushed.
    pub async fn close(&self) {
        let mut tasks = std::mem::take(&mut *lock(&self.tasks));
        tasks.shutdown().await;
    }

    fn part_bytes(&self) -> usize {
        setup::part_bytes(&self.config)
    }
}
