//! A scripted model server inside the test's process.
use agon_core::{HostId, Usage};
use agon_llm::{
    CallTimeouts, ChatAnswer, ChatError, ChatErrorKind, ChatModel, ChatRequest, DeltaSink, Endpoint, EndpointKind,
    LoadedModel, ModelDetails, ModelInfo, ServerVersion, TimeoutPhase, ToolCall, TransportFault, WellKnownModel,
};
use agon_runtime::{HostConfig, Served};
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the server does with one call.
#[derive(Clone, Debug)]
pub enum Cue {
    /// Answers after its usual delay.
    Answer,
    /// Says this, whatever was asked for.
    Say(String),
    /// Says this, and is cut there by the limit of tokens.
    Limited(&'static str),
    /// Answers under this name.
    As(&'static str),
    /// Wants a function called, with a text as its argument.
    Call(&'static str, &'static str),
    /// Says a sentence at a time, each after this pause, and then hangs: only a cut ends it.
    Endlessly(&'static [&'static str], Duration),
    /// Says that it failed.
    Fail,
    /// Refuses the connection.
    Away,
    /// Has no room, and wants to be left alone for so long.
    Full(Duration),
    /// Breaks off its answer.
    Break,
    /// Says that it has too much to do.
    Busy,
    /// Never answers.
    Hang,
    /// Never answers, so that the client gives the call up at the turn's limit.
    Silent,
    /// The call fails so.
    Error(ChatError),
    /// The client panics.
    Panic,
}

/// The server. Clones are the same one.
#[derive(Clone)]
pub struct Cast {
    pub state: Arc<CastState>,
}

pub struct CastState {
    endpoint: Endpoint,
    delay: Duration,
    cues: Mutex<VecDeque<Cue>>,
    /// What it lists; none while it is away.
    pub listed: Mutex<Option<Vec<String>>>,
    /// What it holds in memory.
    pub loaded: Mutex<Vec<LoadedModel>>,
    /// What is known of every model without asking.
    pub known: Mutex<WellKnownModel>,
    /// What `show` tells of every model.
    pub able: Mutex<Vec<String>>,
    /// What becomes of calls for embeddings; each text has the vector of its length and its vowels otherwise.
    pub no_embeddings: Mutex<Option<ChatError>>,
    /// How long it takes to give embeddings.
    pub embeds_after: Mutex<Duration>,
    /// The texts of each call for embeddings.
    pub embedded: Mutex<Vec<Vec<String>>>,
    /// All calls as they came.
    pub requests: Mutex<Vec<ChatRequest>>,
    /// The prompts of all calls, by their last message's end.
    pub calls: Mutex<Vec<String>>,
    pub running: AtomicUsize,
    pub most_running: AtomicUsize,
    pub aborted: AtomicUsize,
}

impl Cast {
    pub fn new(delay: Duration) -> Self {
        let endpoint = Endpoint::parse(EndpointKind::Ollama, "http://scripted:11434").unwrap();
        let state = CastState {
            endpoint,
            delay,
            cues: Mutex::default(),
            listed: Mutex::new(Some(vec!["m".into()])),
            loaded: Mutex::default(),
            known: Mutex::default(),
            able: Mutex::default(),
            no_embeddings: Mutex::default(),
            embeds_after: Mutex::default(),
            embedded: Mutex::default(),
            requests: Mutex::default(),
            calls: Mutex::default(),
            running: AtomicUsize::new(0),
            most_running: AtomicUsize::new(0),
            aborted: AtomicUsize::new(0),
        };
        Self { state: Arc::new(state) }
    }
    /// What happens to the next calls; afterwards every call is answered.
    pub fn uncue(&self) {
        self.state.cues.lock().unwrap().clear();
    }
    pub fn cue(&self, cues: impl IntoIterator<Item = Cue>) {
        self.state.cues.lock().unwrap().extend(cues);
    }
    /// What the server has from now on; none makes it go away.
    pub fn lists(&self, models: Option<&[&str]>) {
        *self.state.listed.lock().unwrap() = models.map(|models| models.iter().map(|name| (*name).into()).collect());
    }
    /// What the models say that they can do.
    pub fn can(&self, what: &str) {
        self.state.able.lock().unwrap().push(what.into());
    }
    pub fn requests(&self) -> Vec<ChatRequest> {
        self.state.requests.lock().unwrap().clone()
    }
    pub fn calls(&self) -> usize {
        self.state.calls.lock().unwrap().len()
    }
    pub fn aborted(&self) -> usize {
        self.state.aborted.load(Ordering::SeqCst)
    }
    pub fn most_running(&self) -> usize {
        self.state.most_running.load(Ordering::SeqCst)
    }
    pub fn running(&self) -> usize {
        self.state.running.load(Ordering::SeqCst)
    }
    /// The server as a host.
    pub fn host(&self, id: &str, permits: usize) -> HostConfig {
        HostConfig {
            scheduling: agon_runtime::Scheduling::default(),
            read_ahead: false,
            id: HostId::from(id),
            client: Arc::new(self.clone()),
            models: Served::List(vec!["m".into()]),
            permits: NonZeroUsize::new(permits).unwrap(),
            runner: Default::default(),
            timeouts: Default::default(),
            rehearsal: true,
        }
    }
}

const USAGE: Usage = Usage { prompt_tokens: Some(100), cached_tokens: None, completion_tokens: Some(10) };

/// Counts a call for as long as it runs.
struct RunningCall<'a>(&'a CastState, bool);
impl<'a> RunningCall<'a> {
    fn begin(state: &'a CastState) -> Self {
        let running = state.running.fetch_add(1, Ordering::SeqCst) + 1;
        state.most_running.fetch_max(running, Ordering::SeqCst);
        Self(state, false)
    }
    /// It has come to an end, and not to an answer.
    fn fails<T>(mut self, error: ChatError) -> Result<T, ChatError> {
        self.1 = true;
        Err(error)
    }
}
impl Drop for RunningCall<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
        if !self.1 {
            self.0.aborted.fetch_add(1, Ordering::SeqCst);
        }
    }
}

