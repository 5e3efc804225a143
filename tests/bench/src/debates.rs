//! Debates through Agon's runtime: the embedded node, its journal and its HTTP client, as `agon run` has them.
use crate::{BenchPlan, Measurement, meter};
use agon_bus::MemoryBus;
use agon_core::{
    Admission, Answered, DebateId, Event, Given, HostId, ModelName, NodeId, Position, RetryPolicy, SpeechKind, Usage,
};
use agon_llm::{CallTimeouts, ClientConfig, Endpoint, EndpointKind, RunnerOptions};
use agon_runtime::{HostConfig, Node, NodeConfig, Ports, Served, Silent, SystemClock};
use agon_spec::{Defaults, Source};
use agon_store::{SqliteOptions, SqliteStore, SyncMode};
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

/// Three speakers, a moderator who closes each round, one reading of the judge: four calls a round and one more.
pub fn load_spec(rounds: u32) -> String {
    format!(
        "topic: Should the city replace its diesel buses within five years?\nmodel: bench\nmax_rounds: {rounds}\nballots: none\n\
         phases: {{opening_statements: false, final_statements: false}}\nmoderator: {{opens: false, closes: true}}\n\
         judge: {{orders: 1}}\npersonas:\n- {{name: Ada, stance: replace them all}}\n- {{name: Bo, stance: keep diesel}}\n- {{name: Cy, stance: mix both}}\n"
    )
}

/// Five speakers on one model, a judge on another.
fn layout_spec(rounds: u32) -> String {
    let personas: String = ["Ada", "Bo", "Cy", "Dee", "Eli"]
        .iter()
        .enumerate()
        .map(|(n, name)| format!("- {{name: {name}, stance: position {n} on the buses}}\n"))
        .collect();
    format!(
        "topic: Should the city replace its diesel buses within five years?\nmodel: bench\nmax_rounds: {rounds}\nballots: none\n\
         phases: {{opening_statements: false, final_statements: false}}\njudge: {{model: another}}\npersonas:\n{personas}"
    )
}

/// An embedded node with one host.
pub struct NodeRig {
    /// What holds the debates.
    pub node: Node,
    /// Their logs.
    pub journal: Arc<SqliteStore>,
    rehearsal: bool,
}

impl NodeRig {
    /// Starts it on an empty store.
    pub async fn start(plan: &BenchPlan) -> Result<Self> {
        let path = plan.store.clone().context("--store is needed")?;
        let sync = if plan.sync_normal { SyncMode::Normal } else { SyncMode::Full };
        let store = Arc::new(SqliteStore::open(&path, SqliteOptions { sync, ..SqliteOptions::default() })?);
        let kind = if plan.openai { EndpointKind::OpenAi } else { EndpointKind::Ollama };
        let endpoint = Endpoint::parse(kind, &plan.url)?;
        let client = agon_llm::connect_with(ClientConfig::new(endpoint));
        let many = NonZeroUsize::new(plan.debates.max(1) as usize).unwrap_or(NonZeroUsize::MIN);
        let host = HostConfig {
            scheduling: plan.scheduling.into(),
            read_ahead: plan.read_ahead,
            id: HostId::from("bench"),
            client,
            models: Served::Any,
            permits: plan.permits.unwrap_or(many),
            runner: RunnerOptions { num_ctx: plan.context },
            timeouts: CallTimeouts { first_byte: Duration::from_secs(900), idle: Duration::from_secs(60), turn: None },
            rehearsal: plan.live.is_none(),
        };
        let bus = Arc::new(MemoryBus::default());
        let ports = Ports {
            bus,
            journal: store.clone(),
            registers: store.clone(),
            jobs: store.clone(),
            commands: store.clone(),
            catalogue: store.clone(),
            upkeep: None,
            observer: Arc::new(Silent),
            hosts: vec![host],
            clock: Arc::new(SystemClock),
        };
        let config = NodeConfig { max_debates: many.get(), ..NodeConfig::embedded(NodeId::from("bench")) };
        Ok(Self { node: Node::start(config, ports).await?, journal: store, rehearsal: plan.live.is_none() })
    }

    /// Hands in a debate.
    pub async fn submit(&self, id: String, spec: &str) -> Result<DebateId> {
        self.submit_file(id, "bench.yaml", spec).await
    }

    /// Hands in the debate of a file with this name, which says how it is written.
    pub async fn submit_file(&self, id: String, name: &str, spec: &str) -> Result<DebateId> {
        let parsed = agon_spec::parse(&Source::new(name, spec), &Defaults::default());
        let spec = parsed.spec.with_context(|| format!("the bench's debate file is bad: {:?}", parsed.diagnostics))?;
        let id = DebateId::parse(&id)?;
        let admission = Admission {
            id: id.clone(),
            spec,
            seed: 1,
            retry: RetryPolicy::default(),
            agon_version: env!("CARGO_PKG_VERSION").to_owned(),
            request_id: None,
            rehearsal: self.rehearsal,
            priority: Default::default(),
            labels: Default::default(),
            creator: None,
            submitted_by: None,
            rejudges: None,
            history: Default::default(),
            recalled: None,
            feeds: Default::default(),
            ratings: Default::default(),
        };
        self.node.submit(admission).await?;
        Ok(id)
    }
}

