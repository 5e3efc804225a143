//! Speaking to an Agon server over gRPC.
mod calls;
mod connect;
mod evals;
mod find;
mod follow;
mod patient;
mod refusal;
mod wait;
mod wrong_port;

pub use connect::{Client, address};
pub use evals::{EvalNews, RemoteEvalFollower};
pub use follow::{follow, is_halted};
pub use refusal::Refusal;
pub use wait::TELL;

use crate::cli::{ApiArgs, PlaceArgs, ServerArgs};
use crate::commands::{Context, small_runtime};
use crate::exit::Stop;
use crate::settings::{ClientSettings, Length};

/// Where a command looks for debates.
pub enum DebateSource {
    /// In the store of this machine.
    Local,
    /// At a server, with these settings.
    Server(Box<ClientSettings>),
}

/// Asks a server, for commands that do nothing else.
pub fn ask<T>(
    context: &Context,
    server: &ClientSettings,
    question: impl AsyncFnOnce(&Client) -> Result<T, Stop>,
) -> Result<T, Stop> {
    small_runtime()?.block_on(async { question(&Client::open(server, &context.environment)?).await })
}

/// A flag decides, else the settings; a store that was asked for is meant.
pub fn place(context: &Context, args: &PlaceArgs) -> Result<DebateSource, Stop> {
    if args.local || (context.global.store.is_some() && args.api.server.is_none()) {
        return Ok(DebateSource::Local);
    }
    Ok(match chosen(context, &args.api)? {
        settings if settings.server.is_some() => DebateSource::Server(Box::new(settings)),
        _ => DebateSource::Local,
    })
}

/// The same for commands that play debates; those of a server are played by its own hosts.
pub fn place_to_play(context: &Context, args: &PlaceArgs, models: &ServerArgs) -> Result<DebateSource, Stop> {
    match place(context, args)? {
        DebateSource::Server(_) if models.is_named() => {
            Err(Stop::usage("a server uses its own hosts: omit --rehearsal, --ollama and --base-url, or add --local"))
        }
        place => Ok(place),
    }
}

/// The server to speak to, for commands that need one.
pub fn required(context: &Context, args: &ApiArgs) -> Result<ClientSettings, Stop> {
    match chosen(context, args)? {
        settings if settings.server.is_some() => Ok(settings),
        _ => Err(Stop::usage(
            "no Agon server is named: use --server HOST:PORT, or set AGON_SERVER or `client.server`; `agon serve` starts one",
        )),
    }
}

/// The same with a patience of its own.
pub fn required_for(context: &Context, args: &ApiArgs, patience: Option<Length>) -> Result<ClientSettings, Stop> {
    let settings = required(context, args)?;
    Ok(ClientSettings { patience: patience.unwrap_or(settings.patience), ..settings })
}

fn chosen(context: &Context, args: &ApiArgs) -> Result<ClientSettings, Stop> {
    let mut settings = context.settings()?.client;
    if let Some(server) = &args.server {
        address(server).map_err(Stop::usage)?;
        settings.server = Some(server.clone());
    }
    Ok(settings)
}
