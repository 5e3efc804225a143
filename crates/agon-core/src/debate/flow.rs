//! The course of a debate: what comes next once a stage is complete.
use super::control::{Phase, SlotState, Work};
use super::draft::Draft;
use super::order::speaking_order;
use crate::event::{Event, ModeratorDecision, PhaseName, SkipReason};
use crate::failure::FailureCause;
use crate::ids::{MODERATOR, TurnId};
use crate::outcome::{Reason, ReasonCode, StopRule};
use crate::spec::{Ballots, ConsensusStrategy, Mode, OnTurnFailure, TurnMode};
use crate::stop::terminates;
use crate::task::{Ask, BallotStage, RoundPlan, RoundStatus, RoundSummary, Task};

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
        let ballots = self.spec().ballots;
        match self.control.phase {
            Phase::Admitted if self.admission.rejudges.is_some() => self.decide_or_fail(),
            Phase::Admitted if ballots == Ballots::Both => self.enter(PhaseName::InitialBallots),
            Phase::Admitted | Phase::InitialBallots if self.spec().phases.opening_statements => {
                self.enter(PhaseName::OpeningStatements);
            }
            Phase::Admitted | Phase::InitialBallots => self.enter(PhaseName::Rounds),
            Phase::Openings => self.unless_void(|draft| draft.enter(PhaseName::Rounds)),
            Phase::BetweenRounds => self.open_round(),
            Phase::RoundOpening => self.round_opening_is_lost(),
            Phase::Speaking => self.unless_void(Self::close_round),
            Phase::RoundClosing => self.after_round(),
            Phase::FinalStatements => self.after_statements(),
            Phase::FinalBallots => self.decide_or_fail(),
            Phase::Deciding => self.conclude(),
            Phase::Ended(..) => {}
        }
    }

    fn enter(&mut self, phase: PhaseName) {
        self.emit(Event::PhaseEntered { phase });
    }

    /// Goes on if the round's quorum holds, else ends the debate with what it has.
    fn unless_void(&mut self, go_on: impl FnOnce(&mut Self)) {
        let (seats, spoke) = self.control.stage.attendance();
        let needed = self.spec().quorum.needed(seats);
        if spoke >= needed {
            return go_on(self);
        }
        let round = self.control.round;
        let detail = format!("round {round}: {spoke} of {seats} speakers were heard, {needed} are needed");
        self.end_failed(Reason::with(ReasonCode::Quorum, detail));
    }

    fn open_round(&mut self) {
        let round = self.control.rounds_held.saturating_add(1);
        if self.spec().moderator.as_ref().is_some_and(|moderator| moderator.opens) {
            // The event opens the moderator's seat; see `Control::apply`.
            return self.ask_moderator(TurnId { round, seat: 0, attempt: 1 }, Task::OpenRound);
        }
        self.round_opened(round, RoundPlan::default());
    }

    /// Opens the round as planned; in all but `turn_mode: moderator` the order is the spec's own.
    pub fn round_opened(&mut self, round: u32, plan: RoundPlan) {
        let speakers = match self.spec().turn_mode {
            TurnMode::Moderator => plan.next_speakers,
            TurnMode::RoundRobin | TurnMode::Random | TurnMode::PriorityOrder => {
                speaking_order(self.spec(), self.admission.seed, round)
            }
        };
        let (briefing, new_angle) = (plan.briefing.map(Into::into), plan.new_angle.map(Into::into));
        self.emit(Event::RoundOpened { round, speakers, briefing, new_angle });
    }

    /// The moderator could not open the round: everybody speaks, and the record says so.
    fn round_opening_is_lost(&mut self) {
        let round = self.control.round;
        let next_speakers = speaking_order(self.spec(), self.admission.seed, round);
        let plan = RoundPlan { next_speakers, ..RoundPlan::default() };
        self.emit_fallback(ModeratorDecision::Opens(plan.clone()));
        self.round_opened(round, plan);
    }

    fn close_round(&mut self) {
        if !self.spec().moderator.as_ref().is_some_and(|moderator| moderator.closes) {
            return self.after_round();
        }
        let turn = TurnId { round: self.control.round, seat: self.control.next_seat, attempt: 1 };
        self.ask_moderator(turn, Task::CloseRound);
    }

    fn emit_fallback(&mut self, decision: ModeratorDecision) {
        let seat = self.control.stage.slots.first().map_or(0, |slot| slot.seat);
        let turn = TurnId { round: self.control.round, seat, attempt: 0 };
        self.emit(Event::ModeratorDecided { turn, decision, fallback: true, call: None });
    }

    /// Checks the stop rules in their fixed order.
    fn after_round(&mut self) {
        let closing_failed =
            self.control.stage.slots.iter().any(|slot| slot.work == Work::CloseRound && slot.state != SlotState::Done);
        if closing_failed {
            let summary = RoundSummary { summary: String::new(), status: RoundStatus::Continue, decision: None };
            self.emit_fallback(ModeratorDecision::Closes(summary));
        }
        match self.stop_rule() {
            Err(reason) => self.end_failed(reason),
            Ok(None) => self.open_round(),
            Ok(Some(rule)) => self.end_rounds(rule),
        }
    }

    fn stop_rule(&self) -> Result<Option<StopRule>, Reason> {
        if let Some(rule) = self.control.moderator_stop {
            return Ok(Some(rule));
        }
        if let Some(expression) = &self.spec().terminate_when {
            match terminates(expression, &self.figures()) {
                Ok(true) => return Ok(Some(StopRule::TerminateWhen)),
                Ok(false) => {}
                Err(error) => return Err(Reason::with(ReasonCode::TerminateWhen, format!("{expression}: {error}"))),
            }
        }
        let next = self.spec().personas.first().map_or(0, |persona| u64::from(persona.voice.max_tokens));
        if let Some(rule) = self.budget_rule(next) {
            return Ok(Some(rule));
        }
        Ok((self.control.rounds_held >= self.spec().max_rounds).then_some(StopRule::MaxRounds))
    }

    fn end_rounds(&mut self, rule: StopRule) {
        self.emit(Event::LoopEnded { rule, round: self.control.rounds_held });
        if self.spec().phases.final_statements {
            self.enter(PhaseName::FinalStatements);
        } else {
            self.after_statements();
        }
    }

    fn after_statements(&mut self) {
        match self.spec().ballots {
            Ballots::Both | Ballots::FinalOnly => self.enter(PhaseName::FinalBallots),
            Ballots::None => self.decide_or_fail(),
        }
    }

    fn decide_or_fail(&mut self) {
        if self.control.speeches == 0 {
            return self.end_failed(Reason::of(ReasonCode::EmptyTranscript));
        }
        if self.strategy() == ConsensusStrategy::Vote && self.candidates().is_empty() {
            let detail = "no private ballot named an answer to vote on";
            return self.end_failed(Reason::with(ReasonCode::NoVotes, detail));
        }
        self.enter(PhaseName::Decision);
    }

    /// Ends the debate where a seat failed for good and the author asked for that.
    fn abort_if_asked_for(&mut self) -> bool {
        if self.spec().on_turn_failure != OnTurnFailure::Abort {
            return false;
        }
        let lost = self.control.stage.slots.iter().find_map(|slot| match slot.state {
            SlotState::Failed(cause) if !slot.work.decides() => Some((slot.participant.clone(), cause)),
            SlotState::Failed(_)
            | SlotState::Waiting
            | SlotState::Asked(_)
            | SlotState::Backoff { .. }
            | SlotState::Done
            | SlotState::Skipped => None,
        });
        let Some((participant, cause)) = lost else { return false };
        let detail = format!("{participant} failed in round {}: {}", self.control.round, cause.as_str());
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
        let (seat, participant, work) = (slot.seat, slot.participant.clone(), slot.work);
        let round = self.control.round;
        if !work.decides() && self.budget_rule(self.max_tokens(&participant)).is_some() {
            return self.emit(Event::SeatSkipped { round, seat, participant, reason: SkipReason::Budget });
        }
        let model = super::models(self.spec(), &participant).first().map(|model| (*model).clone());
        // The spec names every participant that a stage can hold; a log from elsewhere might not.
        let Some(model) = model else {
            let turn = TurnId { round, seat, attempt: 1 };
            let failure = crate::Failure::new(FailureCause::Internal, "the debate has no such participant");
            return self.emit(Event::TurnFailed { turn, participant, failure, retry_at: None, call: Box::default() });
        };
        let turn = TurnId { round, seat, attempt: 1 };
        self.ask(turn, participant, model, self.task(work, at), None, work.decides());
    }

    fn ask_moderator(&mut self, turn: TurnId, task: Task) {
        let participant = MODERATOR.into();
        let Some(model) = super::models(self.spec(), &participant).first().map(|model| (*model).clone()) else {
            return;
        };
        self.ask(turn, participant, model, task, None, false);
    }

    pub fn ask(
        &mut self,
        turn: TurnId,
        participant: crate::ParticipantId,
        model: crate::ModelName,
        task: Task,
        correction: Option<String>,
        decides: bool,
    ) {
        let stage = &self.control.stage;
        let belongs = self.control.round == turn.round && stage.slots.iter().any(|slot| slot.seat == turn.seat);
        let sees = if belongs && stage.parallel { stage.since } else { self.control.position };
        let deadline = self.deadline(decides);
        self.emit(Event::TurnAsked(Ask { turn, participant, model, task, sees, deadline, correction }));
    }

    /// The task of a slot.
    pub fn task(&self, work: Work, at: usize) -> Task {
        match work {
            Work::Ballot(stage) => Task::Ballot { stage, choices: self.ballot_choices() },
            Work::Opening => Task::Opening,
            Work::Argument => Task::Argument {
                briefing: self.control.briefing.clone(),
                new_angle: self.control.new_angle.clone(),
                summary: self.control.summary.clone(),
            },
            Work::Closing => Task::Closing,
            Work::OpenRound => Task::OpenRound,
            Work::CloseRound => Task::CloseRound,
            Work::Judge(order) => {
                let mut candidates = self.candidates();
                if order % 2 == 1 {
                    candidates.reverse();
                }
                Task::Judge { order, candidates }
            }
            Work::Vote => {
                let voter = self.control.stage.slots.get(at).map(|slot| slot.participant.clone());
                Task::Vote { candidates: self.candidates_for(voter.as_ref()) }
            }
        }
    }

    /// The stances in adversarial mode; in deliberative mode each voter names its own answer.
    fn ballot_choices(&self) -> Vec<String> {
        match self.spec().mode {
            Mode::Adversarial => self.spec().stances().into_iter().map(str::to_owned).collect(),
            Mode::Deliberative => Vec::new(),
        }
    }

    /// What can win: the stances, or in deliberative mode the different answers of the last ballots.
    pub fn candidates(&self) -> Vec<String> {
        if self.spec().mode == Mode::Adversarial {
            return self.ballot_choices();
        }
        let cast = |stage: BallotStage| {
            let choices = self.spec().personas.iter().filter_map(move |persona| self.ballot_of(stage, &persona.name));
            let mut distinct: Vec<String> = Vec::new();
            for choice in choices {
                if !distinct.iter().any(|known| crate::tally::same_answer(known, choice)) {
                    distinct.push(choice.to_owned());
                }
            }
            distinct
        };
        let last = cast(BallotStage::Final);
        if last.is_empty() { cast(BallotStage::Initial) } else { last }
    }

    /// The choice of a participant's private ballot.
    pub fn ballot_of(&self, stage: BallotStage, who: &crate::ParticipantId) -> Option<&str> {
        let ballot = self.control.ballots.iter().find(|ballot| ballot.stage == stage && ballot.participant == *who)?;
        Some(&ballot.choice)
    }

    /// Which strategy decides.
    pub fn strategy(&self) -> ConsensusStrategy {
        self.spec().consensus_strategy
    }
}