/// Runs all debates at once.
pub async fn run(plan: &BenchPlan) -> Result<Measurement> {
    let rig = NodeRig::start(plan).await?;
    let warm = rig.submit("warm-up".to_owned(), &load_spec(1)).await?;
    rig.node.finished(&warm).await?;
    let answered = crate::counted(plan, "finished_calls").await?;
    meter::forget_peak();
    let before_kib = meter::resident_kib();
    let stretch = meter::Stretch::start();
    let spec = load_spec(plan.rounds);
    let mut finished = 0;
    for set in 0..plan.repeat {
        let submitted = (0..plan.debates).map(|n| rig.submit(format!("bench-{set}-{n}"), &spec));
        let debates = futures_util::future::try_join_all(submitted).await?;
        for debate in &debates {
            let ended = rig.node.finished(debate).await?;
            ensure!(ended.1.is_some(), "{debate} ended without an outcome: {ended:?}");
            finished += 1;
        }
    }
    let (wall_s, cpu_s) = stretch.seconds();
    let peak_kib = meter::peak_kib();
    let calls = crate::calls_since(plan, answered).await?;
    rig.node.drain().await;
    Ok(Measurement { wall_s, cpu_s, calls, finished, before_kib, peak_kib })
}

/// Starts the debates at a server that does not answer, and measures once every one has its call open.
pub async fn wait(plan: &BenchPlan) -> Result<Measurement> {
    let rig = NodeRig::start(plan).await?;
    meter::forget_peak();
    let before_kib = meter::resident_kib();
    let stretch = meter::Stretch::start();
    let spec = load_spec(plan.rounds);
    for n in 0..plan.debates {
        rig.submit(format!("bench-{n}"), &spec).await?;
    }
    crate::until_all_wait(plan).await?;
    let peak_kib = meter::resident_kib();
    let (wall_s, cpu_s) = stretch.seconds();
    // The calls would take ten minutes; the process ends here and takes them with it.
    println!(
        "{}",
        serde_json::to_string(&Measurement { wall_s, cpu_s, calls: 0, finished: plan.debates, before_kib, peak_kib })?
    );
    std::process::exit(0);
}

/// Prompt tokens of one debate, as its log has them from the server.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct LayoutFigures {
    pub turns: u32,
    pub prompt_tokens: u64,
    pub evaluated_tokens: u64,
    pub persona_first_tokens: u64,
    pub judge_prompt_tokens: u64,
    pub judge_evaluated_tokens: u64,
    /// Evaluated tokens of all turns but the first, beyond the speech before each.
    pub tail_tokens: u64,
}

/// Runs one debate of five speakers, then asks the same server for the same speeches in the persona-first layout.
pub async fn layout(plan: &BenchPlan) -> Result<LayoutFigures> {
    let rig = NodeRig::start(plan).await?;
    let spec = layout_spec(plan.rounds);
    let id = rig.submit("layout".to_owned(), &spec).await?;
    rig.node.finished(&id).await?;
    let records = agon_store::Journal::read(rig.journal.as_ref(), &id, Position(0)).await?;
    let mut layout = LayoutFigures::default();
    let (mut speeches, mut before) = (Vec::new(), None);
    for event in records.iter().flat_map(|record| &record.events) {
        match event {
            Event::Answered(said @ Answered { given: Given::Speech(speech), .. })
                if speech.kind == SpeechKind::Argument =>
            {
                let (prompt, evaluated) = tokens(&said.call.usage)?;
                layout.turns += 1;
                layout.prompt_tokens += prompt;
                layout.evaluated_tokens += evaluated;
                layout.tail_tokens += before.map_or(0, |before| evaluated.saturating_sub(before));
                before = said.call.usage.completion_tokens;
                speeches.push((said.participant.to_string(), speech.text.clone()));
            }
            Event::Answered(Answered { given: Given::Judgement { .. }, call, .. }) => {
                let (prompt, evaluated) = tokens(&call.usage)?;
                layout.judge_prompt_tokens += prompt;
                layout.judge_evaluated_tokens += evaluated;
            }
            _ => {}
        }
    }
    rig.node.drain().await;
    layout.persona_first_tokens = persona_first(plan, &speeches).await?;
    Ok(layout)
}

fn tokens(usage: &Usage) -> Result<(u64, u64)> {
    let prompt = usage.prompt_tokens.context("the server did not report prompt tokens")?;
    let cached = usage.cached_tokens.context("the server did not report cached tokens")?;
    Ok((prompt, prompt - cached))
}

/// The naive layout: who I am first, then topic and transcript. Its model name is its own, so that its cache starts empty.
async fn persona_first(plan: &BenchPlan, speeches: &[(String, Arc<str>)]) -> Result<u64> {
    let http = reqwest::Client::builder().no_proxy().build()?;
    let (mut said, mut evaluated) = (String::new(), 0);
    for (speaker, text) in speeches {
        let system = format!("You are {speaker}. {}", "Hold your stance and answer the strongest point. ".repeat(24));
        let user =
            format!("Topic: should the city replace its diesel buses within five years?\n\n{said}\nIt is your turn.");
        let body = serde_json::json!({"model": ModelName::from("naive").as_str(), "stream": false, "options": {"num_predict": 1},
            "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}]});
        let answer: serde_json::Value =
            http.post(format!("{}/api/chat", plan.url)).json(&body).send().await?.json().await?;
        let count = |key: &str| answer.get(key).and_then(serde_json::Value::as_u64).unwrap_or(0);
        evaluated += count("prompt_eval_count") - count("prompt_eval_cached_count");
        said.push_str(&format!("{speaker}: {text}\n\n"));
    }
    ensure!(evaluated > 0, "the server reported no evaluated tokens");
    Ok(evaluated)
}
