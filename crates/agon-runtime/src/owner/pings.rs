//! Looks that the coordinators live. Apart from them, so that one that hangs is noticed.
use crate::base::shared::Shared;
use crate::base::tasks::tell;
use crate::owner::coordinator;
use std::sync::atomic::Ordering;

/// So many pings in a row without an answer, and a coordinator is killed.
const SILENT_ROUNDS: u64 = 3;

/// Runs until its owner is gone.
pub(crate) async fn run(shared: Shared) {
    loop {
        tokio::time::sleep(shared.config.times.ping).await;
        for (debate, held) in shared.owned.all() {
            // one that waits for its store or its next life is not asked
            let Some(actor) = &held.actor else { continue };
            if held.unanswered.fetch_add(1, Ordering::Relaxed) < SILENT_ROUNDS {
                tell(actor, coordinator::Msg::Ping);
                continue;
            }
            tracing::error!(%debate, "coordinator hangs, killed");
            held.unanswered.store(0, Ordering::Relaxed);
            actor.kill();
        }
    }
}
