//! What this process has used: processor time and memory, as the kernel counts them.
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use std::time::Instant;

/// User plus system time of this process in seconds.
pub fn cpu_seconds() -> f64 {
    getrusage(UsageWho::RUSAGE_SELF).map_or(0.0, |usage| {
        (usage.user_time().num_microseconds() + usage.system_time().num_microseconds()) as f64 / 1e6
    })
}

/// Resident memory of this process in KiB.
pub fn resident_kib() -> u64 {
    status("VmRSS")
}

/// The most memory that was resident since the last [`forget_peak`], in KiB.
pub fn peak_kib() -> u64 {
    status("VmHWM")
}

/// Starts the peak anew.
pub fn forget_peak() {
    // Where the kernel refuses, the peak simply covers the whole life of the process.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

fn status(key: &str) -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

/// A stretch of time and what it cost.
pub struct Stretch {
    wall: Instant,
    cpu: f64,
}

impl Stretch {
    /// Starts now.
    pub fn start() -> Self {
        Self { wall: Instant::now(), cpu: cpu_seconds() }
    }
    /// Wall seconds and processor seconds until now.
    pub fn seconds(&self) -> (f64, f64) {
        (self.wall.elapsed().as_secs_f64(), cpu_seconds() - self.cpu)
    }
}
