//! A cell at work, event by event: each turn is asked in the log, waits for a place at a GPU, is played, and is written down.
//!
//! Everything by chance follows from a seed, so that a plan is the same wherever it is printed.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// A cell as the simulation sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// Debates.
    pub debates: u64,
    /// Turns of each, one after the other.
    pub turns: u32,
    /// Answers that the GPUs generate at once, all together.
    pub places: u64,
    /// Seconds that a turn takes at its place, mean; each takes between a half and one and a half of it.
    pub seconds: f64,
    /// Streams that the logs are spread over.
    pub shards: u32,
    /// nats-servers that lead these streams; the registers' has another one, where there are several.
    pub servers: u32,
    /// Seconds of a nats-server for a turn, half when it is asked and half when it is written down.
    pub nats_seconds: f64,
    /// Share of the registers' server that debates which wait take.
    pub background: f64,
    /// Seconds over which the debates are handed in.
    pub ramp: f64,
    /// Where chance begins.
    pub seed: u64,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Turns that were asked.
    pub asked: u64,
    /// Turns that were written down.
    pub recorded: u64,
    /// Seconds from the first debate's beginning to the last one's end.
    pub seconds: f64,
    /// Share of the GPUs' places and time that was used.
    pub gpu_busy: f64,
    /// Share of the busiest nats-server's time that was used.
    pub nats_busy: f64,
    /// Seconds that turns waited for a GPU.
    pub for_gpu: Waits,
    /// Seconds that turns waited for nats-servers.
    pub for_nats: Waits,
    /// Turns of the busiest stream of logs, and of the mean one.
    pub hottest_shard: (u64, f64),
}

/// How long things waited, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Waits {
    /// The middle one.
    pub p50: f64,
    /// Of a hundred, one waits longer.
    pub p99: f64,
    /// The longest.
    pub max: f64,
}

/// Where a turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Step {
    Ask,
    Play,
    Record,
}

/// A moment that orders as time does.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Moment(f64);

impl Eq for Moment {}

impl PartialOrd for Moment {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Moment {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// A server that takes one thing after the other.
#[derive(Debug, Clone, Default)]
struct Line {
    free: f64,
    worked: f64,
}

impl Line {
    /// Joins the line at `now` for `work` seconds; gives how long it waited, and when it is done.
    fn join(&mut self, now: f64, work: f64) -> (f64, f64) {
        let begin = now.max(self.free);
        self.free = begin + work;
        self.worked += work;
        (begin - now, self.free)
    }
}

struct World<'a> {
    cell: &'a Cell,
    events: BinaryHeap<Reverse<(Moment, u64, u64, Step)>>,
    pushed: u64,
    left: Vec<u32>,
    shard_turns: Vec<u64>,
    logs: Vec<Line>,
    registers: Line,
    free_places: u64,
    waiting: VecDeque<(f64, u64)>,
    played: f64,
    for_gpu: Vec<f64>,
    for_nats: Vec<f64>,
    asked: u64,
    recorded: u64,
    end: f64,
}

/// Lets the cell hold its debates to their end.
pub fn run(cell: &Cell) -> Outcome {
    let mut world = World::new(cell);
    while let Some(Reverse((Moment(now), _, debate, step))) = world.events.pop() {
        match step {
            Step::Ask => world.ask(now, debate),
            Step::Play => world.wait_for_place(now, debate),
            Step::Record => world.record(now, debate),
        }
    }
    world.outcome()
}

impl<'a> World<'a> {
    fn new(cell: &'a Cell) -> Self {
        let mut world = Self {
            cell,
            events: BinaryHeap::new(),
            pushed: 0,
            left: (0..cell.debates).map(|_| cell.turns).collect(),
            shard_turns: (0..cell.shards.max(1)).map(|_| 0).collect(),
            // one server leads the registers, the others the logs
            logs: (1..cell.servers.max(2)).map(|_| Line::default()).collect(),
            registers: Line::default(),
            free_places: cell.places.max(1),
            waiting: VecDeque::new(),
            played: 0.0,
            for_gpu: Vec::new(),
            for_nats: Vec::new(),
            asked: 0,
            recorded: 0,
            end: 0.0,
        };
        for debate in 0..cell.debates {
            let start = cell.ramp * debate as f64 / cell.debates as f64;
            world.push(start, debate, Step::Ask);
        }
        world
    }

