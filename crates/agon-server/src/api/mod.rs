//! What both interfaces offer, in protobuf types; how it is carried stands in `grpc` and `rest`.
mod archive;
mod cluster;
mod create;
mod create_request;
mod debate;
mod evals;
mod export;
mod figures;
mod list;
mod load;
mod offered;
mod openings;
mod overview;
mod page;
mod plan;
mod rejudge;
mod unserved;
mod view;
mod watch;

pub use debate::WholeLog;
pub(crate) use evals::{EvalStep, eval_message};
pub use overview::{ClusterOverview, CoordinatorLoad};
pub(crate) use watch::message;
pub use watch::{WatchPlace, WatchStep, WatchStream};

use crate::auth::Caller;
use crate::config::{GatewayConfig, GatewayPorts, GatewayTimes, RequestLimits};
use crate::error::Problem;
use crate::net::TenantRoom;
use agon_core::{DebateId, Position, Record, RetryPolicy};
use agon_eval::ModelPrice;
use agon_proto::DebateSummary;
use agon_report::Prices;
use agon_runtime::{DebateRoom, RoomLimits};
use agon_spec::Defaults;
use agon_store::StoreError;
use agon_tools::FeedReader;
use openings::Openings;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// One call: who calls, and under which circumstances.
#[derive(Clone, Debug)]
pub struct CallContext {
    /// Who.
    pub caller: Caller,
    /// The W3C trace context of the call, if it came with one.
    pub traceparent: Option<String>,
    /// When the caller gives up.
    pub deadline: Option<Instant>,
}

impl CallContext {
    /// A call of this caller, with what the request says of its trace.
    pub fn of(caller: Caller, headers: &http::HeaderMap) -> Self {
        let traceparent = headers.get("traceparent").and_then(|value| value.to_str().ok()).map(str::to_owned);
        Self { caller, traceparent, deadline: None }
    }
}

/// The operations, which every interface carries in its own way.
pub struct Api {
    ports: GatewayPorts,
    times: GatewayTimes,
    defaults: Defaults,
    retry: RetryPolicy,
    prices: Arc<Prices>,
    eval_prices: BTreeMap<String, ModelPrice>,
    eval_grader: Option<String>,
    feeds: FeedReader,
    limits: RequestLimits,
    room: DebateRoom,
    watches: Arc<TenantRoom>,
    openings: Arc<Openings>,
    stop: CancellationToken,
}

impl Api {
    pub(crate) fn new(config: &GatewayConfig, ports: GatewayPorts, stop: CancellationToken) -> Self {
        let limits = RoomLimits {
            queued: config.limits.queued,
            tenant_unfinished: config.limits.tenant_unfinished,
            age: config.times.load_age,
        };
        let room = DebateRoom::new(ports.catalogue.clone(), ports.upkeep.clone(), limits);
        Self {
            ports,
            times: config.times,
            defaults: config.defaults.clone(),
            retry: config.retry,
            prices: Arc::new(config.prices.clone()),
            eval_prices: config.eval_prices.clone(),
            eval_grader: config.eval_grader.clone(),
            feeds: config.feeds.clone(),
            limits: config.limits,
            room,
            watches: TenantRoom::new(config.limits.watches, !config.auth.is_off()),
            openings: Openings::new(),
            stop,
        }
    }

    /// What debate files are read with here, rehearsals with a model of their own where none is named.
    pub fn defaults(&self, rehearsal: bool) -> Defaults {
        create_request::of_rehearsal(&self.defaults, rehearsal)
    }

    /// The whole log of a debate. An empty answer is the end, a full one may stop short of it.
    async fn log(&self, debate: &DebateId) -> Result<Vec<Arc<Record>>, Problem> {
        let records = self.log_after(debate, Position(0)).await?;
        if records.is_empty() { Err(self.missing(debate).await?) } else { Ok(records) }
    }

    /// What to say of a debate that has no log.
    async fn missing(&self, debate: &DebateId) -> Result<Problem, Problem> {
        Ok(match self.lost(debate).await? {
            Some(_) => Problem::Lost(debate.name().to_owned()),
            None => Problem::no_debate(debate),
        })
    }

    /// What is known of a debate whose log is gone. That its stream is older than the debate may be out of date: it is looked at anew.
    async fn lost(&self, debate: &DebateId) -> Result<Option<DebateSummary>, Problem> {
        let of_store = |error: StoreError| Problem::of_store(&error);
        let Some(known) = self.ports.catalogue.get_summary(debate).await.map_err(of_store)? else { return Ok(None) };
        let upkeep = &self.ports.upkeep;
        if upkeep.is_lost(debate, known.admitted).await.map_err(of_store)? {
            return Ok(Some(known));
        }
        upkeep.look_again(debate).await.map_err(of_store)?;
        let lost = upkeep.is_lost(debate, known.admitted).await.map_err(of_store)?;
        Ok(lost.then_some(known))
    }

    /// The log behind a position.
    async fn log_after(&self, debate: &DebateId, after: Position) -> Result<Vec<Arc<Record>>, Problem> {
        let mut records: Vec<Arc<Record>> = Vec::new();
        loop {
            let after = records.last().map_or(after, |record| record.last());
            let more = match self.ports.journal.read(debate, after).await {
                Err(StoreError::NotFound(_)) => return Err(self.missing(debate).await?),
                read => read.map_err(|error| Problem::of_store(&error))?,
            };
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
