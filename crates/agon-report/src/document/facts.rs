//! What a reader asks right after the winner: who changed its mind, what nobody answered, where judges differed.
//!
//! Each fact is there where the log says it. What is unknown has no fact, and nothing is said to be so because it is unknown.
mod changes;
mod judges;

use crate::analysis::Analysis;
use crate::block::UnansweredObjection;
use crate::minutes::Minutes;
use crate::words::count;
use agon_core::TurnId;

/// The label of what nobody answered, in facts and rows.
pub(crate) const LEFT_OPEN: &str = "Left open";

/// A fact with its label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyFact {
    pub(crate) label: &'static str,
    /// One at least.
    pub(crate) lines: Vec<FactLine>,
}

/// A sentence or a part of one, on one line. Hostile as far as it quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FactLine {
    pub(crate) text: String,
    /// The contribution that it is about.
    pub(crate) turn: Option<TurnId>,
}

impl FactLine {
    fn of(text: impl Into<String>) -> Self {
        Self { text: text.into(), turn: None }
    }
}

/// The facts that the log gives, in their order; none before the verdict.
pub(crate) fn facts(
    minutes: &Minutes<'_>,
    analysis: Option<&Analysis>,
    open: Option<&UnansweredObjection>,
) -> Vec<KeyFact> {
    if minutes.verdict.is_none() {
        return Vec::new();
    }
    let all = [
        ("Changed", changes::lines(minutes)),
        (LEFT_OPEN, open.map(|open| left_open(analysis, open)).unwrap_or_default()),
        ("Judges differ", judges::lines(minutes)),
    ];
    let facts = all.into_iter().map(|(label, lines)| KeyFact { label, lines });
    facts.filter(|fact| !fact.lines.is_empty()).collect()
}

/// The strongest objection against the winner, and how many attacks of all nobody answered.
fn left_open(analysis: Option<&Analysis>, open: &UnansweredObjection) -> Vec<FactLine> {
    let strongest = FactLine { text: open.brief.clone(), turn: open.turn };
    let standing = analysis.and_then(|analysis| analysis.disagreement.standing.as_ref());
    let known = usize::from(open.turn.is_some());
    let all = standing.filter(|standing| standing.total as usize > known).map(|standing| {
        let verb = if standing.total == 1 { "was" } else { "were" };
        FactLine::of(format!("{} of {} {verb} never answered", standing.total, count(standing.of.into(), "attack")))
    });
    [strongest].into_iter().chain(all).collect()
}
