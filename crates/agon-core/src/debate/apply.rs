//! How an event changes the state. Total: whatever stands in a log can be applied.
mod turns;

use super::control::{
    Ballot, CastVote, Control, CriticalObjection, Heard, JudgedOrder, Phase, RankedOrder, Reached, SlotState,
    StatedAnswer,
};
use super::formats;
use crate::answer::{CRITICAL_SEVERITY, Interjection, Measures, RoundStatus};
use crate::archive::VERDICT_CHARS;
use crate::call::Call;
use crate::checks::{Check, SHOWN_CLAIM_CHARS, SHOWN_OUTPUT_CHARS};
use crate::event::{Admission, Answered, Event, Given, ModeratorDecision, PhaseName, Speech, Step};
use crate::ids::{MODERATOR, ParticipantId, SYNTHESIZER, Timestamp, TurnId};
use crate::outcome::{Halt, StopRule};
use crate::spec::{ConsensusStrategy, DebateFormat, DebateSpec, Visibility, Voters};
use crate::task::{BallotStage, Conclusion, SpeechKind};
use crate::work::{Seat, Work};

impl Control {
    /// Takes one event in.
    pub(super) fn apply(&mut self, admission: &Admission, at: Timestamp, event: &Event) {
        self.position = self.position.next();
        let before = std::mem::replace(&mut self.last_at, at);
        let left_out = event.left_out_ms(before, at);
        self.left_out_ms = self.left_out_ms.saturating_add(left_out);
        self.started = self.started.map(|started| started.plus(left_out));
        if matches!(event, Event::Claimed { .. }) {
            self.claimed.get_or_insert(at);
        }
        if self.takes_over(admission) {
            return self.take_over(event);
        }
        if let Some(call) = event.made_call() {
            self.spend(call);
        }
        match event {
            Event::DebateAdmitted(_)
            | Event::CancelRequested { .. }
            | Event::ToolCalled { .. }
            | Event::VoteTallied { .. } => {}
            Event::GateDecided { skip, .. } => self.gated = Some(*skip),
            Event::SpeechHeard { turn, .. } => self.stage.listened = Some(*turn),
            Event::Claimed { epoch, .. } => self.epoch = *epoch,
            Event::DebateInterrupted { reason } => self.halt = Some(Halt::of(reason)),
            Event::DebateResumed { .. } => self.resumed(at.since(before)),
            Event::PhaseEntered { phase } => self.enter(admission, *phase),
            Event::ParticipantPlaced { participant, host, model, .. } => {
                self.placed.retain(|(known, _, _)| known != participant);
                self.placed.push((participant.clone(), host.clone(), model.clone()));
            }
            Event::RoundOpened { round, speakers, briefing, new_angle } => {
                self.open(admission, *round, speakers);
                self.briefing.clone_from(briefing);
                self.new_angle.clone_from(new_angle);
            }
            Event::StageOpened { round, step, seats, parallel, joins } => {
                self.enter_round(*round);
                self.open_stage(*step, seats, (*parallel, *joins));
            }
            Event::TurnAsked(ask) => self.asked(admission, at, ask),
            Event::TurnFailed { turn, failure, retry_at, participant, call: _ } => {
                self.failed(&admission.spec, (*turn, at), (participant, failure), *retry_at);
            }
            Event::SeatSkipped { round, seat, .. } => {
                self.settle(TurnId { round: *round, seat: *seat, attempt: 0 }, SlotState::Skipped, Heard::Skipped);
            }
            Event::LoopEnded { .. } => self.loop_ended = true,
            Event::VerdictReached { outcome, reason, verdict, winner, majority, .. } => {
                self.verdict = Some(Box::new(Reached {
                    outcome: *outcome,
                    reason: reason.clone(),
                    verdict: verdict.as_ref().map(|text| text.chars().take(VERDICT_CHARS).collect()),
                    winner: winner.clone(),
                    majority: *majority,
                }));
            }
            Event::DebateEnded { state, outcome, .. } => {
                self.phase = Phase::Ended(*state, *outcome);
                self.stage = super::control::Stage::default();
            }
            Event::Answered(answered) => {
                self.first.take(&admission.spec, answered);
                self.answered(answered);
            }
            Event::FallbackDecided { turn, decision } => self.moderator_decided(turn.round, decision, true),
            Event::RoundCompared { round, measures } => self.measured(*round, measures),
        }
    }

    /// What somebody answered.
    fn answered(&mut self, Answered { turn, participant, given, call }: &Answered) {
        let heard = self.take(*turn, participant, given, call);
        self.settle(*turn, SlotState::Done, heard);
    }

