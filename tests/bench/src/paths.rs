//! How long a debate takes beside the longest chain of its calls, each of which needs the answer before it.
use crate::BenchPlan;
use crate::debates::NodeRig;
use agon_core::{DebateState, Event, Position, TurnId};
use anyhow::{Context, Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Instant;

/// What one debate gave.
#[derive(Debug, Serialize, Deserialize)]
pub struct PathFigures {
    pub calls: u32,
    /// Seconds of all calls together.
    pub calls_s: f64,
    /// Calls of the longest chain, and their seconds.
    pub steps: u32,
    pub chain_s: f64,
    /// Seconds from the submission to the end.
    pub wall_s: f64,
}

/// A call, and the longest chain that it ends.
struct Link {
    answered: Position,
    steps: u32,
    chain_ms: u64,
}

/// Plays the debate of a file.
pub async fn run(plan: &BenchPlan) -> Result<PathFigures> {
    let rig = NodeRig::start(plan).await?;
    let file = plan.file.as_ref().context("--file is needed")?;
    let text = std::fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned()).context("--file is a folder")?;
    let started = Instant::now();
    let id = rig.submit_file("path".to_owned(), &name, &text).await?;
    let (state, _) = rig.node.finished(&id).await?;
    let wall_s = started.elapsed().as_secs_f64();
    ensure!(state == DebateState::Succeeded, "{name} has {state:?}");
    let (mut asked, mut links): (BTreeMap<TurnId, Position>, Vec<Link>) = Default::default();
    let mut calls_ms = 0;
    for record in agon_store::Journal::read(rig.journal.as_ref(), &id, Position(0)).await? {
        for (position, event) in record.entries() {
            if let Event::TurnAsked(ask) = event {
                asked.insert(ask.turn, ask.sees);
            }
            let Some((turn, call)) = event.settled().filter(|_| event.made_call().is_some()) else { continue };
            let sees = asked.get(&turn).copied().context("a turn was answered that nobody asked")?;
            let before = links.iter().filter(|link| link.answered <= sees).max_by_key(|link| link.chain_ms);
            let took = call.timing.total_ms.context("a call without its time")?;
            calls_ms += took;
            links.push(Link {
                answered: position,
                steps: before.map_or(0, |link| link.steps) + 1,
                chain_ms: before.map_or(0, |link| link.chain_ms) + took,
            });
        }
    }
    rig.node.drain().await;
    let longest = links.iter().max_by_key(|link| link.chain_ms).context("nothing was asked")?;
    Ok(PathFigures {
        calls: u32::try_from(links.len())?,
        calls_s: calls_ms as f64 / 1e3,
        steps: longest.steps,
        chain_s: longest.chain_ms as f64 / 1e3,
        wall_s,
    })
}
