//! What follows when a turn's register is decided.
use super::control::Work;
use super::draft::Draft;
use super::input::Rejection;
use crate::event::{Event, ModeratorDecision, Speech, SpeechKind};
use crate::failure::{Failure, FailureCause};
use crate::fence::neutralise;
use crate::ids::{ParticipantId, TurnId};
use crate::spec::TurnMode;
use crate::tally::same_answer;
use crate::task::{Answer, Ask, BallotStage, Call, Judgement, RoundPlan, Task, TurnResult};
use crate::transcript::{check_citations, presentation};
use std::sync::Arc;

impl Draft<'_> {
    /// Takes a turn's result in.
    pub fn turn_decided(&mut self, turn: TurnId, result: TurnResult) -> Result<(), Rejection> {
        let (slot, ask) = self.control.open_slot(turn).ok_or(Rejection::NotOpen(turn))?;
        let (work, ask) = (slot.work, ask.clone());
        match result {
            TurnResult::Answered { answer, call } => {
                self.place(&ask, &call);
                match self.events_of(work, &ask, answer, &call) {
                    Ok(event) => self.accept(event),
                    Err(problem) => return self.fail(turn, Failure::new(FailureCause::Malformed, problem), call),
                }
                self.advance();
                Ok(())
            }
            TurnResult::Failed { failure, call } => self.fail(turn, failure, call),
            TurnResult::Withdrawn => {
                let late = self.is_late(ask.deadline);
                let (cause, detail) = if late {
                    (FailureCause::Timeout, "no answer before the turn's deadline")
                } else {
                    (FailureCause::Cancelled, "the turn was withdrawn")
                };
                self.fail(turn, Failure::new(cause, detail), Box::default())
            }
        }
    }

    /// States where a participant's turns are played, when that is new.
    fn place(&mut self, ask: &Ask, call: &Call) {
        let Some(host) = &call.host else { return };
        let model = call.model.as_ref().unwrap_or(&ask.model);
        let known =
            self.control.placed.iter().any(|(who, at, by)| *who == ask.participant && at == host && by == model);
        if !known {
            let (participant, host, model, digest) =
                (ask.participant.clone(), host.clone(), model.clone(), call.digest.clone());
            self.emit(Event::ParticipantPlaced { participant, host, model, digest });
        }
    }

    /// Adds the event of an answer, and what follows at once from a moderator's.
    fn accept(&mut self, event: Event) {
        let opened = match &event {
            Event::ModeratorDecided { turn, decision: ModeratorDecision::Opens(plan), .. } => {
                Some((turn.round, plan.clone()))
            }
            _ => None,
        };
        self.emit(event);
        if let Some((round, plan)) = opened {
            self.round_opened(round, plan);
        }
    }

    /// The event of an answer, or what is wrong with it.
    fn events_of(&self, work: Work, ask: &Ask, answer: Answer, call: &Call) -> Result<Event, String> {
        let (turn, participant, call) = (ask.turn, ask.participant.clone(), Box::new(call.clone()));
        match (work, answer) {
            (Work::Opening, Answer::Speech { text }) => self.speech(ask, SpeechKind::Opening, text, call),
            (Work::Argument, Answer::Speech { text }) => self.speech(ask, SpeechKind::Argument, text, call),
            (Work::Closing, Answer::Speech { text }) => self.speech(ask, SpeechKind::Closing, text, call),
            (Work::Ballot(stage), Answer::Choice { choice, reasons }) => {
                let choice = chosen(&ask.task, &choice)?;
                Ok(Event::BallotCast { turn, stage, participant, choice, reasons, call })
            }
            (Work::Vote, Answer::Choice { choice, reasons }) => {
                let choice = chosen(&ask.task, &choice)?;
                Ok(Event::VoteCast { turn, participant, choice, reasons, call })
            }
            (Work::OpenRound, Answer::RoundPlan(plan)) => {
                let decision = ModeratorDecision::Opens(self.plan(plan)?);
                Ok(Event::ModeratorDecided { turn, decision, fallback: false, call: Some(call) })
            }
            (Work::CloseRound, Answer::RoundSummary(summary)) => {
                let decision = ModeratorDecision::Closes(summary);
                Ok(Event::ModeratorDecided { turn, decision, fallback: false, call: Some(call) })
            }
            (Work::Judge(order), Answer::Judgement(judgement)) => self.judgement(ask, order, judgement, call),
            (work, answer) => Err(format!("the answer is {}, the turn asks for {}", form(&answer), wanted(work))),
        }
    }

    fn speech(&self, ask: &Ask, kind: SpeechKind, text: Arc<str>, call: Box<Call>) -> Result<Event, String> {
        if text.trim().is_empty() {
            return Err("the speech is empty".to_owned());
        }
        let stance = self.spec().persona(&ask.participant).and_then(|persona| persona.stance.clone());
        let (_, neutralised) = neutralise(&text);
        let (turn, participant) = (ask.turn, ask.participant.clone());
        Ok(Event::SpeechRecorded(Speech { turn, participant, stance, kind, text, neutralised, call }))
    }

    /// The moderator's plan with names as the roster spells them.
    fn plan(&self, plan: RoundPlan) -> Result<RoundPlan, String> {
        let roster: Vec<&ParticipantId> = self.spec().personas.iter().map(|persona| &persona.name).collect();
        let mut next_speakers = Vec::with_capacity(plan.next_speakers.len());
        for name in &plan.next_speakers {
            let known = roster.iter().find(|known| same_answer(known.as_str(), name.as_str()));
            let known = known.ok_or_else(|| {
                format!("there is no debater {:?}; the debaters are: {}", name.as_str(), listed(&roster))
            })?;
            next_speakers.push((*known).clone());
        }
        let chooses = self.spec().turn_mode == TurnMode::Moderator;
        if chooses && next_speakers.is_empty() && !plan.done {
            return Err(format!("next_speakers is empty and done is false; name at least one of: {}", listed(&roster)));
        }
        if chooses && next_speakers.is_empty() && self.control.speeches == 0 {
            return Err(format!("nobody has spoken yet; name at least one of: {}", listed(&roster)));
        }
        // A moderator that repeats names without end must not make a round without end.
        let most = roster.len().saturating_mul(2);
        if chooses && next_speakers.len() > most {
            return Err(format!("next_speakers names {} speakers; {most} are allowed", next_speakers.len()));
        }
        Ok(RoundPlan { next_speakers, ..plan })
    }

    fn judgement(&self, ask: &Ask, order: u32, judgement: Judgement, call: Box<Call>) -> Result<Event, String> {
        let Task::Judge { candidates, .. } = &ask.task else { return Err("the turn is not a judgement".to_owned()) };
        let winner = match &judgement.winner {
            None => None,
            Some(winner) => {
                let known = candidates.iter().find(|candidate| same_answer(candidate, winner));
                Some(
                    known
                        .cloned()
                        .ok_or_else(|| format!("winner is {winner:?}; allowed are null or {}", quoted(candidates)))?,
                )
            }
        };
        let shown = presentation(self.spec(), self.admission.seed, self.transcript.up_to(ask.sees), order);
        let citations = check_citations(&shown, &judgement.citations);
        let (turn, judge, verdict, reasoning) =
            (ask.turn, ask.participant.clone(), judgement.verdict, judgement.reasoning);
        Ok(Event::JudgementRecorded { turn, judge, order, verdict, winner, reasoning, citations, call })
    }

    /// The candidates on one voter's ballot: all, or all but its own side.
    pub fn candidates_for(&self, voter: Option<&ParticipantId>) -> Vec<String> {
        let all = self.candidates();
        let allowed = self.spec().voting.is_none_or(|voting| voting.self_votes == crate::SelfVotes::Allow);
        let Some(voter) = voter.filter(|_| !allowed) else { return all };
        let stance = self.spec().persona(voter).and_then(|persona| persona.stance.as_deref());
        let cast = self.ballot_of(BallotStage::Final, voter).or_else(|| self.ballot_of(BallotStage::Initial, voter));
        let own = match self.spec().mode {
            crate::Mode::Adversarial => stance,
            crate::Mode::Deliberative => cast,
        };
        let rivals: Vec<String> =
            all.iter().filter(|candidate| own.is_none_or(|own| !same_answer(own, candidate))).cloned().collect();
        // Where all agree, one's own answer is the only one left to vote for.
        if rivals.is_empty() { all } else { rivals }
    }
}

