//! `cargo xtask check`: everything that can be said about the workspace without running it.

use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use crate::{process, protos, tidy};

/// The command line of `check`.
#[derive(clap::Args)]
pub struct Args {}

/// Runs every step, also after a failed one; prints the output of those that fail.
pub fn run(_: &Args) -> Result<()> {
    let mut failed = Vec::new();
    let mut step = |name: &'static str, action: &dyn Fn() -> Result<()>| {
        let start = Instant::now();
        let outcome = action();
        let seconds = start.elapsed().as_secs_f64();
        match outcome {
            Ok(()) => println!("{name}: ok ({seconds:.1} s)"),
            Err(error) => {
                println!("{name}: failed ({seconds:.1} s)\n{error:#}");
                failed.push(name);
            }
        }
    };
    step("fmt", &|| quiet(process::cargo().args(["fmt", "--all", "--", "--check"])));
    step("clippy", &|| {
        let args = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];
        quiet(process::cargo().args(args))
    });
    step("docs", &|| {
        let args = ["doc", "--workspace", "--no-deps", "--quiet"];
        quiet(process::cargo().args(args).env("RUSTDOCFLAGS", "-D warnings"))
    });
    step("protos", &|| protos::run(&protos::Args { check: true }));
    step("tidy", &|| tidy::run(&tidy::Args {}));
    // Not installed from here: a check downloads no programs.
    if process::find_on_path("cargo-deny").is_some() {
        step("deny", &|| quiet(process::cargo().args(["deny", "--log-level", "warn", "check"])));
    } else {
        println!("deny: not run; known vulnerabilities were not looked up. Install it with");
        println!("      `cargo install cargo-deny --locked`. Licences, bans and sources were checked by tidy.");
    }
    if failed.is_empty() { Ok(()) } else { bail!("check: {} failed", failed.join(", ")) }
}

/// Runs `command` and shows what it said only if it fails.
fn quiet(command: &mut Command) -> Result<()> {
    let output = command.stdin(Stdio::null()).output().with_context(|| format!("cannot start {command:?}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    bail!("{}", String::from_utf8_lossy(&said).trim_end())
}
