//! `agon resume` at a server, which plays the debate with its own hosts.
use super::{choice, nothing, one_by_one, recall};
use crate::cli::ResumeArgs;
use crate::client::Client;
use crate::commands::Context;
use crate::commands::rows::DebateRow;
use crate::commands::show::{self, Showing};
use crate::commands::submit::{RemoteDebate, flag};
use crate::exit::{Exit, Stop};
use crate::reports::StoredLog;
use crate::settings::{ClientSettings, Settings};
use crate::signals::Signals;
use agon_core::{Position, Record};
use agon_proto::pb::v1::{DebateFilter, debate::State};

/// So many debates that wait to be resumed are looked for.
const MOST: usize = 1000;

/// `agon resume [ID...] --server ADDR`
pub async fn run(context: &Context, args: &ResumeArgs, server: &ClientSettings) -> Result<Exit, Stop> {
    let settings = context.settings()?;
    show::try_reports(&args.output, &settings)?;
    let client = Client::open(server, &context.environment)?;
    let ids = wanted(context, args, &client).await?;
    if ids.is_empty() {
        return Ok(nothing(context));
    }
    one_by_one(&ids, async |id| resume(context, args, &settings, &client, id).await).await
}

async fn wanted(context: &Context, args: &ResumeArgs, client: &Client) -> Result<Vec<String>, Stop> {
    let mut ids: Vec<String> = Vec::new();
    for name in &args.ids {
        let id = client.find(name).await?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    if !ids.is_empty() {
        return Ok(ids);
    }
    let filter = DebateFilter {
        states: [State::Paused, State::Interrupted].map(Into::into).to_vec(),
        ..DebateFilter::default()
    };
    let mut halted = Vec::new();
    for debate in client.list(&filter, MOST).await? {
        // what was begun by `agon run` in the same store is not the server's, and its log gives no reason
        if client.get(&debate.id).await?.reason.is_some() {
            halted.push(debate);
        }
    }
    if args.all {
        return Ok(halted.into_iter().map(|debate| debate.id).collect());
    }
    let rows: Vec<DebateRow> = halted.iter().map(DebateRow::of_debate).collect();
    let chosen = choice::one_of(context, &rows)?;
    Ok(chosen.map(|at| halted.swap_remove(at).id).into_iter().collect())
}

async fn resume(
    context: &Context,
    args: &ResumeArgs,
    settings: &Settings,
    client: &Client,
    id: &str,
) -> Result<Exit, Stop> {
    client.resume(id).await?;
    let log = StoredLog::of(client.events(id).await?);
    context.output.note(&format!("debate {id} is resumed at {}", client.address));
    recall(context, args, &log)?;
    let after = log.records.last().map_or(Position(0), Record::last);
    let signals = Signals::listen()?;
    let showing = Showing { context, settings, output: &args.output, signals };
    RemoteDebate { client, id, flag: flag(&args.place.api.server) }.show(showing, after).await
}
