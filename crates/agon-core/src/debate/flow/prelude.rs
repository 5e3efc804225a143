//! Opening a round.
use super::super::control::{Phase, SlotState};
use super::super::draft::Draft;
use super::super::formats::fishbowl;
use super::super::order::speaking_order;
use super::{Asking, moderator};
use crate::answer::RoundPlan;
use crate::event::{Event, ModeratorDecision, Step};
use crate::ids::{MODERATOR, TurnId};
use crate::spec::DebateFormat;
use crate::work::Work;

impl Draft<'_> {
    /// Does the next thing that is wanted before the next round, and then opens it.
    pub(super) fn open_round(&mut self) {
        let round = self.control.rounds_held.saturating_add(1);
        if round == 1 && self.control.phase == Phase::BetweenRounds && self.researches() {
            return self.open_stage_in(round, Step::Research, moderator(Work::Research), false);
        }
        self.plan_round(round);
    }

    /// The moderator's plan, then bids for the inner circle, then the round.
    pub(super) fn plan_round(&mut self, round: u32) {
        let planned = self.control.plan.as_ref().is_some_and(|(planned, _)| *planned == round);
        let opens = self.spec().moderator.as_ref().is_some_and(|moderator| moderator.opens);
        if opens && !planned {
            let lost = self.control.round == round
                && self.control.stage.slots.iter().any(|slot| {
                    slot.work == Work::OpenRound && matches!(slot.state, SlotState::Failed(_) | SlotState::Skipped)
                });
            if !lost && self.moderator_has_room() {
                return self.ask_to_open(round);
            }
            // The moderator could not open the round: everybody speaks, and the record says so.
            let next_speakers = speaking_order(self.spec(), self.admission.seed, round);
            let plan = RoundPlan { next_speakers, ..RoundPlan::default() };
            self.emit_fallback(round, ModeratorDecision::Opens(plan));
        }
        if self.spec().debate_format == DebateFormat::Fishbowl && round > 1 && !self.has_bid(round) {
            let seats = fishbowl::bids(self.spec(), &self.control.circle);
            if !seats.is_empty() {
                return self.open_stage_in(round, Step::Admission, seats, true);
            }
        }
        self.round_opened(round);
    }

    fn researches(&self) -> bool {
        self.spec().moderator.as_ref().is_some_and(|moderator| moderator.researches)
    }

    /// Whether the bids for the inner circle of this round were asked for.
    fn has_bid(&self, round: u32) -> bool {
        self.control.round == round && self.control.stage.slots.iter().any(|slot| matches!(slot.work, Work::Bid { .. }))
    }

    fn ask_to_open(&mut self, round: u32) {
        let participant = MODERATOR.into();
        let Some(model) = super::super::models(self.spec(), &participant).first().map(|model| (*model).clone()) else {
            return self.round_opened(round);
        };
        let seat = if self.control.round == round { self.control.next_seat } else { 0 };
        let turn = TurnId { round, seat, attempt: 1 };
        self.ask(Asking {
            turn,
            participant,
            model,
            task: Work::OpenRound.into(),
            correction: None,
            kept: false,
            decides: false,
        });
    }

    /// Opens the round as planned; in all but `turn_mode: moderator` the order is the spec's own.
    fn round_opened(&mut self, round: u32) {
        let planned = self.control.plan.take().filter(|(planned, _)| *planned == round);
        let plan = planned.map(|(_, plan)| plan).unwrap_or_default();
        let order = || speaking_order(self.spec(), self.admission.seed, round);
        let speakers = if self.spec().debate_format == DebateFormat::Fishbowl {
            fishbowl::seated(self.spec(), &self.control.circle, &self.control.turned, &order())
        } else if self.spec().turn_mode.is_by_moderator() {
            plan.next_speakers
        } else {
            order()
        };
        let (briefing, new_angle) = (plan.briefing.map(Into::into), plan.new_angle.map(Into::into));
        self.emit(Event::RoundOpened { round, speakers, briefing, new_angle });
    }
}
