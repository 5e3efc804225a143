//! `cargo xtask upgrade`: a rolling upgrade from an older version of the program to this one, with debates in flight.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, ensure};

use crate::{needs, process};

/// The version to upgrade from: the last one before the chart, the image and the compose file.
const PREVIOUS: &str = "ef28046";

/// The options of `cargo xtask upgrade`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The commit, branch or tag whose program the cluster begins with
    #[arg(long, value_name = "REV", default_value = PREVIOUS)]
    from: String,
    /// Debates that are under way at any time
    #[arg(long, default_value_t = 12)]
    debates: u32,
    /// Keep the logs of all processes, and say where they are
    #[arg(long)]
    keep: bool,
    /// This nats-server instead of the installed one
    #[arg(long, value_name = "PROGRAM")]
    nats_server: Option<PathBuf>,
}

/// Builds both versions, replaces every process of a cluster, and checks every log.
pub fn run(args: &Args) -> Result<ExitCode> {
    let nats = args.nats_server.clone().map_or_else(needs::nats_server, Ok)?;
    let target = process::metadata()?.target_directory.into_std_path_buf();
    let old = older(&args.from, &target)?;
    let new = process::build_agon()?;
    let mut command = Command::new(process::debug("agon-chaos")?.join("agon-chaos"));
    command.arg("--agon").arg(new).arg("--nats-server").arg(nats).arg("upgrade").arg("--old").arg(old);
    command.args(["--debates", &args.debates.to_string()]);
    process::to_its_end(command.args(args.keep.then_some("--keep")))
}

/// The program of a commit, which is built where it is not there yet. Only the program is kept, below `target/upgrade`.
fn older(rev: &str, target: &Path) -> Result<PathBuf> {
    let commit = git(&["rev-parse", "--verify", "--short=12", &format!("{rev}^{{commit}}")])?;
    let folder = target.join("upgrade").join(commit.trim());
    let program = folder.join("agon");
    if program.is_file() {
        return Ok(program);
    }
    println!("xtask: building agon of {rev}");
    let source = folder.join("source");
    fs::create_dir_all(&source).with_context(|| format!("cannot create {}", source.display()))?;
    let outcome = unpack(rev, &source).and_then(|()| build(&source, target, &folder.join("build")));
    let outcome = outcome.and_then(|built| fs::rename(&built, &program).context("the program cannot be kept"));
    for rest in ["source", "build"] {
        // what is left over does no harm
        fs::remove_dir_all(folder.join(rest)).ok();
    }
    outcome.map(|()| program)
}

fn git(args: &[&str]) -> Result<String> {
    let output = Command::new("git").current_dir(process::root()).args(args).stdin(Stdio::null()).output();
    let output = output.context("cannot start git")?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "git {}: {}", args.join(" "), said.trim_end());
    String::from_utf8(output.stdout).context("git wrote bytes that are not UTF-8")
}

fn unpack(rev: &str, source: &Path) -> Result<()> {
    let archive = source.join("source.tar");
    git(&["archive", "--format=tar", "--output", &archive.to_string_lossy(), rev])?;
    let unpacked =
        Command::new("tar").arg("-xf").arg(&archive).arg("-C").arg(source).status().context("cannot start tar")?;
    ensure!(unpacked.success(), "tar cannot unpack {}", archive.display());
    Ok(())
}

/// What it shares with this version is taken from there: the libraries of others are built once for both.
fn build(source: &Path, target: &Path, to: &Path) -> Result<PathBuf> {
    let mut command = process::cargo();
    command.current_dir(source).args(["build", "--locked", "-p", "agon", "--bins"]);
    let settings: [(&str, OsString); 3] =
        [("CARGO_BUILD_BUILD_DIR", target.into()), ("CARGO_TARGET_DIR", to.into()), ("CARGO_INCREMENTAL", "0".into())];
    let status = command.envs(settings).status().context("cannot start cargo")?;
    ensure!(status.success(), "the older version does not build");
    Ok(to.join("debug/agon"))
}
