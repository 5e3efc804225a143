//! Watches that are being opened. Each reads and folds a whole log, so that very many at once would leave nothing for other calls.
use agon_core::TenantId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// So many are opened at once.
const AT_ONCE: usize = 4;
/// So many of one tenant, which leaves room for the others: those wait in one line, and a tenant takes no more places in it.
const OF_A_TENANT: usize = 2;

/// Leave to open watches, first come first served among the tenants.
#[derive(Debug)]
pub(crate) struct Openings {
    all: Arc<Semaphore>,
    /// Of the tenants that open watches now, or wait to.
    tenants: Mutex<HashMap<TenantId, Arc<Semaphore>>>,
}

/// Leave to open one, until it is dropped.
#[derive(Debug)]
pub(crate) struct Opening {
    _one_of_all: OwnedSemaphorePermit,
    _own: OwnTurn,
}

/// The tenant's own part of it; the last one that ends takes the tenant off the list.
#[derive(Debug)]
struct OwnTurn {
    openings: Arc<Openings>,
    tenant: TenantId,
    line: Option<Arc<Semaphore>>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Openings {
    pub fn new() -> Arc<Self> {
        Arc::new(Self { all: Arc::new(Semaphore::new(AT_ONCE)), tenants: Mutex::default() })
    }

    /// Waits for leave; none where the process ends.
    pub async fn wait(self: &Arc<Self>, tenant: &TenantId) -> Option<Opening> {
        let line =
            self.tenants().entry(tenant.clone()).or_insert_with(|| Arc::new(Semaphore::new(OF_A_TENANT))).clone();
        let mut own =
            OwnTurn { openings: self.clone(), tenant: tenant.clone(), line: Some(line.clone()), permit: None };
        own.permit = Some(line.acquire_owned().await.ok()?);
        let one_of_all = self.all.clone().acquire_owned().await.ok()?;
        Some(Opening { _one_of_all: one_of_all, _own: own })
    }

    fn tenants(&self) -> MutexGuard<'_, HashMap<TenantId, Arc<Semaphore>>> {
        // every change is one call, so that a panic elsewhere leaves the map whole
        self.tenants.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for OwnTurn {
    fn drop(&mut self) {
        drop(self.permit.take());
        let mut tenants = self.openings.tenants();
        drop(self.line.take());
        // the list's own is the last one
        if tenants.get(&self.tenant).is_some_and(|line| Arc::strong_count(line) == 1) {
            tenants.remove(&self.tenant);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt as _;

    fn tenant(name: &str) -> TenantId {
        TenantId::parse(name).unwrap()
    }

    #[tokio::test]
    async fn a_tenant_that_opens_very_many_leaves_room_for_another_one_and_nothing_behind() {
        let openings = Openings::new();
        let mut open = Vec::new();
        let mut waiting = Vec::new();
        for _ in 0..100 {
            let mut opening = Box::pin({
                let openings = openings.clone();
                async move { openings.wait(&tenant("greedy")).await }
            });
            match opening.as_mut().now_or_never() {
                Some(opened) => open.push(opened.unwrap()),
                None => waiting.push(opening),
            }
        }
        assert_eq!((open.len(), waiting.len()), (OF_A_TENANT, 100 - OF_A_TENANT));

        assert!(openings.wait(&tenant("modest")).now_or_never().flatten().is_some());
        assert_eq!(openings.tenants().len(), 1);

        open.pop();
        assert!(waiting.remove(0).now_or_never().flatten().is_some(), "the next one's turn has come");
        open.clear();
        waiting.clear();
        assert_eq!(openings.tenants().len(), 0);
    }
}
