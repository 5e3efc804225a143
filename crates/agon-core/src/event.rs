//! What happened: the events of a debate's log, the only truth.
use crate::failure::{Failure, RetryPolicy};
use crate::ids::{DebateId, ModelName, NodeId, ParticipantId, Position, Timestamp, TurnId};
use crate::outcome::{Consensus, DebateState, MajorityShift, MissingSeat, Outcome, Reason, StopRule, UsageTotals};
use crate::spec::{DebateSpec, VoteRule};
use crate::task::{Ask, BallotStage, Call, Citation, RoundPlan, RoundSummary};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
        #[serde(default, skip_serializing_if = "Option::is_none")]
        digest: Option<String>,
    },
    /// A round was opened.
    RoundOpened {
        /// From 1.
        round: u32,
        /// Who speaks, in order.
        speakers: Vec<ParticipantId>,
        /// What they are told.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        briefing: Option<Arc<str>>,
        /// A new angle.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        new_angle: Option<Arc<str>>,
    },
    /// A participant was asked.
    TurnAsked(Ask),
    /// A debater spoke.
    SpeechRecorded(Speech),
    /// A private ballot was cast.
    BallotCast {
        /// The turn.
        turn: TurnId,
        /// Before round 1 or at the end.
        stage: BallotStage,
        /// Whose.
        participant: ParticipantId,
        /// What.
        choice: String,
        /// Why.
        reasons: Vec<String>,
        /// How it came about.
        call: Box<Call>,
    },
    /// A vote that decides was cast.
    VoteCast {
        /// The turn.
        turn: TurnId,
        /// Whose.
        participant: ParticipantId,
        /// For whom.
        choice: String,
        /// Why.
        reasons: Vec<String>,
        /// How it came about.
        call: Box<Call>,
    },
    /// The moderator opened or closed a round, or its decision had to be replaced.
    ModeratorDecided {
        /// The turn.
        turn: TurnId,
        /// What it decided.
        decision: ModeratorDecision,
        /// The decision is the fallback (full roster, or to continue), because the moderator's own could not be had.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        fallback: bool,
        /// How it came about; absent for a fallback.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<Box<Call>>,
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
        #[serde(default, skip_serializing_if = "Option::is_none")]
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
    /// The rounds are over.
    LoopEnded {
        /// The rule that fired.
        rule: StopRule,
        /// After this round.
        round: u32,
    },
    /// The judge judged one order.
    JudgementRecorded {
        /// The turn.
        turn: TurnId,
        /// Who judged.
        judge: ParticipantId,
        /// Which order of presentation, from 0.
        order: u32,
        /// The answer to the topic.
        verdict: String,
        /// One of the candidates, or none for a synthesis.
        winner: Option<String>,
        /// Why.
        reasoning: String,
        /// What it rests on, checked.
        citations: Vec<Citation>,
        /// How it came about.
        call: Box<Call>,
    },
    /// The votes were counted.
    VoteTallied {
        /// By this rule.
        rule: VoteRule,
        /// Votes per candidate, most first, ties in candidate order.
        counts: Vec<(String, u32)>,
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
        #[serde(default, skip_serializing_if = "Option::is_none")]
        verdict: Option<String>,
        /// Who won, where somebody did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        winner: Option<String>,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reasoning: Option<String>,
        /// How far the debaters agree; apart from the verdict.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        consensus: Option<Consensus>,
        /// What became of the first ballots' majority.
        majority: MajorityShift,
        /// Whose final ballot differs from the initial one.
        moved: Vec<ParticipantId>,
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
        #[serde(default, skip_serializing_if = "Option::is_none")]
        outcome: Option<Outcome>,
        /// Why, where the outcome needs a reason.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Reason>,
        /// Tokens of all calls.
        usage: UsageTotals,
        /// Seats that failed for good.
        missing_seats: Vec<MissingSeat>,
    },
}

/// All that a debate starts from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Admission {
    /// The debate.
    pub id: DebateId,
    /// What was asked for.
    pub spec: DebateSpec,
    /// The seed that every random choice derives from.
    pub seed: u64,
    /// How failed tries follow each other.
    pub retry: RetryPolicy,
    /// The version of Agon that admitted it.
    pub agon_version: String,
    /// The client's idempotency key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The debate is a rehearsal: scripted speakers, no model.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rehearsal: bool,
    /// How urgent it is, against other debates.
    #[serde(default, skip_serializing_if = "Priority::is_normal")]
    pub priority: Priority,
    /// The client's own marks, for finding it again.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Who submitted it, as the gateway knows him.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub creator: Option<String>,
    /// The W3C `traceparent` of the call that submitted it; the debate's trace links to it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub submitted_by: Option<String>,
    /// The ended debate whose transcript is judged again. What was said there follows the admission in the same record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rejudges: Option<DebateId>,
}

/// How urgent a debate is. A more urgent one gets a greater share, and none starves: 8, 3 and 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Priority {
    /// Somebody waits for it.
    Interactive,
    /// The usual.
    #[default]
    Normal,
    /// In bulk.
    Batch,
}
impl Priority {
    /// All, most urgent first.
    pub const ALL: [Self; 3] = [Self::Interactive, Self::Normal, Self::Batch];
    /// Whether it is the usual one.
    pub fn is_normal(&self) -> bool {
        *self == Self::Normal
    }
    /// Its share against the others.
    pub const fn weight(self) -> u32 {
        match self {
            Self::Interactive => 8,
            Self::Normal => 3,
            Self::Batch => 1,
        }
    }
    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Interactive => "interactive",
            Self::Normal => "normal",
            Self::Batch => "batch",
        }
    }
}

/// A phase of the debate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PhaseName {
    /// Private ballots before anybody spoke.
    InitialBallots,
    /// Opening statements.
    OpeningStatements,
    /// Rounds.
    Rounds,
    /// Final statements.
    FinalStatements,
    /// Private ballots at the end.
    FinalBallots,
    /// Judging or voting.
    Decision,
}

/// Something that a debater said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Speech {
    /// The turn.
    pub turn: TurnId,
    /// Who spoke.
    pub participant: ParticipantId,
    /// For which stance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stance: Option<String>,
    /// What kind of speech.
    pub kind: SpeechKind,
    /// What was said.
    pub text: Arc<str>,
    /// How many look-alikes of the transcript's own marks the text holds; prompts show them defused.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub neutralised: u32,
    /// How it came about.
    pub call: Box<Call>,
}
#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// What kind of speech.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SpeechKind {
    /// An opening statement.
    Opening,
    /// A speech of a round.
    Argument,
    /// A final statement.
    Closing,
}

/// What the moderator decided.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "duty", rename_all = "snake_case")]
pub enum ModeratorDecision {
    /// Opening a round.
    Opens(RoundPlan),
    /// Closing a round.
    Closes(RoundSummary),
}

/// Why a seat stays empty without having been asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// The budget left no room for it.
    Budget,
}
