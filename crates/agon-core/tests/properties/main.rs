//! Any valid debate under any sequence of answers, failures, late and doubled replies and crashes: it ends once, within a
//! computable number of steps, a replay gives the same state, and the log satisfies a naive reading of the rules.
#[cfg(test)]
mod decided;
#[cfg(test)]
mod events;
#[cfg(test)]
mod invariants;
#[cfg(test)]
mod reference;
#[cfg(test)]
mod rejudging;
#[cfg(test)]
mod specs;
#[cfg(test)]
mod world;

use agon_core::DebateFormat;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_debate_ends_once_and_its_log_obeys_the_rules(admission in specs::admissions(), script in world::scripts()) {
        let log = world::play(admission.clone(), &script).map_err(TestCaseError::fail)?;
        reference::check(&admission, &log).map_err(TestCaseError::fail)?;
        invariants::check(&admission, &log).map_err(TestCaseError::fail)?;
    }

    #[test]
    fn a_debate_in_which_nothing_fails_is_never_degraded_or_failed(admission in specs::admissions(), seed in any::<u64>()) {
        let log = world::play(admission.clone(), &world::Script::smooth(seed)).map_err(TestCaseError::fail)?;
        reference::check(&admission, &log).map_err(TestCaseError::fail)?;
        invariants::check(&admission, &log).map_err(TestCaseError::fail)?;
        let by_design = admission.spec.terminate_when.as_deref() == Some(specs::FAILING_EXPRESSION);
        let budgeted = !admission.spec.budget.is_unlimited() || by_design;
        let (state, outcome) = reference::ending(&log);
        prop_assert!(budgeted || state == agon_core::DebateState::Succeeded, "{state:?}");
        let synthesised = admission.spec.synthesizer.is_some();
        prop_assert!(synthesised || outcome != Some(agon_core::Outcome::Degraded));
    }
}

/// Half of the debates have no trouble at all, so that most come to their end.
fn played(format: DebateFormat, script: impl Strategy<Value = world::Script> + 'static) {
    let config = ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() };
    let scripts = prop_oneof![script, any::<u64>().prop_map(world::Script::smooth)];
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let played = runner.run(&(specs::of_format(format), scripts), |(admission, script)| {
        let log = world::play(admission.clone(), &script).map_err(TestCaseError::fail)?;
        invariants::check(&admission, &log).map_err(TestCaseError::fail)?;
        prop_assert!(invariants::asked_once(&log), "a seat was first asked twice");
        Ok(())
    });
    played.unwrap();
}

#[test]
fn in_a_socratic_round_the_questioner_rotates_and_everybody_else_answers() {
    played(DebateFormat::Socratic, world::scripts());
}
#[test]
fn in_parliament_the_benches_speak_in_order_and_points_come_from_the_other_side() {
    played(DebateFormat::BpStyle, world::scripts());
}
#[test]
fn in_a_fishbowl_one_at_most_comes_in_for_the_one_who_sat_longest() {
    played(DebateFormat::Fishbowl, world::scripts());
}
#[test]
fn in_a_chain_of_thought_every_argument_has_its_steps() {
    played(DebateFormat::ChainOfThought, world::scripts());
}
#[test]
fn in_an_open_fight_the_highest_bid_of_the_others_has_the_floor() {
    played(DebateFormat::OpenFight, world::scripts());
}
#[test]
fn critiques_follow_the_topology_and_whoever_was_criticised_revises() {
    played(DebateFormat::CritiqueRevision, world::scripts());
}
#[test]
fn in_a_round_robin_everybody_speaks_in_turn() {
    played(DebateFormat::RoundRobin, world::scripts());
}
