//! Plain enums: every variant both ways, 0 and unknown numbers refused.
use crate::error::DecodeError;

/// A core enum that has a number on the wire.
pub(crate) trait Numbered: Sized {
    /// Its number.
    fn number(self) -> i32;
    /// The value of a field that holds such a number.
    fn from_number(number: i32, field: &str) -> Result<Self, DecodeError>;
}

/// One enum, with its message's.
macro_rules! numbered {
    ($core:ty as $name:ident { $($variant:ident),+ $(,)? }) => {
        impl From<$core> for $crate::flat::$name {
            fn from(value: $core) -> Self {
                match value {
                    $(<$core>::$variant => Self::$variant,)+
                }
            }
        }
        impl $crate::enums::Numbered for $core {
            fn number(self) -> i32 {
                i32::from($crate::flat::$name::from(self))
            }
            fn from_number(number: i32, field: &str) -> Result<Self, $crate::error::DecodeError> {
                use $crate::error::{DecodeError, FieldProblem};
                use $crate::flat::$name as Wire;
                match Wire::try_from(number) {
                    $(Ok(Wire::$variant) => Ok(Self::$variant),)+
                    Ok(Wire::Unspecified) | Err(_) => Err(DecodeError::field(field, FieldProblem::UnknownNumber(number))),
                }
            }
        }
        impl $crate::field::Mirrored<i32> for $core {
            fn out(&self) -> i32 {
                $crate::enums::Numbered::number(*self)
            }
            fn read(wire: i32, field: &str) -> Result<Self, $crate::error::DecodeError> {
                $crate::enums::Numbered::from_number(wire, field)
            }
        }
        impl TryFrom<$crate::flat::$name> for $core {
            type Error = $crate::error::DecodeError;
            fn try_from(value: $crate::flat::$name) -> Result<Self, Self::Error> {
                $crate::enums::Numbered::from_number(i32::from(value), stringify!($name))
            }
        }
        #[cfg(any(test, feature = "strategies"))]
        impl $crate::strategies::Arbitrary for $core {
            fn arbitrary() -> proptest::strategy::BoxedStrategy<Self> {
                proptest::strategy::Strategy::boxed(proptest::sample::select(vec![$(Self::$variant),+]))
            }
        }
    };
}

macro_rules! enums {
    ($($name:ident { $($variants:tt)* })+) => {
        $(numbered!(agon_core::$name as $name { $($variants)* });)+
    };
}

pub(crate) use numbered;

numbered!(agon_core::gate::GateReason as GateReason { Rule, BallotFailed, TooFewBallots, FeatureUnknown, Explored });

enums! {
    AnswerKind { Choice, Number, Text }
    BallotForm { Single, Ranking, Approval, Scores }
    BallotStage { Initial, Final }
    Ballots { Both, FinalOnly, None }
    Scoring { None, Anonymous }
    Bench {
        PrimeMinister, LeaderOfOpposition, DeputyPrimeMinister, DeputyLeaderOfOpposition, MemberOfGovernment,
        MemberOfOpposition, GovernmentWhip, OppositionWhip,
    }
    BidPurpose { Floor, Reaction, Circle, Interruption, Point }
    CheckFailure {
        UnknownVerifier, Unavailable, TimedOut, Died, Malformed, TooLarge, Refused, OverLimit,
    }
    Conclusion { Reconciliation, Summary, Decision }
    ConsensusSource { FinalBallots, Votes, FirstBallots }
    ConsensusStrategy { Judge, Vote, RankedReasons, MediatorSummary, AgentClosing, NoConsensus }
    ContextScope { FullLog, LastNTurns, SummaryOnly, PersonaScoped }
    DebateFormat { RoundRobin, Socratic, BpStyle, Fishbowl, ChainOfThought, OpenFight, CritiqueRevision, Poll }
    DebateWhen { Always, IfContested }
    DebateState { Succeeded, Failed, Cancelled }
    Direction { HubCritiques, CritiqueHub }
    DissentAmong { Ballots, Votes, Judges }
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
    OnCut { Keep, Retry, Fail }
    Outcome { Decided, Degraded, Tie, Inconclusive }
    Priority { Interactive, Normal, Batch }
    Output { FullMarkdown, SummaryOnly, JsonLog, Verbose, Html, VisualTree }
    PhaseName {
        InitialBallots, OpeningStatements, Rounds, FinalStatements, Rebuttals, FinalBallots, Decision, Synthesis,
    }
    ReasonCode {
        OrderSensitive, JudgeIncomplete, JudgeFailed, NoVotes, RuleNotMet, Quorum, TurnFailed, TerminateWhen, EmptyTranscript,
        Poison, Cancelled, PanelSplit, NoDecisionWanted, ModeratorFailed, SynthesisFailed, ServerAway,
        Paused,
    }
    RoundStatus { Settled, Continue }
    SelfVotes { Exclude, Allow }
    SkipReason { Budget, NothingToScore }
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
        ModeratorSettled, ModeratorVote, TerminateWhen, TokenBudget, TimeBudget, MaxRounds, NotContested,
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
