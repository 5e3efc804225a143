//! The words of the reports: how moments, figures and the names of the core read for a person.
use agon_core::{
    BallotStage, Consensus, ConsensusStrategy, DebateFormat, DebateState, JUDGE, MODERATOR, MajorityShift, Memory,
    Mode, OnTurnFailure, Outcome, PhaseName, Quorum, ReasonCode, SkipReason, SpeechKind, StopRule, Strength, Timestamp,
    TurnMode, Visibility, VoteRule,
};

/// What stands on everything that came out of a rehearsal.
pub const REHEARSAL: &str = "Rehearsal: scripted speakers, no model said any of this";

/// RFC 3339 with milliseconds, UTC. Moments after the year 9999 read as its end.
pub(crate) fn rfc3339(at: Timestamp) -> String {
    moment(at).strftime("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
}
/// Day and minute, UTC.
pub(crate) fn day(at: Timestamp) -> String {
    moment(at).strftime("%-d %B %Y, %H:%M UTC").to_string()
}
/// Time of day with milliseconds, UTC.
pub(crate) fn clock(at: Timestamp) -> String {
    moment(at).strftime("%H:%M:%S%.3f").to_string()
}
fn moment(at: Timestamp) -> jiff::Timestamp {
    i64::try_from(at.0).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok()).unwrap_or(jiff::Timestamp::MAX)
}

/// A length of time, as exact as a reader needs it.
pub(crate) fn duration(ms: u64) -> String {
    let seconds = ms / 1000;
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{seconds}.{} s", ms % 1000 / 100),
        60_000..3_600_000 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}
/// A number with its thousands apart.
pub(crate) fn number(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
/// `1 call`, `2 calls`.
pub(crate) fn count(n: u64, one: &str) -> String {
    format!("{} {one}{}", number(n), if n == 1 { "" } else { "s" })
}
/// A known figure, or the sign for an unknown one.
pub(crate) fn known(n: Option<u64>, show: fn(u64) -> String) -> String {
    n.map_or_else(|| "–".to_owned(), show)
}

/// A participant's name as a reader knows it: offices are written like names.
pub(crate) fn who(participant: &str) -> &str {
    match participant {
        MODERATOR => "Moderator",
        JUDGE => "Judge",
        name => name,
    }
}

/// `2 of 3 eligible voters for “Invest now”`; where several answers share the top, that instead of one of them.
pub(crate) fn share(consensus: &Consensus) -> String {
    let voters = count(consensus.eligible.into(), "eligible voter");
    match &consensus.answer {
        Some(answer) => format!("{} of {voters} for “{answer}”", consensus.top),
        None => format!("{} of {voters} for each of several answers", consensus.top),
    }
}

pub(crate) fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Decided => "Decided",
        Outcome::Degraded => "Decided with missing seats",
        Outcome::Tie => "Tie",
        Outcome::Inconclusive => "Inconclusive",
    }
}
pub(crate) fn state(state: DebateState) -> &'static str {
    match state {
        DebateState::Succeeded => "Succeeded",
        DebateState::Failed => "Failed",
        DebateState::Cancelled => "Cancelled",
    }
}
pub(crate) fn reason(code: ReasonCode) -> &'static str {
    match code {
        ReasonCode::OrderSensitive => "the judge named another winner when the order of presentation was reversed",
        ReasonCode::JudgeIncomplete => "one of the judge's two readings could not be had",
        ReasonCode::JudgeFailed => "the judge could not be heard",
        ReasonCode::NoVotes => "no vote came in",
        ReasonCode::RuleNotMet => "no candidate met the rule of the vote",
        ReasonCode::Quorum => "too few speakers of a round could be heard",
        ReasonCode::TurnFailed => "a turn failed, and the debate file asks to end then",
        ReasonCode::TerminateWhen => "terminate_when could not be evaluated",
        ReasonCode::EmptyTranscript => "nobody said anything",
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
        StopRule::ModeratorDone => "the moderator called the last round",
        StopRule::ModeratorSettled => "the moderator held the question for settled",
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
        PhaseName::FinalBallots => "Final ballots",
        PhaseName::Decision => "Decision",
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
    }
}
pub(crate) fn skip(reason: SkipReason) -> &'static str {
    match reason {
        SkipReason::Budget => "the budget left no room for it",
    }
}
pub(crate) fn rule(rule: VoteRule) -> &'static str {
    match rule {
        VoteRule::Majority => "majority (more than one half of the eligible voters)",
        VoteRule::Supermajority => "supermajority (at least two thirds of the eligible voters)",
        VoteRule::Unanimous => "unanimous (every eligible voter)",
        VoteRule::Plurality => "plurality (more votes than any other)",
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
    }
}
pub(crate) fn turn_mode(mode: TurnMode) -> &'static str {
    match mode {
        TurnMode::RoundRobin => "in declared order",
        TurnMode::Random => "a fresh random order each round",
        TurnMode::PriorityOrder => "by priority",
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
    }
}
pub(crate) fn strategy(strategy: ConsensusStrategy) -> &'static str {
    match strategy {
        ConsensusStrategy::Judge => "judge",
        ConsensusStrategy::Vote => "vote",
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
        Quorum::AtLeast(n) => format!("at least {n} seats of a round"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_utc_with_milliseconds() {
        assert_eq!(rfc3339(Timestamp(1_767_323_045_007)), "2026-01-02T03:04:05.007Z");
        assert_eq!(rfc3339(Timestamp(0)), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn a_moment_out_of_range_is_clamped() {
        assert!(rfc3339(Timestamp(u64::MAX)).starts_with("9999-"));
    }

    #[test]
    fn durations_are_as_exact_as_their_size_asks_for() {
        assert_eq!(
            [999, 1_000, 59_999, 60_000, 3_600_000].map(duration),
            ["999 ms", "1.0 s", "59.9 s", "1 min 00 s", "1 h 00 min"]
        );
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(number), ["0", "999", "1,000", "1,234,567"]);
    }
}
