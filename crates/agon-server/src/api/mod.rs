//! What both interfaces offer, in protobuf types; how it is carried stands in `grpc` and `rest`.
mod archive;
mod cluster;
mod create;
mod debate;
mod export;
mod list;
mod load;
mod page;
mod plan;
mod rejudge;
mod view;
mod wanted;
mod watch;

pub(crate) use watch::{Step, WatchStream, message};

use crate::auth::Caller;
use crate::config::{GatewayConfig, GatewayPorts, GatewayTimes, Limits};
use crate::error::Problem;
use crate::net::Room;
use agon_core::{DebateId, Position, Record, RetryPolicy};
use agon_report::Prices;
use agon_spec::Defaults;
use agon_tools::FeedReader;
use load::Load;
use std::sync::Arc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// One call: who calls, and under which circumstances.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    /// Who.
    pub caller: Caller,
    /// The W3C trace context of the call, if it came with one.
    pub traceparent: Option<String>,
    /// When the caller gives up.
    pub deadline: Option<Instant>,
}

/// The operations.
pub(crate) struct Api {
    ports: GatewayPorts,
    limits: Limits,
    times: GatewayTimes,
    defaults: Defaults,
    retry: RetryPolicy,
    prices: Arc<Prices>,
    feeds: FeedReader,
    load: Load,
    watches: Arc<Room>,
    stop: CancellationToken,
}

impl Api {
    pub fn new(config: &GatewayConfig, ports: GatewayPorts, stop: CancellationToken) -> Self {
        Self {
            ports,
            limits: config.limits,
            times: config.times,
            defaults: config.defaults.clone(),
            retry: config.retry,
            prices: Arc::new(config.prices.clone()),
            feeds: config.feeds.clone(),
            load: Load::default(),
            watches: Room::new(config.limits.watches, !config.auth.is_off()),
            stop,
        }
    }

    /// The whole log of a debate. An empty answer is the end, a full one may stop short of it.
    async fn log(&self, debate: &DebateId) -> Result<Vec<Arc<Record>>, Problem> {
        let records = self.log_after(debate, Position(0)).await?;
        if records.is_empty() { Err(Problem::no_debate(debate)) } else { Ok(records) }
    }

    /// The log behind a position.
    async fn log_after(&self, debate: &DebateId, after: Position) -> Result<Vec<Arc<Record>>, Problem> {
        let mut records: Vec<Arc<Record>> = Vec::new();
        loop {
            let after = records.last().map_or(after, |record| record.last());
            let more = self.ports.journal.read(debate, after).await.map_err(|error| Problem::of_store(&error))?;
            if more.is_empty() {
                return Ok(records);
            }
            records.extend(more);
        }
    }
}

/// The debate that a request names, in the caller's tenant.
fn named(caller: &Caller, name: &str) -> Result<DebateId, Problem> {
    let id = name.strip_prefix("debates/").unwrap_or(name);
    DebateId::in_tenant(&caller.tenant, id).map_err(|error| Problem::invalid("name", error.to_string()))
}
