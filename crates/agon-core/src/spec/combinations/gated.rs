//! Gates that could decide nothing.
use super::ProblemList;
use crate::gate::{GateMethod, UNANIMOUS_BALLOTS};
use crate::spec::{Ballots, ConsensusStrategy, DebateSpec, DebateWhen, Mode};

pub(super) fn check(spec: &DebateSpec, found: &mut ProblemList) {
    let gate = &spec.gate;
    if spec.debate == DebateWhen::Always {
        return found.require(gate.is_default(), &["gate", "debate"], || {
            "`gate` says how `debate: if_contested` decides, and here every debate is held: write `debate: if_contested`, \
             or leave `gate` out"
                .to_owned()
        });
    }
    found.require((0.0..=1.0).contains(&gate.explore), &["gate.explore"], || {
        format!("`explore` is {}; allowed is a share from 0 to 1", gate.explore)
    });
    found.require(!gate.strict || gate.rule.is_some(), &["gate.strict", "gate.rule"], || {
        "`strict` compares a debate with what its gate was learned on, and there is no learned gate: give `gate.rule`, or run \
         with `--gate FILE`"
            .to_owned()
    });
    ballots(spec, found);
    decision(spec, found);
    let plain = gate.rule.as_ref().is_none_or(|rule| rule.method == GateMethod::Unanimous);
    let (voters, what) = match spec.is_poll() {
        true => (spec.format.samples as usize, "samples"),
        false => (spec.personas.len(), "debaters"),
    };
    let least = if plain { UNANIMOUS_BALLOTS as usize } else { 2 };
    found.require(voters >= least, &["debate", "personas"], || {
        format!("`debate: if_contested` skips a debate where {least} {what} at least agree; here are {voters}, so that none would ever be skipped")
    });
    let invalid = gate.rule.as_ref().and_then(|rule| rule.check().err());
    found.require(invalid.is_none(), &["gate.rule"], || invalid.as_ref().map_or_else(String::new, ToString::to_string));
}

fn ballots(spec: &DebateSpec, found: &mut ProblemList) {
    if spec.answers_for_ballots() {
        return found.require(spec.mode == Mode::Deliberative, &["debate", "mode"], || {
            "in `critique_revision` the gate compares the answers that proposals state, which they do in deliberative mode: write \
             `mode: deliberative`"
                .to_owned()
        });
    }
    found.require(spec.ballots == Ballots::Both, &["ballots", "debate"], || {
        let ballots = spec.ballots.as_str();
        format!("`debate: if_contested` decides by the first ballots, and `ballots: {ballots}` casts none: write `ballots: both`")
    });
}

fn decision(spec: &DebateSpec, found: &mut ProblemList) {
    let poll = spec.is_poll();
    let decides = match spec.consensus_strategy {
        ConsensusStrategy::Judge => true,
        ConsensusStrategy::Vote => !poll,
        ConsensusStrategy::RankedReasons
        | ConsensusStrategy::MediatorSummary
        | ConsensusStrategy::AgentClosing
        | ConsensusStrategy::NoConsensus => false,
    };
    let allowed = if poll { "judge: a vote in a poll costs nothing" } else { "judge, vote" };
    found.require(decides, &["debate", "consensus_strategy"], || {
        let strategy = spec.consensus_strategy.as_str();
        format!("`debate: if_contested` is not possible with `consensus_strategy: {strategy}`; allowed here: {allowed}")
    });
    let elects = spec.elects_debaters() && !spec.answers_for_ballots();
    found.require(!elects || !decides, &["debate", "voting.rule"], || {
        "`debate: if_contested` names the ballots' top answer, and here debaters stand for election: take another `voting.rule`"
            .to_owned()
    });
}
