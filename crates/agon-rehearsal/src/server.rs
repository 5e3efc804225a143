//! Starting and stopping the server.

use std::{net::SocketAddr, sync::Arc};

use axum::{
    Router,
    extract::DefaultBodyLimit,
    http::{HeaderName, HeaderValue},
    middleware::{from_fn, map_response},
    response::Response,
    routing::{get, post},
};
use tokio::{sync::oneshot, task::JoinHandle};

use crate::{
    catalogue, chat,
    config::{RehearsalConfig, RehearsalError},
    embed,
    listener::{Switch, SwitchedListener},
    mind::Minds,
    server_state::ServerState,
    sites,
    stats::Stats,
};

/// Header of every response, with the value `1`.
pub const HEADER: &str = "x-agon-rehearsal";

/// What `/api/version` says: the Ollama version whose wire format is spoken.
pub const VERSION: &str = "0.34.1-rehearsal";

/// Longest request body in bytes.
const MOST_BODY: usize = 64 << 20;

/// A running rehearsal server; dropping it stops it too, without waiting.
#[derive(Debug)]
pub struct RehearsalServer {
    addr: SocketAddr,
    stage: Arc<ServerState>,
    stop: Option<oneshot::Sender<()>>,
    task: Option<JoinHandle<()>>,
}

impl RehearsalServer {
    /// Binds the address and serves until stopped; must be called inside a Tokio runtime.
    pub async fn start(config: RehearsalConfig) -> Result<Self, RehearsalError> {
        let switch = Switch::new();
        let wanted = config.listen;
        let door = SwitchedListener::open(wanted, Arc::clone(&switch))
            .map_err(|source| RehearsalError::Listen { addr: wanted, source })?;
        let addr = axum::serve::Listener::local_addr(&door)
            .map_err(|source| RehearsalError::Listen { addr: wanted, source })?;
        let stage = Arc::new(ServerState::new(config, switch)?);
        let (stop, stopped) = oneshot::channel();
        let app = router(Arc::clone(&stage));
        let task = tokio::spawn(async move {
            let serving = axum::serve(door, app).with_graceful_shutdown(async move {
                // dropping the server stops it as well
                let _ = stopped.await;
            });
            if let Err(error) = serving.await {
                tracing::error!(%error, "rehearsal server failed");
            }
        });
        Ok(Self { addr, stage, stop: Some(stop), task: Some(task) })
    }

    /// The address it listens on.
    pub fn addr(&self) -> SocketAddr {
        self.addr
    }

    /// The address as a base URL.
    pub fn url(&self) -> String {
        format!("http://{}", self.addr)
    }

    /// What its speakers know, if it has minds.
    pub fn minds(&self) -> Option<&Minds> {
        self.stage.config.minds.as_deref()
    }

    /// What it was asked so far.
    pub fn stats(&self) -> Stats {
        self.stage.counters.read()
    }

    /// Stops listening, resets every connection and waits until all calls are gone.
    pub async fn shutdown(mut self) {
        self.cut();
        if let Some(task) = self.task.take()
            && let Err(error) = task.await
        {
            tracing::error!(%error, "rehearsal server did not stop cleanly");
        }
    }

    fn cut(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(()); // already gone is as good as told
        }
        self.stage.switch.close();
    }
}

impl Drop for RehearsalServer {
    fn drop(&mut self) {
        self.cut();
    }
}

fn router(stage: Arc<ServerState>) -> Router {
    Router::new()
        .route("/", get(catalogue::root))
        .route("/api/chat", post(chat::chat))
        .route("/api/generate", post(chat::generate))
        .route("/api/embed", post(embed::embed))
        .route("/api/tags", get(catalogue::tags))
        .route("/api/ps", get(catalogue::ps))
        .route("/api/show", post(catalogue::show))
        .route("/api/pull", post(catalogue::pull))
        .route("/api/version", get(catalogue::version))
        .route("/rehearsal/stats", get(catalogue::stats))
        .route("/rehearsal/reset", post(catalogue::reset))
        .fallback(catalogue::lost)
        .layer(DefaultBodyLimit::max(MOST_BODY))
        .layer(from_fn(sites::refuse_foreign))
        .layer(map_response(mark))
        .with_state(stage)
}

async fn mark(mut response: Response) -> Response {
    response.headers_mut().insert(HeaderName::from_static(HEADER), HeaderValue::from_static("1"));
    response
}
