//! Runs tests beside one another, each in a process of its own: what one leaves behind meets no other, and each has a time. Those that
//! ask a real model have the machine for themselves.

use std::ffi::OsString;
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::list::Test;
use super::real;
use super::report::{Ran, TestOutcome, Totals};
use crate::process;

/// Tests at one time for each core: many wait for servers, timers and processes.
const PER_CORE: usize = 2;

/// Runs the tests, and the examples in documentation where they are wanted, in this environment.
pub fn run(tests: &[Test], documented: bool, environment: &[(&str, Option<OsString>)]) -> Result<TestOutcome> {
    let cores = thread::available_parallelism().context("how many cores there are is not known")?.get();
    let next = AtomicUsize::new(0);
    let (alone, beside): (Vec<&Test>, Vec<&Test>) = tests.iter().partition(|test| real::asks_it(test));
    let all = Mutex::new(Vec::with_capacity(tests.len() + 1));
    let keep = |ran: Result<Ran>| {
        if let Ok(ran) = &ran {
            ran.print();
        }
        all.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(ran);
    };
    thread::scope(|scope| {
        if documented {
            // The tests in documentation comments: only cargo and rustdoc know how to run them.
            scope.spawn(|| keep(timed("documentation", doc_tests(), environment)));
        }
        for _ in 0..cores * PER_CORE {
            scope.spawn(|| {
                while let Some(test) = beside.get(next.fetch_add(1, Ordering::Relaxed)) {
                    keep(timed(&test.full_name(), test.command(), environment));
                }
            });
        }
    });
    alone.iter().for_each(|test| keep(timed(&test.full_name(), test.command(), environment)));
    let all = all.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    Ok(TestOutcome::new(all.into_iter().collect::<Result<_>>()?))
}

fn doc_tests() -> Command {
    let mut command = process::cargo();
    command.args(["test", "--workspace", "--quiet", "--no-fail-fast", "--doc"]);
    command
}

fn timed(name: &str, mut command: Command, environment: &[(&str, Option<OsString>)]) -> Result<Ran> {
    for (name, value) in environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let started = Instant::now();
    let output = command.output().with_context(|| format!("cannot start {name}"))?;
    Ok(ran(
        name,
        &output.status.to_string(),
        output.status.success(),
        &[output.stdout, output.stderr].concat(),
        started.elapsed(),
    ))
}

/// What came of a test program, by what it said and how it ended.
fn ran(name: &str, status: &str, success: bool, said: &[u8], took: Duration) -> Ran {
    let said = String::from_utf8_lossy(said).into_owned();
    let mut totals = Totals::read(&said);
    let trouble = if !success && totals.failed == 0 {
        totals.failed = 1;
        Some(format!("it ended with {status} and no result"))
    } else {
        None
    };
    Ran { name: name.to_owned(), took, totals, said, trouble }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_dies_without_a_result_has_failed() {
        let ran = ran("a b", "signal 6", false, b"\xff no result", Duration::ZERO);
        assert_eq!(ran.totals, Totals { passed: 0, failed: 1, skipped: 0 });
        assert!(ran.trouble.is_some_and(|trouble| trouble.contains("signal 6")));
    }

    #[test]
    fn the_environment_reaches_the_test_and_what_is_not_set_is_taken_away() {
        let mut command = Command::new("sh");
        command.args(["-c", "echo \"$SET-${UNSET-gone}\""]).env("UNSET", "here");
        let ran = timed("sh", command, &[("SET", Some("set".into())), ("UNSET", None)]).unwrap();
        assert_eq!(ran.said, "set-gone\n");
    }
}
