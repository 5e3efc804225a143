//! Where everybody who ranks puts each candidate, with the points as they are counted.
use crate::minutes::{Minutes, MinutesEntry, VoteTally};
use crate::words;
use agon_core::BallotForm;
use agon_core::tally::same_answer;

/// Rankings that stand side by side at most.
const MOST_RANKINGS: usize = 24;

/// Candidates by rankings.
pub(crate) struct RankMatrix {
    /// Whose ranking, on which order of presentation where a judge read several.
    pub(crate) rankers: Vec<String>,
    /// The most points first.
    pub(crate) rows: Vec<RankRow>,
}

/// A candidate.
pub(crate) struct RankRow {
    pub(crate) candidate: String,
    /// Its place in each ranking, from 1; nothing where the ranking leaves it out.
    pub(crate) places: Vec<Option<usize>>,
    /// What it got, as it is counted.
    pub(crate) points: u32,
    pub(crate) won: bool,
}

impl RankRow {
    /// The mean of its places, to hundredths; nothing where nobody ranked it.
    pub(crate) fn mean(&self) -> Option<String> {
        let places: Vec<usize> = self.places.iter().flatten().copied().collect();
        let sum: usize = places.iter().sum();
        (!places.is_empty()).then(|| format!("{:.2}", sum as f64 / places.len() as f64))
    }
}

/// The matrix of the rankings that were counted; nothing where votes were no rankings.
pub(super) fn matrix(minutes: &Minutes<'_>, tally: &VoteTally<'_>) -> Option<RankMatrix> {
    let rankings = match tally.rule {
        None => judges(minutes),
        Some(rule) if rule.form() == BallotForm::Ranking => voters(minutes),
        Some(_) => return None,
    };
    if rankings.is_empty() || rankings.len() > MOST_RANKINGS {
        return None;
    }
    let row = |(name, n): &(String, u32)| RankRow {
        candidate: name.clone(),
        places: rankings.iter().map(|(_, ranked)| place(ranked, name)).collect(),
        points: *n,
        won: tally.winner.is_some_and(|winner| same_answer(winner, name)),
    };
    let rows = tally.counts.iter().map(row).collect();
    Some(RankMatrix { rows, rankers: rankings.into_iter().map(|(name, _)| name).collect() })
}

fn place(ranked: &[&str], name: &str) -> Option<usize> {
    ranked.iter().position(|one| same_answer(one, name)).map(|at| at.saturating_add(1))
}

/// Whose ranking, and the candidates in its order.
type NamedRanking<'m> = (String, Vec<&'m str>);

fn judges<'m>(minutes: &'m Minutes<'_>) -> Vec<NamedRanking<'m>> {
    let several = minutes.admission.spec.judge.as_ref().is_some_and(|judge| judge.orders > 1);
    let named = |judge: &str, order: u32| match several {
        true => format!("{}, order {}", words::office(judge), order.saturating_add(1)),
        false => words::office(judge).to_owned(),
    };
    let ranked = minutes.rankings().map(|(entry, order, ranking)| {
        (named(entry.participant, order), ranking.iter().map(|one| one.candidate.as_str()).collect())
    });
    ranked.collect()
}

fn voters<'m>(minutes: &'m Minutes<'_>) -> Vec<NamedRanking<'m>> {
    let every_round = minutes.admission.spec.voting.is_some_and(|voting| voting.every_round);
    let named = |entry: &MinutesEntry<'_>| match every_round {
        true => format!("{}, {}", words::who(entry.participant), minutes.place(entry.turn.round)),
        false => words::who(entry.participant).to_owned(),
    };
    let ranked = minutes.votes().map(|(entry, vote)| (named(entry), vote.choices.iter().map(String::as_str).collect()));
    ranked.collect()
}
