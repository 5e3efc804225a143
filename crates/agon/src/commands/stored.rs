//! Commands that read what is kept, here or at a server: `list`, `get`, `report`, `delete`.
use super::Context;
use super::rows::{self, DebateRow};
use super::submit::flag;
use crate::cli::{DeleteArgs, Format, GetArgs, ListArgs, PlaceArgs, ReportArgs};
use crate::client::{self, DebateSource};
use crate::exit::{Exit, Stop};
use crate::filter;
use crate::reports::{self, StoredLog};
use crate::store::{self, Store, StoredDebate, failed};
use agon_core::Debate;
use agon_eval::EVAL_LABEL;
use agon_proto::pb::v1::ExportFormat;
use agon_proto::pb::v1::debate::State;
use agon_report::one_line;
use agon_store::{DebateHead, LocalState, StoreError, Upkeep};

/// Columns of a list that is not shown on a terminal.
pub(super) const PIPED: usize = 80;

/// `agon list`
pub fn list(context: &Context, args: &ListArgs) -> Result<Exit, Stop> {
    let place = client::place(context, &args.place)?;
    let first = match place {
        DebateSource::Local => "agon run FILE (or --rehearsal to try it without a model)",
        DebateSource::Server(_) => "agon submit FILE",
    };
    let rows = match place {
        DebateSource::Local => local_rows(context, args)?,
        DebateSource::Server(server) => client::ask(context, &server, async |client| {
            let limit = usize::try_from(args.limit).unwrap_or(usize::MAX);
            let filter = filter::for_server(args);
            let debates = match asks_for_cells(args) {
                true => client.list(&filter, limit).await?,
                false => client.list_own(&filter, limit).await?,
            };
            Ok(debates.iter().map(DebateRow::of_debate).collect())
        })?,
    };
    let flag = flag(&args.place.api.server);
    rows::losses(&rows, &flag).iter().for_each(|loss| context.output.warn(loss));
    if args.json {
        context.output.safe_json(&rows)?;
    } else if rows.is_empty() && filter::is_empty(args) {
        context.output.note(&format!("no debates yet; start one with: {first}"));
    } else if rows.is_empty() {
        context.output.note("no debate fits");
    } else {
        context.output.data(&rows::lines(&rows, context.output.columns().unwrap_or(PIPED)))?;
    }
    Ok(Exit::Done)
}

/// The debates of evals are listed where they are asked for.
fn asks_for_cells(args: &ListArgs) -> bool {
    args.labels.iter().any(|label| label.key == EVAL_LABEL)
}

fn local_rows(context: &Context, args: &ListArgs) -> Result<Vec<DebateRow>, Stop> {
    let Some(store) = Store::open_existing(context)? else { return Ok(Vec::new()) };
    let warn = |why: &str, head: &DebateHead| {
        let delete = store.advice(&format!("delete {}", head.id));
        context.output.warn(&format!("{}; {delete} removes it", agon_report::one_line(why)));
    };
    let among = |head: &DebateHead| asks_for_cells(args) || store::is_own(&head.id);
    let fits = |head: &DebateHead, kept: &StoredDebate| {
        let fits = filter::fits(args, head, kept);
        if let (StoredDebate::Damaged(why), false) = (kept, fits) {
            warn(&format!("{why}, so it is unknown whether it fits"), head);
        }
        fits
    };
    let found = store.block_on(store.newest(args.limit, (among, fits)))?;
    let row = |(head, kept): &(DebateHead, StoredDebate)| {
        let result = match kept {
            StoredDebate::Whole(log) => log.result().map_err(|error| format!("debate {}: {error:#}", head.id)),
            StoredDebate::Damaged(why) => Err(why.clone()),
        };
        match result {
            Ok(result) => DebateRow::of_result(&result),
            Err(why) => {
                warn(&why, head);
                DebateRow::damaged(head, why)
            }
        }
    };
    Ok(found.iter().map(row).collect())
}

/// `agon get ID`
pub fn get(context: &Context, args: &GetArgs) -> Result<Exit, Stop> {
    if let Some(lost) = lost(context, args)? {
        return Ok(lost);
    }
    let format = if args.json { Format::Json } else { Format::Summary };
    context.output.data(&document(context, &args.place, &args.id, format)?)?;
    Ok(Exit::Done)
}

