//! What a caller is told where there is no room for a further debate.
use super::Api;
use crate::error::Problem;
use agon_core::TenantId;
use agon_runtime::DebateRefusal;

impl Api {
    /// Refuses a further debate where there is no room for it; counts it otherwise.
    pub(super) async fn make_room(&self, tenant: &TenantId) -> Result<(), Problem> {
        let retry = self.times.retry_full;
        self.room.take(tenant).await.map_err(|refusal| match refusal {
            DebateRefusal::Store(full) => Problem::StoreFull(full),
            DebateRefusal::Tenant { held, limit } => {
                let what = "debates of this tenant that have not ended";
                Problem::Full { reason: "TENANT_LIMIT", what, held, limit, retry }
            }
            DebateRefusal::Queue { held, limit } => {
                Problem::Full { reason: "QUEUE_FULL", what: "debates that wait", held, limit, retry }
            }
            DebateRefusal::Count(error) => Problem::of_store(&error),
        })
    }
}