    /// Takes in what an answer changes besides its seat, and says what formats hear of it.
    fn take(&mut self, turn: TurnId, who: &ParticipantId, given: &Given, call: &Call) -> Heard {
        match given {
            Given::Speech(speech) => {
                self.heard((turn, who), speech, call);
                return Heard::Speech(speech.text.clone(), speech.cut_by.clone());
            }
            Given::Bid { bid, .. } => return Heard::Bid(bid.clone()),
            Given::Interjection(interjection) => return Heard::Requests(requests(interjection)),
            Given::Points { points, reply } => {
                let taken = points.iter().find(|point| Some(&point.by) == reply.accepts.as_ref());
                self.shown(taken.map(|point| &point.text).into_iter().chain(&reply.reply));
            }
            Given::Critique { of, critique, .. } => {
                self.criticised(who, of, critique.severity);
                self.shown(critique.issues.iter().chain(&critique.suggestions));
                return Heard::Critique(critique.severity);
            }
            Given::Ballot { stage, choice, .. } => self.balloted(*stage, who, choice),
            Given::Vote { choice, choices, confidence, .. } => {
                let (voter, choice, choices) = (who.clone(), choice.clone(), choices.clone());
                self.votes.push(CastVote { round: turn.round, voter, choice, choices, confidence: *confidence });
            }
            Given::DebaterScores { scores } => self.scores.push((who.clone(), scores.clone())),
            Given::Judgement { order, verdict, winner, reasoning, open_objections, .. } => {
                self.judgements.push(JudgedOrder {
                    judge: who.clone(),
                    order: *order,
                    verdict: verdict.clone(),
                    winner: winner.clone(),
                    reasoning: reasoning.clone(),
                    open_objections: !open_objections.is_empty(),
                });
            }
            Given::Ranking { order, ranking } => {
                self.rankings.push(RankedOrder { judge: who.clone(), order: *order, ranking: ranking.clone() });
            }
            Given::Enough { enough, .. } => self.enough = *enough,
            Given::Decision { decision } => self.moderator_decided(turn.round, decision, false),
            Given::Conclusion { conclusion: Conclusion::Decision, text, reasoning } => {
                self.synthesis = Some((text.clone(), reasoning.clone()));
            }
            Given::Summary { through, .. } => self.summarised = *through,
            Given::Measures { round, measures } => self.measured(*round, measures),
            Given::Note(_)
            | Given::SpeechScores { .. }
            | Given::Research { .. }
            | Given::Conclusion { .. }
            | Given::Synthesis(_) => {}
        }
        Heard::Something
    }

