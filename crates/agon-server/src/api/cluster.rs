//! The cluster: hosts and their models.
use super::{Api, CallContext};
use crate::auth::Scope;
use crate::error::Problem;
use agon_core::ModelName;
use agon_proto::pb::bus::v1 as bus;
use agon_proto::pb::v1 as pb;
use agon_proto::{BreakerState, HostAlive, HostModel};
use agon_runtime::KnownHost;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// So many models are named where the wanted one is not served.
const NAMED: usize = 20;
/// A draining host that is silent for so long is gone.
const GONE: Duration = Duration::from_secs(10);

impl Api {
    /// The hosts that live, by name.
    pub fn hosts(&self, call: &CallContext) -> Result<pb::ListHostsResponse, Problem> {
        call.caller.require(Scope::ClusterAdmin)?;
        let mut hosts: Vec<pb::Host> = self.live().iter().map(message).collect();
        hosts.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(pb::ListHostsResponse { hosts })
    }

    /// The models that live hosts serve, by name.
    pub fn models(&self, call: &CallContext) -> Result<pb::ListModelsResponse, Problem> {
        call.caller.require(Scope::ClusterAdmin)?;
        let mut models: BTreeMap<String, Vec<pb::ServedModel>> = BTreeMap::new();
        for host in self.live() {
            for model in &host.alive.models {
                let served = pb::ServedModel {
                    host: host.alive.host.to_string(),
                    digest: model.digest.clone(),
                    permits: model.permits,
                    running: model.running,
                    breaker: bus::BreakerState::from(breaker(model)).into(),
                    away: model.away.as_ref().map(Into::into),
                    millitokens_per_second: model.millitokens_per_second,
                };
                models.entry(model.name.to_string()).or_default().push(served);
            }
        }
        let model = |(name, mut hosts): (String, Vec<pb::ServedModel>)| {
            hosts.sort_by(|a, b| a.host.cmp(&b.host));
            pb::Model { name, hosts }
        };
        Ok(pb::ListModelsResponse { models: models.into_iter().map(model).collect() })
    }

    /// Tells a host to take no more turns, or to take them again.
    pub async fn drain_host(&self, call: &CallContext, request: &pb::DrainHostRequest) -> Result<pb::Host, Problem> {
        call.caller.require(Scope::ClusterAdmin)?;
        let name = request.host.strip_prefix("hosts/").unwrap_or(&request.host);
        let unknown = || Problem::NoHost(name.to_owned());
        let known = self.live().into_iter().find(|known| known.alive.host.as_str() == name).ok_or_else(unknown)?;
        let told = self.ports.node.drain_host(&known.alive.host, request.undo).await;
        told.map_err(|error| {
            tracing::warn!(host = name, %error, "host not told to drain");
            Problem::Unavailable(format!("host {name} does not answer"))
        })?;
        Ok(pb::Host { draining: !request.undo, ..message(&known) })
    }

    /// The live hosts that take turns for a model, by name.
    pub(super) fn hosts_of(&self, model: &ModelName, rehearsal: bool) -> Vec<HostAlive> {
        let serves = |alive: &HostAlive| {
            let there = alive.takes(model) || alive.listed(model).is_some();
            there && !alive.draining && alive.rehearsal == rehearsal
        };
        let mut hosts: Vec<HostAlive> = self.live().into_iter().map(|known| known.alive).filter(serves).collect();
        hosts.sort_by(|a, b| a.host.cmp(&b.host));
        hosts
    }

    /// The models that live hosts list.
    pub(super) fn models_served(&self, rehearsal: bool) -> Vec<String> {
        let live = self.live();
        let of_kind = live.iter().filter(|known| known.alive.rehearsal == rehearsal && !known.alive.draining);
        let names: BTreeSet<String> =
            of_kind.flat_map(|known| known.alive.models.iter().map(|model| model.name.to_string())).collect();
        names.into_iter().collect()
    }

    /// The same in a few words.
    pub(super) fn served(&self, rehearsal: bool) -> String {
        let names = self.models_served(rehearsal);
        match names.len() {
            0 if !self.live().iter().any(|known| known.alive.rehearsal != rehearsal) => "none is served".to_owned(),
            0 if rehearsal => "the live ones do not rehearse".to_owned(),
            0 => "the live ones only rehearse; use --rehearsal".to_owned(),
            count => {
                let first: Vec<String> = names.into_iter().take(NAMED).collect();
                let more = if count > NAMED { format!(" and {} more", count - NAMED) } else { String::new() };
                format!("served: {}{more}", first.join(", "))
            }
        }
    }

    /// The hosts that take turns, and those that drain and were heard lately.
    pub(super) fn live(&self) -> Vec<KnownHost> {
        let live = |known: &KnownHost| known.lives || (known.alive.draining && known.silence < GONE);
        self.ports.node.hosts().into_iter().filter(live).collect()
    }
}

/// The state of a model's breaker, whether or not its server is away.
fn breaker(model: &HostModel) -> BreakerState {
    model.away.as_ref().map_or(model.breaker, |away| away.breaker)
}

fn model_message(model: &HostModel) -> bus::HostModel {
    bus::HostModel { breaker: bus::BreakerState::from(breaker(model)).into(), ..model.into() }
}

fn message(known: &KnownHost) -> pb::Host {
    let alive = &known.alive;
    pb::Host {
        name: alive.host.to_string(),
        node: alive.node.to_string(),
        agon_version: alive.agon_version.clone(),
        server: alive.server.clone(),
        serves_any: alive.serves_any,
        serves_prefix: alive.serves_prefix.clone(),
        draining: alive.draining,
        rehearsal: alive.rehearsal,
        models: alive.models.iter().map(model_message).collect(),
        silence: prost_types::Duration::try_from(known.silence).ok(),
    }
}
