//! What follows when a turn's register is decided.
mod asides;
mod choices;
mod moderator;
mod speeches;

use super::draft::Draft;
use super::input::Rejection;
use crate::answer::Answer;
use crate::call::Call;
use crate::event::{Event, Given};
use crate::failure::{Failure, FailureCause};
use crate::ids::TurnId;
use crate::task::{Ask, TurnResult};
use crate::work::{Work, WorkGroup};

impl Draft<'_> {
    /// Takes a turn's result in.
    pub fn turn_decided(&mut self, turn: TurnId, result: TurnResult) -> Result<(), Rejection> {
        let (_, ask) = self.control.open_slot(turn).ok_or(Rejection::NotOpen(turn))?;
        let ask = ask.clone();
        match result {
            TurnResult::Answered { answer, mut call } => {
                self.place(&ask, &call);
                self.tools_used(&ask, &mut call);
                match self.given_of(&ask, answer) {
                    Ok(given) => self.emit(Event::answer(turn, ask.participant, given, call)),
                    Err(problem) => {
                        call.checks.clear();
                        return self.fail(turn, Failure::new(FailureCause::Malformed, problem), call);
                    }
                }
                self.advance();
                Ok(())
            }
            TurnResult::Failed { failure, mut call } => {
                self.tools_used(&ask, &mut call);
                self.fail(turn, failure, call)
            }
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

    /// Each use of a tool is an event of its own, before the one that says what became of the turn.
    fn tools_used(&mut self, ask: &Ask, call: &mut Call) {
        for tool in std::mem::take(&mut call.tools) {
            self.emit(Event::ToolCalled { turn: ask.turn, participant: ask.participant.clone(), tool });
        }
    }

    /// What an answer gives the debate, or what is wrong with it.
    fn given_of(&self, ask: &Ask, answer: Answer) -> Result<Given, String> {
        match ask.task.work.traits().group {
            WorkGroup::Speech => self.speech_of(ask, answer),
            WorkGroup::Aside => self.aside_of(ask, answer),
            WorkGroup::Service => self.service_of(ask, answer),
            WorkGroup::Choice => self.choice_of(ask, answer),
            WorkGroup::Moderation => self.moderation_of(ask, answer),
        }
    }
}

/// What is said of an answer whose form is not the one that was asked for.
fn mismatch(answer: &Answer, work: &Work) -> String {
    format!("the answer is {}, the turn asks for {}", form(answer), work.traits().wants)
}

fn form(answer: &Answer) -> &'static str {
    match answer {
        Answer::Speech { .. } => "a speech",
        Answer::Text { .. } => "a text",
        Answer::Choice { .. } => "a choice",
        Answer::Choices { .. } => "a list of choices",
        Answer::RoundPlan(_) => "a plan for a round",
        Answer::RoundSummary(_) => "a summary of a round",
        Answer::Judgement(_) => "a judgement",
        Answer::Ranking(_) => "a ranking",
        Answer::Bid(_) => "a bid",
        Answer::PointReply(_) => "a reply to points of information",
        Answer::Critique(_) => "a critique",
        Answer::Revision(_) => "a revision",
        Answer::Note(_) => "a note",
        Answer::Interjection(_) => "an interjection",
        Answer::SpeechScores(_) => "scores of speeches",
        Answer::DebaterScores(_) => "scores of debaters",
        Answer::Enough { .. } => "a word on whether enough was said",
        Answer::Conclusion { .. } => "a conclusion",
        Answer::Measures(_) => "measures",
        Answer::Synthesis(_) => "a synthesis",
    }
}
