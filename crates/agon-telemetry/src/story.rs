//! What a trace needs of a log: who was asked when, in which phase, and how it ended.
use crate::context::SpanPlace;
use crate::section::{SeatStage, TraceSection};
use crate::standstill::Standstills;
use agon_core::{
    Admission, Answered, Ask, Consensus, DebateId, DebateState, Event, FailureCause, Given, Measures, Outcome,
    PhaseName, Reason, Record, Speech, StopRule, Timestamp, TurnId, UsageTotals,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A log, read once.
pub(crate) struct Story<'a> {
    pub(crate) admission: &'a Admission,
    pub(crate) admitted: Timestamp,
    pub(crate) ended_at: Timestamp,
    pub(crate) claims: u64,
    pub(crate) rounds: u64,
    pub(crate) stop_rule: Option<StopRule>,
    pub(crate) consensus: Option<&'a Consensus>,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) end: Option<StoryEnd<'a>>,
    /// Rounds and the other phases, in order.
    pub(crate) sections: Vec<TraceSection<'a>>,
    pub(crate) tries: BTreeMap<TurnId, Try<'a>>,
    /// Why it stood still.
    pub(crate) standstills: Standstills<'a>,
    phase: Option<PhaseName>,
    /// The section that is open.
    current: Option<usize>,
}

/// How the debate ended.
pub(crate) struct StoryEnd<'a> {
    pub(crate) state: DebateState,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) reason: Option<&'a Reason>,
    pub(crate) usage: UsageTotals,
    pub(crate) missing_seats: usize,
}

pub(crate) struct Try<'a> {
    pub(crate) ask: &'a Ask,
    pub(crate) parent: SpanPlace,
    pub(crate) asked: Timestamp,
    pub(crate) ended: Option<(Timestamp, TryEnd)>,
    pub(crate) cut: bool,
    section: Option<usize>,
}

#[derive(Clone, Copy)]
pub(crate) enum TryEnd {
    Answered,
    Failed { cause: FailureCause, retried: bool },
}

impl<'a> Story<'a> {
    /// Reads a log; nothing where it does not begin with an admission.
    pub(crate) fn read(log: &'a [Arc<Record>]) -> Option<Self> {
        let first = log.first()?;
        let Some(Event::DebateAdmitted(admission)) = first.events.first() else { return None };
        let mut story = Self {
            admission,
            admitted: first.at,
            ended_at: first.at,
            claims: 0,
            rounds: 0,
            stop_rule: None,
            consensus: None,
            outcome: None,
            end: None,
            sections: Vec::new(),
            tries: BTreeMap::new(),
            standstills: Standstills::default(),
            phase: None,
            current: None,
        };
        for record in log {
            let before = std::mem::replace(&mut story.ended_at, record.at);
            for event in &record.events {
                story.standstills.take(before, record.at, event);
                story.take(record.at, event);
            }
        }
        story.close(story.ended_at);
        Some(story)
    }

    fn take(&mut self, at: Timestamp, event: &'a Event) {
        match event {
            Event::Claimed { .. } => self.claims += 1,
            Event::PhaseEntered { phase } => self.enter(at, *phase),
            Event::RoundOpened { round, .. } => {
                self.rounds = self.rounds.max(u64::from(*round));
                self.open(at, SpanPlace::Round(*round), PhaseName::Rounds.as_str());
            }
            Event::StageOpened { round, step, seats, parallel, .. } => {
                self.stage(*round, SeatStage { at, step: *step, seats: seats.len() as u64, parallel: *parallel });
            }
            Event::TurnAsked(ask) => self.ask(at, ask),
            Event::Answered(Answered { turn, given, .. }) => {
                self.end(at, *turn, TryEnd::Answered);
                match given {
                    Given::Speech(speech) => self.spoken(*turn, speech),
                    Given::Measures { round, measures } => self.measured(*round, measures),
                    _ => {}
                }
            }
            Event::FallbackDecided { turn, .. } => self.end(at, *turn, TryEnd::Answered),
            Event::RoundCompared { round, measures } => self.measured(*round, measures),
            Event::TurnFailed { turn, failure, retry_at, .. } => {
                self.end(at, *turn, TryEnd::Failed { cause: failure.cause, retried: retry_at.is_some() });
            }
            Event::LoopEnded { rule, .. } => {
                self.stop_rule = Some(*rule);
                // what the moderator still has to say then belongs to no round
                self.phase = None;
                self.close(at);
            }
            Event::VerdictReached { outcome, consensus, .. } => {
                self.outcome = Some(*outcome);
                self.consensus = consensus.as_ref();
            }
            Event::DebateEnded { state, outcome, reason, usage, missing_seats } => {
                let (reason, missing_seats) = (reason.as_ref(), missing_seats.len());
                self.end = Some(StoryEnd { state: *state, outcome: *outcome, reason, usage: *usage, missing_seats });
            }
            Event::DebateAdmitted(_)
            | Event::ParticipantPlaced { .. }
            | Event::ToolCalled { .. }
            | Event::SpeechHeard { .. }
            | Event::SeatSkipped { .. }
            | Event::GateDecided { .. }
            | Event::VoteTallied { .. }
            | Event::DebateInterrupted { .. }
            | Event::DebateResumed { .. }
            | Event::CancelRequested { .. } => {}
        }
    }

