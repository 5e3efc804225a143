//! Everything that a debate needs around it in this process: servers that answer, the node that runs it, the store.
use crate::cli::ServerArgs;
use crate::commands::Context;
use crate::exit::{Exit, Stop};
use crate::servers::{self, ProbedModels, ReachableServer};
use crate::settings::{Origin, Settings, chosen_hosts, with_keys};
use crate::speeds::{self, Remembered};
use crate::store::Store;
use crate::traces::{self, TraceOrigin};
use agon_bus::MemoryBus;
use agon_core::{DebateSpec, HostId, ModelName, NodeId};
use agon_rehearsal::mind::Minds;
use agon_rehearsal::{RehearsalConfig, RehearsalServer};
use agon_runtime::{HostConfig, Node, NodeConfig, Observer, Ports, Served, Silent, Speeds, SystemClock, Times};
use agon_telemetry::Telemetry;
use anyhow::Context as _;
use std::collections::BTreeMap;
use std::sync::Arc;
use uuid::Uuid;

/// Whom to ask.
#[derive(Clone, Debug)]
pub enum ModelSource {
    /// Scripted speakers in this process.
    Rehearsal(Box<RehearsalConfig>),
    /// The server that flags name, or else those of the settings and of keys.
    Models(ServerArgs),
}

/// Servers that were asked and can play the debate.
pub struct ModelServers {
    hosts: Vec<(ReachableServer, ProbedModels)>,
    rehearsal: Option<RehearsalServer>,
}

impl ModelServers {
    /// Finds servers for the debates; where there are none, says so within seconds.
    pub async fn find(
        cast: ModelSource,
        context: &Context,
        settings: &Settings,
        specs: &[&DebateSpec],
    ) -> Result<Self, Stop> {
        let (models, fallbacks) = models_of(specs);
        let wanted = [models.clone(), fallbacks].concat();
        let (rehearsal, hosts) = match cast {
            ModelSource::Rehearsal(config) => {
                let (server, host) = servers::start(*config).await?;
                (Some(server), vec![host])
            }
            ModelSource::Models(flags) => (None, chosen_hosts(&flags, &settings.hosts, &context.environment, &wanted)),
        };
        let asked =
            servers::probe_all(ReachableServer::connect_all(&hosts, &context.environment)?, wanted.clone()).await;
        if let Some(why) = servers::check(&asked, &models) {
            return Err(Stop::say(Exit::Unavailable, why));
        }
        let mut found = Vec::new();
        for (server, answer) in asked {
            match answer {
                Ok(answer) => found.push((server, answer)),
                // Nobody named it, or no role is for it.
                Err(_) if server.settings.origin == Origin::Usual || !servers::is_meant(&server, &wanted) => {}
                Err(error) => context.output.warn(&format!("{} is not used: {error}", server.client.endpoint())),
            }
        }
        Ok(Self { hosts: found, rehearsal })
    }

    /// Whether any of them has scripted speakers.
    pub fn is_rehearsal(&self) -> bool {
        self.hosts.iter().any(|(_, found)| found.is_rehearsal())
    }

    /// The models that the debates name, fallbacks included.
    pub fn models_of(&self, specs: &[&DebateSpec]) -> Vec<ModelName> {
        let (models, fallbacks) = models_of(specs);
        [models, fallbacks].concat()
    }

    /// The digests of the models that the debates name, where the first server that has a model tells one.
    pub fn digests(&self, specs: &[&DebateSpec]) -> BTreeMap<String, String> {
        let digest = |model: &ModelName| {
            let mut listed = self.hosts.iter().flat_map(|(_, found)| &found.models);
            let found = listed.find(|listed| servers::same_model(&listed.name, model.as_str()))?;
            Some((model.to_string(), found.digest.clone()?))
        };
        self.models_of(specs).iter().filter_map(digest).collect()
    }

    /// How fast a model generated in earlier runs, in tokens a second: the fastest of its servers, nothing of scripted speakers.
    pub fn speed(&self, context: &Context, model: &str) -> Option<f64> {
        let real = self.hosts.iter().filter(|(_, found)| !found.is_rehearsal()).map(|(server, _)| server);
        let known = Remembered::of(context).at(real).all().into_iter();
        known
            .filter(|((_, name), _)| servers::same_model(name.as_str(), model))
            .map(|(_, speed)| speed)
            .reduce(f64::max)
    }

    /// The servers in a few words.
    pub fn names(&self) -> String {
        let names: Vec<String> = self.hosts.iter().map(|(server, _)| server.client.endpoint().to_string()).collect();
        names.join(", ")
    }

    /// The servers whose speeds are kept, each with its host: scripted speakers have none.
    fn measured(&self) -> Vec<(String, HostId)> {
        let real = self.hosts.iter().filter(|(_, found)| !found.is_rehearsal());
        real.map(|(server, _)| (speeds::address(server), HostId::from(server.settings.name.as_str()))).collect()
    }

