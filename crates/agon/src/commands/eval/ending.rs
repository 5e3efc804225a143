//! Commands that end or remove stored evals: `cancel`, `delete`.
use super::drive::log_failed;
use super::stored::{find, heads, open, read};
use crate::cli::{EvalAtArgs, EvalDeleteArgs};
use crate::client::{self, DebateSource};
use crate::commands::{Context, cancel, small_runtime};
use crate::exit::{Exit, Stop};
use crate::store::{Store, failed};
use agon_core::DebateId;
use agon_eval::{EvalEvent, is_cell_id};
use agon_report::count;
use agon_runtime::{Clock as _, EvalOrderError, OpenEval, SystemClock, cancel_eval, read_eval};
use agon_store::{EvalLogs as _, Upkeep as _};
use serde_json::json;
use std::collections::BTreeSet;

/// `agon eval cancel`
pub fn cancel(context: &Context, args: &EvalAtArgs) -> Result<Exit, Stop> {
    let id = match client::place(context, &args.place)? {
        DebateSource::Local => cancel_here(context, &args.eval.id)?.to_string(),
        DebateSource::Server(server) => client::ask(context, &server, async |client| {
            let id = client.find_eval(&args.eval.id).await?;
            Ok(client.cancel_eval(&id).await?.id)
        })?,
    };
    let value = json!({"id": id, "cancelled": true});
    context.output.became(args.eval.json, &value, &format!("eval {id} is cancelled"))?;
    Ok(Exit::Done)
}

fn cancel_here(context: &Context, name: &str) -> Result<DebateId, Stop> {
    let store = open(context)?;
    crate::commands::runtime()?.block_on(async {
        let id = find(&store, name).await?;
        let cancelled = cancel_eval(&*store.sqlite, &id, None, SystemClock.now()).await;
        let cancelled = cancelled.map_err(|refused| match refused {
            EvalOrderError::Log(error) => log_failed(error),
            refused => Stop::usage(refused),
        })?;
        for debate in &cancelled.open {
            let debate = DebateId::parse(debate).map_err(Stop::usage)?;
            cancel::of_eval(context, &store, &debate, "the eval was cancelled").await?;
        }
        Ok(cancelled.eval.id)
    })
}

/// `agon eval delete`
pub fn delete(context: &Context, args: &EvalDeleteArgs) -> Result<Exit, Stop> {
    if let DebateSource::Server(server) = client::place(context, &args.place)? {
        if args.debates {
            return Err(Stop::usage("--debates is for evals of this machine; a server deletes debates one by one"));
        }
        let id = client::ask(context, &server, async |client| {
            let id = client.find_eval(&args.eval.id).await?;
            client.delete_eval(&id).await.map(|()| id)
        })?;
        let value = json!({"id": id, "removed": true, "debates_removed": 0});
        context.output.became(args.eval.json, &value, &format!("eval {id} is removed; its debates stay"))?;
        return Ok(Exit::Done);
    }
    let store = open(context)?;
    let (id, debates) = small_runtime()?.block_on(async {
        let eval = read(&store, &args.eval.id).await?;
        if eval.machine.ended().is_none() {
            let cancel = store.advice(&format!("eval cancel {}", eval.id));
            return Err(Stop::usage(format!("eval {} has not ended; end it first: {cancel}", eval.id)));
        }
        let debates = if args.debates { only_of(&store, &eval).await? } else { BTreeSet::new() };
        store.sqlite.delete_eval(&eval.id).await.map_err(failed)?;
        for debate in &debates {
            store.sqlite.delete(&DebateId::parse(debate).map_err(Stop::usage)?).await.map_err(failed)?;
        }
        Ok((eval.id, debates.len()))
    })?;
    let told = match (args.debates, debates) {
        (true, debates) => format!("with {}", count(debates as u64, "debate")),
        (false, _) => "its debates stay".to_owned(),
    };
    let value = json!({"id": id, "removed": true, "debates_removed": debates});
    context.output.became(args.eval.json, &value, &format!("eval {id} is removed; {told}"))?;
    Ok(Exit::Done)
}

/// The debates of an eval that no other eval of the store uses.
async fn only_of(store: &Store, eval: &OpenEval) -> Result<BTreeSet<String>, Stop> {
    let mut debates = debates_of(eval);
    for head in heads(store, u32::MAX).await?.into_iter().filter(|head| head.id != eval.id) {
        let other = debates_of(&read_eval(&*store.sqlite, &head.id).await.map_err(log_failed)?);
        debates.retain(|debate| !other.contains(debate));
    }
    Ok(debates)
}

/// The evals of the store that a debate was held for.
pub async fn evals_of(store: &Store, debate: &DebateId) -> Result<Vec<DebateId>, Stop> {
    let mut evals = Vec::new();
    if !is_cell_id(debate.name()) {
        return Ok(evals);
    }
    for head in heads(store, u32::MAX).await? {
        // an eval that cannot be read keeps no debate from being deleted
        let eval = read_eval(&*store.sqlite, &head.id).await;
        if eval.is_ok_and(|eval| debates_of(&eval).contains(debate.name())) {
            evals.push(head.id);
        }
    }
    Ok(evals)
}

/// Every debate that was held for an eval.
fn debates_of(eval: &OpenEval) -> BTreeSet<String> {
    let opened = eval.events.iter().filter_map(|(_, event)| match event {
        EvalEvent::CellOpened { cell, debate } if !cell.is_program() => Some(debate.clone()),
        _ => None,
    });
    opened.collect()
}
