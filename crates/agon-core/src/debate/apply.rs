//! How an event changes the state. Total: whatever stands in a log can be applied.
use super::control::{Ballot, Control, JudgedOrder, Phase, Slot, SlotState, Work};
use crate::event::{Admission, Event, ModeratorDecision, PhaseName, Speech};
use crate::failure::{Failure, FailureCause};
use crate::ids::{JUDGE, MODERATOR, ParticipantId, Timestamp, TurnId};
use crate::outcome::{MissingSeat, StopRule};
use crate::spec::{ConsensusStrategy, Visibility};
use crate::task::{Ask, BallotStage, Call, RoundStatus, Task};

impl Control {
    /// Takes one event in.
    pub(super) fn apply(&mut self, admission: &Admission, at: Timestamp, event: &Event) {
        self.position = self.position.next();
        if admission.rejudges.is_some() && self.epoch == 0 {
            return self.take_over(event);
        }
        match event {
            Event::DebateAdmitted(_)
            | Event::CancelRequested { .. }
            | Event::VoteTallied { .. }
            | Event::VerdictReached { .. } => {}
            Event::Claimed { epoch, .. } => self.epoch = *epoch,
            Event::PhaseEntered { phase } => self.enter(admission, *phase),
            Event::ParticipantPlaced { participant, host, model, .. } => {
                self.placed.retain(|(known, _, _)| known != participant);
                self.placed.push((participant.clone(), host.clone(), model.clone()));
            }
            Event::RoundOpened { round, speakers, briefing, new_angle } => {
                self.enter_round(*round);
                self.rounds_held = *round;
                self.phase = Phase::Speaking;
                self.briefing.clone_from(briefing);
                self.new_angle.clone_from(new_angle);
                let parallel = admission.spec.visibility == Visibility::Simultaneous;
                self.begin_stage(parallel, speakers.iter().map(|name| (name.clone(), Work::Argument)));
            }
            Event::TurnAsked(ask) => self.asked(admission, at, ask),
            Event::SpeechRecorded(speech) => self.spoke(speech),
            Event::BallotCast { turn, stage, participant, choice, call, .. } => {
                self.answered(*turn, call);
                self.ballots.push(Ballot { stage: *stage, participant: participant.clone(), choice: choice.clone() });
            }
            Event::VoteCast { turn, participant, choice, call, .. } => {
                self.answered(*turn, call);
                self.votes.push((participant.clone(), choice.clone()));
            }
            Event::ModeratorDecided { turn, decision, call, fallback } => {
                if let (Some(call), false) = (call, fallback) {
                    self.answered(*turn, call);
                }
                self.moderated(decision);
            }
            Event::TurnFailed { turn, failure, retry_at, call, participant } => {
                self.failed(*turn, participant, failure, *retry_at, call);
            }
            Event::SeatSkipped { round, seat, .. } => {
                if let Some(slot) = self.slot_mut(TurnId { round: *round, seat: *seat, attempt: 0 }) {
                    slot.state = SlotState::Skipped;
                }
            }
            Event::LoopEnded { .. } => self.loop_ended = true,
            Event::JudgementRecorded { turn, order, verdict, winner, reasoning, call, .. } => {
                self.answered(*turn, call);
                self.judgements.push(JudgedOrder {
                    order: *order,
                    verdict: verdict.clone(),
                    winner: winner.clone(),
                    reasoning: reasoning.clone(),
                });
            }
            Event::DebateEnded { state, outcome, .. } => {
                self.phase = Phase::Ended(*state, *outcome);
                self.stage = super::control::Stage::default();
            }
        }
    }

    /// What was said in the debate that is judged again. Its calls were made and counted there.
    fn take_over(&mut self, event: &Event) {
        match event {
            Event::RoundOpened { round, .. } => {
                self.enter_round(*round);
                self.rounds_held = *round;
            }
            Event::SpeechRecorded(speech) => self.heard(speech),
            Event::BallotCast { stage, participant, choice, .. } => {
                self.ballots.push(Ballot { stage: *stage, participant: participant.clone(), choice: choice.clone() });
            }
            Event::LoopEnded { .. } => self.loop_ended = true,
            Event::Claimed { epoch, .. } => self.epoch = *epoch,
            Event::DebateEnded { state, outcome, .. } => self.phase = Phase::Ended(*state, *outcome),
            Event::DebateAdmitted(_)
            | Event::PhaseEntered { .. }
            | Event::ParticipantPlaced { .. }
            | Event::TurnAsked(_)
            | Event::VoteCast { .. }
            | Event::ModeratorDecided { .. }
            | Event::TurnFailed { .. }
            | Event::SeatSkipped { .. }
            | Event::JudgementRecorded { .. }
            | Event::VoteTallied { .. }
            | Event::VerdictReached { .. }
            | Event::CancelRequested { .. } => {}
        }
    }

