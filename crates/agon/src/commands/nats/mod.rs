//! `agon nats`: what nats-server has to know of a cluster's users, and the keys that they show.
mod conf;
mod lent;
mod users;

use super::Context;
use crate::cli::{NatsAction, NatsArgs, NatsConfigArgs, NatsKeyArgs};
use crate::exit::{Exit, Stop};
use agon_bus::nats::{KeyFileError, make_key};

/// `agon nats ...`
pub fn run(context: &Context, args: &NatsArgs) -> Result<Exit, Stop> {
    match &args.action {
        NatsAction::Config(args) => config(context, args),
        NatsAction::Key(args) => key(context, args),
    }
}

fn config(context: &Context, args: &NatsConfigArgs) -> Result<Exit, Stop> {
    let accounts = users::accounts(args)?;
    context.output.data(&conf::text(args, &accounts))?;
    Ok(Exit::Done)
}

fn key(context: &Context, args: &NatsKeyArgs) -> Result<Exit, Stop> {
    let public = make_key(&args.file).map_err(|error| match &error {
        KeyFileError::Exists(_) => Stop::new(Exit::Usage, error),
        KeyFileError::Write { .. } | KeyFileError::Key(_) => Stop::new(Exit::Internal, error),
    })?;
    if args.json {
        context.output.json(&serde_json::json!({"file": args.file, "public_key": public}))?;
    } else {
        context.output.line(&public)?;
    }
    Ok(Exit::Done)
}
