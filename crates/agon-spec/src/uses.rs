//! Which keys a debate reads at all. The others may not stand in its file, and its normal form leaves them out.
use agon_core::{
    ConsensusStrategy, ContextScope, DebateFormat, DebateSpec, Interruptions, Memory, Topology, VoteRule, Voters,
};

/// What each key needs, in the words of the file.
pub(crate) const NEEDS: &[(&str, &str)] = &[
    ("allow_shared_stance", "a format other than `bp_style`, whose teams are the stances"),
    ("inner_circle", "`debate_format: fishbowl`"),
    ("interruptions", "`debate_format: open_fight`"),
    ("interruption_threshold", "`interruptions: turn_boundary` or `mid_speech`"),
    ("points_of_information", "`debate_format: bp_style`"),
    ("topology", "`debate_format: critique_revision`"),
    ("hub", "`topology: star`"),
    ("direction", "`topology: star`"),
    ("density", "`topology: sparse`"),
    ("context_turns", "`context_scope: last_n_turns`"),
    ("memory_window", "`memory: rolling_window`"),
    ("window_step", "`context_scope: last_n_turns` or `memory: rolling_window`"),
    ("summarize_every", "`memory: summarize_past`, and a scope other than `summary_only`, which sums up every round"),
    ("summarizer", "`memory: summarize_past` or `context_scope: summary_only`"),
    ("similarity_threshold", "an `end_condition` that compares speeches, or `debate_format: critique_revision`"),
    ("judge.orders", "`consensus_strategy: judge` or `ranked_reasons`"),
    ("judge.panel", "`consensus_strategy: judge` or `ranked_reasons`, or `voters: judges`"),
    ("judge.panel_models", "a `panel` of 2 or more"),
    ("voting.self_votes", "debaters who vote for sides; here it is settled by `voters` or `rule`"),
    ("moderator.interject", "one of the duties `interjects`, `warns`, `clarifies` and `reflects`"),
    ("confidence", "`ballots`, or votes with a rule other than `anonymous_scoring`"),
    ("weigh_by_confidence", "`confidence: true`, and `rule: weighted` without `every_round`"),
    ("failed_arguments", "a `history_limit` of 1 or more"),
    (
        "moderator.summary_style",
        "one of the duties `closes`, `reconciles` and `concludes`, `interject: midpoint` with `interjects`, or `consensus_strategy: mediator_summary`",
    ),
];

pub(crate) struct Uses<'a>(pub &'a DebateSpec);
impl Uses<'_> {
    /// Whether the debate reads the key; true of all that [`NEEDS`] does not list.
    pub fn key(&self, path: &str) -> bool {
        let spec = self.0;
        let (format, scope) = (spec.debate_format, spec.context_scope);
        let critiques = format == DebateFormat::CritiqueRevision;
        match path {
            "allow_shared_stance" => format != DebateFormat::BpStyle,
            "inner_circle" => format == DebateFormat::Fishbowl,
            "interruptions" => format == DebateFormat::OpenFight,
            "interruption_threshold" => {
                format == DebateFormat::OpenFight && spec.format.interruptions != Interruptions::Off
            }
            "points_of_information" => format == DebateFormat::BpStyle,
            "topology" => critiques,
            "hub" | "direction" => critiques && spec.format.topology == Topology::Star,
            "density" => critiques && spec.format.topology == Topology::Sparse,
            "context_turns" => scope == ContextScope::LastNTurns,
            "memory_window" => spec.memory == Memory::RollingWindow,
            "window_step" => scope == ContextScope::LastNTurns || spec.memory == Memory::RollingWindow,
            "summarize_every" => spec.memory == Memory::SummarizePast && scope != ContextScope::SummaryOnly,
            "summarizer" => spec.summarizer.is_some(),
            "similarity_threshold" => critiques || spec.end_condition.iter().any(|rule| rule.compares()),
            "judge.orders" => spec.consensus_strategy.is_judged(),
            "judge.panel" => spec.consensus_strategy.is_judged() || self.judges_vote(),
            "judge.panel_models" => spec.judge.as_ref().is_none_or(|judge| judge.panel > 1),
            "voting.self_votes" => spec
                .voting
                .is_none_or(|voting| voting.voters == Voters::Debaters && voting.rule != VoteRule::AnonymousScoring),
            "confidence" => spec.ballots != agon_core::Ballots::None || self.casts_votes(),
            "weigh_by_confidence" => {
                let once = |voting: agon_core::Voting| voting.rule == VoteRule::Weighted && !voting.every_round;
                spec.answers.confidence && spec.voting.is_some_and(once)
            }
            "failed_arguments" => spec.history_limit > 0,
            "moderator.interject" => spec.moderator.as_ref().is_none_or(agon_core::Moderator::has_interjections),
            "moderator.summary_style" => self.moderator_sums_up(),
            _ => true,
        }
    }
    fn casts_votes(&self) -> bool {
        self.0.voting.is_some_and(|voting| voting.rule != VoteRule::AnonymousScoring)
    }
    fn judges_vote(&self) -> bool {
        self.0.voting.is_some_and(|voting| voting.voters == Voters::Judges)
    }
    fn moderator_sums_up(&self) -> bool {
        let decides = self.0.consensus_strategy == ConsensusStrategy::MediatorSummary;
        let has_duty = |it: &agon_core::Moderator| it.closes || it.reconciles || it.concludes || it.sums_up_midway();
        decides || self.0.moderator.as_ref().is_none_or(has_duty)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{DEBATE, Shape};

    #[test]
    fn whatever_is_read_only_sometimes_is_a_key_and_is_not_read_by_a_plain_debate() {
        let source = crate::Source::new("a.yaml", "topic: t\nmodel: m\nmoderator: {type: judge}\n");
        let spec = crate::parse(&source, &crate::Defaults::default()).spec.unwrap();
        for (path, _) in NEEDS {
            let (block, key) = path.split_once('.').map_or((None, *path), |(block, key)| (Some(block), key));
            let table = block.map_or(&DEBATE, |block| match DEBATE.key(block).unwrap().shape {
                Shape::Map(table) | Shape::Switch(table) => table,
                _ => panic!("{block} is no mapping"),
            });
            assert!(table.key(key).is_some(), "{path}");
            let read = ["allow_shared_stance", "confidence", "judge.orders", "judge.panel", "voting.self_votes"]
                .contains(path);
            assert_eq!(Uses(&spec).key(path), read, "{path}");
        }
    }
}
