//! The settings, and what can be wrong with them.
use crate::logs::LogConfig;
use std::collections::BTreeMap;
use std::time::Duration;

/// What is told, and to whom.
#[derive(Debug)]
pub struct TelemetryConfig {
    /// The role of the process: `agon-gateway`, `agon-coordinator`, `agon-host`, or `agon` for all.
    pub service_name: String,
    /// This process among its like: the pod, or the node's id.
    pub instance_id: String,
    /// Where traces go; without it none are made.
    pub otlp: Option<Otlp>,
    /// The share of debates that are traced, 0 to 1. All processes come to the same choice.
    pub debate_ratio: f64,
    /// The share of calls to this server that are traced where the caller says nothing, 0 to 1.
    pub rpc_ratio: f64,
    /// Prompts, answers and topics go into traces.
    pub capture_content: bool,
    /// The log to install; none leaves the process's log alone.
    pub log: Option<LogConfig>,
}
impl TelemetryConfig {
    /// The default settings of a process: metrics and a log, no traces.
    pub fn new(service_name: impl Into<String>, instance_id: impl Into<String>) -> Self {
        Self {
            service_name: service_name.into(),
            instance_id: instance_id.into(),
            otlp: None,
            debate_ratio: 1.0,
            rpc_ratio: 0.05,
            capture_content: false,
            log: Some(LogConfig::default()),
        }
    }
}

/// A collector that speaks OTLP over gRPC.
#[derive(Clone, PartialEq, Eq)]
pub struct Otlp {
    /// Its address: `http://jaeger:4317`, or `https://...`.
    pub endpoint: String,
    /// What is sent along with every call, keys and tokens.
    pub headers: BTreeMap<String, String>,
    /// How often metrics go there, too; not by default, because they can be fetched.
    pub push_metrics: Option<Duration>,
}
impl Otlp {
    /// A collector without headers, for traces alone.
    pub fn to(endpoint: impl Into<String>) -> Self {
        Self { endpoint: endpoint.into(), headers: BTreeMap::new(), push_metrics: None }
    }
}
/// Headers are secrets.
impl std::fmt::Debug for Otlp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&String> = self.headers.keys().collect();
        let Self { endpoint, headers: _, push_metrics } = self;
        f.debug_struct("Otlp")
            .field("endpoint", endpoint)
            .field("headers", &names)
            .field("push_metrics", push_metrics)
            .finish()
    }
}

/// Why telemetry cannot be started: a setting is wrong. That nobody listens is no reason.
#[derive(Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The log's filter cannot be read.
    #[error("log filter {filter:?} cannot be read")]
    Filter {
        /// What was set.
        filter: String,
        /// What is wrong with it.
        #[source]
        source: tracing_subscriber::filter::ParseError,
    },
    /// A share is not one.
    #[error("sampling ratio {0} is not between 0 and 1")]
    Ratio(f64),
    /// A header cannot be sent.
    #[error("OTLP header {0:?} has characters that headers may not have")]
    Header(String),
    /// The collector's address cannot be used.
    #[error("OTLP endpoint {endpoint:?} cannot be used")]
    Endpoint {
        /// What was set.
        endpoint: String,
        /// What is wrong with it.
        #[source]
        source: opentelemetry_otlp::ExporterBuildError,
    },
    /// The metrics' registry refused to start.
    #[error("metrics cannot be started")]
    Metrics(#[source] opentelemetry_sdk::error::OTelSdkError),
}
