//! What makes no sense where nobody hears anybody.
use super::ProblemList;
use crate::spec::{
    Ballots, ConsensusStrategy, ContextScope, DebateSpec, EndCondition, MOST_SAMPLES, Memory, Mode, Scoring,
    Visibility, VoteRule, Voters,
};

pub(super) fn check(spec: &DebateSpec, found: &mut ProblemList) {
    let count = spec.personas.len();
    let least = if spec.is_poll() { 1 } else { 2 };
    found.require(count >= least, &["personas", "persona_count", "debate_format"], || {
        format!("`personas` must be a list of 2 to 16 debaters, found {count}; 1 is enough for `debate_format: poll`")
    });
    if !spec.is_poll() {
        return;
    }
    let samples = spec.format.samples;
    found.require((1..=MOST_SAMPLES).contains(&samples), &["samples", "debate_format"], || {
        format!("`samples` is {samples}; allowed are 1 to {MOST_SAMPLES}")
    });
    found.require(spec.mode == Mode::Deliberative, &["mode", "debate_format"], || {
        "the samples of a `poll` are own answers, not stances: write `mode: deliberative`, which is the default here".to_owned()
    });
    decision(spec, found);
    for (key, used) in unread(spec) {
        found.require(!used, &[key, "debate_format"], || {
            format!("`{key}` does nothing in a `poll`, in which nobody hears anybody: leave it out")
        });
    }
}

fn decision(spec: &DebateSpec, found: &mut ProblemList) {
    let decides = matches!(spec.consensus_strategy, ConsensusStrategy::Vote | ConsensusStrategy::Judge);
    found.require(decides, &["consensus_strategy", "debate_format"], || {
        format!(
            "`consensus_strategy: {}` is not possible in a `poll`; allowed are vote, judge",
            spec.consensus_strategy.as_str()
        )
    });
    let Some(voting) = spec.voting else { return };
    let rule = match voting.rule {
        VoteRule::Majority | VoteRule::Supermajority | VoteRule::Unanimous | VoteRule::Plurality => None,
        VoteRule::Borda | VoteRule::Approval | VoteRule::Weighted | VoteRule::AnonymousScoring => Some(voting.rule),
    };
    found.require(rule.is_none(), &["voting.rule", "debate_format"], || {
        let rule = rule.map_or("", VoteRule::as_str);
        format!("`rule: {rule}` is not possible in a `poll`, in which each sample is a vote for its answer; allowed are majority, supermajority, unanimous, plurality")
    });
    let usual = (voting.voters, voting.every_round) == (Voters::Debaters, false);
    found.require(usual, &["voting", "debate_format"], || {
        "in a `poll` nobody votes, because each sample is a vote for its answer: of `voting` give `rule` alone"
            .to_owned()
    });
}

/// The keys that nothing reads in a poll, and whether they are used.
fn unread(spec: &DebateSpec) -> [(&'static str, bool); 15] {
    [
        ("max_rounds", spec.max_rounds != 1),
        ("ballots", spec.ballots != Ballots::None),
        ("scoring", spec.scoring != Scoring::None),
        ("moderator", spec.moderator.is_some()),
        ("phases.opening_statements", !spec.phases.opening_statements),
        ("phases.final_statements", spec.phases.final_statements),
        ("phases.rebuttals", spec.phases.rebuttals),
        ("visibility", spec.visibility != Visibility::Simultaneous),
        ("context_scope", spec.context_scope != ContextScope::FullLog),
        ("memory", spec.memory != Memory::AppendAll),
        ("end_condition", spec.end_condition.iter().any(|rule| *rule != EndCondition::RoundsExhausted)),
        ("terminate_when", spec.terminate_when.is_some()),
        ("agreement_intensity", spec.agreement_intensity.is_some()),
        ("embedding_model", spec.similarity.embedding_model.is_some() && spec.history_limit == 0),
        ("priority", spec.personas.iter().any(|persona| persona.priority != 0)),
    ]
}
