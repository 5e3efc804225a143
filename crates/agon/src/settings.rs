//! Agon's own settings: where the model servers are, where debates are kept, how patient it is.
//!
//! A debate file says what is debated; this says by which machines. See `docs/reference/configuration.md`.
mod client;
mod cluster;
mod console;
mod credentials;
mod eval;
mod feeds;
mod hosts;
mod keyed;
mod layers;
mod length;
mod list;
mod listeners;
mod nats;
mod ollama_host;
mod places;
mod prices;
mod providers;
mod secret;
mod service_models;
mod tools;
mod verifiers;

pub use client::ClientSettings;
pub use cluster::{ClusterSettings, CoordinatorSettings, HostRoleSettings, NodeSettings};
pub use console::ConsoleSettings;
pub use credentials::{carries as carries_credentials, hidden, masked, masked_address};
pub use eval::EvalSettings;
pub use feeds::{FeedSettings, reader as feed_reader};
pub use hosts::{HostKind, HostSettings, Origin, chosen as chosen_hosts, claimed_elsewhere};
pub use keyed::with_keys;
pub use layers::{KNOWN as KNOWN_VARIABLES, Layers, variable_mistake};
pub use length::Length;
pub use listeners::{
    AdminSettings, AuthSettings, CertificateSettings, GatewaySettings, JwtSettings, PrincipalField, TelemetrySettings,
    TlsSettings,
};
pub use nats::NatsSettings;
pub use prices::PriceSettings;
pub use providers::{PROVIDERS, Provider, offered as offered_services};
pub use secret::KeySource;
pub use tools::ToolSettings;
pub use verifiers::VerifierSettings;

use agon_store::SyncMode;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::num::{NonZeroU32, NonZeroUsize};
use std::path::PathBuf;

/// All settings, merged and checked.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The model servers.
    pub hosts: Vec<HostSettings>,
    /// Where debates are kept.
    pub store: StoreSettings,
    /// How much runs at once, and how long it waits.
    pub runtime: RuntimeSettings,
    /// How failed tries follow each other.
    pub retry: RetrySettings,
    /// When a server that fails is left alone, and for how long.
    pub breaker: BreakerSettings,
    /// Models for roles that name none.
    pub defaults: DefaultModels,
    /// How much a debate file may unfold to when it is admitted.
    pub limits: agon_spec::Limits,
    /// What a finished run leaves behind.
    pub output: OutputSettings,
    /// Which Agon server the commands speak to.
    pub client: ClientSettings,
    /// What a process of `agon serve` is.
    pub node: NodeSettings,
    /// How processes of a cluster reach each other.
    pub nats: NatsSettings,
    /// What all processes of a cluster have alike.
    pub cluster: ClusterSettings,
    /// How debates are led.
    pub coordinator: CoordinatorSettings,
    /// How turns are played.
    pub host: HostRoleSettings,
    /// The interfaces for clients.
    pub gateway: GatewaySettings,
    /// The pages for browsers, at the gateway's HTTP address.
    pub console: ConsoleSettings,
    /// How fast rehearsals answer.
    pub rehearsal: RehearsalSettings,
    /// The port for operators.
    pub admin: AdminSettings,
    /// What is told to those who look after the machines.
    pub telemetry: TelemetrySettings,
    /// How evals are held.
    pub eval: EvalSettings,
    /// What the tokens of models cost, by model.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub prices: BTreeMap<String, PriceSettings>,
    /// The tools that debates may use where this process plays turns, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub tools: BTreeMap<String, ToolSettings>,
    /// The feeds that debates may read where this process admits them, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub feeds: BTreeMap<String, FeedSettings>,
    /// The verifiers that debates may use where this process plays turns, by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub verifiers: BTreeMap<String, VerifierSettings>,
}

/// How fast rehearsals answer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RehearsalSettings {
    /// The time before the first token of an answer, where no flag names one.
    pub latency: Length,
}

/// Where debates are kept.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StoreSettings {
    /// The database file; absent is `agon/agon.db` in the user's data folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<PathBuf>,
    /// How safely a step is written before the next begins.
    pub sync: SyncMode,
}

/// How much runs at once, and how long it waits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RuntimeSettings {
    /// Debates at once in one process.
    pub max_debates: NonZeroUsize,
    /// How long a turn may wait for a host before its generation starts.
    pub wait_limit: Length,
    /// How long a shutdown waits for the turns in the works.
    pub drain: Length,
}
impl Default for RuntimeSettings {
    fn default() -> Self {
        Self {
            max_debates: NonZeroUsize::new(64).unwrap_or(NonZeroUsize::MIN),
            wait_limit: Length::seconds(600),
            drain: Length::seconds(5),
        }
    }
}

/// How failed tries follow each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RetrySettings {
    /// Tries per model and turn.
    pub max_attempts: NonZeroU32,
    /// Wait before the second try; doubles each time.
    pub base_delay: Length,
    /// Longest wait.
    pub max_delay: Length,
}
impl Default for RetrySettings {
    fn default() -> Self {
        let policy = agon_core::RetryPolicy::default();
        Self {
            max_attempts: NonZeroU32::new(policy.max_attempts).unwrap_or(NonZeroU32::MIN),
            base_delay: Length::millis(policy.base_delay_ms),
            max_delay: Length::millis(policy.max_delay_ms),
        }
    }
}

