//! Model servers: connecting, asking what they have, and whether that is enough for a debate.
mod needs;
mod pick;
mod prefixed;
mod probe;
mod rehearse;

pub use needs::{check, hint, is_meant, models_of, participants, serves};
pub use pick::{choose_model, choose_served, pick};
pub use probe::{ProbedModels, answers, probe, probe_all, same_model};
pub use rehearse::{READING_PACE, config, paced, start};

use crate::environment::Environment;
use crate::exit::{Exit, Stop};
use crate::settings::{HostSettings, KeySource, claimed_elsewhere, masked_address};
use agon_core::HostId;
use agon_llm::{CallTimeouts, ChatModel, ClientConfig, Deadlines, Http, RunnerOptions};
use agon_runtime::{HostConfig, Served};
use anyhow::{Context, bail};
use prefixed::Prefixed;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How long a server may take to say that it is there.
const METADATA: Duration = Duration::from_secs(3);

/// A server that can be asked.
#[derive(Clone)]
pub struct ReachableServer {
    /// Its settings.
    pub settings: HostSettings,
    /// The client that speaks to it.
    pub client: Arc<dyn ChatModel>,
    /// The prefixes by which other servers claim models.
    elsewhere: Vec<String>,
}

impl ReachableServer {
    /// Makes the clients of all hosts; nothing is sent.
    pub fn connect_all(hosts: &[HostSettings], environment: &Environment) -> Result<Vec<Self>, Stop> {
        let helped = |host: &HostSettings, Stop { exit, error }: Stop| {
            let remedy = host.remedy(environment).map(|remedy| format!("\n  {remedy}")).unwrap_or_default();
            Stop { exit, error: error.map(|error| anyhow::anyhow!("{error:#}{remedy}")) }
        };
        hosts.iter().map(|host| Self::connect(host, hosts, environment).map_err(|stop| helped(host, stop))).collect()
    }

    /// Makes the client of one of the hosts; nothing is sent.
    pub fn connect(host: &HostSettings, all: &[HostSettings], environment: &Environment) -> Result<Self, Stop> {
        let client = client(host, environment).with_context(|| host.known_by());
        let others = all.iter().filter(|other| other.name != host.name);
        Ok(Self {
            settings: host.clone(),
            client: client.map_err(|error| Stop::new(Exit::Usage, error))?,
            elsewhere: others.filter_map(|other| other.prefix.clone()).collect(),
        })
    }

    /// Whether another server claims the model by its prefix.
    pub fn leaves(&self, model: &str) -> bool {
        claimed_elsewhere(&self.settings, &self.elsewhere, model)
    }

    /// How long each phase of a call may take here.
    pub fn timeouts(&self) -> CallTimeouts {
        CallTimeouts { first_byte: self.settings.first_byte_timeout.0, idle: self.settings.idle_timeout.0, turn: None }
    }

    /// It as a host of these models.
    pub fn host(&self, id: HostId, models: Served, rehearsal: bool) -> HostConfig {
        HostConfig {
            id,
            client: Arc::clone(&self.client),
            models,
            permits: self.settings.permits,
            scheduling: self.settings.scheduling.into(),
            read_ahead: self.settings.read_ahead,
            runner: RunnerOptions { num_ctx: self.settings.num_ctx },
            timeouts: self.timeouts(),
            rehearsal,
        }
    }
}

fn client(host: &HostSettings, environment: &Environment) -> anyhow::Result<Arc<dyn ChatModel>> {
    if let Some(name) = host.unset_variable() {
        bail!("{:?} names the variable {name}, which is not set", masked_address(&host.url));
    }
    let endpoint = host.endpoint().with_context(|| format!("{:?}", masked_address(&host.url)))?;
    let key = host.api_key.as_ref().map(|source| source.read(environment)).transpose();
    let header = |(name, source): (&String, &KeySource)| -> anyhow::Result<_> {
        Ok((name.clone(), source.read(environment).with_context(|| format!("headers.{name}"))?))
    };
    let config = ClientConfig {
        user: host.user.clone(),
        headers: host.headers.iter().map(header).collect::<anyhow::Result<_>>()?,
        api_key: key.with_context(|| format!("the key ({})", host.key_setting()))?,
        http: http(host)?,
        runner: RunnerOptions { num_ctx: host.num_ctx },
        stream: host.stream,
        fields: host.fields(),
        known: host.known(),
        deadlines: Deadlines { metadata: METADATA, ..Deadlines::default() },
        ..ClientConfig::new(endpoint)
    };
    let inner = agon_llm::connect_with(config);
    Ok(match &host.prefix {
        Some(prefix) => Arc::new(Prefixed { inner, prefix: prefix.clone() }),
        None => inner,
    })
}

/// A server's connections: its own where it has certificates of its own.
fn http(host: &HostSettings) -> anyhow::Result<Http> {
    let (ca, cert, key) = (host.ca_file.as_deref(), host.cert_file.as_deref(), host.key_file.as_deref());
    let read = |setting: &str, path: &Path| {
        let name = path.display();
        agon_files::read(path, agon_files::MAX_FILE).with_context(|| format!("cannot read {setting} {name}"))
    };
    let authorities = ca.map(|path| read("ca_file", path)).transpose()?;
    let identity = match (cert, key) {
        (Some(cert), Some(key)) => Some([read("cert_file", cert)?, b"\n".to_vec(), read("key_file", key)?].concat()),
        (None, _) | (_, None) => None,
    };
    if authorities.is_none() && identity.is_none() {
        return Ok(Http::default());
    }
    let named = [("ca_file", ca), ("cert_file", cert), ("key_file", key)].into_iter();
    let named: Vec<String> =
        named.filter_map(|(setting, path)| Some(format!("{setting} {}", path?.display()))).collect();
    Http::secured(authorities.as_deref(), identity).with_context(|| named.join(", "))
}
