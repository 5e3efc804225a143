//! NATS and the Agon server, where the settings name them.
use super::Finding;
use super::machine::clock;
use crate::cli::ApiArgs;
use crate::client::Client;
use crate::commands::Context;
use crate::settings::Settings;
use agon_bus::nats::provision::ProvisionError;
use agon_bus::nats::{ProvisionConfig, check, connect};
use agon_proto::pb::v1::DebateFilter;
use std::time::Duration;

/// The servers before this one cannot do what Agon builds on.
const OLDEST_NATS: (u32, u32, u32) = (2, 9, 10);

/// Looks at NATS, where the settings name it.
pub async fn nats(context: &Context, settings: &Settings) -> Option<Finding> {
    if settings.nats.urls.is_empty() {
        return None;
    }
    let what = format!("NATS {}", settings.nats.urls.join(", "));
    const FIX: &str = "start it (nats-server -js), or check nats.urls and the credentials of [nats]; agon config show --origin shows where they come from";
    let config = match settings.nats.config("doctor", "doctor", &context.environment) {
        Ok(config) => agon_bus::nats::NatsConfig { wait: Duration::ZERO, ..config },
        Err(error) => return Some(Finding::fail(what, format!("{error:#}"), FIX)),
    };
    let link = match connect(config).await {
        Ok(link) => link,
        Err(error) => return Some(Finding::fail(what, format!("{:#}", anyhow::Error::from(error)), FIX)),
    };
    let version = link.state().server_version;
    let (major, minor, patch) = OLDEST_NATS;
    let found = if !link.server_at_least(major, minor, patch) {
        let fix = format!("use nats-server {major}.{minor}.{patch} or newer");
        Finding::fail(what, format!("nats-server {version} is too old"), fix)
    } else {
        let streams = ProvisionConfig { replicas: settings.nats.replicas.get(), ..ProvisionConfig::default() };
        streams_found(what, &version, check(&link, &streams).await)
    };
    link.close().await;
    Some(found)
}

fn streams_found(what: String, version: &str, streams: Result<(), ProvisionError>) -> Finding {
    let reached = format!("reached, nats-server {version} with JetStream");
    match streams {
        Ok(()) => Finding::ok(what, format!("{reached}, streams set up")),
        Err(ProvisionError::Missing(_)) => Finding::ok(what, format!("{reached}; agon serve will set up the streams")),
        Err(error @ ProvisionError::NoJetStream(_)) => Finding::fail(
            what,
            error.to_string(),
            "start it with JetStream (nats-server -js), and allow it for this account",
        ),
        Err(error @ ProvisionError::Denied { .. }) => {
            Finding::fail(what, error.to_string(), "docs/guide/security.md says which user of NATS needs what")
        }
        Err(error @ (ProvisionError::Differs { .. } | ProvisionError::Server { .. })) => {
            Finding::fail(what, error.to_string(), "docs/reference/nats.md says how the streams have to be")
        }
    }
}

/// Looks at the Agon server, where one is named: whether it answers, and whether it knows this caller.
pub async fn server(context: &Context, settings: &Settings, args: &ApiArgs) -> Vec<Finding> {
    let mut client = settings.client.clone();
    client.server = args.server.clone().or(client.server);
    let Some(named) = client.server.as_deref() else { return Vec::new() };
    let what = format!("server {named}");
    const FIX: &str = "start it (agon serve), or check --server, AGON_SERVER or client.server, and client.token";
    let told = |stop: crate::exit::Stop| stop.error.map_or_else(String::new, |error| format!("{error:#}"));
    let client = match Client::open(&client, &context.environment) {
        Ok(client) => client,
        Err(stop) => return vec![Finding::fail(what, told(stop), FIX)],
    };
    if let Err(stop) = client.list(&DebateFilter::default(), 1).await {
        return vec![Finding::fail(what, told(stop), FIX)];
    }
    let skew = clock(&what, client.date().await);
    let found = if settings.client.token.is_some() { "answers, and takes the token" } else { "answers" };
    [Finding::ok(what, found)].into_iter().chain(skew).collect()
}
