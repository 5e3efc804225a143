//! `agon run`: a debate from a file or a topic, held in this process.
use super::new_debate::NewDebate;
use super::show::{self, Showing};
use super::{Context, runtime, small_runtime};
use crate::cli::{PaceArgs, RunArgs, ServerArgs, Show};
use crate::debate_file::NamedDebate;
use crate::exit::{Exit, Stop};
use crate::local_runtime::{LocalRuntime, ModelServers, ModelSource};
use crate::ownership::Ownership;
use crate::servers;
use crate::settings::{Length, Settings, feed_reader};
use crate::signals::Signals;
use crate::store::{self, Store};
use crate::terminal::Begin;
use agon_core::{Admission, DebateId, DebateSpec, ParticipantId};
use agon_rehearsal::RehearsalConfig;
use agon_runtime::{SubmitError, recall};
use anyhow::Context as _;
use std::collections::BTreeMap;
use std::time::Duration;
use uuid::Uuid;

/// `agon run FILE|TOPIC|-`
pub fn run(context: &Context, args: &RunArgs) -> Result<Exit, Stop> {
    let context = &context.quietly(args.output.view.quiet);
    let named = NamedDebate::find(&args.debate.what, args.debate.syntax)?;
    let chosen =
        servers::choose_model(context, &args.server, context.settings()?, &named, args.debate.model.as_deref());
    let settings = small_runtime()?.block_on(chosen)?;
    let wanted = NewDebate::of(&settings, &args.debate, &named, Some(&context.output))?;
    played_here(&wanted.spec)?;
    tools_there(&wanted.spec, &settings)?;
    feeds_there(&wanted.spec, &settings)?;
    verifiers_there(&wanted.spec, &settings)?;
    show::try_reports(&args.output, &settings)?;
    let seed = wanted.spec.seed.unwrap_or_else(fresh_seed);
    let cast = cast(context, &args.server, &args.pace, seed)?;
    runtime()?.block_on(async {
        let mut signals = Signals::listen()?;
        let specs = [&wanted.spec];
        let servers = tokio::select! {
            found = ModelServers::find(cast, context, &settings, &specs) => found?,
            () = signals.next() => return Err(Stop::quietly(Exit::Interrupted)),
        };
        let admission = admission(wanted, seed, &settings, servers.is_rehearsal())?;
        hold(context, args, &settings, servers, admission, signals).await
    })
}

/// A process of the author's own is reached over NATS, which there is only in a cluster.
fn played_here(spec: &DebateSpec) -> Result<(), Stop> {
    let everybody = servers::participants(spec);
    let outside =
        |who: &&ParticipantId| spec.role(who).is_some_and(|role| role.models().iter().any(|m| m.is_external()));
    match everybody.iter().find(outside) {
        None => Ok(()),
        Some(who) => Err(Stop::usage(format!(
            "{who} is played by a process outside Agon (`endpoint: nats`), which only a cluster can reach: \
             submit the file to a server with agon submit, or play every role by a model with --model NAME"
        ))),
    }
}

/// Tools are set up where turns are played, so the settings tell whether the debate has what it names.
fn tools_there(spec: &DebateSpec, settings: &Settings) -> Result<(), Stop> {
    let everybody = servers::participants(spec);
    let wanted = everybody.iter().filter_map(|who| Some((who, spec.role(who)?.tools())));
    let missing: Vec<String> = wanted
        .flat_map(|(who, tools)| tools.iter().map(move |tool| (who, tool)))
        .filter(|(_, tool)| !settings.tools.contains_key(*tool))
        .map(|(who, tool)| format!("{who} is to use the tool {tool:?}"))
        .collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(not_set_up(&missing.join(", "), "tool", "tools.NAME", &settings.tools)),
    }
}

/// Feeds are set up where debates are admitted.
fn feeds_there(spec: &DebateSpec, settings: &Settings) -> Result<(), Stop> {
    let missing = spec.feeds.iter().filter(|name| !settings.feeds.contains_key(*name));
    let missing: Vec<String> = missing.map(|name| format!("{name:?}")).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let wants = format!("the debate reads the feed {}", missing.join(", "));
    Err(not_set_up(&wants, "feed", "feeds.NAME", &settings.feeds))
}

