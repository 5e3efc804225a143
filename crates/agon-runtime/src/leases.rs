//! Keeps the jobs of the debates that run, and looks that their coordinators live. Apart from them, so that one that
//! hangs loses its lease.
use crate::coordinator;
use crate::held::Held;
use crate::shared::Shared;
use crate::tasks::tell;
use agon_core::DebateId;
use std::sync::atomic::Ordering;

/// So many pings in a row without an answer, and a coordinator is killed. One less, and its lease is no longer kept.
const SILENT_ROUNDS: u64 = 3;

/// Runs until its owner is gone.
pub(crate) async fn keep(shared: Shared) {
    loop {
        tokio::time::sleep(shared.config.times.job_keep).await;
        for (debate, held) in shared.held.all() {
            keep_one(&shared, &debate, &held).await;
        }
    }
}

async fn keep_one(shared: &Shared, debate: &DebateId, held: &Held) {
    let Some(actor) = &held.actor else { return };
    let silent = held.unanswered.fetch_add(1, Ordering::Relaxed);
    if silent >= SILENT_ROUNDS {
        tracing::error!(%debate, "coordinator hangs, killed");
        held.unanswered.store(0, Ordering::Relaxed);
        return actor.kill();
    }
    tell(actor, coordinator::Msg::Ping);
    let Some(job) = held.job.as_ref().filter(|_| silent + 1 < SILENT_ROUNDS) else { return };
    match shared.jobs.extend(job, shared.config.times.job_lease).await {
        Ok(true) => {}
        Ok(false) => {
            tracing::warn!(%debate, "the job is no longer ours");
            tell(actor, coordinator::Msg::Lost);
        }
        Err(error) => tracing::warn!(%debate, %error, "lease not extended"),
    }
}
