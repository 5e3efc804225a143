//! `agon eval run`, `resume` and `retry`: an eval held in this process.
use super::drive::{Drive, log_failed};
use super::plan::{self, asks_for_consent};
use super::{figures, inputs, programs};
use crate::cli::{EvalRescoreArgs, EvalResumeArgs, EvalRetryArgs, EvalRunArgs, EvalViewArgs, PaceArgs, ServerArgs};
use crate::client::{self, DebateSource};
use crate::commands::submit::flag;
use crate::commands::{Context, run as debates, runtime};
use crate::exit::{Exit, Stop};
use crate::local_runtime::{ModelServers, ModelSource};
use crate::ownership::Ownership;
use crate::settings::Settings;
use crate::signals::Signals;
use crate::store::{Store, StoredDebate};
use agon_core::{DebateId, DebateSpec};
use agon_eval::{
    Cell, CellSpecs as _, CellWork, DebateArm, EvalAdmission, EvalInput, EvalPlan, EvalSpec, Gold, Grader, HeldCells,
    Question, TemplateSpecs,
};
use agon_rehearsal::RehearsalConfig;
use agon_rehearsal::mind::{MindQuestion, MindTopic, MindWorld, Minds, MindsFile};
use agon_runtime::{Clock as _, EvalOrderError, OpenEval, SystemClock, admit_eval, order_retry, read_eval};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// `agon eval run`
pub fn run(context: &Context, args: &EvalRunArgs) -> Result<Exit, Stop> {
    let context = &context.quietly(args.view.show.quiet);
    let settings = context.settings()?;
    let inputs = inputs::read(context, &settings, &args.inputs, args.server.rehearsal)?;
    inputs.tell(context, args.inputs.pilot);
    if !args.plan && !args.programs {
        programs::consent(context, &inputs.spec)?;
    }
    let id = match &args.id {
        Some(id) => DebateId::parse(id).map_err(|_| Stop::usage(bad_id(id)))?,
        None => debates::fresh_id()?,
    };
    let admission = EvalAdmission::of(id.to_string(), inputs.spec, inputs.models).map_err(Stop::usage)?;
    let admission = EvalAdmission {
        prices: settings.eval.model_prices(),
        rehearsal: args.server.rehearsal,
        fresh: args.fresh,
        ..admission
    };
    let samples = samples(&admission)?;
    let source = source(context, &args.server, &args.pace, args.minds.as_deref(), &admission)?;
    runtime()?.block_on(async {
        let mut signals = Signals::listen()?;
        let found = find(context, &settings, source, &samples);
        let servers = tokio::select! {
            found = found => found,
            () = signals.next() => return Err(Stop::quietly(Exit::Interrupted)),
        };
        // a plan needs no server
        let (servers, digests) = match (servers, args.plan) {
            (Ok((servers, digests)), _) => (Some(servers), digests),
            (Err(_), true) => (None, BTreeMap::new()),
            (Err(stop), false) => return Err(stop),
        };
        let rehearsal = servers.as_ref().map_or(admission.rehearsal, ModelServers::is_rehearsal);
        let admission = EvalAdmission { digests, rehearsal, ..admission };
        let specs = Arc::new(TemplateSpecs::of(&admission).map_err(Stop::usage)?);
        let plan = planned(context, &admission, specs.clone()).await?;
        let speed = |model: &str| servers.as_ref().and_then(|servers| servers.speed(context, model));
        let seconds = plan.seconds_likely(speed);
        if args.plan {
            return plan::print(context, (&plan, seconds), args.view.show.json);
        }
        plan::agree(context, (&plan, seconds), asks_for_consent(args.yes, admission.rehearsal))?;
        let Some(servers) = servers else { return Err(Stop::quietly(Exit::Unavailable)) };
        let store = Store::open(context)?;
        let ownership = Ownership::eval(&store, &id).await?;
        let eval = admit_eval(&*store.sqlite, &id, admission, SystemClock.now()).await.map_err(log_failed)?;
        context.output.note(&format!("eval {id} on {}", servers.names()));
        let view = &args.view;
        let drive = Drive { context, settings: &settings, view, signals, specs, samples, servers, ownership };
        conclude(context, view, drive.run(store, eval).await?)
    })
}

fn bad_id(id: &str) -> String {
    format!("the id {id:?} of an eval is not 4 to 63 characters of a-z, 0-9 and '-'")
}

