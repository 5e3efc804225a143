//! Who decides, how, and among what.
use super::ProblemList;
use crate::spec::{
    BallotForm, Ballots, ConsensusStrategy, DebateFormat, DebateSpec, EndCondition, Mode, Scoring, SelfVotes, Voters,
    Voting,
};

pub(super) fn check(spec: &DebateSpec, found: &mut ProblemList) {
    strategy(spec, found);
    judge(spec, found);
    if let Some(voting) = spec.voting {
        votes(spec, voting, found);
        self_votes(spec, voting, found);
    }
    scoring(spec, found);
    candidates(spec, found);
    weights(spec, found);
    confidence(spec, found);
}

fn confidence(spec: &DebateSpec, found: &mut ProblemList) {
    let votes = spec.voting.is_some_and(|voting| voting.rule.form() != BallotForm::Scores);
    let asked = votes || spec.ballots != Ballots::None || spec.is_poll() || spec.answers.confidence_at_least.is_some();
    found.require(!spec.answers.confidence || asked, &["confidence", "ballots"], || {
        "`confidence` needs ballots or votes, and this debate has neither".to_owned()
    });
    let least = spec.answers.confidence_at_least;
    found.require(least.is_none_or(|least| (1..=100).contains(&least)), &["confidence_at_least"], || {
        format!("`confidence_at_least` is {}; allowed are 1 to 100", least.unwrap_or_default())
    });
    let rests = spec.answers.confidence && spec.end_condition.contains(&EndCondition::ConsensusReached);
    found.require(least.is_none() || rests, &["confidence_at_least", "confidence", "end_condition"], || {
        "`confidence_at_least` needs `confidence: true` and the end condition `consensus_reached`, which rests on it".to_owned()
    });
    found.require(least.is_none() || spec.states_answers(), &["confidence_at_least", "embedding_model"], || {
        "`confidence_at_least` is about stated answers, and with assigned stances and an `embedding_model` nobody states any".to_owned()
    });
    let weighted = spec.voting.is_some_and(|voting| voting.rule.is_weighted() && !voting.every_round);
    let known = spec.answers.confidence && weighted;
    found.require(!spec.answers.weigh_by_confidence || known, &["weigh_by_confidence", "confidence", "voting.rule"], || {
        "`weigh_by_confidence` needs `confidence: true` and `voting: {rule: weighted}` without `every_round`: a voter has one weight"
            .to_owned()
    });
}

fn strategy(spec: &DebateSpec, found: &mut ProblemList) {
    let strategy = spec.consensus_strategy;
    let concludes = strategy == ConsensusStrategy::MediatorSummary;
    found.require(!concludes || spec.moderator.is_some(), &["consensus_strategy", "moderator"], || {
        "`consensus_strategy: mediator_summary` needs a moderator: its synthesis is the verdict".to_owned()
    });
    let closes = strategy == ConsensusStrategy::AgentClosing;
    found.require(!closes || spec.phases.final_statements, &["consensus_strategy", "phases.final_statements"], || {
        if spec.debate_format == DebateFormat::BpStyle {
            "`consensus_strategy: agent_closing` ends with final statements, which `bp_style` does not have; allowed \
             here: judge, vote, ranked_reasons, mediator_summary, no_consensus"
        } else {
            "`consensus_strategy: agent_closing` ends with final statements: switch `phases.final_statements` on"
        }
        .to_owned()
    });
    let votes = strategy == ConsensusStrategy::Vote;
    found.require(spec.voting.is_some() == votes, &["voting", "consensus_strategy"], || {
        "`voting` is used with `consensus_strategy: vote`, and only then".to_owned()
    });
}

fn judge(spec: &DebateSpec, found: &mut ProblemList) {
    let judged = spec.consensus_strategy.is_judged();
    let votes = spec.voting.is_some_and(|voting| voting.voters == Voters::Judges);
    let ends = spec.judge.as_ref().is_some_and(|judge| judge.ends_rounds);
    found.require(spec.judge.is_some() == (judged || votes || ends), &["judge", "consensus_strategy"], || {
        "a judge is used with `consensus_strategy: judge` or `ranked_reasons`, `voting.voters: judges` or \
         `judge.ends_rounds`, and only then"
            .to_owned()
    });
    let Some(judge) = &spec.judge else { return };
    found.require(judge.orders == 2 || judged, &["judge.orders", "consensus_strategy"], || {
        "`judge.orders` is read by `consensus_strategy: judge` and `ranked_reasons`; a vote has one order".to_owned()
    });
    found.require(judge.panel == 1 || judged || votes, &["judge.panel", "consensus_strategy"], || {
        "`judge.panel` is read where the judges decide or vote; `ends_rounds` asks the first judge alone".to_owned()
    });
    let others = judge.panel.saturating_sub(1) as usize;
    found.require(judge.panel_models.len() <= others, &["judge.panel_models", "judge.panel"], || {
        let models = judge.panel_models.len();
        format!("`judge.panel_models` names {models} for the judges after the first, of whom the panel has {others}")
    });
    found.require(!ends || spec.max_rounds > 1, &["judge.ends_rounds", "max_rounds"], || {
        "`judge.ends_rounds` can spare no round where there is one: `max_rounds` must be at least 2".to_owned()
    });
}

