//! How much waits already. Counted from the catalogue now and then, and in between from what is admitted here.
use agon_core::TenantId;
use agon_proto::SummaryState;
use agon_store::{Catalogue, StoreError, Upkeep};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Mutex;
use tokio::time::Instant;

/// Bounds of what waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RoomLimits {
    /// Debates that may wait for an owner.
    pub queued: usize,
    /// Debates of one tenant that have not ended.
    pub tenant_unfinished: Option<usize>,
    /// How old the counts may be.
    pub age: Duration,
}

/// Where debates are admitted while there is room for them.
pub struct DebateRoom {
    catalogue: Arc<dyn Catalogue>,
    upkeep: Arc<dyn Upkeep>,
    limits: RoomLimits,
    counts: Mutex<Option<RoomCounts>>,
}

struct RoomCounts {
    at: Instant,
    queued: usize,
    unfinished: BTreeMap<TenantId, usize>,
}

/// Why there is no room for a further debate.
#[derive(Clone, Debug, thiserror::Error)]
pub enum DebateRefusal {
    /// The store is full.
    #[error("the store is full: {0}")]
    Store(String),
    /// The tenant has too many debates that have not ended.
    #[error("{held} of at most {limit} debates of this tenant have not ended")]
    Tenant {
        /// How many there are.
        held: usize,
        /// How many may be.
        limit: usize,
    },
    /// Too many wait.
    #[error("{held} of at most {limit} debates wait")]
    Queue {
        /// How many there are.
        held: usize,
        /// How many may be.
        limit: usize,
    },
    /// It cannot be counted what waits.
    #[error(transparent)]
    Count(#[from] StoreError),
}

impl DebateRoom {
    /// Room by these counts.
    pub fn new(catalogue: Arc<dyn Catalogue>, upkeep: Arc<dyn Upkeep>, limits: RoomLimits) -> Self {
        Self { catalogue, upkeep, limits, counts: Mutex::default() }
    }

    /// Refuses a further debate where the store has no room, too many wait, or the tenant has too many that have not ended; counts it
    /// otherwise.
    pub async fn take(&self, tenant: &TenantId) -> Result<(), DebateRefusal> {
        if let Some(full) = self.upkeep.condition().fullness() {
            return Err(DebateRefusal::Store(full));
        }
        let mut held = self.counts.lock().await;
        let counts = match held.take().filter(|counts| counts.at.elapsed() < self.limits.age) {
            Some(counts) => held.insert(counts),
            None => held.insert(self.count().await?),
        };
        let own = counts.unfinished.entry(tenant.clone()).or_default();
        if let Some(limit) = self.limits.tenant_unfinished.filter(|limit| *own >= *limit) {
            return Err(DebateRefusal::Tenant { held: *own, limit });
        }
        if counts.queued >= self.limits.queued {
            return Err(DebateRefusal::Queue { held: counts.queued, limit: self.limits.queued });
        }
        counts.queued += 1;
        *own += 1;
        Ok(())
    }

    async fn count(&self) -> Result<RoomCounts, StoreError> {
        let open = self.catalogue.unfinished().await?;
        let queued = open.iter().filter(|summary| summary.state == SummaryState::Queued).count();
        let mut unfinished = BTreeMap::new();
        for summary in &open {
            *unfinished.entry(summary.id.tenant()).or_default() += 1;
        }
        Ok(RoomCounts { at: Instant::now(), queued, unfinished })
    }
}
