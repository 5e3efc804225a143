//! Keeps the jobs of the debates that run, and looks that their coordinators live. Apart from them, so that one that
//! hangs loses its lease.
use crate::base::shared::Shared;
use crate::base::tasks::tell;
use crate::owner::coordinator;
use crate::owner::owned::OwnedDebate;
use agon_core::DebateId;
use agon_store::Job;
use futures_util::StreamExt;
use std::sync::atomic::Ordering;

/// So many pings in a row without an answer, and a coordinator is killed. One less, and its lease is no longer kept.
const SILENT_ROUNDS: u64 = 3;
/// So many leases are extended at once.
const AT_ONCE: usize = 32;

/// Runs until its owner is gone.
pub(crate) async fn keep(shared: Shared) {
    loop {
        tokio::time::sleep(shared.config.times.job_keep).await;
        let shared = &shared;
        let held = futures_util::stream::iter(shared.owned.all());
        held.for_each_concurrent(AT_ONCE, |(debate, held)| async move { keep_one(shared, &debate, &held).await }).await;
    }
}

async fn keep_one(shared: &Shared, debate: &DebateId, held: &OwnedDebate) {
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
    if let Some(job) = held.job.as_ref().filter(|_| silent + 1 < SILENT_ROUNDS) {
        extend(shared, held, job).await;
    }
}

async fn extend(shared: &Shared, held: &OwnedDebate, job: &Job) {
    let debate = &job.debate;
    match shared.in_time(shared.jobs.extend(job, shared.config.times.job_lease)).await {
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
