//! The port of operators: metrics and probes. It asks nobody for credentials and must not be exposed.
use crate::net::{ConnectionLimits, Face, Front, Listening, Names, Protocols, SitePolicy, SiteRules, listen};
use axum::Router;
use axum::extract::State;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use futures_util::future::BoxFuture;
use http::{StatusCode, header};
use serde_json::json;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// How long the end of the port may take.
const END: Duration = Duration::from_secs(2);

/// What the port shows.
#[derive(Clone)]
pub struct AdminPorts {
    /// The metrics as Prometheus reads them.
    pub metrics: Arc<dyn Fn() -> String + Send + Sync>,
    /// Names by which it may be called beside those of this machine.
    pub sites: SitePolicy,
    /// Why the process is not ready; empty when it is.
    pub unready: Arc<dyn Fn() -> BoxFuture<'static, Vec<String>> + Send + Sync>,
}

/// Why the port is not there.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {address}: {detail}")]
pub struct AdminError {
    /// Which address.
    pub address: SocketAddr,
    /// Why.
    pub detail: String,
}

/// The running port.
pub struct Admin {
    address: SocketAddr,
    stop: CancellationToken,
    tasks: JoinSet<()>,
}

impl Admin {
    /// Binds the address and serves.
    pub async fn start(address: SocketAddr, ports: AdminPorts) -> Result<Self, AdminError> {
        let failed = |detail: String| AdminError { address, detail };
        let limits = ConnectionLimits { connections: 64, ..ConnectionLimits::default() };
        let names = Names::of(address, false);
        let rules = SiteRules { policy: ports.sites.clone(), names, section: "admin" };
        let front = Front { rules: Arc::new(rules), face: |_| Face::Admin, pages: crate::rest::refuse };
        let listening: Listening =
            listen(address, None, limits, Protocols::Both, front).await.map_err(|error| failed(error.to_string()))?;
        let bound = listening.address().map_err(|error| failed(error.to_string()))?;
        let app = Router::new()
            .route("/metrics", get(metrics))
            .route("/healthz", get(|| async { "ok\n" }))
            .route("/readyz", get(readyz))
            .with_state(ports);
        let stop = CancellationToken::new();
        let mut tasks = JoinSet::new();
        tasks.spawn(listening.serve(app, stop.clone()));
        Ok(Self { address: bound, stop, tasks })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Ends it.
    pub async fn stop(mut self) {
        self.stop.cancel();
        let quiet = async { while self.tasks.join_next().await.is_some() {} };
        // what is still open then is cut off
        tokio::time::timeout(END, quiet).await.ok();
        self.tasks.shutdown().await;
    }
}

async fn metrics(State(ports): State<AdminPorts>) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], (ports.metrics)()).into_response()
}

async fn readyz(State(ports): State<AdminPorts>) -> Response {
    let reasons = (ports.unready)().await;
    let status = if reasons.is_empty() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let body = json!({"ready": reasons.is_empty(), "reasons": reasons}).to_string() + "\n";
    (status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
}
