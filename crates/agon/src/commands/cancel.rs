//! `agon cancel`: ending a debate, here or at a server.
use super::{Context, runtime, small_runtime};
use crate::cli::CancelArgs;
use crate::client::{self, Client, Place};
use crate::exit::{Exit, Stop};
use crate::reports::Log;
use crate::settings::ClientSettings;
use crate::stage::Stage;
use crate::store::Store;
use agon_core::Debate;
use agon_proto::pb::v1::debate::State;
use anyhow::Context as _;
use serde_json::json;

/// `agon cancel ID`
pub fn run(context: &Context, args: &CancelArgs) -> Result<Exit, Stop> {
    match client::place(context, &args.place)? {
        Place::Local => here(context, args),
        Place::Server(settings) => small_runtime()?.block_on(at_server(context, args, &settings)),
    }
}

fn here(context: &Context, args: &CancelArgs) -> Result<Exit, Stop> {
    runtime()?.block_on(async {
        let store = Store::open(context)?;
        let id = store.find(&args.id).await?;
        let log: Log = store.log_of(&id).await?;
        if Debate::fold(&log.records).is_some_and(|debate| debate.ended().is_some()) {
            return said(context, args, id.name(), "over", "is over already");
        }
        let stage = Stage::open(context, store, None, &[]).await?;
        stage.node.cancel(&id, &args.reason, None).await.context("the debate cannot be told to end")?;
        let ended = stage.node.finished(&id).await.context("the debate cannot be watched")?;
        stage.close().await;
        tracing::debug!(?ended, "debate ended");
        said(context, args, id.name(), "cancelled", "is cancelled")
    })
}

async fn at_server(context: &Context, args: &CancelArgs, settings: &ClientSettings) -> Result<Exit, Stop> {
    let client = Client::open(settings, &context.environment)?;
    let id = client.find(&args.id).await?;
    let debate = client.cancel(&id, &args.reason).await?;
    let (state, words) = match debate.state() {
        State::Succeeded | State::Failed => ("over", "is over already"),
        State::Cancelled => ("cancelled", "is cancelled"),
        State::Unspecified | State::Queued | State::Running | State::Cancelling => ("cancelling", "is ordered to end"),
    };
    said(context, args, &id, state, words)
}

fn said(context: &Context, args: &CancelArgs, id: &str, state: &str, words: &str) -> Result<Exit, Stop> {
    context.output.became(args.json, &json!({"id": id, "state": state}), &format!("debate {id} {words}"))?;
    Ok(Exit::Done)
}