/// A debate at a server whose log is gone has no document.
fn lost(context: &Context, args: &GetArgs) -> Result<Option<Exit>, Stop> {
    let DebateSource::Server(server) = client::place(context, &args.place)? else { return Ok(None) };
    let debate = client::ask(context, &server, async |client| client.get(&client.find(&args.id).await?).await)?;
    if debate.state() != State::Lost {
        return Ok(None);
    }
    let row = DebateRow::of_debate(&debate);
    if args.json {
        context.output.safe_json(&row)?;
    } else {
        context.output.data(&rows::lines(std::slice::from_ref(&row), usize::MAX))?;
    }
    row.loss(&flag(&args.place.api.server)).into_iter().for_each(|loss| context.output.warn(&loss));
    Ok(Some(Exit::Failed))
}

/// `agon report ID`
pub fn report(context: &Context, args: &ReportArgs) -> Result<Exit, Stop> {
    let text = document(context, &args.place, &args.id, args.format)?;
    match &args.output {
        Some(path) => reports::replace(path, &text)?,
        None => context.output.data(&text)?,
    }
    Ok(Exit::Done)
}

/// A debate as a document, ending with a line end.
pub(super) fn document(context: &Context, place: &PlaceArgs, name: &str, format: Format) -> Result<String, Stop> {
    match client::place(context, place)? {
        DebateSource::Local => Ok(Store::open(context)?.log(name)?.with_prices(&context.settings()?).render(format)?),
        DebateSource::Server(server) => client::ask(context, &server, async |client| {
            let id = client.find(name).await?;
            let Some(sent) = sent(format) else {
                let log = StoredLog::of(client.events(&id).await?).with_prices(&context.settings()?);
                return Ok(log.render(format)?);
            };
            let text = client.export(&id, sent).await?;
            Ok(if text.ends_with('\n') { text } else { format!("{text}\n") })
        }),
    }
}

/// The form that a server makes itself; the others are made here from the events.
fn sent(format: Format) -> Option<ExportFormat> {
    match format {
        Format::Markdown => Some(ExportFormat::Markdown),
        Format::Summary => Some(ExportFormat::Summary),
        Format::Html => Some(ExportFormat::Html),
        Format::Json => Some(ExportFormat::Json),
        // servers send documents as clients may see them, and the log as it is
        Format::Jsonl | Format::Verbose => None,
    }
}

/// `agon delete ID`
pub fn delete(context: &Context, args: &DeleteArgs) -> Result<Exit, Stop> {
    let id = match client::place(context, &args.place)? {
        DebateSource::Local => {
            let store = Store::open(context)?;
            store.block_on(delete_here(context, &store, &args.id))?
        }
        DebateSource::Server(server) => client::ask(context, &server, async |client| {
            let id = client.find(&args.id).await?;
            // what cannot be read is deleted all the same
            let labels = client.get(&id).await.map(|debate| debate.labels).unwrap_or_default();
            client.delete(&id).await?;
            if let Some(eval) = labels.get(EVAL_LABEL) {
                warn_of_eval(context, &id, eval);
            }
            Ok(id)
        })?,
    };
    let removed = serde_json::json!({"id": id, "removed": true});
    context.output.became(args.json, &removed, &format!("debate {id} is removed"))?;
    Ok(Exit::Done)
}

/// Says that an eval was computed from a debate that is gone.
fn warn_of_eval(context: &Context, debate: &str, eval: &str) {
    let eval = one_line(eval);
    context.output.warn(&format!(
        "debate {debate} was part of eval {eval}: the eval keeps its figures, and no longer the debate that they come from"
    ));
}

async fn delete_here(context: &Context, store: &Store, name: &str) -> Result<String, Stop> {
    let id = store.find(name).await?;
    let is_over = match store.kept(&id).await? {
        Some(StoredDebate::Whole(log)) => Debate::fold(&log.records).is_none_or(|debate| debate.ended().is_some()),
        // whether it had ended is not known, but nobody can go on with it
        Some(StoredDebate::Damaged(_)) => {
            !matches!(store.sqlite.local(&id).await.map_err(failed)?, Some(LocalState::Played(_)))
        }
        None => return Err(failed(StoreError::NotFound(id))),
    };
    if !is_over {
        return Err(Stop::usage(format!(
            "debate {id} is not over; end it first: {}",
            store.advice(&format!("cancel {id}"))
        )));
    }
    let evals = super::eval::evals_of(store, &id).await?;
    store.sqlite.delete(&id).await.map_err(failed)?;
    evals.iter().for_each(|eval| warn_of_eval(context, id.as_str(), eval.as_str()));
    Ok(id.to_string())
}
