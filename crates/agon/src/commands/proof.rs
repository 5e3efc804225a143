//! Commands that need no model to say whether a log is whole and what it means: `verify`, `replay`.
use super::Context;
use crate::cli::{ReplayArgs, VerifyArgs};
use crate::exit::{Exit, Stop};
use crate::reports::{self, Log};
use crate::store::{Store, failed};
use agon_core::{Debate, DebateId, Event};
use agon_store::{StoreError, Upkeep, chain};
use anyhow::{Context as _, bail};
use std::path::Path;

/// `agon verify [ID...]`
pub fn verify(context: &Context, args: &VerifyArgs) -> Result<Exit, Stop> {
    let store = Store::open(context)?;
    let lines = store.block_on(async {
        let mut lines = Vec::new();
        for id in chosen(&store, &args.ids).await? {
            lines.push(verify_one(&store, &id).await?);
        }
        Ok(lines)
    })?;
    let damaged = lines.iter().any(Result::is_err);
    for line in lines {
        context.output.line(&line.unwrap_or_else(|damage| damage))?;
    }
    Ok(if damaged { Exit::Failed } else { Exit::Done })
}

async fn chosen(store: &Store, names: &[String]) -> Result<Vec<DebateId>, Stop> {
    if names.is_empty() {
        return Ok(store.heads().await?.into_iter().map(|head| head.id).collect());
    }
    let mut ids = Vec::new();
    for name in names {
        ids.push(store.find(name).await?);
    }
    Ok(ids)
}

/// What is to be said of the log: good news, or where it is damaged.
async fn verify_one(store: &Store, id: &DebateId) -> Result<Result<String, String>, Stop> {
    match store.sqlite.verify(id).await {
        Ok(whole) => {
            let (records, events) = (whole.records, whole.events);
            Ok(Ok(format!("{id}: whole, {events} events in {records} records, hash {}", chain::hex(&whole.head_hash))))
        }
        Err(StoreError::Damaged { at, detail, .. }) => {
            Ok(Err(format!("{id}: DAMAGED at event {}: {}", at.0, agon_report::one_line(&detail))))
        }
        Err(error @ (StoreError::Backend(_) | StoreError::NotFound(_) | StoreError::Full(_))) => Err(failed(error)),
    }
}

/// `agon replay ID`
pub fn replay(context: &Context, args: &ReplayArgs) -> Result<Exit, Stop> {
    let store = Store::open(context)?;
    let log = store.block_on(async {
        let id = store.find(&args.id).await?;
        store.sqlite.verify(&id).await.map_err(failed)?;
        store.log_of(&id).await
    })?;
    let debate = folded(&log).map_err(|error| Stop::new(Exit::Failed, error))?;
    let note = format!("replayed {} events of {} without a model", debate.position().0, debate.admission().id);
    context.output.note(&note);
    if args.json {
        context.output.line(&reports::result_json(&log.result()?)?)?;
    } else {
        context.output.data(&log.render(crate::cli::Format::Summary)?)?;
    }
    if let Some(dir) = &args.output_dir {
        rewrite(context, &log, &debate, dir)?;
    }
    Ok(Exit::Done)
}

/// The debate that the log tells, once record by record and once at a time; both have to agree with what the log claims.
fn folded(log: &Log) -> anyhow::Result<Debate> {
    let mut records = log.records.iter();
    let first = records.next().context("the log is empty")?;
    let mut debate = Debate::fold([first]).context("the log does not begin with an admission")?;
    for record in records {
        debate.apply_record(record);
        debate.check().map_err(|broken| anyhow::anyhow!("after event {}: {broken}", record.last().0))?;
    }
    let again = Debate::fold(&log.records).context("the log does not begin with an admission")?;
    let end = log.records.last().and_then(|record| record.events.last());
    let claimed = match end {
        Some(Event::DebateEnded { state, outcome, .. }) => Some((*state, *outcome)),
        _ => None,
    };
    let agree = again.ended() == debate.ended()
        && again.transcript() == debate.transcript()
        && again.outstanding() == debate.outstanding()
        && again.usage() == debate.usage();
    if !agree {
        bail!("two replays of the log differ");
    }
    if debate.ended() != claimed {
        bail!("the log claims {claimed:?}, its replay gives {:?}", debate.ended());
    }
    Ok(debate)
}

fn rewrite(context: &Context, log: &Log, debate: &Debate, dir: &Path) -> Result<(), Stop> {
    let folder = dir.join(debate.admission().id.as_str());
    for path in reports::write(log, &debate.spec().outputs, &folder)? {
        context.output.note(&format!("wrote {}", path.display()));
    }
    Ok(())
}
