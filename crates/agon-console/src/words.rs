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

/// Every outcome: of a debate that ended with one, tables show it in place of the state.
pub(crate) const OUTCOMES: [Outcome; 4] = [Outcome::Decided, Outcome::Degraded, Outcome::Tie, Outcome::Inconclusive];

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

/// Tokens; at least these where some calls did not report all of theirs, and nothing known where none reported any.
pub(crate) fn tokens(sum: u64, unknown_calls: u64) -> Option<String> {
    match (sum, unknown_calls) {
        (_, 0) => Some(number(sum)),
        (0, _) => None,
        (..) => Some(format!("≥ {}", number(sum))),
    }
}

/// What calls have cost, by currency; at least that where the cost of some is unknown. Nothing where no price is known.
pub(crate) fn cost<U: AsRef<str>>(amounts: impl IntoIterator<Item = (f64, U)>, unknown_calls: u64) -> Option<String> {
    let at_least = unknown_calls > 0;
    let least = if at_least { "≥ " } else { "" };
    let one = |(amount, unit): (f64, U)| {
        format!("{least}{} {}", agon_core::money(amount, at_least), agon_report::one_line(unit.as_ref()))
    };
    let told: Vec<String> = amounts.into_iter().map(one).collect();
    (!told.is_empty()).then(|| told.join(", "))
}

/// What a debate has come to, on one line: `decided: Invest now`, or its state.
pub(crate) fn came_to(debate: &pb::Debate) -> String {
    let word = outcome(debate).unwrap_or_else(|| state(debate.state()));
    match debate.winner.as_deref() {
        Some(winner) => format!("{word}: {}", agon_report::one_line(winner)),
        None => word.to_owned(),
    }
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

    #[test]
    fn what_is_partly_known_is_a_lower_bound_and_what_is_unknown_is_no_figure() {
        assert_eq!(tokens(0, 0).as_deref(), Some("0"));
        assert_eq!(
            [tokens(0, 2), tokens(1_200, 0), tokens(1_200, 1)].map(Option::unwrap_or_default),
            ["", "1,200", "≥ 1,200"]
        );
        assert_eq!(cost([(0.0073, "EUR")], 0).as_deref(), Some("0.00730 EUR"));
        assert_eq!(cost([(0.0079999, "EUR"), (1.999, "USD")], 1).as_deref(), Some("≥ 0.00799 EUR, ≥ 1.99 USD"));
        let listed = agon_report::Expense::unit("USD", Some("2026-11-20, x 1"));
        assert_eq!(cost([(2.0, listed)], 0).as_deref(), Some("2.00 USD (list prices of 2026-11-20, x 1)"));
        assert_eq!(cost::<&str>([], 3), None);
    }
}
