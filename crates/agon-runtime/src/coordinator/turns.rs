//! The turns that a coordinator has open: offered, looked at, withdrawn.
use super::{Msg, State, Stop};
use crate::agenda::Due;
use crate::offer::{self, Offered};
use crate::tasks::tell;
use crate::{replay, wire};
use agon_core::{Input, TurnId, TurnResult};
use ractor::ActorRef;
use std::time::Duration;

impl State {
    /// `first`: this coordinator has opened the turn and offers it for the first time.
    pub(super) fn offer(&self, myself: &ActorRef<Msg>, turn: TurnId, first: bool) {
        let Some(open) = self.agenda.get(turn) else { return };
        let (ask, debate, shared) = (open.ask.clone(), self.id.clone(), self.shared.clone());
        let sticky = open.host.clone().or_else(|| self.warm.get(&ask.model).cloned());
        let target = myself.clone();
        self.scope.spawn(myself.get_cell(), async move {
            let offered = offer::offer(&shared, &debate, &ask, sticky, first).await;
            tell(&target, Msg::Offered { turn, offered });
        });
    }

    pub(super) async fn on_offered(
        &mut self,
        myself: &ActorRef<Msg>,
        turn: TurnId,
        offered: Offered,
    ) -> Result<(), Stop> {
        match offered {
            Offered::Accepted(host) => {
                if let Some(open) = self.agenda.get(turn) {
                    self.warm.insert(open.ask.model.clone(), host.clone());
                }
                self.agenda.placed(turn, host);
                Ok(())
            }
            Offered::Queued => Ok(()),
            Offered::Refused => self.look(myself, turn).await,
        }
    }

    pub(super) async fn on_due(&mut self, myself: &ActorRef<Msg>) -> Result<(), Stop> {
        self.alarm = None;
        for due in self.agenda.due(self.shared.clock.now()) {
            match due {
                Due::Withdraw(turn) => self.withdraw(myself, turn).await?,
                Due::Look(turn) => self.look(myself, turn).await?,
                Due::Offer(turn) => {
                    self.look(myself, turn).await?;
                    self.offer(myself, turn, false);
                }
                Due::Retry(turn) => self.on_input(myself, Input::RetryDue { turn }).await?,
            }
        }
        Ok(())
    }

    pub(super) async fn look_around(&mut self, myself: &ActorRef<Msg>) -> Result<(), Stop> {
        for turn in self.agenda.turns() {
            self.look(myself, turn).await?;
        }
        Ok(())
    }

    /// Feeds what the register holds, if it is decided.
    pub(super) async fn look(&mut self, myself: &ActorRef<Msg>, turn: TurnId) -> Result<(), Stop> {
        if self.agenda.get(turn).is_none() {
            return Ok(());
        }
        match self.shared.registers.get(&self.id, turn).await? {
            Some(result) => self.on_result(myself, turn, &result).await,
            None => Ok(()),
        }
    }

    /// The deadline races with the host for the register; whoever comes first decides.
    pub(super) async fn withdraw(&mut self, myself: &ActorRef<Msg>, turn: TurnId) -> Result<(), Stop> {
        let decision = self.shared.registers.decide(&self.id, turn, TurnResult::Withdrawn).await?;
        if decision.won {
            self.shared.hint(&self.id, wire::cancel_turn(&self.id, turn)).await;
        }
        self.on_result(myself, turn, &decision.result).await
    }

    pub(super) async fn on_result(
        &mut self,
        myself: &ActorRef<Msg>,
        turn: TurnId,
        result: &TurnResult,
    ) -> Result<(), Stop> {
        if let Some((model, host)) = replay::placement(result) {
            self.warm.insert(model, host);
        }
        let told = self.step(Input::TurnDecided { turn, result: result.clone() }).await?;
        self.agenda.close(turn);
        if told { self.perform(myself).await } else { Ok(()) }
    }

    /// One timer for all that will be due.
    pub(super) fn set_alarm(&mut self, myself: &ActorRef<Msg>) {
        let Some(next) = self.agenda.next() else { return };
        if self.alarm.as_ref().is_some_and(|(at, _)| *at == next) {
            return;
        }
        // never at once: what is due and not accepted must not turn into a busy loop
        let wait = next.since(self.shared.clock.now()).max(SHORTEST_ALARM);
        let alarm = self.scope.after(myself, Duration::from_millis(wait), Msg::Tick);
        if let Some((_, old)) = self.alarm.replace((next, alarm)) {
            old.abort();
        }
    }
}

/// In milliseconds.
const SHORTEST_ALARM: u64 = 5;
