//! How long a debate takes beside the longest chain of its calls, each of which needs the answer before it.
use crate::BenchPlan;
use crate::debates::NodeRig;
use agon_core::{Call, DebateState, Event, Position, TurnId};
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

/// Calls, each of which needs the answer of the one before it.
#[derive(Clone, Copy, Default)]
struct Chain {
    steps: u32,
    ms: u64,
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
    let records = agon_store::Journal::read(rig.journal.as_ref(), &id, Position(0)).await?;
    let entries = || records.iter().flat_map(|record| record.entries());
    let settled = |event| Event::settled(event).filter(|_| event.made_call().is_some());
    let calls: BTreeMap<TurnId, &Call> = entries().filter_map(|(_, event)| settled(event)).collect();
    let (mut asked, mut links): (BTreeMap<TurnId, Chain>, Vec<(Position, Chain)>) = Default::default();
    for (position, event) in entries() {
        if let Event::TurnAsked(ask) = event {
            let seen = links.iter().filter(|(answered, _)| *answered <= ask.sees).map(|(_, chain)| *chain);
            asked.insert(ask.turn, seen.max_by_key(|chain| chain.ms).unwrap_or_default());
        }
        // Those who may interrupt a speech are asked once a part of it is there.
        let (turn, ms) = match (settled(event), event) {
            (Some((turn, call)), _) => (turn, call.timing.total_ms),
            (None, Event::SpeechHeard { turn, .. }) => {
                (*turn, calls.get(turn).and_then(|call| call.timing.first_byte_ms))
            }
            (None, _) => continue,
        };
        let before = asked.get(&turn).context("a turn was answered that nobody asked")?;
        let ms = ms.context("a call without its time")?;
        links.push((position, Chain { steps: before.steps + 1, ms: before.ms + ms }));
    }
    rig.node.drain().await;
    let (_, longest) = links.iter().max_by_key(|(_, chain)| chain.ms).context("nothing was asked")?;
    let calls_ms: u64 = calls.values().filter_map(|call| call.timing.total_ms).sum();
    Ok(PathFigures {
        calls: u32::try_from(calls.len())?,
        calls_s: calls_ms as f64 / 1e3,
        steps: longest.steps,
        chain_s: longest.ms as f64 / 1e3,
        wall_s,
    })
}
