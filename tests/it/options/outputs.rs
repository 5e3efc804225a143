//! What one can see of a debate: its log without what differs from run to run, what was written, and what watchers saw.
use super::cases::{Around, Case, usual_with_history};
use crate::support::World;
use serde_json::Value;

/// How much of a debate is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OutputDepth {
    /// Its log and what was printed, which is enough for most options.
    Log,
    /// Its reports too.
    Reports,
}

/// What can be seen of a debate.
pub struct DebateOutputs {
    /// The events without their spec, times, places and ids.
    log: Vec<Value>,
    /// The names of the files that were written, with the words of those that are read by people.
    files: Vec<(String, String)>,
    /// What was printed.
    shown: String,
}

impl DebateOutputs {
    /// Holds the debate of a file.
    pub fn of(case: &Case, file: &Value, look: OutputDepth) -> Self {
        let world = World::new();
        let path = world.file("debate.json", &serde_json::to_string_pretty(file).unwrap());
        for (name, text) in case.beside {
            world.file(name, text);
        }
        let settings = world.path("agon.toml").display().to_string();
        let mut args = if case.beside.is_empty() { Vec::new() } else { vec!["--config", &settings] };
        if case.around == Around::Before {
            held_beside(&world, "before", &usual_with_history(0));
        }
        args.extend(["run", &path, "--rehearsal", "--id", "flipped"]);
        if !case.keys().contains(&"seed".to_owned()) {
            args.extend(["--seed", "5"]);
        }
        if look == OutputDepth::Log {
            args.push("--no-reports");
        }
        let said = world.agon(&args);
        assert!(matches!(said.code, Some(0 | 2 | 3)), "{}: {said:?}\n{file:#}", case.name);
        if case.around == Around::After {
            held_beside(&world, "after", &usual_with_history(3));
        }
        let looked_at = if case.around == Around::After { "after" } else { "flipped" };
        // Those who are asked at once answer in any order.
        let mut log: Vec<Value> = world.events(looked_at).into_iter().map(plain).collect();
        log.sort_by_key(Value::to_string);
        let folder = world.path("agon-reports/flipped");
        let mut files = Vec::new();
        for entry in std::fs::read_dir(&folder).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            let text = if name.ends_with(".md") { std::fs::read_to_string(&path).unwrap() } else { String::new() };
            files.push((name, text));
        }
        files.sort();
        Self { log, files, shown: said.stdout }
    }
}

/// Another debate in the same store.
fn held_beside(world: &World, id: &str, file: &Value) {
    let path = world.file(&format!("{id}.json"), &file.to_string());
    let said = world.agon(&["run", &path, "--rehearsal", "--id", id, "--seed", "5", "--no-reports"]);
    assert!(matches!(said.code, Some(0 | 2)), "{id}: {said:?}");
}

/// The first difference between two debates, for a person.
pub fn difference(one: &DebateOutputs, other: &DebateOutputs) -> Option<String> {
    let event = one.log.iter().zip(&other.log).find(|(one, other)| one != other);
    if let Some((one, other)) = event {
        return Some(format!("{one}\n{other}"));
    }
    if one.log.len() != other.log.len() {
        return Some(format!("{} and {} events", one.log.len(), other.log.len()));
    }
    let names = |seen: &DebateOutputs| seen.files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    if names(one) != names(other) {
        return Some(format!("{:?}\n{:?}", names(one), names(other)));
    }
    let file = one.files.iter().zip(&other.files).find(|((_, one), (_, other))| said(one) != said(other));
    if let Some(((name, _), _)) = file {
        return Some(format!("{name} differs"));
    }
    (words(&one.shown) != words(&other.shown)).then(|| "what was printed differs".to_owned())
}

/// Without what is different in every run, and without the spec itself: numbers, times, places, what a cache spared. A deadline is told from when the turn was asked.
fn plain(mut event: Value) -> Value {
    let times = (milliseconds(&event["at"]), milliseconds(&event["deadline"]));
    strip(&mut event);
    if let (Some(at), Some(deadline)) = times {
        const DAY: u64 = 24 * 60 * 60 * 1_000;
        event["deadline"] = ((deadline + DAY - at) % DAY).into();
    }
    event
}

/// The time of day in `2026-11-21T22:25:22.046Z`, in milliseconds.
fn milliseconds(time: &Value) -> Option<u64> {
    let (_, time) = time.as_str()?.trim_end_matches('Z').split_once('T')?;
    let parts: Vec<f64> = time.split(':').map(|part| part.parse().unwrap()).collect();
    let [hours, minutes, seconds] = parts.as_slice() else { return None };
    Some(((hours * 60.0 + minutes) * 60_000.0 + seconds * 1_000.0).round() as u64)
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(members) => {
            const VARYING: [&str; 11] = [
                "admitted",
                "spec",
                "timing",
                "usage",
                "host",
                "seq",
                "at",
                "writer",
                "submitted_by",
                "duration_ms",
                "deadline",
            ];
            members.retain(|name, _| !VARYING.contains(&name.as_str()));
            members.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

/// The headings of a report and its long lines, which are what somebody said, in any order. When an earlier debate was held differs.
fn said(text: &str) -> Vec<String> {
    let lines = text.lines().filter(|line| line.starts_with("## ") || line.len() > 120 && !line.contains(" tokens"));
    let undated =
        |line: &str| if line.contains(" UTC)") { line.replace(char::is_numeric, "#") } else { line.to_owned() };
    let mut lines: Vec<String> = lines.map(undated).collect();
    lines.sort_unstable();
    lines
}

/// How many words were printed: times and tokens differ, but not how much is shown. They break lines elsewhere, as do those who are
/// asked at once and answer in another order. Which host plays a turn is told only before the turn is over.
fn words(shown: &str) -> usize {
    shown.lines().filter(|line| !line.contains(" is played by ")).flat_map(str::split_whitespace).count()
}
