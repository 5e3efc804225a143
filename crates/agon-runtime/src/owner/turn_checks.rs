//! Finds out where open turns are: each host is asked once about all turns that it is believed to have, and the queues once
//! about all that wait there.
//!
//! A turn that is still there has no result yet. The register of any other is read.
use crate::base::shared::Shared;
use crate::base::subjects;
use crate::base::tasks::tell;
use crate::base::trouble::Trouble;
use crate::owner::coordinator;
use agon_bus::{BusError, Payload};
use agon_core::HostId;
use agon_proto::{DebateTurn, TurnCheck, TurnCheckReply, Wire};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

/// What is due within this time is one request to a host.
const GATHER: Duration = Duration::from_millis(250);
/// The same for the queues, which are listed as a whole.
const GATHER_QUEUED: Duration = Duration::from_secs(2);
/// Between two lists of the queues, so many times as long as one takes.
const RESTS: u32 = 30;
/// How long a host may take to answer.
const PATIENCE: Duration = Duration::from_secs(1);
/// So many turns are in one request.
const AT_ONCE: usize = 2_000;

/// Where a turn is believed to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TurnPlace {
    /// At this host.
    Host(HostId),
    /// In its model's queue.
    Queue(QueuedAt),
}

/// A turn's place in a queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct QueuedAt {
    /// The subjects of the queue.
    pub(crate) queue: String,
    /// The turn's own subject.
    pub(crate) subject: String,
}

/// What a check found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TurnFound {
    /// The turn is where it was believed to be.
    There,
    /// The same, and its queue is to be made known to a host again.
    ThereToTeach,
    /// It is not at this host.
    NotAt(HostId),
    /// It is in no queue.
    NotQueued,
    /// Nobody could say.
    Unknown,
}

/// The turns that are due to be checked.
#[derive(Default)]
pub(crate) struct TurnChecks {
    at_hosts: GatheredTurns<HostId>,
    queued: GatheredTurns<QueuedAt>,
}

impl TurnChecks {
    /// Has a turn checked soon. Its coordinator is told what was found.
    pub(crate) fn add(&self, turn: DebateTurn, place: TurnPlace) {
        match place {
            TurnPlace::Host(host) => self.at_hosts.add(turn, host),
            TurnPlace::Queue(queued) => self.queued.add(turn, queued),
        }
    }
}

/// Turns of one kind of place.
struct GatheredTurns<P> {
    due: Mutex<Vec<(DebateTurn, P)>>,
    added: Notify,
}
impl<P> Default for GatheredTurns<P> {
    fn default() -> Self {
        Self { due: Mutex::default(), added: Notify::new() }
    }
}
impl<P> GatheredTurns<P> {
    fn add(&self, turn: DebateTurn, place: P) {
        // every change under this lock is one call
        self.due.lock().unwrap_or_else(PoisonError::into_inner).push((turn, place));
        self.added.notify_one();
    }
    /// Waits until some are due, and then for those that are due at about the same time.
    async fn next(&self, gather: Duration) -> Vec<(DebateTurn, P)> {
        self.added.notified().await;
        tokio::time::sleep(gather).await;
        std::mem::take(&mut *self.due.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Runs until its owner is gone.
pub(crate) async fn run(shared: Shared) {
    tokio::join!(ask_hosts(&shared), list_queues(&shared));
}

async fn ask_hosts(shared: &Shared) {
    loop {
        let mut at: BTreeMap<HostId, Vec<DebateTurn>> = BTreeMap::new();
        for (turn, host) in shared.turn_checks.at_hosts.next(GATHER).await {
            at.entry(host).or_default().push(turn);
        }
        let parts = at.iter().flat_map(|(host, turns)| turns.chunks(AT_ONCE).map(move |part| (host, part)));
        futures_util::future::join_all(parts.map(|(host, part)| ask_host(shared, host, part))).await;
    }
}

async fn ask_host(shared: &Shared, host: &HostId, turns: &[DebateTurn]) {
    let check = TurnCheck { owner: shared.config.id.clone(), turns: turns.to_vec() };
    let subject = subjects::host_request(host, subjects::CHECK);
    let body = shared.directory.ordering(host, &subject, &check.to_bytes());
    let asked = shared.bus.request(&subject, Payload::from(body), PATIENCE).await;
    let reply = match asked {
        Ok(reply) => TurnCheckReply::from_bytes(&reply).unwrap_or_default(),
        Err(error) => {
            tracing::debug!(%host, %error, "host does not say which turns it has");
            TurnCheckReply::default()
        }
    };
    let TurnCheckReply { answered, mut absent } = reply;
    absent.sort_unstable();
    for turn in turns {
        let checked = match (answered, absent.binary_search(turn)) {
            (false, _) => TurnFound::Unknown,
            (true, Ok(_)) => TurnFound::NotAt(host.clone()),
            (true, Err(_)) => TurnFound::There,
        };
        report(shared, turn, checked);
    }
}

async fn list_queues(shared: &Shared) {
    let (mut taught, mut trouble) = (BTreeMap::new(), Trouble::default());
    loop {
        let due = shared.turn_checks.queued.next(GATHER_QUEUED).await;
        let asked = Instant::now();
        let queued = shared.bus.queued_subjects().await;
        let took = asked.elapsed();
        trouble.tell(
            &queued,
            |error| tracing::warn!(%error, "the turns in the queues cannot be listed"),
            |after| tracing::info!(after, "the turns in the queues can be listed again"),
        );
        for (turn, QueuedAt { queue, subject }) in due {
            let checked = match &queued {
                Ok(queued) if !queued.contains(&subject) => TurnFound::NotQueued,
                Ok(_) if is_to_teach(shared, &mut taught, queue) => TurnFound::ThereToTeach,
                Ok(_) => TurnFound::There,
                Err(_) => TurnFound::Unknown,
            };
            report(shared, &turn, checked);
        }
        if let Err(BusError::Closed(_)) = queued {
            return;
        }
        // the longer the list, the more it costs the server
        tokio::time::sleep(took * RESTS).await;
    }
}

/// Whether a host is to be told of the queue again: one that was started anew does not know of it. One turn of a queue is
/// enough to tell it.
fn is_to_teach(shared: &Shared, taught: &mut BTreeMap<String, Instant>, queue: String) -> bool {
    let (now, pause) = (Instant::now(), shared.config.times.reoffer_after);
    taught.retain(|_, at: &mut Instant| now.duration_since(*at) < pause);
    let due = !taught.contains_key(&queue);
    taught.entry(queue).or_insert(now);
    due
}

fn report(shared: &Shared, DebateTurn { debate, turn }: &DebateTurn, checked: TurnFound) {
    if let Some(actor) = shared.owned.actor(debate) {
        tell(&actor, coordinator::Msg::Checked { turn: *turn, checked });
    }
}
