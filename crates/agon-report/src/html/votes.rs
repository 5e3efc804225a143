//! How long the bars of a count are.
use crate::document::CountedVotes;
use crate::minutes::VoteTally;
use crate::words;
use agon_core::{VoteRule, VoteUnit};

impl CountedVotes<'_> {
    pub(super) fn rule(&self) -> &'static str {
        self.tally.rule.map_or("the points of all rankings", VoteRule::label)
    }
    pub(super) fn won(&self, name: &str) -> bool {
        self.tally.winner == Some(name)
    }
    pub(super) fn got(&self, n: &u32) -> String {
        words::got(self.tally.rule, *n)
    }
    /// What a candidate got, of 100.
    pub(super) fn percent(&self, n: &u32) -> u64 {
        u64::from(*n).saturating_mul(100).checked_div(whole(&self.tally)).unwrap_or(0).min(100)
    }
}

/// What a whole bar stands for, in the unit of the rule.
fn whole(tally: &VoteTally<'_>) -> u64 {
    let most = tally.counts.iter().map(|(_, n)| u64::from(*n)).max().unwrap_or(0);
    match tally.rule.map_or(VoteUnit::Points, VoteRule::unit) {
        VoteUnit::Weight => {
            let once = tally.weights.iter().map(|weight| u64::from(weight.thousandths)).sum::<u64>();
            // Where every round votes, each weight counts once a round.
            let rounds = u64::from(tally.eligible).checked_div(tally.weights.len() as u64).unwrap_or(1).max(1);
            once.saturating_mul(rounds).max(most)
        }
        VoteUnit::MeanScore => 40_000,
        VoteUnit::Points => {
            let others = (tally.counts.len() as u64).saturating_sub(1);
            others.saturating_mul(tally.eligible.into()).max(most)
        }
        VoteUnit::Votes | VoteUnit::Approvals => tally.eligible.into(),
    }
}
