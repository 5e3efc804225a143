//! Any valid debate under any sequence of answers, failures, late and doubled replies and crashes: it ends once, within a
//! computable number of steps, a replay gives the same state, and the log satisfies a naive reading of the rules.
#[cfg(test)]
mod decided;
#[cfg(test)]
mod events;
#[cfg(test)]
mod form_answers;
#[cfg(test)]
mod formats;
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
