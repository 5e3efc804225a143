//! The table of many debates at one server: what the choice of the next call costs its prompt cache, and the debates.
use super::{BenchRun, measured};
use crate::scheduling::SchedulingFigures;
use anyhow::Result;
use std::process::Command;

/// Calls at once, and slots of the server's cache.
const SLOTS: &str = "4";
const ROUNDS: &str = "6";
/// Tokens that the server's cache keeps beside its slots.
const RAM_CACHES: [&str; 2] = ["65536", "0"];
/// Of the prompt tokens so many are evaluated at the most, in percent.
const MOST_EVALUATED: f64 = 12.0;
/// No debate takes so many times as long as where whoever comes first is served first.
const MOST_SLOWED: f64 = 1.5;

/// Debates at a real server.
const LIVE_DEBATES: &str = "8";

impl BenchRun {
    /// Measures and prints it.
    pub(super) fn scheduling(&self) -> Result<()> {
        println!("\n## Many debates at one server: 4 debaters, {ROUNDS} rounds, a vote; {SLOTS} permits and slots\n");
        header();
        for debates in ["8", "32", "128"] {
            for ram in RAM_CACHES {
                self.scheduled(debates, ram)?;
            }
        }
        Ok(())
    }

    /// The same debates under each way to choose, and one after the other.
    fn scheduled(&self, debates: &str, ram: &str) -> Result<()> {
        let server = self.server(&[
            "--slots",
            SLOTS,
            "--parallel",
            SLOTS,
            "--ram-cache",
            ram,
            "--latency",
            "20ms",
            "--prefill-token",
            "10us",
        ])?;
        let mut fifo = None;
        for scheduling in ["fifo", "fair", "cache-aware"] {
            let options = ["--debates", debates, "--permits", SLOTS, "--scheduling", scheduling];
            let figures: SchedulingFigures = self.measure("scheduling", &server, &with_rounds(&options))?;
            print((debates, ram, scheduling), figures, &mut fifo);
        }
        // Nothing is evaluated twice, so no schedule can evaluate less. It says nothing of time.
        if debates == "8" {
            let options = ["--debates", debates, "--permits", "1", "--one-by-one"];
            let figures: SchedulingFigures = self.measure("scheduling", &server, &with_rounds(&options))?;
            print((debates, ram, "the least: one call after the other, debate by debate"), figures, &mut fifo);
        }
        Ok(())
    }

    /// The same at a real server, whose model may say what it likes.
    pub(super) fn live_scheduling(&self, live: &BenchedServer) -> Result<()> {
        println!(
            "\n## {LIVE_DEBATES} debates at {}: 4 debaters, {ROUNDS} rounds, a vote; {} permits\n",
            live.url, live.permits
        );
        header();
        let mut fifo = None;
        for scheduling in ["fifo", "fair", "cache-aware"] {
            self.forget_store();
            let mut command = Command::new(&self.bench);
            command.args(["measure", "scheduling", "--url", &live.url, "--live", &live.model]);
            command.args(live.openai.then_some("--openai"));
            let options = ["--debates", LIVE_DEBATES, "--permits", live.permits.as_str(), "--scheduling", scheduling];
            command.args(with_rounds(&options)).arg("--store").arg(self.folder.path().join("bench.db"));
            let figures: SchedulingFigures = measured(&mut command)?;
            print((LIVE_DEBATES, "its own", scheduling), figures, &mut fifo);
        }
        Ok(())
    }
}

/// A model server that is not a rehearsal.
pub(super) struct BenchedServer {
    pub(super) url: String,
    pub(super) model: String,
    pub(super) openai: bool,
    pub(super) permits: String,
}

fn with_rounds<'a>(options: &[&'a str]) -> Vec<&'a str> {
    [options, &["--rounds", ROUNDS, "--sync-normal"]].concat()
}

fn header() {
    println!(
        "| debates at once | RAM cache, tokens | scheduling | evaluated of prompt tokens, % | goal | mean time, s | of fifo | longest, s | slowest of fifo | goal |"
    );
    println!("|{}", " --- |".repeat(10));
}

/// A row. Who comes first is chance under `fifo`, so that the debate that ends first is compared with the one that ended first
/// there, and so on.
fn print((debates, ram, scheduling): (&str, &str, &str), mut figures: SchedulingFigures, fifo: &mut Option<Vec<f64>>) {
    figures.ended_s.sort_by(f64::total_cmp);
    let base = fifo.get_or_insert_with(|| figures.ended_s.clone());
    let slowed = figures.ended_s.iter().zip(base.iter()).map(|(ours, theirs)| ours / theirs).fold(0.0, f64::max);
    let ours = scheduling == "cache-aware";
    println!(
        "| {debates} | {ram} | {scheduling} | {:.1} | {} | {:.1} | {:.2} | {:.1} | {slowed:.2} | {} |",
        100.0 * figures.evaluated_tokens as f64 / figures.prompt_tokens.max(1) as f64,
        if ours { format!("{MOST_EVALUATED}") } else { String::new() },
        mean(&figures.ended_s),
        mean(&figures.ended_s) / mean(base),
        figures.ended_s.last().copied().unwrap_or(0.0),
        if ours { format!("{MOST_SLOWED}") } else { String::new() },
    );
}

fn mean(of: &[f64]) -> f64 {
    of.iter().sum::<f64>() / of.len().max(1) as f64
}
