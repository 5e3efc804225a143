//! What an eval waits for, for those who watch it.
use crate::api::unserved::leaderless;
use crate::config::GatewayPorts;
use agon_core::{DebateId, ModelName, Position, TenantId, Timestamp};
use agon_eval::{Cell, EvalEvent};
use agon_proto::ModelServerAway;
use agon_runtime::{OpenEval, UnsettledTurns};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// So many open debates of an eval are looked at: what one of them waits for the others mostly do, too.
const LOOKED_AT: usize = 8;

/// The open cells of an eval, and where to learn what their debates wait for.
pub(super) struct EvalWaits {
    ports: GatewayPorts,
    tenant: TenantId,
    rehearsal: bool,
    /// The debate of each cell.
    open: BTreeMap<Cell, String>,
    ended: bool,
}

impl EvalWaits {
    /// Those of the eval as it is.
    pub(super) fn of(ports: &GatewayPorts, eval: &OpenEval) -> Self {
        let rehearsal = eval.machine.admission().rehearsal;
        let tenant = eval.id.tenant();
        let mut waits = Self { ports: ports.clone(), tenant, rehearsal, open: BTreeMap::new(), ended: false };
        eval.events.iter().for_each(|(_, event)| waits.take(event));
        waits
    }

    /// Takes in what happened next.
    pub(super) fn take(&mut self, event: &EvalEvent) {
        match event {
            EvalEvent::CellOpened { cell, debate } => drop(self.open.insert(cell.clone(), debate.clone())),
            EvalEvent::CellClosed(closed) | EvalEvent::CellGraded(closed) => drop(self.open.remove(&closed.cell)),
            EvalEvent::EvalEnded { .. } => {
                self.ended = true;
                self.open.clear();
            }
            EvalEvent::RetryOrdered { .. } | EvalEvent::RescoreOrdered { .. } => self.ended = false,
            EvalEvent::EvalAdmitted(_)
            | EvalEvent::EvalClaimed { .. }
            | EvalEvent::LookTaken { .. }
            | EvalEvent::LabelsGiven { .. }
            | EvalEvent::GateLearned(_)
            | EvalEvent::EvalStopped { .. } => {}
        }
    }

    /// What keeps the eval, in a line; nothing where it has ended, or nothing is known to keep it.
    pub(super) async fn told(&self) -> Option<String> {
        if self.ended {
            return None;
        }
        let condition = self.ports.upkeep.condition();
        let leaderless = || leaderless(&self.ports.node);
        if let Some(told) = condition.trouble().or_else(|| condition.evals_fullness()).or_else(leaderless) {
            return Some(told);
        }
        let mut asked = BTreeSet::new();
        for debate in self.open.values().take(LOOKED_AT) {
            let Some(turns) = self.turns(debate).await else { continue };
            if let Some(wait) = turns.wait(super::now()) {
                return Some(format!("debate {debate} waits for {wait}"));
            }
            asked.extend(turns.models().cloned());
        }
        asked.iter().find_map(|model| self.away(model))
    }

    /// The open turns of a debate; nothing where it cannot be read now.
    async fn turns(&self, debate: &str) -> Option<UnsettledTurns> {
        let id = DebateId::in_tenant(&self.tenant, debate).ok()?;
        let records = self.ports.journal.read(&id, Position(0)).await.ok()?;
        Some(UnsettledTurns::of(records.iter().map(Arc::as_ref)))
    }

    /// That no host takes turns of a model now, if so.
    fn away(&self, model: &ModelName) -> Option<String> {
        if model.is_external() {
            return None;
        }
        if !self.ports.node.serves(model, self.rehearsal) {
            return Some(format!("turns wait for a host that serves {model}"));
        }
        let hosts = self.ports.node.hosts().into_iter().filter(|known| known.lives).map(|known| known.alive);
        let listed = hosts.filter(|alive| alive.rehearsal == self.rehearsal && !alive.draining);
        let mut away = Vec::new();
        for host in listed.filter(|host| host.takes(model) || host.listed(model).is_some()) {
            // one that is well takes the turns
            let absence = host.listed(model)?.away.clone()?;
            away.push(absent(&host.host.to_string(), &absence));
        }
        (!away.is_empty()).then(|| format!("turns wait for {model}: {}", away.join("; ")))
    }
}

fn absent(host: &str, away: &ModelServerAway) -> String {
    let now: Timestamp = super::now();
    let (since, next) = (now.since(away.since) / 1_000, away.next_look.since(now) / 1_000);
    format!("{host} is away since {since} s ({}), the next look is in {next} s", away.why)
}
