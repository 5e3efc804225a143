//! Model servers: connecting, asking what they have, and whether that is enough for a debate.
mod needs;
mod probe;
mod rehearse;

pub use needs::{check, hint, models_of, participants, serves};
pub use probe::{Found, probe, probe_all};
pub use rehearse::{config, script, start};

use crate::environment::Environment;
use crate::exit::{Exit, Stop};
use crate::settings::HostSettings;
use agon_llm::{CallTimeouts, ChatModel, ClientConfig, Deadlines, Http, RunnerOptions};
use anyhow::Context;
use std::sync::Arc;
use std::time::Duration;

/// How long a server may take to say that it is there.
const METADATA: Duration = Duration::from_secs(3);

/// A server that can be asked.
#[derive(Clone)]
pub struct Server {
    /// Its settings.
    pub settings: HostSettings,
    /// The client that speaks to it.
    pub client: Arc<dyn ChatModel>,
}

impl Server {
    /// Makes the clients of all hosts; nothing is sent.
    pub fn connect_all(hosts: &[HostSettings], environment: &Environment) -> Result<Vec<Self>, Stop> {
        let http = Http::default();
        hosts.iter().map(|host| Self::connect(host, &http, environment)).collect()
    }

    fn connect(settings: &HostSettings, http: &Http, environment: &Environment) -> Result<Self, Stop> {
        if let Some(name) = settings.unset_variable() {
            let (host, url) = (&settings.name, &settings.url);
            return Err(Stop::usage(format!("host {host}: {url:?} names the variable {name}, which is not set")));
        }
        let endpoint = settings.endpoint().with_context(|| format!("host {}: {:?}", settings.name, settings.url));
        let endpoint = endpoint.map_err(|error| Stop::new(Exit::Usage, error))?;
        let key = settings.api_key.as_ref().map(|source| source.read(environment)).transpose();
        let api_key = key.with_context(|| format!("the key of host {}", settings.name));
        let config = ClientConfig {
            api_key: api_key.map_err(|error| Stop::new(Exit::Usage, error))?,
            http: http.clone(),
            runner: RunnerOptions { num_ctx: settings.num_ctx },
            deadlines: Deadlines { metadata: METADATA, ..Deadlines::default() },
            ..ClientConfig::new(endpoint)
        };
        Ok(Self { settings: settings.clone(), client: agon_llm::connect_with(config) })
    }

    /// How long each phase of a call may take here.
    pub fn timeouts(&self) -> CallTimeouts {
        CallTimeouts { first_byte: self.settings.first_byte_timeout.0, idle: self.settings.idle_timeout.0, turn: None }
    }
}
