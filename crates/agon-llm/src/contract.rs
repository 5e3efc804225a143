//! What every model server has to do for Agon, as checks that run against any of them: a stub, a rehearsal, a real host.
//!
//! The checks generate little (some twenty short answers) and change nothing but which model is loaded.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use agon_core::{CallOptions, Think};
use serde_json::{Value, json};

use crate::{
    CallTimeouts, ChatAnswer, ChatError, ChatErrorKind, ChatMessage, ChatModel, ChatRequest, Discard, EndpointKind,
    ModelDetails, SharedText, ToolSpec,
};

// A prompt that has to overflow the context is made of this many bytes for each token that fits.
const BYTES_PER_TOKEN: u64 = 8;
const MAX_OVERFLOW_BYTES: u64 = 2 * 1024 * 1024;

/// What came of one check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContractOutcome {
    /// The server did as it should.
    Passed,
    /// The server cannot be asked, for this reason.
    NotApplicable(String),
    /// The server did something else.
    Failed(String),
}

/// The outcome of every check, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContractReport {
    /// Each check's name, a sentence, and its outcome.
    pub checks: Vec<(&'static str, ContractOutcome)>,
}

impl ContractReport {
    /// Whether nothing failed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.checks.iter().all(|(_, outcome)| !matches!(outcome, ContractOutcome::Failed(_)))
    }
}

impl fmt::Display for ContractReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, outcome) in &self.checks {
            match outcome {
                ContractOutcome::Passed => writeln!(f, "passed          {name}")?,
                ContractOutcome::NotApplicable(why) => writeln!(f, "not applicable  {name}: {why}")?,
                ContractOutcome::Failed(why) => writeln!(f, "FAILED          {name}: {why}")?,
            }
        }
        Ok(())
    }
}

/// A passed check, or why it does not apply; an error says what was wrong.
type ContractResult = Result<ContractOutcome, String>;
type ContractCheck = for<'a> fn(&'a ContractSubject<'a>) -> Pin<Box<dyn Future<Output = ContractResult> + Send + 'a>>;

/// Runs every check against `model` on the server behind `client`.
pub async fn run(client: &dyn ChatModel, model: &str) -> ContractReport {
    let (details, seen) = match client.show(model).await {
        Ok(details) => (details, ContractOutcome::Passed),
        Err(error) => (ModelDetails::default(), ContractOutcome::Failed(error.to_string())),
    };
    let subject = ContractSubject { client, model, details };
    let mut checks = vec![("a model's details can be read", seen)];
    for (name, check) in CHECKS {
        checks.push((name, check(&subject).await.unwrap_or_else(ContractOutcome::Failed)));
    }
    ContractReport { checks }
}

const CHECKS: [(&str, ContractCheck); 13] = [
    ("the version can be read", |on| Box::pin(version(on))),
    ("the model is listed", |on| Box::pin(listed(on))),
    ("preloading puts the model in memory", |on| Box::pin(preload(on))),
    ("an answer arrives in pieces that make up its text", |on| Box::pin(answer(on))),
    ("an answer comes with token counts", |on| Box::pin(usage(on))),
    ("an answer that runs out of tokens is a failure", |on| Box::pin(length(on))),
    ("a schema is followed", |on| Box::pin(schema(on))),
    ("a tool can be offered", |on| Box::pin(tools(on))),
    ("an unknown model is a failure that no retry can help", |on| Box::pin(unknown_model(on))),
    ("a prompt that is too long is refused and not cut", |on| Box::pin(overflow(on))),
    ("a call that is dropped leaves the server usable", |on| Box::pin(dropped(on))),
    ("two calls at once are both answered", |on| Box::pin(two_at_once(on))),
    ("vectors come one for each input", |on| Box::pin(vectors(on))),
];

/// The server and the model under test.
struct ContractSubject<'a> {
    client: &'a dyn ChatModel,
    model: &'a str,
    details: ModelDetails,
}

