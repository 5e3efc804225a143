//! Which faults come when: follows from the seed alone.
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::fmt;
use std::time::Duration;

/// What can be done to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum FaultKind {
    /// SIGKILL; started again after a while.
    Kill,
    /// SIGSTOP, then SIGCONT.
    Stop,
    /// The line to NATS is cut, then healed.
    Cut,
    /// The line to NATS passes nothing on, then does.
    Freeze,
    /// The stream of the logs is deleted, and set up anew.
    Lose,
    /// The stream of the logs is filled with what is no log, then emptied of that.
    Fill,
}
impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kill => "kill -9",
            Self::Stop => "stopped",
            Self::Cut => "line cut",
            Self::Freeze => "line frozen",
            Self::Lose => "logs deleted",
            Self::Fill => "logs full",
        })
    }
}

/// How the model servers are called among the targets: this and the number of the host.
pub const MODEL_SERVER: &str = "model-server-";
/// The store's faults come so often: at this part of every so many seconds, for so long.
const STORE_PERIOD: u64 = 300;
const STORE_FAULTS: [(FaultKind, Between, Between); 3] = [
    (FaultKind::Fill, (10, 20), (8_000, 15_000)),
    // not set up anew while nats-server may still be deleting files
    (FaultKind::Lose, (45, 55), (6_000, 9_000)),
    (FaultKind::Fill, (75, 85), (8_000, 15_000)),
];
type Between = (u64, u64);
/// The name of nats-server among the targets.
pub const NATS: &str = "nats-server";

/// A fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedFault {
    /// When, from the start.
    pub at: Duration,
    /// How long.
    pub lasts: Duration,
    /// To whom.
    pub target: String,
    /// What.
    pub kind: FaultKind,
}
impl PlannedFault {
    /// When it is over.
    pub fn until(&self) -> Duration {
        self.at + self.lasts
    }
}

/// Numbers from a seed.
struct ScheduleDice(ChaCha8Rng);

impl ScheduleDice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0.next_u64().checked_rem(bound).unwrap_or(0)
    }
    fn millis(&mut self, from: u64, to: u64) -> Duration {
        Duration::from_millis(from + self.below(to.saturating_sub(from).max(1)))
    }
}

/// Milliseconds between the beginnings of two faults.
const PAUSE: (u64, u64) = (1_000, 5_000);

/// The faults of a run, in order. No target has two at one time, and all are over when the time is.
pub fn schedule(seed: u64, length: Duration, members: &[String]) -> Vec<PlannedFault> {
    let mut dice = ScheduleDice(ChaCha8Rng::seed_from_u64(seed));
    let mut faults = store_faults(&mut dice, length);
    let mut at = dice.millis(PAUSE.0, PAUSE.1);
    while at < length {
        let target = target(&mut dice, members);
        let kind = kind(&mut dice, &target);
        let lasts = lasts(&mut dice, kind, &target).min(length - at);
        let busy = faults
            .iter()
            .any(|fault| fault.target == target && fault.until() + REST > at && at + lasts + REST > fault.at);
        if !busy {
            faults.push(PlannedFault { at, lasts, target, kind });
        }
        at += dice.millis(PAUSE.0, PAUSE.1);
    }
    faults.sort_by_key(|fault| fault.at);
    faults
}

/// In every period of a run, and in a shorter run at all, the logs are full twice and lost once.
fn store_faults(dice: &mut ScheduleDice, length: Duration) -> Vec<PlannedFault> {
    let period = length.min(Duration::from_secs(STORE_PERIOD));
    let periods = (length.as_secs() / period.as_secs().max(1)).max(1);
    let mut faults = Vec::new();
    for nth in 0..periods {
        let start = period * u32::try_from(nth).unwrap_or(u32::MAX);
        for (kind, (from, to), (shortest, longest)) in STORE_FAULTS {
            let part = u32::try_from(from * 10 + dice.below((to - from) * 10)).unwrap_or(0);
            let at = start + period * part / 1_000;
            let lasts = dice.millis(shortest, longest).min(period / 8);
            faults.push(PlannedFault { at, lasts, target: NATS.to_owned(), kind });
        }
    }
    faults
}

