//! Debates through a cluster: gateway, coordinators, hosts, nats-server and the model server are processes of their own.
use crate::{BenchPlan, debates};
use agon_bus::nats::NatsConfig;
use agon_chaos::{GatewayClient, Logs};
use agon_store::{NatsLimits, NatsStoreConfig};
use agon_testkit::cluster::{Cluster, MODEL, NodeRole, Scenario};
use agon_testkit::{NatsOptions, NatsServer, cpu_seconds, free_port, http_get};
use anyhow::{Context, Result, ensure};
use futures_util::StreamExt as _;
use serde::{Deserialize, Serialize};
use std::num::{NonZeroU64, NonZeroUsize};
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
const PATIENCE: Duration = Duration::from_secs(1_800);
/// What ten thousand debates at once need beyond the defaults; `store` has the same limits.
const SETTINGS: &str = "[nats.limits]\nregisters_mib = 512\nturns = 40000\n[coordinator]\nmax_debates = 6000\n[gateway]\nmax_queued = 20000\n";
/// Messages of a debate that waits are counted for so long: the lease of its job is extended meanwhile, and its register read.
const WATCHED: Duration = Duration::from_secs(300);
/// After the debates have begun, and before they are watched.
const SETTLES: Duration = Duration::from_secs(60);
/// Submissions at one time.
const AT_ONCE: usize = 64;
/// Of so many logs one is checked.
const CHECKED: usize = 20;

/// What debates cost that wait for a model which does not answer.
#[derive(Debug, Serialize, Deserialize)]
pub struct WaitingRun {
    pub debates: u32,
    /// Messages a second of the cluster without debates.
    pub idle_per_s: f64,
    /// Messages a second of each debate beyond those.
    pub messages_per_s: f64,
    /// The same in bytes.
    pub bytes_per_s: f64,
    pub nats_cpu_share: f64,
}

/// Figures that only grow.
struct Meters {
    at: Instant,
    roles: [f64; 3],
    nats: f64,
    models: f64,
    bytes: u64,
    messages: u64,
    prompt_tokens: u64,
    calls: u64,
}

struct ClusterRig {
    cluster: Cluster,
    /// The other nats-servers.
    peers: Vec<NatsServer>,
    monitoring: Vec<String>,
    runtime: tokio::runtime::Runtime,
    client: GatewayClient,
}

/// Runs all debates at once.
pub fn run(plan: &BenchPlan) -> Result<ClusterRun> {
    let mut rig = ClusterRig::start(plan, ("20ms", 1_000))?;
    rig.hold(&["warm-up".to_owned()], 1)?;
    let before = rig.meters()?;
    let ids: Vec<String> = (0..plan.debates).map(|n| format!("bench-{n}")).collect();
    rig.hold(&ids, plan.rounds)?;
    let after = rig.meters()?;
    let turns = u64::from(plan.calls()) * u64::from(plan.debates);
    let logs = Logs::open_as(NatsConfig::new([rig.cluster.nats.url()], "bench", "bench"), store(plan)?)?;
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
        nats_peak_kib: rig.servers().map(agon_testkit::peak_kib).sum(),
    })
}

/// Has all debates wait for a model that does not answer, and counts what that costs.
pub fn wait(plan: &BenchPlan) -> Result<WaitingRun> {
    let mut rig = ClusterRig::start(plan, ("86400s", 4))?;
    let idle = rig.watched(WATCHED / 5)?;
    let ids: Vec<String> = (0..plan.debates).map(|n| format!("waiting-{n}")).collect();
    rig.submit(&ids, &format!("timeout_per_turn: 1h\n{}", load_file(plan.rounds)))?;
    rig.until_all_run()?;
    rig.runtime.block_on(async { tokio::time::sleep(SETTLES).await });
    let [messages, bytes, nats] = rig.watched(WATCHED)?;
    let each = |all: f64, idle: f64| (all - idle) / f64::from(plan.debates);
    let [idle_per_s, idle_bytes, _] = idle;
    Ok(WaitingRun {
        debates: plan.debates,
        idle_per_s,
        messages_per_s: each(messages, idle_per_s),
        bytes_per_s: each(bytes, idle_bytes),
        nats_cpu_share: nats,
    })
}

/// How the streams are set up: `SETTINGS`.
fn store(plan: &BenchPlan) -> Result<NatsStoreConfig> {
    let default = NatsStoreConfig::default();
    let register_bytes = default.limits.register_bytes.saturating_mul(NonZeroU64::MIN.saturating_add(1));
    let replicas = NonZeroUsize::try_from(plan.nats_servers as usize).context("--nats-servers is 0")?;
    Ok(NatsStoreConfig { replicas, limits: NatsLimits { register_bytes, ..default.limits.clone() }, ..default })
}

