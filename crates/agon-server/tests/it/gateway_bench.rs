//! What the tests stand on: stores, a node with a rehearsing host, gateways before it.
use agon_bus::{Bus, MemoryBus};
use agon_core::{DebateId, NodeId};
use agon_llm::{CallTimeouts, Endpoint, EndpointKind, Http, RunnerOptions, connect};
use agon_proto::pb::v1::cluster_service_client::ClusterServiceClient;
use agon_proto::pb::v1::debate_service_client::DebateServiceClient;
use agon_proto::pb::v1::{self as pb, create_debate_request::Source};
use agon_rehearsal::{RehearsalConfig, RehearsalServer};
use agon_runtime::{HostConfig, Node, NodeConfig, Ports, Served, SystemClock};
use agon_server::{Gateway, GatewayConfig, GatewayPorts};
use agon_store::MemoryStore;
use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;
use tonic::transport::Channel;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

/// Longer than anything takes that works.
pub const LIMIT: Duration = Duration::from_secs(60);

/// A small debate: two debaters, one round, a judge who reads twice.
pub const FILE: &str = "---
model: m:1
max_rounds: 1
ballots: none
phases: {opening_statements: false, final_statements: false}
personas:
  - {name: ada, stance: Build it}
  - {name: bob, stance: Leave it}
---
# Should the town build a bridge?
";
/// Two speeches, two readings of the judge.
pub const CALLS: u64 = 4;

/// Stores, bus and a rehearsal server; they outlive nodes and gateways.
pub struct GatewayBench {
    pub bus: Arc<dyn Bus>,
    pub store: Arc<MemoryStore>,
    pub rehearsal: RehearsalServer,
}

impl GatewayBench {
    pub async fn new() -> Self {
        Self::with(RehearsalConfig::default()).await
    }
    pub async fn with(config: RehearsalConfig) -> Self {
        let rehearsal = RehearsalServer::start(config).await.unwrap();
        Self { bus: Arc::new(MemoryBus::new()), store: Arc::new(MemoryStore::new()), rehearsal }
    }
    /// Slow enough to be caught while it runs.
    pub async fn slow() -> Self {
        Self::with(RehearsalConfig { latency: Duration::from_secs(20), ..RehearsalConfig::default() }).await
    }

    /// A node that holds every role, with a rehearsing host for any model.
    pub async fn node(&self) -> Arc<Node> {
        self.node_with(NodeConfig::embedded(NodeId::from("n1")), vec![self.host(Served::Any)]).await
    }
    /// A node that coordinates nothing: what is submitted stays queued.
    pub async fn idle_node(&self) -> Arc<Node> {
        let config = NodeConfig { max_debates: 0, ..NodeConfig::embedded(NodeId::from("n0")) };
        self.node_with(config, vec![]).await
    }
    pub async fn node_with(&self, config: NodeConfig, hosts: Vec<HostConfig>) -> Arc<Node> {
        let store = &self.store;
        let ports = Ports {
            bus: self.bus.clone(),
            journal: store.clone(),
            registers: store.clone(),
            jobs: store.clone(),
            commands: store.clone(),
            catalogue: store.clone(),
            upkeep: Some(store.clone()),
            hosts,
            clock: Arc::new(SystemClock),
            observer: Arc::new(agon_runtime::Silent),
        };
        Arc::new(Node::start(config, ports).await.unwrap())
    }
    pub fn host(&self, models: Served) -> HostConfig {
        let endpoint = Endpoint::parse(EndpointKind::Ollama, &self.rehearsal.url()).unwrap();
        HostConfig {
            scheduling: agon_runtime::Scheduling::default(),
            read_ahead: false,
            id: "stage".into(),
            client: connect(&endpoint, None, &Http::default()),
            models,
            permits: NonZeroUsize::new(4).unwrap(),
            runner: RunnerOptions::default(),
            timeouts: CallTimeouts { first_byte: LIMIT, idle: LIMIT, turn: None },
            rehearsal: true,
        }
    }

