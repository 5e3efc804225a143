//! Which permissions a role lacks, found out before it needs them.
//!
//! A server refuses a subject by a message that comes at some later time, to nobody in particular; what was sent is
//! gone, what was subscribed to stays silent. So a role tries everything that it needs when it starts.
use super::envelope::{PROBE, add};
use super::error::NatsError;
use super::link::NatsLink;
use super::state::{Access, PermissionViolation};
use async_nats::HeaderMap;
use bytes::Bytes;
use std::collections::HashSet;
use std::time::Duration;
use tokio::sync::broadcast::error::RecvError;

/// Stands for wildcards in subjects that are sent to.
const TOKEN: &str = "agon-probe";
/// Refusals that the client can hold at a time, with room to spare.
const AT_ONCE: usize = 32;

/// Refusals that do not come within this after one another are not coming.
const QUIET: Duration = Duration::from_millis(250);

/// A permission that a role needs; wildcards are allowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Needed {
    /// Which way.
    pub access: Access,
    /// The subject or pattern.
    pub subject: String,
}
impl Needed {
    /// Sending to this subject.
    pub fn publish(subject: impl Into<String>) -> Self {
        Self { access: Access::Publish, subject: subject.into() }
    }
    /// Listening to this subject.
    pub fn subscribe(subject: impl Into<String>) -> Self {
        Self { access: Access::Subscribe, subject: subject.into() }
    }
}

/// A needed permission that the server does not grant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingPermission(pub Needed);
impl std::fmt::Display for MissingPermission {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Needed { access, subject } = &self.0;
        match access {
            Access::Publish => write!(f, "publish to {subject}"),
            Access::Subscribe => write!(f, "subscribe to {subject}"),
        }
    }
}

/// Tries every permission and returns those that are missing.
///
/// What is sent changes nothing: streams refuse it, the server's API cannot read it, and listeners of the bus skip it.
/// A subject is tried with one token in place of its wildcards, so a permission for single tokens only is reported as missing.
pub async fn probe(link: &NatsLink, needed: &[Needed]) -> Result<Vec<MissingPermission>, NatsError> {
    let mut missing = Vec::new();
    for some in needed.chunks(AT_ONCE) {
        missing.extend(probe_some(link, some).await?);
    }
    Ok(missing)
}

async fn probe_some(link: &NatsLink, needed: &[Needed]) -> Result<Vec<MissingPermission>, NatsError> {
    let _probe = link.tracker().probe();
    let mut violations = link.tracker().violations();
    let silent = |_| NatsError::Silent { servers: link.servers().to_owned() };
    // subscriptions stay until the server has judged them
    let mut subscriptions = Vec::new();
    for need in needed {
        match need.access {
            Access::Publish => send(link, &tried(need)).await?,
            Access::Subscribe => {
                subscriptions.push(link.client().subscribe(need.subject.clone()).await.map_err(silent)?);
            }
        }
    }
    let answered = link.round_trip().await;
    let mut refused = HashSet::new();
    loop {
        // refusals came before the answer, but are told by another task of the client
        match tokio::time::timeout(QUIET, violations.recv()).await {
            Ok(Ok(PermissionViolation { access, subject })) => drop(refused.insert((access, subject))),
            Ok(Err(RecvError::Lagged(_))) => {}
            Ok(Err(RecvError::Closed)) | Err(_) => break,
        }
    }
    if refused.is_empty() {
        answered?;
    }
    let is_refused = |need: &&Needed| refused.contains(&(need.access, tried(need)));
    Ok(needed.iter().filter(is_refused).cloned().map(MissingPermission).collect())
}

/// The subject that is really used.
fn tried(need: &Needed) -> String {
    match need.access {
        Access::Subscribe => need.subject.clone(),
        Access::Publish => {
            let tokens = need.subject.split('.').map(|token| if matches!(token, "*" | ">") { TOKEN } else { token });
            tokens.collect::<Vec<_>>().join(".")
        }
    }
}

async fn send(link: &NatsLink, subject: &str) -> Result<(), NatsError> {
    let mut headers = HeaderMap::new();
    add(&mut headers, PROBE, "1");
    // no stream has this name, so none stores it
    add(&mut headers, "Nats-Expected-Stream", TOKEN);
    // the server's API wants nothing or JSON, and refuses this before it does anything
    let of_server = subject.starts_with("$JS.") || subject.starts_with(link.api());
    let body = if of_server { Bytes::from_static(b"{") } else { Bytes::new() };
    let sending = link.client().publish_with_headers(subject.to_owned(), headers, body);
    let silent = || NatsError::Silent { servers: link.servers().to_owned() };
    tokio::time::timeout(link.request_timeout(), sending).await.map_err(|_| silent())?.map_err(|_| silent())
}
