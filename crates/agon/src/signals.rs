//! Ctrl-C and the polite signal to end.
use anyhow::Context as _;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Hears SIGINT and SIGTERM from its making on.
#[derive(Debug)]
pub struct Signals {
    interrupt: Signal,
    terminate: Signal,
}

impl Signals {
    /// Starts to listen; the process no longer ends of these signals by itself.
    pub fn listen() -> anyhow::Result<Self> {
        let hear = |kind| signal(kind).context("cannot listen for signals");
        Ok(Self { interrupt: hear(SignalKind::interrupt())?, terminate: hear(SignalKind::terminate())? })
    }
    /// Waits for the next one.
    pub async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}
