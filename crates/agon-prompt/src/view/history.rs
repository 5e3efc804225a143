//! What everybody is told of earlier debates, as the data that it is.
use super::facts::outcome_name;
use crate::template::{self, fill};
use agon_core::fence::{Fence, FenceKind, Foreign, Mark, Written};
use agon_core::{FailedArgument, Failing, PastDebate, Timestamp};

/// The section on earlier debates; none where there is nothing to tell.
pub(crate) fn section(history: &[PastDebate], mark: &Mark) -> Option<Written> {
    if history.is_empty() {
        return None;
    }
    let mut section = fill(template::HISTORY, &[("marker", mark.into())]);
    section.push("\n");
    let mut fence = Fence::open(&mut section, FenceKind::EarlierDebates, mark);
    for (at, past) in history.iter().enumerate() {
        fence.ours(if at == 0 { "" } else { "\n" });
        push(&mut fence, past);
    }
    fence.close(FenceKind::EarlierDebates);
    Some(section)
}

/// A header that no text of others can forge, and below it what is known. The verdict comes last, because it alone may have lines.
fn push(fence: &mut Fence<'_>, past: &PastDebate) {
    fence.ours("### Debate of ").line(&Foreign::new(day(past.admitted)));
    fence.ours("\nTopic: ").line(&Foreign::new(past.topic.as_str()));
    fence.ours("\nOutcome: ").ours(outcome_name(past.outcome)).ours("\n");
    if let Some(winner) = &past.winner {
        fence.ours("Winner: ").line(&Foreign::new(winner.as_str())).ours("\n");
    }
    let heads = ["Raised before, and failed:\n", "Objections that were accepted:\n"];
    for (head, arguments) in heads.into_iter().zip([past.positions().collect(), past.objections().collect::<Vec<_>>()])
    {
        fence.ours(if arguments.is_empty() { "" } else { head });
        arguments.into_iter().for_each(|one| push_failed(fence, past.id.name(), one));
    }
    if let Some(verdict) = &past.verdict {
        fence.ours("Verdict:\n").text(&Foreign::new(&**verdict)).ours("\n");
    }
}

/// Where it was raised and how it failed, and not by whom: the same names may sit in this debate.
fn push_failed(fence: &mut Fence<'_>, debate: &str, failed: &FailedArgument) {
    let how = match failed.how {
        Failing::Conceded => "accepted by the author of the proposal",
        Failing::Left => "a position that its holder left in the last ballot",
        Failing::Lost => "a position that lost",
    };
    fence.ours("- in debate ").line(&Foreign::new(debate)).ours(", ").ours(how).ours(": ");
    fence.line(&Foreign::new(&*failed.text)).ours("\n");
}

/// The day in UTC.
fn day(at: Timestamp) -> String {
    let moment = i64::try_from(at.0).ok().and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok());
    moment.unwrap_or(jiff::Timestamp::MAX).strftime("%Y-%m-%d").to_string()
}