impl ContractSubject<'_> {
    fn is_ollama(&self) -> bool {
        self.client.endpoint().kind() == EndpointKind::Ollama
    }

    fn ask(&self, prompt: impl Into<SharedText>, max_tokens: u32) -> ChatRequest {
        let think = (self.details.can("thinking") == Some(true)).then_some(Think::Off);
        let options =
            CallOptions { temperature: Some(0.0), max_tokens: Some(max_tokens), think, ..CallOptions::default() };
        ChatRequest { options, ..ChatRequest::new(self.model, vec![ChatMessage::user(prompt)]) }
    }

    async fn chat(&self, request: &ChatRequest) -> Result<ChatAnswer, ChatError> {
        self.client.chat(request, &mut Discard).await
    }
}

fn told(error: ChatError) -> String {
    error.to_string()
}

fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> ContractResult {
    if holds { Ok(ContractOutcome::Passed) } else { Err(otherwise()) }
}

fn not_applicable(why: &str) -> ContractResult {
    Ok(ContractOutcome::NotApplicable(why.to_owned()))
}

async fn version(on: &ContractSubject<'_>) -> ContractResult {
    let version = on.client.version().await.map_err(told)?;
    if !on.is_ollama() {
        return not_applicable("the interface has no version");
    }
    ensure(version.release.is_some(), || format!("no release in {:?}", version.text))
}

async fn listed(on: &ContractSubject<'_>) -> ContractResult {
    let names: Vec<String> = on.client.models().await.map_err(told)?.into_iter().map(|model| model.name).collect();
    let latest = format!("{}:latest", on.model);
    ensure(names.iter().any(|name| name == on.model || *name == latest), || format!("only {names:?}"))
}

async fn preload(on: &ContractSubject<'_>) -> ContractResult {
    on.client.preload(on.model, Some(Duration::from_secs(600)), CallTimeouts::default()).await.map_err(told)?;
    if !on.is_ollama() {
        return not_applicable("the interface cannot load");
    }
    // Weights that another name has loaded are listed under that name alone, so that any model will do.
    let loaded = on.client.loaded().await.map_err(told)?;
    ensure(!loaded.is_empty(), || "nothing is listed as loaded".to_owned())
}

async fn answer(on: &ContractSubject<'_>) -> ContractResult {
    let mut heard = String::new();
    let request = on.ask("Say hello in one short sentence.", 256);
    let answer = on.client.chat(&request, &mut |delta: &str| heard.push_str(delta)).await.map_err(told)?;
    ensure(heard == answer.text, || format!("heard {heard:?} but got {:?}", answer.text))
}

async fn usage(on: &ContractSubject<'_>) -> ContractResult {
    let answer = on.chat(&on.ask("Say hello in one short sentence.", 256)).await.map_err(told)?;
    if !on.is_ollama() && answer.usage.prompt_tokens.is_none() {
        return not_applicable("the server does not tell");
    }
    let counted = answer.usage.prompt_tokens.is_some() && answer.usage.completion_tokens.is_some();
    ensure(counted, || format!("{:?}", answer.usage))
}

async fn length(on: &ContractSubject<'_>) -> ContractResult {
    match on.chat(&on.ask("Count from one to one hundred, in words.", 4)).await {
        Err(error) => {
            let kind = &error.kind;
            let expected = matches!(kind, ChatErrorKind::Truncated { .. } | ChatErrorKind::BudgetEaten { .. });
            ensure(expected, || error.to_string())
        }
        Ok(answer) => Err(format!("{:?} was taken for whole", answer.text)),
    }
}

async fn schema(on: &ContractSubject<'_>) -> ContractResult {
    let schema = json!({
        "type": "object", "properties": {"winner": {"type": "string", "enum": ["tea", "coffee"]}},
        "required": ["winner"], "additionalProperties": false
    });
    let prompt = r#"Which is better, tea or coffee? Answer as JSON: {"winner": "tea"} or {"winner": "coffee"}."#;
    let request = ChatRequest { format: Some(Arc::new(schema)), ..on.ask(prompt, 256) };
    let answer = on.chat(&request).await.map_err(told)?;
    let value: Value = serde_json::from_str(answer.text.trim()).map_err(|error| format!("{error}: {}", answer.text))?;
    let winner = value.get("winner").and_then(Value::as_str);
    ensure(matches!(winner, Some("tea" | "coffee")), || answer.text.clone())
}

