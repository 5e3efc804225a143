//! The table of long debates: prompts against the model's context, and prompt tokens per turn, under each memory.

use anyhow::{Context as _, Result};
use serde::Deserialize;

use super::BenchRun;
use crate::rehearsal::RehearsalProcess;

/// What `agon-bench context` prints.
#[derive(Debug, Deserialize)]
struct ContextReport {
    ended: String,
    planned: u32,
    rounds: u32,
    calls: u64,
    refused: u64,
    longest_prompt: u64,
    spared: u64,
    prompt_tokens: u64,
    evaluated: TokenLoadReport,
    uncached: TokenLoadReport,
    findings: Vec<String>,
}

/// Prompt tokens per turn.
#[derive(Debug, Deserialize)]
struct TokenLoadReport {
    mean: f64,
    p99: u64,
    max: u64,
    quarters: [Option<f64>; 4],
    growth: Option<f64>,
}

/// Rounds of each debate.
const ROUNDS: &str = "64";

/// The `num_ctx` of the example in the reference of the configuration, and the whole context of a rehearsal model.
const CONTEXT: &str = "16384";
const WHOLE: &str = "131072";

/// A debate: its name in the table, what `agon-bench` calls it, the context, and whether a judge decides.
const RUNS: [(&str, &str, &str, bool); 8] = [
    ("`memory: append_all`", "append-all", CONTEXT, false),
    ("`memory: append_all`", "append-all", WHOLE, false),
    ("`memory: rolling_window`", "rolling-window", CONTEXT, false),
    ("`memory: summarize_past`", "summarize-past", CONTEXT, false),
    ("`context_scope: last_n_turns`", "last-n-turns", CONTEXT, false),
    ("`context_scope: summary_only`", "summary-only", CONTEXT, false),
    ("`memory: rolling_window`, decided by a judge", "rolling-window", CONTEXT, true),
    ("`memory: rolling_window`, decided by a judge", "rolling-window", WHOLE, true),
];

impl BenchRun {
    /// Runs them and prints a row for each.
    pub(super) fn context(&self) -> Result<()> {
        println!("\n## Long debates: 4 debaters on one model, {ROUNDS} rounds, one slot of prompt cache\n");
        println!(
            "| setting | context | rounds held | ended | calls answered, refused | longest prompt | evaluated per turn: mean, p99, max | by quarter of the rounds | last / second quarter | without any cache: mean, p99, max | last / second quarter | spared by the cache, of all | bounded |"
        );
        println!("|{}", " --- |".repeat(13));
        let server = RehearsalProcess::start(&self.agon, &[])?;
        for (name, past, context, judged) in RUNS {
            let mut options = vec!["--past", past, "--rounds", ROUNDS, "--context", context];
            options.extend(judged.then_some("--judge"));
            let printed = self.output("context", &server, &options)?;
            let figures: ContextReport = serde_json::from_str(&printed).context("agon-bench printed something else")?;
            figures.print(name, context);
        }
        Ok(())
    }
}

impl ContextReport {
    fn print(&self, name: &str, context: &str) {
        let Self { ended, planned, rounds, calls, refused, longest_prompt, spared, prompt_tokens, .. } = self;
        let quarters =
            self.evaluated.quarters.map(|mean| mean.map_or_else(|| "-".to_owned(), |mean| format!("{mean:.0}")));
        let bounded = if self.findings.is_empty() { "yes".to_owned() } else { self.findings.join("; ") };
        println!(
            "| {name} | {context} | {rounds} of {planned} | {ended} | {calls}, {refused} | {longest_prompt} | {} | {} | {} | {} | {} | {spared} of {prompt_tokens} | {bounded} |",
            self.evaluated.row(),
            quarters.join(", "),
            ratio(self.evaluated.growth),
            self.uncached.row(),
            ratio(self.uncached.growth),
        );
    }
}

impl TokenLoadReport {
    fn row(&self) -> String {
        format!("{:.0}, {}, {}", self.mean, self.p99, self.max)
    }
}

fn ratio(growth: Option<f64>) -> String {
    growth.map_or_else(|| "-".to_owned(), |growth| format!("{growth:.2}"))
}