/// When a server that fails is left alone, and for how long. One breaker per server and model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BreakerSettings {
    /// Failures in a row that open it: no connection, no answer in time, a server error.
    pub failures_to_open: NonZeroU32,
    /// Successful probes in a row that close it.
    pub successes_to_close: NonZeroU32,
    /// How long it stays open the first time; doubles each time that a probe fails.
    pub open_for: Length,
    /// The longest that it stays open.
    pub open_at_most: Length,
}
impl Default for BreakerSettings {
    fn default() -> Self {
        let policy = agon_core::breaker::BreakerPolicy::default();
        let count = |number| NonZeroU32::new(number).unwrap_or(NonZeroU32::MIN);
        Self {
            failures_to_open: count(policy.failures_to_open),
            successes_to_close: count(policy.successes_to_close),
            open_for: Length::millis(policy.open_ms),
            open_at_most: Length::millis(policy.open_cap_ms),
        }
    }
}

/// Models for roles whose debate file names none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DefaultModels {
    /// For every role; absent is the largest installed model that fits into memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// For judges; absent is `model`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judge_model: Option<String>,
    /// For moderators; absent is `model`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moderator_model: Option<String>,
}

/// Small enough for most laptops: the model to install where there is none, and the one of files that are only checked.
pub const USUAL_MODEL: &str = "llama3.2";

/// What a finished run leaves behind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct OutputSettings {
    /// The folder that reports are written below, one folder per debate.
    pub dir: PathBuf,
}
impl Default for OutputSettings {
    fn default() -> Self {
        Self { dir: PathBuf::from("agon-reports") }
    }
}

impl Settings {
    /// How failed tries follow each other, as the log records it.
    pub fn retry_policy(&self) -> agon_core::RetryPolicy {
        agon_core::RetryPolicy {
            max_attempts: self.retry.max_attempts.get(),
            base_delay_ms: self.retry.base_delay.as_millis(),
            max_delay_ms: self.retry.max_delay.as_millis(),
            wait_limit_ms: self.runtime.wait_limit.as_millis(),
        }
    }

    /// What calls cost, for reports.
    pub fn prices(&self) -> agon_report::Prices {
        prices::of(&self.prices, &self.hosts)
    }

    /// When a server that fails is left alone.
    pub fn breaker_policy(&self) -> agon_core::breaker::BreakerPolicy {
        agon_core::breaker::BreakerPolicy {
            failures_to_open: self.breaker.failures_to_open.get(),
            successes_to_close: self.breaker.successes_to_close.get(),
            open_ms: self.breaker.open_for.as_millis(),
            open_cap_ms: self.breaker.open_at_most.as_millis(),
            ..agon_core::breaker::BreakerPolicy::default()
        }
    }

    /// The store of a cluster.
    pub fn store_on_nats(&self) -> agon_store::NatsStoreConfig {
        agon_store::NatsStoreConfig { cluster: self.cluster.name.clone(), ..self.nats.store() }
    }

    /// Everything that is wrong although each value has the right form.
    pub fn problems(&self) -> Vec<String> {
        let mut problems: Vec<String> = self.cluster.problems();
        for (at, host) in self.hosts.iter().enumerate() {
            problems.extend(host.problems().into_iter().map(|problem| format!("hosts[{at}].{problem}")));
            if self.hosts.iter().take(at).any(|other| other.name == host.name) {
                problems.push(format!("hosts[{at}].name: there is another host of the name {:?}", host.name));
            }
        }
        if self.defaults.model.as_ref().is_some_and(|model| model.trim().is_empty()) {
            problems.push("defaults.model: empty".to_owned());
        }
        if self.retry.base_delay > self.retry.max_delay {
            problems.push("retry.base_delay: longer than retry.max_delay".to_owned());
        }
        if self.breaker.open_for > self.breaker.open_at_most {
            problems.push("breaker.open_for: longer than breaker.open_at_most".to_owned());
        }
        let sections = [
            ("limits", self.limits.problems()),
            ("client", self.client.problems()),
            ("node", self.node.problems()),
            ("nats", self.nats.problems()),
            ("coordinator", self.coordinator.problems()),
            ("host", self.host.problems()),
            ("gateway", self.gateway.problems()),
            ("console", self.console.problems()),
            ("admin", self.admin.problems()),
            ("telemetry", self.telemetry.problems()),
            ("eval", self.eval.problems()),
        ];
        for (section, found) in sections {
            problems.extend(found.into_iter().map(|problem| format!("{section}.{problem}")));
        }
        problems.extend(prices::problems(&self.prices));
        problems.extend(tools::problems(&self.tools));
        problems.extend(feeds::problems(&self.feeds));
        problems.extend(verifiers::problems(&self.verifiers, &self.tools));
        for credentials in credentials::problems(self) {
            let path = credentials.split(' ').next().unwrap_or_default();
            if !problems.iter().any(|problem| problem.starts_with(path)) {
                problems.push(credentials);
            }
        }
        problems
    }
}
