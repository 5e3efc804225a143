//! Runs one input after the other, and notices what goes wrong.
use crate::targets::Target;
use anyhow::{Context, Result};
use nix::sys::resource::{Resource, setrlimit};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often time and memory are looked at.
const LOOK: Duration = Duration::from_millis(20);
/// Address space beyond the memory that may be used: threads and what is mapped and not touched.
const SPARE: u64 = 8 * 1024 * 1024 * 1024;

/// What runs now: since when, and what a finding is called.
type CurrentInput = Arc<Mutex<Option<(Instant, PathBuf)>>>;

pub struct Guard {
    findings: PathBuf,
    seed: u64,
    running: CurrentInput,
    /// Where the last panic was.
    panicked: Arc<Mutex<String>>,
    found: BTreeSet<String>,
    /// By target: inputs, and the slowest of them.
    seen: BTreeMap<&'static str, (u64, Duration)>,
}

impl Guard {
    /// Watches this process from now on.
    pub fn new(findings: PathBuf, seed: u64, limit: Duration, memory: u64) -> Result<Self> {
        let space = memory.saturating_add(SPARE);
        setrlimit(Resource::RLIMIT_AS, space, space).context("the memory cannot be limited")?;
        std::fs::create_dir_all(&findings)?;
        let panicked = Arc::new(Mutex::new(String::new()));
        let said = Arc::clone(&panicked);
        std::panic::set_hook(Box::new(move |info| *lock(&said) = info.to_string()));
        let running = CurrentInput::default();
        let (watched, current) = (Arc::clone(&running), findings.join("current"));
        std::thread::Builder::new().spawn(move || watch(&watched, &current, limit, memory))?;
        Ok(Self { findings, seed, running, panicked, found: BTreeSet::new(), seen: BTreeMap::new() })
    }

    /// Runs one input on a thread as small as those of the product.
    pub fn run(&mut self, target: &Target, number: u64, input: Vec<u8>) {
        let current = self.findings.join("current");
        if let Err(error) = std::fs::write(&current, &input) {
            println!("{} cannot be written: {error}", current.display());
        }
        let kept = self.findings.join(format!("{}-{}-{number}", target.name, self.seed));
        let begun = Instant::now();
        *lock(&self.running) = Some((begun, kept.clone()));
        let ran = catch_unwind(AssertUnwindSafe(|| (target.run)(&input)));
        *lock(&self.running) = None;
        let took = begun.elapsed();
        let (count, slowest) = self.seen.entry(target.name).or_default();
        (*count, *slowest) = (*count + 1, took.max(*slowest));
        if ran.is_err() {
            self.panic(&kept, &input);
        }
    }

    fn panic(&mut self, kept: &Path, input: &[u8]) {
        let said = lock(&self.panicked).clone();
        let place = said.lines().next().unwrap_or_default().to_owned();
        // The same panic is one finding, however many inputs lead to it.
        if self.found.insert(place) {
            let written = std::fs::write(kept, input);
            println!(
                "FINDING: {said}\n  input: {} {}",
                kept.display(),
                written.err().map_or_else(String::new, |e| e.to_string())
            );
        }
    }

    /// Prints what was run; true where something was found.
    pub fn report(&self) -> bool {
        for (name, (count, slowest)) in &self.seen {
            println!("{name:<14} {count:>9} inputs, slowest {:>6} ms", slowest.as_millis());
        }
        println!("{} findings", self.found.len());
        !self.found.is_empty()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends the process where an input takes too long or too much; it cannot be stopped in another way.
fn watch(running: &CurrentInput, current: &Path, limit: Duration, memory: u64) {
    loop {
        std::thread::park_timeout(LOOK);
        let Some((begun, kept)) = lock(running).clone() else { continue };
        let used = resident();
        let why = if begun.elapsed() > limit {
            format!("an input takes longer than {} s", limit.as_secs())
        } else if used > memory {
            format!("an input takes {} MiB", used / 1024 / 1024)
        } else {
            continue;
        };
        let moved = std::fs::rename(current, &kept);
        println!(
            "FINDING: {why}\n  input: {} {}",
            kept.display(),
            moved.err().map_or_else(String::new, |e| e.to_string())
        );
        std::process::exit(1);
    }
}

/// Bytes of memory that this process has.
fn resident() -> u64 {
    const PAGE: u64 = 4096;
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    text.split_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok()).unwrap_or_default() * PAGE
}
