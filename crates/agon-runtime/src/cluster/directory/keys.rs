//! Who may give orders to hosts: whoever knows the key that their process has told coordinators and gateways.
use super::Directory;
use crate::base::random::RandomSource;
use agon_core::HostId;
use agon_proto::{HostKey, KeyTold};
use bytes::Bytes;
use rand::RngExt;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// So many keys are remembered. Every host tells its own again soon.
const MOST_KEYS: usize = 10_000;

/// Whether somebody may give an order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OrderProof {
    /// Whoever gives it knows the key.
    Shown,
    /// It claims no such thing, and nobody has shown the key yet: there may be nobody who knows of keys.
    NotNeeded,
    /// It claims no such thing, or wrongly.
    Missing,
}

pub(super) struct HostKeys {
    own: HostKey,
    /// Somebody knows the key of this process.
    shown: AtomicBool,
    heard: Mutex<HeardKeys>,
}

#[derive(Default)]
struct HeardKeys {
    /// The keys of other processes' hosts.
    of: BTreeMap<HostId, HostKey>,
    /// Hosts of this process that were told to drain by somebody who did not show the key.
    drained: BTreeSet<HostId>,
}

impl HostKeys {
    pub(super) fn new(random: &RandomSource) -> Self {
        Self {
            own: HostKey::new(random.draw(|numbers| numbers.random())),
            shown: AtomicBool::new(false),
            heard: Mutex::default(),
        }
    }
    fn heard(&self) -> MutexGuard<'_, HeardKeys> {
        // every change leaves it whole
        self.heard.lock().unwrap_or_else(PoisonError::into_inner)
    }
    /// What an order proves, and whether it is the first one that does.
    fn proof(&self, subject: &str, body: &[u8]) -> (OrderProof, bool) {
        match self.own.sealed(subject, body) {
            Some(true) => (OrderProof::Shown, !self.shown.swap(true, Ordering::Relaxed)),
            None if !self.shown.load(Ordering::Relaxed) => (OrderProof::NotNeeded, false),
            Some(false) | None => (OrderProof::Missing, false),
        }
    }
}

impl Directory {
    /// What the hosts of this process tell those who may give them orders.
    pub(crate) fn own_keys(&self) -> Vec<KeyTold> {
        let shown = self.keys.shown.load(Ordering::Relaxed);
        self.servers().map(|local| KeyTold { host: local.id.clone(), key: self.keys.own, shown }).collect()
    }

    /// Takes in the key of another process's host.
    pub(crate) fn learn_key(&self, told: KeyTold) {
        let mut heard = self.keys.heard();
        heard.of.insert(told.host, told.key);
        if heard.of.len() > MOST_KEYS {
            heard.of.pop_first();
        }
    }

    /// The body of an order to a host: with a proof, where the host has told its key.
    pub(crate) fn ordering(&self, host: &HostId, subject: &str, body: &Bytes) -> Bytes {
        let key = match self.local(host) {
            Some(_) => Some(self.keys.own),
            None => self.keys.heard().of.get(host).copied(),
        };
        key.map_or_else(|| body.clone(), |key| key.seal(subject, body))
    }

    /// Whether whoever sent this may give orders to the hosts of this process.
    pub(crate) fn proof(&self, subject: &str, body: &[u8]) -> OrderProof {
        let (proof, first) = self.keys.proof(subject, body);
        if first {
            self.takes_back();
        }
        proof
    }

    /// A host was told to drain, or to take turns again, by somebody who did not show the key.
    pub(crate) fn unproven(&self, host: &HostId, drain: bool) {
        let mut heard = self.keys.heard();
        match drain {
            true => heard.drained.insert(host.clone()),
            false => heard.drained.remove(host),
        };
    }

    /// Orders to drain that nobody proved are worth nothing once somebody can.
    fn takes_back(&self) {
        let drained = std::mem::take(&mut self.keys.heard().drained);
        for host in &drained {
            self.drain(host, false);
        }
        // others need not show the key any more
        self.own_version.send_modify(|version| *version += 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAIN: &str = "agon.v1.host.gpu.drain";

    #[test]
    fn once_somebody_has_shown_the_key_nothing_is_obeyed_without_it() {
        let (keys, others) = (HostKeys::new(&RandomSource::default()), HostKeys::new(&RandomSource::default()));
        let nothing = Bytes::new();
        assert_eq!(keys.proof(DRAIN, &nothing), (OrderProof::NotNeeded, false));
        assert_eq!(keys.proof(DRAIN, &others.own.seal(DRAIN, &nothing)), (OrderProof::Missing, false));

        let order = keys.own.seal(DRAIN, &nothing);
        assert_eq!(keys.proof(DRAIN, &order), (OrderProof::Shown, true));
        assert_eq!(keys.proof(DRAIN, &order), (OrderProof::Shown, false));

        assert_eq!(keys.proof(DRAIN, &nothing), (OrderProof::Missing, false));
        assert_eq!(keys.proof("agon.v1.host.gpu.undrain", &order), (OrderProof::Missing, false));
    }
}
