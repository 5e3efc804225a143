//! What a process of a cluster is, and how its roles behave.
use super::{Length, list};
use crate::cli::ProcessRole;
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;

/// What all processes of a cluster have alike.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClusterSettings {
    /// Its name, which its streams keep: processes of another cluster are refused by them. Absent: no name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl ClusterSettings {
    /// What is wrong with it, with its field.
    pub fn problems(&self) -> Vec<String> {
        let wrong = self.name.iter().filter(|name| !is_name(name));
        wrong
            .map(|name| format!("cluster.name: {name:?} is not a name; give 1 to {LONGEST_NAME} of a-z, 0-9 and -"))
            .collect()
    }
}

/// What this process is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NodeSettings {
    /// What logs and events call it; each start adds a few letters of its own. Absent: the machine's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What it does.
    #[serde(deserialize_with = "list::values")]
    pub roles: Vec<ProcessRole>,
    /// How long a shutdown waits for what is in the works to be handed over.
    pub drain: Length,
}
impl Default for NodeSettings {
    fn default() -> Self {
        Self {
            name: None,
            roles: vec![ProcessRole::Gateway, ProcessRole::Coordinator, ProcessRole::Host],
            drain: Length(agon_runtime::Times::default().drain),
        }
    }
}

/// The longest name of a node: the letters that a start adds still fit into a token of a subject.
const LONGEST_NAME: usize = 40;

fn is_name(text: &str) -> bool {
    let word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=LONGEST_NAME).contains(&text.len()) && text.bytes().all(word)
}

impl NodeSettings {
    /// What is wrong with it, each with its field.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if self.name.as_ref().is_some_and(|name| !is_name(name)) {
            problems.push(format!("name: not 1 to {LONGEST_NAME} characters of a-z, 0-9 and -"));
        }
        if self.roles.is_empty() {
            problems.push("roles: name at least one of gateway, coordinator, host".to_owned());
        }
        problems
    }
}

/// How this process leads debates, where it does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CoordinatorSettings {
    /// Debates at once in this process.
    pub max_debates: NonZeroUsize,
    /// Debates of one tenant at once in the whole cluster; absent: no cap.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tenant_cap: Option<NonZeroUsize>,
    /// Evals at once that this process drives.
    pub max_evals: NonZeroUsize,
    /// How often nodes and hosts give a sign of life; the same in the whole cluster.
    pub heartbeat: Length,
    /// A coordinator that is silent for so long loses its debates to the others.
    pub node_silent: Length,
    /// A host that is silent for so long loses its turns to the others.
    pub host_silent: Length,
    /// How often debates that stand still are looked for.
    pub sweep: Length,
    /// A debate that nobody has taken for so long stands still.
    pub queued_stale: Length,
    /// A debate that is noted as led by this process, and is not led for so long, stands still.
    pub running_stale: Length,
}
impl Default for CoordinatorSettings {
    fn default() -> Self {
        let times = agon_runtime::Times::default();
        Self {
            max_debates: NonZeroUsize::new(512).unwrap_or(NonZeroUsize::MIN),
            tenant_cap: None,
            max_evals: NonZeroUsize::new(8).unwrap_or(NonZeroUsize::MIN),
            heartbeat: Length(times.heartbeat),
            node_silent: Length(times.node_silent),
            host_silent: Length(times.host_silent),
            sweep: Length(times.sweep),
            queued_stale: Length(times.queued_stale),
            running_stale: Length(times.running_stale),
        }
    }
}

impl CoordinatorSettings {
    /// What is wrong with it, each with its field.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if self.heartbeat == Length::default() || self.sweep == Length::default() {
            problems.push("heartbeat, sweep: must be longer than 0".to_owned());
        }
        for (name, silent) in [("node_silent", self.node_silent), ("host_silent", self.host_silent)] {
            if silent.0 < self.heartbeat.0.saturating_mul(2) {
                problems
                    .push(format!("{name}: shorter than two heartbeats, so one lost heartbeat would count as death"));
            }
        }
        problems
    }
}

/// How this process plays turns, where it does. The model servers stand in `[[hosts]]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HostRoleSettings {
    /// How often the model servers are asked what they serve.
    pub discovery: Length,
    /// How long a start waits for model servers that do not answer yet.
    pub wait: Length,
}
impl Default for HostRoleSettings {
    fn default() -> Self {
        Self { discovery: Length(agon_runtime::Times::default().models_refresh), wait: Length::seconds(10) }
    }
}
impl HostRoleSettings {
    /// What is wrong with it, each with its field.
    pub fn problems(&self) -> Vec<String> {
        let never = self.discovery == Length::default();
        never.then(|| "discovery: must be longer than 0".to_owned()).into_iter().collect()
    }
}
