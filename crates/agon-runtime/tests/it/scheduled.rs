//! What many debates at one server cost, by who is next: a server with the rehearsal's prompt cache, in paused time.
use crate::cast::answer;
use crate::test_bench::*;
use agon_core::*;
use agon_llm::{
    CallTimeouts, ChatAnswer, ChatError, ChatErrorKind, ChatModel, ChatRequest, DeltaSink, Endpoint, EndpointKind,
    LoadedModel, ModelDetails, ModelInfo, ServerVersion,
};
use agon_rehearsal::cache::PromptCache;
use agon_runtime::{HostConfig, Scheduling, Served};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Calls at once, and slots.
const SLOTS: usize = 4;
/// Tokens that the cache keeps beside its slots: 8 GiB of an 8B model.
const RAM: u64 = 65_536;
/// What a token of a prompt takes, and an answer.
const PREFILL: Duration = Duration::from_micros(500);
const ANSWER: Duration = Duration::from_secs(2);

/// A model server whose only secret is its cache.
struct CachingServer {
    endpoint: Endpoint,
    cache: Mutex<PromptCache>,
    /// Tokens of prompts, and those that were evaluated.
    tokens: Mutex<(u64, u64)>,
}

impl CachingServer {
    fn new(slots: usize, ram: u64) -> Arc<Self> {
        let endpoint = Endpoint::parse(EndpointKind::Ollama, "http://caching:11434").unwrap();
        Arc::new(Self { endpoint, cache: Mutex::new(PromptCache::new(slots, ram)), tokens: Mutex::default() })
    }
    fn host(self: &Arc<Self>, id: &str, scheduling: Scheduling) -> HostConfig {
        HostConfig {
            id: id.into(),
            client: self.clone(),
            models: Served::List(vec!["m".into()]),
            permits: NonZeroUsize::new(SLOTS).unwrap(),
            scheduling,
            runner: Default::default(),
            timeouts: Default::default(),
            rehearsal: true,
        }
    }
    /// The share of prompt tokens that was evaluated.
    fn evaluated(&self) -> f64 {
        let (prompt, evaluated) = *self.tokens.lock().unwrap();
        evaluated as f64 / prompt as f64
    }
}

#[async_trait::async_trait]
impl ChatModel for CachingServer {
    async fn chat(&self, request: &ChatRequest, sink: &mut dyn DeltaSink) -> Result<ChatAnswer, ChatError> {
        let prompt: String = request.messages.iter().map(|message| message.content.to_string()).collect();
        let text = answer(&prompt, request.format.as_deref());
        // a speech has about a hundred tokens
        let text = if request.format.is_none() { format!("{text} ").repeat(8) } else { text };
        let lease = self.cache.lock().unwrap().begin(prompt);
        let evaluated = lease.prompt - lease.cached;
        {
            let mut tokens = self.tokens.lock().unwrap();
            *tokens = (tokens.0 + lease.prompt, tokens.1 + evaluated);
        }
        let prefill = PREFILL * u32::try_from(evaluated).unwrap();
        tokio::time::sleep(prefill + ANSWER).await;
        self.cache.lock().unwrap().finish(lease, &text);
        sink.text(&text);
        let usage = Usage {
            prompt_tokens: Some(lease.prompt),
            cached_tokens: Some(lease.cached),
            completion_tokens: Some(100),
        };
        let prefill_ms = Some(u64::try_from(prefill.as_millis()).unwrap());
        let timing = Timing { prefill_ms, ..Timing::default() };
        Ok(ChatAnswer { text, usage, timing, ..ChatAnswer::default() })
    }
    async fn models(&self) -> Result<Vec<ModelInfo>, ChatError> {
        Ok(vec![ModelInfo { name: "m".into(), ..ModelInfo::default() }])
    }
    async fn version(&self) -> Result<ServerVersion, ChatError> {
        nothing()
    }
    async fn show(&self, _: &str) -> Result<ModelDetails, ChatError> {
        Ok(ModelDetails::default())
    }
    async fn loaded(&self) -> Result<Vec<LoadedModel>, ChatError> {
        Ok(Vec::new())
    }
    async fn preload(&self, _: &str, _: Option<Duration>, _: CallTimeouts) -> Result<(), ChatError> {
        nothing()
    }
    async fn embed(&self, _: &str, _: &[String]) -> Result<Vec<Vec<f32>>, ChatError> {
        nothing()
    }
    fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }
}

fn nothing<T>() -> Result<T, ChatError> {
    Err(ChatError::new(ChatErrorKind::BadRequest, "not here"))
}