    fn enter(&mut self, at: Timestamp, phase: PhaseName) {
        self.phase = Some(phase);
        match phase {
            PhaseName::Rounds => self.close(at),
            PhaseName::InitialBallots
            | PhaseName::OpeningStatements
            | PhaseName::FinalStatements
            | PhaseName::Rebuttals
            | PhaseName::FinalBallots
            | PhaseName::Decision
            | PhaseName::Synthesis => self.open(at, SpanPlace::Phase(phase.as_str()), phase.as_str()),
        }
    }

    /// Goes over to a section; one place is one section, even if it is come back to.
    fn open(&mut self, at: Timestamp, place: SpanPlace, phase: &'static str) {
        let known = self.sections.iter().position(|section| section.place == place);
        if known.is_some() && known == self.current {
            return;
        }
        self.close(at);
        self.current = known.or(Some(self.sections.len()));
        if known.is_none() {
            self.sections.push(TraceSection::new(place, phase, at));
        }
    }

    fn close(&mut self, at: Timestamp) {
        if let Some(open) = self.current.take().and_then(|open| self.sections.get_mut(open)) {
            open.to = at;
        }
    }

    /// Stages of rounds are told at their round; the moderator's steps after the last round are phases of their own.
    fn stage(&mut self, round: u32, stage: SeatStage) {
        if self.phase == Some(PhaseName::Rounds) {
            self.open(stage.at, SpanPlace::Round(round), PhaseName::Rounds.as_str());
        } else {
            let step = stage.step.as_str();
            self.open(stage.at, SpanPlace::Phase(step), step);
        }
        if let Some(section) = self.current.and_then(|open| self.sections.get_mut(open)) {
            section.stages.push(stage);
        }
    }

    fn spoken(&mut self, turn: TurnId, speech: &Speech) {
        if let (Some(tried), Some(_)) = (self.tries.get_mut(&turn), &speech.cut_by) {
            tried.cut = true;
        }
    }

    fn measured(&mut self, round: u32, measures: &'a Measures) {
        if let Some(section) = self.sections.iter_mut().find(|section| section.place == SpanPlace::Round(round)) {
            section.measures = Some(measures);
        }
    }

    /// A moderator is asked to open a round before it is open; its turn belongs there all the same.
    fn ask(&mut self, at: Timestamp, ask: &'a Ask) {
        if self.phase == Some(PhaseName::Rounds) {
            self.open(at, SpanPlace::Round(ask.turn.round), PhaseName::Rounds.as_str());
        }
        let section = self.current;
        let parent = section.and_then(|at| self.sections.get(at)).map_or(SpanPlace::Debate, |section| section.place);
        self.tries.entry(ask.turn).or_insert(Try { ask, parent, asked: at, ended: None, cut: false, section });
    }

    /// The first word on a try counts: a fallback decision follows a failure and is no answer to it.
    fn end(&mut self, at: Timestamp, turn: TurnId, end: TryEnd) {
        let Some(tried) = self.tries.get_mut(&turn).filter(|tried| tried.ended.is_none()) else { return };
        tried.ended = Some((at, end));
        self.standstills.told(at, turn, &tried.ask.participant);
        let Some(section) = tried.section.and_then(|at| self.sections.get_mut(at)) else { return };
        match end {
            TryEnd::Answered => section.turns += 1,
            TryEnd::Failed { .. } => section.failures += 1,
        }
    }
}

pub(crate) fn debate_of(log: &[Arc<Record>]) -> Option<&DebateId> {
    let Event::DebateAdmitted(admission) = log.first()?.events.first()? else { return None };
    Some(&admission.id)
}
