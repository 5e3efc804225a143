//! Removes the registers of debates that are over: their logs hold what counted.
//!
//! Not at once. A host that has not heard of the end finds its turn's register decided for a while, and a turn that still lies
//! in a queue is not taken for an open one. What is not removed here, because the process ends before, expires by age.
use crate::base::shared::Shared;
use crate::base::trouble::Trouble;
use agon_bus::subject::{DebateKey, Subject};
use agon_core::{DebateId, TurnId};
use agon_store::{StoreError, Upkeep};
use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long registers stay after the end: longer than a host waits before it looks whether its turn was decided against it.
const STAY: Duration = Duration::from_secs(60);
/// How often is looked whose registers are due.
const LOOK: Duration = Duration::from_secs(15);
/// How long a store that failed is left alone; it doubles up to so many times as much.
const REST: Duration = Duration::from_secs(60);
const REST_MAX: Duration = Duration::from_secs(3_600);
/// After each debate, so many times as long as its registers took: debates that are held come first.
const PAUSES: u32 = 9;
/// So many debates wait for their purge. The registers of more expire by age.
const MOST: usize = 100_000;

/// Debates that are over and whose registers are to be removed, with the time from which on.
#[derive(Default)]
pub(crate) struct EndedDebates {
    due: Mutex<BTreeMap<DebateId, EndedDebate>>,
}

#[derive(Clone)]
struct EndedDebate {
    due: Instant,
    turns: Vec<TurnId>,
}

impl EndedDebates {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<DebateId, EndedDebate>> {
        // every change leaves it whole
        self.due.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// The end of a debate is in its log, after these turns.
    pub(crate) fn add(&self, debate: &DebateId, turns: Vec<TurnId>) {
        let mut due = self.lock();
        if due.len() < MOST {
            due.insert(debate.clone(), EndedDebate { due: Instant::now() + STAY, turns });
        }
    }
    fn due(&self, now: Instant) -> Vec<(DebateId, Vec<TurnId>)> {
        let due = |ended: &EndedDebate| ended.due <= now;
        self.lock().iter().filter(|(_, e)| due(e)).map(|(debate, e)| (debate.clone(), e.turns.clone())).collect()
    }
    fn remove(&self, debate: &DebateId) {
        self.lock().remove(debate);
    }
}

/// Runs until its owner is gone.
pub(crate) async fn run(shared: Shared) {
    let Some(upkeep) = shared.upkeep.clone().filter(|_| shared.config.purges_registers) else { return };
    let (mut rest, mut trouble) = (REST, Trouble::default());
    loop {
        tokio::time::sleep(LOOK).await;
        let purged = purge(&shared, &upkeep).await;
        trouble.tell(
            &purged,
            |error| tracing::warn!(%error, "the registers of ended debates are not removed"),
            |after| tracing::info!(after, "the registers of ended debates are removed again"),
        );
        match purged {
            Ok(()) => rest = REST,
            Err(_) => {
                tokio::time::sleep(rest).await;
                rest = (rest * 2).min(REST_MAX);
            }
        }
    }
}

async fn purge(shared: &Shared, upkeep: &Arc<dyn Upkeep>) -> Result<(), StoreError> {
    let due = shared.ended.due(Instant::now());
    if due.is_empty() {
        return Ok(());
    }
    let queued = shared.bus.queued_subjects().await.map_err(|error| StoreError::Backend(error.to_string()))?;
    let queued: HashSet<DebateKey> = queued.iter().filter_map(|subject| debate_of(subject)).collect();
    for (debate, turns) in due {
        if queued.contains(&DebateKey::from(&debate)) {
            shared.ended.add(&debate, turns);
            continue;
        }
        let began = Instant::now();
        shared.in_time(upkeep.purge_registers(&debate, &turns)).await?;
        shared.ended.remove(&debate);
        tokio::time::sleep(began.elapsed() * PAUSES).await;
    }
    Ok(())
}

fn debate_of(subject: &str) -> Option<DebateKey> {
    subject.parse::<Subject>().ok()?.debate().cloned()
}
