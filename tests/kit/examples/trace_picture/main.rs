//! Holds a rehearsed debate in a real cluster and draws the trace that a collector received of it.
//!
//! `cargo build -p agon && cargo run -p agon-testkit --features otlp --example trace_picture` writes `docs/guide/images/trace.svg`.
mod draw;

use agon_testkit::cluster::Scenario;
use agon_testkit::{OtlpSink, SinkSpan};
use anyhow::{Context, Result, ensure};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Where the picture goes, from the root of the repository.
const PICTURE: &str = "docs/guide/images/trace.svg";
/// How long the last span may take to arrive.
const PATIENCE: Duration = Duration::from_secs(60);
/// What is debated: short enough for a picture.
const DEBATE: &str = "\
topic: Should the town build a bridge?
max_rounds: 1
ballots: none
phases: {opening_statements: false, final_statements: false}
personas:
- {name: Ada, stance: Build it}
- {name: Ben, stance: Leave it}
judge: {orders: 2}
";

fn main() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let sink = OtlpSink::start()?;
    let telemetry = format!("[telemetry]\notlp_endpoint = \"{}\"\n", sink.endpoint());
    let pace = ["--latency", "250ms", "--token-interval", "2ms"];
    // one call at a time: one of the judge's two readings waits for the other
    let cluster = Scenario::new(program()?).settings(&telemetry).rehearsal(&pace).permits(1).start()?;
    cluster.submit(DEBATE, "picture")?;
    let spans = debate(&sink)?;
    std::fs::write(root.join(PICTURE), draw::svg(&spans)).with_context(|| format!("cannot write {PICTURE}"))?;
    println!("{PICTURE}: {} spans", spans.len());
    Ok(())
}

/// The program that cargo has built beside this one.
fn program() -> Result<PathBuf> {
    let own = std::env::current_exe()?;
    let folder = own.ancestors().nth(2).context("this program lies nowhere")?;
    let agon = folder.join("agon");
    ensure!(agon.is_file(), "{} is missing; build it with: cargo build -p agon", agon.display());
    Ok(agon)
}

/// All spans of the debate's trace, once none of them lacks its parent.
fn debate(sink: &OtlpSink) -> Result<Vec<SinkSpan>> {
    let spans = sink.wait_for(|spans| whole(&of_debate(spans)), PATIENCE);
    let spans = of_debate(&spans);
    ensure!(whole(&spans), "only a part of the trace has arrived: {} spans", spans.len());
    Ok(spans)
}

fn of_debate(spans: &[SinkSpan]) -> Vec<SinkSpan> {
    let root = spans.iter().find(|span| span.name.starts_with("invoke_workflow "));
    let own = |span: &&SinkSpan| root.is_some_and(|root| root.trace_id == span.trace_id);
    spans.iter().filter(own).cloned().collect()
}

fn whole(spans: &[SinkSpan]) -> bool {
    let known = |span: &SinkSpan| span.parent.is_empty() || spans.iter().any(|other| other.span_id == span.parent);
    let played = |span: &&SinkSpan| span.name.starts_with("send ");
    let process = |span: &&SinkSpan| span.name.starts_with("process ");
    !spans.is_empty()
        && spans.iter().all(known)
        && spans.iter().filter(played).count() == spans.iter().filter(process).count()
}
