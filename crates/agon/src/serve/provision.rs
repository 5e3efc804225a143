//! `agon provision`: sets up everything on NATS once, so that no process of the cluster needs the permission to.
use super::infrastructure::{not_opened, not_set_up, unreached};
use crate::cli::ProvisionArgs;
use crate::commands::{Context, runtime};
use crate::exit::{Exit, Stop};
use agon_bus::nats::provision::SetUp;
use agon_bus::nats::{NatsLink, ProvisionConfig, connect, provision};
use agon_store::NatsStore;
use serde_json::json;

/// How the provisioner's connection is named, and its private inbox.
const ROLE: &str = "provisioner";

/// `agon provision`
pub fn run(context: &Context, args: &ProvisionArgs) -> Result<Exit, Stop> {
    let all = context.settings()?;
    let (mut settings, store) = (all.nats.clone(), all.store_on_nats());
    if !args.nats.is_empty() {
        settings.urls.clone_from(&args.nats);
    }
    if settings.urls.is_empty() {
        return Err(Stop::usage("there is no NATS to set up: add --nats URL, or set nats.urls"));
    }
    let problems = settings.problems();
    if !problems.is_empty() {
        return Err(Stop::usage(format!("the settings of nats are incompatible:\n  {}", problems.join("\n  "))));
    }
    let config = settings.config(ROLE, "once", &context.environment).map_err(|error| Stop::new(Exit::Usage, error))?;
    runtime()?.block_on(async {
        let link = connect(config).await.map_err(unreached)?;
        let done = set_up(&link, &settings.bus(), &store).await;
        link.close().await;
        print(context, args, &done?)
    })
}

fn print(context: &Context, args: &ProvisionArgs, done: &[(String, SetUp)]) -> Result<Exit, Stop> {
    if args.json {
        let rows: Vec<_> =
            done.iter().map(|(name, set_up)| json!({"name": name, "done": set_up.to_string()})).collect();
        context.output.json(&rows)?;
        return Ok(Exit::Done);
    }
    for (name, set_up) in done {
        context.output.line(&format!("{name:<14} {set_up}"))?;
    }
    Ok(Exit::Done)
}

async fn set_up(
    link: &NatsLink,
    streams: &ProvisionConfig,
    store: &agon_store::NatsStoreConfig,
) -> Result<Vec<(String, SetUp)>, Stop> {
    // the store knows whether the cluster was set up otherwise, before anything is added to it
    let mut done = NatsStore::provision(link, store).await.map_err(not_opened)?;
    done.extend(provision(link, streams).await.map_err(not_set_up)?);
    Ok(done)
}