    /// Words that everybody is shown from here on.
    fn shown<'a>(&mut self, texts: impl Iterator<Item = &'a String>) {
        let chars = texts.map(String::len).sum::<usize>();
        self.transcript_chars = self.transcript_chars.saturating_add(chars as u64);
    }

    fn balloted(&mut self, stage: BallotStage, who: &ParticipantId, choice: &str) {
        self.ballots.push(Ballot { stage, participant: who.clone(), choice: choice.to_owned() });
    }

    fn measured(&mut self, round: u32, measures: &Measures) {
        self.measures.push(measures.clone());
        let older = self.measures.len().saturating_sub(super::flow::IMPASSE_ROUNDS);
        self.measures.drain(..older);
        self.measured = round;
    }

    fn moderator_decided(&mut self, round: u32, decision: &ModeratorDecision, fallback: bool) {
        match decision {
            ModeratorDecision::Opens(plan) => {
                self.plan = Some((round, plan.clone()));
                if plan.done {
                    self.moderator_stop = Some(StopRule::ModeratorDone);
                }
            }
            ModeratorDecision::Closes(close) => {
                self.summary = (!close.summary.is_empty()).then(|| close.summary.as_str().into());
                if !fallback {
                    self.decision = close.decided().is_some().then(|| close.clone().into());
                }
                let settled = (close.status == RoundStatus::Settled).then_some(StopRule::ModeratorSettled);
                let called = close.vote_now.then_some(StopRule::ModeratorVote);
                self.moderator_stop = called.or(settled).or(self.moderator_stop);
                self.vote_called |= close.vote_now;
            }
        }
    }

    /// Whether the next event is one of the debate that is judged again.
    pub(super) fn takes_over(&self, admission: &Admission) -> bool {
        admission.rejudges.is_some() && self.epoch == 0
    }

    /// What was said in the debate that is judged again. Its calls were made and counted there.
    fn take_over(&mut self, event: &Event) {
        match event {
            Event::RoundOpened { round, .. } => {
                self.enter_round(*round);
                self.rounds_held = *round;
            }
            Event::Answered(Answered { turn, participant, given, call }) => match given {
                Given::Speech(speech) => self.heard((*turn, participant), speech, call),
                Given::Critique { of, critique, .. } => self.criticised(participant, of, critique.severity),
                Given::Ballot { stage, choice, .. } => self.balloted(*stage, participant, choice),
                _ => {}
            },
            Event::LoopEnded { .. } => self.loop_ended = true,
            Event::Claimed { epoch, .. } => self.epoch = *epoch,
            Event::DebateEnded { state, outcome, .. } => self.phase = Phase::Ended(*state, *outcome),
            _ => {}
        }
    }

    fn open(&mut self, admission: &Admission, round: u32, speakers: &[ParticipantId]) {
        self.enter_round(round);
        self.rounds_held = round;
        self.phase = Phase::Speaking;
        self.enough = false;
        self.speakers = speakers.to_vec();
        self.circle.retain(|sitting| speakers.contains(sitting));
        let new: Vec<ParticipantId> = speakers.iter().filter(|name| !self.circle.contains(name)).cloned().collect();
        self.circle.extend(new);
        if formats::speaks_in_order(&admission.spec) {
            let parallel = admission.spec.visibility == Visibility::Simultaneous;
            self.begin_stage(parallel, speakers.iter().map(|name| (name.clone(), Work::ARGUMENT)));
        } else {
            self.begin_stage(false, []);
        }
    }

    fn open_stage(&mut self, step: Step, seats: &[Seat], (parallel, joins): (bool, bool)) {
        self.phase = match step {
            Step::Admission => Phase::RoundOpening,
            Step::Speaking => Phase::Speaking,
            Step::Research
            | Step::Interjection
            | Step::Replies
            | Step::Scores
            | Step::Votes
            | Step::Measure
            | Step::Enough
            | Step::Notes
            | Step::Summary
            | Step::Reconciliation
            | Step::Conclusion => Phase::Aside(step),
        };
        let seats = seats.iter().map(|seat| (seat.participant.clone(), seat.work.clone()));
        if joins { self.join_stage(seats) } else { self.begin_stage(parallel, seats) }
    }

    fn enter(&mut self, admission: &Admission, phase: PhaseName) {
        let spec = &admission.spec;
        let debaters = |work: Work| spec.personas.iter().map(move |persona| (persona.name.clone(), work.clone()));
        let at_once = spec.visibility == Visibility::Simultaneous;
        if phase > PhaseName::Rounds {
            self.enter_round(self.rounds_held.saturating_add(1));
        }
        match phase {
            PhaseName::InitialBallots => {
                self.phase = Phase::InitialBallots;
                self.begin_stage(true, debaters(Work::Ballot { stage: BallotStage::Initial }));
            }
            PhaseName::OpeningStatements => {
                self.phase = Phase::Openings;
                let sample = |persona: &crate::Persona| (persona.name.clone(), Work::Opening);
                match spec.is_poll() {
                    true => self.begin_stage(true, spec.samplers().map(sample)),
                    false => self.begin_stage(true, debaters(opening(spec.debate_format))),
                }
            }
            PhaseName::Rounds => self.phase = Phase::BetweenRounds,
            PhaseName::FinalStatements => {
                self.phase = Phase::FinalStatements;
                self.begin_stage(at_once, debaters(Work::Closing));
            }
            PhaseName::Rebuttals => {
                self.phase = Phase::Rebuttals;
                let work = Work::Statement { speech: SpeechKind::Rebuttal, to: None, about: None };
                self.begin_stage(at_once, debaters(work));
            }
            PhaseName::FinalBallots => {
                self.phase = Phase::FinalBallots;
                self.begin_stage(true, debaters(Work::Ballot { stage: BallotStage::Final }));
            }
            PhaseName::Decision => {
                self.phase = Phase::Deciding;
                self.begin_stage(true, deciders(&admission.spec).into_iter().chain(scorers(&admission.spec)));
            }
            PhaseName::Synthesis => {
                self.phase = Phase::Synthesis;
                self.begin_stage(false, [(SYNTHESIZER.into(), Work::Synthesise)]);
            }
        }
    }

    fn criticised(&mut self, by: &ParticipantId, of: &ParticipantId, severity: u8) {
        if severity >= CRITICAL_SEVERITY {
            let (by, of) = (by.clone(), of.clone());
            self.critical.push(CriticalObjection { by, of, answered: false });
        }
    }

    fn heard(&mut self, (turn, who): (TurnId, &ParticipantId), speech: &Speech, call: &Call) {
        if let (SpeechKind::Opening | SpeechKind::Proposal, Some(answer)) = (speech.kind, &speech.answer) {
            let at = self.stated.partition_point(|known| known.seat <= turn.seat);
            let (seat, participant, answer) = (turn.seat, who.clone(), answer.clone());
            self.stated.insert(at, StatedAnswer { seat, participant, answer });
        }
        if let Some(percent) = speech.confidence {
            self.sure.insert(who.clone(), percent);
        }
        self.speeches = self.speeches.saturating_add(1);
        let shown =
            |check: &Check| check.claim.len().min(SHOWN_CLAIM_CHARS) + check.output.len().min(SHOWN_OUTPUT_CHARS);
        let checks = call.checks.iter().map(shown).sum::<usize>();
        let chars = speech.text.len().saturating_add(checks);
        self.transcript_chars = self.transcript_chars.saturating_add(chars as u64);
        if speech.kind == SpeechKind::Proposal {
            self.proposed.push(who.clone());
        }
        let answers = speech.accepted.iter().chain(speech.declined.iter().map(|declined| &declined.critic));
        for critic in answers {
            let open = self.critical.iter_mut().filter(|open| open.of == *who && open.by == *critic);
            open.for_each(|open| open.answered = true);
        }
    }
}