/// nats-servers that are one cluster: what each is started with, and where each tells its figures.
fn nats_servers(plan: &BenchPlan) -> Result<Vec<(NatsOptions, String)>> {
    let ports = (0..plan.nats_servers).map(|_| free_port()).collect::<Result<Vec<_>>>()?;
    let routes: Vec<String> = ports.iter().map(|port| format!("\"nats://127.0.0.1:{port}\"")).collect();
    let server = |(n, port): (usize, &u16)| {
        let monitoring = format!("127.0.0.1:{}", free_port()?);
        let mut config = format!("http: \"{monitoring}\"\n");
        if plan.nats_servers > 1 {
            config.push_str(&format!(
                "server_name: nats-{n}\ncluster {{ name: bench, listen: \"127.0.0.1:{port}\", routes: [{}] }}\n",
                routes.join(", ")
            ));
        }
        Ok((NatsOptions { program: plan.nats_server.clone(), config, ..NatsOptions::default() }, monitoring))
    };
    ports.iter().enumerate().map(server).collect()
}

/// A debate file for the cluster's model.
fn load_file(rounds: u32) -> String {
    debates::load_spec(rounds).replace("model: bench", &format!("model: {MODEL}"))
}

impl ClusterRig {
    /// A cluster whose model begins to answer after so long, with so many calls at once at each host.
    fn start(plan: &BenchPlan, (latency, permits): (&str, u32)) -> Result<Self> {
        let agon = plan.agon.clone().context("--agon is needed")?;
        let (mut options, monitoring): (Vec<_>, Vec<_>) = nats_servers(plan)?.into_iter().unzip();
        let nats = options.pop().context("--nats-servers is 0")?;
        let peers = options.into_iter().map(NatsServer::start_with).collect::<Result<Vec<_>>>()?;
        let settings = format!("{SETTINGS}[nats]\nreplicas = {}\nwait = \"60s\"\n", plan.nats_servers);
        let scenario = Scenario::new(agon).coordinators(2).hosts(2).permits(permits).settings(&settings).nats(nats);
        let models = ["--answer-tokens", "200", "--no-model-cache", "--latency", latency];
        let cluster = scenario.rehearsal(&models).start()?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let client = runtime.block_on(async { GatewayClient::new(&[cluster.grpc(0)?]) })?;
        Ok(Self { cluster, peers, monitoring, runtime, client })
    }

    /// Submits the debates, many at one time, and waits until all are over.
    fn hold(&self, ids: &[String], rounds: u32) -> Result<()> {
        self.submit(ids, &load_file(rounds))?;
        self.runtime.block_on(async {
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

    fn submit(&self, ids: &[String], file: &str) -> Result<()> {
        self.runtime.block_on(async {
            let submitted = futures_util::stream::iter(ids).map(|id| self.client.submit(id, file, PATIENCE));
            let submitted: Vec<Result<()>> = submitted.buffer_unordered(AT_ONCE).collect().await;
            submitted.into_iter().collect()
        })
    }

    /// The process ids of all nats-servers.
    fn servers(&self) -> impl Iterator<Item = u32> {
        self.peers.iter().chain([&self.cluster.nats]).filter_map(NatsServer::id)
    }

    /// Waits until every debate has an owner.
    fn until_all_run(&self) -> Result<()> {
        self.runtime.block_on(async {
            let until = Instant::now() + PATIENCE;
            while self.client.has_any(&[agon_chaos::State::Queued]).await? {
                ensure!(Instant::now() < until, "not all debates have begun");
                tokio::time::sleep(Duration::from_millis(250)).await;
            }
            Ok(())
        })
    }

    /// Messages, bytes and processor seconds of nats-server, each a second, over so long.
    fn watched(&mut self, time: Duration) -> Result<[f64; 3]> {
        let before = self.meters()?;
        self.runtime.block_on(async { tokio::time::sleep(time).await });
        let after = self.meters()?;
        let seconds = (after.at - before.at).as_secs_f64();
        let messages = after.messages.saturating_sub(before.messages) as f64;
        let bytes = after.bytes.saturating_sub(before.bytes) as f64;
        Ok([messages / seconds, bytes / seconds, (after.nats - before.nats) / seconds])
    }

    fn meters(&mut self) -> Result<Meters> {
        let mut cpu = |role: NodeRole| -> f64 {
            let members = self.cluster.members().iter_mut().filter(|member| member.role == role);
            members.map(|member| member.process().map_or(0.0, |process| process.cpu_seconds())).sum()
        };
        let roles = [cpu(NodeRole::Gateway), cpu(NodeRole::Coordinator), cpu(NodeRole::Host)];
        let server = self.cluster.rehearsals.first().context("no model server")?;
        let told = |at: &String| Ok(serde_json::from_str(&http_get(at, "/varz")?)?);
        let told = self.monitoring.iter().map(told).collect::<Result<Vec<serde_json::Value>>>()?;
        let figure = |name: &str| told.iter().filter_map(|varz| varz.get(name)?.as_u64()).sum::<u64>();
        Ok(Meters {
            at: Instant::now(),
            roles,
            nats: self.servers().map(cpu_seconds).sum(),
            models: server.process.cpu_seconds(),
            bytes: figure("in_bytes") + figure("out_bytes"),
            messages: figure("in_msgs") + figure("out_msgs"),
            prompt_tokens: server.count("naive_prompt_tokens")?,
            calls: server.count("finished_calls")?,
        })
    }
}
