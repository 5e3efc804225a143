use super::MemoryStore;
use crate::contract::{StoreRig, contract_tests, debate};
use crate::port::{REQUESTS_KEPT, REQUESTS_PURGED};
use crate::{Jobs as _, RequestClaim, Requests as _, StoreError, Upkeep as _};
use agon_core::{Priority, TenantId};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

struct MemoryRig;
impl StoreRig for MemoryRig {
    type Store = MemoryStore;
    async fn store(&self) -> Arc<MemoryStore> {
        Arc::default()
    }
    async fn pass(&self, time: Duration) {
        tokio::time::advance(time).await;
    }
}
contract_tests!(super::MemoryRig; (start_paused = true));

#[tokio::test]
async fn the_queue_is_bounded() {
    let store = MemoryStore::with_max_jobs(NonZeroUsize::new(2).unwrap());
    store.enqueue(&debate("a"), Priority::Normal).await.unwrap();
    store.enqueue(&debate("b"), Priority::Batch).await.unwrap();
    // Whoever is in is no new one.
    store.enqueue(&debate("a"), Priority::Interactive).await.unwrap();
    let refused = store.enqueue(&debate("c"), Priority::Interactive).await.unwrap_err();
    assert!(matches!(&refused, StoreError::Full(what) if what == "the job queue (2 jobs)"), "{refused}");
    store.delete(&debate("b")).await.unwrap();
    store.enqueue(&debate("c"), Priority::Interactive).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn request_ids_are_forgotten_after_a_week_a_few_at_a_time() {
    let store = MemoryStore::new();
    let tenant = TenantId::default();
    let claim = |id: &str| RequestClaim { debate: debate(id), payload: [1; 32] };
    let old = REQUESTS_PURGED + 1;
    for n in 0..old {
        store.claim(&tenant, &n.to_string(), claim("old")).await.unwrap();
    }
    tokio::time::advance(REQUESTS_KEPT).await;
    assert_eq!(store.claim(&tenant, "0", claim("new")).await.unwrap(), claim("old"));
    tokio::time::advance(Duration::from_millis(1)).await;
    store.claim(&tenant, "other", claim("new")).await.unwrap();
    let kept = store.state.lock().unwrap().claims.len();
    assert_eq!(kept, 2);
    assert_eq!(store.claim(&tenant, "0", claim("new")).await.unwrap(), claim("new"));
}
