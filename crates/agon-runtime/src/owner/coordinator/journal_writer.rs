//! What a coordinator writes: records of its log, and the registers of its turns.
use super::{CoordinatorEnd, CoordinatorStop, State};
use crate::base::journal;
use crate::owner::replay;
use agon_core::{Debate, Event, Input, Position, Rejection, Timestamp, TurnId, TurnResult};
use agon_proto::{CancelTurn, Hint, LogAdvanced};
use agon_store::{AppendError, StoreError};
use std::sync::Arc;
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::time::Instant;

impl State {
    /// Decides, appends, applies. False when the machine has no use for the input.
    pub(super) async fn step(&mut self, input: Input) -> Result<bool, CoordinatorStop> {
        let Some(debate) = self.debate.as_ref() else { return Ok(false) };
        let (at, here) = (self.now(), Instant::now());
        let events = match decided(debate, at, input) {
            Ok(events) => events,
            Err(rejection) => {
                tracing::debug!(debate = %self.id, %rejection, "input ignored");
                return Ok(false);
            }
        };
        if events.is_empty() {
            return Ok(false);
        }
        if events.iter().any(|event| matches!(event, Event::TurnAsked(_))) && self.shared.fullness().is_some() {
            // what is left is for ends
            return Err(StoreError::Full("the store, its reserve aside,".to_owned()).into());
        }
        let record = debate.record(at, self.shared.config.random.number(), events);
        let record = match journal::append(&self.shared, &self.id, &record).await {
            Ok(record) => record,
            Err(AppendError::Fenced { last }) => {
                self.still_mine().await?;
                // by a late record of our own: the log is to be read again
                tracing::warn!(debate = %self.id, last = last.0, "an append landed late, starting over");
                return Err(CoordinatorStop::Ended(CoordinatorEnd::Parked));
            }
            Err(error) => return Err(error.into()),
        };
        let Some(debate) = self.debate.as_mut() else { return Ok(false) };
        debate.apply_record(&record);
        self.asked.extend(replay::asked_turns(&record));
        let ended = debate.ended().is_some();
        self.last = (at, here);
        self.shared.observer.recorded(&self.id, &record);
        self.announce(record.last()).await;
        if ended {
            self.tell_whole_log().await;
        }
        Ok(true)
    }

    /// Once: by whoever has appended the end. A log that cannot be read now goes untold, the debate is over all the same.
    async fn tell_whole_log(&self) {
        if !self.shared.observer.wants_log() {
            return;
        }
        match journal::read(&self.shared, &self.id, Position(0)).await {
            Ok(records) => self.shared.observer.debate_ended(&records),
            Err(error) => tracing::warn!(debate = %self.id, %error, "log not read for its trace"),
        }
    }

    /// Fails as fenced when another node has claimed the debate, as interrupted when somebody has paused it.
    pub(super) async fn still_mine(&mut self) -> Result<(), CoordinatorStop> {
        let Some(debate) = self.debate.as_mut() else { return Ok(()) };
        let newer = journal::read(&self.shared, &self.id, debate.position()).await?;
        match replay::owner(&newer) {
            Some(writer) if *writer != self.shared.config.id => {
                return Err(CoordinatorStop::Ended(CoordinatorEnd::Fenced));
            }
            Some(_) | None => {}
        }
        let last = newer.last().and_then(|record| record.events.last());
        if matches!(last, Some(Event::DebateInterrupted { .. })) {
            newer.iter().for_each(|record| debate.apply_record(record));
            // one that is to end as well is started over, which ends it
            let end = if self.is_cancelled().await? { CoordinatorEnd::Parked } else { CoordinatorEnd::Interrupted };
            return Err(CoordinatorStop::Ended(end));
        }
        Ok(())
    }

    async fn announce(&self, position: Position) {
        let hint = Hint::LogAdvanced(LogAdvanced { debate: self.id.clone(), position });
        self.shared.hint_debate(&self.id, hint).await;
    }

    /// Withdraws a turn unless its register is decided; returns what that holds.
    pub(super) async fn give_up(&self, turn: TurnId) -> Result<Arc<TurnResult>, StoreError> {
        self.decide(turn, TurnResult::Withdrawn).await
    }

    pub(super) async fn decide(&self, turn: TurnId, result: TurnResult) -> Result<Arc<TurnResult>, StoreError> {
        let decision = self.shared.in_time(self.shared.registers.decide(&self.id, turn, result)).await?;
        if decision.won {
            let hint = Hint::CancelTurn(CancelTurn { debate: self.id.clone(), turn });
            self.shared.hint_debate(&self.id, hint).await;
        }
        Ok(decision.result)
    }

    pub(super) async fn register(&self, turn: TurnId) -> Result<Option<Arc<TurnResult>>, StoreError> {
        self.shared.in_time(self.shared.registers.get(&self.id, turn)).await
    }
}

/// What the machine makes of an input. Where it may evaluate an expression of a user, other tasks are served by another thread
/// meanwhile: an expression with all the steps that it may have takes up to a quarter of a second in an unoptimised build. The
/// steps are its deadline. They are counted, and no clock is read, so that every node decides the same. A runtime of one thread has
/// no other.
fn decided(debate: &Debate, at: Timestamp, input: Input) -> Result<Vec<Event>, Rejection> {
    let evaluates = debate.admission().spec.terminate_when.is_some();
    if evaluates && Handle::current().runtime_flavor() == RuntimeFlavor::MultiThread {
        return tokio::task::block_in_place(|| debate.decide(at, input));
    }
    debate.decide(at, input)
}
