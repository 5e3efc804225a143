//! Numbers and moments as people read them.
use agon_core::Outcome;
pub(crate) use agon_core::thousands as number;
use agon_proto::pb::v1 as pb;
pub(crate) use agon_report::duration;
use jiff::Timestamp;
use pb::debate::State;

/// How long ago, in its largest unit.
pub(crate) fn age(ms: u64) -> String {
    let s = ms / 1000;
    match s {
        0..10 => "just now".to_owned(),
        10..60 => format!("{s} s ago"),
        60..3_600 => format!("{} min ago", s / 60),
        3_600..86_400 => format!("{} h ago", s / 3_600),
        _ => format!("{} d ago", s / 86_400),
    }
}

/// Milliseconds since 1970 of a moment.
pub(crate) fn millis(at: &prost_types::Timestamp) -> u64 {
    let ms = at.seconds.saturating_mul(1000).saturating_add(i64::from(at.nanos) / 1_000_000);
    u64::try_from(ms).unwrap_or(0)
}

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    u64::try_from(Timestamp::now().as_millisecond()).unwrap_or(0)
}

/// A moment in RFC 3339, to the second.
pub(crate) fn moment(ms: u64) -> String {
    let at = i64::try_from(ms / 1000).ok().and_then(|s| Timestamp::from_second(s).ok());
    at.map(|at| at.to_string()).unwrap_or_default()
}

/// Every state, as filters and tables name it.
pub(crate) const STATES: [(State, &str); 9] = [
    (State::Queued, "queued"),
    (State::Running, "running"),
    (State::Cancelling, "cancelling"),
    (State::Paused, "paused"),
    (State::Interrupted, "interrupted"),
    (State::Succeeded, "succeeded"),
    (State::Failed, "failed"),
    (State::Cancelled, "cancelled"),
    (State::Lost, "lost"),
];

/// A state in a word.
pub(crate) fn state(state: State) -> &'static str {
    STATES.iter().find(|(known, _)| *known == state).map_or("unknown", |(_, word)| word)
}

/// Whether a debate in this state may still go on.
pub(crate) fn is_open(state: State) -> bool {
    match state {
        State::Queued | State::Running | State::Cancelling | State::Paused | State::Interrupted => true,
        State::Unspecified | State::Succeeded | State::Failed | State::Cancelled | State::Lost => false,
    }
}

/// The outcome of a debate in a word.
pub(crate) fn outcome(debate: &pb::Debate) -> Option<&'static str> {
    Outcome::try_from(debate.outcome()).ok().map(Outcome::as_str)
}

/// Who is against the winner, in words; nothing where nobody is.
pub(crate) fn dissent(dissent: &pb::debate::Dissent) -> Option<String> {
    use pb::debate::dissent::Among;
    let among = match dissent.among() {
        Among::Judges => "judges",
        Among::Votes => "votes",
        Among::Ballots => "ballots",
        Among::Unspecified => "voices",
    };
    (dissent.against > 0).then(|| format!("{} of {} {among} against", dissent.against, dissent.of))
}

/// The tokens of a debate; more than these where some calls did not tell theirs.
pub(crate) fn tokens(usage: &pb::debate::Usage) -> String {
    let sum = usage.prompt_tokens.saturating_add(usage.completion_tokens);
    match (usage.calls, usage.unknown_calls) {
        (0, 0) => "0".to_owned(),
        (0, _) => "–".to_owned(),
        (_, 0) => number(sum),
        (..) => format!("≥ {}", number(sum)),
    }
}

/// What the calls of a debate have cost, by currency; nothing where no price is known.
pub(crate) fn cost(expenses: &pb::debate::Expenses) -> Option<String> {
    let least = if expenses.unknown_calls > 0 { "≥ " } else { "" };
    let told =
        expenses.amounts.iter().map(|one| format!("{least}{:.2} {}", one.amount, agon_report::one_line(&one.currency)));
    Some(told.collect::<Vec<_>>().join(", ")).filter(|told| !told.is_empty())
}

/// How long a debate has taken, or took: without the time in which nobody played it.
pub(crate) fn taken(debate: &pb::Debate, now: u64) -> Option<u64> {
    let from = debate.start_time.as_ref().map(millis)?;
    let to = match &debate.end_time {
        Some(end) => millis(end),
        None if debate.state() == State::Running || debate.state() == State::Cancelling => now,
        None => debate.update_time.as_ref().map(millis)?,
    };
    Some(to.saturating_sub(from).saturating_sub(debate.paused_ms))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_the_units_that_matter() {
        assert_eq!(
            [5, 15_000, 65_000, 3_660_000, 90_000_000].map(age),
            ["just now", "15 s ago", "1 min ago", "1 h ago", "1 d ago"]
        );
    }
}
