//! What the speakers were told of earlier debates.
use crate::markdown::escape::inline;
use crate::words;
use agon_core::{Admission, PastDebate};

/// One line of safe Markdown for each earlier debate, the most similar first.
pub(crate) fn lines(admission: &Admission) -> Vec<String> {
    admission.history.iter().map(line).collect()
}

/// `**Buy trams?** (debate buses, 3 May 2026, 10:00 UTC): Decided, won by yes. The verdict.`
fn line(past: &PastDebate) -> String {
    let (topic, id, day) = (inline(&past.topic), inline(past.id.name()), words::day(past.admitted));
    let winner = past.winner.as_ref().map(|winner| format!(", won by {}", inline(winner))).unwrap_or_default();
    let verdict = past.verdict.as_ref().map(|verdict| format!(" {}", inline(verdict))).unwrap_or_default();
    format!("**{topic}** (debate {id}, {day}): {}{winner}.{verdict}", words::outcome(past.outcome))
}
