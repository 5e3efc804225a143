//! What everybody is told of earlier debates, as the data that it is.
use crate::template::{self, fill};
use crate::text::{quoted_line, shown};
use agon_core::{FailedArgument, Failing, Outcome, PastDebate, Timestamp};

/// The section on earlier debates; none where there is nothing to tell.
pub(super) fn section(history: &[PastDebate], marker: &str) -> Option<String> {
    if history.is_empty() {
        return None;
    }
    let debates: Vec<String> = history.iter().map(told).collect();
    Some(fill(template::HISTORY, &[("marker", marker), ("debates", &debates.join("\n\n"))]))
}

/// A header that no text of others can forge, and below it what is known. The verdict comes last, because it alone may have lines.
fn told(past: &PastDebate) -> String {
    let mut text = format!("### Debate of {}\n", day(past.admitted));
    let topic = quoted_line(&past.topic);
    let winner = past.winner.as_deref().map(quoted_line);
    let verdict = past.verdict.as_deref().map(shown);
    let raised: String = past.failed.iter().map(|one| failed(past.id.name(), one)).collect();
    let raised = raised.trim_end().to_owned();
    let lines = [
        ("Topic: ", Some(topic.as_str())),
        ("Outcome: ", Some(outcome(past.outcome))),
        ("Winner: ", winner.as_deref()),
        ("Raised before, and failed:\n", (!raised.is_empty()).then_some(raised.as_str())),
        ("Verdict:\n", verdict.as_deref()),
    ];
    for (key, value) in lines {
        if let Some(value) = value {
            text.extend([key, value, "\n"]);
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// Where it was raised and how it failed, and not by whom: the same names may sit in this debate.
fn failed(debate: &str, failed: &FailedArgument) -> String {
    let how = match failed.how {
        Failing::Conceded => "an objection that the author of the proposal accepted",
        Failing::Left => "a position that its holder left in the last ballot",
        Failing::Lost => "a position that lost",
    };
    format!("- in debate {debate}, {how}: {}\n", quoted_line(&failed.text))
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Decided => "decided",
        Outcome::Degraded => "decided, with seats missing",
        Outcome::Tie => "tie",
        Outcome::Inconclusive => "inconclusive",
    }
}

/// The day in UTC.
fn day(at: Timestamp) -> String {
    let moment = i64::try_from(at.0).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    moment.unwrap_or(jiff::Timestamp::MAX).strftime("%Y-%m-%d").to_string()
}