/// Verifiers are set up where turns are played too.
fn verifiers_there(spec: &DebateSpec, settings: &Settings) -> Result<(), Stop> {
    let missing = spec.verifiers.iter().find(|name| !settings.verifiers.contains_key(*name));
    let Some(missing) = missing else { return Ok(()) };
    let (wants, table) = (format!("the debate is to use the verifier {missing:?}"), format!("verifiers.{missing}"));
    Err(not_set_up(&wants, "verifier", &table, &settings.verifiers))
}

/// Refuses a debate that wants something that the settings do not define.
fn not_set_up<T>(wants: &str, one: &str, table: &str, defined: &BTreeMap<String, T>) -> Stop {
    let known: Vec<&str> = defined.keys().map(String::as_str).collect();
    let known = if known.is_empty() { format!("no {one} is set up") } else { format!("set up: {}", known.join(", ")) };
    Stop::usage(format!("{wants}, which is not set up here ({known}); add [{table}] to agon.toml"))
}

async fn hold(
    context: &Context,
    args: &RunArgs,
    settings: &Settings,
    servers: ModelServers,
    mut admission: Admission,
    signals: Signals,
) -> Result<Exit, Stop> {
    let id = admission.id.clone();
    let store = Store::open(context)?;
    if let Some(halted) = store::counted(&store.halted().await?) {
        context
            .output
            .note(&format!("not finished in this store: {halted}; {} continues them", store.advice("resume")));
    }
    let ownership = Ownership::admit(&store, &id).await?;
    let feeds = feed_reader(&settings.feeds, &context.environment)?;
    let view = &args.output.view;
    // On a terminal the view says it too.
    let shown = context.output.terminal && !view.json && !view.jsonl && view.show != Show::Verdict;
    let which = if shown { String::new() } else { format!("debate {id}, seed {}, ", admission.seed) };
    context.output.note(&format!("{which}on {}", servers.names()));
    let stage = LocalRuntime::open(context, store, Some(servers), &[&admission.spec]).await?;
    let (names, embedder) = (admission.spec.feeds.clone(), stage.node.embedder(&admission));
    let recalling = recall(&*stage.store.sqlite, embedder, &mut admission);
    let (read, recalled) = tokio::join!(feeds.read(&names), recalling);
    recalled.map_err(|error| Stop::new(Exit::Internal, error))?;
    admission.feeds = read;
    stage.node.submit(admission).await.map_err(not_submitted)?;
    let showing = Showing { context, settings, output: &args.output, signals };
    show::to_the_end(showing, stage, ownership, Begin::default(), &args.server).await
}

/// What a debate that cannot be submitted means for the program.
pub fn not_submitted(error: SubmitError) -> Stop {
    let exit = match error {
        SubmitError::Conflict(_) => Exit::Usage,
        SubmitError::Append(_) | SubmitError::Queue(_) => Exit::Internal,
    };
    Stop::new(exit, error)
}

fn admission(wanted: NewDebate, seed: u64, settings: &Settings, rehearsal: bool) -> anyhow::Result<Admission> {
    Ok(Admission {
        id: wanted.id.map_or_else(fresh_id, Ok)?,
        spec: wanted.spec,
        seed,
        retry: settings.retry_policy(),
        agon_version: env!("CARGO_PKG_VERSION").to_owned(),
        request_id: None,
        rehearsal,
        priority: wanted.priority,
        labels: wanted.labels,
        creator: None,
        submitted_by: None,
        rejudges: None,
        history: Default::default(),
        recalled: None,
        feeds: Default::default(),
        ratings: Default::default(),
    })
}

/// Whom to ask, from the flags.
pub fn cast(context: &Context, server: &ServerArgs, pace: &PaceArgs, seed: u64) -> Result<ModelSource, Stop> {
    if !server.rehearsal {
        return Ok(ModelSource::Models(server.clone()));
    }
    let unhurried = if context.output.terminal { servers::READING_PACE } else { Duration::ZERO };
    let config = servers::paced(pace, Length::default(), Length(unhurried))?;
    Ok(ModelSource::Rehearsal(Box::new(RehearsalConfig { seed, ..config })))
}

/// A fresh id.
pub fn fresh_id() -> anyhow::Result<DebateId> {
    DebateId::parse(&Uuid::now_v7().to_string()).context("a fresh id is not an id")
}

/// Short enough to be typed again.
fn fresh_seed() -> u64 {
    u64::from(Uuid::new_v4().as_fields().0)
}
