//! `agon rejudge`: another judge for a debate that is over, here or at a server.
use super::run::{cast, fresh_id, not_submitted};
use super::show::{self, Showing};
use super::submit::{RemoteDebate, flag};
use super::{Context, rows, runtime, small_runtime};
use crate::cli::{OutputArgs, RejudgeArgs};
use crate::client::{self, Client, DebateSource};
use crate::exit::{Exit, Stop};
use crate::local_runtime::{LocalRuntime, ModelServers};
use crate::ownership::Ownership;
use crate::settings::ClientSettings;
use crate::signals::Signals;
use crate::store::Store;
use crate::terminal::Begin;
use agon_core::{Admission, DebateId, DebateSpec, Event, ModelName, Position, Record, Timestamp};
use agon_core::{rejudge, rejudged_spec};
use agon_proto::pb;
use agon_store::append_settled;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use uuid::Uuid;

/// `agon rejudge ID`
pub fn run(context: &Context, args: &RejudgeArgs) -> Result<Exit, Stop> {
    let context = &context.quietly(args.view.quiet);
    match client::place_to_play(context, &args.place, &args.server)? {
        DebateSource::Local => runtime()?.block_on(here(context, args)),
        DebateSource::Server(server) => small_runtime()?.block_on(at_server(context, args, &server)),
    }
}

async fn here(context: &Context, args: &RejudgeArgs) -> Result<Exit, Stop> {
    let settings = context.settings()?;
    let signals = Signals::listen()?;
    let store = Store::open(context)?;
    let log = store.log_of(&store.find(&args.id).await?).await?;
    let (admission, events) = admitted(&log.records, args)?;
    let id = admission.id.clone();
    let mut server = args.server.clone();
    server.rehearsal |= admission.rehearsal && !server.is_named();
    let asked = only_the_judge(&admission.spec);
    let cast = cast(context, &server, &args.pace, admission.seed)?;
    let servers = ModelServers::find(cast, context, &settings, &[&asked]).await?;
    if servers.is_rehearsal() != admission.rehearsal {
        return Err(Stop::usage("a rehearsal is judged by scripted speakers, and what models said by models"));
    }
    context.output.note(&format!("debate {id} judges {} again, on {}", log_id(&admission), servers.names()));
    let ownership = Ownership::admit(&store, &id).await?;
    let stage = LocalRuntime::open(context, store, Some(servers), &[&asked]).await?;
    begin(&stage, &id, events).await?;
    stage.node.submit(admission).await.map_err(not_submitted)?;
    let output = output(args);
    let showing = Showing { context, settings: &settings, output: &output, signals };
    show::to_the_end(showing, stage, ownership, Begin::default(), &args.server).await
}

fn log_id(admission: &Admission) -> String {
    admission.rejudges.as_ref().map(ToString::to_string).unwrap_or_default()
}

/// The new debate, and the events that it begins with.
fn admitted(old: &[Record], args: &RejudgeArgs) -> Result<(Admission, Vec<Event>), Stop> {
    let source = match old.first().and_then(|record| record.events.first()) {
        Some(Event::DebateAdmitted(source)) => source,
        Some(_) | None => return Err(Stop::say(Exit::Failed, "the log does not begin with an admission")),
    };
    let model = args.judge.as_deref().map(str::trim).map(ModelName::from);
    let spec = rejudged_spec(source, model).map_err(Stop::usage)?;
    let admission = Admission {
        id: match &args.new_id {
            Some(id) => DebateId::parse(id).map_err(Stop::usage)?,
            None => fresh_id()?,
        },
        spec,
        request_id: None,
        rejudges: Some(source.id.clone()),
        ratings: Default::default(),
        ..source.as_ref().clone()
    };
    let old: Vec<Arc<Record>> = old.iter().cloned().map(Arc::new).collect();
    let events = rejudge(admission.clone(), &old).map_err(Stop::usage)?;
    Ok((admission, events))
}

/// The spec without models that nobody asks: debaters and moderator have spoken.
fn only_the_judge(spec: &DebateSpec) -> DebateSpec {
    let mut asked = DebateSpec { moderator: None, ..spec.clone() };
    if let Some(judge) = &spec.judge {
        for persona in &mut asked.personas {
            persona.voice.model = judge.voice.model.clone();
            persona.voice.fallback_models.clear();
        }
    }
    asked
}

/// Writes the first record: the admission and what was said.
async fn begin(stage: &LocalRuntime, id: &DebateId, events: Vec<Event>) -> Result<(), Stop> {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let at = Timestamp(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX));
    let nonce = Uuid::new_v4().as_u64_pair().0;
    let record = Record { first: Position(1), at, epoch: 0, nonce, events };
    let written = append_settled(&*stage.store.sqlite, id, record).await;
    written.map(drop).map_err(|error| Stop::new(Exit::Internal, error))
}

fn output(args: &RejudgeArgs) -> OutputArgs {
    OutputArgs { view: args.view.clone(), output_dir: None, no_reports: true }
}

async fn at_server(context: &Context, args: &RejudgeArgs, server: &ClientSettings) -> Result<Exit, Stop> {
    let settings = context.settings()?;
    let output = output(args);
    let server = ClientSettings { patience: args.patience.unwrap_or(server.patience), ..server.clone() };
    let client = Client::open(&server, &context.environment)?;
    let waits = args.wait || args.view.jsonl;
    let first = if waits { client.patient(context.output) } else { client.clone() };
    let request = pb::v1::RejudgeDebateRequest {
        name: first.find(&args.id).await?,
        judge_model: args.judge.clone(),
        debate_id: args.new_id.clone(),
        request_id: Some(Uuid::new_v4().to_string()),
    };
    let debate = first.rejudge(request).await?;
    if !waits {
        match args.view.json {
            true => context.output.safe_json(&rows::DebateRow::of_debate(&debate))?,
            false => context.output.line(&debate.id)?,
        }
        return Ok(Exit::Done);
    }
    let signals = Signals::listen()?;
    let showing = Showing { context, settings: &settings, output: &output, signals };
    let remote = RemoteDebate { client: &client, id: &debate.id, flag: flag(&args.place.api.server) };
    remote.show(showing, Position(0)).await
}
