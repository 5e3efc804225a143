//! What a gateway is told at its start.
use crate::auth::{AuthConfig, CredentialHealth};
use crate::health::ListenerGate;
use crate::net::{ConnectionLimits, SitePolicy, TlsConfig};
use agon_bus::nats::StreamWatch;
use agon_core::RetryPolicy;
use agon_eval::ModelPrice;
use agon_report::Prices;
use agon_runtime::Node;
use agon_spec::Defaults;
use agon_store::{Catalogue, Commands, EvalLogs, Journal, Requests, Upkeep};
use agon_telemetry::{ClusterMetrics, RpcServer};
use agon_tools::FeedReader;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

/// The settings of a gateway.
#[derive(Clone, Debug)]
pub struct GatewayConfig {
    /// Where gRPC listens; port 0 takes a free one.
    pub grpc: Option<SocketAddr>,
    /// Where REST and event streams listen.
    pub http: Option<SocketAddr>,
    /// TLS of both.
    pub tls: Option<TlsConfig>,
    /// How callers prove who they are.
    pub auth: AuthConfig,
    /// Listen beyond loopback although nobody is asked for credentials.
    pub insecure: bool,
    /// Names by which callers without credentials may call beside those of this machine, and other sites whose pages may call.
    pub sites: SitePolicy,
    /// Answer reflection, which tools such as grpcurl read the services from.
    pub reflection: bool,
    /// Bounds of connections.
    pub connections: ConnectionLimits,
    /// Bounds of what is asked for.
    pub limits: RequestLimits,
    /// Intervals.
    pub times: GatewayTimes,
    /// What debate files need not say.
    pub defaults: Defaults,
    /// How failed tries of a debate's turns follow each other.
    pub retry: RetryPolicy,
    /// What calls cost, for results and reports.
    pub prices: Prices,
    /// The same as evals record it, by model.
    pub eval_prices: BTreeMap<String, ModelPrice>,
    /// The model that grades answers of evals where nobody is named.
    pub eval_grader: Option<String>,
    /// What reads the feeds that debate files name.
    pub feeds: FeedReader,
}
impl Default for GatewayConfig {
    fn default() -> Self {
        Self {
            grpc: None,
            http: None,
            tls: None,
            auth: AuthConfig::default(),
            insecure: false,
            sites: SitePolicy::default(),
            reflection: true,
            connections: ConnectionLimits::default(),
            limits: RequestLimits::default(),
            times: GatewayTimes::default(),
            defaults: Defaults::default(),
            retry: RetryPolicy::default(),
            prices: Prices::new(),
            eval_prices: BTreeMap::new(),
            eval_grader: None,
            feeds: FeedReader::default(),
        }
    }
}

/// Bounds of what is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestLimits {
    /// Bytes of one request's body.
    pub request_bytes: usize,
    /// Bytes of the requests of all calls that have no answer yet.
    pub requests_bytes: usize,
    /// Bytes of an answer, or of one message of a stream.
    pub response_bytes: usize,
    /// Debates that may wait for an owner; more are refused.
    pub queued: usize,
    /// Debates of one tenant that have not ended; more are refused.
    pub tenant_unfinished: Option<usize>,
    /// Watches at once. Where callers show credentials, a tenant has at most as many of them, of calls and of their bytes as it leaves free.
    pub watches: usize,
    /// Calls at once that have no answer yet.
    pub calls: usize,
}
impl Default for RequestLimits {
    fn default() -> Self {
        let mib = 1024 * 1024;
        let (request_bytes, response_bytes) = (4 * mib, 32 * mib);
        Self {
            request_bytes,
            requests_bytes: 16 * request_bytes,
            response_bytes,
            queued: 10_000,
            tenant_unfinished: None,
            watches: 4096,
            calls: 1024,
        }
    }
}

/// The intervals of a gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GatewayTimes {
    /// How long a call may take that is no watch, unless the caller asks for less.
    pub call: Duration,
    /// How often a silent watch gives a sign of life.
    pub heartbeat: Duration,
    /// How often the watch of an eval looks for news.
    pub evals_look: Duration,
    /// How long a watch lasts; then its client goes on with a new one.
    pub watch: Duration,
    /// When a refused submission may be tried again.
    pub retry_full: Duration,
    /// How old the counts may be that submissions are refused by.
    pub load_age: Duration,
    /// How often the gateway looks whether it can serve, for its health answers.
    pub health_look: Duration,
    /// How often the debates of the cluster are counted for the metrics.
    pub debates_look: Duration,
    /// How often its queued turns are; an answer names every one of them.
    pub turns_look: Duration,
    /// How often it is looked how full its streams are.
    pub streams_look: Duration,
    /// How long a drain may take.
    pub drain: Duration,
}
impl Default for GatewayTimes {
    fn default() -> Self {
        let seconds = Duration::from_secs;
        Self {
            call: seconds(10),
            heartbeat: seconds(15),
            evals_look: seconds(1),
            watch: seconds(1_800),
            retry_full: seconds(5),
            load_age: seconds(1),
            health_look: seconds(2),
            debates_look: seconds(5),
            turns_look: seconds(10),
            streams_look: seconds(10),
            drain: seconds(10),
        }
    }
}

/// What a gateway stands on.
#[derive(Clone)]
pub struct GatewayPorts {
    /// The process's node: it submits, watches, knows the hosts.
    pub node: Arc<Node>,
    /// The logs.
    pub journal: Arc<dyn Journal>,
    /// The index of debates.
    pub catalogue: Arc<dyn Catalogue>,
    /// What request ids stand for.
    pub requests: Arc<dyn Requests>,
    /// Orders to owners.
    pub commands: Arc<dyn Commands>,
    /// The logs as a whole.
    pub upkeep: Arc<dyn Upkeep>,
    /// The logs of evals.
    pub evals: Arc<dyn EvalLogs>,
    /// Who watches the calls.
    pub rpc: RpcServer,
    /// Who is told what is known of the whole cluster.
    pub cluster: ClusterMetrics,
    /// Whether the gateway of this process can check credentials.
    pub credentials: CredentialHealth,
    /// Whether its listeners are open: a gateway opens it when they are.
    pub listeners: ListenerGate,
    /// The streams that must not fill up; none without NATS.
    pub streams: Option<StreamWatch>,
}
