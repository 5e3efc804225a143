//! What the speakers were told of earlier debates.
use crate::markdown::escape::inline;
use crate::text::sentence;
use crate::words;
use agon_core::{Admission, FailedArgument, Failing, PastDebate};

/// One line of safe Markdown for each earlier debate, the most similar first.
pub(crate) fn lines(admission: &Admission) -> Vec<String> {
    admission.history.iter().map(line).collect()
}

/// `**Buy trams?** (debate buses, 3 May 2026, 10:00 UTC): Decided, won by yes. The verdict.`
fn line(past: &PastDebate) -> String {
    let (topic, id, day) = (inline(&past.topic), inline(past.id.name()), words::day(past.admitted));
    let winner = past.winner.as_ref().map(|winner| format!(", won by {}", inline(winner))).unwrap_or_default();
    let verdict = past.verdict.as_ref().map(|verdict| format!(" {}", inline(verdict))).unwrap_or_default();
    let failed: Vec<String> = past.failed.iter().map(failed).collect();
    let failed = if failed.is_empty() { String::new() } else { format!(" Failed there: {}.", failed.join("; ")) };
    let told = sentence(&format!("**{topic}** (debate {id}, {day}): {}{winner}", past.outcome.label()));
    format!("{told}{verdict}{failed}")
}

/// `“Trams are cheap” (lost)`
fn failed(failed: &FailedArgument) -> String {
    let how = match failed.how {
        Failing::Conceded => "an objection that the author of the proposal accepted",
        Failing::Left => "a position that its holder left in the last ballot",
        Failing::Lost => "a position that lost",
    };
    format!("“{}” ({how})", inline(&failed.text))
}
