//! `cargo xtask check`: everything that can be said about the workspace without running it.

use anyhow::Result;

use crate::steps::{Steps, quiet};
use crate::{licences, package, process, protos, ship, tidy};

/// The command line of `check`.
#[derive(clap::Args)]
pub struct Args {
    /// Fail where a tool that checks image, chart or monitoring is missing, in place of saying so
    #[arg(long)]
    ship: bool,
}

/// Runs every step, also after a failed one; prints the output of those that fail.
pub fn run(args: &Args) -> Result<()> {
    let mut steps = Steps::default();
    steps.run("fmt", || quiet(process::cargo().args(["fmt", "--all", "--", "--check"])));
    steps.run("clippy", || {
        let args = ["clippy", "--workspace", "--all-targets", "--quiet", "--", "-D", "warnings"];
        quiet(process::cargo().args(args))
    });
    steps.run("docs", || {
        let args = ["doc", "--workspace", "--no-deps", "--quiet"];
        quiet(process::cargo().args(args).env("RUSTDOCFLAGS", "-D warnings"))
    });
    steps.run("protos", || protos::run(&protos::Args { check: true }));
    steps.run("tidy", || tidy::run(&tidy::Args {}));
    steps.run("licences", || licences::run(&licences::Args { check: true }));
    steps.run("package", || package::run(&package::Args { verify: false }));
    // Not installed from here: a check downloads no programs.
    if process::find_on_path("cargo-deny").is_some() {
        steps.run("deny", || quiet(process::cargo().args(["deny", "--log-level", "warn", "check"])));
    } else {
        println!("deny: not run; known vulnerabilities were not looked up. Install it with");
        println!(
            "      `cargo install cargo-deny --locked --version 0.20.2`. Licences, bans and sources were checked by tidy."
        );
    }
    ship::check(&mut steps, if args.ship { ship::WhenMissing::Fails } else { ship::WhenMissing::IsTold });
    steps.finish("check")
}
