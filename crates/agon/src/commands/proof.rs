//! Commands that need no model to say whether a log is whole and what it means: `verify`, `replay`.
use super::{Context, resume::worse, rows};
use crate::cli::{ReplayArgs, VerifyArgs};
use crate::client::{self, Client, DebateSource};
use crate::exit::{Exit, Stop};
use crate::reports::{self, StoredLog};
use crate::store::{Store, failed};
use agon_core::{Debate, DebateId, Event, Halt};
use agon_proto::pb;
use agon_proto::pb::v1::verify_debate_response::{Damage, Found, Whole};
use agon_proto::pb::v1::{DebateFilter, VerifyDebateResponse};
use agon_report::{ResultState, count};
use agon_store::{StoreError, Upkeep, chain};
use anyhow::{Context as _, bail};
use serde::Serialize;
use std::path::Path;

/// `agon verify [ID...]`
pub fn verify(context: &Context, args: &VerifyArgs) -> Result<Exit, Stop> {
    let checked = match client::place(context, &args.place)? {
        DebateSource::Local => {
            let store = Store::open(context)?;
            store.block_on(async {
                let mut checked = Vec::new();
                for id in chosen(&store, &args.ids).await? {
                    checked.push(or_unverified(args, id.name(), verify_one(&store, &id).await)?);
                }
                Ok(checked)
            })?
        }
        DebateSource::Server(server) => client::ask(context, &server, async |client| {
            let mut checked = Vec::new();
            for id in named(client, &args.ids).await? {
                let found = client.verify(&id, "verify").await.and_then(CheckedLog::by_server);
                checked.push(or_unverified(args, &id, found)?);
            }
            Ok(checked)
        })?,
    };
    if args.json {
        context.output.json(&checked)?;
    } else {
        checked.iter().try_for_each(|checked| context.output.line(&checked.line()))?;
    }
    Ok(checked.iter().map(CheckedLog::exit).fold(Exit::Done, worse))
}

/// Of several debates, one that cannot be verified does not keep the others from being verified.
fn or_unverified(args: &VerifyArgs, id: &str, found: Result<CheckedLog, Stop>) -> Result<CheckedLog, Stop> {
    match found {
        Err(Stop { exit, error: Some(error) }) if args.ids.len() != 1 => {
            let state = State::Unverified { detail: format!("{error:#}"), exit };
            Ok(CheckedLog { id: id.to_owned(), state })
        }
        found => found,
    }
}

/// What was found of a log.
#[derive(Debug, Serialize)]
struct CheckedLog {
    id: String,
    #[serde(flatten)]
    state: State,
}

#[derive(Debug, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
enum State {
    Whole {
        records: u64,
        events: u64,
        hash: String,
    },
    Damaged {
        event: u64,
        detail: String,
    },
    Unverified {
        detail: String,
        #[serde(skip)]
        exit: Exit,
    },
}

impl CheckedLog {
    fn by_server(answer: VerifyDebateResponse) -> Result<Self, Stop> {
        let state = match answer.found {
            Some(Found::Whole(Whole { records, events, hash })) => State::Whole { records, events, hash },
            Some(Found::Damaged(Damage { event, detail })) => State::Damaged { event, detail },
            None => return Err(Stop::say(Exit::Internal, "verify: the server's answer cannot be read")),
        };
        Ok(Self { id: answer.id, state })
    }

    fn exit(&self) -> Exit {
        match &self.state {
            State::Whole { .. } => Exit::Done,
            State::Damaged { .. } => Exit::Failed,
            State::Unverified { exit, .. } => *exit,
        }
    }

