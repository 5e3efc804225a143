//! How much waits already. Counted from the catalogue now and then, and in between from what this gateway admits.
use super::Api;
use crate::error::Problem;
use agon_core::TenantId;
use agon_proto::SummaryState;
use std::collections::BTreeMap;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// The last counts.
#[derive(Default)]
pub(super) struct LastLoad(Mutex<Option<LoadCounts>>);

struct LoadCounts {
    at: Instant,
    queued: usize,
    unfinished: BTreeMap<TenantId, usize>,
}

impl Api {
    /// Refuses a further debate where the store has no room, too many wait, or the tenant has too many that have not ended; counts it otherwise.
    pub(super) async fn make_room(&self, tenant: &TenantId) -> Result<(), Problem> {
        if let Some(full) = self.ports.upkeep.condition().fullness() {
            return Err(Problem::StoreFull(full));
        }
        let mut held = self.load.0.lock().await;
        let counts = match held.take().filter(|counts| counts.at.elapsed() < self.times.load_age) {
            Some(counts) => held.insert(counts),
            None => held.insert(self.count().await?),
        };
        let own = counts.unfinished.entry(tenant.clone()).or_default();
        let retry = self.times.retry_full;
        if let Some(limit) = self.limits.tenant_unfinished.filter(|limit| *own >= *limit) {
            let what = "debates of this tenant that have not ended";
            return Err(Problem::Full { reason: "TENANT_LIMIT", what, held: *own, limit, retry });
        }
        if counts.queued >= self.limits.queued {
            let (held, limit) = (counts.queued, self.limits.queued);
            return Err(Problem::Full { reason: "QUEUE_FULL", what: "debates that wait", held, limit, retry });
        }
        counts.queued += 1;
        *own += 1;
        Ok(())
    }

    async fn count(&self) -> Result<LoadCounts, Problem> {
        let open = self.ports.catalogue.unfinished().await.map_err(|error| Problem::of_store(&error))?;
        let queued = open.iter().filter(|summary| summary.state == SummaryState::Queued).count();
        let mut unfinished = BTreeMap::new();
        for summary in &open {
            *unfinished.entry(summary.id.tenant()).or_default() += 1;
        }
        Ok(LoadCounts { at: Instant::now(), queued, unfinished })
    }
}
