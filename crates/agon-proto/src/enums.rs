//! Plain enums: every variant both ways, 0 and unknown numbers refused.
use crate::error::{DecodeError, Problem};
use crate::flat as pb;

/// A core enum that has a number on the wire.
pub(crate) trait Numbered: Sized {
    /// Its number.
    fn number(self) -> i32;
    /// The value of a field that holds such a number.
    fn from_number(number: i32, field: &str) -> Result<Self, DecodeError>;
}

/// The value of an optional field.
pub(crate) fn maybe<T: Numbered>(number: Option<i32>, field: &str) -> Result<Option<T>, DecodeError> {
    number.map(|number| T::from_number(number, field)).transpose()
}

/// The value of a field that older writers do not know: unspecified is the default.
pub(crate) fn or_default<T: Numbered + Default>(number: i32, field: &str) -> Result<T, DecodeError> {
    if number == 0 { Ok(T::default()) } else { T::from_number(number, field) }
}

/// The values of a repeated field.
pub(crate) fn all<T: Numbered>(numbers: &[i32], field: &str) -> Result<Vec<T>, DecodeError> {
    numbers.iter().enumerate().map(|(index, number)| T::from_number(*number, &format!("{field}[{index}]"))).collect()
}

macro_rules! enums {
    ($($name:ident { $($variant:ident),+ $(,)? })+) => {$(
        impl From<agon_core::$name> for pb::$name {
            fn from(value: agon_core::$name) -> Self {
                match value {
                    $(agon_core::$name::$variant => Self::$variant,)+
                }
            }
        }
        impl Numbered for agon_core::$name {
            fn number(self) -> i32 {
                i32::from(pb::$name::from(self))
            }
            fn from_number(number: i32, field: &str) -> Result<Self, DecodeError> {
                match pb::$name::try_from(number) {
                    $(Ok(pb::$name::$variant) => Ok(Self::$variant),)+
                    Ok(pb::$name::Unspecified) | Err(_) => {
                        Err(DecodeError::field(field, Problem::UnknownNumber(number)))
                    }
                }
            }
        }
        impl TryFrom<pb::$name> for agon_core::$name {
            type Error = DecodeError;
            fn try_from(value: pb::$name) -> Result<Self, DecodeError> {
                Self::from_number(i32::from(value), stringify!($name))
            }
        }
    )+};
}

enums! {
    BallotForm { Single, Ranking, Approval, Scores }
    BallotStage { Initial, Final }
    Ballots { Both, FinalOnly, None }
    Bench {
        PrimeMinister, LeaderOfOpposition, DeputyPrimeMinister, DeputyLeaderOfOpposition, MemberOfGovernment,
        MemberOfOpposition, GovernmentWhip, OppositionWhip,
    }
    BidPurpose { Floor, Reaction, Circle, Interruption, Point }
    CheckFailure {
        UnknownVerifier, Unavailable, TimedOut, Died, Malformed, TooLarge, Refused, OverLimit,
    }
    Conclusion { Reconciliation, Summary, Decision }
    ConsensusSource { FinalBallots, Votes }
    ConsensusStrategy { Judge, Vote, RankedReasons, MediatorSummary, AgentClosing, NoConsensus }
    ContextScope { FullLog, LastNTurns, SummaryOnly, PersonaScoped }
    DebateFormat { RoundRobin, Socratic, BpStyle, Fishbowl, ChainOfThought, OpenFight, CritiqueRevision }
    DebateState { Succeeded, Failed, Cancelled }
    Direction { HubCritiques, CritiqueHub }
    EndCondition { RoundsExhausted, ConsensusReached, NoNewArguments, Impasse }
    FailureCause {
        Timeout, Busy, NotFound, ContextOverflow, Truncated, Malformed, Transport, ServerError, BadRequest,
        Unauthorized, Quota, BreakerOpen, Internal, Cancelled, ToolMissing, ServerAway, TooSlow,
    }
    Failing { Conceded, Left, Lost }
    FeedFault { Unavailable, TimedOut, TooLarge, Refused, Malformed, Empty }
    Interject { EveryRound, Midpoint, FinalOnly }
    Interruptions { Off, TurnBoundary, MidSpeech }
    MajorityShift { Kept, Overturned, None }
    Memory { AppendAll, RollingWindow, SummarizePast, PersonaMasking }
    Method { Embeddings, Words, WordsInstead }
    Mode { Adversarial, Deliberative }
    ObjectionKind { Critical, Serious, Mild }
    OnTurnFailure { Skip, Abort }
    Outcome { Decided, Degraded, Tie, Inconclusive }
    Priority { Interactive, Normal, Batch }
    Output { FullMarkdown, SummaryOnly, JsonLog, Verbose, Html, VisualTree }
    PhaseName {
        InitialBallots, OpeningStatements, Rounds, FinalStatements, Rebuttals, FinalBallots, Decision, Synthesis,
    }
    ReasonCode {
        OrderSensitive, JudgeIncomplete, JudgeFailed, NoVotes, RuleNotMet, Quorum, TurnFailed, TerminateWhen, EmptyTranscript,
        Poison, Cancelled, PanelSplit, NoDecisionWanted, ModeratorFailed, SynthesisFailed, ServerAway,
    }
    RoundStatus { Settled, Continue }
    SelfVotes { Exclude, Allow }
    SkipReason { Budget }
    SpeechKind {
        Opening, Argument, Closing, Question, Answer, FollowUp, Proposal, Revision, Rebuttal, Clarification, Interjection,
        Critique, Point, PointReply, Moderation,
    }
    Step {
        Research, Admission, Speaking, Interjection, Replies, Scores, Votes, Measure, Enough, Notes, Summary,
        Reconciliation, Conclusion,
    }
    StopRule {
        MathematicallyDecided, ConsensusReached, Converged, Impasse, NoNewArguments, JudgeEnough, ModeratorDone,
        ModeratorSettled, ModeratorVote, TerminateWhen, TokenBudget, TimeBudget, MaxRounds,
    }
    Strength { Split, Weak, Moderate, Strong, Unanimous }
    Style { Formal, Casual, BulletPoint, Paragraph }
    SummaryStyle { Neutral, Critical, Persuasive }
    Think { Off, On, Low, Medium, High }
    Topology { AllToAll, RoundRobin, Ring, Star, Sparse }
    TurnKind { Openings, Arguments, Critiques, Revisions, Closings }
    TurnMode { RoundRobin, Random, PriorityOrder, ReactionTriggered, Moderator }
    Visibility { Sequential, Simultaneous }
    VoteRule { Majority, Supermajority, Unanimous, Plurality, Borda, Approval, Weighted, AnonymousScoring }
    Voters { Debaters, Judges }
}