    fn line(&self) -> String {
        let id = &self.id;
        match &self.state {
            State::Whole { records, events, hash } => {
                let (events, records) = (count(*events, "event"), count(*records, "record"));
                format!("{id}: whole, {events} in {records}, hash {hash}")
            }
            State::Damaged { event, detail } => {
                format!("{id}: DAMAGED at event {event}: {}", agon_report::one_line(detail))
            }
            State::Unverified { detail, .. } => format!("{id}: not verified: {}", agon_report::one_line(detail)),
        }
    }
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

/// The same at a server; without names every debate there.
async fn named(client: &Client, names: &[String]) -> Result<Vec<String>, Stop> {
    if names.is_empty() {
        let all = client.list(&DebateFilter::default(), usize::MAX).await?;
        return Ok(all.into_iter().map(|debate| debate.id).collect());
    }
    let mut ids = Vec::new();
    for name in names {
        ids.push(client.find(name).await?);
    }
    Ok(ids)
}

async fn verify_one(store: &Store, id: &DebateId) -> Result<CheckedLog, Stop> {
    let state = match store.sqlite.verify(id).await {
        Ok(whole) => State::Whole { records: whole.records, events: whole.events, hash: chain::hex(&whole.head_hash) },
        Err(StoreError::Damaged { at, detail, .. }) => State::Damaged { event: at.0, detail },
        Err(error @ (StoreError::Backend(_) | StoreError::NotFound(_) | StoreError::Full(_))) => {
            return Err(failed(error));
        }
    };
    Ok(CheckedLog { id: id.to_string(), state })
}

/// `agon replay ID`
pub fn replay(context: &Context, args: &ReplayArgs) -> Result<Exit, Stop> {
    let log = match client::place(context, &args.place)? {
        DebateSource::Local => (of_store(&Store::open(context)?, &args.id)?, true),
        DebateSource::Server(server) => {
            client::ask(context, &server, async |client| of_server(client, &client.find(&args.id).await?).await)?
        }
    };
    let (log, stepwise) = log;
    let log = log.with_prices(&context.settings()?);
    let debate = folded(&log, stepwise).map_err(|error| Stop::new(Exit::Failed, error))?;
    let (events, id) = (count(debate.position().0, "event"), &debate.admission().id);
    let standing = match log.result()?.state {
        ResultState::Succeeded => String::new(),
        state @ (ResultState::Failed | ResultState::Cancelled) => format!("; the debate {}", ended(state)),
        state => format!("; the debate is {} and may continue", rows::word(state)),
    };
    context.output.note(&format!("replayed {events} of {id} without a model{standing}"));
    if args.json {
        context.output.safe_json(&log.result()?)?;
    } else {
        context.output.data(&log.render(crate::cli::Format::Summary)?)?;
    }
    if let Some(dir) = &args.output_dir {
        rewrite(context, &log, &debate, dir)?;
    }
    Ok(Exit::Done)
}

fn ended(state: ResultState) -> &'static str {
    if state == ResultState::Failed { "failed" } else { "was cancelled" }
}

/// A log of a server, whose hash chain holds there; events come in no records, so that between them a step may be half done.
async fn of_server(client: &Client, id: &str) -> Result<(StoredLog, bool), Stop> {
    let checked = CheckedLog::by_server(client.verify(id, "replay").await?)?;
    let State::Whole { hash, .. } = &checked.state else {
        return Err(Stop::say(Exit::Failed, checked.line()));
    };
    let log = StoredLog::of(client.events(id).await?);
    if log.records.iter().zip(1..).any(|(record, at)| record.first.0 != at) {
        return Err(Stop::usage(format!("debate {id} hides words from watchers until it has ended; replay it then")));
    }
    let ended = Debate::fold(&log.records).is_some_and(|debate| debate.ended().is_some());
    let halt = match client.get(id).await?.state() {
        _ if ended => None,
        pb::v1::debate::State::Paused => Some(Halt::Paused),
        pb::v1::debate::State::Interrupted => Some(Halt::Interrupted),
        _ => None,
    };
    Ok((StoredLog { head: ended.then(|| hash.clone()), halt, ..log }, false))
}

/// A log of this machine, whose hash chain holds.
fn of_store(store: &Store, name: &str) -> Result<StoredLog, Stop> {
    store.block_on(async {
        let id = store.find(name).await?;
        store.sqlite.verify(&id).await.map_err(failed)?;
        store.log_of(&id).await
    })
}

/// The debate that the log tells, once record by record and once at a time; both have to agree with what the log claims.
fn folded(log: &StoredLog, stepwise: bool) -> anyhow::Result<Debate> {
    let mut records = log.records.iter();
    let first = records.next().context("the log is empty")?;
    let mut debate = Debate::fold([first]).context("the log does not begin with an admission")?;
    let check = |debate: &Debate| {
        debate.check().map_err(|broken| anyhow::anyhow!("after event {}: {broken}", debate.position().0))
    };
    for record in records {
        debate.apply_record(record);
        if stepwise {
            check(&debate)?;
        }
    }
    check(&debate)?;
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

fn rewrite(context: &Context, log: &StoredLog, debate: &Debate, dir: &Path) -> Result<(), Stop> {
    let folder = dir.join(debate.admission().id.as_str());
    for path in reports::write(log, &debate.spec().outputs, &folder)? {
        context.output.note(&format!("wrote {}", path.display()));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    #[derive(clap::Parser)]
    struct Of {
        #[command(flatten)]
        args: VerifyArgs,
    }

    #[test]
    fn one_of_several_that_cannot_be_verified_is_reported_and_decides_the_exit_code() {
        let ghost = || Err(Stop::usage("there is no debate ghost"));
        let all = Of::parse_from(["verify"]).args;
        let checked = or_unverified(&all, "ghost", ghost()).unwrap();
        assert_eq!(checked.line(), "ghost: not verified: there is no debate ghost");
        let damaged = State::Damaged { event: 1, detail: "gone".to_owned() };
        let damaged = or_unverified(&all, "bad", Ok(CheckedLog { id: "bad".to_owned(), state: damaged })).unwrap();
        assert_eq!([&damaged, &checked].map(CheckedLog::exit), [Exit::Failed, Exit::Usage]);
        assert_eq!(
            serde_json::to_value(&checked).unwrap(),
            serde_json::json!({"id": "ghost", "state": "unverified", "detail": "there is no debate ghost"})
        );
        let one = Of::parse_from(["verify", "ghost"]).args;
        assert!(or_unverified(&one, "ghost", ghost()).is_err(), "alone it is refused");
    }
}
