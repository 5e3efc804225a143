//! The course of a debate: what comes next once a stage is complete.
mod between;
mod ending;
mod gating;
mod prelude;
mod stopping;

pub(super) use stopping::IMPASSE_ROUNDS;

use super::control::{Phase, SlotState};
use super::draft::Draft;
use super::formats::{self, Floor, Next};
use crate::event::{Event, ModeratorDecision, PhaseName, SkipReason, Step};
use crate::failure::FailureCause;
use crate::ids::TurnId;
use crate::outcome::{Reason, ReasonCode};
use crate::spec::OnTurnFailure;
use crate::task::{Ask, Task};
use crate::work::{Seat, Work};

impl Draft<'_> {
    /// Goes on until somebody has to be waited for, or the debate is over.
    pub fn advance(&mut self) {
        loop {
            if matches!(self.control.phase, Phase::Ended(..)) {
                return;
            }
            if self.abort_if_asked_for() {
                continue;
            }
            if self.control.stage.is_complete() {
                self.next_stage();
            } else if !self.ask_whom_it_is_time_for() {
                return;
            }
        }
    }

    fn next_stage(&mut self) {
        match self.control.phase {
            Phase::Admitted if self.admission.rejudges.is_some() => self.decide_or_fail(),
            Phase::Admitted => self.enter_after(None),
            Phase::InitialBallots => self.after_first(PhaseName::InitialBallots),
            Phase::Openings => self.unless_void(|draft| draft.after_first(PhaseName::OpeningStatements)),
            Phase::BetweenRounds | Phase::RoundOpening => self.open_round(),
            Phase::Speaking => self.speak_on(),
            Phase::RoundClosing => self.after_closing(),
            Phase::Aside(step) => self.after_aside(step),
            Phase::FinalStatements => self.after_statements(),
            Phase::Rebuttals => self.after_rebuttals(),
            Phase::FinalBallots => self.decide_or_fail(),
            Phase::Deciding => self.conclude(),
            Phase::Synthesis => self.synthesised(),
            Phase::Ended(..) => {}
        }
    }

    /// Enters what comes next before the rounds, or the rounds.
    fn enter_after(&mut self, done: Option<PhaseName>) {
        let before = self.spec().before_rounds();
        let at = before.iter().position(|phase| Some(*phase) == done).map_or(0, |at| at + 1);
        self.enter(before.get(at).copied().unwrap_or(PhaseName::Rounds));
    }

    pub(super) fn enter(&mut self, phase: PhaseName) {
        self.emit(Event::PhaseEntered { phase });
    }

    /// Opens seats for a step of this round.
    pub(super) fn open_stage(&mut self, step: Step, seats: Vec<Seat>, parallel: bool) {
        self.open_stage_in(self.control.round, step, seats, parallel);
    }

    pub(super) fn open_stage_in(&mut self, round: u32, step: Step, seats: Vec<Seat>, parallel: bool) {
        self.emit(Event::StageOpened { round, step, seats, parallel, joins: false });
    }

    /// The next seats of the round, as its format wants them; the round's end when it wants none.
    fn speak_on(&mut self) {
        let floor = Floor {
            spec: self.spec(),
            seed: self.admission.seed,
            round: self.control.round,
            speakers: &self.control.speakers,
            turned: &self.control.turned,
            proposed: &self.control.proposed,
        };
        match formats::next(&floor) {
            Next::Stage { seats, parallel } => self.open_stage(Step::Speaking, seats, parallel),
            Next::Over => self.unless_void(|draft| draft.asides_from(Step::Interjection)),
        }
    }

    /// Goes on if the round's quorum holds, else ends the debate with what it has. A round that the budget cut short is
    /// not void: a debate that runs out is still decided.
    fn unless_void(&mut self, go_on: impl FnOnce(&mut Self)) {
        let poll = self.spec().is_poll();
        let (speakers, spoke) = if poll { self.control.sampled() } else { self.control.attended() };
        let needed = self.spec().quorum.needed(speakers);
        if spoke >= needed || self.speech_rule().is_some() {
            return go_on(self);
        }
        let detail = match (poll, self.control.round) {
            (true, _) => format!("{spoke} of {speakers} samples could be had, {needed} are needed"),
            (false, 0) => format!("openings: {spoke} of {speakers} speakers were heard, {needed} are needed"),
            (false, round) => format!("round {round}: {spoke} of {speakers} speakers were heard, {needed} are needed"),
        };
        self.end_failed(Reason::with(ReasonCode::Quorum, detail));
    }

    /// Ends the debate where a seat failed for good and the author asked for that; not where the time budget cut it short.
    fn abort_if_asked_for(&mut self) -> bool {
        if self.spec().on_turn_failure != OnTurnFailure::Abort {
            return false;
        }
        let cut = |cause: FailureCause| cause == FailureCause::Timeout && self.is_out_of_time();
        let lost = self.control.stage.slots.iter().find_map(|slot| match slot.state {
            SlotState::Failed(cause) if self.misses(&slot.work) && !slot.work.traits().decides && !cut(cause) => {
                Some((slot.participant.clone(), cause))
            }
            SlotState::Failed(_)
            | SlotState::Waiting
            | SlotState::Asked(_)
            | SlotState::Backoff { .. }
            | SlotState::Done
            | SlotState::Skipped => None,
        });
        let Some((participant, cause)) = lost else { return false };
        let place = match self.control.round {
            0 => "before the first round".to_owned(),
            round => format!("in round {round}"),
        };
        let detail = format!("{participant} failed {place}: {}", cause.as_str());
        self.end_failed(Reason::with(ReasonCode::TurnFailed, detail));
        true
    }

    /// Asks all who wait in a parallel stage, the first who is not settled in a sequential one; says whether anybody was due.
    fn ask_whom_it_is_time_for(&mut self) -> bool {
        let stage = &self.control.stage;
        let unsettled = stage.slots.iter().enumerate().filter(|(_, slot)| !slot.is_settled());
        let due = unsettled.take(if stage.parallel { usize::MAX } else { 1 });
        let waiting: Vec<usize> = due.filter(|(_, slot)| slot.state == SlotState::Waiting).map(|(at, _)| at).collect();
        for at in &waiting {
            self.ask_slot(*at);
        }
        !waiting.is_empty()
    }

    fn ask_slot(&mut self, at: usize) {
        let Some(slot) = self.control.stage.slots.get(at) else { return };
        let (seat, participant, work) = (slot.seat, slot.participant.clone(), slot.work.clone());
        let round = self.control.round;
        if !self.decides(&work) && self.budget_rule(self.max_tokens(&participant)).is_some() {
            return self.emit(Event::SeatSkipped { round, seat, participant, reason: SkipReason::Budget });
        }
        if work == Work::ScoreDebaters && self.scored_by(&participant).is_empty() {
            return self.emit(Event::SeatSkipped { round, seat, participant, reason: SkipReason::NothingToScore });
        }
        let turn = TurnId { round, seat, attempt: 1 };
        let model = super::models(self.spec(), &participant).first().map(|model| (*model).clone());
        // The spec names every participant that a stage can hold; a log from elsewhere might not.
        let Some(model) = model else {
            let failure = crate::Failure::new(FailureCause::Internal, "the debate has no such participant");
            return self.emit(Event::TurnFailed { turn, participant, failure, retry_at: None, call: Box::default() });
        };
        let decides = self.decides(&work);
        let task = self.task(work, &participant);
        self.ask(Asking { turn, participant, model, task, correction: None, kept: false, decides });
    }

    pub fn ask(&mut self, asking: Asking) {
        let Asking { turn, participant, model, task, correction, kept, decides } = asking;
        let stage = &self.control.stage;
        let belongs = self.control.round == turn.round && stage.slots.iter().any(|slot| slot.seat == turn.seat);
        let sees = if belongs && stage.parallel { stage.since } else { self.control.position };
        let deadline = self.deadline(decides);
        self.emit(Event::TurnAsked(Ask { turn, participant, model, task, sees, deadline, correction, kept }));
    }

    /// Whether the budget leaves room for one more word of the moderator.
    fn moderator_has_room(&self) -> bool {
        self.budget_rule(self.max_tokens(&crate::ids::MODERATOR.into())).is_none()
    }

    /// Puts a decision in place of the moderator's own, which is missing or was not asked for.
    fn emit_fallback(&mut self, round: u32, decision: ModeratorDecision) {
        let here = self.control.round == round;
        let seat = self.control.stage.slots.first().filter(|_| here).map_or(0, |slot| slot.seat);
        let turn = TurnId { round, seat, attempt: 0 };
        self.emit(Event::FallbackDecided { turn, decision });
    }
}

/// What an ask is made of.
pub(super) struct Asking {
    pub turn: TurnId,
    pub participant: crate::ParticipantId,
    pub model: crate::ModelName,
    pub task: Task,
    pub correction: Option<String>,
    /// Only what memory keeps is shown.
    pub kept: bool,
    pub decides: bool,
}

/// A seat for the moderator.
fn moderator(work: Work) -> Vec<Seat> {
    vec![Seat { participant: crate::ids::MODERATOR.into(), work }]
}
