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
const MOST_EVALUATED: f64 = 16.0;
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
        let measure = |options: &[&str]| self.measure("scheduling", &server, options);
        let fifo = compared((debates, ram), SLOTS, measure)?;
        // Nothing is evaluated twice, so no schedule can evaluate less. It says nothing of time.
        if debates == "8" {
            let figures = measure(&with_rounds(&["--debates", debates, "--permits", "1", "--one-by-one"]))?;
            print((debates, ram, "the least: one call after the other, debate by debate"), &figures, &fifo);
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
        let kind = if live.openai { &["--openai"][..] } else { &[] };
        let measure = |options: &[&str]| {
            self.measure_at(&live.url, "scheduling", &[options, &["--live", &live.model], kind].concat())
        };
        compared((LIVE_DEBATES, "its own"), &live.permits, measure)?;
        Ok(())
    }
}

/// Measures and prints the same debates under each way to choose; gives what `fifo` did.
fn compared(
    (debates, ram): (&str, &str),
    permits: &str,
    measure: impl Fn(&[&str]) -> Result<SchedulingFigures>,
) -> Result<SchedulingFigures> {
    let under =
        |scheduling| measure(&with_rounds(&["--debates", debates, "--permits", permits, "--scheduling", scheduling]));
    let fifo = under("fifo")?;
    print((debates, ram, "fifo"), &fifo, &fifo);
    for scheduling in ["fair", "cache-aware"] {
        print((debates, ram, scheduling), &under(scheduling)?, &fifo);
    }
    Ok(fifo)
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
fn print((debates, ram, scheduling): (&str, &str, &str), figures: &SchedulingFigures, fifo: &SchedulingFigures) {
    let pairs = figures.ended_s.iter().zip(&fifo.ended_s);
    let slowed = pairs.map(|(ours, theirs)| ours / theirs).fold(0.0, f64::max);
    let ours = scheduling == "cache-aware";
    // as the settings have it
    let scheduling = scheduling.replace('-', "_");
    println!(
        "| {debates} | {ram} | {scheduling} | {:.1} | {} | {:.1} | {:.2} | {:.1} | {slowed:.2} | {} |",
        100.0 * figures.evaluated_tokens as f64 / figures.prompt_tokens.max(1) as f64,
        if ours { format!("{MOST_EVALUATED}") } else { String::new() },
        mean(&figures.ended_s),
        mean(&figures.ended_s) / mean(&fifo.ended_s),
        figures.ended_s.last().copied().unwrap_or(0.0),
        if ours { format!("{MOST_SLOWED}") } else { String::new() },
    );
}

fn mean(of: &[f64]) -> f64 {
    of.iter().sum::<f64>() / of.len().max(1) as f64
}
