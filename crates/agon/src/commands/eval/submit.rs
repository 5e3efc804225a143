//! `agon eval submit`: an eval that a server's hosts hold; and evals of a server, followed to their end.
use super::plan::{self, asks_for_consent};
use super::progress::ProgressLine;
use super::seen::{SeenEval, progress};
use super::{figures, inputs};
use crate::cli::{EvalInputArgs, EvalShowArgs, EvalSubmitArgs};
use crate::client::{self, Client, EvalNews, RemoteEvalFollower};
use crate::commands::submit::flag;
use crate::commands::{Context, small_runtime};
use crate::exit::{Exit, Stop};
use crate::settings::Settings;
use crate::signals::Signals;
use agon_eval::{EvalPlan, NO_PROGRAMS, PlannedPart, PlannedQuestions};
use agon_proto::pb::v1 as pb;
use agon_report::one_line;
use serde_json::json;
use uuid::Uuid;

/// `agon eval submit`
pub fn run(context: &Context, args: &EvalSubmitArgs) -> Result<Exit, Stop> {
    let context = &context.quietly(args.show.quiet);
    let settings = context.settings()?;
    let server = client::required_for(context, &args.api, args.patience)?;
    let inputs = inputs::read(context, &settings, &args.inputs, args.rehearsal)?;
    if let Some((key, _)) = inputs.spec.programs().next() {
        return Err(Stop::usage(format!("`{key}`: {NO_PROGRAMS}")));
    }
    inputs.tell(context, args.inputs.pilot);
    let request = request(&settings, args, inputs.bundle)?;
    small_runtime()?.block_on(async {
        let client = Client::open(&server, &context.environment)?;
        let waits = args.wait || args.show.jsonl;
        let first = if waits { client.patient(context.output) } else { client.clone() };
        let asked = pb::CreateEvalRequest { validate_only: true, ..request.clone() };
        let checked = first.create_eval(asked).await?;
        let (rehearsal, planned) = (checked.rehearsal, checked.plan.unwrap_or_default());
        warnings(&planned).iter().for_each(|warning| context.output.warn(warning));
        let planned = EvalPlan { rehearsal, ..plan_of(planned) };
        if args.validate_only {
            return plan::print(context, (&planned, None), args.show.json);
        }
        plan::agree(context, (&planned, None), asks_for_consent(args.yes, args.rehearsal))?;
        let eval = first.create_eval(request).await?;
        let flag = flag(&args.api.server);
        if waits {
            context.output.note(&format!("eval {} at {}", eval.id, client.address));
            return follow(context, &client, &eval.id, &args.show, &flag).await;
        }
        if args.show.json {
            context.output.safe_json(&json!({"id": eval.id, "state": "queued", "rehearsal": eval.rehearsal}))?;
        } else {
            context.output.line(&eval.id)?;
        }
        let id = &eval.id;
        context.output.note(&format!("next: agon eval watch {id}{flag}\n      agon eval report {id}{flag}"));
        Ok(Exit::Done)
    })
}

fn request(
    settings: &Settings,
    args: &EvalSubmitArgs,
    bundle: inputs::EvalBundle,
) -> Result<pb::CreateEvalRequest, Stop> {
    let text = |name: &str, bytes: Vec<u8>| {
        String::from_utf8(bytes)
            .map_err(|_| Stop::usage(format!("{} is not UTF-8, which a server reads", one_line(name))))
    };
    let file = pb::EvalFile { text: text(&bundle.name, bundle.text)?, file_name: Some(bundle.name) };
    let files = bundle.files.into_iter().map(|(name, bytes)| Ok((name.clone(), text(&name, bytes)?)));
    let EvalInputArgs { questions, pilot, model, grader, same_family, seed, builtin, .. } = &args.inputs;
    // fresh questions are as many as the file says
    let some = builtin.is_none();
    let defaults = &settings.defaults;
    let models = pb::EvalModels {
        model: model.clone().or_else(|| defaults.model.clone()),
        judge_model: model.clone().or_else(|| defaults.judge_model.clone()),
        moderator_model: model.clone().or_else(|| defaults.moderator_model.clone()),
    };
    Ok(pb::CreateEvalRequest {
        file: Some(file),
        files: files.collect::<Result<_, Stop>>()?,
        eval_id: args.id.clone(),
        // a fresh key still makes it harmless to ask again when an answer is lost
        request_id: Some(args.request_id.clone().unwrap_or_else(|| Uuid::new_v4().to_string())),
        validate_only: false,
        seed: *seed,
        rehearsal: args.rehearsal,
        fresh: args.fresh,
        // those of the server otherwise
        models: Some(models).filter(|models| *models != pb::EvalModels::default()),
        max_questions: questions.filter(|_| some),
        pilot_questions: pilot.filter(|_| some),
        graders: grader.clone(),
        same_family: *same_family,
    })
}