    pub fn ports(&self, node: &Arc<Node>) -> GatewayPorts {
        let store = &self.store;
        GatewayPorts {
            node: node.clone(),
            journal: store.clone(),
            catalogue: store.clone(),
            requests: store.clone(),
            commands: store.clone(),
            upkeep: store.clone(),
            evals: store.clone(),
            rpc: agon_telemetry::RpcServer::silent(),
            cluster: agon_telemetry::ClusterMetrics::silent(),
            credentials: agon_server::CredentialHealth::default(),
            listeners: agon_server::ListenerGate::default(),
            streams: None,
        }
    }
    /// A gateway before a node of its own.
    pub async fn gateway(&self) -> TestGateway {
        self.gateway_with(config()).await
    }
    pub async fn gateway_with(&self, config: GatewayConfig) -> TestGateway {
        let node = self.node().await;
        self.gateway_before(&node, config).await
    }
    pub async fn gateway_before(&self, node: &Arc<Node>, config: GatewayConfig) -> TestGateway {
        TestGateway::of(Gateway::start(config, self.ports(node)).await.unwrap())
    }
}

/// Loopback on free ports, nobody asked for credentials.
pub fn config() -> GatewayConfig {
    GatewayConfig { grpc: Some(loopback()), http: Some(loopback()), ..GatewayConfig::default() }
}

pub fn loopback() -> SocketAddr {
    "127.0.0.1:0".parse().unwrap()
}

/// A gateway and clients for it.
pub struct TestGateway {
    pub gateway: Gateway,
    pub channel: Channel,
    pub debates: DebateServiceClient<Channel>,
    pub cluster: ClusterServiceClient<Channel>,
    pub http: SocketAddr,
}

impl TestGateway {
    pub fn of(gateway: Gateway) -> Self {
        let grpc = gateway.addresses().grpc.unwrap();
        let http = gateway.addresses().http.unwrap();
        let channel = Channel::from_shared(format!("http://{grpc}")).unwrap().connect_lazy();
        let debates = DebateServiceClient::new(channel.clone());
        let cluster = ClusterServiceClient::new(channel.clone());
        Self { gateway, channel, debates, cluster, http }
    }
    pub fn url(&self) -> String {
        format!("http://{}", self.gateway.addresses().grpc.unwrap())
    }

    pub async fn create(&self, request: pb::CreateDebateRequest) -> Result<pb::Debate, Status> {
        self.debates.clone().create_debate(request).await.map(tonic::Response::into_inner)
    }
    pub async fn get(&self, name: &str) -> Result<pb::Debate, Status> {
        let request = pb::GetDebateRequest { name: name.to_owned(), view: 0 };
        self.debates.clone().get_debate(request).await.map(tonic::Response::into_inner)
    }
    pub async fn watch(&self, name: &str, after: u64) -> Result<tonic::Streaming<pb::WatchDebateResponse>, Status> {
        let request = pb::WatchDebateRequest { name: name.to_owned(), after_sequence: after, include_deltas: false };
        self.debates.clone().watch_debate(request).await.map(tonic::Response::into_inner)
    }
    /// Waits until a debate is over.
    pub async fn finish(&self, name: &str) -> pb::Debate {
        let mut watch = self.watch(name, 0).await.unwrap();
        tokio::time::timeout(LIMIT, async { while watch.message().await.unwrap().is_some() {} }).await.unwrap();
        self.get(name).await.unwrap()
    }
}

/// A submission of [`FILE`].
pub fn wanted(id: &str) -> pb::CreateDebateRequest {
    pb::CreateDebateRequest {
        source: Some(file(FILE)),
        debate_id: Some(id.to_owned()),
        rehearsal: true,
        ..pb::CreateDebateRequest::default()
    }
}

pub fn file(text: &str) -> Source {
    Source::File(pb::DebateFile { text: text.to_owned(), format: 0, file_name: Some("bridge.md".to_owned()) })
}

pub fn id(text: &str) -> DebateId {
    DebateId::parse(text).unwrap()
}

/// The code, the reason and all details of a refusal.
#[track_caller]
pub fn refusal<T>(answer: Result<T, Status>) -> (Code, String, ErrorDetails) {
    let status = answer.err().expect("refused");
    let details = status.get_error_details();
    let info = details.error_info().expect("every refusal says its reason");
    assert_eq!(info.domain, "agon");
    assert!(details.request_info().is_some_and(|info| !info.request_id.is_empty()));
    (status.code(), info.reason.clone(), details)
}