/// How an eval goes on.
pub enum GoOn {
    /// With what is open.
    AsItIs,
    /// With its failed cells.
    Retry,
    /// With new grades, by these graders or by the same.
    Rescore(Option<Grader>),
}

/// `agon eval rescore`
pub fn rescore(context: &Context, args: &EvalRescoreArgs) -> Result<Exit, Stop> {
    let EvalRescoreArgs { grader, same_family, resume: resumed } = args;
    if resumed.view.peek {
        return Err(Stop::usage("--peek shows comparisons before an eval's end; answers are graded again after it"));
    }
    let grader = (!grader.is_empty()).then(|| Grader { models: grader.clone(), same_family: *same_family });
    resume(context, resumed, &GoOn::Rescore(grader))
}

/// `agon eval retry`
pub fn retry(context: &Context, args: &EvalRetryArgs) -> Result<Exit, Stop> {
    let EvalRetryArgs { resume: resumed, place } = args;
    let DebateSource::Server(server) = client::place_to_play(context, place, &resumed.server)? else {
        return resume(context, resumed, &GoOn::Retry);
    };
    let (context, flag) = (&context.quietly(resumed.view.show.quiet), flag(&place.api.server));
    client::ask(context, &server, async |client| {
        let id = client.find_eval(&resumed.id).await?;
        client.retry_eval(&id).await?;
        super::submit::follow(context, client, &id, &resumed.view.show, &flag).await
    })
}

/// `agon eval resume`, and what goes on like it
pub fn resume(context: &Context, args: &EvalResumeArgs, go_on: &GoOn) -> Result<Exit, Stop> {
    let context = &context.quietly(args.view.show.quiet);
    let settings = context.settings()?;
    let Some(store) = Store::open_existing(context)? else { return Err(Stop::usage("there is no eval yet")) };
    runtime()?.block_on(async {
        let id = super::stored::find(&store, &args.id).await?;
        let ownership = Ownership::eval(&store, &id).await?;
        let mut eval = read_eval(&*store.sqlite, &id).await.map_err(log_failed)?;
        let mut admission = eval.machine.admission().clone();
        match go_on {
            GoOn::AsItIs if eval.machine.ended().is_some() => {
                context
                    .output
                    .note(&format!("eval {id} has ended; {} shows it", store.advice(&format!("eval report {id}"))));
                return conclude(context, &args.view, (eval, None));
            }
            // what would not be ordered is refused at once
            GoOn::Retry if eval.machine.decide(EvalInput::Retry).is_empty() => {
                eval = ordered_again(&store, &id).await?
            }
            GoOn::AsItIs | GoOn::Retry => {}
            GoOn::Rescore(grader) => admission = regraded(&eval, grader.as_ref())?,
        }
        programs::check_programs(&admission.spec)?;
        let samples = samples(&admission)?;
        let mut server = args.server.clone();
        server.rehearsal |= admission.rehearsal && !server.is_named();
        let source = source(context, &server, &args.pace, args.minds.as_deref(), &admission)?;
        let mut signals = Signals::listen()?;
        let (servers, digests) = tokio::select! {
            found = find(context, &settings, source, &samples) => found?,
            () = signals.next() => return Err(Stop::quietly(Exit::Interrupted)),
        };
        the_same(&admission, &servers, &digests)?;
        // an eval whose servers are away stays as it is
        match (go_on, admission.spec.grader.clone()) {
            (GoOn::Retry, _) => eval = ordered_again(&store, &id).await?,
            (GoOn::Rescore(_), Some(grader)) => {
                let order = EvalInput::Rescore(grader);
                eval.decide(&*store.sqlite, order, SystemClock.now()).await.map_err(log_failed)?;
            }
            (GoOn::Rescore(_), None) | (GoOn::AsItIs, _) => {}
        }
        context.output.note(&format!("resuming eval {id} on {}", servers.names()));
        let specs = Arc::new(TemplateSpecs::of(&admission).map_err(Stop::usage)?);
        let view = &args.view;
        let drive = Drive { context, settings: &settings, view, signals, specs, samples, servers, ownership };
        conclude(context, view, drive.run(store, eval).await?)
    })
}

