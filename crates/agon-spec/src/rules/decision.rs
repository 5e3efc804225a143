//! Judge, vote and ballots.
use crate::diagnostic::{Code, Finding, Problems};
use crate::draft::candidates;
use crate::section::Section;
use agon_core::{Ballots, ConsensusStrategy, DebateSpec, Mode, SelfVotes};

pub(super) fn check(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    let known =
        root.get("consensus_strategy").is_none_or(|_| root.choice::<ConsensusStrategy>("consensus_strategy").is_some());
    if known {
        unused_block(root, spec.consensus_strategy, problems);
        self_votes(root, spec, problems);
    }
    ballots(root, spec, problems);
}

fn unused_block(root: &Section, strategy: ConsensusStrategy, problems: &mut Problems<'_>) {
    let (unused, user, current) = match strategy {
        ConsensusStrategy::Judge => ("voting", "vote", "judge"),
        ConsensusStrategy::Vote => ("judge", "judge", "vote"),
    };
    let Some(field) = root.get(unused) else { return };
    let message = format!("`{unused}` is used by `consensus_strategy: {user}` only; here the strategy is {current}");
    let finding = Finding::new(Code::UnusedBlock, field.key_span, message).field(unused);
    problems.error(finding.help(format!("remove the block, or write `consensus_strategy: {user}`")));
}

fn self_votes(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    let Some(voting) = root.section("voting") else { return };
    let found = candidates(spec.mode, &spec.personas);
    let excludes = voting.choice("self_votes") == Some(SelfVotes::Exclude);
    let complete = spec.personas.len() > 1 && (spec.mode == Mode::Deliberative || found > 1);
    if spec.voting.is_some() && excludes && complete && found < 3 {
        let what = match spec.mode {
            Mode::Adversarial => "different stances",
            Mode::Deliberative => "answers at most",
        };
        let message = format!("`self_votes: exclude` needs at least 3 candidates, here are {found} {what}");
        let finding = Finding::new(Code::TooFewCandidates, voting.span_of("self_votes"), message);
        problems.error(finding.field("voting.self_votes").help("write `self_votes: allow`, or add a third side"));
    }
}

fn ballots(root: &Section, spec: &DebateSpec, problems: &mut Problems<'_>) {
    if spec.mode == Mode::Deliberative && spec.ballots == Ballots::None {
        let message =
            "`ballots: none` is not possible in deliberative mode: the decision chooses among the ballots' answers";
        let finding = Finding::new(Code::BallotsNeeded, root.span_of("ballots"), message).field("ballots");
        problems.error(finding.help("write `ballots: both` or `ballots: final_only`"));
    }
}
