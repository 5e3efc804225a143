//! The processes that play local debates, and whether they live.
use agon_core::{Halt, Timestamp};
use std::fs;

/// A process of another container, whose process table cannot be read here, is dead when it was silent for so long.
pub const OWNER_SILENT_MS: u64 = 30_000;
/// Ticks in a second, as every Linux shows them to its users.
const TICKS: u64 = 100;

/// How a debate stands that was not submitted to a server and has not ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LocalState {
    /// This process plays it.
    Played(Owner),
    /// Nobody does.
    Halted(Halt),
}

/// What came of an attempt to become the one process that plays a local debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claimed {
    /// The caller plays it from now on.
    Won,
    /// This process does.
    Held(Owner),
    /// It was submitted to a server, which plays it.
    Servers,
    /// The debate was there before, or has ended.
    Refused,
}

/// A process that plays local debates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// Its process id.
    pub pid: u32,
    /// When it was started.
    pub started: Timestamp,
    /// The name of its machine.
    pub host: String,
    /// The system and the process table in which the id means this process; empty where the system has no `/proc`.
    pub(crate) table: String,
    /// When it was started, in ticks of its system.
    pub(crate) ticks: u64,
    /// Random: no other process has it.
    pub(crate) token: u64,
}

impl Owner {
    /// The calling process.
    pub fn this_process(now: Timestamp) -> Self {
        Self::of(std::process::id(), now)
    }

    pub(crate) fn of(pid: u32, now: Timestamp) -> Self {
        let ticks = ProcessInfo::read(pid).map(|process| process.ticks);
        let started = ticks.and_then(|ticks| Some(Timestamp(boot_time()? * 1_000 + ticks * 1_000 / TICKS)));
        Self {
            pid,
            started: started.unwrap_or(now),
            host: read("/proc/sys/kernel/hostname").unwrap_or_default(),
            table: ticks.and_then(|_| process_table()).unwrap_or_default(),
            ticks: ticks.unwrap_or(0),
            token: rand::random(),
        }
    }

    /// Whether the process lives, which was last heard at `seen`. Of a process of this system it is known; of one of
    /// another container it is guessed.
    pub(crate) fn lives(&self, seen: Timestamp, now: Timestamp) -> bool {
        let here = process_table().unwrap_or_default();
        if !here.is_empty() && self.table == here {
            return ProcessInfo::read(self.pid).is_some_and(|process| process.runs && process.ticks == self.ticks);
        }
        let boot = |table: &str| table.split(' ').next().unwrap_or_default().to_owned();
        let same_machine = read("/proc/sys/kernel/hostname").is_some_and(|host| host == self.host);
        if same_machine && !self.table.is_empty() && boot(&self.table) != boot(&here) {
            // it was started before this machine was
            return false;
        }
        now.since(seen) < OWNER_SILENT_MS
    }
}

/// What the system says of a process.
struct ProcessInfo {
    runs: bool,
    ticks: u64,
}

impl ProcessInfo {
    fn read(pid: u32) -> Option<Self> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // the name before may hold spaces and brackets
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let runs = !matches!(fields.next()?, "Z" | "X");
        Some(Self { runs, ticks: fields.nth(18)?.parse().ok()? })
    }
}

/// The running system and the namespace of its process ids.
fn process_table() -> Option<String> {
    let boot = read("/proc/sys/kernel/random/boot_id")?;
    let namespace = fs::read_link("/proc/self/ns/pid").ok()?;
    Some(format!("{boot} {}", namespace.display()))
}

/// When this system was started, in seconds since 1970.
fn boot_time() -> Option<u64> {
    let stat = fs::read_to_string("/proc/stat").ok()?;
    stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()
}

fn read(path: &str) -> Option<String> {
    Some(fs::read_to_string(path).ok()?.trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    const NOW: Timestamp = Timestamp(1_800_000_000_000);

    #[test]
    fn a_process_lives_until_it_is_killed_even_before_its_parent_has_noticed() {
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::null()).spawn().unwrap();
        let owner = Owner::of(child.id(), NOW);
        assert!(owner.lives(Timestamp(0), NOW), "however long it was silent");
        child.kill().unwrap();
        while ProcessInfo::read(child.id()).is_some_and(|process| process.runs) {
            std::thread::yield_now();
        }
        assert!(!owner.lives(NOW, NOW), "it is a zombie");
        child.wait().unwrap();
        assert!(!owner.lives(NOW, NOW));
    }

    #[test]
    fn another_process_with_the_same_id_is_not_the_owner() {
        let owner = Owner::this_process(NOW);
        assert!(owner.lives(Timestamp(0), NOW));
        assert!(!Owner { ticks: owner.ticks + 1, ..owner }.lives(NOW, NOW));
    }

    #[test]
    fn a_process_of_another_container_lives_as_long_as_it_is_heard() {
        let own = Owner::this_process(NOW);
        let boot = own.table.split(' ').next().unwrap().to_owned();
        let other = Owner { table: format!("{boot} pid:[1]"), ..own };
        assert!(other.lives(Timestamp(NOW.0 - OWNER_SILENT_MS + 1), NOW));
        assert!(!other.lives(Timestamp(NOW.0 - OWNER_SILENT_MS), NOW));
    }

    #[test]
    fn no_process_survives_a_restart_of_its_machine() {
        let own = Owner::this_process(NOW);
        assert!(!Owner { table: "earlier pid:[1]".to_owned(), ..own }.lives(NOW, NOW));
    }
}