fn votes(spec: &DebateSpec, voting: Voting, found: &mut ProblemList) {
    let scores = voting.rule.is_scored();
    let judges = voting.voters == Voters::Judges;
    found.require(!(voting.every_round && (scores || judges)), &["voting.every_round", "voting"], || {
        "`every_round` is not possible with `rule: anonymous_scoring` or `voters: judges`: they judge the debate as a whole"
            .to_owned()
    });
    found.require(!(scores && judges), &["voting.voters", "voting.rule"], || {
        "`rule: anonymous_scoring` lets the debaters score each other: write `voters: debaters`".to_owned()
    });
    let weighs = voting.rule.is_weighted();
    found.require(!(weighs && judges), &["voting.rule", "voting.voters"], || {
        "`rule: weighted` weighs votes by the debaters' ratings, and judges have none: take another rule, or \
         `voters: debaters`"
            .to_owned()
    });
    let teams = spec.debate_format == DebateFormat::BpStyle;
    found.require(!(scores && teams), &["voting.rule", "debate_format"], || {
        "`rule: anonymous_scoring` scores debaters, and in `bp_style` teams win: take another rule".to_owned()
    });
}

fn scoring(spec: &DebateSpec, found: &mut ProblemList) {
    let scores = spec.scoring != Scoring::None;
    let decides = spec.voting.is_some_and(|voting| voting.rule.is_scored());
    found.require(!(scores && decides), &["scoring", "voting.rule"], || {
        "`scoring` holds a round of scores that decides nothing, and here `rule: anonymous_scoring` decides by one: leave it out"
            .to_owned()
    });
}

fn self_votes(spec: &DebateSpec, voting: Voting, found: &mut ProblemList) {
    if spec.is_poll() {
        return;
    }
    let excludes = voting.self_votes == SelfVotes::Exclude;
    if voting.voters == Voters::Judges {
        return found.require(!excludes, &["voting.self_votes", "voting.voters"], || {
            "`self_votes: exclude` is about debaters, and here the judges vote: leave it out".to_owned()
        });
    }
    if voting.rule.is_scored() {
        return found.require(excludes, &["voting.self_votes", "voting.rule"], || {
            "under `rule: anonymous_scoring` nobody scores itself: leave `self_votes` out".to_owned()
        });
    }
    let names = spec.elects_debaters() || spec.mode == Mode::Deliberative;
    let count = match spec.options().filter(|_| !spec.elects_debaters()) {
        Some(options) => options.len(),
        None if names => spec.personas.len(),
        None => spec.stances().len(),
    };
    found.require(!excludes || count >= 3, &["voting.self_votes"], || {
        format!("`self_votes: exclude` needs at least 3 candidates, here are {count}: write `self_votes: allow`")
    });
}

/// In deliberative mode the candidates are the answers of the ballots, unless debaters stand for election.
fn candidates(spec: &DebateSpec, found: &mut ProblemList) {
    let decides = match spec.consensus_strategy {
        ConsensusStrategy::Judge | ConsensusStrategy::Vote => true,
        ConsensusStrategy::RankedReasons
        | ConsensusStrategy::MediatorSummary
        | ConsensusStrategy::AgentClosing
        | ConsensusStrategy::NoConsensus => false,
    };
    if spec.mode != Mode::Deliberative || spec.elects_debaters() || spec.is_poll() || !decides {
        return;
    }
    found.require(spec.ballots != Ballots::None, &["ballots", "mode"], || {
        "`ballots: none` is not possible here: in deliberative mode the decision chooses among the ballots' answers; write \
         `ballots: both` or `ballots: final_only`"
            .to_owned()
    });
    let early = spec.voting.is_some_and(|voting| voting.every_round);
    found.require(!early || spec.ballots == Ballots::Both, &["ballots", "voting.every_round"], || {
        "`every_round` votes on the answers of the first ballots in deliberative mode: write `ballots: both`".to_owned()
    });
}

fn weights(spec: &DebateSpec, found: &mut ProblemList) {
    let weighted = spec.voting.is_some_and(|voting| voting.rule.is_weighted());
    let needed = "needs `voting.rule: weighted`, the only rule that weighs votes";
    let both = "does nothing beside `weight`, which is the whole weight: give one or the other";
    for (at, persona) in spec.personas.iter().enumerate() {
        found.persona((at, "weight"), persona.weight.is_some(), weighted, needed);
        for (key, given) in [("elo", persona.elo.is_some()), ("calibration", persona.calibration.is_some())] {
            found.persona((at, key), given, weighted, needed);
            found.persona((at, key), given && weighted, persona.weight.is_none(), both);
        }
    }
}
