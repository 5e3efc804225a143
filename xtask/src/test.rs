//! `cargo xtask test`: sets up what the tests need, builds them once, runs each in a process of its own, and sums them up in one line.

mod groups;
mod list;
mod pool;
mod real;
mod report;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};

use crate::{needs, process};
use groups::{SkippedGroup, TestScope};
use list::Test;
pub use list::{build, tests};

/// What the names of tests have that run against a live host.
const LIVE: &str = "a_live_host_";

/// The command line of `test`.
#[derive(clap::Args)]
pub struct Args {
    /// Run the tests of real model servers, and no others, against this Ollama or OpenAI-compatible server: the contract of the
    /// clients, two whole debates, an eval, one debate that is killed and resumed. With --all or a name, the tests that these choose
    /// run besides. The key is read from `AGON_LIVE_KEY`
    #[arg(long, value_name = "URL", requires = "model")]
    live: Option<String>,
    /// The model to ask for on that host
    #[arg(long, value_name = "NAME", requires = "live")]
    model: Option<String>,
    /// The interface of that host [default: openai where the path of the URL ends in /v1, else ollama]
    #[arg(long, value_name = "NAME", requires = "live", value_parser = ["ollama", "openai"])]
    kind: Option<String>,
    /// Run the tests with a real model, and no others: SmolLM2 at llama.cpp's server, both fetched once (127 MB) into the user's
    /// cache. With --all or a name, the tests that these choose run besides; --thorough has them all, --all a few
    #[arg(long)]
    real: bool,
    /// Run the suites of bus and store against this nats-server too, in addition to the installed one
    #[arg(long, value_name = "PROGRAM")]
    nats_server: Vec<PathBuf>,
    /// The seed of property tests. It is the same for each run, so that a change is told of what it broke itself
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Run the slow groups too: the chart's pods, the documents in networks of their own, every combination of options
    #[arg(long)]
    all: bool,
    /// Run the longest random ones besides all others: 200 sequences of two terminals, 50 kills of an eval's driver, 10,000 prompts
    #[arg(long)]
    thorough: bool,
    /// Only tests whose name contains this, those of the slow groups included
    filter: Option<String>,
}

impl Args {
    fn scope(&self) -> TestScope {
        match (self.thorough, self.all) {
            (true, _) => TestScope::Thorough,
            (false, true) => TestScope::All,
            (false, false) => TestScope::Usual,
        }
    }
    fn is_whole(&self) -> bool {
        self.scope() > TestScope::Usual
    }
    /// Whether tests are picked by what they ask.
    fn is_picked(&self) -> bool {
        self.live.is_some() || self.real
    }
    fn picks(&self, test: &Test) -> bool {
        self.live.is_some() && test.name.contains(LIVE) || self.real && real::asks_it(test)
    }
}

/// Builds what the tests drive, runs them, and prints `N passed, N failed` last.
pub fn run(args: &Args) -> Result<ExitCode> {
    needs::ensure()?;
    println!("xtask: building the program and its tests");
    let built = list::build()?;
    let all = list::tests(&built)?;
    let (tests, left) = chosen(args, all)?;
    let environment = environment(args, &built.program, &tests)?;
    let documented = args.filter.is_none() && (!args.is_picked() || args.is_whole());
    println!("xtask: running {} tests", tests.len());
    let outcome = pool::run(&tests, documented, &environment)?;

    outcome.print_failures();
    outcome.print_slowest();
    match (&args.live, &args.model) {
        (Some(url), Some(model)) => {
            let kind = kind(args).unwrap_or_default();
            println!("run against the live model host {url} ({kind}) with {model}");
        }
        _ => println!("not run against a live model host (--live URL --model NAME does)"),
    }
    if args.nats_server.is_empty() {
        println!("run against the installed nats-server alone (--nats-server PROGRAM adds another)");
    }
    println!("property tests drew their cases from the seed {} (--seed NUMBER draws others)", args.seed);
    left.iter().for_each(|left| println!("{left}"));
    let totals = outcome.totals();
    let ran = totals.passed + totals.failed > 0;
    if !ran {
        println!("xtask: no test ran; is the filter {:?} right?", args.filter.as_deref().unwrap_or_default());
    }
    // The last line on purpose: whoever calls this reads the result there, also after a failure.
    println!("{}", totals.line());
    Ok(if ran && totals.failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The tests that the command line asks for, and what it leaves out.
fn chosen(args: &Args, all: Vec<Test>) -> Result<(Vec<Test>, Vec<SkippedGroup>)> {
    groups::check(&all)?;
    match &args.filter {
        // Who names a test wants it, however slow it is.
        Some(filter) => {
            let named = |test: &Test| test.name.contains(filter) || args.picks(test);
            Ok((all.into_iter().filter(named).collect(), Vec::new()))
        }
        None if args.is_picked() && !args.is_whole() => {
            Ok((all.into_iter().filter(|test| args.picks(test)).collect(), Vec::new()))
        }
        None => Ok(groups::leave(all, args.scope(), |test| args.picks(test))),
    }
}

/// The interface of the live host.
fn kind(args: &Args) -> Option<String> {
    let url = args.live.as_ref()?;
    let told = if url.trim_end_matches('/').ends_with("/v1") { "openai" } else { "ollama" };
    Some(args.kind.clone().unwrap_or_else(|| told.to_owned()))
}

/// What the tests find in their environment.
fn environment(args: &Args, program: &Path, tests: &[Test]) -> Result<Vec<(&'static str, Option<OsString>)>> {
    let metadata = process::metadata()?;
    let target = metadata.target_directory.as_std_path();
    let fetched = |wanted| needs::npm_file(target, wanted);
    let real = tests.iter().any(real::asks_it).then(|| real::packages(target)).transpose()?;
    Ok(vec![
        ("AGON_BIN", Some(program.into())),
        ("AGON_MCP_SERVER", Some(fetched(&needs::MCP_SERVER).into())),
        ("AGON_AXE", Some(fetched(&needs::AXE).into())),
        ("AGON_REAL", real.map(Into::into)),
        ("AGON_NATS_SERVERS", Some(nats_servers(args)?)),
        ("PROPTEST_RNG_SEED", Some(args.seed.to_string().into())),
        // Otherwise each process with snapshots asks cargo for it, which takes longer than its test.
        ("INSTA_WORKSPACE_ROOT", Some(process::root().into())),
        // Both are set or both are not, whatever the caller's environment holds.
        ("AGON_LIVE_URL", args.live.clone().map(Into::into)),
        ("AGON_LIVE_MODEL", args.model.clone().map(Into::into)),
        ("AGON_LIVE_KIND", kind(args).map(Into::into)),
    ])
}

/// The servers that the suites of bus and store run against, as a search path.
fn nats_servers(args: &Args) -> Result<OsString> {
    let installed = needs::nats_server()?;
    let all = std::iter::once(&installed).chain(&args.nats_server);
    std::env::join_paths(all).context("a nats-server's path holds a colon")
}
