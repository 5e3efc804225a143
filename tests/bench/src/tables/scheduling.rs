//! The table of many debates at one server: what the choice of the next call costs its prompt cache, and the debates.
use super::BenchRun;
use crate::scheduling::SchedulingFigures;
use anyhow::Result;

/// Calls at once, and slots of the server's cache.
const SLOTS: &str = "4";
const ROUNDS: &str = "6";
/// Tokens that the server's cache keeps beside its slots.
const RAM_CACHES: [&str; 2] = ["65536", "0"];
/// Of the prompt tokens so many are evaluated at the most, in percent.
const MOST_EVALUATED: f64 = 12.0;
/// No debate takes so many times as long as where whoever comes first is served first.
const MOST_SLOWED: f64 = 1.5;

impl BenchRun {
    /// Measures and prints it.
    pub(super) fn scheduling(&self) -> Result<()> {
        println!("\n## Many debates at one server: 4 debaters, {ROUNDS} rounds, a vote; {SLOTS} permits and slots\n");
        println!(
            "| debates at once | RAM cache, tokens | scheduling | evaluated of prompt tokens, % | goal | mean time, s | of fifo | longest, s | slowest of fifo | goal |"
        );
        println!("|{}", " --- |".repeat(10));
        for debates in ["8", "32", "128"] {
            for ram in RAM_CACHES {
                self.scheduled(debates, ram)?;
            }
        }
        Ok(())
    }

    /// The same debates under each way to choose.
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
            let options = [
                "--debates",
                debates,
                "--rounds",
                ROUNDS,
                "--permits",
                SLOTS,
                "--scheduling",
                scheduling,
                "--sync-normal",
            ];
            let figures: SchedulingFigures = self.measure("scheduling", &server, &options)?;
            let base = fifo.get_or_insert_with(|| figures.ended_s.clone());
            let slowed =
                figures.ended_s.iter().zip(base.iter()).map(|(ours, theirs)| ours / theirs).fold(0.0, f64::max);
            let ours = scheduling == "cache-aware";
            println!(
                "| {debates} | {ram} | {scheduling} | {:.1} | {} | {:.1} | {:.2} | {:.1} | {slowed:.2} | {} |",
                100.0 * figures.evaluated_tokens as f64 / figures.prompt_tokens.max(1) as f64,
                if ours { format!("{MOST_EVALUATED}") } else { String::new() },
                mean(&figures.ended_s),
                mean(&figures.ended_s) / mean(base),
                figures.ended_s.iter().copied().fold(0.0, f64::max),
                if ours { format!("{MOST_SLOWED}") } else { String::new() },
            );
        }
        Ok(())
    }
}

fn mean(of: &[f64]) -> f64 {
    of.iter().sum::<f64>() / of.len().max(1) as f64
}
