//! From a request body to a job.

use std::sync::Arc;

use axum::{body::Bytes, http::StatusCode};
use serde_json::Value;

use super::{Job, Prompt, Refusal, Text, refuse};
use crate::{
    answer::{Answer, compose},
    cast,
    ledger::Entry,
    model::{CONTEXT_LENGTH, Model, filler_pieces, has_tools},
    plan::{self, Plan},
    prompt::Brief,
    request::{ChatRequest, GenerateRequest, LeanRequest, render},
    stage::{Call, Stage},
    wire::Shape,
};

impl Job {
    /// Understands a request, or says why not.
    pub fn prepare(stage: &Arc<Stage>, body: Bytes, shape: Shape) -> Result<Self, Refusal> {
        stage.record(&body);
        let fingerprint = stage.config.fingerprints.then(|| blake3::hash(&body).to_hex().to_string());
        let arrival =
            |model, stream| Arrival { model, stream, shape, fingerprint, entry: stage.entry(&body), tools: false };
        if let Some(lean) = lean(stage, &body, shape) {
            return Self::arrive(stage, arrival(&lean.model, lean.stream), |_, _| {
                let tokens = stage.config.answer_tokens.unwrap_or_default();
                (Plan::default(), Prompt::Counted(lean.tokens()), Text::Filler(tokens))
            });
        }
        let asked = parse(&body, shape).map_err(|problem| refuse(StatusCode::BAD_REQUEST, &problem))?;
        let tools = asked.tools.as_ref().is_some_and(|tools| !tools.is_empty());
        let arrival = Arrival { tools, ..arrival(&asked.model, asked.stream) };
        Self::arrive(stage, arrival, |stage, model| read(stage, model, &asked, shape))
    }

    /// Counts the call and finds its model before `understand` looks at the prompt.
    fn arrive(
        stage: &Arc<Stage>,
        arrival: Arrival<'_>,
        understand: impl FnOnce(&Stage, &Model) -> (Plan, Prompt, Text),
    ) -> Result<Self, Refusal> {
        let Arrival { model: name, stream, shape, fingerprint, entry, tools } = arrival;
        if name.is_empty() {
            return Err(refuse(StatusCode::BAD_REQUEST, "model is required"));
        }
        let stream = stream.unwrap_or(true);
        stage.counters.arrived(name, stream, fingerprint);
        let mut call = Call::new(Arc::clone(stage), entry);
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
    shape: Shape,
    fingerprint: Option<String>,
    entry: Option<Entry>,
    tools: bool,
}

/// The cheap way in: fixed-length answers without cache, faults or a schema need nothing but the size of the prompt.
fn lean<'a>(stage: &Stage, body: &'a [u8], shape: Shape) -> Option<LeanRequest<'a>> {
    let cheap = stage.config.answer_tokens.is_some() && !stage.config.model_cache && stage.director.is_idle();
    if !cheap || shape != Shape::Chat {
        return None;
    }
    let lean: LeanRequest<'_> = serde_json::from_slice(body).ok()?;
    (lean.format.is_none() && !lean.messages.is_empty()).then_some(lean)
}

fn parse(body: &[u8], shape: Shape) -> Result<ChatRequest<'_>, String> {
    let asked = match shape {
        Shape::Chat => serde_json::from_slice::<ChatRequest<'_>>(body),
        Shape::Generate => serde_json::from_slice::<GenerateRequest<'_>>(body).map(ChatRequest::from),
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
fn read(stage: &Stage, model: &Model, asked: &ChatRequest<'_>, shape: Shape) -> (Plan, Prompt, Text) {
    if asked.messages.is_empty() {
        let unloads = asked.keep_alive.as_ref().is_some_and(|keep| keep.as_f64() == Some(0.0) || keep == "0");
        let text = Text::Loaded(if unloads { "unload" } else { "load" });
        return (Plan::default(), Prompt::Counted(0), text);
    }
    let options = asked.options.as_ref();
    let context = options.and_then(|options| options.num_ctx).unwrap_or(CONTEXT_LENGTH);
    let prompt = Prompt::Rendered(render(&asked.messages), (asked.truncate == Some(false)).then_some(context));
    let structured = asked.format.as_ref().is_some_and(|format| !matches!(format, Value::Null));
    let filler = stage.config.answer_tokens.filter(|_| !structured && shape == Shape::Chat);
    if let Some(tokens) = filler.filter(|_| stage.director.is_idle()) {
        return (Plan::default(), prompt, Text::Filler(tokens));
    }
    let mut brief = Brief::read(asked.messages.iter().map(|message| (message.role.as_ref(), message.content.as_ref())));
    let (seed, topic) = (stage.config.seed, brief.topic.clone());
    brief.assume_positions(|name| cast::position(seed, &topic, name));
    let (speaker, task) = (brief.you.as_deref(), brief.kind());
    stage.counters.set(task);
    let plan = stage.director.meet(plan::Call { model: &model.name, speaker, task, structured });
    let text = match filler {
        Some(tokens) if plan.failure.is_none() => Text::Filler(tokens),
        Some(tokens) => Text::Composed(Answer::plain(filler_pieces(tokens).concat(), plan.failure)),
        None => Text::Composed(compose(asked, &brief, &plan, stage.config.seed)),
    };
    (plan, prompt, text)
}
