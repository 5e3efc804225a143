//! Steps of a check: each is timed and reported, and a failed one does not stop the next.

use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

/// What came of the steps so far.
#[derive(Debug, Default)]
pub struct Steps {
    failed: Vec<String>,
}

impl Steps {
    /// Does `action` under `name`, and prints how it went, how long it took, and what it said if it failed.
    pub fn run(&mut self, name: &str, action: impl FnOnce() -> Result<()>) {
        let start = Instant::now();
        let outcome = action();
        let seconds = start.elapsed().as_secs_f64();
        match outcome {
            Ok(()) => println!("{name}: ok ({seconds:.1} s)"),
            Err(error) => {
                println!("{name}: failed ({seconds:.1} s)\n{error:#}");
                self.failed.push(name.to_owned());
            }
        }
    }

    /// Counts a step that could not be done as failed, for a reason that was printed already.
    pub fn fail(&mut self, name: &str) {
        self.failed.push(name.to_owned());
    }

    /// The verdict over all steps of `whole`.
    pub fn finish(self, whole: &str) -> Result<()> {
        if self.failed.is_empty() { Ok(()) } else { bail!("{whole}: {} failed", self.failed.join(", ")) }
    }
}

/// Runs `command` and shows what it said only if it fails.
pub fn quiet(command: &mut Command) -> Result<()> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {command:?}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    bail!("{}", String::from_utf8_lossy(&said).trim_end())
}

/// Runs `command` and gives what it wrote to its standard output; what it complained of is the error.
pub fn said(command: &mut Command) -> Result<String> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {command:?}"))?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim_end());
    }
    String::from_utf8(output.stdout).with_context(|| format!("{command:?} wrote bytes that are not UTF-8"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_step_is_named_at_the_end_and_stops_no_other() {
        let mut steps = Steps::default();
        let mut done = false;
        steps.run("first", || bail!("broken"));
        steps.run("second", || {
            done = true;
            Ok(())
        });
        steps.fail("third");
        assert!(done);
        assert_eq!(steps.finish("all").unwrap_err().to_string(), "all: first, third failed");
    }

    #[test]
    fn a_command_that_fails_says_why() {
        let error = quiet(Command::new("sh").args(["-c", "echo out; echo err >&2; exit 1"])).unwrap_err();
        assert_eq!(error.to_string(), "out\nerr");
        assert_eq!(said(Command::new("sh").args(["-c", "echo out"])).unwrap(), "out\n");
        assert_eq!(said(Command::new("sh").args(["-c", "echo err >&2; exit 1"])).unwrap_err().to_string(), "err");
    }
}
