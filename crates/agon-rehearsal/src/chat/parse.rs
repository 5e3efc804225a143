//! From a request body to a job.

use std::sync::Arc;

use axum::{body::Bytes, http::StatusCode};
use serde_json::Value;

use super::{AnswerText, ChatJob, ErrorResponse, PromptBody, refuse};
use crate::{
    answer::{CastAnswer, compose},
    call_log::CallLogEntry,
    cast,
    mind::MindCall,
    model::{CONTEXT_LENGTH, Model, filler_pieces, has_tools},
    plan::{self, ReplyPlan},
    prompt::Brief,
    request::{GenerateRequest, LeanRequest, OllamaChatRequest, render},
    server_state::{OpenCall, ServerState},
    wire::LineEndpoint,
};

impl ChatJob {
    /// Understands a request, or says why not.
    pub fn prepare(stage: &Arc<ServerState>, body: Bytes, shape: LineEndpoint) -> Result<Self, ErrorResponse> {
        stage.record(&body);
        let fingerprint = stage.config.fingerprints.then(|| blake3::hash(&body).to_hex().to_string());
        let arrival =
            |model, stream| Arrival { model, stream, shape, fingerprint, entry: stage.entry(&body), tools: false };
        if let Some(lean) = lean(stage, &body, shape) {
            return Self::arrive(stage, arrival(&lean.model, lean.stream), |_, _| {
                let tokens = stage.config.answer_tokens.unwrap_or_default();
                (ReplyPlan::default(), PromptBody::Counted(lean.tokens()), AnswerText::Filler(tokens))
            });
        }
        let asked = parse(&body, shape).map_err(|problem| refuse(StatusCode::BAD_REQUEST, &problem))?;
        let tools = asked.tools.as_ref().is_some_and(|tools| !tools.is_empty());
        let arrival = Arrival { tools, ..arrival(&asked.model, asked.stream) };
        Self::arrive(stage, arrival, |stage, model| read(stage, model, &asked, shape))
    }

    /// Counts the call and finds its model before `understand` looks at the prompt.
    fn arrive(
        stage: &Arc<ServerState>,
        arrival: Arrival<'_>,
        understand: impl FnOnce(&ServerState, &Model) -> (ReplyPlan, PromptBody, AnswerText),
    ) -> Result<Self, ErrorResponse> {
        let Arrival { model: name, stream, shape, fingerprint, entry, tools } = arrival;
        if name.is_empty() {
            return Err(refuse(StatusCode::BAD_REQUEST, "model is required"));
        }
        let stream = stream.unwrap_or(true);
        stage.counters.arrived(name, stream, fingerprint);
        let mut call = OpenCall::new(Arc::clone(stage), entry);
        let Some(model) = stage.model(name) else {
            call.failed();
            return Err(refuse(StatusCode::NOT_FOUND, &format!("model '{name}' not found")));
        };
        if tools && !has_tools(name) {
            call.failed();
            let text = format!("registry.ollama.ai/library/{name} does not support tools");
            return Err(refuse(StatusCode::BAD_REQUEST, &text));
        }
        let (plan, prompt, text) = understand(stage, &model);
        Ok(Self { stage: Arc::clone(stage), model, call, shape, stream, plan, prompt, text })
    }
}

/// What is known of a call before its prompt is read.
struct Arrival<'a> {
    model: &'a str,
    stream: Option<bool>,
    shape: LineEndpoint,
    fingerprint: Option<String>,
    entry: Option<CallLogEntry>,
    tools: bool,
}

/// The cheap way in: fixed-length answers without cache, faults or a schema need nothing but the size of the prompt.
fn lean<'a>(stage: &ServerState, body: &'a [u8], shape: LineEndpoint) -> Option<LeanRequest<'a>> {
    let cheap = stage.config.answer_tokens.is_some() && !stage.config.model_cache && stage.director.is_idle();
    if !cheap || shape != LineEndpoint::Chat {
        return None;
    }
    let lean: LeanRequest<'_> = serde_json::from_slice(body).ok()?;
    (lean.format.is_none() && !lean.messages.is_empty()).then_some(lean)
}

