//! A model: fits into memory, answers freely and to a schema, has room for a debate.
use super::hosts::{ModelSpeed, ProbeRequest, is_here};
use super::{CheckupFinding, CheckupLevel, machine};
use crate::servers::{self, ProbedModels, ReachableServer};
use crate::settings::HostKind;
use agon_core::{CallOptions, Think};
use agon_core::{Outgrown, Overlong, remedy};
use agon_llm::{ChatError, ChatErrorKind, ChatMessage, ChatRequest, DeltaSink, Discard, LoadedModel};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// The least context that a debate of a few rounds fits into.
const SMALL_CONTEXT: u64 = 8192;
/// How much is generated to measure a speed, at most, and how long.
const MEASURED_TOKENS: u32 = 64;
const MEASURED_TIME: Duration = Duration::from_secs(15);
/// What tells a speed, at the least.
const LEAST_PIECES: u32 = 8;
const LEAST_TIME: Duration = Duration::from_millis(20);

/// Looks at one model of a server; what was found of its speed comes with the speed.
pub async fn check(
    server: &ReachableServer,
    found: &ProbedModels,
    model: &str,
    wanted: &ProbeRequest<'_>,
) -> Vec<(Option<ModelSpeed>, CheckupFinding)> {
    let mut findings: Vec<_> = able(server, found, model).await.into_iter().map(|finding| (None, finding)).collect();
    if findings.iter().any(|(_, finding)| finding.level == CheckupLevel::Fail) {
        return findings;
    }
    if let Some(speed) = speed(server, model).await {
        findings.push((Some((model.to_owned(), speed)), fast_enough(model, speed, wanted)));
    }
    findings.extend(context_length(server, found, model, wanted).await.map(|finding| (None, finding)));
    findings
}

async fn able(server: &ReachableServer, found: &ProbedModels, model: &str) -> Vec<CheckupFinding> {
    let what = format!("model {model}");
    let tight = too_large(server, found, model).await;
    let mut findings = Vec::new();
    match servers::answers(server, model, None).await {
        Ok(()) => findings.push(CheckupFinding::ok(&what, "answers")),
        Err(error) => {
            let fix = tight.as_ref().and_then(|tight| tight.fix.clone());
            let why = tight.map_or_else(String::new, |tight| format!("; {}", tight.found));
            let fix = fix.unwrap_or_else(|| fix_of(server, &error, model));
            findings.push(CheckupFinding::fail(&what, format!("does not answer: {error}{why}"), fix));
            return findings;
        }
    }
    findings.extend(tight);
    findings.push(match structured(server, model).await {
        Ok(true) => CheckupFinding::ok(&what, "answers to a schema, as judges and ballots need"),
        Ok(false) => CheckupFinding::warn(
            &what,
            "does not follow a schema",
            "judge and ballots will need retries; prefer another model",
        ),
        Err(error) => {
            CheckupFinding::warn(&what, format!("no answer to a schema: {error}"), fix_of(server, &error, model))
        }
    });
    if server.settings.kind == HostKind::Ollama {
        let permits = server.settings.permits;
        let said = format!("{permits} call{} at a time to each model", if permits.get() == 1 { "" } else { "s" });
        findings.push(CheckupFinding::ok(
            format!("host {}", server.settings.name),
            format!("{said}; set permits to its OLLAMA_NUM_PARALLEL (default 1)"),
        ));
    }
    findings
}

/// A model that is not loaded and needs more memory than this machine has left. A graphics card may have room that nobody tells of.
async fn too_large(server: &ReachableServer, found: &ProbedModels, model: &str) -> Option<CheckupFinding> {
    let available = machine::available_memory().filter(|_| is_here(server))?;
    let size = found.models.iter().find(|listed| servers::same_model(&listed.name, model))?.size?;
    let loaded = server.client.loaded().await.unwrap_or_default();
    if size <= available || loaded.iter().any(|loaded| servers::same_model(&loaded.name, model)) {
        return None;
    }
    let fits = |listed: &&agon_llm::ModelInfo| listed.size.is_some_and(|size| size <= available);
    let smaller = found.models.iter().filter(fits).max_by_key(|listed| listed.size);
    let smaller = smaller.map_or_else(
        || format!("get a smaller model, such as: {}", remedy::pull("llama3.2:1b")),
        |listed| format!("use a smaller model: --model {}", listed.name),
    );
    let found = format!(
        "too large for memory: it needs {}, and {} are available on this machine",
        machine::bytes(size),
        machine::bytes(available)
    );
    Some(CheckupFinding::warn(format!("model {model}"), found, format!("{smaller}; or free memory")))
}

fn request(server: &ReachableServer, model: &str, ask: &str, tokens: u32) -> ChatRequest {
    ChatRequest {
        options: CallOptions { max_tokens: Some(tokens), temperature: Some(0.0), ..CallOptions::default() },
        timeouts: server.timeouts(),
        ..ChatRequest::new(model, vec![ChatMessage::user(ask)])
    }
}

