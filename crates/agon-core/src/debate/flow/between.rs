//! What stands between the speeches of a round and the next round.
use super::super::apply::voters;
use super::super::control::{Heard, SlotState};
use super::super::draft::Draft;
use super::{Asking, moderator};
use crate::answer::RoundSummary;
use crate::event::{Event, ModeratorDecision, Step};
use crate::ids::{EMBEDDER, JUDGE, MODERATOR, SUMMARIZER, TurnId};
use crate::signals::{Gauge, Scale};
use crate::spec::{ContextScope, Interject, Memory};
use crate::task::Conclusion;
use crate::work::{Seat, Work};

impl Draft<'_> {
    /// The steps after a round's speeches, beginning with this one, until somebody has to be asked or the next round begins.
    pub(super) fn asides_from(&mut self, first: Step) {
        let mut step = Some(first);
        while let Some(this) = step {
            if self.open_aside(this) {
                return;
            }
            step = after(this);
        }
        self.plan_round(self.control.rounds_held.saturating_add(1));
    }

    /// Goes on after a step beside the speeches.
    pub(super) fn after_aside(&mut self, step: Step) {
        match step {
            Step::Research => self.plan_round(self.control.rounds_held.saturating_add(1)),
            Step::Interjection if self.control.loop_ended => self.ending_from(step),
            Step::Replies if self.control.loop_ended => self.ending_from(step),
            Step::Reconciliation | Step::Conclusion => self.ending_from(step),
            Step::Measure => {
                self.measure_words_instead();
                self.asides_after(step);
            }
            Step::Interjection
            | Step::Replies
            | Step::Scores
            | Step::Votes
            | Step::Enough
            | Step::Notes
            | Step::Summary
            | Step::Admission
            | Step::Speaking => self.asides_after(step),
        }
    }

    fn asides_after(&mut self, step: Step) {
        // Only the asides before it are steps that the stop rules wait for.
        match after(step) {
            Some(next) => self.asides_from(next),
            None => self.plan_round(self.control.rounds_held.saturating_add(1)),
        }
    }

    /// Goes on after the moderator closed a round.
    pub(super) fn after_closing(&mut self) {
        let closing =
            |slot: &super::super::control::Slot| slot.work == Work::CloseRound && slot.state != SlotState::Done;
        if self.control.stage.slots.iter().any(closing) {
            self.close_instead();
        }
        self.asides_from(Step::Measure);
    }

    fn close_instead(&mut self) {
        let summary = RoundSummary::default();
        self.emit_fallback(self.control.round, ModeratorDecision::Closes(summary));
    }

    /// Opens the seats of a step, if the debate has any for it; says whether it did, or whether the rounds are over.
    fn open_aside(&mut self, step: Step) -> bool {
        let seats = match step {
            Step::Interjection if self.interjects_now() => moderator(Work::Interject),
            Step::Replies => self.replies(),
            Step::Scores if self.scores() && !self.votes_now() => moderator(Work::ScoreSpeeches),
            // nobody is shown scores before the end, so that they are asked for together with the votes
            Step::Votes if self.votes_now() => {
                let scorer = if self.scores() { moderator(Work::ScoreSpeeches) } else { Vec::new() };
                [scorer, seats(voters(self.spec()))].concat()
            }
            Step::Measure => return self.close_or_measure(),
            Step::Enough if self.spec().judge.as_ref().is_some_and(|judge| judge.ends_rounds) => {
                vec![Seat { participant: JUDGE.into(), work: Work::EnoughSaid }]
            }
            Step::Notes => return self.stop_or_note(),
            Step::Summary if self.summary_is_due() => summarizer(),
            Step::Research
            | Step::Admission
            | Step::Speaking
            | Step::Interjection
            | Step::Scores
            | Step::Votes
            | Step::Enough
            | Step::Summary
            | Step::Reconciliation
            | Step::Conclusion => Vec::new(),
        };
        let opened = !seats.is_empty();
        if opened {
            // Speakers answer a moderator one after the other; voters do not see each other.
            self.open_stage(step, seats, step == Step::Votes);
        }
        opened
    }

    /// Where every first ballot failed there is nothing to vote on.
    fn votes_now(&self) -> bool {
        self.spec().voting.is_some_and(|voting| voting.every_round) && !self.candidates().is_empty()
    }

    fn interjects_now(&self) -> bool {
        let Some(moderator) = self.spec().moderator.as_ref().filter(|moderator| moderator.has_interjections()) else {
            return false;
        };
        match moderator.interject {
            Interject::EveryRound => true,
            Interject::Midpoint => self.control.rounds_held == self.spec().max_rounds.div_ceil(2),
            Interject::FinalOnly => false,
        }
    }

    /// Who is to answer the moderator's last interjection.
    pub(super) fn replies(&self) -> Vec<Seat> {
        let asked = self.control.turned.iter().rev().find_map(|turned| match (&turned.work, &turned.heard) {
            (Work::Interject, Heard::Requests(seats)) => Some(seats.clone()),
            _ => None,
        });
        asked.unwrap_or_default()
    }

    /// Whether the moderator is to score the speeches of this round, and was not asked yet.
    fn scores(&self) -> bool {
        self.spec().moderator.as_ref().is_some_and(|moderator| moderator.scores)
            && !self.was_asked(&Work::ScoreSpeeches)
            && !self.speeches_of_round().is_empty()
    }

    /// Whether such work of this round is done, or could not be had.
    fn was_asked(&self, work: &Work) -> bool {
        self.control.turned.iter().any(|turned| turned.work == *work)
    }

    /// The speeches of this round, in the order of their seats.
    pub fn speeches_of_round(&self) -> Vec<TurnId> {
        let spoke = |turned: &&super::super::control::Turned| matches!(turned.heard, Heard::Speech(..));
        let mut seats: Vec<u32> = self.control.turned.iter().filter(spoke).map(|turned| turned.seat).collect();
        seats.sort_unstable();
        seats.into_iter().map(|seat| TurnId { round: self.control.round, seat, attempt: 1 }).collect()
    }

    /// The moderator's closing comes first, because its summary belongs to the round.
    fn close_or_measure(&mut self) -> bool {
        let closes = self.spec().moderator.as_ref().is_some_and(|moderator| moderator.closes);
        let closed = self.was_asked(&Work::CloseRound);
        if closes && !closed && !self.moderator_has_room() {
            self.close_instead();
        } else if closes && !closed {
            let participant = MODERATOR.into();
            let model = super::super::models(self.spec(), &participant).first().map(|model| (*model).clone());
            if let Some(model) = model {
                let turn = TurnId { round: self.control.round, seat: self.control.next_seat, attempt: 1 };
                let (task, correction, kept, decides) = (Work::CloseRound.into(), None, false, false);
                self.ask(Asking { turn, participant, model, task, correction, kept, decides });
                return true;
            }
        }
        if self.spec().similarity.embedding_model.is_some() && self.gauge().is_worth_it() {
            let seats = vec![Seat { participant: EMBEDDER.into(), work: Work::Measure }];
            self.open_stage(Step::Measure, seats, false);
            return true;
        }
        self.measure_words(false);
        false
    }

    /// The words of the round are compared where there are no embeddings.
    fn measure_words_instead(&mut self) {
        if self.control.measured < self.control.rounds_held {
            self.measure_words(true);
        }
    }

    fn measure_words(&mut self, instead: bool) {
        let measures = self.gauge().words(instead);
        let round = self.control.round;
        self.emit(Event::RoundCompared { round, measures });
    }

    /// What this round's speeches are measured against.
    fn gauge(&self) -> Gauge {
        Gauge::new(self.said().map(Gauge::entry), self.control.round, Scale::of(self.spec()))
    }

    /// Ends the rounds where a rule says so; else opens the seats for notes, if there are any.
    fn stop_or_note(&mut self) -> bool {
        match self.stop_rule() {
            Err(reason) => self.end_failed(reason),
            Ok(Some(rule)) => self.end_rounds(rule),
            Ok(None) => {
                let notes = |persona: &&crate::Persona| persona.reflection || persona.evolution;
                let seat = |persona: &crate::Persona| Seat { participant: persona.name.clone(), work: Work::Reflect };
                let mut seats: Vec<Seat> = self.spec().personas.iter().filter(notes).map(seat).collect();
                if seats.is_empty() {
                    return false;
                }
                // neither is shown the other
                if self.summary_is_due() {
                    seats.extend(summarizer());
                }
                self.open_stage(Step::Notes, seats, true);
            }
        }
        true
    }

    /// Whether a summary belongs after this round, and was not asked for together with the notes. One that failed is made up for
    /// by the next.
    fn summary_is_due(&self) -> bool {
        if self.spec().summarizer.is_none() || self.was_asked(&Work::Summarise) {
            return false;
        }
        let every_round = self.spec().context_scope == ContextScope::SummaryOnly;
        let sums_up = self.spec().memory == Memory::SummarizePast;
        every_round || sums_up && self.control.rounds_held.is_multiple_of(self.spec().windows.summarize_every.max(1))
    }

    /// A seat for a moderator's conclusion.
    pub(super) fn conclusion(&self, conclusion: Conclusion) -> Vec<Seat> {
        moderator(Work::Conclude { conclusion })
    }
}

/// The step that follows a round's step, if one does.
fn after(step: Step) -> Option<Step> {
    match step {
        Step::Speaking => Some(Step::Interjection),
        Step::Interjection => Some(Step::Replies),
        Step::Replies => Some(Step::Scores),
        Step::Scores => Some(Step::Votes),
        Step::Votes => Some(Step::Measure),
        Step::Measure => Some(Step::Enough),
        Step::Enough => Some(Step::Notes),
        Step::Notes => Some(Step::Summary),
        Step::Summary | Step::Research | Step::Admission | Step::Reconciliation | Step::Conclusion => None,
    }
}

fn summarizer() -> Vec<Seat> {
    vec![Seat { participant: SUMMARIZER.into(), work: Work::Summarise }]
}

fn seats(of: Vec<(crate::ParticipantId, Work)>) -> Vec<Seat> {
    of.into_iter().map(|(participant, work)| Seat { participant, work }).collect()
}
