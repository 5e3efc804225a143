//! `agon resume`: going on with debates that were interrupted.
use super::run::cast;
use super::show::{self, Showing};
use super::{Context, runtime};
use crate::cli::ResumeArgs;
use crate::exit::{Exit, Stop};
use crate::settings::Settings;
use crate::signals::Signals;
use crate::stage::{Servers, Stage};
use crate::store::Store;
use crate::terminal::Begin;
use agon_core::{Admission, Debate, DebateId};
use agon_store::Jobs;
use anyhow::Context as _;

/// `agon resume [ID]`
pub fn run(context: &Context, args: &ResumeArgs) -> Result<Exit, Stop> {
    let context = &context.quietly(args.output.view.quiet);
    let settings = context.settings()?;
    let Some(store) = Store::open_existing(context)? else {
        context.output.note("no debate is unfinished");
        return Ok(Exit::Done);
    };
    show::try_reports(&args.output, &settings)?;
    runtime()?.block_on(async {
        let ids = unfinished(context, &store, args.id.as_deref()).await?;
        let mut worst = Exit::Done;
        for id in ids {
            let exit = resume(context, args, &settings, &store, &id).await?;
            if matches!(exit, Exit::Interrupted | Exit::BrokenPipe) {
                return Ok(exit);
            }
            worst = if exit.code() > worst.code() { exit } else { worst };
        }
        Ok(worst)
    })
}

async fn unfinished(context: &Context, store: &Store, name: Option<&str>) -> Result<Vec<DebateId>, Stop> {
    let Some(name) = name else {
        let heads = store.heads().await?;
        let open: Vec<DebateId> = heads.into_iter().filter(|head| !head.ended).map(|head| head.id).collect();
        if open.is_empty() {
            context.output.note("no debate is unfinished");
        }
        return Ok(open);
    };
    Ok(vec![store.find(name).await?])
}

async fn resume(
    context: &Context,
    args: &ResumeArgs,
    settings: &Settings,
    store: &Store,
    id: &DebateId,
) -> Result<Exit, Stop> {
    let log = store.log_of(id).await?;
    let debate = Debate::fold(&log.records).context("the log does not begin with an admission")?;
    if debate.ended().is_some() {
        context.output.note(&format!("debate {id} is over; agon report {id} shows it"));
        if args.output.view.json {
            context.output.line(&crate::reports::result_json(&log.result()?)?)?;
        }
        return show::exit(&log);
    }
    let admission = debate.admission();
    let signals = Signals::listen().context("signals cannot be heard")?;
    let servers =
        Servers::find(the_same_cast(context, args, admission)?, context, settings, &[&admission.spec]).await?;
    not_mixed(admission, &servers)?;
    let (said, names) = (debate.transcript().entries().len(), servers.names());
    context.output.note(&format!("resuming debate {id} after {said} speeches, on {names}"));
    let stage = Stage::open(context, store.clone(), Some(servers), &[&admission.spec]).await?;
    stage.store.sqlite.enqueue(id, admission.priority).await.map_err(crate::store::failed)?;
    stage.node.adopt(id);
    let showing = Showing { context, settings, output: &args.output, signals };
    show::to_the_end(showing, stage, id, Begin::after(&log)).await
}

/// A rehearsal goes on as one without being told.
fn the_same_cast(context: &Context, args: &ResumeArgs, admission: &Admission) -> Result<crate::stage::Cast, Stop> {
    let mut server = args.server.clone();
    server.rehearsal |= admission.rehearsal && !server.is_named();
    cast(context, &server, &args.pace, admission.seed)
}

/// Nobody is to take scripted words for a model's, or the other way round.
fn not_mixed(admission: &Admission, servers: &Servers) -> Result<(), Stop> {
    match (admission.rehearsal, servers.is_rehearsal()) {
        (false, true) => Err(Stop::usage(format!(
            "debate {} was begun by models; scripted speakers cannot go on with it",
            admission.id
        ))),
        (true, false) => {
            Err(Stop::usage(format!("debate {} is a rehearsal; models cannot go on with it", admission.id)))
        }
        (true, true) | (false, false) => Ok(()),
    }
}
