//! `agon cancel`: ending a debate, here or at a server.
use super::submit::flag;
use super::{Context, runtime};
use crate::cli::CancelArgs;
use crate::client::{self, Client, DebateSource};
use crate::exit::{Exit, Stop};
use crate::local_runtime::LocalRuntime;
use crate::ownership::{Ownership, described};
use crate::store::{Store, failed};
use agon_core::{Debate, DebateId, DebateState};
use agon_proto::pb::v1::debate::State;
use agon_store::{CancelOrder, Commands, Jobs, LocalState, StoreError, Upkeep};
use anyhow::Context as _;
use serde_json::json;
use std::time::Duration;

/// How often is looked whether the process that plays a debate has ended it.
const LOOK: Duration = Duration::from_millis(100);

/// `agon cancel ID`
pub fn run(context: &Context, args: &CancelArgs) -> Result<Exit, Stop> {
    match client::place(context, &args.place)? {
        DebateSource::Local => here(context, args),
        DebateSource::Server(server) => {
            client::ask(context, &server, async |client| at_server(context, args, client).await)
        }
    }
}

fn here(context: &Context, args: &CancelArgs) -> Result<Exit, Stop> {
    runtime()?.block_on(async {
        let store = Store::open(context)?;
        let id = store.find(&args.id).await?;
        let (state, words) = loop {
            match store.sqlite.local(&id).await.map_err(failed)? {
                None => match ended(&store, &id).await? {
                    Some(_) => break ("over", "has already ended"),
                    None => {
                        order(&store, &id, &args.reason).await?;
                        wake(&store, &id).await?;
                        break ("cancelling", "belongs to a server, which will cancel it");
                    }
                },
                Some(LocalState::Played(owner)) => {
                    order(&store, &id, &args.reason).await?;
                    context.output.note(&format!("debate {id} is being cancelled; {} plays it", described(&owner)));
                    until_free(&store, &id).await?;
                }
                // another process may be faster
                Some(LocalState::Halted(_)) => match Ownership::claim(&store, &id).await {
                    Ok(Some(ownership)) => {
                        end(context, &store, &id, &args.reason).await?;
                        ownership.leave().await;
                    }
                    Ok(None) => continue,
                    Err(stop) if stop.exit == Exit::Usage => continue,
                    Err(stop) => return Err(stop),
                },
            }
            match ended(&store, &id).await? {
                Some(DebateState::Cancelled) => break ("cancelled", "is cancelled"),
                Some(DebateState::Succeeded | DebateState::Failed) => break ("over", "has already ended"),
                None => {}
            }
        };
        said(context, args, id.name(), state, words)
    })
}

async fn ended(store: &Store, id: &DebateId) -> Result<Option<DebateState>, Stop> {
    let log = store.log_of(id).await.map_err(|stop| with_way_out(stop, &store.advice(&format!("delete {id}"))))?;
    Ok(Debate::fold(&log.records).and_then(|debate| debate.ended()).map(|(state, _)| state))
}

/// A damaged log does not say whether its debate has ended, so that it can be removed and not ended.
fn with_way_out(stop: Stop, delete: &str) -> Stop {
    let Stop { exit, error } = stop;
    let told = |error: anyhow::Error| match is_damage(&error) {
        true => anyhow::anyhow!("{error:#}\n  it cannot be cancelled; {delete} deletes it"),
        false => error,
    };
    Stop { exit, error: error.map(told) }
}

fn is_damage(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(StoreError::Damaged { .. }))
        || error.downcast_ref().is_some_and(client::Refusal::is_of_damage)
}

/// Ends a debate of an eval that has ended: nobody else will. One that never began needs no end.
pub async fn of_eval(context: &Context, store: &Store, id: &DebateId, reason: &str) -> Result<(), Stop> {
    match store.sqlite.local(id).await.map_err(failed)? {
        None => Ok(()),
        Some(LocalState::Played(_)) => order(store, id, reason).await,
        Some(LocalState::Halted(_)) => match Ownership::claim(store, id).await {
            Ok(Some(ownership)) => {
                end(context, store, id, reason).await?;
                ownership.leave().await;
                Ok(())
            }
            Ok(None) => Ok(()),
            // another process has just begun to play it
            Err(stop) if stop.exit == Exit::Usage => order(store, id, reason).await,
            Err(stop) => Err(stop),
        },
    }
}

/// Leaves an order that lasts to whoever plays the debate.
async fn order(store: &Store, id: &DebateId, reason: &str) -> Result<(), Stop> {
    let order = CancelOrder { reason: reason.to_owned(), by: None };
    store.sqlite.order_cancel(id, order).await.map_err(failed)?;
    Ok(())
}

/// Has a server look at a debate that it gave up: it looks at no other of its own accord.
async fn wake(store: &Store, id: &DebateId) -> Result<(), Stop> {
    match Debate::fold(&store.log_of(id).await?.records) {
        Some(debate) if debate.interrupted() => {
            store.sqlite.renew(id, debate.admission().priority).await.map_err(failed)
        }
        Some(_) | None => Ok(()),
    }
}

/// Waits until the process that plays the debate no longer does.
pub async fn until_free(store: &Store, id: &DebateId) -> Result<(), Stop> {
    while let Some(LocalState::Played(_)) = store.sqlite.local(id).await.map_err(failed)? {
        tokio::time::sleep(LOOK).await;
    }
    Ok(())
}

/// Ends a debate that nobody plays.
async fn end(context: &Context, store: &Store, id: &DebateId, reason: &str) -> Result<(), Stop> {
    let stage = LocalRuntime::open(context, store.clone(), None, &[]).await?;
    stage.node.cancel(id, reason, None).await.context("the debate cannot be cancelled")?;
    let ended = stage.node.finished(id).await.context("the debate cannot be followed")?;
    stage.close().await;
    tracing::debug!(?ended, "debate ended");
    Ok(())
}

async fn at_server(context: &Context, args: &CancelArgs, client: &Client) -> Result<Exit, Stop> {
    let id = client.find(&args.id).await?;
    let delete = format!("agon delete {id}{}", flag(&args.place.api.server));
    let debate = client.cancel(&id, &args.reason).await.map_err(|stop| with_way_out(stop, &delete))?;
    let (state, words) = match debate.state() {
        State::Succeeded | State::Failed => ("over", "has already ended"),
        State::Cancelled => ("cancelled", "is cancelled"),
        State::Unspecified
        | State::Queued
        | State::Running
        | State::Cancelling
        | State::Paused
        | State::Interrupted
        | State::Lost => ("cancelling", "is ordered to end"),
    };
    said(context, args, &id, state, words)
}

fn said(context: &Context, args: &CancelArgs, id: &str, state: &str, words: &str) -> Result<Exit, Stop> {
    context.output.became(args.json, &json!({"id": id, "state": state}), &format!("debate {id} {words}"))?;
    Ok(Exit::Done)
}
