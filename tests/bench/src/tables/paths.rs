//! The table of what runs at once: how long a debate of each format takes beside its longest chain of calls.
use super::BenchRun;
use crate::paths::PathFigures;
use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// Before the first token of each answer.
const LATENCY: &str = "200ms";
/// So many calls may run at once: more than any of these debates asks for.
const PERMITS: &str = "64";
/// The goal: wall time over the longest chain.
const MOST_WALL: f64 = 1.05;

impl BenchRun {
    /// Plays the examples of all formats, and some others, one after the other.
    pub(super) fn paths(&self) -> Result<()> {
        println!("\n## What runs at once: one debate, a call takes {LATENCY}, as many permits as it can use\n");
        println!(
            "| example | calls | one after the other, s | calls of the longest chain | the chain, s | wall, s | wall / chain | goal |"
        );
        println!("|{}", " --- |".repeat(8));
        let server = self.server(&["--latency", LATENCY, "--no-model-cache"])?;
        for file in examples()? {
            let path = file.to_string_lossy();
            let options = ["--file", path.as_ref(), "--permits", PERMITS];
            let found: PathFigures = self.measure("path", &server, &options)?;
            let name = file.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let PathFigures { calls, calls_s, steps, chain_s, wall_s } = found;
            let ratio = wall_s / chain_s;
            println!(
                "| {name} | {calls} | {calls_s:.2} | {steps} | {chain_s:.2} | {wall_s:.2} | {ratio:.3} | {MOST_WALL} |"
            );
        }
        Ok(())
    }
}

/// The example of each format, and others with a moderator, a panel and a summariser.
fn examples() -> Result<Vec<PathBuf>> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples"));
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder.join("formats")).context("there are no examples")? {
        files.push(entry?.path());
    }
    files.sort();
    let others = ["poll.yaml", "panel-and-borda.yaml", "deliberate-with-memory.yaml", "hire-for-the-platform-team.md"];
    files.extend(others.map(|name| folder.join(name)));
    Ok(files)
}
