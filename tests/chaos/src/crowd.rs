//! Clients: they submit debates steadily and watch each from its first event to its last.
use agon_chaos::{GatewayClient, WatchRecord};
use anyhow::{Context, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;
use tokio::runtime::Runtime;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, sleep_until};

/// What became of a debate, as its client saw it.
pub struct Followed {
    /// Which.
    pub id: String,
    /// What was seen; else why it could not be submitted or watched to its end.
    pub seen: Result<WatchRecord>,
}

/// How the debates come.
#[derive(Clone, Debug)]
pub struct CrowdPace {
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
    begun: Arc<AtomicU32>,
    enough: Arc<AtomicBool>,
}

impl Crowd {
    /// Submits debates evenly over a time.
    pub fn start(gateways: &[String], pace: CrowdPace, file: fn(&str) -> String) -> Result<Self> {
        Self::at_work(gateways, |client, _, _| follow_all(client, pace, file))
    }

    /// Keeps so many debates under way until it is told that these are enough, each at most for so long.
    pub fn keep_up(gateways: &[String], at_once: u32, patience: Duration, file: fn(&str) -> String) -> Result<Self> {
        Self::at_work(gateways, |client, begun, enough| async move {
            let mut clients = JoinSet::new();
            for _ in 0..at_once {
                let (client, begun, enough) = (client.clone(), begun.clone(), enough.clone());
                clients.spawn(async move {
                    let mut followed = Vec::new();
                    while !enough.load(Ordering::Relaxed) {
                        let id = id(begun.fetch_add(1, Ordering::Relaxed));
                        followed.push(follow(&client, id, Instant::now() + patience, file).await);
                    }
                    followed
                });
            }
            sorted(clients.join_all().await.into_iter().flatten().collect())
        })
    }

    fn at_work<W>(
        gateways: &[String],
        work: impl FnOnce(GatewayClient, Arc<AtomicU32>, Arc<AtomicBool>) -> W,
    ) -> Result<Self>
    where
        W: Future<Output = Vec<Followed>> + Send + 'static,
    {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let client = runtime.block_on(async { GatewayClient::new(gateways) })?;
        let (begun, enough) = (Arc::<AtomicU32>::default(), Arc::<AtomicBool>::default());
        let work = runtime.spawn(work(client, begun.clone(), enough.clone()));
        Ok(Self { runtime, work, begun, enough })
    }

    /// The ids of the debates that were begun to be kept up.
    pub fn ids(&self) -> Vec<String> {
        (0..self.begun.load(Ordering::Relaxed)).map(id).collect()
    }
    /// No further debate is begun.
    pub fn enough(&self) {
        self.enough.store(true, Ordering::Relaxed);
    }

    /// Waits until every debate is over, or patience is.
    pub fn join(self) -> Result<Vec<Followed>> {
        self.runtime.block_on(self.work).context("the clients died")
    }
}

fn id(n: u32) -> String {
    format!("chaos-{n:05}")
}

async fn follow_all(client: GatewayClient, pace: CrowdPace, file: fn(&str) -> String) -> Vec<Followed> {
    let (start, mut clients) = (Instant::now(), JoinSet::new());
    let end = start + pace.patience;
    for n in 0..pace.debates {
        sleep_until(start + pace.over.mul_f64(f64::from(n) / f64::from(pace.debates.max(1)))).await;
        let client = client.clone();
        clients.spawn(async move { follow(&client, id(n), end, file).await });
    }
    sorted(clients.join_all().await)
}

async fn follow(client: &GatewayClient, id: String, end: Instant, file: fn(&str) -> String) -> Followed {
    let seen = match client.submit(&id, &file(&id), end.saturating_duration_since(Instant::now())).await {
        Ok(()) => client.watch(&id, end).await,
        Err(error) => Err(error),
    };
    Followed { id, seen }
}

fn sorted(mut followed: Vec<Followed>) -> Vec<Followed> {
    followed.sort_by(|one, other| one.id.cmp(&other.id));
    followed
}
