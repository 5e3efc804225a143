//! `cargo xtask test`: all set-up, then every test, then one line that sums them up.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{ExitCode, Stdio};

use anyhow::{Context, Result};

use crate::{needs, process};

/// The command line of `test`.
#[derive(clap::Args)]
pub struct Args {
    /// Run the contract tests of the model clients against this host too
    #[arg(long, value_name = "URL", requires = "model")]
    live: Option<String>,
    /// The model to ask for on that host
    #[arg(long, value_name = "NAME", requires = "live")]
    model: Option<String>,
    /// Run the suites of bus and store against this nats-server too, beside the installed one
    #[arg(long, value_name = "PROGRAM")]
    nats_server: Vec<PathBuf>,
    /// Where property tests draw their cases from: the same ones each time, so that a change is told of what it broke itself
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Only tests whose name contains this
    filter: Option<String>,
}

/// Sums of the result lines that test binaries end with.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Totals {
    passed: u64,
    failed: u64,
    skipped: u64,
}

/// Builds what the tests drive, runs them all, and prints `N passed, N failed` last.
pub fn run(args: &Args) -> Result<ExitCode> {
    needs::ensure()?;
    println!("xtask: building agon for the system tests");
    let agon = process::build_agon()?;
    let built = Built { mcp_server: needs::mcp_server(process::metadata()?.target_directory.as_std_path()), agon };
    let mut totals = Totals::default();
    // Documentation tests are no target, so that cargo runs them only when asked by themselves.
    for targets in ["--all-targets", "--doc"] {
        totals.add(cargo_test(targets, &built, args)?);
    }
    match (&args.live, &args.model) {
        (Some(url), Some(model)) => println!("run against the live model host {url} with {model}"),
        _ => println!("not run against a live model host (--live URL --model NAME does)"),
    }
    if args.nats_server.is_empty() {
        println!("run against the installed nats-server alone (--nats-server PROGRAM adds another)");
    }
    println!("property tests drew their cases from the seed {} (--seed NUMBER draws others)", args.seed);
    let ran = totals.passed + totals.failed > 0;
    if !ran {
        println!("xtask: no test ran; is the filter {:?} right?", args.filter.as_deref().unwrap_or_default());
    }
    // The last line on purpose: whoever calls this reads the result there, also after a failure.
    println!("{}", totals.line());
    Ok(if ran && totals.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What the tests drive.
struct Built {
    agon: PathBuf,
    mcp_server: PathBuf,
}

fn cargo_test(targets: &str, built: &Built, args: &Args) -> Result<Totals> {
    let mut command = process::cargo();
    command.args(["test", "--workspace", "--no-fail-fast", targets]).args(&args.filter);
    command.env("AGON_BIN", &built.agon).env("AGON_MCP_SERVER", &built.mcp_server);
    command.env("AGON_NATS_SERVERS", nats_servers(args)?).env("PROPTEST_RNG_SEED", args.seed.to_string());
    // Both are set or both are not, whatever the caller's environment holds.
    for (name, value) in [("AGON_LIVE_URL", &args.live), ("AGON_LIVE_MODEL", &args.model)] {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let mut child = command.stdout(Stdio::piped()).spawn().context("cannot start cargo")?;
    let output = child.stdout.take().context("cargo has no stdout")?;
    let mut totals = tee(BufReader::new(output), std::io::stdout())?;
    let status = child.wait().context("cargo did not finish")?;
    if !status.success() && totals.failed == 0 {
        println!(
            "xtask: cargo test {targets} ended with {status} and no failed test: it did not build, or a test binary died"
        );
        totals.failed = 1;
    }
    Ok(totals)
}

/// The servers that the suites of bus and store run against, as a search path.
fn nats_servers(args: &Args) -> Result<OsString> {
    let installed = needs::find("nats-server").context("nats-server is not installed")?;
    let all = std::iter::once(&installed).chain(&args.nats_server);
    std::env::join_paths(all).context("a nats-server's path holds a colon")
}

/// Passes `output` on to `sink`, adding up the result lines.
fn tee(mut output: impl BufRead, mut sink: impl Write) -> Result<Totals> {
    let mut totals = Totals::default();
    let mut line = Vec::new();
    while output.read_until(b'\n', &mut line).context("cannot read the output of cargo test")? > 0 {
        sink.write_all(&line).context("cannot pass on the output of cargo test")?;
        if let Some(result) = Totals::parse(&String::from_utf8_lossy(&line)) {
            totals.add(result);
        }
        line.clear();
    }
    Ok(totals)
}

impl Totals {
    /// Reads a line like `test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; ...`.
    fn parse(line: &str) -> Option<Self> {
        let (_, counts) = line.strip_prefix("test result: ")?.split_once(". ")?;
        let count = |label: &str| {
            let part = counts.split("; ").find_map(|part| part.trim().strip_suffix(label))?;
            part.trim().parse().ok()
        };
        Some(Self { passed: count("passed")?, failed: count("failed")?, skipped: count("ignored")? })
    }

    fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }

    fn line(self) -> String {
        let skipped = if self.skipped > 0 { format!(", {} skipped", self.skipped) } else { String::new() };
        format!("{} passed, {} failed{skipped}", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OK: &str = "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 7 filtered out; finished in 0.05s\n";
    const BAD: &str =
        "test result: FAILED. 2 passed; 4 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.05s\n";

    #[test]
    fn result_lines_are_added_up_and_other_lines_are_not() {
        let output = format!("running 3 tests\n{OK}test a ... ok\n{BAD}9 passed; 9 failed\n");
        let mut shown = Vec::new();
        let totals = tee(output.as_bytes(), &mut shown).unwrap();
        assert_eq!(shown, output.as_bytes());
        assert_eq!(totals, Totals { passed: 5, failed: 4, skipped: 1 });
    }

    #[test]
    fn bytes_that_are_no_text_do_not_stop_the_count() {
        let output = [b"\xff\xfe\n".as_slice(), OK.as_bytes()].concat();
        assert_eq!(tee(output.as_slice(), std::io::sink()).unwrap().passed, 3);
    }

    #[test]
    fn the_last_line_names_skipped_tests_only_where_there_are_any() {
        assert_eq!(Totals { passed: 5, failed: 0, skipped: 0 }.line(), "5 passed, 0 failed");
        assert_eq!(Totals { passed: 5, failed: 1, skipped: 2 }.line(), "5 passed, 1 failed, 2 skipped");
    }
}
