//! Who agreed with, attacked and convinced whom.
use super::attacks::speakers;
use super::ballots::HeldAnswers;
use super::{AnalysisFacts, ShownFloor};
use crate::tree::Relation;
use agon_core::tally::same_answer;
use serde::Serialize;
use std::collections::BTreeMap;

/// What one debater was to another. A pair of whom all counts are 0 and neither agreement nor conviction is known is left
/// out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DebaterRelation {
    /// Who acts.
    pub from: String,
    /// Upon whom.
    pub to: String,
    /// Edges of the argument tree from speeches of the one to speeches of the other that attack. These four counts are
    /// absent where the debate file keeps the debaters' words out of reports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attacks: Option<u32>,
    /// Such edges that support.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub supports: Option<u32>,
    /// Such edges that ask.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub questions: Option<u32>,
    /// Such edges that answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<u32>,
    /// Whether the last ballot of `to` differs from its first and is what `from` stood for from the start (its own proposal
    /// where ballots name the authors of proposals, else its stance, or without one its first ballot), and `to` did not. That it was the words of `from` that did it is not known. Absent
    /// where `to` has not cast both ballots, or it is unknown what `from` stood for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub convinced: Option<bool>,
    /// Whether the final ballots of both are the same; absent where one of them is missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agreed: Option<bool>,
}

impl DebaterRelation {
    fn tells(&self) -> bool {
        let counts = [self.attacks, self.supports, self.questions, self.answers];
        counts.into_iter().flatten().any(|n| n > 0) || self.convinced == Some(true) || self.agreed == Some(true)
    }
}

/// Attacks, supports, questions, answers.
type EdgeCounts = [u32; 4];

pub(super) fn of(facts: &AnalysisFacts<'_, '_>) -> Vec<DebaterRelation> {
    let counts = facts.floor.as_ref().map(counts);
    let pairs = facts.held.iter().flat_map(|from| facts.held.iter().map(move |to| (from, to)));
    pairs
        .filter(|(from, to)| from.debater != to.debater)
        .map(|(from, to)| relationship(from, to, counts.as_ref()))
        .filter(DebaterRelation::tells)
        .collect()
}

fn relationship(
    from: &HeldAnswers<'_>,
    to: &HeldAnswers<'_>,
    counts: Option<&BTreeMap<(&str, &str), EdgeCounts>>,
) -> DebaterRelation {
    let counts = counts.map(|counts| counts.get(&(from.debater, to.debater)).copied().unwrap_or_default());
    let [attacks, supports, questions, answers] = match counts {
        Some(counts) => counts.map(Some),
        None => [None; 4],
    };
    DebaterRelation {
        from: from.debater.to_owned(),
        to: to.debater.to_owned(),
        attacks,
        supports,
        questions,
        answers,
        convinced: convinced(from, to),
        agreed: from.last.zip(to.last).map(|(one, other)| same_answer(one, other)),
    }
}

fn counts<'m>(floor: &ShownFloor<'m>) -> BTreeMap<(&'m str, &'m str), EdgeCounts> {
    let speakers = speakers(floor.tree);
    let mut counts: BTreeMap<(&str, &str), EdgeCounts> = BTreeMap::new();
    for edge in &floor.tree.edges {
        let Some((from, to)) = speakers.get(&edge.from).zip(speakers.get(&edge.to)) else { continue };
        let [attacks, supports, questions, answers] = counts.entry((from, to)).or_default();
        let count = match edge.relation {
            Relation::Attacks => attacks,
            Relation::Supports => supports,
            Relation::Asks => questions,
            Relation::Answers => answers,
            Relation::Revises => continue,
        };
        *count = count.saturating_add(1);
    }
    counts
}

fn convinced(from: &HeldAnswers<'_>, to: &HeldAnswers<'_>) -> Option<bool> {
    let (moved, wanted) = (to.moved()?, from.stood_for?);
    let own = to.stood_for.is_some_and(|own| same_answer(own, wanted));
    Some(moved.is_some_and(|(_, last)| same_answer(last, wanted)) && !own)
}
