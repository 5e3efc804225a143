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
    let part = |head: &str, arguments: Vec<String>| {
        if arguments.is_empty() { String::new() } else { format!(" {head}: {}.", arguments.join("; ")) }
    };
    let failed = part("Failed there", past.positions().map(argument).collect());
    let accepted = part("Objections accepted there", past.objections().map(argument).collect());
    let told = sentence(&format!("**{topic}** (debate {id}, {day}): {}{winner}", past.outcome.label()));
    format!("{told}{verdict}{failed}{accepted}")
}

/// `“Trams are cheap” (lost)`
fn argument(failed: &FailedArgument) -> String {
    let how = match failed.how {
        Failing::Conceded => "accepted by the author of the proposal",
        Failing::Left => "a position that its holder left in the last ballot",
        Failing::Lost => "a position that lost",
    };
    format!("“{}” ({how})", inline(&failed.text))
}