    fn push(&mut self, at: f64, debate: u64, step: Step) {
        self.pushed += 1;
        self.events.push(Reverse((Moment(at), self.pushed, debate, step)));
    }

    fn ask(&mut self, now: f64, debate: u64) {
        self.asked += 1;
        let shard = chance(self.cell.seed ^ 0x5eed, debate) % u64::from(self.cell.shards.max(1));
        if let Some(turns) = usize::try_from(shard).ok().and_then(|shard| self.shard_turns.get_mut(shard)) {
            *turns += 1;
        }
        let done = self.log(now, debate, self.cell.nats_seconds / 2.0);
        self.push(done, debate, Step::Play);
    }

    /// A write to the debate's log; gives when it is done.
    fn log(&mut self, now: f64, debate: u64, work: f64) -> f64 {
        let shard = chance(self.cell.seed ^ 0x5eed, debate) % u64::from(self.cell.shards.max(1));
        let server = usize::try_from(shard).unwrap_or_default() % self.logs.len().max(1);
        let Some(line) = self.logs.get_mut(server) else { return now };
        let (waited, done) = line.join(now, work);
        self.for_nats.push(waited);
        done
    }

    fn wait_for_place(&mut self, now: f64, debate: u64) {
        self.waiting.push_back((now, debate));
        self.fill(now);
    }

    /// Gives free places to those who wait, in their order.
    fn fill(&mut self, now: f64) {
        while self.free_places > 0 {
            let Some((since, debate)) = self.waiting.pop_front() else { return };
            self.free_places -= 1;
            self.for_gpu.push(now - since);
            let left = self.turns_left(debate).copied().unwrap_or_default();
            let share = chance(self.cell.seed, (debate << 16) | u64::from(left)) as f64 / u64::MAX as f64;
            let takes = self.cell.seconds * (0.5 + share);
            self.played += takes;
            self.push(now + takes, debate, Step::Record);
        }
    }

    fn turns_left(&mut self, debate: u64) -> Option<&mut u32> {
        usize::try_from(debate).ok().and_then(|debate| self.left.get_mut(debate))
    }

    fn record(&mut self, now: f64, debate: u64) {
        self.free_places += 1;
        self.fill(now);
        // what waits takes its share of the server away from what happens
        let slowed = self.cell.nats_seconds / 4.0 / (1.0 - self.cell.background.min(0.99));
        let (waited, written) = self.registers.join(now, slowed);
        self.for_nats.push(waited);
        let done = self.log(written, debate, self.cell.nats_seconds / 4.0);
        self.recorded += 1;
        self.end = self.end.max(done);
        let Some(left) = self.turns_left(debate) else { return };
        *left = left.saturating_sub(1);
        if *left > 0 {
            self.push(done, debate, Step::Ask);
        }
    }