/// Between two faults of one target.
const REST: Duration = Duration::from_secs(2);

/// One of nine faults is nats-server's.
fn target(dice: &mut ScheduleDice, members: &[String]) -> String {
    if dice.below(9) == 0 {
        return NATS.to_owned();
    }
    let at = usize::try_from(dice.below(members.len() as u64)).unwrap_or(0);
    members.get(at).cloned().unwrap_or_else(|| NATS.to_owned())
}

fn kind(dice: &mut ScheduleDice, target: &str) -> FaultKind {
    if target == NATS {
        return if dice.below(4) == 0 { FaultKind::Stop } else { FaultKind::Kill };
    }
    if target.starts_with(MODEL_SERVER) {
        return FaultKind::Kill;
    }
    match dice.below(8) {
        0..=3 => FaultKind::Kill,
        4 | 5 => FaultKind::Stop,
        6 => FaultKind::Cut,
        _ => FaultKind::Freeze,
    }
}

fn lasts(dice: &mut ScheduleDice, kind: FaultKind, target: &str) -> Duration {
    match (kind, target == NATS) {
        (FaultKind::Kill, true) => dice.millis(200, 4_000),
        (FaultKind::Stop, true) => dice.millis(1_000, 8_000),
        (FaultKind::Kill, false) if target.starts_with(MODEL_SERVER) => dice.millis(500, 5_000),
        (FaultKind::Kill, false) => dice.millis(500, 10_000),
        (FaultKind::Stop, false) => dice.millis(5_000, 20_000),
        (FaultKind::Cut | FaultKind::Freeze, _) => dice.millis(1_000, 15_000),
        (FaultKind::Lose | FaultKind::Fill, _) => dice.millis(1_000, 6_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["gateway-1", "coordinator-1", "coordinator-2", "host-1"].map(str::to_owned).to_vec()
    }

    #[test]
    fn one_seed_gives_one_schedule_and_another_another() {
        let of = |seed| schedule(seed, Duration::from_secs(600), &names());
        assert_eq!(of(1), of(1));
        assert_ne!(of(1), of(2));
        assert!(of(1).len() > 100, "{}", of(1).len());
    }

    #[test]
    fn nobody_has_two_faults_at_one_time_and_all_are_over_in_the_end() {
        let length = Duration::from_secs(600);
        for seed in 0..20 {
            let faults = schedule(seed, length, &names());
            assert!(faults.iter().all(|fault| fault.until() <= length));
            for (at, one) in faults.iter().enumerate() {
                let overlaps = |other: &&PlannedFault| other.target == one.target && other.at < one.until();
                assert_eq!(faults.iter().skip(at + 1).filter(overlaps).count(), 0, "seed {seed}: {one:?}");
            }
        }
    }

    #[test]
    fn every_kind_meets_every_kind_of_process() {
        let faults = schedule(3, Duration::from_secs(3_600), &names());
        for target in names() {
            for kind in [FaultKind::Kill, FaultKind::Stop, FaultKind::Cut, FaultKind::Freeze] {
                assert!(faults.iter().any(|fault| fault.target == target && fault.kind == kind), "{target} {kind}");
            }
        }
        for kind in [FaultKind::Kill, FaultKind::Lose, FaultKind::Fill] {
            assert!(faults.iter().any(|fault| fault.target == NATS && fault.kind == kind), "{kind}");
        }
    }

    #[test]
    fn a_short_run_has_every_fault_of_the_store_and_model_servers_are_only_killed() {
        let names = ["host-1".to_owned(), format!("{MODEL_SERVER}1")];
        for seed in 0..20 {
            let faults = schedule(seed, Duration::from_secs(120), &names);
            let count = |kind| faults.iter().filter(|fault| fault.kind == kind).count();
            assert_eq!((count(FaultKind::Lose), count(FaultKind::Fill)), (1, 2), "seed {seed}");
            let model = faults.iter().filter(|fault| fault.target.starts_with(MODEL_SERVER));
            assert!(model.into_iter().all(|fault| fault.kind == FaultKind::Kill));
        }
    }
}
