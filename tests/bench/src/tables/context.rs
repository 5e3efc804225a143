//! The table of long debates: prompts against the model's context, and prompt tokens per turn, under each memory.
use super::BenchRun;
use crate::context::metrics::{ContextFigures, TokenLoad};
use anyhow::Result;

/// Rounds of each debate.
const ROUNDS: &str = "64";

/// The `num_ctx` of the example in the reference of the configuration, and the whole context of a rehearsal model.
const CONTEXT: &str = "16384";
const WHOLE: &str = "131072";

/// A debate: its name in the table, what `agon-bench` calls it, the context, and whether a judge decides.
const RUNS: [(&str, &str, &str, bool); 8] = [
    ("`memory: append_all`", "append-all", CONTEXT, false),
    ("`memory: append_all`", "append-all", WHOLE, false),
    ("`memory: rolling_window`, `window_step: 6`", "rolling-window", CONTEXT, false),
    ("`memory: summarize_past`", "summarize-past", CONTEXT, false),
    ("`context_scope: last_n_turns`, `window_step: 6`", "last-n-turns", CONTEXT, false),
    ("`context_scope: summary_only`", "summary-only", CONTEXT, false),
    ("`memory: rolling_window`, `window_step: 6`, decided by a judge", "rolling-window", CONTEXT, true),
    ("`memory: rolling_window`, `window_step: 6`, decided by a judge", "rolling-window", WHOLE, true),
];

impl BenchRun {
    /// Runs them and prints a row for each.
    pub(super) fn context(&self) -> Result<()> {
        println!("\n## Long debates: 4 debaters on one model, {ROUNDS} rounds, one slot of prompt cache\n");
        println!(
            "| setting | context | rounds held | ended | calls answered, refused | longest prompt | evaluated per turn: mean, p99, max | by quarter of the rounds | last / second quarter | without any cache: mean, p99, max | last / second quarter | spared by the cache, of all | bounded |"
        );
        println!("|{}", " --- |".repeat(13));
        let server = self.server(&[])?;
        for (name, past, context, judged) in RUNS {
            let mut options = vec!["--past", past, "--rounds", ROUNDS, "--context", context];
            options.extend(judged.then_some("--judge"));
            print(&self.measure("context", &server, &options)?, name, context);
        }
        Ok(())
    }
}

fn print(figures: &ContextFigures, name: &str, context: &str) {
    let ContextFigures { ended, planned, rounds, calls, refused, longest_prompt, spared, prompt_tokens, .. } = figures;
    let quarters =
        figures.evaluated.quarters.map(|mean| mean.map_or_else(|| "-".to_owned(), |mean| format!("{mean:.0}")));
    let bounded = if figures.findings.is_empty() { "yes".to_owned() } else { figures.findings.join("; ") };
    println!(
        "| {name} | {context} | {rounds} of {planned} | {ended} | {calls}, {refused} | {longest_prompt} | {} | {} | {} | {} | {} | {spared} of {prompt_tokens} | {bounded} |",
        row(&figures.evaluated),
        quarters.join(", "),
        ratio(figures.evaluated.growth),
        row(&figures.uncached),
        ratio(figures.uncached.growth),
    );
}

fn row(load: &TokenLoad) -> String {
    format!("{:.0}, {}, {}", load.mean, load.p99, load.max)
}

fn ratio(growth: Option<f64>) -> String {
    growth.map_or_else(|| "-".to_owned(), |growth| format!("{growth:.2}"))
}
