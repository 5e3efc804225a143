//! Room that callers share: how much there is at once, and how much of it one tenant may hold.
use agon_core::TenantId;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Room for things of a kind. Where tenants are told apart, one holds at most as much as it leaves free, so that no number of greedy
/// tenants leaves nothing for another one.
#[derive(Debug)]
pub(crate) struct TenantRoom {
    limit: usize,
    tenants_apart: bool,
    held: Mutex<RoomUse>,
}

#[derive(Debug, Default)]
struct RoomUse {
    all: usize,
    tenants: HashMap<TenantId, usize>,
}

/// What a tenant holds of a room, until it is dropped.
#[derive(Debug)]
pub(crate) struct RoomShare {
    room: Arc<TenantRoom>,
    tenant: TenantId,
    amount: usize,
}

/// There was no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct NoRoom {
    /// What is held: by the tenant where its share was the bound, else by all.
    pub held: usize,
    /// What may be.
    pub limit: usize,
}

impl TenantRoom {
    /// An empty one.
    pub fn new(limit: usize, tenants_apart: bool) -> Arc<Self> {
        Arc::new(Self { limit, tenants_apart, held: Mutex::default() })
    }

    /// A share for the tenant.
    pub fn take(self: &Arc<Self>, tenant: &TenantId, amount: usize) -> Result<RoomShare, NoRoom> {
        let mut share = self.nothing(tenant);
        share.grow(amount).map(|()| share)
    }

    /// A share that is still empty.
    pub fn nothing(self: &Arc<Self>, tenant: &TenantId) -> RoomShare {
        RoomShare { room: self.clone(), tenant: tenant.clone(), amount: 0 }
    }

    fn held(&self) -> MutexGuard<'_, RoomUse> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RoomShare {
    /// Takes more.
    pub fn grow(&mut self, more: usize) -> Result<(), NoRoom> {
        if more == 0 {
            return Ok(());
        }
        let mut held = self.room.held();
        let own = held.tenants.get(&self.tenant).copied().unwrap_or_default();
        let free = self.room.limit.saturating_sub(held.all);
        if more > free {
            return Err(NoRoom { held: held.all, limit: self.room.limit });
        }
        if self.room.tenants_apart && own >= free {
            return Err(NoRoom { held: own, limit: (own + free) / 2 });
        }
        held.all += more;
        *held.tenants.entry(self.tenant.clone()).or_default() += more;
        drop(held);
        self.amount += more;
        Ok(())
    }
}

impl Drop for RoomShare {
    fn drop(&mut self) {
        let mut held = self.room.held();
        held.all -= self.amount;
        if let Some(own) = held.tenants.get_mut(&self.tenant) {
            *own -= self.amount;
            if *own == 0 {
                held.tenants.remove(&self.tenant);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenant(name: &str) -> TenantId {
        TenantId::parse(name).unwrap()
    }
    /// Takes as much as there is for the tenant.
    fn greedy(room: &Arc<TenantRoom>, name: &str) -> Vec<RoomShare> {
        std::iter::from_fn(|| room.take(&tenant(name), 1).ok()).collect()
    }

    #[test]
    fn where_tenants_are_not_told_apart_one_may_have_it_all() {
        let room = TenantRoom::new(8, false);
        let all = greedy(&room, "acme");
        assert_eq!(all.len(), 8);
        assert_eq!(room.take(&tenant("acme"), 1).unwrap_err(), NoRoom { held: 8, limit: 8 });
        drop(all);
        assert_eq!(greedy(&room, "acme").len(), 8);
    }

    #[test]
    fn greedy_tenants_leave_room_for_another_one() {
        let room = TenantRoom::new(64, true);
        let first = greedy(&room, "acme");
        assert_eq!(first.len(), 32);
        assert_eq!(room.take(&tenant("acme"), 1).unwrap_err(), NoRoom { held: 32, limit: 32 });
        let second = greedy(&room, "globex");
        assert_eq!(second.len(), 16);
        assert!(room.take(&tenant("acme"), 1).is_err());
        assert!(!greedy(&room, "initech").is_empty());
        drop((first, second));
        assert!(room.held().tenants.is_empty());
    }

    #[test]
    fn shares_grow_and_give_all_back() {
        let room = TenantRoom::new(10, false);
        let mut share = room.nothing(&tenant("acme"));
        share.grow(6).unwrap();
        assert_eq!(share.grow(5), Err(NoRoom { held: 6, limit: 10 }));
        share.grow(4).unwrap();
        drop(share);
        assert_eq!(room.held().all, 0);
    }

    #[test]
    fn the_smallest_room_has_a_place() {
        assert_eq!(greedy(&TenantRoom::new(1, true), "acme").len(), 1);
    }
}