/// What may be wrong, as the server sees it.
fn warnings(plan: &pb::EvalPlan) -> Vec<String> {
    let all = plan.warnings.iter().chain(plan.unserved.iter().map(|unserved| &unserved.warning));
    let mut told: Vec<String> = Vec::new();
    for warning in all.map(|warning| one_line(warning)) {
        if !told.contains(&warning) {
            told.push(warning);
        }
    }
    told
}

/// The plan as a server tells it.
fn plan_of(told: pb::EvalPlan) -> EvalPlan {
    let part = |part: pb::PlannedArm| PlannedPart {
        name: part.name,
        cells: part.cells,
        calls_each: part.calls_each,
        calls: part.calls,
        models: part.models,
        arms: part.arms,
    };
    let needed = |needed: pb::NeededQuestions| PlannedQuestions { points: needed.points, questions: needed.questions };
    EvalPlan {
        questions: told.questions,
        scored: told.scored.into_iter().collect(),
        parts: told.parts.into_iter().map(part).collect(),
        cells: told.cells,
        cells_most: told.cells_most,
        reused: told.reused,
        calls: told.calls,
        calls_most: told.calls_most,
        tokens_likely: told.tokens_likely,
        tokens_most: told.tokens_most,
        gradings_likely: told.gradings_likely,
        gradings_most: told.gradings_most,
        graders: told.graders,
        money_likely: told.money_likely,
        smallest_points: told.smallest_points,
        needed: told.needed.into_iter().map(needed).collect(),
        notes: told.notes,
        ..EvalPlan::default()
    }
}

/// Shows an eval of a server to its end, and prints its result.
pub async fn follow(
    context: &Context,
    client: &Client,
    id: &str,
    show: &EvalShowArgs,
    flag: &str,
) -> Result<Exit, Stop> {
    let mut signals = Signals::listen()?;
    let mut line = ProgressLine::new(context, show.jsonl || show.quiet);
    let mut follower = RemoteEvalFollower::new(client, id);
    loop {
        let news = tokio::select! {
            news = follower.next() => news,
            () = signals.next() => {
                line.finish();
                context.output.note(&format!(
                    "the eval continues; agon eval watch {id}{flag} follows it again, agon eval cancel {id}{flag} ends it"
                ));
                return Ok(Exit::Interrupted);
            }
        };
        match news? {
            EvalNews::Snapshot(eval) => {
                if let Some(told) = eval.progress {
                    line.show(context, &progress(told));
                }
                if !eval.waits_for.is_empty() {
                    line.wait(context, &one_line(&eval.waits_for));
                }
            }
            EvalNews::Progress(told) => line.show(context, &progress(told)),
            EvalNews::Event(event) if show.jsonl => context.output.line(&event.json)?,
            EvalNews::Quiet(Some(waits_for)) => line.wait(context, &one_line(&waits_for)),
            EvalNews::Event(_) | EvalNews::Quiet(None) => {}
            EvalNews::Over => break,
        }
    }
    line.finish();
    figures::show(context, show, &SeenEval::there(client, id).await?.machine)
}