    fn enter(&mut self, admission: &Admission, phase: PhaseName) {
        let spec = &admission.spec;
        let debaters = |work: Work| spec.personas.iter().map(move |persona| (persona.name.clone(), work));
        let after = self.rounds_held.saturating_add(1);
        match phase {
            PhaseName::InitialBallots => {
                self.phase = Phase::InitialBallots;
                self.begin_stage(true, debaters(Work::Ballot(BallotStage::Initial)));
            }
            PhaseName::OpeningStatements => {
                self.phase = Phase::Openings;
                self.begin_stage(true, debaters(Work::Opening));
            }
            PhaseName::Rounds => self.phase = Phase::BetweenRounds,
            PhaseName::FinalStatements => {
                self.enter_round(after);
                self.phase = Phase::FinalStatements;
                self.begin_stage(spec.visibility == Visibility::Simultaneous, debaters(Work::Closing));
            }
            PhaseName::FinalBallots => {
                self.enter_round(after);
                self.phase = Phase::FinalBallots;
                self.begin_stage(true, debaters(Work::Ballot(BallotStage::Final)));
            }
            PhaseName::Decision => {
                self.enter_round(after);
                self.phase = Phase::Deciding;
                match spec.consensus_strategy {
                    ConsensusStrategy::Judge => {
                        let orders = spec.judge.as_ref().map_or(0, |judge| judge.orders);
                        self.begin_stage(true, (0..orders).map(|order| (JUDGE.into(), Work::Judge(order))));
                    }
                    ConsensusStrategy::Vote => self.begin_stage(true, debaters(Work::Vote)),
                }
            }
        }
    }

    fn asked(&mut self, admission: &Admission, at: Timestamp, ask: &Ask) {
        self.started.get_or_insert(at);
        match &ask.task {
            Task::OpenRound if ask.turn.round > self.round => {
                self.enter_round(ask.turn.round);
                self.phase = Phase::RoundOpening;
                self.begin_stage(false, [(MODERATOR.into(), Work::OpenRound)]);
            }
            Task::CloseRound if self.phase == Phase::Speaking => {
                self.phase = Phase::RoundClosing;
                self.begin_stage(false, [(MODERATOR.into(), Work::CloseRound)]);
            }
            Task::OpenRound
            | Task::CloseRound
            | Task::Ballot { .. }
            | Task::Opening
            | Task::Argument { .. }
            | Task::Closing
            | Task::Judge { .. }
            | Task::Vote { .. } => {}
        }
        let index = super::models(&admission.spec, &ask.participant).iter().position(|model| **model == ask.model);
        if let Some(slot) = self.slot_mut(ask.turn) {
            let index = index.unwrap_or(slot.model_index);
            slot.tries_on_model = if index == slot.model_index { slot.tries_on_model.saturating_add(1) } else { 1 };
            slot.model_index = index;
            slot.state = SlotState::Asked(Box::new(ask.clone()));
        }
    }

    fn spoke(&mut self, speech: &Speech) {
        self.answered(speech.turn, &speech.call);
        self.heard(speech);
    }

    fn heard(&mut self, speech: &Speech) {
        self.speeches = self.speeches.saturating_add(1);
        self.transcript_chars = self.transcript_chars.saturating_add(speech.text.len() as u64);
    }

    fn answered(&mut self, turn: TurnId, call: &Call) {
        self.spend(call);
        if let Some(slot) = self.slot_mut(turn) {
            slot.state = SlotState::Done;
        }
    }

    /// Adds the call to the totals. What it does not report is estimated for the budget alone: the transcript at 3.5
    /// characters a token, and the answer at its cap.
    fn spend(&mut self, call: &Call) {
        self.usage.add(&call.usage);
        let estimate = self.transcript_chars * 2 / 7 + call.options.max_tokens.map_or(0, u64::from);
        self.spent_tokens = self.spent_tokens.saturating_add(call.usage.total().unwrap_or(estimate));
    }

    fn moderated(&mut self, decision: &ModeratorDecision) {
        match decision {
            ModeratorDecision::Opens(plan) => {
                if plan.done {
                    self.moderator_stop = Some(StopRule::ModeratorDone);
                }
            }
            ModeratorDecision::Closes(close) => {
                self.summary = (!close.summary.is_empty()).then(|| close.summary.as_str().into());
                if close.status == RoundStatus::Settled && self.moderator_stop.is_none() {
                    self.moderator_stop = Some(StopRule::ModeratorSettled);
                }
            }
        }
    }

    fn failed(
        &mut self,
        turn: TurnId,
        who: &ParticipantId,
        failure: &Failure,
        retry_at: Option<Timestamp>,
        call: &Call,
    ) {
        if call.host.is_some() {
            self.spend(call);
        }
        if retry_at.is_none() {
            let (round, seat, cause) = (turn.round, turn.seat, failure.cause);
            self.missing.push(MissingSeat { round, seat, participant: who.clone(), cause });
        }
        if let Some(slot) = self.slot_mut(turn) {
            slot.after_failure(turn, failure, retry_at);
        }
    }
}

impl Slot {
    fn after_failure(&mut self, turn: TurnId, failure: &Failure, retry_at: Option<Timestamp>) {
        self.correction = (failure.cause == FailureCause::Malformed).then(|| failure.detail.clone());
        self.state = match retry_at {
            Some(at) => SlotState::Backoff { turn: turn.next_attempt(), at },
            None => SlotState::Failed(failure.cause),
        };
        self.last_cause = Some(failure.cause);
    }
}
