//! What happened: the events of a debate's log, the only truth.
use crate::answer::{
    Bid, Citation, Critique, DebaterScore, Declined, Interjection, Measures, Note, PointReply, Ranked, RoundPlan,
    RoundSummary, SpeechScore, Synthesis,
};
use crate::call::{Call, ToolUse};
use crate::failure::{Failure, RetryPolicy};
use crate::ids::{DebateId, ModelName, NodeId, ParticipantId, Position, Timestamp, TurnId};
use crate::outcome::{Consensus, DebateState, MajorityShift, MissingSeat, Outcome, Reason, StopRule, UsageTotals};
use crate::spec::{Bench, DebateSpec, VoteRule};
use crate::task::{Ask, BallotStage, BidPurpose, Conclusion, Point, SpeechKind};
use crate::work::Seat;
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
    /// Seats were opened for the next step.
    StageOpened {
        /// The round that the seats are numbered in.
        round: u32,
        /// Which step.
        step: Step,
        /// Whose, for what, in order.
        seats: Vec<Seat>,
        /// All at once, on the log as it stands now; else one after the other.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        parallel: bool,
        /// The seats join those that are open, whose turns go on.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
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
    /// Somebody said how much it wants to speak.
    BidPlaced {
        /// The turn.
        turn: TurnId,
        /// Who.
        participant: ParticipantId,
        /// For what.
        purpose: BidPurpose,
        /// The bid.
        #[serde(flatten)]
        bid: Bid,
        /// How it came about.
        call: Box<Call>,
    },
    /// A speaker took one of the points of information that it was offered, or none.
    PointsAnswered {
        /// The turn.
        turn: TurnId,
        /// The speaker.
        participant: ParticipantId,
        /// What was offered.
        points: Vec<Point>,
        /// What the speaker made of it.
        #[serde(flatten)]
        reply: PointReply,
        /// How it came about.
        call: Box<Call>,
    },
    /// A proposal was criticised.
    CritiqueRecorded {
        /// The turn.
        turn: TurnId,
        /// By whom.
        participant: ParticipantId,
        /// Whose proposal.
        of: ParticipantId,
        /// The critique.
        #[serde(flatten)]
        critique: Critique,
        /// How many look-alikes of the transcript's own marks it holds.
        #[serde(default, skip_serializing_if = "is_zero")]
        neutralised: u32,
        /// How it came about.
        call: Box<Call>,
    },
    /// A debater noted something for itself; nobody else is shown it.
    NoteTaken {
        /// The turn.
        turn: TurnId,
        /// Who.
        participant: ParticipantId,
        /// The note.
        #[serde(flatten)]
        note: Note,
        /// How it came about.
        call: Box<Call>,
    },
    /// A vote that decides was cast.
    VoteCast {
        /// The turn.
        turn: TurnId,
        /// Whose.
        participant: ParticipantId,
        /// For whom; the first of `choices` where there are several.
        choice: String,
        /// The whole ranking, best first, or all that are approved; empty in a vote for one.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        choices: Vec<String>,
        /// Why.
        reasons: Vec<String>,
        /// How it came about.
        call: Box<Call>,
    },
    /// A voter scored the other debaters.
    DebatersScored {
        /// The turn.
        turn: TurnId,
        /// The voter.
        participant: ParticipantId,
        /// The scores.
        scores: Vec<DebaterScore>,
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
    /// The moderator said something between the speeches and the end of a round.
    ModeratorInterjected {
        /// The turn.
        turn: TurnId,
        /// What.
        #[serde(flatten)]
        interjection: Interjection,
        /// How it came about.
        call: Box<Call>,
    },
    /// The moderator scored the speeches of a round.
    SpeechesScored {
        /// The turn.
        turn: TurnId,
        /// The scores.
        scores: Vec<SpeechScore>,
        /// How it came about.
        call: Box<Call>,
    },
    /// The moderator briefed everybody on what it had found out.
    ResearchBriefed {
        /// The turn.
        turn: TurnId,
        /// The brief.
        text: Arc<str>,
        /// How it came about.
        call: Box<Call>,
    },
    /// The moderator concluded.
    ModeratorConcluded {
        /// The turn.
        turn: TurnId,
        /// In what manner.
        conclusion: Conclusion,
        /// What it said; the verdict where it decides.
        text: Arc<str>,
        /// Why, where it decides.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reasoning: Option<String>,
        /// How it came about.
        call: Box<Call>,
    },
    /// What was said up to the end of a round was summed up.
    SummaryRecorded {
        /// The turn.
        turn: TurnId,
        /// That round.
        through: u32,
        /// The summary.
        text: Arc<str>,
        /// How it came about.
        call: Box<Call>,
    },
    /// The similarity of a round's speeches was measured.
    RoundMeasured {
        /// The round.
        round: u32,
        /// The figures.
        #[serde(flatten)]
        measures: Measures,
        /// The turn that measured; absent where none was asked for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        turn: Option<TurnId>,
        /// How the embeddings came about.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        call: Option<Box<Call>>,
    },
    /// The judge said whether enough was said.
    EnoughAsked {
        /// The turn.
        turn: TurnId,
        /// Who judged.
        judge: ParticipantId,
        /// Whether no further round can change the answer.
        enough: bool,
        /// Why.
        reasoning: String,
        /// How it came about.
        call: Box<Call>,
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
        /// Critical objections that nobody answered, as this judge sees it.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        open_objections: Vec<String>,
        /// How it came about.
        call: Box<Call>,
    },
    /// The judge ranked all candidates in one order of presentation.
    RankingRecorded {
        /// The turn.
        turn: TurnId,
        /// Who judged.
        judge: ParticipantId,
        /// Which order of presentation, from 0.
        order: u32,
        /// The candidates, best first.
        ranking: Vec<Ranked>,
        /// How it came about.
        call: Box<Call>,
    },
    /// The votes or rankings were counted.
    VoteTallied {
        /// By this rule; absent where rankings of judges were counted.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule: Option<VoteRule>,
        /// Candidates with what they got, most first, ties in candidate order: votes, points under `borda`, approvals,
        /// thousandths of weight under `weighted`, thousandths of a mean total under `anonymous_scoring`.
        counts: Vec<(String, u32)>,
        /// How much each voter's vote weighs; empty where all weigh the same.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
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
        #[serde(default, skip_serializing_if = "Option::is_none")]
        verdict: Option<String>,
        /// Who won, where somebody did.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        winner: Option<String>,
        /// Why.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reasoning: Option<String>,
        /// Why the outcome is what it is, where it needs a reason.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<Reason>,
        /// How far the debaters agree; apart from the verdict.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        consensus: Option<Consensus>,
        /// What became of the first ballots' majority.
        majority: MajorityShift,
        /// Whose final ballot differs from the initial one.
        moved: Vec<ParticipantId>,
    },
    /// The result was turned into what the author wants.
    SynthesisRecorded {
        /// The turn.
        turn: TurnId,
        /// The synthesis.
        #[serde(flatten)]
        synthesis: Synthesis,
        /// How it came about.
        call: Box<Call>,
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
    /// Short answers to the final statements.
    Rebuttals,
    /// Private ballots at the end.
    FinalBallots,
    /// Judging or voting.
    Decision,
    /// Turning the result into what the author wants.
    Synthesis,
}

/// A step inside or between rounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// The moderator finds out what everybody is to know, before round 1.
    Research,
    /// Who is to be heard in the round: bids for the inner circle.
    Admission,
    /// The round's own speeches, and the bids and points between them.
    Speaking,
    /// The moderator says what there is to be said.
    Interjection,
    /// The answers to the moderator's questions.
    Replies,
    /// The moderator scores the speeches.
    Scores,
    /// A vote of the round.
    Votes,
    /// How similar the speeches are.
    Measure,
    /// Whether the judge has heard enough.
    Enough,
    /// What the debaters note for themselves.
    Notes,
    /// A summary of the past.
    Summary,
    /// The moderator reconciles the positions.
    Reconciliation,
    /// The moderator sums the debate up.
    Conclusion,
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
    /// To whom, where the speech is to somebody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<ParticipantId>,
    /// The speaker's place in a British Parliamentary debate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bench: Option<Bench>,
    /// The answer that the speech names as its own, in deliberative mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Whose critiques a revision accepts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<ParticipantId>,
    /// Whose critiques a revision declines, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub declined: Vec<Declined>,
    /// The speech ends where somebody cut it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cut_by: Option<ParticipantId>,
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

/// How much a voter's vote weighs, and what that comes from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VoterWeight {
    /// The voter.
    pub voter: ParticipantId,
    /// Its rating; absent where the file gives the weight itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub elo: Option<f64>,
    /// How well it judges its own certainty; absent where the file gives the weight itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<f64>,
    /// `((elo - 1000) / 500) * (0.5 + calibration)` between 0.1 and 5, in thousandths.
    pub thousandths: u32,
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
