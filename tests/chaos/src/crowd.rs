//! Clients: they submit debates steadily and watch each from its first event to its last.
use agon_chaos::{Client, Sight};
use anyhow::{Context, Result};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, sleep_until};

/// What became of a debate, as its client saw it.
pub struct Followed {
    /// Which.
    pub id: String,
    /// What was seen; else why it could not be submitted or watched to its end.
    pub seen: Result<Sight>,
}

/// How the debates come.
#[derive(Clone, Debug)]
pub struct Pace {
    /// How many.
    pub debates: u32,
    /// Over how long.
    pub over: Duration,
    /// When nobody waits any more, from the start.
    pub patience: Duration,
}

/// The clients, at work.
pub struct Crowd {
    runtime: Runtime,
    work: JoinHandle<Vec<Followed>>,
}

impl Crowd {
    /// Begins.
    pub fn start(gateways: &[String], pace: Pace, file: fn(&str) -> String) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let client = runtime.block_on(async { Client::new(gateways) })?;
        let work = runtime.spawn(follow_all(client, pace, file));
        Ok(Self { runtime, work })
    }

    /// Waits until every debate is over, or patience is.
    pub fn join(self) -> Result<Vec<Followed>> {
        self.runtime.block_on(self.work).context("the clients died")
    }
}

async fn follow_all(client: Client, pace: Pace, file: fn(&str) -> String) -> Vec<Followed> {
    let (start, mut clients) = (Instant::now(), JoinSet::new());
    let end = start + pace.patience;
    for n in 0..pace.debates {
        sleep_until(start + pace.over.mul_f64(f64::from(n) / f64::from(pace.debates.max(1)))).await;
        let (client, id) = (client.clone(), format!("chaos-{n:05}"));
        clients.spawn(async move {
            let seen = match client.submit(&id, &file(&id), end.saturating_duration_since(Instant::now())).await {
                Ok(()) => client.watch(&id, end).await,
                Err(error) => Err(error),
            };
            Followed { id, seen }
        });
    }
    let mut followed = clients.join_all().await;
    followed.sort_by(|one, other| one.id.cmp(&other.id));
    followed
}
