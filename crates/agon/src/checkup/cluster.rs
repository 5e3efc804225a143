//! The Agon server, where the settings name one.
use super::CheckupFinding;
use super::machine::clock;
use crate::cli::ApiArgs;
use crate::client::Client;
use crate::commands::Context;
use crate::settings::Settings;
use agon_proto::pb::v1::DebateFilter;
use agon_server::ROOM_SERVICE;

/// Looks at the Agon server, where one is named: whether it answers, and whether it knows this caller.
pub async fn server(context: &Context, settings: &Settings, args: &ApiArgs) -> Vec<CheckupFinding> {
    let mut client = settings.client.clone();
    client.server = args.server.clone().or(client.server);
    let Some(named) = client.server.as_deref() else { return Vec::new() };
    let what = format!("server {named}");
    const FIX: &str = "start it (agon serve), or check --server, AGON_SERVER or client.server, and client.token";
    let client = match Client::open(&client, &context.environment) {
        Ok(client) => client,
        Err(stop) => return vec![CheckupFinding::fail(what, stop.why(), FIX)],
    };
    const TROUBLE: &str = "agon health --url http://HOST:PORT, with the admin port of that server, prints the reason";
    let full = match settings.nats.urls.is_empty() {
        true => {
            "delete ended debates (agon delete), or free space; agon doctor with the server's own settings (nats.urls) reports what is full, and how full it is"
        }
        false => "delete ended debates (agon delete), or free space; the line of NATS names what is full",
    };
    let serves = client.serves("").await;
    match (client.list(&DebateFilter::default(), 1).await, serves) {
        (Err(stop), Some(false)) => return vec![CheckupFinding::fail(what, stop.why(), TROUBLE)],
        (Err(stop), Some(true) | None) => return vec![CheckupFinding::fail(what, stop.why(), FIX)],
        (Ok(_), Some(false)) => {
            return vec![CheckupFinding::fail(what, "answers, but reports that it cannot serve", TROUBLE)];
        }
        (Ok(_), Some(true) | None) => {}
    }
    // a server of an earlier version does not say
    if client.serves(ROOM_SERVICE).await == Some(false) {
        return vec![CheckupFinding::fail(what, "answers, but its store has no room for new debates and turns", full)];
    }
    let skew = clock(&what, client.date().await);
    let found = if settings.client.token.is_some() { "answers, and accepts the token" } else { "answers" };
    [CheckupFinding::ok(what, found)].into_iter().chain(skew).collect()
}
