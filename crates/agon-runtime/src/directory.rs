//! The hosts of this process: what they serve, how loaded they are, which breakers are open.
use crate::config::{HostConfig, Served};
use crate::gate::GateLink;
use agon_core::{DebateId, HostId, ModelName};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, PoisonError, RwLock};

/// Every host of this process.
pub(crate) struct Directory {
    hosts: Vec<Entry>,
}

struct Entry {
    id: HostId,
    served: Served,
    permits: usize,
    gates: RwLock<BTreeMap<ModelName, Arc<GateLink>>>,
}

impl Directory {
    pub(crate) fn new(hosts: &[HostConfig]) -> Self {
        let entry = |host: &HostConfig| Entry {
            id: host.id.clone(),
            served: host.models.clone(),
            permits: host.permits.get(),
            gates: RwLock::default(),
        };
        Self { hosts: hosts.iter().map(entry).collect() }
    }

    /// The gate of a model at a host, made when it is first asked for.
    pub(crate) fn gate(&self, host: &HostId, model: &ModelName) -> Option<Arc<GateLink>> {
        let entry = self.hosts.iter().find(|entry| entry.id == *host && entry.served.has(model))?;
        let mut gates = entry.gates.write().unwrap_or_else(PoisonError::into_inner);
        let fresh = || Arc::new(GateLink::new(host.clone(), model.clone(), entry.permits));
        Some(gates.entry(model.clone()).or_insert_with(fresh).clone())
    }

    /// The host at which a debate's turns for this model are best played first: well, least loaded, ties spread over debates.
    pub(crate) fn preferred(&self, debate: &DebateId, model: &ModelName) -> Option<HostId> {
        let serving = self.hosts.iter().filter(|entry| entry.served.has(model));
        let best = serving.min_by_key(|entry| {
            let (open, load) = entry.gate(model).map_or((false, 0), |gate| (gate.is_open(), gate.load()));
            let mut spread = DefaultHasher::new();
            (debate.as_str(), entry.id.as_str()).hash(&mut spread);
            (open, load, spread.finish())
        });
        best.map(|entry| entry.id.clone())
    }

    /// Whether another host serves the model with a breaker that is not open.
    pub(crate) fn well_elsewhere(&self, model: &ModelName, here: &HostId) -> bool {
        let others = self.hosts.iter().filter(|entry| entry.id != *here && entry.served.has(model));
        others.into_iter().any(|entry| !entry.gate(model).is_some_and(|gate| gate.is_open()))
    }

    /// The hosts whose breaker for this model is open.
    pub(crate) fn open_at(&self, model: &ModelName) -> Vec<HostId> {
        let open = self.hosts.iter().filter(|entry| entry.gate(model).is_some_and(|gate| gate.is_open()));
        open.map(|entry| entry.id.clone()).collect()
    }

    /// What is served, for a person.
    pub(crate) fn inventory(&self) -> String {
        let of = |entry: &Entry| match &entry.served {
            Served::Any => format!("{} serves any model", entry.id),
            Served::List(models) if models.is_empty() => format!("{} serves no model", entry.id),
            Served::List(models) => {
                let names: Vec<&str> = models.iter().map(ModelName::as_str).collect();
                format!("{} serves {}", entry.id, names.join(", "))
            }
        };
        let hosts: Vec<String> = self.hosts.iter().map(of).collect();
        if hosts.is_empty() { "no host is configured".to_owned() } else { hosts.join("; ") }
    }

    /// Calls that run at all hosts.
    pub(crate) fn in_flight(&self) -> usize {
        let at = |entry: &Entry| -> usize {
            let gates = entry.gates.read().unwrap_or_else(PoisonError::into_inner);
            gates.values().map(|gate| gate.in_flight()).sum()
        };
        self.hosts.iter().map(at).sum()
    }
}

impl Entry {
    fn gate(&self, model: &ModelName) -> Option<Arc<GateLink>> {
        self.gates.read().unwrap_or_else(PoisonError::into_inner).get(model).cloned()
    }
}
