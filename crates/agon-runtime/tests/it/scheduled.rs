//! What many debates at one server cost, by who is next: a server with the rehearsal's prompt cache, in paused time.
use crate::cast::answer;
use crate::test_bench::*;
use agon_core::*;
use agon_llm::{
    CallTimeouts, ChatAnswer, ChatError, ChatErrorKind, ChatModel, ChatRequest, DeltaSink, Endpoint, EndpointKind,
    LoadedModel, ModelDetails, ModelInfo, ServerVersion,
};
use agon_rehearsal::cache::{Lease, PromptCache};
use agon_runtime::{HostConfig, Scheduling, Served};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Calls at once, and slots.
const SLOTS: usize = 4;
/// Tokens that the cache keeps beside its slots: 8 GiB of an 8B model.
const RAM: u64 = 65_536;
/// What a token of a prompt takes, and an answer.
const PREFILL: Duration = Duration::from_micros(500);
const ANSWER: Duration = Duration::from_secs(2);

/// The models of a server that has all.
const MODELS: [&str; 5] = ["m", "m0", "m1", "m2", "m3"];

/// A model server whose only secret is its cache.
struct CachingServer {
    endpoint: Endpoint,
    models: Vec<&'static str>,
    /// Of each model.
    caches: Mutex<BTreeMap<String, PromptCache>>,
    slots: usize,
    ram: u64,
    /// What a token of a prompt takes.
    prefill: Duration,
    /// So many times as long at `m1`.
    lag: u32,
    /// Tokens of prompts, and those that were evaluated.
    tokens: Mutex<(u64, u64)>,
    /// Calls that were broken off.
    broken: AtomicUsize,
    /// What comes of calls for one token.
    one_token: Mutex<OneToken>,
}

/// What comes of calls that only read.
#[derive(Clone, Copy, Default)]
enum OneToken {
    #[default]
    Read,
    Hang,
    Refuse,
}

/// A call in a slot, which is free again however the call ends.
struct SlotInUse<'a> {
    server: &'a CachingServer,
    model: &'a str,
    lease: Option<Lease>,
}
impl SlotInUse<'_> {
    fn end(&mut self, text: &str) {
        let Some(lease) = self.lease.take() else { return };
        self.server.caches.lock().unwrap().get_mut(self.model).unwrap().finish(lease, text);
    }
}
impl Drop for SlotInUse<'_> {
    fn drop(&mut self) {
        if self.lease.is_some() {
            self.server.broken.fetch_add(1, Ordering::Relaxed);
            self.end("");
        }
    }
}

