//! Many seeds, on several threads.
use crate::faults::FaultTally;
use crate::plant::PlantedBug;
use crate::run::{SeedReport, simulate};
use anyhow::Result;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Which seeds are run, and how.
#[derive(Clone, Debug)]
pub struct SeedPlan {
    /// The seeds.
    pub seeds: Range<u64>,
    /// How many at once.
    pub threads: NonZeroUsize,
    /// The bug that is planted.
    pub plant: Option<PlantedBug>,
    /// No further seed is begun once so many have found something.
    pub most_findings: usize,
}

/// What came of many seeds.
#[derive(Clone, Debug, Default)]
pub struct SimulationTotals {
    /// Seeds that were run.
    pub seeds: u64,
    /// The sum of their traces: the same for the same seeds.
    pub trace: u64,
    /// Events of all of them.
    pub events: u64,
    /// Debates that were accepted.
    pub debates: u64,
    /// How often each fault struck.
    pub faults: FaultTally,
    /// Claims of debates that had an owner before.
    pub takeovers: u64,
    /// Appends that were refused because somebody else had written.
    pub fenced: u64,
    /// Calls of the models.
    pub generations: u64,
    /// The reports with findings, by seed.
    pub found: Vec<SeedReport>,
}

impl SimulationTotals {
    fn add(&mut self, report: SeedReport) {
        self.seeds += 1;
        self.trace = self.trace.wrapping_add(report.trace);
        self.events += report.events;
        self.debates += report.debates;
        self.takeovers += report.takeovers;
        self.fenced += report.fenced;
        self.generations += report.generations;
        for (kind, count) in &report.faults {
            *self.faults.entry(*kind).or_default() += count;
        }
        if !report.findings.is_empty() {
            self.found.push(report);
        }
    }
}

/// Runs seeds. `seen` is shown each report as it comes.
pub fn simulate_many(plan: &SeedPlan, seen: impl Fn(&SeedReport) + Sync) -> Result<SimulationTotals> {
    let (next, full) = (AtomicU64::new(plan.seeds.start), AtomicBool::new(false));
    let totals = Mutex::new(SimulationTotals::default());
    let work = || -> Result<()> {
        while !full.load(Ordering::Relaxed) {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= plan.seeds.end {
                break;
            }
            let report = simulate(seed, plan.plant, false)?;
            seen(&report);
            let mut totals = totals.lock().unwrap_or_else(PoisonError::into_inner);
            totals.add(report);
            full.fetch_or(totals.found.len() >= plan.most_findings, Ordering::Relaxed);
        }
        Ok(())
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..plan.threads.get()).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    let mut totals = totals.into_inner().unwrap_or_else(PoisonError::into_inner);
    totals.found.sort_by_key(|report| report.seed);
    Ok(totals)
}
