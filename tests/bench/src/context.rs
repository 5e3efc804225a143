//! How much of its model's context a long debate needs, and how many prompt tokens a turn of it costs, under each memory.
pub mod metrics;
#[cfg(test)]
mod tests;

use crate::BenchPlan;
use crate::debates::NodeRig;
use agon_core::Position;
use anyhow::{Context as _, Result};
use clap::ValueEnum;
use metrics::{ContextFigures, Sums};

/// What is kept of the past, and what is shown of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[expect(clippy::enum_variant_names, reason = "one of them is the name of a memory")]
pub enum Past {
    /// `memory: append_all`, `context_scope: full_log`: the defaults
    AppendAll,
    /// `memory: rolling_window`, `window_step: 6`
    RollingWindow,
    /// `memory: summarize_past`
    SummarizePast,
    /// `context_scope: last_n_turns`, `window_step: 6`
    LastNTurns,
    /// `context_scope: summary_only`
    SummaryOnly,
}

impl Past {
    fn key(self) -> &'static str {
        match self {
            Self::AppendAll => "memory: append_all",
            Self::RollingWindow => "memory: rolling_window\nwindow_step: 6",
            Self::SummarizePast => "memory: summarize_past",
            Self::LastNTurns => "context_scope: last_n_turns\nwindow_step: 6",
            Self::SummaryOnly => "context_scope: summary_only",
        }
    }
}

/// A judge of another model reads the whole log, whatever the debaters are shown.
const JUDGE: &str = "judge: {model: another}";

/// Four speakers on one model, everything else as a debate file has it by default but for the way to decide: debaters vote,
/// unless a judge is wanted.
fn spec(plan: &BenchPlan, past: Past) -> String {
    let decided = if plan.judge { JUDGE } else { "consensus_strategy: vote" };
    let personas: String = ["Ada", "Bo", "Cy", "Dee"]
        .iter()
        .enumerate()
        .map(|(n, name)| format!("- {{name: {name}, stance: position {n} on the buses}}\n"))
        .collect();
    format!(
        "topic: Should the city replace its diesel buses within five years?\nmodel: bench\nmax_rounds: {}\n{}\n{decided}\npersonas:\n{personas}",
        plan.rounds,
        past.key(),
    )
}

/// Runs one debate and adds up what its log has from the server.
pub async fn run(plan: &BenchPlan) -> Result<ContextFigures> {
    let past = plan.past.context("--past is needed")?;
    let rig = NodeRig::start(plan).await?;
    let id = rig.submit("context".to_owned(), &spec(plan, past)).await?;
    let (state, outcome) = rig.node.finished(&id).await?;
    let records = agon_store::Journal::read(rig.journal.as_ref(), &id, Position(0)).await?;
    let mut sums = Sums::new(plan.rounds);
    for event in records.iter().flat_map(|record| &record.events) {
        sums.add(&serde_json::to_value(event)?);
    }
    rig.node.drain().await;
    let ended = outcome.map_or_else(|| serde_json::to_value(state), serde_json::to_value)?;
    Ok(sums.figures(ended.as_str().unwrap_or_default()))
}
