//! What many debates at one model server cost its prompt cache, by who is next, and how long each of them takes.
use crate::BenchPlan;
use crate::debates::NodeRig;
use agon_core::{Answered, DebateId, DebateState, Event, Position, Usage};
use agon_runtime::Scheduling;
use anyhow::{Result, ensure};
use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// Who is next, as the settings of a host name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BenchedScheduling {
    /// `scheduling = "cache_aware"`
    CacheAware,
    /// `scheduling = "fair"`
    Fair,
    /// `scheduling = "fifo"`
    Fifo,
}
impl From<BenchedScheduling> for Scheduling {
    fn from(policy: BenchedScheduling) -> Self {
        match policy {
            BenchedScheduling::CacheAware => Self::CacheAware,
            BenchedScheduling::Fair => Self::Fair,
            BenchedScheduling::Fifo => Self::Fifo,
        }
    }
}

/// What a run gave.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct SchedulingFigures {
    pub calls: u64,
    pub prompt_tokens: u64,
    pub evaluated_tokens: u64,
    /// Seconds from the first submission to the end of each debate, in the order of the ends.
    pub ended_s: Vec<f64>,
}

/// Four debaters, everything else as a debate file has it by default but for the way to decide.
fn spec(number: u32, plan: &BenchPlan) -> String {
    let (model, rounds) = (plan.live.as_deref().unwrap_or("bench"), plan.rounds);
    let personas: String = ["Ada", "Bo", "Cy", "Dee"]
        .iter()
        .enumerate()
        .map(|(n, name)| format!("- {{name: {name}, stance: position {n} on the buses}}\n"))
        .collect();
    format!(
        "topic: Should city number {number} replace its diesel buses within five years?\nmodel: {model}\n\
         max_rounds: {rounds}\nconsensus_strategy: vote\npersonas:\n{personas}"
    )
}

/// Runs the debates, each on a topic of its own: all at once, or one after the other.
pub async fn run(plan: &BenchPlan) -> Result<SchedulingFigures> {
    let rig = NodeRig::start(plan).await?;
    let started = Instant::now();
    let end = async |id: &DebateId| -> Result<f64> {
        let (state, _) = rig.node.finished(id).await?;
        // a model without sense may fail its debate; what its prompts cost is known all the same
        ensure!(state == DebateState::Succeeded || plan.live.is_some(), "{id} has {state:?}");
        Ok(started.elapsed().as_secs_f64())
    };
    let (mut debates, mut ended_s) = (Vec::new(), Vec::new());
    for n in 0..plan.debates {
        debates.push(rig.submit(format!("scheduled-{n}"), &spec(n, plan)).await?);
        if plan.one_by_one
            && let Some(id) = debates.last()
        {
            ended_s.push(end(id).await?);
        }
    }
    if !plan.one_by_one {
        ended_s = futures_util::future::try_join_all(debates.iter().map(&end)).await?;
    }
    ended_s.sort_by(f64::total_cmp);
    let mut figures = SchedulingFigures { ended_s, ..Default::default() };
    for id in &debates {
        figures.read(&rig, id).await?;
    }
    rig.node.drain().await;
    Ok(figures)
}

impl SchedulingFigures {
    /// Takes in what a debate's log tells of its calls.
    pub async fn read(&mut self, rig: &NodeRig, id: &DebateId) -> Result<()> {
        for record in agon_store::Journal::read(rig.journal.as_ref(), id, Position(0)).await? {
            record.events.iter().for_each(|event| self.add(event));
        }
        Ok(())
    }

    fn add(&mut self, event: &Event) {
        let Event::Answered(Answered { call, .. }) = event else { return };
        let Usage { prompt_tokens: Some(prompt), cached_tokens, .. } = call.usage else { return };
        self.calls += 1;
        self.prompt_tokens += prompt;
        self.evaluated_tokens += prompt.saturating_sub(cached_tokens.unwrap_or(0));
    }
}
