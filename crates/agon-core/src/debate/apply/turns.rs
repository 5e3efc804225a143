//! How a turn's asking, answer and failure change the state.
use super::super::control::{Control, Heard, Phase, Slot, SlotState, Turned};
use crate::call::Call;
use crate::event::Admission;
use crate::failure::{Failure, FailureCause};
use crate::ids::{MODERATOR, ParticipantId, Timestamp, TurnId};
use crate::outcome::MissingSeat;
use crate::spec::DebateSpec;
use crate::task::Ask;
use crate::work::Work;

impl Control {
    pub(super) fn asked(&mut self, admission: &Admission, at: Timestamp, ask: &Ask) {
        self.started.get_or_insert(at);
        // The first try opens the seat. The moderator may have researched in this very round before.
        if ask.task.work == Work::OpenRound && ask.turn.attempt == 1 {
            self.enter_round(ask.turn.round);
            self.phase = Phase::RoundOpening;
            self.begin_stage(false, [(MODERATOR.into(), Work::OpenRound)]);
        }
        if ask.task.work == Work::CloseRound && ask.turn.attempt == 1 {
            self.phase = Phase::RoundClosing;
            self.begin_stage(false, [(MODERATOR.into(), Work::CloseRound)]);
        }
        let models = admission.spec.role(&ask.participant).map(|role| role.models()).unwrap_or_default();
        let index = models.iter().position(|model| **model == ask.model);
        if let Some(slot) = self.slot_mut(ask.turn) {
            let index = index.unwrap_or(slot.model_index);
            slot.tries_on_model = if index == slot.model_index { slot.tries_on_model.saturating_add(1) } else { 1 };
            slot.model_index = index;
            slot.state = SlotState::Asked(Box::new(ask.clone()));
        }
    }

    /// What nobody played does not count against the deadline of a turn that is still open.
    pub(super) fn resumed(&mut self, pause_ms: u64) {
        self.halt = None;
        for slot in &mut self.stage.slots {
            if let SlotState::Asked(ask) = &mut slot.state {
                ask.deadline = ask.deadline.plus(pause_ms);
            }
        }
    }

    /// Nothing more will come of a seat.
    pub(super) fn settle(&mut self, turn: TurnId, state: SlotState, heard: Heard) {
        let Some(slot) = self.slot_mut(turn) else { return };
        slot.state = state;
        let turned = Turned { seat: slot.seat, participant: slot.participant.clone(), work: slot.work.clone(), heard };
        self.turned.push(turned);
    }

    /// Adds the call to the totals. What it does not report is estimated for the budget alone: the transcript at 3.5
    /// characters a token as it was before this call, and the answer at its cap.
    pub(super) fn spend(&mut self, call: &Call) {
        self.usage.add(&call.usage);
        let estimate = self.transcript_chars * 2 / 7 + call.options.max_tokens.map_or(0, u64::from);
        self.spent_tokens = self.spent_tokens.saturating_add(call.usage.total().unwrap_or(estimate));
    }

    pub(super) fn failed(
        &mut self,
        spec: &DebateSpec,
        (turn, at): (TurnId, Timestamp),
        (who, failure): (&ParticipantId, &Failure),
        retry_at: Option<Timestamp>,
    ) {
        let missed = |work: &Work| work.traits().missed && !spec.is_extra(work);
        let missed = self.slot_mut(turn).is_none_or(|slot| missed(&slot.work));
        if retry_at.is_none() && missed {
            let (round, seat, cause) = (turn.round, turn.seat, failure.cause);
            self.missing.push(MissingSeat { round, seat, participant: who.clone(), cause });
        }
        if let Some(slot) = self.slot_mut(turn) {
            slot.after_failure((turn, at), failure, retry_at);
        }
        if retry_at.is_none() {
            self.settle(turn, SlotState::Failed(failure.cause), Heard::Nothing);
        }
    }
}

impl Slot {
    fn after_failure(&mut self, (turn, now): (TurnId, Timestamp), failure: &Failure, retry_at: Option<Timestamp>) {
        if matches!(failure.cause, FailureCause::BreakerOpen | FailureCause::ServerAway) {
            // no call was answered, so it was no try
            self.tries_on_model = self.tries_on_model.saturating_sub(1);
        }
        if failure.cause == FailureCause::BreakerOpen {
            self.waits_since.get_or_insert(now);
        }
        // a speech that was cut is asked for as it was; of any other answer nothing can stand
        let cut = failure.cause == FailureCause::Truncated && self.work.traits().speech.is_none();
        self.correction = (cut || failure.cause == FailureCause::Malformed).then(|| failure.detail.clone());
        if let Some(at) = retry_at {
            self.state = SlotState::Backoff { turn: turn.next_attempt(), at };
        }
        self.last_cause = Some(failure.cause);
    }
}
