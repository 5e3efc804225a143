//! Debates through a cluster: gateway, coordinators, hosts, nats-server and the model server are processes of their own.
use crate::{BenchPlan, debates};
use agon_chaos::{GatewayClient, Logs};
use agon_testkit::cluster::{Cluster, MODEL, NodeRole, Scenario};
use agon_testkit::{NatsOptions, cpu_seconds, free_port, http_get};
use anyhow::{Context, Result, ensure};
use futures_util::StreamExt as _;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// What a run gave, from the first submission to the last end.
#[derive(Debug, Serialize, Deserialize)]
pub struct ClusterRun {
    pub wall_s: f64,
    pub turns: u64,
    pub calls: u64,
    pub finished: u32,
    pub logs_checked: u32,
    pub gateway_cpu_s: f64,
    pub coordinators_cpu_s: f64,
    pub hosts_cpu_s: f64,
    pub nats_cpu_s: f64,
    pub models_cpu_s: f64,
    pub bus_bytes: u64,
    pub prompt_tokens: u64,
    pub peak_kib: u64,
    pub nats_peak_kib: u64,
}

/// How long all debates may take.
const PATIENCE: Duration = Duration::from_secs(900);
/// Submissions at one time.
const AT_ONCE: usize = 64;
/// Of so many logs one is checked.
const CHECKED: usize = 20;

/// Figures that only grow.
struct Meters {
    at: Instant,
    roles: [f64; 3],
    nats: f64,
    models: f64,
    bytes: u64,
    prompt_tokens: u64,
    calls: u64,
}

struct ClusterRig {
    cluster: Cluster,
    monitoring: String,
    runtime: tokio::runtime::Runtime,
    client: GatewayClient,
}

/// Runs all debates at once.
pub fn run(plan: &BenchPlan) -> Result<ClusterRun> {
    let mut rig = ClusterRig::start(plan)?;
    rig.hold(&["warm-up".to_owned()], 1)?;
    let before = rig.meters()?;
    let ids: Vec<String> = (0..plan.debates).map(|n| format!("bench-{n}")).collect();
    rig.hold(&ids, plan.rounds)?;
    let after = rig.meters()?;
    let turns = u64::from(plan.calls()) * u64::from(plan.debates);
    let logs = Logs::open(&rig.cluster.nats.url())?;
    let mut logs_checked = 0;
    for id in ids.iter().step_by(CHECKED) {
        let findings = logs.check(id)?;
        ensure!(findings.is_empty(), "{id}: {findings:?}");
        logs_checked += 1;
    }
    let ([gateways, coordinators, hosts], [gateways_now, coordinators_now, hosts_now]) = (before.roles, after.roles);
    let peaks = rig.cluster.members().iter_mut().map(|member| member.process().map_or(0, |process| process.peak_kib()));
    let peak_kib = peaks.sum();
    Ok(ClusterRun {
        wall_s: (after.at - before.at).as_secs_f64(),
        turns,
        calls: after.calls - before.calls,
        finished: plan.debates,
        logs_checked,
        gateway_cpu_s: gateways_now - gateways,
        coordinators_cpu_s: coordinators_now - coordinators,
        hosts_cpu_s: hosts_now - hosts,
        nats_cpu_s: after.nats - before.nats,
        models_cpu_s: after.models - before.models,
        bus_bytes: after.bytes - before.bytes,
        prompt_tokens: after.prompt_tokens - before.prompt_tokens,
        peak_kib,
        nats_peak_kib: rig.cluster.nats.id().map_or(0, agon_testkit::peak_kib),
    })
}

impl ClusterRig {
    fn start(plan: &BenchPlan) -> Result<Self> {
        let agon = plan.agon.clone().context("--agon is needed")?;
        let monitoring = format!("127.0.0.1:{}", free_port()?);
        let config = format!("http: \"{monitoring}\"\n");
        let nats = NatsOptions { program: plan.nats_server.clone(), config, ..NatsOptions::default() };
        let scenario = Scenario::new(agon).coordinators(2).hosts(2).permits(1_000).nats(nats);
        let models = ["--answer-tokens", "200", "--no-model-cache", "--latency", "20ms"];
        let cluster = scenario.rehearsal(&models).start()?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let client = runtime.block_on(async { GatewayClient::new(&[cluster.grpc(0)?]) })?;
        Ok(Self { cluster, monitoring, runtime, client })
    }

    /// Submits the debates, many at one time, and waits until all are over.
    fn hold(&self, ids: &[String], rounds: u32) -> Result<()> {
        let file = debates::load_spec(rounds).replace("model: bench", &format!("model: {MODEL}"));
        self.runtime.block_on(async {
            let submitted = futures_util::stream::iter(ids).map(|id| self.client.submit(id, &file, PATIENCE));
            let submitted: Vec<Result<()>> = submitted.buffer_unordered(AT_ONCE).collect().await;
            submitted.into_iter().collect::<Result<()>>()?;
            let until = Instant::now() + PATIENCE;
            while self.client.has_unfinished().await? {
                ensure!(Instant::now() < until, "not all debates are over");
                tokio::time::sleep(Duration::from_millis(250)).await;
            }
            for id in ids {
                let (state, _) = self.client.get(id).await?;
                ensure!(state == agon_chaos::State::Succeeded, "{id} is {state:?}");
            }
            Ok(())
        })
    }

    fn meters(&mut self) -> Result<Meters> {
        let mut cpu = |role: NodeRole| -> f64 {
            let members = self.cluster.members().iter_mut().filter(|member| member.role == role);
            members.map(|member| member.process().map_or(0.0, |process| process.cpu_seconds())).sum()
        };
        let roles = [cpu(NodeRole::Gateway), cpu(NodeRole::Coordinator), cpu(NodeRole::Host)];
        let server = self.cluster.rehearsals.first().context("no model server")?;
        let varz: serde_json::Value = serde_json::from_str(&http_get(&self.monitoring, "/varz")?)?;
        let bytes = |name: &str| varz.get(name).and_then(serde_json::Value::as_u64).unwrap_or(0);
        Ok(Meters {
            at: Instant::now(),
            roles,
            nats: self.cluster.nats.id().map_or(0.0, cpu_seconds),
            models: server.process.cpu_seconds(),
            bytes: bytes("in_bytes") + bytes("out_bytes"),
            prompt_tokens: server.count("naive_prompt_tokens")?,
            calls: server.count("finished_calls")?,
        })
    }
}
