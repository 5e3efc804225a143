//! One random sequence, and what has to hold of its debates after every step.
use crate::support::{PATIENCE, ProgramOutput, RunningProgram, SHORT, World, example};
use agon_core::{DebateId, Event, Halt, Position, Record};
use agon_store::{Journal as _, LocalState, SqliteOptions, SqliteStore, Upkeep as _};
use agon_testkit::until;
use nix::sys::signal::Signal;
use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt as _;
use std::sync::Arc;
use tokio::runtime::{Builder, Runtime};

/// Steps of a sequence.
const STEPS: u64 = 7;
/// The pace of a rehearsal that is to be stopped in its midst.
const PACE: [&str; 4] = ["--token-interval", "1ms", "--latency", "5ms"];

/// A debate of a sequence, as it has to stand.
struct ExpectedDebate {
    id: String,
    /// Its log when its process had ended, until somebody resumes it.
    left: Vec<Arc<Record>>,
    /// How it was stopped; none where it ended.
    halt: Option<Halt>,
}

/// A sequence. Its choices follow from its number.
pub(super) struct Sequence<'a> {
    world: &'a World,
    /// The server beside.
    address: &'a str,
    number: usize,
    random: u64,
    store: SqliteStore,
    runtime: Runtime,
    debates: Vec<ExpectedDebate>,
    submitted: Vec<String>,
}

impl<'a> Sequence<'a> {
    pub(super) fn new(world: &'a World, address: &'a str, number: usize) -> Self {
        let store = SqliteStore::open(&world.database(), SqliteOptions::default()).unwrap();
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let (debates, submitted) = (Vec::new(), Vec::new());
        Self { world, address, number, random: number as u64, store, runtime, debates, submitted }
    }

    /// Plays the sequence; at its end every debate is resumed until it is over.
    pub(super) fn play(mut self) {
        for step in 0..STEPS {
            match self.choose(8) {
                0..3 => self.run(step),
                3..5 => self.resume(),
                5 => self.resume_twice(),
                6 => drop(self.short_run(step)),
                _ => self.submit(step),
            }
            self.check();
        }
        while let Some(at) = self.debates.iter().position(|debate| debate.halt.is_some()) {
            let said = self.world.agon(&["resume", &self.debates[at].id, "--quiet", "--no-reports"]);
            assert!(matches!(said.code, Some(0 | 2)), "{}: {said:?}", self.number);
            self.played(at, None);
            self.check();
        }
        self.debates.iter().for_each(|debate| self.whole(&debate.id));
        self.submitted.iter().for_each(|id| self.served(id));
    }

    /// Splitmix64: the next number below `below`.
    fn choose(&mut self, below: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % below
    }

    /// Begins a debate, and stops it somewhere or lets it end.
    fn run(&mut self, step: u64) {
        let id = format!("s{}-{step}", self.number);
        let file = example(SHORT);
        let args =
            ["run", &file, "--rehearsal", "--rounds", "1", "--seed", "7", "--jsonl", "--no-reports", "--id", &id];
        let running = RunningProgram::start(self.world.command(&[&args[..], &PACE].concat()));
        self.debates.push(ExpectedDebate { id, left: Vec::new(), halt: None });
        let at = self.debates.len() - 1;
        self.stop(at, running);
    }

    /// Continues a debate that stands still, and stops it somewhere or lets it end.
    fn resume(&mut self) {
        let Some(at) = self.halted() else { return };
        let running = RunningProgram::start(self.resuming(at));
        self.stop(at, running);
    }

    fn resuming(&self, at: usize) -> std::process::Command {
        let args = ["resume", &self.debates[at].id, "--rehearsal", "--jsonl", "--no-reports"];
        self.world.command(&[&args[..], &PACE].concat())
    }

    /// Two processes resume one debate at the same time: one of them plays it.
    fn resume_twice(&mut self) {
        let Some(at) = self.halted() else { return };
        let both = [self.resuming(at), self.resuming(at)]
            .map(|mut command| std::thread::spawn(move || ProgramOutput::of(&command.output().unwrap())));
        let said = both.map(|one| one.join().unwrap());
        let refused = said.iter().filter(|said| {
            said.code == Some(64)
                && (said.stderr.contains("is played by process") || said.stderr.contains("just ended"))
        });
        let late = said.iter().filter(|said| said.stderr.contains("has ended"));
        assert_eq!(refused.count() + late.count(), 1, "{}: {said:?}", self.number);
        self.played(at, None);
    }

    /// A whole debate of another terminal.
    fn short_run(&mut self, step: u64) -> ProgramOutput {
        let id = format!("s{}-{step}", self.number);
        let file = example(SHORT);
        let args = ["run", &file, "--rehearsal", "--rounds", "1", "--quiet", "--no-reports", "--id", &id];
        let said = self.world.agon(&args);
        assert!(matches!(said.code, Some(0 | 2)), "{}: {said:?}", self.number);
        self.debates.push(ExpectedDebate { id, left: Vec::new(), halt: None });
        self.played(self.debates.len() - 1, None);
        said
    }

