//! This machine: memory, disks, clock, variables.
use super::CheckupFinding;
use crate::environment::Environment;
use crate::settings::{KNOWN_VARIABLES, variable_mistake};
use std::path::Path;

/// Less free space than this on a disk is worth a warning.
const LITTLE_SPACE: u64 = 512 << 20;
/// With less free space than this, debates fail.
const NO_SPACE: u64 = 32 << 20;
/// Clocks that differ by more make deadlines and ages wrong.
const SKEW_SECONDS: i64 = 60;

/// Looks at the free space where `what` is kept.
pub fn disk(what: &str, path: &Path) -> Option<CheckupFinding> {
    let place = path.ancestors().find(|place| !place.as_os_str().is_empty() && place.exists());
    let stat = rustix::fs::statvfs(place.unwrap_or(Path::new("."))).ok()?;
    space(what, path, stat.f_bavail.saturating_mul(stat.f_frsize))
}

fn space(what: &str, path: &Path, free: u64) -> Option<CheckupFinding> {
    let found =
        |least: u64| format!("{} free on the disk of {}, less than {}", bytes(free), path.display(), bytes(least));
    let fix = "free some space, or use another disk (--store PATH, --output-dir DIR)";
    match free {
        _ if free < NO_SPACE => Some(CheckupFinding::fail(what, found(NO_SPACE), fix)),
        _ if free < LITTLE_SPACE => Some(CheckupFinding::warn(what, found(LITTLE_SPACE), fix)),
        _ => None,
    }
}

/// Compares the clock of a server with ours.
pub fn clock(server: &str, theirs: Option<jiff::Timestamp>) -> Option<CheckupFinding> {
    skew(server, theirs?, jiff::Timestamp::now())
}

fn skew(server: &str, theirs: jiff::Timestamp, ours: jiff::Timestamp) -> Option<CheckupFinding> {
    let ahead = ours.duration_since(theirs).as_secs();
    if ahead.abs() <= SKEW_SECONDS {
        return None;
    }
    let word = if ahead > 0 { "ahead of" } else { "behind" };
    let found = format!("this machine is {} s {word} {server}", ahead.abs());
    Some(CheckupFinding::warn("clock", found, "set both clocks by NTP (timedatectl set-ntp true)"))
}

/// The memory that models can still take on this machine, in bytes; nothing where the system does not tell.
pub fn available_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.trim().trim_end_matches("kB").trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// A size for people.
pub fn bytes(bytes: u64) -> String {
    let mebibytes = bytes >> 20;
    if mebibytes < 1024 { format!("{mebibytes} MiB") } else { format!("{:.1} GiB", mebibytes as f64 / 1024.0) }
}

/// Variables of Agon's that are no settings.
const OTHERS: [&str; 2] = ["AGON_LOG", "AGON_SERVER"];

/// Looks for variables that look like Agon's and are none.
pub fn variables(environment: &Environment) -> Vec<CheckupFinding> {
    let names = environment.with_prefix("AGON_").map(|(name, _)| name);
    let unknown = names.filter(|name| !name.starts_with("AGON__") && !is_known(name) && !is_of_kubernetes(name));
    let finding = |name: &str| {
        let fix = match meant(name) {
            Some(meant) => format!("did you mean {meant}? Otherwise remove it: unset {name}"),
            None => {
                format!("settings have two underscores, as in AGON__STORE__PATH; otherwise remove it: unset {name}")
            }
        };
        CheckupFinding::warn("environment", format!("Agon knows no variable {name}, and ignores it"), fix)
    };
    unknown.map(finding).collect()
}

fn is_known(name: &str) -> bool {
    OTHERS.contains(&name) || KNOWN_VARIABLES.iter().any(|(known, ..)| *known == name) || name.ends_with("_PASSWORD")
}

/// What Kubernetes sets for a service whose name begins with ours.
fn is_of_kubernetes(name: &str) -> bool {
    name.ends_with("_PORT")
        || name.contains("_SERVICE_HOST")
        || name.contains("_SERVICE_PORT")
        || (name.contains("_PORT_") && (name.contains("_TCP") || name.contains("_UDP")))
}

/// The variable that was most likely meant: a setting whose underscores are missing, or a known name that is near.
fn meant(name: &str) -> Option<String> {
    let rest = name.strip_prefix("AGON_")?;
    let is_setting = |name: &String| variable_mistake(name, "x").is_none_or(|wrong| !wrong.contains("unknown field"));
    let once = rest.match_indices('_').filter_map(|(at, _)| Some((rest.get(..at)?, rest.get(at + 1..)?)));
    let mut settings = once.map(|(section, key)| format!("AGON__{section}__{}", key.trim_start_matches('_')));
    let others = OTHERS.iter().filter_map(|other| other.strip_prefix("AGON_"));
    let near = || agon_spec::nearest(rest, others).map(|other| format!("AGON_{other}"));
    settings.find(is_setting).or_else(near)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_space_is_told_with_its_threshold() {
        let level = |free| space("store", Path::new("/a"), free).map(|found| (found.level, found.found));
        assert_eq!(level(LITTLE_SPACE), None);
        let (warned, found) = level(LITTLE_SPACE - 1).unwrap();
        assert!(warned == super::super::CheckupLevel::Warn && found.contains("512 MiB"), "{found}");
        assert_eq!(level(1 << 20).unwrap().0, super::super::CheckupLevel::Fail);
    }

    #[test]
    fn a_clock_may_be_off_by_a_minute() {
        let ours: jiff::Timestamp = "2026-01-01T12:00:00Z".parse().unwrap();
        let found = |theirs: &str| skew("a", theirs.parse().unwrap(), ours).map(|found| found.found);
        assert_eq!(found("2026-01-01T11:59:00Z"), None);
        assert!(found("2026-01-01T11:58:00Z").unwrap().contains("120 s ahead of"));
        assert!(found("2026-01-01T12:05:00Z").unwrap().contains("300 s behind"));
    }

    #[test]
    fn a_variable_that_is_none_of_ours_is_told_with_the_one_that_was_meant() {
        let told = |name: &str| {
            let found = variables(&Environment::from([(name, "x")]));
            found.first().map(|found| found.fix.clone().unwrap_or_default())
        };
        assert!(told("AGON_STORE_PATH").unwrap().contains("AGON__STORE__PATH"));
        assert!(told("AGON_RUNTIME_MAX_DEBATES").unwrap().contains("AGON__RUNTIME__MAX_DEBATES"));
        assert!(told("AGON_SERVR").unwrap().contains("AGON_SERVER"));
        assert!(told("AGON_FOO_BAR").unwrap().contains("unset AGON_FOO_BAR"));
        assert!(!told("AGON_FOO_BAR").unwrap().contains("did you mean"));
        for ours in ["AGON_SERVER", "AGON_LOG", "AGON__STORE__PATH", "AGON_PORT", "AGON_GATEWAY_PORT_80_TCP_ADDR"] {
            assert_eq!(told(ours), None, "{ours}");
        }
    }
}