    fn configs(&self, specs: &[&DebateSpec]) -> Vec<HostConfig> {
        let alone = self.hosts.len() == 1;
        let config = |(server, found): &(ReachableServer, ProbedModels)| {
            let models = if alone { Served::Any } else { Served::List(served(server, found, specs)) };
            server.host(HostId::from(server.settings.name.as_str()), models, found.is_rehearsal())
        };
        self.hosts.iter().map(config).collect()
    }
}

/// The models that the debates name first, and those that they fall back to.
fn models_of(specs: &[&DebateSpec]) -> (Vec<ModelName>, Vec<ModelName>) {
    let mut models: Vec<ModelName> = specs.iter().flat_map(|spec| servers::models_of(spec)).collect();
    models.sort();
    models.dedup();
    let fallbacks = specs.iter().flat_map(|spec| spec.voices()).flat_map(|voice| voice.fallback_models.clone());
    (models, fallbacks.collect())
}

/// Of the models that the debates name, those that the server is to be asked for.
fn served(server: &ReachableServer, found: &ProbedModels, specs: &[&DebateSpec]) -> Vec<ModelName> {
    let (models, fallbacks) = models_of(specs);
    let mut models = [models, fallbacks].concat();
    models.retain(|model| servers::serves(server, found, model.as_str()));
    models
}

/// A running node on the store, with its servers.
pub struct LocalRuntime {
    /// What holds the debates.
    pub node: Node,
    /// Where they are kept.
    pub store: Store,
    rehearsal: Option<RehearsalServer>,
    telemetry: Option<Telemetry>,
    context: Context,
    /// What is measured, and of which servers it is kept.
    speeds: Arc<Speeds>,
    measured: Vec<(String, HostId)>,
}

impl LocalRuntime {
    /// Starts the node.
    pub async fn open(
        context: &Context,
        store: Store,
        servers: Option<ModelServers>,
        specs: &[&DebateSpec],
    ) -> Result<Self, Stop> {
        let settings = context.settings()?;
        let name = NodeId::from(format!("agon-{}", Uuid::new_v4().simple()).as_str());
        let telemetry = telemetry(context, &settings, &name)?;
        let observer: Arc<dyn Observer> = match &telemetry {
            Some(telemetry) => Arc::new(telemetry.clone()),
            None => Arc::new(Silent),
        };
        let hosts = servers.as_ref().map(|servers| servers.configs(specs)).unwrap_or_default();
        let known = servers.iter().flat_map(|servers| servers.hosts.iter().map(|(server, _)| server));
        let speeds = Arc::new(Remembered::of(context).at(known));
        let measured = servers.as_ref().map(ModelServers::measured).unwrap_or_default();
        let ports = Ports {
            bus: Arc::new(MemoryBus::new()),
            journal: store.sqlite.clone(),
            registers: store.sqlite.clone(),
            jobs: store.sqlite.clone(),
            commands: store.sqlite.clone(),
            catalogue: store.sqlite.clone(),
            upkeep: None,
            hosts,
            clock: Arc::new(SystemClock),
            observer,
        };
        let config = NodeConfig {
            max_debates: settings.runtime.max_debates.get(),
            breaker: settings.breaker_policy(),
            tools: with_keys(&settings.tools, &context.environment)?,
            verifiers: with_keys(&settings.verifiers, &context.environment)?,
            speeds: speeds.clone(),
            times: Times { drain: settings.runtime.drain.0, ..Times::default() },
            ..NodeConfig::solo(name)
        };
        let node = Node::start(config, ports).await.context("the runtime's actors do not start")?;
        let rehearsal = servers.and_then(|servers| servers.rehearsal);
        Ok(Self { node, store, rehearsal, telemetry, context: context.clone(), speeds, measured })
    }

    /// What the scripted speakers know, if they have minds.
    pub fn minds(&self) -> Option<&Minds> {
        self.rehearsal.as_ref().and_then(RehearsalServer::minds)
    }

    /// Hands over what still runs and ends everything, within the drain time.
    pub async fn close(self) -> Store {
        let clean = self.node.drain().await;
        tracing::debug!(clean, "node drained");
        Remembered::of(&self.context).keep(&self.measured, &self.speeds);
        if let Some(server) = self.rehearsal {
            server.shutdown().await;
        }
        if let Some(telemetry) = self.telemetry {
            traces::finish(&self.context, &telemetry).await;
        }
        self.store
    }
}

/// Traces, where a collector is named. The log is installed already.
fn telemetry(context: &Context, settings: &Settings, name: &NodeId) -> Result<Option<Telemetry>, Stop> {
    if settings.telemetry.otlp_endpoint.is_none() {
        return Ok(None);
    }
    let (service, instance) = ("agon".to_owned(), name.to_string());
    TraceOrigin { service, instance, log: None, settings: &settings.telemetry }.start(context).map(Some)
}