/// Four debaters, six rounds, each on its own topic.
fn four_by_six(n: usize) -> DebateSpec {
    let spec = simultaneous_spec();
    let personas = ["Ada", "Bo", "Cy", "Dee"].map(|name| Persona { name: name.into(), ..spec.personas[0].clone() });
    DebateSpec {
        topic: format!("Number {n}: {}", "should the city replace its buses? ".repeat(4)),
        max_rounds: 6,
        visibility: Visibility::Sequential,
        personas: personas.to_vec(),
        ..spec
    }
}

/// What a set of debates cost.
struct PlayedSet {
    evaluated: f64,
    /// Seconds to the end of each debate.
    took: Vec<f64>,
}
impl PlayedSet {
    fn mean(&self) -> f64 {
        self.took.iter().sum::<f64>() / self.took.len() as f64
    }
    fn longest(&self) -> f64 {
        self.took.iter().copied().fold(0.0, f64::max)
    }
}

async fn play(debates: usize, ram: u64, scheduling: Scheduling) -> PlayedSet {
    let (stage, server) = (TestBench::new(), CachingServer::new(SLOTS, ram));
    let node = stage.node("n1", vec![server.host("gpu1", scheduling)]).await;
    let began = tokio::time::Instant::now();
    for n in 0..debates {
        node.submit(admission(&format!("debate-{n}"), four_by_six(n))).await.unwrap();
    }
    let ended = (0..debates).map(|n| {
        let node = &node;
        async move {
            let id = debate(&format!("debate-{n}"));
            assert_eq!(node.finished(&id).await.unwrap().0, DebateState::Succeeded, "{id}");
            began.elapsed().as_secs_f64()
        }
    });
    let took = futures_util::future::join_all(ended).await;
    PlayedSet { evaluated: server.evaluated(), took }
}

#[tokio::test(start_paused = true)]
async fn many_debates_at_once_evaluate_little_more_than_one_after_the_other_and_none_waits_for_it() {
    for ram in [RAM, 0] {
        let first_come = play(24, ram, Scheduling::Fifo).await;
        let ours = play(24, ram, Scheduling::CacheAware).await;

        assert!(ours.evaluated <= 0.12, "{} of the prompt tokens", ours.evaluated);
        assert!(ours.evaluated < 0.6 * first_come.evaluated, "{} {}", ours.evaluated, first_come.evaluated);
        assert!(ours.mean() <= first_come.mean(), "{} {}", ours.mean(), first_come.mean());
        assert!(ours.longest() <= first_come.longest(), "{} {}", ours.longest(), first_come.longest());
        let slowed = ours.took.iter().zip(&first_come.took).filter(|(ours, theirs)| **ours > **theirs * 1.5);
        assert_eq!(slowed.count(), 0);
    }
}

#[tokio::test(start_paused = true)]
async fn debates_wait_for_a_busy_server_before_they_begin_and_fail_no_turn_by_that() {
    let (stage, server) = (TestBench::new(), CachingServer::new(1, 0));
    let host = HostConfig { permits: NonZeroUsize::MIN, ..server.host("gpu1", Scheduling::CacheAware) };
    let node = stage.node("n1", vec![host]).await;

    for n in 0..30 {
        node.submit(admission(&format!("debate-{n}"), four_by_six(n))).await.unwrap();
    }

    for n in 0..30 {
        let id = format!("debate-{n}");
        assert_eq!(node.finished(&debate(&id)).await.unwrap().0, DebateState::Succeeded);
        assert!(causes(&stage.log(&id).await).is_empty(), "{id}");
    }
    assert!(server.evaluated() < 0.25, "{}", server.evaluated());
}

#[tokio::test(start_paused = true)]
async fn debates_move_to_a_server_that_has_nothing_to_do() {
    let (stage, one, other) = (TestBench::new(), CachingServer::new(SLOTS, RAM), CachingServer::new(SLOTS, RAM));
    let node = stage.peer("n1", vec![one.host("gpu1", Scheduling::CacheAware)]).await;
    for n in 0..16 {
        node.submit(admission(&format!("debate-{n}"), four_by_six(n))).await.unwrap();
    }
    tokio::time::sleep(Duration::from_secs(5)).await;
    let second = stage.player("n2", vec![other.host("gpu2", Scheduling::CacheAware)]).await;

    for n in 0..16 {
        assert_eq!(node.finished(&debate(&format!("debate-{n}"))).await.unwrap().0, DebateState::Succeeded);
    }

    let calls = |server: &CachingServer| server.tokens.lock().unwrap().0;
    assert!(calls(&other) * 3 > calls(&one), "{} {}", calls(&one), calls(&other));
    drop(second);
}
