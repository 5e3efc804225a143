//! The count of the votes, and what it was made of.
use super::outcome::{BallotView, ballot};
use crate::minutes::{Minutes, Tally};
use crate::text::one_line;
use crate::words;
use agon_core::VoteRule;

pub(super) struct Votes {
    pub(super) rule: &'static str,
    /// Whether these are rankings by judges.
    pub(super) rankings: bool,
    pub(super) weights: Vec<(String, String)>,
    pub(super) scores: Vec<ScoreRow>,
    pub(super) received: u32,
    pub(super) eligible: u32,
    pub(super) winner: Option<String>,
    pub(super) counts: Vec<Count>,
    pub(super) votes: Vec<BallotView>,
}
pub(super) struct ScoreRow {
    pub(super) by: String,
    pub(super) of: String,
    pub(super) figures: Vec<u32>,
}
pub(super) struct Count {
    pub(super) name: String,
    pub(super) got: String,
    pub(super) percent: u32,
    pub(super) won: bool,
}

pub(super) fn votes(minutes: &Minutes<'_>) -> Option<Votes> {
    let tally = minutes.tally?;
    let whole = whole(&tally);
    let percent = |n: u32| u64::from(n).saturating_mul(100).checked_div(whole).unwrap_or(0).min(100) as u32;
    let counts = tally.counts.iter().map(|(name, votes)| Count {
        name: one_line(name),
        got: words::got(tally.rule, *votes),
        percent: percent(*votes),
        won: tally.winner == Some(name.as_str()),
    });
    Some(Votes {
        rule: tally.rule.map_or("the points of all rankings", words::rule),
        rankings: tally.rule.is_none(),
        weights: weights(&tally),
        scores: scores(minutes),
        received: tally.received,
        eligible: tally.eligible,
        winner: tally.winner.map(one_line),
        counts: counts.collect(),
        votes: minutes.votes().map(|(entry, vote)| ballot(entry, vote)).collect(),
    })
}

/// What a whole bar stands for, in the unit of the rule.
fn whole(tally: &Tally<'_>) -> u64 {
    let most = tally.counts.iter().map(|(_, n)| u64::from(*n)).max().unwrap_or(0);
    match tally.rule {
        Some(VoteRule::Weighted) => {
            let once = tally.weights.iter().map(|weight| u64::from(weight.thousandths)).sum::<u64>();
            // Where every round votes, each weight counts once a round.
            let rounds = u64::from(tally.eligible).checked_div(tally.weights.len() as u64).unwrap_or(1).max(1);
            once.saturating_mul(rounds).max(most)
        }
        Some(VoteRule::AnonymousScoring) => 40_000,
        None | Some(VoteRule::Borda) => {
            let others = (tally.counts.len() as u64).saturating_sub(1);
            others.saturating_mul(tally.eligible.into()).max(most)
        }
        Some(
            VoteRule::Majority
            | VoteRule::Supermajority
            | VoteRule::Unanimous
            | VoteRule::Plurality
            | VoteRule::Approval,
        ) => tally.eligible.into(),
    }
}

fn weights(tally: &Tally<'_>) -> Vec<(String, String)> {
    tally.weights.iter().map(|weight| (one_line(weight.voter.as_str()), one_line(&words::weight(weight)))).collect()
}

fn scores(minutes: &Minutes<'_>) -> Vec<ScoreRow> {
    let rows = minutes.debater_scores().flat_map(|(entry, scores)| {
        scores.iter().map(move |score| ScoreRow {
            by: one_line(words::who(entry.participant)),
            of: one_line(score.debater.as_str()),
            figures: score
                .score
                .scales()
                .iter()
                .map(|(_, value)| u32::from(*value))
                .chain([score.score.total()])
                .collect(),
        })
    });
    rows.collect()
}