fn parse(body: &[u8], shape: LineEndpoint) -> Result<OllamaChatRequest<'_>, String> {
    let asked = match shape {
        LineEndpoint::Chat => serde_json::from_slice::<OllamaChatRequest<'_>>(body),
        LineEndpoint::Generate => serde_json::from_slice::<GenerateRequest<'_>>(body).map(OllamaChatRequest::from),
    };
    let asked = asked.map_err(|problem| problem.to_string())?;
    let parameters = |tool| Value::pointer(tool, "/function/parameters");
    let of_tools = asked.tools.iter().flatten().filter_map(parameters);
    for schema in asked.format.iter().filter(|format| format.is_object()).chain(of_tools) {
        let checked = agon_schema::check(schema, agon_schema::MOST_NODES);
        checked.map_err(|error| format!("invalid schema at {:?}: {error}", error.at))?;
    }
    Ok(asked)
}

/// Reads a full request: what happens to it, what it costs, what is said.
fn read(
    stage: &ServerState,
    model: &Model,
    asked: &OllamaChatRequest<'_>,
    shape: LineEndpoint,
) -> (ReplyPlan, PromptBody, AnswerText) {
    if asked.messages.is_empty() {
        let unloads = asked.keep_alive.as_ref().is_some_and(|keep| keep.as_f64() == Some(0.0) || keep == "0");
        let text = AnswerText::Loaded(if unloads { "unload" } else { "load" });
        return (ReplyPlan::default(), PromptBody::Counted(0), text);
    }
    let options = asked.options.as_ref();
    let context = options.and_then(|options| options.num_ctx).unwrap_or(CONTEXT_LENGTH);
    let prompt = PromptBody::Rendered(render(&asked.messages), (asked.truncate == Some(false)).then_some(context));
    let structured = asked.format.as_ref().is_some_and(|format| !matches!(format, Value::Null));
    let filler = stage.config.answer_tokens.filter(|_| !structured && shape == LineEndpoint::Chat);
    if let Some(tokens) = filler.filter(|_| stage.director.is_idle()) {
        return (ReplyPlan::default(), prompt, AnswerText::Filler(tokens));
    }
    let mut brief = Brief::read(asked.messages.iter().map(|message| (message.role.as_ref(), message.content.as_ref())));
    // before anybody is given a position that the prompt does not name
    let mind = stage.config.minds.as_ref().and_then(|minds| {
        let system = asked.messages.iter().find(|message| message.role == "system")?.content.as_ref();
        let sampling = options.and_then(|options| options.seed);
        minds.turn(MindCall { model: &model.name, system, sampling, brief: &brief })
    });
    let (seed, topic) = (stage.config.seed, brief.topic.clone());
    let allowed = brief.allowed();
    brief.assume_positions(|name| match &allowed {
        Some(allowed) => cast::position_among(seed, (&topic, name), allowed),
        None => cast::position(seed, &topic, name),
    });
    let (speaker, task) = (asked.agon_speaker.as_deref().or(brief.you.as_deref()), brief.kind());
    stage.counters.set(task);
    let plan = stage.director.meet(plan::CallFacts { model: &model.name, speaker, task, structured });
    // a scripted behaviour is stronger than what a speaker knows
    let mind = mind.filter(|_| plan.behaviour.is_none());
    let text = match filler {
        Some(tokens) if plan.failure.is_none() => AnswerText::Filler(tokens),
        Some(tokens) => AnswerText::Composed(CastAnswer::plain(filler_pieces(tokens).concat(), plan.failure)),
        None => AnswerText::Composed(compose(asked, &brief, (&plan, mind), stage.config.seed)),
    };
    (plan, prompt, text)
}