/// The kind of work of the phase that comes before round 1.
fn opening(format: DebateFormat) -> Work {
    let proposal = Work::Statement { speech: SpeechKind::Proposal, to: None, about: None };
    if format == DebateFormat::CritiqueRevision { proposal } else { Work::Opening }
}

/// Who decides, and how.
pub(crate) fn deciders(spec: &DebateSpec) -> Vec<(ParticipantId, Work)> {
    let orders = spec.judge.as_ref().map_or(0, |judge| judge.orders);
    let readings = |work: fn(u32) -> Work| {
        spec.judges().flat_map(move |judge| (0..orders).map(move |order| (judge.clone(), work(order)))).collect()
    };
    match spec.consensus_strategy {
        ConsensusStrategy::Judge => readings(|order| Work::Judge { order }),
        ConsensusStrategy::RankedReasons => readings(|order| Work::Rank { order }),
        // the samples are the votes
        ConsensusStrategy::Vote if spec.is_poll() => Vec::new(),
        ConsensusStrategy::Vote if spec.voting.is_some_and(|voting| voting.every_round) => Vec::new(),
        ConsensusStrategy::Vote => voters(spec),
        ConsensusStrategy::MediatorSummary => {
            vec![(MODERATOR.into(), Work::Conclude { conclusion: Conclusion::Decision })]
        }
        ConsensusStrategy::AgentClosing | ConsensusStrategy::NoConsensus => Vec::new(),
    }
}

/// Who scores the others beside the decision.
pub(crate) fn scorers(spec: &DebateSpec) -> impl Iterator<Item = (ParticipantId, Work)> {
    let score = |persona: &crate::Persona| (persona.name.clone(), Work::ScoreDebaters);
    spec.personas.iter().filter(|_| spec.is_extra(&Work::ScoreDebaters)).map(score)
}

/// Who votes, and how, at the end or after each round.
pub(crate) fn voters(spec: &DebateSpec) -> Vec<(ParticipantId, Work)> {
    let Some(voting) = spec.voting else { return Vec::new() };
    let work = || if voting.rule.is_scored() { Work::ScoreDebaters } else { Work::Vote };
    match voting.voters {
        Voters::Debaters => spec.personas.iter().map(|persona| (persona.name.clone(), work())).collect(),
        Voters::Judges => spec.judges().map(|judge| (judge, work())).collect(),
    }
}

/// The seats that a moderator's questions open, in its order, each debater and kind once.
fn requests(interjection: &Interjection) -> Vec<Seat> {
    let of = |speech: SpeechKind| {
        move |remark: &crate::answer::Remark| Seat {
            participant: remark.to.clone(),
            work: Work::Statement { speech, to: None, about: Some(remark.text.as_str().into()) },
        }
    };
    let questions = interjection.questions.iter().map(of(SpeechKind::Clarification));
    questions.chain(interjection.revisions.iter().map(of(SpeechKind::Revision))).collect()
}