impl CachingServer {
    fn new(slots: usize, ram: u64) -> Arc<Self> {
        Self::with(MODELS.to_vec(), (slots, ram), (PREFILL, 1))
    }
    fn with(models: Vec<&'static str>, (slots, ram): (usize, u64), (prefill, lag): (Duration, u32)) -> Arc<Self> {
        let endpoint = Endpoint::parse(EndpointKind::Ollama, "http://caching:11434").unwrap();
        let (caches, tokens, broken, one_token) = Default::default();
        Arc::new(Self { endpoint, models, caches, slots, ram, prefill, lag, tokens, broken, one_token })
    }
    fn host(self: &Arc<Self>, id: &str, scheduling: Scheduling) -> HostConfig {
        HostConfig {
            id: id.into(),
            client: self.clone(),
            models: Served::List(self.models.iter().map(|model| (*model).into()).collect()),
            permits: NonZeroUsize::new(SLOTS).unwrap(),
            scheduling,
            read_ahead: false,
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
        let fresh = || PromptCache::new(self.slots, self.ram);
        let lease = self.caches.lock().unwrap().entry(request.model.clone()).or_insert_with(fresh).begin(prompt);
        let mut slot = SlotInUse { server: self, model: &request.model, lease: Some(lease) };
        let evaluated = lease.prompt - lease.cached;
        {
            let mut tokens = self.tokens.lock().unwrap();
            *tokens = (tokens.0 + lease.prompt, tokens.1 + evaluated);
        }
        let lag = if request.model == "m1" { self.lag } else { 1 };
        let prefill = self.prefill * u32::try_from(evaluated).unwrap() * lag;
        let mut usage = Usage {
            prompt_tokens: Some(lease.prompt),
            cached_tokens: Some(lease.cached),
            completion_tokens: Some(100),
        };
        if request.max_tokens() == 1 {
            let reads = *self.one_token.lock().unwrap();
            match reads {
                OneToken::Read => tokio::time::sleep(prefill).await,
                OneToken::Hang => std::future::pending().await,
                OneToken::Refuse => return nothing(),
            }
            slot.end("");
            usage.completion_tokens = Some(1);
            return Err(ChatError { usage, ..ChatError::new(ChatErrorKind::Truncated { partial_chars: 3 }, "") });
        }
        tokio::time::sleep(prefill + ANSWER).await;
        slot.end(&text);
        sink.text(&text);
        let prefill_ms = Some(u64::try_from(prefill.as_millis()).unwrap());
        let timing = Timing { prefill_ms, ..Timing::default() };
        Ok(ChatAnswer { text, usage, timing, ..ChatAnswer::default() })
    }
    async fn models(&self) -> Result<Vec<ModelInfo>, ChatError> {
        Ok(self.models.iter().map(|name| ModelInfo { name: (*name).to_owned(), ..ModelInfo::default() }).collect())
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

        assert!(ours.evaluated <= 0.16, "{} of the prompt tokens", ours.evaluated);
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

/// The same, each debater on a model of its own.
fn on_four_models(n: usize) -> DebateSpec {
    let spec = four_by_six(n);
    let personas = (0..).zip(&spec.personas).map(|(n, persona)| {
        let voice = Voice { model: format!("m{n}").as_str().into(), ..persona.voice.clone() };
        Persona { voice, ..persona.clone() }
    });
    DebateSpec { personas: personas.collect(), ..spec }
}

/// What debates on four models cost, by what their logs tell.
#[derive(Default)]
struct PlayedAhead {
    prompt: u64,
    evaluated: u64,
    /// Seconds to the end of each debate.
    took: Vec<f64>,
}
impl PlayedAhead {
    fn longest(&self) -> f64 {
        self.took.iter().copied().fold(0.0, f64::max)
    }
}

/// Plays them at these servers, each at a node of its own, with a permit for each slot.
async fn play_ahead(debates: usize, servers: &[&Arc<CachingServer>], read_ahead: bool) -> PlayedAhead {
    let stage = TestBench::new();
    let host = |id: &str, server: &Arc<CachingServer>| {
        let permits = NonZeroUsize::new(server.slots).unwrap();
        HostConfig { permits, read_ahead, ..server.host(id, Scheduling::CacheAware) }
    };
    let node = stage.peer("n0", vec![host("gpu0", servers[0])]).await;
    let mut players = Vec::new();
    for (n, server) in servers.iter().enumerate().skip(1) {
        players.push(stage.player(&format!("n{n}"), vec![host(&format!("gpu{n}"), server)]).await);
    }
    let began = tokio::time::Instant::now();
    for n in 0..debates {
        node.submit(admission(&format!("debate-{n}"), on_four_models(n))).await.unwrap();
    }
    let mut played = PlayedAhead::default();
    for n in 0..debates {
        let id = format!("debate-{n}");
        assert_eq!(node.finished(&debate(&id)).await.unwrap().0, DebateState::Succeeded, "{id}");
        played.took.push(began.elapsed().as_secs_f64());
        let log = stage.log(&id).await;
        assert!(causes(&log).is_empty(), "{id}");
        let events = log.iter().flat_map(|record| &record.events);
        for usage in events.filter_map(Event::made_call).map(|call| call.usage) {
            played.prompt += usage.prompt_tokens.unwrap();
            played.evaluated += usage.prompt_tokens.unwrap() - usage.cached_tokens.unwrap();
        }
    }
    played
}

#[tokio::test(start_paused = true)]
async fn models_that_read_while_others_speak_shorten_a_debate_and_its_log_has_what_they_read() {
    // the slow one still reads when its turn comes, which does not read the same in another slot
    for (slots, lag) in [(1, 1), (2, 30)] {
        let one = || CachingServer::with(MODELS.to_vec(), (slots, RAM), (PREFILL, lag));
        let (server, other) = (one(), one());
        let without = play_ahead(1, &[&other], false).await;
        let with = play_ahead(1, &[&server], true).await;

        // a turn evaluates one speech and its tail instead of four speeches
        assert!(with.longest() < without.longest() - 2.0, "{} {}", with.longest(), without.longest());
        assert!(with.evaluated <= without.evaluated * 11 / 10, "{} {}", with.evaluated, without.evaluated);
        assert_eq!(server.broken.load(Ordering::Relaxed), 0);
        assert_eq!((with.prompt, with.evaluated), *server.tokens.lock().unwrap(), "{slots}");
    }
}

#[tokio::test(start_paused = true)]
async fn models_at_several_hosts_read_while_others_speak() {
    let both =
        || [["m0", "m1"], ["m2", "m3"]].map(|models| CachingServer::with(models.to_vec(), (1, RAM), (PREFILL, 1)));
    let (servers, others) = (both(), both());
    let without = play_ahead(1, &others.each_ref(), false).await;
    let with = play_ahead(1, &servers.each_ref(), true).await;

    assert!(with.longest() < without.longest() - 2.0, "{} {}", with.longest(), without.longest());
    let counted = servers.iter().map(|server| server.tokens.lock().unwrap().0).sum::<u64>();
    assert_eq!(with.prompt, counted);
}

#[tokio::test(start_paused = true)]
async fn who_reads_ahead_gives_way_to_other_debates() {
    let slow = || CachingServer::with(MODELS.to_vec(), (1, RAM), (PREFILL * 10, 1));
    let (server, other) = (slow(), slow());
    let without = play_ahead(3, &[&other], false).await;
    let with = play_ahead(3, &[&server], true).await;

    assert!(with.longest() <= without.longest() * 1.02, "{} {}", with.longest(), without.longest());
    assert!(server.broken.load(Ordering::Relaxed) > 0, "nobody had to give way");
}

#[tokio::test(start_paused = true)]
async fn reads_that_hang_or_are_refused_fail_no_turn_and_cost_no_more_than_the_wait_for_two() {
    for (reads, most) in [(OneToken::Hang, 2.0 * 4.0 * 5.0), (OneToken::Refuse, 0.5)] {
        let (server, other) = (CachingServer::new(1, RAM), CachingServer::new(1, RAM));
        *server.one_token.lock().unwrap() = reads;
        let without = play_ahead(1, &[&other], false).await;
        let with = play_ahead(1, &[&server], true).await;

        assert!(with.longest() <= without.longest() + most, "{} {}", with.longest(), without.longest());
        assert_eq!(with.prompt, without.prompt);
        assert_eq!(server.broken.load(Ordering::Relaxed), 8, "each model twice");
    }
}

#[tokio::test(start_paused = true)]
async fn reads_that_hang_hold_up_no_other_debate() {
    let (server, other) = (CachingServer::new(1, RAM), CachingServer::new(1, RAM));
    *server.one_token.lock().unwrap() = OneToken::Hang;
    let without = play_ahead(4, &[&other], false).await;
    let with = play_ahead(4, &[&server], true).await;

    assert!(with.longest() <= without.longest() + 10.0, "{} {}", with.longest(), without.longest());
}

#[tokio::test(start_paused = true)]
async fn nothing_is_read_ahead_of_a_debate_that_counts_its_tokens() {
    let (stage, server) = (TestBench::new(), CachingServer::new(1, RAM));
    let host = HostConfig { read_ahead: true, ..server.host("gpu1", Scheduling::CacheAware) };
    let node = stage.node("n1", vec![host]).await;
    let spec = DebateSpec { budget: Budget { tokens: Some(1_000_000), seconds: None }, ..on_four_models(0) };
    *server.one_token.lock().unwrap() = OneToken::Hang;

    node.submit(admission("debate-0", spec)).await.unwrap();

    assert_eq!(node.finished(&debate("debate-0")).await.unwrap().0, DebateState::Succeeded);
    assert_eq!(server.broken.load(Ordering::Relaxed), 0);
}
