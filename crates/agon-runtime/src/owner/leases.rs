//! Keeps the jobs of the debates that run, and looks that their coordinators live. Apart from them, so that one that
//! hangs loses its lease.
//!
//! A node that dies is noticed by its missing signs of life, and its debates are taken over by what the catalogue says. So the
//! job of a debate that the catalogue says to be this node's has a long lease, which is rarely extended.
use crate::base::catalogue;
use crate::base::shared::Shared;
use crate::base::tasks::tell;
use crate::owner::coordinator;
use crate::owner::owned::OwnedDebate;
use agon_core::DebateId;
use agon_proto::{DebateSummary, SummaryState};
use agon_store::Job;
use futures_util::StreamExt;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};
use tokio::time::Instant;

/// So many pings in a row without an answer, and a coordinator is killed. One less, and its lease is no longer kept.
const SILENT_ROUNDS: u64 = 3;
/// So many leases are extended at once.
const AT_ONCE: usize = 32;

/// Until when jobs need not be extended, by their tokens.
type Extended = Mutex<BTreeMap<u64, Instant>>;

/// Runs until its owner is gone.
pub(crate) async fn keep(shared: Shared) {
    let extended = Extended::default();
    loop {
        tokio::time::sleep(shared.config.times.job_keep).await;
        let (shared, extended, all) = (&shared, &extended, shared.owned.all());
        let held: BTreeSet<u64> = all.iter().filter_map(|(_, held)| held.job.as_ref()).map(|job| job.token).collect();
        lock(extended).retain(|token, _| held.contains(token));
        let all = futures_util::stream::iter(all);
        let keep = |(debate, held)| async move { keep_one(shared, extended, (&debate, &held)).await };
        all.for_each_concurrent(AT_ONCE, keep).await;
    }
}

async fn keep_one(shared: &Shared, extended: &Extended, (debate, held): (&DebateId, &OwnedDebate)) {
    // one that waits for its store or its next life keeps its lease
    let silent = held.actor.as_ref().map_or(0, |_| held.unanswered.fetch_add(1, Ordering::Relaxed));
    if let Some(actor) = &held.actor {
        if silent >= SILENT_ROUNDS {
            tracing::error!(%debate, "coordinator hangs, killed");
            held.unanswered.store(0, Ordering::Relaxed);
            return actor.kill();
        }
        tell(actor, coordinator::Msg::Ping);
    }
    let Some(job) = held.job.as_ref().filter(|_| silent + 1 < SILENT_ROUNDS) else { return };
    let later = lock(extended).get(&job.token).is_some_and(|until| *until > Instant::now());
    if !later {
        extend(shared, extended, held, job).await;
    }
}

async fn extend(shared: &Shared, extended: &Extended, held: &OwnedDebate, job: &Job) {
    let (debate, times) = (&job.debate, &shared.config.times);
    let known = is_known_as_ours(shared, debate).await;
    let lease = if known { times.owned_lease } else { times.job_lease };
    match shared.in_time(shared.jobs.extend(job, lease)).await {
        Ok(true) if known => drop(lock(extended).insert(job.token, Instant::now() + times.owned_keep)),
        Ok(true) => {}
        Ok(false) => {
            tracing::warn!(%debate, "the job is no longer ours");
            shared.owned.drop_job(job);
            if let Some(actor) = &held.actor {
                tell(actor, coordinator::Msg::Lost);
            }
        }
        Err(error) => tracing::warn!(%debate, %error, "lease not extended"),
    }
}

/// Whether others find the debate by the catalogue, should this node die.
async fn is_known_as_ours(shared: &Shared, debate: &DebateId) -> bool {
    if !shared.config.has_peers() {
        return false;
    }
    match catalogue::known(shared, debate).await {
        Some(DebateSummary { state: SummaryState::Running { owner }, .. }) => owner == shared.config.id,
        Some(_) | None => false,
    }
}

/// The lock, also after a panic elsewhere: every change is one call.
fn lock(extended: &Extended) -> std::sync::MutexGuard<'_, BTreeMap<u64, Instant>> {
    extended.lock().unwrap_or_else(PoisonError::into_inner)
}
