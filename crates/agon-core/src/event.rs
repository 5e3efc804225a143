//! What happened: the events of a debate's log, the only truth.
use crate::answer::{
    Bid, Citation, Critique, DebaterScore, Interjection, Measures, Note, PointReply, Ranked, SpeechScore, Synthesis,
};
use crate::call::{Call, ToolUse};
use crate::failure::Failure;
use crate::ids::{ModelName, NodeId, ParticipantId, Position, Timestamp, TurnId};
use crate::outcome::{Consensus, DebateState, MajorityShift, MissingSeat, Outcome, Reason, StopRule, UsageTotals};
use crate::spec::VoteRule;
use crate::task::{Ask, BallotStage, BidPurpose, Conclusion, Point};
use crate::work::Seat;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

mod parts;
mod settled;

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
        /// How sure the voter says it is, 0 to 100; absent unless the file asks for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        confidence: Option<u8>,
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
        #[serde(default, skip_serializing_if = "parts::is_zero")]
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
        /// How sure the voter says it is, 0 to 100; absent unless the file asks for it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        confidence: Option<u8>,
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
        /// What was wrong with `terminate_when`, which no longer mattered.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        warning: Option<String>,
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
    /// The servers gave the debate up for now: nobody plays it before somebody has resumed it.
    DebateInterrupted {
        /// Why.
        reason: Reason,
    },
    /// Somebody had a debate continued that nobody played.
    DebateResumed {
        /// Who, as far as it is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
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
