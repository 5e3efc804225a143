//! What follows when a try fails: the same model again, the next model, or an empty seat.
use super::control::{Slot, SlotState};
use super::draft::Draft;
use super::flow::Asking;
use super::input::Rejection;
use crate::call::Call;
use crate::event::Event;
use crate::failure::{Failure, FailureCause};
use crate::ids::{ModelName, ParticipantId, SYNTHESIZER, Timestamp, TurnId, judge_index};
use crate::outcome::{Reason, ReasonCode};
use crate::seed::{Dice, Purpose};
use crate::spec::{Memory, OnCut};
use crate::work::Work;

impl Draft<'_> {
    /// Records a failed try, and starts or plans the next one if there is to be one.
    pub fn fail(&mut self, turn: TurnId, failure: Failure, call: Box<Call>) -> Result<(), Rejection> {
        let (slot, ask) = self.control.open_slot(turn).ok_or(Rejection::NotOpen(turn))?;
        let participant = ask.participant.clone();
        if self.pauses_for(slot, &failure, call.host.as_deref()) {
            self.pause_for_server(turn, participant, failure, call);
            return Ok(());
        }
        let retry_at = self.next_try(slot, &failure).map(|delay| self.at.plus(delay));
        let at_once = retry_at.is_some_and(|due| due <= self.at);
        self.emit(Event::TurnFailed { turn, participant, failure, retry_at, call });
        if at_once {
            return self.retry_due(turn.next_attempt());
        }
        self.advance();
        Ok(())
    }

    /// Whether nobody goes on before the debate is resumed: its model server was waited for in vain, and nothing else can go on.
    fn pauses_for(&self, slot: &Slot, failure: &Failure, host: Option<&str>) -> bool {
        failure.cause == FailureCause::ServerAway
            && slot.work != Work::Measure
            && !self.has_fallback(slot)
            && self.waits_for_server(slot, host)
    }

    /// Whoever resumes the debate asks again at once.
    fn pause_for_server(&mut self, turn: TurnId, participant: ParticipantId, failure: Failure, call: Box<Call>) {
        let reason = Reason::with(ReasonCode::ServerAway, failure.detail.clone());
        self.emit(Event::TurnFailed { turn, participant, failure, retry_at: Some(self.at), call });
        self.emit(Event::DebateInterrupted { reason });
    }

    /// Asks again.
    pub fn retry_due(&mut self, turn: TurnId) -> Result<(), Rejection> {
        let slot = self
            .control
            .stage
            .slots
            .iter()
            .position(|slot| matches!(slot.state, SlotState::Backoff { turn: due, .. } if due == turn));
        let at = slot.filter(|_| self.control.round == turn.round).ok_or(Rejection::NotOpen(turn))?;
        let Some(slot) = self.control.stage.slots.get(at) else { return Err(Rejection::NotOpen(turn)) };
        let (participant, work, correction) = (slot.participant.clone(), slot.work.clone(), slot.correction.clone());
        let Some(model) = self.model_of_next_try(slot) else { return Err(Rejection::NotOpen(turn)) };
        let (task, kept, decides) = (self.task(work.clone(), &participant), self.reads_less(slot), self.decides(&work));
        self.ask(Asking { turn, participant, model, task, correction, kept, decides });
        Ok(())
    }

    /// Milliseconds until the next try, if there is to be one.
    fn next_try(&self, slot: &Slot, failure: &Failure) -> Option<u64> {
        if !self.decides(&slot.work) && self.budget_rule(self.max_tokens(&slot.participant)).is_some() {
            return None;
        }
        let policy = &self.admission.retry;
        let too_long = failure.cause == FailureCause::ContextOverflow;
        if too_long && slot.last_cause != Some(FailureCause::ContextOverflow) && self.may_read_less(slot) {
            return Some(0);
        }
        if slot.work == Work::Measure {
            // the words of the round are compared instead
            return None;
        }
        if failure.cause == FailureCause::BreakerOpen {
            return self.wait_for_breaker(slot, failure);
        }
        if failure.cause == FailureCause::ServerAway {
            // it was waited for already
            return self.has_fallback(slot).then_some(0);
        }
        if slot.tries_on_model >= self.tries(slot, failure.cause) {
            return self.has_fallback(slot).then_some(0);
        }
        if failure.cause.retries_at_once() {
            return Some(0);
        }
        let doubled = policy.base_delay_ms.saturating_mul(1 << slot.tries_on_model.saturating_sub(1).min(20));
        let cap = doubled.min(policy.max_delay_ms);
        let index =
            (u64::from(self.control.round) << 32) | (u64::from(slot.seat) << 8) | u64::from(slot.tries_on_model);
        let jittered = cap / 2 + Dice::new(self.admission.seed, Purpose::Jitter, index).below(cap / 2 + 1);
        Some(jittered.max(failure.retry_after_ms.unwrap_or(0)).min(policy.wait_limit_ms).max(1))
    }

    /// How often the same model is asked again at the most. A speech is cut but once where the file wants that.
    fn tries(&self, slot: &Slot, cause: FailureCause) -> u32 {
        let once = cause == FailureCause::Truncated && slot.work.traits().speech.is_some();
        if once && self.spec().on_cut == OnCut::Fail { 1 } else { cause.tries(&self.admission.retry) }
    }

    /// The model of the next try: the same, or the next fallback where the last cause leaves no more tries.
    fn model_of_next_try(&self, slot: &Slot) -> Option<ModelName> {
        let spent = match slot.last_cause {
            // the last model of a seat is waited for
            Some(FailureCause::BreakerOpen | FailureCause::ServerAway) => self.has_fallback(slot),
            Some(cause) => !self.reads_less(slot) && slot.tries_on_model >= self.tries(slot, cause),
            None => false,
        };
        let index = slot.model_index + usize::from(spent);
        super::models(self.spec(), &slot.participant).get(index).map(|model| (*model).clone())
    }

    pub(super) fn has_fallback(&self, slot: &Slot) -> bool {
        slot.model_index + 1 < super::models(self.spec(), &slot.participant).len()
    }

    /// Whether the next try of a slot shows only what memory keeps: the whole debate did not fit the model's context.
    fn reads_less(&self, slot: &Slot) -> bool {
        slot.last_cause == Some(FailureCause::ContextOverflow) && self.may_read_less(slot)
    }

    /// Whether the slot is one that reads the whole debate, of which memory keeps less.
    fn may_read_less(&self, slot: &Slot) -> bool {
        let keeps_less = match self.spec().memory {
            Memory::RollingWindow | Memory::SummarizePast => true,
            Memory::AppendAll | Memory::PersonaMasking => false,
        };
        let judge = judge_index(&slot.participant).is_some();
        keeps_less && (judge || slot.participant.as_str() == SYNTHESIZER)
    }

    /// Whether the deadline of an open turn has passed.
    pub fn is_late(&self, deadline: Timestamp) -> bool {
        self.at >= deadline
    }
}
