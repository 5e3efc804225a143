//! `agon pause`: nothing more is asked for a debate before it is resumed, here or at a server.
use super::cancel::until_free;
use super::submit::flag;
use super::{Context, rows, runtime};
use crate::cli::PauseArgs;
use crate::client::{self, Client, DebateSource};
use crate::exit::{Exit, Stop};
use crate::local_runtime::LocalRuntime;
use crate::ownership::described;
use crate::store::{Store, failed};
use agon_runtime::PauseError;
use agon_store::{LocalState, Upkeep};
use serde_json::json;

/// `agon pause ID`
pub fn run(context: &Context, args: &PauseArgs) -> Result<Exit, Stop> {
    match client::place(context, &args.place)? {
        DebateSource::Local => here(context, args),
        DebateSource::Server(server) => {
            client::ask(context, &server, async |client| at_server(context, args, client).await)
        }
    }
}

/// Whoever plays the debate finds the pause in its log.
fn here(context: &Context, args: &PauseArgs) -> Result<Exit, Stop> {
    runtime()?.block_on(async {
        let store = Store::open(context)?;
        let id = store.find(&args.id).await?;
        let stage = LocalRuntime::open(context, store.clone(), None, &[]).await?;
        let paused = stage.node.pause(&id, Some(args.reason.clone())).await;
        stage.close().await;
        match paused {
            Ok(()) => {
                if let Some(LocalState::Played(owner)) = store.sqlite.local(&id).await.map_err(failed)? {
                    let what =
                        format!("debate {id} is being paused; {} stops after its running turn", described(&owner));
                    context.output.note(&what);
                    until_free(&store, &id).await?;
                }
                said(context, args, id.name(), "paused")
            }
            Err(PauseError::Ended { .. }) => Err(Stop::usage(format!("debate {id} has already ended"))),
            Err(error @ PauseError::Unknown(_)) => Err(Stop::usage(error.to_string())),
            Err(error @ PauseError::Append(_)) => Err(Stop::new(Exit::Internal, error)),
        }
    })
}

async fn at_server(context: &Context, args: &PauseArgs, client: &Client) -> Result<Exit, Stop> {
    let id = client.find(&args.id).await?;
    let debate = client.pause(&id, &args.reason).await?;
    said(context, args, &id, rows::state(debate.state()))
}

fn said(context: &Context, args: &PauseArgs, id: &str, state: &str) -> Result<Exit, Stop> {
    let words = format!("debate {id} is {state}; it goes on with: agon resume {id}{}", flag(&args.place.api.server));
    context.output.became(args.json, &json!({"id": id, "state": state}), &words)?;
    Ok(Exit::Done)
}
