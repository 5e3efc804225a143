//! The names of the core, as a person reads them.
use agon_core::{
    BallotStage, BidPurpose, Conclusion, ConsensusStrategy, ContextScope, DebateFormat, DebateState, Halt,
    MajorityShift, Memory, Method, Mode, OnTurnFailure, Outcome, PhaseName, Quorum, ReasonCode, RoundStatus,
    SkipReason, SpeechKind, Step, StopRule, Strength, TurnMode, Visibility, VoteRule,
};

pub(crate) fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Decided => "Decided",
        Outcome::Degraded => "Decided with missing seats",
        Outcome::Tie => "Tie",
        Outcome::Inconclusive => "Inconclusive",
    }
}
/// The outcome at the end: one that is degraded without a missing seat lacks its synthesis.
pub(crate) fn ended(outcome: Outcome, missing: bool) -> &'static str {
    match outcome {
        Outcome::Degraded if !missing => "Decided without the synthesis that was wanted",
        Outcome::Degraded | Outcome::Decided | Outcome::Tie | Outcome::Inconclusive => self::outcome(outcome),
    }
}
pub(crate) fn state(state: DebateState) -> &'static str {
    match state {
        DebateState::Succeeded => "Succeeded",
        DebateState::Failed => "Failed",
        DebateState::Cancelled => "Cancelled",
    }
}
pub(crate) fn halt(halt: Halt) -> &'static str {
    match halt {
        Halt::Paused => "Paused",
        Halt::Interrupted => "Interrupted",
    }
}
pub(crate) fn reason(code: ReasonCode) -> &'static str {
    match code {
        ReasonCode::OrderSensitive => "the judge named another winner when the order of presentation was reversed",
        ReasonCode::JudgeIncomplete => "one of the judge's two readings could not be had",
        ReasonCode::JudgeFailed => "the judge could not be heard",
        ReasonCode::NoVotes => "no vote came in",
        ReasonCode::RuleNotMet => "no candidate met the rule of the vote",
        ReasonCode::PanelSplit => "the judges disagree, and no winner has more than half of them",
        ReasonCode::NoDecisionWanted => "no decision was wanted",
        ReasonCode::ModeratorFailed => "the moderator's synthesis could not be had",
        ReasonCode::SynthesisFailed => "the last call over the result failed, or its output does not fit the schema",
        ReasonCode::Quorum => "too few speakers of a round could be heard",
        ReasonCode::TurnFailed => "a turn failed, and the debate file asks to end then",
        ReasonCode::TerminateWhen => "terminate_when could not be evaluated",
        ReasonCode::EmptyTranscript => "nobody said anything",
        ReasonCode::ServerAway => "a model server was away for too long",
        ReasonCode::Poison => "its coordinator failed again and again",
        ReasonCode::Cancelled => "somebody ended it",
    }
}
pub(crate) fn strength(strength: Strength) -> &'static str {
    match strength {
        Strength::Split => "split",
        Strength::Weak => "weak",
        Strength::Moderate => "moderate",
        Strength::Strong => "strong",
        Strength::Unanimous => "unanimous",
    }
}
pub(crate) fn majority(shift: MajorityShift, won: bool) -> &'static str {
    match (shift, won) {
        (MajorityShift::Kept, _) => "The winner is what the majority held before the debate.",
        (MajorityShift::Overturned, _) => "The debate overturned the majority that stood before it.",
        (MajorityShift::None, true) => "No position had a majority before the debate.",
        (MajorityShift::None, false) => "There is no winner to hold against the first ballots.",
    }
}
pub(crate) fn stop(rule: StopRule) -> &'static str {
    match rule {
        StopRule::MathematicallyDecided => "no vote that was still to come could change the winner",
        StopRule::ConsensusReached => "the speakers agreed",
        StopRule::Converged => "nothing was left to mend: no severe critique, or no proposal that changed",
        StopRule::Impasse => "nobody moved for two rounds, and they did not agree",
        StopRule::NoNewArguments => "no speech of the round said anything new",
        StopRule::JudgeEnough => "the judge had heard enough",
        StopRule::ModeratorDone => "the moderator called the last round",
        StopRule::ModeratorSettled => "the moderator held the question for settled",
        StopRule::ModeratorVote => "the moderator called the vote",
        StopRule::TerminateWhen => "terminate_when became true",
        StopRule::TokenBudget => "the token budget was spent",
        StopRule::TimeBudget => "the time budget was spent",
        StopRule::MaxRounds => "the last round of the plan was over",
    }
}
pub(crate) fn phase(phase: PhaseName) -> &'static str {
    match phase {
        PhaseName::InitialBallots => "Initial ballots",
        PhaseName::OpeningStatements => "Opening statements",
        PhaseName::Rounds => "Rounds",
        PhaseName::FinalStatements => "Final statements",
        PhaseName::Rebuttals => "Rebuttals",
        PhaseName::FinalBallots => "Final ballots",
        PhaseName::Decision => "Decision",
        PhaseName::Synthesis => "Synthesis",
    }
}
pub(crate) fn stage(stage: BallotStage) -> &'static str {
    match stage {
        BallotStage::Initial => "initial ballot",
        BallotStage::Final => "final ballot",
    }
}
pub(crate) fn kind(kind: SpeechKind) -> &'static str {
    match kind {
        SpeechKind::Opening => "opening statement",
        SpeechKind::Argument => "argument",
        SpeechKind::Closing => "final statement",
        SpeechKind::Question => "question",
        SpeechKind::Answer => "answer",
        SpeechKind::FollowUp => "follow-up",
        SpeechKind::Proposal => "proposal",
        SpeechKind::Revision => "revision",
        SpeechKind::Rebuttal => "rebuttal",
        SpeechKind::Clarification => "clarification",
        SpeechKind::Interjection => "interjection",
        SpeechKind::Critique => "critique",
        SpeechKind::Point => "point of information",
        SpeechKind::PointReply => "reply to a point of information",
        SpeechKind::Moderation => "word of the moderator",
    }
}
pub(crate) fn skip(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::Budget => "the budget left no room for it",
    }
}
pub(crate) fn rule(rule: VoteRule) -> &'static str {
    match rule {
        VoteRule::Majority => "majority (more than one half of the eligible votes)",
        VoteRule::Supermajority => "supermajority (at least two thirds of the eligible votes)",
        VoteRule::Unanimous => "unanimous (every eligible vote)",
        VoteRule::Plurality => "plurality (more votes than any other)",
        VoteRule::Borda => "Borda count (every voter ranks all; the most points win)",
        VoteRule::Approval => "approval (every voter names all that it could accept; the most approvals win)",
        VoteRule::Weighted => "weighted majority (more than one half of the weight of all eligible votes)",
        VoteRule::AnonymousScoring => {
            "anonymous scoring (everybody scores everybody else under a label; the highest mean wins)"
        }
    }
}
/// The rule in a few words.
pub(crate) fn short_rule(rule: VoteRule) -> &'static str {
    match rule {
        VoteRule::Majority => "majority vote",
        VoteRule::Supermajority => "supermajority vote",
        VoteRule::Unanimous => "unanimous vote",
        VoteRule::Plurality => "plurality vote",
        VoteRule::Borda => "Borda count",
        VoteRule::Approval => "approval vote",
        VoteRule::Weighted => "weighted vote",
        VoteRule::AnonymousScoring => "anonymous scores",
    }
}
pub(crate) fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Adversarial => "adversarial",
        Mode::Deliberative => "deliberative",
    }
}
pub(crate) fn format(format: DebateFormat) -> &'static str {
    match format {
        DebateFormat::RoundRobin => "round robin",
        DebateFormat::Socratic => "Socratic",
        DebateFormat::BpStyle => "British Parliamentary",
        DebateFormat::Fishbowl => "fishbowl",
        DebateFormat::ChainOfThought => "chain of thought",
        DebateFormat::OpenFight => "open fight",
        DebateFormat::CritiqueRevision => "critique and revision",
    }
}
/// What the moderator did when it opened a round, whom it called included. Where the order of speakers is fixed, it calls nobody and
/// nobody is missing.
pub(crate) fn opens(mode: TurnMode, names: &[String]) -> String {
    match (mode, names) {
        (TurnMode::Moderator, []) => "calls nobody".to_owned(),
        (TurnMode::RoundRobin | TurnMode::Random | TurnMode::PriorityOrder | TurnMode::ReactionTriggered, []) => {
            "opens the round".to_owned()
        }
        (_, names) => format!("calls {}", names.join(", ")),
    }
}