/// The choice as the ballot spells it; any text where the ballot names no choices.
fn chosen(task: &Task, choice: &str) -> Result<String, String> {
    let allowed = match task {
        Task::Ballot { choices, .. } => choices,
        Task::Vote { candidates } => candidates,
        Task::Opening
        | Task::Argument { .. }
        | Task::Closing
        | Task::OpenRound
        | Task::CloseRound
        | Task::Judge { .. } => {
            return Err("the turn is not a ballot".to_owned());
        }
    };
    let choice = choice.trim();
    if choice.is_empty() {
        return Err("choice is empty".to_owned());
    }
    if allowed.is_empty() {
        return Ok(choice.to_owned());
    }
    let known = allowed.iter().find(|candidate| same_answer(candidate, choice));
    known.cloned().ok_or_else(|| format!("choice is {choice:?}; allowed are {}", quoted(allowed)))
}

fn listed(names: &[&ParticipantId]) -> String {
    let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
    names.join(", ")
}

fn quoted(choices: &[String]) -> String {
    let quoted: Vec<String> = choices.iter().map(|choice| format!("{choice:?}")).collect();
    quoted.join(", ")
}

fn form(answer: &Answer) -> &'static str {
    match answer {
        Answer::Speech { .. } => "a speech",
        Answer::Choice { .. } => "a choice",
        Answer::RoundPlan(_) => "a plan for a round",
        Answer::RoundSummary(_) => "a summary of a round",
        Answer::Judgement(_) => "a judgement",
    }
}

fn wanted(work: Work) -> &'static str {
    match work {
        Work::Opening | Work::Argument | Work::Closing => "a speech",
        Work::Ballot(_) | Work::Vote => "a choice",
        Work::OpenRound => "a plan for a round",
        Work::CloseRound => "a summary of a round",
        Work::Judge(_) => "a judgement",
    }
}
