//! What happened: the events of a debate's log, the only truth.
use crate::answer::Measures;
use crate::call::{Call, ToolUse};
use crate::failure::Failure;
use crate::gate::{GateFeatures, GateReason};
use crate::ids::{ModelName, NodeId, ParticipantId, Position, Timestamp, TurnId};
use crate::outcome::{Consensus, DebateState, MajorityShift, MissingSeat, Outcome, Reason, StopRule, UsageTotals};
use crate::spec::VoteRule;
use crate::task::Ask;
use crate::work::Seat;
use serde::Serialize;
use std::sync::Arc;

mod answered;
mod parts;

pub use answered::*;
pub use parts::*;

/// One step of a debate: events that became true together, appended as one.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Position of the first event; the others follow without a gap.
    pub first: Position,
    /// When.
    pub at: Timestamp,
    /// The writer's epoch; never falls along a log.
    pub epoch: u64,
    /// Random id of this append, to settle an append whose answer was lost.
    pub nonce: u64,
    /// What happened, never empty.
    pub events: Vec<Event>,
}
impl Record {
    /// Position of the last event.
    pub fn last(&self) -> Position {
        Position(self.first.0.saturating_add(self.events.len() as u64).saturating_sub(1))
    }
    /// The events with their positions.
    pub fn entries(&self) -> impl Iterator<Item = (Position, &Event)> {
        (self.first.0..).map(Position).zip(&self.events)
    }
}