/// How a moderator's decision in the closing of a round is called.
pub(crate) fn decided(status: RoundStatus) -> &'static str {
    match status {
        RoundStatus::Settled => "Decision",
        RoundStatus::Continue => "Decision so far",
    }
}

pub(crate) fn turn_mode(mode: TurnMode) -> &'static str {
    match mode {
        TurnMode::RoundRobin => "in declared order",
        TurnMode::Random => "a fresh random order each round",
        TurnMode::PriorityOrder => "by priority",
        TurnMode::ReactionTriggered => "by the strongest reaction to the last speech",
        TurnMode::Moderator => "named by the moderator",
    }
}
pub(crate) fn visibility(visibility: Visibility) -> &'static str {
    match visibility {
        Visibility::Sequential => "sequential",
        Visibility::Simultaneous => "simultaneous",
    }
}
pub(crate) fn memory(memory: Memory) -> &'static str {
    match memory {
        Memory::AppendAll => "everything is kept",
        Memory::RollingWindow => "a rolling window of the last speeches",
        Memory::SummarizePast => "a summary of the past, and what was said since",
        Memory::PersonaMasking => "everything that each persona may see",
    }
}
pub(crate) fn strategy(strategy: ConsensusStrategy) -> &'static str {
    match strategy {
        ConsensusStrategy::Judge => "judge",
        ConsensusStrategy::Vote => "vote",
        ConsensusStrategy::RankedReasons => "rankings by the judge, with reasons",
        ConsensusStrategy::MediatorSummary => "the moderator's synthesis; nobody wins",
        ConsensusStrategy::AgentClosing => "nobody: everybody closes",
        ConsensusStrategy::NoConsensus => "nobody: the perspectives are kept",
    }
}
pub(crate) fn scope(scope: ContextScope) -> &'static str {
    match scope {
        ContextScope::FullLog => "the whole log",
        ContextScope::LastNTurns => "the last speeches",
        ContextScope::SummaryOnly => "a summary and the last round",
        ContextScope::PersonaScoped => "one's own speeches, those that address one, and the moderator's",
    }
}
pub(crate) fn purpose(purpose: BidPurpose) -> &'static str {
    match purpose {
        BidPurpose::Floor => "bid for the floor",
        BidPurpose::Reaction => "bid to react",
        BidPurpose::Circle => "bid for the inner circle",
        BidPurpose::Interruption => "bid to interrupt",
        BidPurpose::Point => "point of information offered",
    }
}
pub(crate) fn conclusion(conclusion: Conclusion) -> &'static str {
    match conclusion {
        Conclusion::Reconciliation => "reconciliation",
        Conclusion::Summary => "closing summary",
        Conclusion::Decision => "decision of the moderator",
    }
}
pub(crate) fn step(step: Step) -> &'static str {
    match step {
        Step::Research => "research",
        Step::Admission => "who is to be heard",
        Step::Speaking => "speeches",
        Step::Interjection => "interjection of the moderator",
        Step::Replies => "answers to the moderator",
        Step::Scores => "scores of the speeches",
        Step::Votes => "votes of the round",
        Step::Measure => "similarity",
        Step::Enough => "whether enough was said",
        Step::Notes => "notes of the debaters",
        Step::Summary => "summary of the past",
        Step::Reconciliation => "reconciliation",
        Step::Conclusion => "closing summary",
    }
}
pub(crate) fn method(method: Method) -> &'static str {
    match method {
        Method::Embeddings => "by embeddings",
        Method::Words => "by words",
        Method::WordsInstead => "by words, because the embeddings could not be had",
    }
}
pub(crate) fn on_turn_failure(policy: OnTurnFailure) -> &'static str {
    match policy {
        OnTurnFailure::Skip => "leave the seat empty",
        OnTurnFailure::Abort => "end the debate",
    }
}
pub(crate) fn quorum(quorum: Quorum) -> String {
    match quorum {
        Quorum::Majority => "more than half of a round's seats".to_owned(),
        Quorum::All => "every seat of a round".to_owned(),
        Quorum::AtLeast(1) => "at least one seat of a round".to_owned(),
        Quorum::AtLeast(n) => format!("at least {n} seats of a round"),
    }
}
