//! A short run of the simulated cluster, and what shows that it would find something.
use agon_sim::{PlantedBug, SeedPlan, SimulatedFault, SimulationTotals, simulate, simulate_many};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::thread;

/// The seeds of the short run.
const SEEDS: u64 = 80;

fn run(seeds: Range<u64>, plant: Option<PlantedBug>, most_findings: usize) -> SimulationTotals {
    let threads = NonZeroUsize::new(2).unwrap();
    simulate_many(&SeedPlan { seeds, threads, plant, most_findings }, |_| {}).unwrap()
}

#[test]
fn debates_of_a_short_run_end_and_their_logs_are_right() {
    let totals = run(1..SEEDS + 1, None, 1);

    let found: Vec<String> =
        totals.found.iter().map(|report| format!("seed {}: {:?}", report.seed, report.findings)).collect();
    assert!(found.is_empty(), "{found:?}: cargo xtask sim --seed SEED --trace shows every event");
    assert_eq!(totals.seeds, SEEDS);
    assert!(totals.debates >= 2 * SEEDS && totals.takeovers > 0 && totals.fenced > 0, "{totals:?}");
    let nodes_were_hurt = [
        SimulatedFault::Crash,
        SimulatedFault::Stop,
        SimulatedFault::Cut,
        SimulatedFault::Outage,
        SimulatedFault::Restart,
        SimulatedFault::FullStore,
        SimulatedFault::Drain,
    ];
    for kind in nodes_were_hurt {
        assert!(totals.faults.get(&kind).is_some_and(|count| *count > 0), "no {kind} in {:?}", totals.faults);
    }
}

#[test]
fn a_seed_gives_the_same_events_again_beside_whatever_else_runs() {
    let traces = || -> Vec<(u64, u64)> {
        (1..=12).map(|seed| simulate(seed, None, false).unwrap()).map(|report| (report.events, report.trace)).collect()
    };
    let (first, second) = thread::scope(|scope| {
        let other = scope.spawn(traces);
        (traces(), other.join().unwrap())
    });

    assert_eq!(first, second);
    let mut different = first.clone();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), first.len(), "other seeds give other events");
}

/// Looks for the bug in the seeds from `first` on, which is a little before the first of the seeds from 1 on that finds it.
fn is_found(plant: PlantedBug, first: u64, as_what: &str) {
    let totals = run(first..1_001, Some(plant), 1);
    let found = totals.found.first().unwrap_or_else(|| panic!("{plant:?} is not found by {} seeds", totals.seeds));
    assert!(found.findings.iter().any(|finding| finding.contains(as_what)), "{found:?}");
    assert_eq!(simulate(found.seed, Some(plant), false).unwrap().findings, found.findings, "the seed finds it again");
    assert!(simulate(found.seed, None, false).unwrap().findings.is_empty(), "the bug alone is to blame");
}

#[test]
fn a_store_without_a_fence_is_found() {
    is_found(PlantedBug::Fence, 1, "debate-");
}

#[test]
fn a_register_that_can_be_overwritten_is_found() {
    is_found(PlantedBug::Register, 1, "is not what its register holds");
}

#[test]
fn a_job_that_sleeps_although_it_was_given_back_is_found() {
    is_found(PlantedBug::Sleep, 40, "0 ends");
}

#[test]
fn a_job_of_a_dead_owner_that_is_believed_is_found() {
    is_found(PlantedBug::Moved, 95, "0 ends");
}

#[test]
fn debates_that_are_left_and_not_known_are_found() {
    is_found(PlantedBug::Left, 1, "0 ends");
}

#[test]
fn a_claim_that_keeps_the_epoch_is_found() {
    is_found(PlantedBug::Epoch, 1, "the epoch falls");
}