/// Orders the failed cells of an ended eval again.
async fn ordered_again(store: &Store, id: &DebateId) -> Result<OpenEval, Stop> {
    let ordered = order_retry(&*store.sqlite, id, SystemClock.now()).await;
    ordered.map_err(|refused| match refused {
        EvalOrderError::NotOver(id) => {
            let resume = store.advice(&format!("eval resume {id}"));
            Stop::usage(format!("eval {id} has not ended; {resume} continues it"))
        }
        refused @ (EvalOrderError::Ended { .. } | EvalOrderError::NothingFailed(_)) => Stop::usage(refused),
        EvalOrderError::Log(error) => log_failed(error),
    })
}

/// The eval with other graders, or with the same ones, where its answers can be graded again.
fn regraded(eval: &OpenEval, grader: Option<&Grader>) -> Result<EvalAdmission, Stop> {
    let (id, admission) = (&eval.id, eval.machine.admission());
    let Some(grader) = grader.or(admission.spec.grader.as_ref()).cloned() else {
        return Err(Stop::usage(format!(
            "no answer of eval {id} was graded by a grader: there is nothing to grade again"
        )));
    };
    let spec = EvalSpec { grader: Some(grader.clone()), ..admission.spec.clone() };
    // refused graders are not written down
    EvalAdmission::of(id.to_string(), spec.clone(), admission.models.clone()).map_err(Stop::usage)?;
    if eval.machine.decide(EvalInput::Rescore(grader)).is_empty() {
        let state = eval.machine.ended().unwrap_or("not over");
        return Err(Stop::usage(format!("eval {id} is {state}; answers are graded again where all of them are there")));
    }
    Ok(EvalAdmission { spec, ..admission.clone() })
}

/// Nobody is to take scripted words for a model's, nor one model for another.
fn the_same(admission: &EvalAdmission, servers: &ModelServers, digests: &BTreeMap<String, String>) -> Result<(), Stop> {
    match (admission.rehearsal, servers.is_rehearsal()) {
        (false, true) => return Err(Stop::usage("the eval was begun by models; scripted speakers cannot continue it")),
        (true, false) => return Err(Stop::usage("the eval is a rehearsal; models cannot continue it")),
        (true, true) | (false, false) => {}
    }
    for (model, digest) in &admission.digests {
        // a rehearsal goes on with other failures, but not with other speakers
        let own = |digest: &str| digest.splitn(3, '-').take(2).collect::<Vec<_>>().join("-");
        let rehearsed = admission.rehearsal && digest.starts_with("rehearsal-");
        let changed = |found: &String| if rehearsed { own(found) != own(digest) } else { found != digest };
        if digests.get(model).is_some_and(changed) {
            return Err(Stop::usage(format!(
                "{} is no longer what the eval began with: its digest has changed; start a new eval",
                agon_report::one_line(model)
            )));
        }
    }
    Ok(())
}

/// One debate of each kind of cell.
fn samples(admission: &EvalAdmission) -> Result<Vec<DebateSpec>, Stop> {
    TemplateSpecs::of(admission).and_then(|specs| specs.kinds(admission)).map_err(Stop::usage)
}

async fn find(
    context: &Context,
    settings: &Settings,
    (source, rehearsed): (ModelSource, Option<String>),
    samples: &[DebateSpec],
) -> Result<(ModelServers, BTreeMap<String, String>), Stop> {
    let specs: Vec<&DebateSpec> = samples.iter().collect();
    let servers = ModelServers::find(source, context, settings, &specs).await?;
    let digests = match rehearsed {
        Some(digest) => {
            servers.models_of(&specs).into_iter().map(|model| (model.to_string(), digest.clone())).collect()
        }
        None => servers.digests(&specs),
    };
    Ok((servers, digests))
}