async fn structured(server: &ReachableServer, model: &str) -> Result<bool, ChatError> {
    let schema = json!({"type": "object", "properties": {"sky": {"enum": ["blue", "green"]}}, "required": ["sky"]});
    let able = server.client.show(model).await.ok().and_then(|details| details.can("thinking")) == Some(true);
    let mut ask = request(server, model, "What colour is a clear sky? Answer as JSON.", 200);
    ask.format = Some(Arc::new(schema));
    ask.options.think = able.then_some(Think::Off);
    let answer = server.client.chat(&ask, &mut Discard).await?;
    let value: Option<serde_json::Value> = serde_json::from_str(&answer.text).ok();
    Ok(value.is_some_and(|value| value.get("sky").is_some_and(|sky| sky == "blue" || sky == "green")))
}

/// Hears when the pieces of an answer come.
#[derive(Default)]
struct StreamTimes {
    first: Option<Instant>,
    last: Option<Instant>,
    pieces: u32,
}

impl StreamTimes {
    fn piece(&mut self) {
        let now = Instant::now();
        self.first.get_or_insert(now);
        self.last = Some(now);
        self.pieces += 1;
    }

    /// Tokens a second; none where too few came, or all at once.
    fn speed(&self, counted: Option<u64>) -> Option<f64> {
        let took = self.last?.duration_since(self.first?);
        let tokens = counted.and_then(|tokens| u32::try_from(tokens).ok()).unwrap_or(0).max(self.pieces);
        let enough = self.pieces >= LEAST_PIECES && took >= LEAST_TIME;
        enough.then(|| f64::from(tokens.saturating_sub(1)) / took.as_secs_f64())
    }
}

impl DeltaSink for StreamTimes {
    fn text(&mut self, _: &str) {
        self.piece();
    }
    fn thinking(&mut self, _: usize) {
        self.piece();
    }
}

/// How fast the model generates: a short answer tells, also one that is cut or takes too long.
async fn speed(server: &ReachableServer, model: &str) -> Option<f64> {
    let mut ask = request(server, model, "Count from one to one hundred, in words.", MEASURED_TOKENS);
    ask.timeouts.turn = Some(MEASURED_TIME);
    let mut heard = StreamTimes::default();
    let usage = match server.client.chat(&ask, &mut heard).await {
        Ok(answer) => answer.usage,
        Err(error) => error.usage,
    };
    heard.speed(usage.completion_tokens)
}

fn fast_enough(model: &str, speed: f64, wanted: &ProbeRequest<'_>) -> CheckupFinding {
    let what = format!("model {model}");
    match wanted.overlong(model, speed) {
        Some(overlong) => CheckupFinding::warn(what, format!("slow: {overlong}"), Overlong::REMEDY),
        None => CheckupFinding::ok(what, format!("generates about {speed:.1} tokens a second")),
    }
}

/// The context of the model: as it is loaded, and as the server lists it.
async fn context_length(
    server: &ReachableServer,
    found: &ProbedModels,
    model: &str,
    wanted: &ProbeRequest<'_>,
) -> Option<CheckupFinding> {
    let what = format!("model {model}");
    let all = server.client.loaded().await.ok()?;
    let same = |loaded: &&LoadedModel| servers::same_model(&loaded.name, model);
    let loaded = all.iter().find(same);
    let listed = found.models.iter().find(|listed| servers::same_model(&listed.name, model));
    let known = [loaded.and_then(|loaded| loaded.context_length), listed.and_then(|listed| listed.context_length)];
    let context = known.into_iter().flatten().min().or(server.client.known(model).context)?;
    if let Some(outgrown) = wanted.outgrows(context) {
        return Some(CheckupFinding::warn(what, format!("the debate may not fit: {outgrown}"), Outgrown::REMEDY));
    }
    if context < SMALL_CONTEXT {
        let fix = "set num_ctx of this host, or OLLAMA_CONTEXT_LENGTH at the server; long debates will not fit";
        return Some(CheckupFinding::warn(what, format!("context of {context} tokens"), fix));
    }
    if loaded.is_some_and(|loaded| loaded.offloaded() == Some(true)) {
        return Some(CheckupFinding::warn(
            what,
            "part of it runs on the CPU",
            "a smaller model or a smaller num_ctx is faster",
        ));
    }
    Some(CheckupFinding::ok(what, format!("context of {context} tokens")))
}

fn fix_of(server: &ReachableServer, error: &ChatError, model: &str) -> String {
    match error.kind {
        ChatErrorKind::NotFound => match server.settings.kind {
            HostKind::Ollama => remedy::pull(model),
            HostKind::Openai => "choose another with --model NAME".to_owned(),
        },
        ChatErrorKind::RunnerDied | ChatErrorKind::Server5xx => {
            format!("the model likely needs more memory than the server has: {}", remedy::SMALLER_MODEL)
        }
        ChatErrorKind::Timeout(_) => format!("the server accepts calls and does not answer: {}", remedy::SILENT),
        _ => servers::hint(server, error).unwrap_or_else(|| "read the server's log".to_owned()),
    }
}