    fn outcome(self) -> Outcome {
        let seconds = self.end.max(f64::MIN_POSITIVE);
        let share = |line: &Line| line.worked / seconds;
        let registers = (share(&self.registers) * (1.0 - self.cell.background)) + self.cell.background;
        let shards = self.shard_turns.len().max(1) as f64;
        Outcome {
            asked: self.asked,
            recorded: self.recorded,
            seconds,
            gpu_busy: self.played / (seconds * self.cell.places.max(1) as f64),
            nats_busy: self.logs.iter().map(share).fold(registers, f64::max),
            for_gpu: waits(self.for_gpu),
            for_nats: waits(self.for_nats),
            hottest_shard: (self.shard_turns.iter().copied().max().unwrap_or(0), self.asked as f64 / shards),
        }
    }
}

fn waits(mut all: Vec<f64>) -> Waits {
    all.sort_by(f64::total_cmp);
    let at = |hundredths: usize| all.get((all.len().saturating_sub(1)) * hundredths / 100).copied().unwrap_or(0.0);
    Waits { p50: at(50), p99: at(99), max: at(100) }
}

/// A number that looks as if by chance, and is the same for the same seed and name (SplitMix64).
pub fn chance(seed: u64, name: u64) -> u64 {
    let mut mixed = name.wrapping_add(seed.wrapping_mul(0xd134_2543_de82_ef95)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

/// How many of `debates` fall into each of `places` by a hash of their ids.
pub fn spread(debates: u64, places: u64, seed: u64) -> Vec<u64> {
    let mut counts: Vec<u64> = (0..places.max(1)).map(|_| 0).collect();
    for debate in 0..debates {
        let place = usize::try_from(chance(seed, debate) % places.max(1)).unwrap_or_default();
        if let Some(count) = counts.get_mut(place) {
            *count += 1;
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell() -> Cell {
        Cell {
            debates: 200,
            turns: 5,
            places: 20,
            seconds: 10.0,
            shards: 4,
            servers: 3,
            nats_seconds: 0.01,
            background: 0.2,
            ramp: 30.0,
            seed: 7,
        }
    }

    #[test]
    fn every_turn_that_is_asked_is_recorded_once() {
        for places in [1, 7, 20, 10_000] {
            let outcome = run(&Cell { places, ..cell() });
            assert_eq!((outcome.asked, outcome.recorded), (1_000, 1_000), "{places}");
        }
    }

    #[test]
    fn more_gpus_never_mean_longer_waits_or_a_later_end() {
        let outcomes = [5, 10, 20, 40, 80, 160, 320].map(|places| run(&Cell { places, ..cell() }));
        for pair in outcomes.windows(2) {
            let [fewer, more] = pair else { panic!("two at a time") };
            assert!(more.seconds <= fewer.seconds, "{fewer:?} {more:?}");
            assert!(more.for_gpu.p50 <= fewer.for_gpu.p50 && more.for_gpu.p99 <= fewer.for_gpu.p99);
        }
        assert_eq!(outcomes.last().map(|outcome| outcome.for_gpu.max), Some(0.0));
    }

    #[test]
    fn it_takes_as_long_as_the_scarcest_thing() {
        let by_gpus = run(&cell());
        assert!(by_gpus.gpu_busy > 0.9, "{by_gpus:?}");
        let least = 1_000.0 * 10.0 / 20.0;
        assert!((0.9..1.2).contains(&(by_gpus.seconds / least)), "{by_gpus:?}");
        let by_nats = run(&Cell { places: 10_000, nats_seconds: 4.0, ..cell() });
        assert!(by_nats.nats_busy > 0.9 && by_nats.for_nats.p99 > by_gpus.for_nats.p99, "{by_nats:?}");
    }

    #[test]
    fn the_same_seed_gives_the_same_and_another_seed_gives_something_else() {
        assert_eq!(run(&cell()), run(&cell()));
        assert_ne!(run(&cell()).seconds, run(&Cell { seed: 8, ..cell() }).seconds);
    }

    #[test]
    fn ids_are_spread_over_all_places_and_none_is_lost() {
        let counts = spread(100_000, 64, 3);
        assert_eq!(counts.iter().sum::<u64>(), 100_000);
        let mean = 100_000.0 / 64.0;
        assert!(counts.iter().all(|&count| (0.85..1.15).contains(&(count as f64 / mean))), "{counts:?}");
    }

    #[test]
    fn waits_are_told_by_their_order() {
        let told = waits((0..=100).rev().map(f64::from).collect());
        assert_eq!((told.p50, told.p99, told.max), (50.0, 99.0, 100.0));
        assert_eq!(waits(Vec::new()), Waits::default());
    }
}
