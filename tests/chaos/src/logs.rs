//! Reading the logs of a cluster straight from its nats-server, past every process of it.
use crate::check::{InvariantBreach, RawLog, check};
use agon_bus::nats::{NatsConfig, NatsLink, connect};
use agon_core::{DebateId, Event, Record};
use agon_proto::decode_record;
use agon_store::{NatsStore, NatsStoreConfig, Registers as _, StoreError, Upkeep as _};
use agon_testkit::until;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::runtime::Runtime;

/// How long a test waits for something that has to happen.
pub const PATIENCE: Duration = Duration::from_secs(90);
/// How long a store that is away is asked again.
const AWAY: Duration = Duration::from_secs(30);

/// The logs of a cluster.
pub struct Logs {
    runtime: Runtime,
    link: NatsLink,
    store: NatsStore,
}

impl Logs {
    /// Connects to a nats-server whose streams are set up.
    pub fn open(url: &str) -> Result<Self> {
        Self::open_as(NatsConfig::new([url], "checker", "checker"), NatsStoreConfig::default())
    }

    /// Connects as somebody to streams that are set up as `config` says.
    pub fn open_as(who: NatsConfig, config: NatsStoreConfig) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let (link, store) = runtime.block_on(async {
            let link = connect(who).await?;
            let store = NatsStore::open(&link, config).await?;
            anyhow::Ok((link, store))
        })?;
        Ok(Self { runtime, link, store })
    }

    /// A log as it is stored; empty where there is none. A server that is away is waited for.
    pub fn read(&self, id: &str) -> Result<RawLog> {
        let id = DebateId::parse(id)?;
        let mut last = None;
        let log =
            until(&format!("the log of {id} can be read"), AWAY, || match self.runtime.block_on(self.read_once(&id)) {
                Ok(log) => Ok(Some(log)),
                Err(error) => {
                    last = Some(error);
                    Ok(None)
                }
            });
        log.with_context(|| format!("{last:?}"))
    }

    async fn read_once(&self, id: &DebateId) -> Result<RawLog, StoreError> {
        let raw = self.store.raw_records(id).await?;
        let mut registers = BTreeMap::new();
        for record in raw.iter().filter_map(|raw| decode_record(&raw.body).ok()) {
            for event in &record.record.events {
                let Event::TurnAsked(ask) = event else { continue };
                if let Some(result) = self.store.get(id, ask.turn).await? {
                    registers.insert(ask.turn, result);
                }
            }
        }
        Ok(RawLog { id: id.clone(), raw, registers })
    }

    /// The records of a log, without its registers.
    pub fn records(&self, id: &str) -> Result<Vec<Record>> {
        let id = DebateId::parse(id)?;
        until(&format!("the log of {id} can be read"), AWAY, || {
            let Ok(raw) = self.runtime.block_on(self.store.raw_records(&id)) else { return Ok(None) };
            let records = raw.iter().map(|raw| Ok(decode_record(&raw.body)?.record));
            records.collect::<Result<Vec<_>>>().map(Some)
        })
    }

    /// The events of a log.
    pub fn events(&self, id: &str) -> Result<Vec<Event>> {
        Ok(self.records(id)?.into_iter().flat_map(|record| record.events).collect())
    }

    /// Waits until the log is so, and gives its records.
    pub fn until(&self, id: &str, what: &str, mut is: impl FnMut(&[Record]) -> bool) -> Result<Vec<Record>> {
        let mut seen = String::new();
        let found = until(&format!("{id}: {what}"), PATIENCE, || {
            let records = self.records(id)?;
            seen = records.last().map(|record| format!("{:?}", record.events.last())).unwrap_or_default();
            Ok(is(&records).then_some(records))
        });
        found.with_context(|| format!("the log's last event is {seen}"))
    }

    /// Waits until the log has `count` events of a kind, and gives its records.
    pub fn until_count(&self, id: &str, what: &str, count: usize, of: impl Fn(&Event) -> bool) -> Result<Vec<Record>> {
        self.until(id, &format!("{count} {what}"), |records| {
            records.iter().flat_map(|record| &record.events).filter(|event| of(event)).count() >= count
        })
    }

    /// Waits until the debate is over, and gives its records.
    pub fn until_over(&self, id: &str) -> Result<Vec<Record>> {
        self.until_count(id, "end", 1, |event| matches!(event, Event::DebateEnded { .. }))
    }

    /// Everything that is wrong with the log of a debate that is over. The chain is verified by the store's own rules too.
    pub fn check(&self, id: &str) -> Result<Vec<InvariantBreach>> {
        let log = self.read(id)?;
        let mut findings = check(&log);
        if let Err(StoreError::Damaged { at, .. }) = self.runtime.block_on(self.store.verify(&log.id))
            && !findings.contains(&InvariantBreach::Chain(at.0))
        {
            findings.push(InvariantBreach::Chain(at.0));
        }
        Ok(findings)
    }

    pub(crate) fn link(&self) -> &NatsLink {
        &self.link
    }
    pub(crate) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// The store itself and where its futures run, for what a test does as an administrator.
    pub fn store(&self) -> (&NatsStore, &Runtime) {
        (&self.store, &self.runtime)
    }
}

/// The node that owns a debate by its log.
pub fn owner(records: &[Record]) -> Option<String> {
    let events = records.iter().rev().flat_map(|record| record.events.iter().rev());
    events.into_iter().find_map(|event| match event {
        Event::Claimed { writer, .. } => Some(writer.to_string()),
        _ => None,
    })
}