/// Whom to ask, and what a rehearsal's speakers are known by.
fn source(
    context: &Context,
    server: &ServerArgs,
    pace: &PaceArgs,
    minds: Option<&Path>,
    admission: &EvalAdmission,
) -> Result<(ModelSource, Option<String>), Stop> {
    let spec = &admission.spec;
    let source = debates::cast(context, server, pace, spec.seed)?;
    let ModelSource::Rehearsal(config) = source else { return Ok((source, None)) };
    let file = minds.map(minds_file).transpose()?;
    let (world, mut questions) = match file {
        Some(MindsFile { world, questions }) => (world, questions),
        None => (MindWorld { seed: spec.seed, ..MindWorld::default() }, Vec::new()),
    };
    let digest = digest(&world, &questions, &config);
    let specs = TemplateSpecs::of(admission).map_err(Stop::usage)?;
    questions.extend((0..).zip(&spec.questions).filter_map(|(at, question)| mind(spec, &specs, (at, question))));
    // reading pace is for a person who follows one debate
    let token_interval = pace.token_interval.map_or(std::time::Duration::ZERO, |interval| interval.0);
    let minds = Some(Arc::new(Minds::new(world, questions)));
    Ok((ModelSource::Rehearsal(Box::new(RehearsalConfig { minds, token_interval, ..*config })), Some(digest)))
}

fn minds_file(path: &Path) -> Result<MindsFile, Stop> {
    let text = agon_files::read_text(path)
        .map_err(|error| Stop::usage(format!("cannot read the minds file {}: {error}", path.display())))?;
    text.parse::<MindsFile>().map_err(|error| Stop::usage(format!("{}: {error}", path.display())))
}

/// What a rehearsal's speakers say depends on this alone.
fn digest(world: &MindWorld, questions: &[MindQuestion], config: &RehearsalConfig) -> String {
    let hash = |text: String| blake3::hash(text.as_bytes()).to_hex();
    let speakers = hash(format!("{world:?}\n{questions:?}\n{}", config.seed));
    format!("rehearsal-{speakers}-{}", hash(format!("{:?}", config.faults)))
}

/// A question as a rehearsal's speakers know it.
fn mind(spec: &EvalSpec, specs: &TemplateSpecs, (at, question): (u32, &Question)) -> Option<MindQuestion> {
    let answers = match &question.gold {
        Gold::Choice { right } => right.iter().filter_map(|at| question.options.get(*at).cloned()).collect(),
        Gold::Exact { answers } => answers.clone(),
        Gold::Number { answers, .. } => answers.iter().map(f64::to_string).collect(),
        Gold::Rubric { answers, .. } | Gold::Pairwise { answers } | Gold::Command { answers } => answers.clone(),
    };
    let known: Vec<String> = answers;
    // as it is quoted to graders, and as each debate puts it
    let mut topics = vec![MindTopic::Text(question.text.clone())];
    for DebateArm { name, .. } in &spec.debates {
        let work = CellWork::Debate { arm: name.clone() };
        let Ok(debate) = specs.spec(&Cell { question: at, repetition: 0, work }) else { continue };
        let DebateSpec { topic, context, .. } = debate;
        let topic = match context {
            Some(context) => MindTopic::InContext { topic, context },
            None => MindTopic::Text(topic),
        };
        if !topics.contains(&topic) {
            topics.push(topic);
        }
    }
    (!known.is_empty()).then(|| MindQuestion {
        id: question.id.clone(),
        topics,
        answers: known,
        options: question.options.clone(),
        distractor: None,
        difficulty: None,
    })
}

/// The plan of an eval, without what this store has of it already.
async fn planned(context: &Context, admission: &EvalAdmission, specs: Arc<TemplateSpecs>) -> Result<EvalPlan, Stop> {
    let store = Store::open_existing(context)?;
    let ids = match &store {
        Some(store) => {
            store.heads().await?.into_iter().filter(|head| head.ended).map(|head| head.id.to_string()).collect()
        }
        None => BTreeSet::new(),
    };
    let (admission, handle) = (admission.clone(), tokio::runtime::Handle::current());
    let computed = tokio::task::spawn_blocking(move || {
        let facts = |id: &str| {
            let id = DebateId::parse(id).ok()?;
            match handle.block_on(store.as_ref()?.kept(&id)).ok()?? {
                StoredDebate::Whole(log) => Some(agon_eval::facts(&log.records)),
                StoredDebate::Damaged(_) => None,
            }
        };
        EvalPlan::of(&admission, &*specs, &HeldCells { ids: &ids, facts: &facts })
    });
    computed.await.map_err(anyhow::Error::from)?.map_err(Stop::usage)
}

/// Prints the result.
fn conclude(context: &Context, view: &EvalViewArgs, (eval, exit): (OpenEval, Option<Exit>)) -> Result<Exit, Stop> {
    if let Some(exit) = exit {
        return Ok(exit);
    }
    figures::show(context, &view.show, &eval.machine)
}
