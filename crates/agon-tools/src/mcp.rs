//! The tools of an MCP server.

mod bounded;
mod failure;
mod functions;
mod reply;
mod session;

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use agon_llm::ToolSpec;
use serde_json::Value;
use tokio::sync::Mutex;
use tokio::time::{Instant, timeout};

use crate::{McpConfig, ToolError, schema};
pub(crate) use functions::function_name;
use session::Session;

/// The longest message that is read from a server, in bytes.
pub const MAX_MESSAGE_BYTES: usize = 16 * 1024 * 1024;
/// How often a server is started or connected within [`START_WINDOW`] before calls are refused for a while.
pub const MAX_STARTS: usize = 5;
/// The time in which starts are counted.
pub const START_WINDOW: Duration = Duration::from_secs(60);

/// A server that is started, or connected, at its first use, and again after its death.
pub(crate) struct Mcp {
    config: McpConfig,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    session: Option<Arc<Session>>,
    starts: VecDeque<Instant>,
}

impl Mcp {
    pub(crate) fn new(config: McpConfig) -> Self {
        Self { config, state: Mutex::default() }
    }

    /// The server's functions as a model may call them.
    pub(crate) async fn specs(&self, tool: &str) -> Result<Vec<ToolSpec>, ToolError> {
        let session = self.session(tool).await?;
        Ok(session.functions().iter().map(|function| function.spec.clone()).collect())
    }

    pub(crate) async fn run(&self, tool: &str, function: &str, arguments: Value) -> Result<String, ToolError> {
        let session = self.session(tool).await?;
        let Some(found) = session.functions().iter().find(|known| known.spec.name == function) else {
            let known = session.functions().iter().map(|known| known.spec.name.clone()).collect();
            return Err(ToolError::UnknownFunction { function: function.to_owned(), known });
        };
        schema::check(function, &found.schema, &arguments)?;
        session.call(tool, found, arguments).await
    }

    /// Ends the process of a server that let a call run out of time; one that is reached over HTTP was told to stop.
    pub(crate) fn abandon(&self) {
        // Whoever holds the lock is starting the server, so there is none that could hang.
        let Ok(mut state) = self.state.try_lock() else { return };
        if state.session.as_ref().is_some_and(|session| session.kill()) {
            state.session = None;
        }
    }

    /// Ends the session as the protocol wants it, and by force where the server does not follow.
    pub(crate) async fn close(&self) {
        let session = self.state.lock().await.session.take();
        if let Some(session) = session {
            session.close().await;
        }
    }

    async fn session(&self, tool: &str) -> Result<Arc<Session>, ToolError> {
        let mut state = self.state.lock().await;
        if let Some(session) = state.session.as_ref().filter(|session| session.is_alive()) {
            return Ok(Arc::clone(session));
        }
        state.session = None;
        state.admit(tool)?;
        let limit = Duration::from_secs(self.config.start_timeout_seconds);
        let started = timeout(limit, Session::start(tool, &self.config)).await;
        let late = || ToolError::unavailable(tool, format!("it was not ready within {} s", limit.as_secs()));
        let session = Arc::new(started.unwrap_or_else(|_| Err(late()))?);
        state.session = Some(Arc::clone(&session));
        Ok(session)
    }
}

impl State {
    /// Counts a start, unless there were too many of late.
    fn admit(&mut self, tool: &str) -> Result<(), ToolError> {
        let now = Instant::now();
        while self.starts.front().is_some_and(|start| now.duration_since(*start) >= START_WINDOW) {
            self.starts.pop_front();
        }
        if self.starts.len() >= MAX_STARTS {
            let window = START_WINDOW.as_secs();
            let reason = format!("it was started {MAX_STARTS} times within {window} s and did not last");
            return Err(ToolError::unavailable(tool, reason));
        }
        self.starts.push_back(now);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_server_that_keeps_dying_is_left_alone_until_the_window_has_passed() {
        let mut state = State::default();
        for _ in 0..MAX_STARTS {
            state.admit("t").unwrap();
        }
        assert_eq!(state.admit("t").unwrap_err().code(), "unavailable");

        tokio::time::advance(START_WINDOW).await;

        assert_eq!(state.admit("t"), Ok(()));
    }
}
