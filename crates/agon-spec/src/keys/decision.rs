//! The keys of judge and vote.
use super::persona::with_voice;
use super::{Key, KeyTable, Shape};
use crate::slot::row;
use agon_core::{DebateSpec, SelfVotes, VoteRule, Voters, Voting};

pub(crate) static JUDGE: KeyTable = KeyTable {
    title: "judge",
    about: "The judge, or the panel: of `consensus_strategy: judge` and `ranked_reasons`, of a vote with `voters: judges`, \
            and of `ends_rounds`.",
    keys: JUDGE_KEYS,
    elsewhere: &[
        ("confidence", "the certainty that a model states is never used"),
        ("panel_size", "write `panel`"),
        ("visible", "write `visible: {judge: ...}` at the top level"),
        ("weight", "the judges of a panel count alike"),
    ],
};

#[rustfmt::skip] // a table: what a value is, then what it means, then when it counts
const JUDGE_KEYS: &[Key] = with_voice!([
    row!(Judge, orders, Shape::Integer { min: 1, max: 2 }, "2",
        "2: the judge reads one order and its reverse, and a winner counts only if both agree; 1: a single reading.")
        .needs("`consensus_strategy: judge` or `ranked_reasons`", &["consensus_strategy", "voting.voters"],
            |spec| spec.consensus_strategy.is_judged()),
    row!(Judge, anonymize_transcript, Shape::Flag, "true", "Whether speakers become Speaker A, B, ..."),
    row!(Judge, shuffle_for_judge, Shape::Flag, "true; false in bp_style",
        "Whether the order inside each round is permuted, from the seed. In `bp_style`, judges read in speaking order \
         without it."),
    row!(Judge, panel, Shape::Integer { min: 1, max: 9 }, "1",
        "The number of judges. A winner needs more than half of them. A panel of one model family causes a warning.")
        .needs("`consensus_strategy: judge` or `ranked_reasons`, or `voters: judges`",
            &["consensus_strategy", "voting.voters"],
            |spec| spec.consensus_strategy.is_judged() || has_vote(spec, |voting| voting.voters == Voters::Judges)),
    row!(Judge, panel_models, Shape::Lines, "all have the judge's",
        "The models of the second judge and of those after it, in turn.")
        .quiet()
        .needs("a `panel` of 2 or more", &["judge.panel"],
            |spec| spec.judge.as_ref().is_none_or(|judge| judge.panel > 1)),
    row!(Judge, ends_rounds, Shape::Flag, "false",
        "After each round the judge decides whether enough was said, and may end the rounds."),
    row!(Judge, instructions, Shape::Template, "", "Added to its prompt; may hold variables."),
], row!(Voice, temperature, Shape::Number { min: 0.0, max: 2.0 }, "0", "Sampling temperature."), "1500", []);

pub(crate) static VOTING: KeyTable = KeyTable {
    title: "voting",
    about: "The vote of `consensus_strategy: vote`. Shares are of the eligible voters, including those that fail.",
    keys: &[
        row!(
            Voting,
            rule,
            Shape::Choice(&VoteRule::CHOICES),
            "majority; plurality in poll",
            "What is voted on, and what a winner must reach. In a `poll` each sample is a vote for its answer."
        ),
        row!(
            Voting,
            self_votes,
            Shape::Choice(&SelfVotes::CHOICES),
            "exclude; allow with fewer than 3 candidates",
            "Whether a debater may vote for its own side; excluding it takes 3 candidates."
        )
        .needs(
            "debaters who vote for sides; here `voters` or `rule` decides it",
            &["voting.voters", "voting.rule"],
            |spec| {
                let votes = |voting: Voting| voting.voters == Voters::Debaters && !voting.rule.is_scored();
                !spec.is_poll() && spec.voting.is_none_or(votes)
            },
        ),
        row!(Voting, voters, Shape::Choice(&Voters::CHOICES), "debaters", "Who votes."),
        row!(
            Voting,
            every_round,
            Shape::Flag,
            "false",
            "A vote after every round instead of one at the end; all of them count together."
        )
        .quiet(),
    ],
    elsewhere: &[
        ("anonymous_scoring", "write `rule: anonymous_scoring`"),
        ("weights", "write `rule: weighted`, and `weight` or `elo` and `calibration` in the personas"),
    ],
};

pub(super) fn has_vote(spec: &DebateSpec, is: fn(Voting) -> bool) -> bool {
    spec.voting.is_some_and(is)
}