/// Something that happened in a debate.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The debate was accepted; always the first event.
    DebateAdmitted(Box<Admission>),
    /// A coordinator took the debate over.
    Claimed {
        /// Which.
        writer: NodeId,
        /// Its epoch, one more than the last.
        epoch: u64,
    },
    /// The debate entered a phase.
    PhaseEntered {
        /// Which.
        phase: PhaseName,
    },
    /// A participant's turns are played on this host from here on.
    ParticipantPlaced {
        /// Who.
        participant: ParticipantId,
        /// Where.
        host: String,
        /// By which model.
        model: ModelName,
        /// The model's digest there.
        #[serde(skip_serializing_if = "Option::is_none")]
        digest: Option<String>,
    },
    /// A round was opened.
    RoundOpened {
        /// From 1.
        round: u32,
        /// Who speaks, in order.
        speakers: Vec<ParticipantId>,
        /// What they are told.
        #[serde(skip_serializing_if = "Option::is_none")]
        briefing: Option<Arc<str>>,
        /// A new angle.
        #[serde(skip_serializing_if = "Option::is_none")]
        new_angle: Option<Arc<str>>,
    },
    /// Seats were opened for the next step.
    StageOpened {
        /// The round that the seats are numbered in.
        round: u32,
        /// Which step.
        step: Step,
        /// Whose, for what, in order.
        seats: Vec<Seat>,
        /// All at once, on the log as it stands now; else one after the other.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        parallel: bool,
        /// The seats join those that are open, whose turns go on.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        joins: bool,
    },
    /// A participant was asked.
    TurnAsked(Ask),
    /// A tool was used on the way to an answer, whatever became of the answer.
    ToolCalled {
        /// The turn.
        turn: TurnId,
        /// Whose.
        participant: ParticipantId,
        /// What.
        #[serde(flatten)]
        tool: ToolUse,
    },
    /// So much was heard of a speech that may be interrupted, while it went on.
    SpeechHeard {
        /// The turn.
        turn: TurnId,
        /// Who speaks.
        participant: ParticipantId,
        /// What was said so far.
        text: Arc<str>,
    },
    /// A moderator's decision is missing: a full roster, or to continue, stands in its place.
    #[serde(rename = "moderator_decided", serialize_with = "answered::fallback")]
    FallbackDecided {
        /// The turn.
        turn: TurnId,
        /// What is done instead.
        decision: ModeratorDecision,
    },
    /// A round's speeches were compared by their words, for which nobody is asked.
    #[serde(rename = "round_measured")]
    RoundCompared {
        /// The round.
        round: u32,
        /// The figures.
        #[serde(flatten)]
        measures: Measures,
    },
    /// A try failed.
    TurnFailed {
        /// The turn.
        turn: TurnId,
        /// Who.
        participant: ParticipantId,
        /// Why.
        failure: Failure,
        /// When the next try starts; absent when there is none.
        #[serde(skip_serializing_if = "Option::is_none")]
        retry_at: Option<Timestamp>,
        /// Tokens that the failed try cost, as far as they are known, and where it ran.
        call: Box<Call>,
    },
    /// A seat stays empty without having been asked.
    SeatSkipped {
        /// The round.
        round: u32,
        /// The seat.
        seat: u32,
        /// Whose.
        participant: ParticipantId,
        /// Why.
        reason: SkipReason,
    },
    /// The gate decided by the first ballots whether rounds are held.
    GateDecided {
        /// What it knew.
        features: GateFeatures,
        /// Who could cast a ballot.
        eligible: u32,
        /// Ballots that were cast.
        cast: u32,
        /// By which it decided; absent where its rule has none.
        #[serde(skip_serializing_if = "Option::is_none")]
        score: Option<f64>,
        /// No round is held: the ballots' top answer wins.
        skip: bool,
        /// Why.
        reason: GateReason,
    },
    /// The rounds are over.
    LoopEnded {
        /// The rule that fired.
        rule: StopRule,
        /// After this round.
        round: u32,
        /// What was wrong with `terminate_when`, which no longer mattered.
        #[serde(skip_serializing_if = "Option::is_none")]
        warning: Option<String>,
    },
    /// The votes or rankings were counted.
    VoteTallied {
        /// By this rule; absent where rankings of judges were counted.
        #[serde(skip_serializing_if = "Option::is_none")]
        rule: Option<VoteRule>,
        /// Candidates with what they got, most first, ties in candidate order: votes, points under `borda`, approvals,
        /// thousandths of weight under `weighted`, thousandths of a mean total under `anonymous_scoring`.
        counts: Vec<(String, u32)>,
        /// How much each voter's vote weighs; empty where all weigh the same.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        weights: Vec<VoterWeight>,
        /// Who could vote, failed voters included.
        eligible: u32,
        /// Votes that came.
        received: u32,
        /// Who met the rule.
        winner: Option<String>,
    },
    /// The debate has a result.
    VerdictReached {
        /// Of which kind.
        outcome: Outcome,
        /// The answer to the topic, where there is one.
        #[serde(skip_serializing_if = "Option::is_none")]
        verdict: Option<String>,
        /// Who won, where somebody did.
        #[serde(skip_serializing_if = "Option::is_none")]
        winner: Option<String>,
        /// Why.
        #[serde(skip_serializing_if = "Option::is_none")]
        reasoning: Option<String>,
        /// Why the outcome is what it is, where it needs a reason.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<Reason>,
        /// How far the debaters agree; apart from the verdict.
        #[serde(skip_serializing_if = "Option::is_none")]
        consensus: Option<Consensus>,
        /// What became of the first ballots' majority.
        majority: MajorityShift,
        /// Whose final ballot differs from the initial one.
        moved: Vec<ParticipantId>,
    },
    /// Somebody paused the debate, a model server was away for too long, or the servers gave it up for now: nobody plays it before somebody
    /// has resumed it.
    DebateInterrupted {
        /// Why.
        reason: Reason,
    },
    /// Somebody had a debate continued that nobody played.
    DebateResumed {
        /// Who, as far as it is known.
        #[serde(skip_serializing_if = "Option::is_none")]
        by: Option<String>,
    },
    /// Somebody asked to end the debate.
    CancelRequested {
        /// Why.
        reason: String,
    },
    /// The debate is over; always the last event.
    DebateEnded {
        /// How it ended.
        state: DebateState,
        /// What came out, when it succeeded.
        #[serde(skip_serializing_if = "Option::is_none")]
        outcome: Option<Outcome>,
        /// Why, where the outcome needs a reason.
        #[serde(skip_serializing_if = "Option::is_none")]
        reason: Option<Reason>,
        /// Tokens of all calls.
        usage: UsageTotals,
        /// Seats that failed for good.
        missing_seats: Vec<MissingSeat>,
    },
    /// Somebody answered what it was asked for.
    #[serde(untagged)]
    Answered(Answered),
}

impl Event {
    /// Milliseconds between the event before and this one, at `at`, that are part of no duration of the debate: nobody played it until it
    /// was resumed, and until another owner claimed it, nobody knows how long it rested, for the two clocks may differ.
    pub fn left_out_ms(&self, before: Timestamp, at: Timestamp) -> u64 {
        let rested = match self {
            Self::Claimed { epoch, .. } => *epoch > 1,
            other => matches!(other, Self::DebateResumed { .. }),
        };
        if rested { at.since(before) } else { 0 }
    }
}
