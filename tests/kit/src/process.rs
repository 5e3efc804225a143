//! A process of the product: its log in a file, its address, its signals, its figures.
use crate::patience::until;
use anyhow::{Context, Result, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

/// How long a process may take to be up, and to end when it is told to.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// Ticks of processor time in a second, on every Linux.
const TICKS: f64 = 100.0;
/// Lines of its log that are shown when a test fails.
const SHOWN: usize = 60;

/// A running process. Killed when dropped; where a test is failing, its log is shown.
pub struct Process {
    name: String,
    child: Child,
    log: PathBuf,
    over: bool,
}

impl Process {
    /// Starts the command; what it writes goes to a file.
    pub fn start(name: &str, mut command: Command, log: PathBuf) -> Result<Self> {
        let file = File::create(&log).with_context(|| format!("cannot write {}", log.display()))?;
        command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        let child = command.spawn().with_context(|| format!("cannot start {name}"))?;
        Ok(Self { name: name.to_owned(), child, log, over: false })
    }

    /// Waits until its log has a line with this text, and gives that line.
    pub fn wait_for(&mut self, text: &str) -> Result<String> {
        let name = self.name.clone();
        until(&format!("{name} says {text:?}"), PATIENCE, || {
            if let Some(line) = self.log().lines().find(|line| line.contains(text)) {
                return Ok(Some(line.to_owned()));
            }
            match self.child.try_wait()? {
                Some(status) => bail!("{name} ended with {status}:\n{}", self.log()),
                None => Ok(None),
            }
        })
    }

    /// What it has written.
    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap_or_default()
    }
    /// Where it writes.
    pub fn log_file(&self) -> &Path {
        &self.log
    }
    /// Its process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Whether it still runs, stopped or not.
    pub fn runs(&mut self) -> bool {
        !self.over && matches!(self.child.try_wait(), Ok(None))
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) -> Result<()> {
        let id = Pid::from_raw(i32::try_from(self.child.id())?);
        kill(id, signal).with_context(|| format!("{} cannot be signalled", self.name))
    }

    /// Stops it as a frozen machine would (SIGSTOP).
    pub fn stop(&self) -> Result<()> {
        self.signal(Signal::SIGSTOP)
    }
    /// Lets it go on (SIGCONT).
    pub fn go_on(&self) -> Result<()> {
        self.signal(Signal::SIGCONT)
    }

    /// Kills it at once (SIGKILL) and waits until it is gone.
    pub fn kill(&mut self) {
        if !self.over {
            // it may have ended by itself
            self.child.kill().ok();
            self.child.wait().ok();
            self.over = true;
        }
    }

    /// Waits for its end.
    pub fn wait(&mut self) -> Result<ExitStatus> {
        let name = self.name.clone();
        let status = until(&format!("{name} ends"), PATIENCE, || Ok(self.child.try_wait()?))?;
        self.over = true;
        Ok(status)
    }

    /// Tells it to end (SIGTERM) and waits until it has.
    pub fn terminate(&mut self) -> Result<ExitStatus> {
        self.signal(Signal::SIGTERM)?;
        self.wait()
    }

    /// Its processor time so far, user and system, in seconds.
    pub fn cpu_seconds(&self) -> f64 {
        cpu_seconds(self.child.id())
    }
    /// The most memory that it has had, in KiB.
    pub fn peak_kib(&self) -> u64 {
        peak_kib(self.child.id())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
        if std::thread::panicking() {
            let log = self.log();
            let lines: Vec<&str> = log.lines().collect();
            let shown = lines.get(lines.len().saturating_sub(SHOWN)..).unwrap_or_default();
            eprintln!("--- {} ({})\n{}", self.name, self.log.display(), shown.join("\n"));
        }
    }
}

/// Processor time of a process so far, user and system, in seconds; 0 where it is gone.
pub fn cpu_seconds(id: u32) -> f64 {
    let text = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // the name before may hold spaces
    let fields: Vec<&str> = text.rsplit_once(')').map_or("", |(_, rest)| rest).split_whitespace().collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok()).unwrap_or(0.0);
    (ticks(11) + ticks(12)) / TICKS
}

/// The most memory that a process has had, in KiB; 0 where it is gone.
pub fn peak_kib(id: u32) -> u64 {
    let text = fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