#[async_trait::async_trait]
impl ChatModel for Cast {
    async fn chat(&self, request: &ChatRequest, sink: &mut dyn DeltaSink) -> Result<ChatAnswer, ChatError> {
        let prompt: String = request.messages.iter().map(|message| message.content.to_string()).collect();
        let cue = self.state.cues.lock().unwrap().pop_front().unwrap_or(Cue::Answer);
        self.state.calls.lock().unwrap().push(prompt.clone());
        self.state.requests.lock().unwrap().push(request.clone());
        let mut running = RunningCall::begin(&self.state);
        let model = if let Cue::As(name) = cue { Some(name.to_owned()) } else { None };
        let text = match cue {
            Cue::As(_) => answer(&prompt, request.format.as_deref()),
            Cue::Answer => answer(&prompt, request.format.as_deref()),
            Cue::Say(text) => text,
            Cue::Call(name, text) => {
                running.1 = true;
                let call =
                    ToolCall { id: Some("call_1".into()), name: name.into(), arguments: json!({ "text": text }) };
                return Ok(ChatAnswer { tool_calls: vec![call], usage: USAGE, ..ChatAnswer::default() });
            }
            Cue::Endlessly(sentences, pause) => {
                for sentence in sentences {
                    tokio::time::sleep(pause).await;
                    sink.text(sentence);
                }
                std::future::pending().await
            }
            Cue::Limited(text) => {
                text.split_inclusive(' ').for_each(|piece| sink.text(piece));
                let cut = ChatErrorKind::Truncated { partial_chars: text.len() };
                return running.fails(ChatError { usage: USAGE, ..ChatError::new(cut, "") });
            }
            Cue::Fail => {
                return running.fails(ChatError::new(ChatErrorKind::Server5xx, "it failed"));
            }
            Cue::Away => {
                let refused = ChatErrorKind::Transport(TransportFault::Connect);
                return running.fails(ChatError::new(refused, "refused"));
            }
            Cue::Full(pause) => {
                let full = ChatError::new(ChatErrorKind::Busy, "overloaded");
                return running.fails(ChatError { status: Some(503), retry_after: Some(pause), ..full });
            }
            Cue::Break => {
                return running.fails(ChatError::new(ChatErrorKind::Transport(TransportFault::Cut), "it died"));
            }
            Cue::Busy => return running.fails(ChatError::new(ChatErrorKind::Busy, "busy")),
            Cue::Error(error) => return running.fails(error),
            Cue::Hang => std::future::pending().await,
            Cue::Silent => {
                tokio::time::sleep(request.timeouts.turn.unwrap()).await;
                return running.fails(ChatError::new(ChatErrorKind::Timeout(TimeoutPhase::FirstByte), ""));
            }
            Cue::Panic => panic!("the client panics"),
        };
        for piece in text.split_inclusive(' ') {
            sink.text(piece);
        }
        tokio::time::sleep(self.state.delay).await;
        running.1 = true;
        Ok(ChatAnswer { text, usage: USAGE, model, ..ChatAnswer::default() })
    }
    async fn models(&self) -> Result<Vec<ModelInfo>, ChatError> {
        let info =
            |name: &String| ModelInfo { name: name.clone(), digest: Some("sha256:1".into()), ..ModelInfo::default() };
        let listed = self.state.listed.lock().unwrap();
        let listed = listed.as_ref().map(|names| names.iter().map(info).collect());
        listed.ok_or_else(|| ChatError::new(ChatErrorKind::Transport(TransportFault::Connect), "away"))
    }
    async fn version(&self) -> Result<ServerVersion, ChatError> {
        not_in_the_script()
    }
    async fn show(&self, _: &str) -> Result<ModelDetails, ChatError> {
        let capabilities = Some(self.state.able.lock().unwrap().clone());
        Ok(ModelDetails { capabilities, ..ModelDetails::default() })
    }
    fn known(&self, _: &str) -> WellKnownModel {
        self.state.known.lock().unwrap().clone()
    }

