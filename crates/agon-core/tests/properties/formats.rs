//! Each format alone, over many seeds.
use crate::{invariants, specs, world};
use agon_core::DebateFormat;
use proptest::prelude::*;

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
fn in_a_poll_every_sample_is_a_seat_that_hears_nobody() {
    played(DebateFormat::Poll, world::scripts());
}
#[test]
fn in_a_round_robin_everybody_speaks_in_turn() {
    played(DebateFormat::RoundRobin, world::scripts());
}