    fn submit(&mut self, step: u64) {
        let id = format!("s{}-{step}", self.number);
        let file = example(SHORT);
        let args = ["submit", &file, "--rehearsal", "--rounds", "1", "--server", self.address, "--id", &id];
        self.world.agon(&args).ok();
        self.submitted.push(id);
    }

    /// Which of its debates stands still and is resumed next.
    fn halted(&mut self) -> Option<usize> {
        let halted: Vec<usize> = (0..self.debates.len()).filter(|at| self.debates[*at].halt.is_some()).collect();
        let chosen = self.choose(halted.len().max(1) as u64) as usize;
        halted.get(chosen).copied()
    }

    /// Stops a process after some of its events, or lets it end.
    fn stop(&mut self, at: usize, running: RunningProgram) {
        for _ in 0..self.choose(40) {
            if running.line().is_none() {
                break;
            }
        }
        let halt = match self.choose(5) {
            0 | 1 => {
                running.crash();
                Some(Halt::Interrupted)
            }
            2 | 3 => {
                running.signal_if_it_runs(Signal::SIGINT);
                let (status, told) = running.wait();
                // before it listens, the signal kills it, and it has not touched the debate
                let unheard = status.signal() == Some(Signal::SIGINT as i32);
                assert!(unheard || matches!(status.code(), Some(0 | 2 | 130)), "{}: {status}: {told}", self.number);
                if unheard { self.debates[at].halt } else { Some(Halt::Paused) }
            }
            _ => {
                let (status, told) = running.wait();
                assert!(matches!(status.code(), Some(0 | 2)), "{}: {status}: {told}", self.number);
                None
            }
        };
        self.played(at, halt);
    }

    /// Takes in what a process has left that played a debate: one claim at the most, and all that stood there before.
    fn played(&mut self, at: usize, halt: Option<Halt>) {
        let number = self.number;
        let log = self.log(&self.debates[at].id);
        let known = &mut self.debates[at];
        let id = &known.id;
        assert_eq!(log.get(..known.left.len()), Some(&known.left[..]), "{number}: {id}: something was lost");
        let new = &log[known.left.len()..];
        let claims: Vec<&Event> = claims(new).collect();
        assert!(claims.len() <= 1, "{number}: {id} was played by two: {claims:?}");
        let ended = log.last().is_some_and(|last| matches!(last.events.last(), Some(Event::DebateEnded { .. })));
        assert!(
            ended || halt.is_some() || log.is_empty(),
            "{number}: {id} was left unfinished by a process that was not stopped"
        );
        // one that was killed before it played the debate may have claimed it or not
        let early = claims.is_empty()
            && self.runtime.block_on(self.store.local(&debate(id))).unwrap() == known.halt.map(LocalState::Halted);
        let halt = if early { known.halt } else { halt };
        known.halt = halt.filter(|_| !ended && !log.is_empty());
        known.left = log;
    }

    /// Every debate stands as it was left.
    fn check(&self) {
        for known in &self.debates {
            let (number, id) = (self.number, &known.id);
            assert_eq!(self.log(id), known.left, "{number}: {id} was continued by somebody");
            let local = self.runtime.block_on(self.store.local(&debate(id))).unwrap();
            let wanted = known.halt.map(LocalState::Halted);
            // a process that was killed before it admitted its debate has left none
            if !known.left.is_empty() {
                assert_eq!(local, wanted, "{number}: {id}");
            }
        }
    }

    /// The log is unbroken, and each of its owners another process.
    fn whole(&self, id: &str) {
        let log = self.log(id);
        if log.is_empty() {
            return;
        }
        self.runtime.block_on(self.store.verify(&debate(id))).unwrap();
        let writers: Vec<String> = writers(&log);
        assert_eq!(writers.iter().collect::<BTreeSet<_>>().len(), writers.len(), "{}: {id}: {writers:?}", self.number);
        assert!(!writers.iter().any(|writer| writer.starts_with("beside")), "{}: {id}: {writers:?}", self.number);
    }

    /// The server plays what was submitted to it, and nobody else does.
    fn served(&self, id: &str) {
        let over = |log: &[Arc<Record>]| {
            log.last().is_some_and(|last| matches!(last.events.last(), Some(Event::DebateEnded { .. })))
        };
        let what = format!("{}: {id} is played to its end", self.number);
        let log = until(&what, PATIENCE, || Ok(Some(self.log(id)).filter(|log| over(log)))).unwrap();
        let writers = writers(&log);
        assert!(writers.len() == 1 && writers[0].starts_with("beside"), "{}: {id}: {writers:?}", self.number);
    }

    fn log(&self, id: &str) -> Vec<Arc<Record>> {
        self.runtime.block_on(self.store.read(&debate(id), Position(0))).unwrap()
    }
}

fn debate(id: &str) -> DebateId {
    DebateId::parse(id).unwrap()
}

fn claims(log: &[Arc<Record>]) -> impl Iterator<Item = &Event> {
    log.iter().flat_map(|record| &record.events).filter(|event| matches!(event, Event::Claimed { .. }))
}

fn writers(log: &[Arc<Record>]) -> Vec<String> {
    let writer = |event: &Event| match event {
        Event::Claimed { writer, .. } => Some(writer.to_string()),
        _ => None,
    };
    claims(log).filter_map(writer).collect()
}
