//! The table of reading ahead: what it spares a debate, and what it costs.
use super::{BenchRun, Spread};
use crate::scheduling::SchedulingFigures;
use anyhow::Result;

/// Between two tokens of an answer.
const TOKEN: &str = "5ms";
/// What evaluating a token of a prompt takes: a fortieth of that, as a GPU may, and a tenth, as a processor may.
const PREFILLS: [&str; 2] = ["125us", "500us"];
const ROUNDS: &str = "4";
/// Runs of each cell: the answers take most of the time, and always the same.
const RUNS: usize = 3;

impl BenchRun {
    /// Plays the same debate with and without, its debaters on one model and on four.
    pub(super) fn ahead(&self) -> Result<()> {
        println!(
            "\n## Reading ahead: 4 debaters, {ROUNDS} rounds, a vote; rehearsal speeches, a token each {TOKEN}; 1 permit a model\n"
        );
        println!(
            "| evaluating a token | models | read_ahead | wall, s | of it spared, % | prompt tokens | evaluated |"
        );
        println!("|{}", " --- |".repeat(7));
        for prefill in PREFILLS {
            for models in ["1", "4"] {
                self.ahead_of(prefill, models)?;
            }
        }
        Ok(())
    }

    fn ahead_of(&self, prefill: &str, models: &str) -> Result<()> {
        let server = self.server(&["--prefill-token", prefill, "--token-interval", TOKEN])?;
        let mut without = None;
        for option in [None, Some("--read-ahead")] {
            let runs = (0..RUNS).map(|_| {
                let options: Vec<&str> =
                    ["--models", models, "--permits", "1", "--rounds", ROUNDS].into_iter().chain(option).collect();
                self.measure::<SchedulingFigures>("ahead", &server, &options)
            });
            let runs = runs.collect::<Result<Vec<_>>>()?;
            let of = |what: fn(&SchedulingFigures) -> f64| Spread::of(&runs, what);
            let wall = of(|run| run.ended_s.iter().sum())?;
            let spared = without.map(|without: f64| format!("{:.1}", 100.0 * (1.0 - wall.median / without)));
            println!(
                "| {prefill} | {models} | {} | {wall:.1} | {} | {:.0} | {:.0} |",
                option.is_some(),
                spared.unwrap_or_default(),
                of(|run| run.prompt_tokens as f64)?,
                of(|run| run.evaluated_tokens as f64)?,
            );
            without = Some(wall.median);
        }
        Ok(())
    }
}