async fn tools(on: &ContractSubject<'_>) -> ContractResult {
    if on.details.can("tools") != Some(true) {
        return not_applicable("the model is not known to call tools");
    }
    let parameters = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
    let tool = ToolSpec {
        name: "weather".into(),
        description: "Tells the weather in a city.".into(),
        parameters: Arc::new(parameters),
    };
    let request = ChatRequest { tools: vec![tool], ..on.ask("What is the weather in Rome? Use the tool.", 256) };
    let answer = on.chat(&request).await.map_err(told)?;
    // Whether a model makes use of a tool is its own affair; what it calls has to be what was offered.
    let fitting = answer.tool_calls.iter().all(|call| call.name == "weather" && call.arguments.is_object());
    ensure(fitting, || format!("{:?}", answer.tool_calls))
}

async fn unknown_model(on: &ContractSubject<'_>) -> ContractResult {
    let request = ChatRequest { model: "agon-no-such-model:0b".into(), ..on.ask("Say hello.", 16) };
    match on.chat(&request).await {
        Err(error) if on.is_ollama() => ensure(error.kind == ChatErrorKind::NotFound, || error.to_string()),
        Err(error) => ensure(!error.can_retry(), || error.to_string()),
        Ok(_) if on.is_ollama() => Err("it answered".to_owned()),
        Ok(_) => not_applicable("the server runs one model and answers to any name"),
    }
}

async fn overflow(on: &ContractSubject<'_>) -> ContractResult {
    let loaded = on.client.loaded().await.map_err(told)?;
    let allocated = loaded.iter().filter_map(|model| model.context_length).max();
    let Some(context) = allocated else { return not_applicable("the server does not tell its context length") };
    let bytes = context.saturating_mul(BYTES_PER_TOKEN);
    if bytes > MAX_OVERFLOW_BYTES {
        return not_applicable("the context is too long to be filled in a check");
    }
    // Each word is at least one token, so that the prompt overflows even if no word is split.
    let words = "ab ".repeat(usize::try_from(bytes).unwrap_or_default() / 3);
    match on.chat(&on.ask(words, 16)).await {
        Err(error) => {
            let refused = matches!(error.kind, ChatErrorKind::ContextOverflow { .. });
            ensure(refused, || error.to_string())
        }
        Ok(answer) => Err(format!("it answered, having counted {:?}", answer.usage.prompt_tokens)),
    }
}

async fn dropped(on: &ContractSubject<'_>) -> ContractResult {
    let long = on.ask("Tell a long story about the sea.", 2000);
    let (tell, told_first) = tokio::sync::oneshot::channel();
    let mut tell = Some(tell);
    let mut sink = move |_: &str| {
        if let Some(tell) = tell.take() {
            let _ = tell.send(());
        }
    };
    tokio::select! {
        biased;
        _ = told_first => {}
        ended = on.client.chat(&long, &mut sink) => drop(ended.map_err(told)?),
    }
    let after = on.chat(&on.ask("Say hello in one short sentence.", 256)).await.map_err(told)?;
    ensure(!after.text.is_empty(), || "no text".to_owned())
}

async fn two_at_once(on: &ContractSubject<'_>) -> ContractResult {
    let request = on.ask("Say hello in one short sentence.", 256);
    let (first, second) = tokio::join!(on.chat(&request), on.chat(&request));
    first.and(second).map_err(told)?;
    Ok(ContractOutcome::Passed)
}

async fn vectors(on: &ContractSubject<'_>) -> ContractResult {
    if on.details.can("embedding") != Some(true) {
        return not_applicable("the model is not known to compute vectors");
    }
    let vectors = on.client.embed(on.model, &["tea".to_owned(), "coffee".to_owned()]).await.map_err(told)?;
    ensure(vectors.len() == 2, || format!("{} vectors", vectors.len()))
}