    async fn loaded(&self) -> Result<Vec<LoadedModel>, ChatError> {
        Ok(self.state.loaded.lock().unwrap().clone())
    }
    async fn preload(&self, _: &str, _: Option<Duration>, _: CallTimeouts) -> Result<(), ChatError> {
        not_in_the_script()
    }
    async fn embed(&self, _: &str, input: &[String]) -> Result<Vec<Vec<f32>>, ChatError> {
        self.state.embedded.lock().unwrap().push(input.to_vec());
        let pause = *self.state.embeds_after.lock().unwrap();
        tokio::time::sleep(pause).await;
        if let Some(error) = self.state.no_embeddings.lock().unwrap().clone() {
            return Err(error);
        }
        let count = |text: &String, wanted: char| text.chars().filter(|c| *c == wanted).count() as f32;
        Ok(input.iter().map(|text| "aeiou".chars().map(|vowel| count(text, vowel)).collect()).collect())
    }
    fn endpoint(&self) -> &Endpoint {
        &self.state.endpoint
    }
}

fn not_in_the_script<T>() -> Result<T, ChatError> {
    Err(ChatError::new(ChatErrorKind::BadRequest, "not in the script"))
}

/// The same prompt always gets the same answer.
pub fn answer(prompt: &str, schema: Option<&Value>) -> String {
    let hash = prompt.bytes().fold(7u64, |hash, byte| hash.wrapping_mul(31).wrapping_add(u64::from(byte)));
    match schema {
        Some(schema) => fill(schema, hash).to_string(),
        // who is asked for an answer gives one of those that evals have here
        None if prompt.contains("My answer:") => {
            format!("words {}\nMy answer: {}", hash % 1000, ["Rome", "Paris", "Bonn"][(hash % 3) as usize])
        }
        None => format!("My point number {} stands, and here is why.", hash % 1_000_000),
    }
}

/// A value of the schema.
fn fill(schema: &Value, hash: u64) -> Value {
    if let Some(allowed) = schema["enum"].as_array() {
        return allowed[hash as usize % allowed.len()].clone();
    }
    let kind = schema["type"].as_str().or_else(|| schema["type"][0].as_str()).unwrap_or("string");
    match kind {
        "object" => {
            let members = schema["properties"].as_object().unwrap();
            members.iter().map(|(name, member)| (name.clone(), fill(member, hash))).collect()
        }
        "array" => {
            let most = schema["maxItems"].as_u64().unwrap_or(1);
            let items = (0..most.min(1)).map(|_| fill(&schema["items"], hash));
            Value::Array(items.collect())
        }
        "integer" => json!(1),
        "boolean" => json!(false),
        _ => json!(format!("words {}", hash % 1000)),
    }
}
