//! How a coordinator begins: it reads the log, claims the debate, and goes on with what its predecessors left.
use super::{CoordinatorEnd, CoordinatorStop, Msg, State};
use crate::base::{catalogue, journal};
use crate::owner::replay;
use agon_core::{Debate, Input, Position, Reason, ReasonCode, Record, TurnId, TurnResult};
use agon_proto::{DebateSummary, SummaryState};
use agon_store::StoreError;
use agon_telemetry::DebateClaimed;
use ractor::ActorRef;
use std::sync::Arc;
use tokio::time::Instant;

impl State {
    pub(super) async fn begin(&mut self, myself: &ActorRef<Msg>) -> Result<(), CoordinatorStop> {
        let records = journal::read(&self.shared, &self.id, Position(0)).await?;
        let Some(debate) = Debate::fold(records.iter().map(Arc::as_ref)) else {
            return Err(CoordinatorStop::Ended(CoordinatorEnd::Unknown));
        };
        self.last = (records.last().map_or(self.last.0, |record| record.at), Instant::now());
        self.admitted_at = records.first().map_or(self.last.0, |record| record.at);
        self.inherited = replay::open_turns(&records);
        self.asked = records.iter().flat_map(|record| replay::asked_turns(record)).collect();
        self.warm = replay::placements(&records);
        let (ended, interrupted) = (debate.ended().is_some(), debate.interrupted());
        self.debate = Some(debate);
        if ended {
            let open = std::mem::take(&mut self.inherited);
            return self.finish(open).await;
        }
        if interrupted && !self.is_cancelled().await? {
            return Err(CoordinatorStop::Ended(CoordinatorEnd::Interrupted));
        }
        // looked at before any is offered again
        let decided = self.decided_before().await?;
        let poisoned = self.claim(&records).await?;
        self.note_claim(myself);
        if let Some(reason) = poisoned {
            return self.on_input(myself, Input::Interrupt { reason }).await;
        }
        self.carry_out_orders().await?;
        for (turn, result) in decided {
            self.step(Input::TurnDecided { turn, result }).await?;
        }
        self.perform(myself).await
    }

    /// Whether somebody wants the debate ended.
    pub(super) async fn is_cancelled(&self) -> Result<bool, StoreError> {
        let told = matches!(self.orders, Some(Input::Cancel { .. }));
        Ok(told || self.shared.in_time(self.shared.commands.cancel_ordered(&self.id)).await?.is_some())
    }

    /// Claims the debate, unless this node has done so and nobody after it. Why the debate is to be interrupted, if it is.
    async fn claim(&mut self, records: &[Arc<Record>]) -> Result<Option<Reason>, CoordinatorStop> {
        if self.resumes {
            if replay::owner(records) == Some(&self.shared.config.id) {
                return Ok(None);
            }
            let epoch = self.debate.as_ref().map(Debate::epoch);
            // whoever has claimed it while the store was away is at work
            if self.known_epoch.is_some() && epoch > self.known_epoch {
                return Err(CoordinatorStop::Ended(CoordinatorEnd::Fenced));
            }
        }
        let claims = replay::claims_without_progress(records).saturating_add(1);
        // where a person has asked for each of them, none is one too many
        let counts = self.shared.config.takes_jobs && claims >= self.shared.config.claims_without_progress;
        let poisoned = counts && !self.was_handed_over().await;
        self.step(Input::Claim { writer: self.shared.config.id.clone() }).await?;
        self.tell_claim(records);
        let detail = || format!("{claims} claims in a row brought nothing");
        Ok(poisoned.then(|| Reason::with(ReasonCode::Poison, detail())))
    }

    /// Whether the last owner left the debate in order, which is not the debate's fault: it may be moved often while a
    /// long turn is played.
    async fn was_handed_over(&self) -> bool {
        let epoch = self.debate.as_ref().map(Debate::epoch);
        match catalogue::known(&self.shared, &self.id).await {
            Some(DebateSummary { state: SummaryState::Queued, epoch: noted, .. }) => Some(noted) == epoch,
            Some(_) | None => false,
        }
    }

    fn tell_claim(&self, records: &[Arc<Record>]) {
        let Some(debate) = &self.debate else { return };
        self.shared.observer.debate_claimed(&DebateClaimed {
            admission: debate.admission(),
            writer: &self.shared.config.id,
            admitted: self.admitted_at,
            at: self.last.0,
            epoch: debate.epoch(),
            after: records.last().map_or(Position(0), |record| record.last()),
        });
    }

    /// What this node was told to do first, and what the cluster ordered before anybody here listened.
    async fn carry_out_orders(&mut self) -> Result<(), CoordinatorStop> {
        if let Some(input) = self.orders.take() {
            self.step(input).await?;
        }
        if let Some(order) = self.shared.in_time(self.shared.commands.cancel_ordered(&self.id)).await? {
            self.step(Input::Cancel { reason: order.reason }).await?;
        }
        Ok(())
    }

    /// The turns that were decided while nobody owned the debate.
    async fn decided_before(&self) -> Result<Vec<(TurnId, TurnResult)>, StoreError> {
        let mut decided = Vec::new();
        for turn in &self.inherited {
            if let Some(result) = self.register(*turn).await? {
                decided.push((*turn, (*result).clone()));
            }
        }
        Ok(decided)
    }
}
