//! What a debate costs whose models read what is said while others speak.
use crate::BenchPlan;
use crate::debates::NodeRig;
use crate::scheduling::SchedulingFigures;
use agon_core::DebateState;
use anyhow::{Result, ensure};
use std::time::Instant;

/// Four debaters who take their models by turns, and a vote.
fn spec(plan: &BenchPlan) -> String {
    let models = plan.models.max(1);
    let personas: String = (0_u32..)
        .zip(["Ada", "Bo", "Cy", "Dee"])
        .map(|(n, name)| {
            format!("- {{name: {name}, stance: position {n} on the buses, model: bench-{}}}\n", n % models)
        })
        .collect();
    format!(
        "topic: Should the city replace its diesel buses within five years?\nmodel: bench-0\nmax_rounds: {}\n\
         consensus_strategy: vote\npersonas:\n{personas}",
        plan.rounds
    )
}

/// Plays one debate.
pub async fn run(plan: &BenchPlan) -> Result<SchedulingFigures> {
    let rig = NodeRig::start(plan).await?;
    let started = Instant::now();
    let id = rig.submit("ahead".to_owned(), &spec(plan)).await?;
    let (state, _) = rig.node.finished(&id).await?;
    ensure!(state == DebateState::Succeeded, "the debate has {state:?}");
    let mut figures = SchedulingFigures { ended_s: vec![started.elapsed().as_secs_f64()], ..Default::default() };
    figures.read(&rig, &id).await?;
    rig.node.drain().await;
    Ok(figures)
}
