//! What must hold of a run once it is over.
use crate::run_state::{ModelCall, RunState};
use agon_chaos::{RawLog, check};
use agon_core::{DebateId, Event, Position};
use agon_store::{Journal as _, Upkeep as _};
use anyhow::Result;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;

/// How long after a turn was answered a host may still begin to generate it that looked before: it looks again every 5 s.
const OVERTAKEN_WITHIN: Duration = Duration::from_secs(6);
/// The same where calls are slow or fail, and looks are repeated.
const OVERTAKEN_SLOWLY: Duration = Duration::from_secs(20);

/// Everything that is wrong with a run.
pub(crate) async fn of_run(world: &RunState, debates: &[DebateId]) -> Result<Vec<String>> {
    let mut findings = world.seen().findings.clone();
    for debate in debates {
        let log = read(world, debate).await?;
        findings.extend(check(&log).into_iter().map(|breach| format!("{debate}: {breach}")));
    }
    findings.extend(generated_again(world));
    Ok(findings)
}

async fn read(world: &RunState, id: &DebateId) -> Result<RawLog> {
    let raw = world.store.raw_records(id).await?;
    let mut registers = BTreeMap::new();
    for record in world.store.read(id, Position(0)).await? {
        for event in &record.events {
            let Event::TurnAsked(ask) = event else { continue };
            if let Some(result) = world.store.result_of(id, ask.turn).await? {
                registers.insert(ask.turn, result);
            }
        }
    }
    Ok(RawLog { id: id.clone(), raw, registers })
}

/// Calls for turns that had an answer. Where nothing goes wrong, each turn is generated once.
fn generated_again(world: &RunState) -> Vec<String> {
    let seen = world.seen();
    let mut calls: BTreeMap<(&DebateId, &str), Vec<&ModelCall>> = BTreeMap::new();
    for call in &seen.generations {
        calls.entry((&call.debate, call.prompt.as_str())).or_default().push(call);
    }
    let mut findings = Vec::new();
    for ((debate, prompt), calls) in calls {
        let name = prompt.get(..8).unwrap_or_default();
        if calls.len() > 1 && world.plan.is_calm() {
            findings.push(format!("{debate}: prompt {name} was generated {} times without any fault", calls.len()));
        }
        let Some(answered) = seen.answers.get(&(debate.clone(), prompt.to_owned())) else { continue };
        let blind = |call: &ModelCall| {
            let sees = |node: &Option<String>| node.as_ref().is_none_or(|node| *node == call.node);
            seen.trouble.iter().any(|time| sees(&time.node) && overlaps(*answered, call.began, (time.from, time.to)))
        };
        let within = if world.plan.has_bad_calls() { OVERTAKEN_SLOWLY } else { OVERTAKEN_WITHIN };
        let late = calls.iter().filter(|call| call.began > *answered + within && !blind(call));
        findings.extend(late.map(|call| {
            let after = call.began.duration_since(*answered).as_millis();
            format!("{debate}: {} generated prompt {name} {after} ms after it was answered", call.node)
        }));
    }
    findings
}

fn overlaps(from: Instant, to: Instant, other: (Instant, Instant)) -> bool {
    from <= other.1 + OVERTAKEN_SLOWLY && other.0 <= to
}
