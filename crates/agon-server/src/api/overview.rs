//! The cluster as a whole: who coordinates, and what its metrics say.
use super::{Api, CallContext};
use crate::auth::Scope;
use crate::error::Problem;
use agon_runtime::KnownNode;
use agon_telemetry::ClusterFigures;
use std::time::Duration;

/// What a gateway knows of its cluster beside hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClusterOverview {
    /// The figures that this gateway exports as metrics, as it counted them last.
    pub figures: ClusterFigures,
    /// The nodes that lead debates, by name.
    pub coordinators: Vec<CoordinatorLoad>,
    /// Queues and logs are streams, whose fill is watched; otherwise everything is in this process.
    pub has_streams: bool,
    /// The version of this gateway.
    pub agon_version: String,
}

/// A node that leads debates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoordinatorLoad {
    /// Its name; absent for this process, where that holds every role.
    pub node: Option<String>,
    /// Its version of Agon.
    pub agon_version: String,
    /// It takes no more debates.
    pub draining: bool,
    /// Debates that it leads.
    pub debates: u64,
    /// Debates that it may lead at once, where it told.
    pub max_debates: Option<u64>,
    /// The time since its last heartbeat; absent for this process.
    pub silence: Option<Duration>,
}

impl Api {
    /// The cluster beside its hosts.
    pub fn overview(&self, call: &CallContext) -> Result<ClusterOverview, Problem> {
        call.caller.require(Scope::ClusterAdmin)?;
        let has_streams = self.ports.streams.is_some();
        let agon_version = env!("CARGO_PKG_VERSION").to_owned();
        let mut coordinators: Vec<CoordinatorLoad> = self.ports.node.nodes().iter().map(load).collect();
        coordinators.sort_by(|a, b| a.node.cmp(&b.node));
        if coordinators.is_empty() && !has_streams {
            let debates = self.ports.node.stats().active_debates as u64;
            coordinators.push(CoordinatorLoad {
                agon_version: agon_version.clone(),
                debates,
                ..CoordinatorLoad::default()
            });
        }
        Ok(ClusterOverview { figures: self.ports.cluster.figures(), coordinators, has_streams, agon_version })
    }
}

fn load(known: &KnownNode) -> CoordinatorLoad {
    CoordinatorLoad {
        node: Some(known.id.to_string()),
        agon_version: known.agon_version.clone(),
        draining: known.draining,
        debates: known.debates.into(),
        max_debates: Some(known.max_debates.into()),
        silence: Some(known.silent),
    }
}
