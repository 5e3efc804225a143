//! What a trace needs of a log: who was asked when, in which phase, and how it ended.
use crate::context::Place;
use agon_core::{
    Admission, Ask, Consensus, DebateId, DebateState, Event, FailureCause, Outcome, PhaseName, Reason, Record,
    StopRule, Timestamp, TurnId, UsageTotals,
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
    pub(crate) end: Option<End<'a>>,
    /// Rounds and the other phases, in order.
    pub(crate) sections: Vec<Section>,
    pub(crate) tries: BTreeMap<TurnId, Try<'a>>,
    phase: Option<PhaseName>,
}

/// How the debate ended.
pub(crate) struct End<'a> {
    pub(crate) state: DebateState,
    pub(crate) outcome: Option<Outcome>,
    pub(crate) reason: Option<&'a Reason>,
    pub(crate) usage: UsageTotals,
    pub(crate) missing_seats: usize,
}

/// A round, or a phase beside the rounds.
pub(crate) struct Section {
    pub(crate) place: Place,
    pub(crate) phase: &'static str,
    pub(crate) from: Timestamp,
    pub(crate) to: Timestamp,
    pub(crate) turns: u64,
    pub(crate) failures: u64,
    open: bool,
}

/// A try of a turn.
pub(crate) struct Try<'a> {
    pub(crate) ask: &'a Ask,
    pub(crate) parent: Place,
    pub(crate) asked: Timestamp,
    pub(crate) ended: Option<(Timestamp, TryEnd)>,
    section: Option<usize>,
}

/// How a try ended.
#[derive(Clone, Copy)]
pub(crate) enum TryEnd {
    Answered,
    Failed { cause: FailureCause, retried: bool },
}

impl Section {
    pub(crate) fn name(&self) -> String {
        match self.place {
            Place::Round(_) => "debate.round".to_owned(),
            Place::Debate | Place::Accepted | Place::Phase(_) | Place::Turn(_) if self.is_decision() => {
                "debate.decide".to_owned()
            }
            Place::Debate | Place::Accepted | Place::Phase(_) | Place::Turn(_) => format!("debate.{}", self.phase),
        }
    }
    pub(crate) fn is_decision(&self) -> bool {
        self.phase == phase_name(PhaseName::Decision)
    }
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
            phase: None,
        };
        for record in log {
            story.ended_at = record.at;
            record.events.iter().for_each(|event| story.take(record.at, event));
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
                self.open(at, Place::Round(*round), PhaseName::Rounds);
            }
            Event::TurnAsked(ask) => self.ask(at, ask),
            Event::SpeechRecorded(speech) => self.end(at, speech.turn, TryEnd::Answered),
            Event::BallotCast { turn, .. }
            | Event::BidPlaced { turn, .. }
            | Event::PointsAnswered { turn, .. }
            | Event::CritiqueRecorded { turn, .. }
            | Event::NoteTaken { turn, .. }
            | Event::VoteCast { turn, .. }
            | Event::DebatersScored { turn, .. }
            | Event::ModeratorInterjected { turn, .. }
            | Event::SpeechesScored { turn, .. }
            | Event::ResearchBriefed { turn, .. }
            | Event::ModeratorConcluded { turn, .. }
            | Event::SummaryRecorded { turn, .. }
            | Event::RoundMeasured { turn: Some(turn), .. }
            | Event::EnoughAsked { turn, .. }
            | Event::JudgementRecorded { turn, .. }
            | Event::RankingRecorded { turn, .. }
            | Event::SynthesisRecorded { turn, .. }
            | Event::ModeratorDecided { turn, .. } => self.end(at, *turn, TryEnd::Answered),
            Event::TurnFailed { turn, failure, retry_at, .. } => {
                self.end(at, *turn, TryEnd::Failed { cause: failure.cause, retried: retry_at.is_some() });
            }
            Event::LoopEnded { rule, .. } => {
                self.stop_rule = Some(*rule);
                self.close(at);
            }
            Event::VerdictReached { outcome, consensus, .. } => {
                self.outcome = Some(*outcome);
                self.consensus = consensus.as_ref();
            }
            Event::DebateEnded { state, outcome, reason, usage, missing_seats } => {
                let (reason, missing_seats) = (reason.as_ref(), missing_seats.len());
                self.end = Some(End { state: *state, outcome: *outcome, reason, usage: *usage, missing_seats });
            }
            Event::DebateAdmitted(_)
            | Event::ParticipantPlaced { .. }
            | Event::StageOpened { .. }
            | Event::ToolCalled { .. }
            | Event::SpeechHeard { .. }
            | Event::RoundMeasured { turn: None, .. }
            | Event::SeatSkipped { .. }
            | Event::VoteTallied { .. }
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
            | PhaseName::Synthesis => self.open(at, Place::Phase(phase_name(phase)), phase),
        }
    }

    /// Goes over to a section, unless it is the one that is open.
    fn open(&mut self, at: Timestamp, place: Place, phase: PhaseName) {
        if self.sections.last().is_some_and(|last| last.open && last.place == place) {
            return;
        }
        self.close(at);
        let phase = phase_name(phase);
        self.sections.push(Section { place, phase, from: at, to: at, turns: 0, failures: 0, open: true });
    }

    fn close(&mut self, at: Timestamp) {
        if let Some(last) = self.sections.last_mut().filter(|last| last.open) {
            last.open = false;
            last.to = at;
        }
    }

    /// A moderator is asked to open a round before it is open; its turn belongs there all the same.
    fn ask(&mut self, at: Timestamp, ask: &'a Ask) {
        if self.phase == Some(PhaseName::Rounds) {
            self.open(at, Place::Round(ask.turn.round), PhaseName::Rounds);
        }
        let section = self.sections.len().checked_sub(1);
        let parent = section.and_then(|at| self.sections.get(at)).map_or(Place::Debate, |section| section.place);
        self.tries.entry(ask.turn).or_insert(Try { ask, parent, asked: at, ended: None, section });
    }

    /// The first word on a try counts: a fallback decision follows a failure and is no answer to it.
    fn end(&mut self, at: Timestamp, turn: TurnId, end: TryEnd) {
        let Some(tried) = self.tries.get_mut(&turn).filter(|tried| tried.ended.is_none()) else { return };
        tried.ended = Some((at, end));
        let Some(section) = tried.section.and_then(|at| self.sections.get_mut(at)) else { return };
        match end {
            TryEnd::Answered => section.turns += 1,
            TryEnd::Failed { .. } => section.failures += 1,
        }
    }
}

/// A phase's name, as events have it.
fn phase_name(phase: PhaseName) -> &'static str {
    match phase {
        PhaseName::InitialBallots => "initial_ballots",
        PhaseName::OpeningStatements => "opening_statements",
        PhaseName::Rounds => "rounds",
        PhaseName::FinalStatements => "final_statements",
        PhaseName::Rebuttals => "rebuttals",
        PhaseName::FinalBallots => "final_ballots",
        PhaseName::Decision => "decision",
        PhaseName::Synthesis => "synthesis",
    }
}

/// The debate that a log tells of.
pub(crate) fn debate_of(log: &[Arc<Record>]) -> Option<&DebateId> {
    let Event::DebateAdmitted(admission) = log.first()?.events.first()? else { return None };
    Some(&admission.id)
}
