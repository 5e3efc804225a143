//! Learned gates: whether the debates that they skip are still as they were when the gate was learned.
use super::CheckupFinding;
use crate::commands::Context;
use crate::exit::Stop;
use crate::store::Store;
use agon_core::gate::{GateOrigin, GateReason};
use agon_core::{DebateId, DebateWhen, Event, Record};
use agon_eval::gate::left_ballots;
use agon_eval::stats::wilson;
use agon_eval::{CellEnding, Estimate, Interval, facts};
use agon_report::one_line;
use agon_runtime::read_eval;
use std::collections::BTreeMap;

/// So many of the newest debates are read.
const NEWEST: usize = 1_000;
/// Fewest explored debates that say anything.
const FEWEST: u64 = 10;

/// Debates that a gate would have skipped and that were held all the same.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct ExploredDebates {
    all: u64,
    /// Whose verdict was not the top answer of their first ballots.
    left: u64,
}

/// One finding for each learned gate that explored debates.
pub async fn check(context: &Context) -> Result<Vec<CheckupFinding>, Stop> {
    let Some(store) = Store::open_existing(context)? else { return Ok(Vec::new()) };
    let mut explored: BTreeMap<(String, String), ExploredDebates> = BTreeMap::new();
    for head in store.heads().await?.into_iter().filter(|head| head.ended).take(NEWEST) {
        // a log that cannot be read is another finding
        let Ok(log) = store.stored_log(&head.id).await else { continue };
        let Some((origin, left)) = explored_of(&log.records) else { continue };
        let gate = explored.entry((origin.eval.clone(), origin.debate.clone())).or_default();
        gate.all += 1;
        gate.left += u64::from(left);
    }
    let mut findings = Vec::new();
    for ((eval, debate), seen) in explored {
        let learned = learned(&store, &eval, &debate).await;
        findings.push(finding(&eval, &debate, seen, learned));
    }
    Ok(findings)
}

/// What the gate of an explored debate was learned on, and whether the verdict left the ballots.
fn explored_of(records: &[Record]) -> Option<(&GateOrigin, bool)> {
    let mut events = records.iter().flat_map(|record| &record.events);
    let Event::DebateAdmitted(admission) = events.next()? else { return None };
    let origin = admission.spec.gate.rule.as_ref()?.learned_on.as_ref()?;
    let explored = |event: &Event| matches!(event, Event::GateDecided { reason: GateReason::Explored, .. });
    if admission.spec.debate == DebateWhen::Always || !events.any(explored) {
        return None;
    }
    let facts = facts(records);
    let ended = !matches!(facts.ending, CellEnding::Failed { .. });
    Some((origin, left_ballots(&facts)?)).filter(|_| ended)
}

/// The share that was learned, where the eval is in this store.
async fn learned(store: &Store, eval: &str, debate: &str) -> Option<Estimate> {
    let eval = read_eval(&*store.sqlite, &DebateId::parse(eval).ok()?).await.ok()?;
    eval.machine.gate().filter(|gate| gate.figures.debate == debate)?.figures.left_ballots
}

fn finding(eval: &str, debate: &str, seen: ExploredDebates, learned: Option<Estimate>) -> CheckupFinding {
    let what = format!("gate of {}", one_line(debate));
    let ExploredDebates { all, left } = seen;
    let found = format!("{left} of {all} explored debates left their first ballots");
    let Some(Interval { low, high }) = learned.and_then(|learned| learned.interval) else {
        return CheckupFinding::ok(
            what,
            format!("{found}; eval {} with its figures is not in this store", one_line(eval)),
        );
    };
    let wanted = format!("learned were {:.0} to {:.0} %", low * 100.0, high * 100.0);
    let off = wilson(left, all, 0.95).is_some_and(|now| now.low > high || now.high < low);
    if all >= FEWEST && off {
        let fix = "questions or models have changed: hold a new eval, and learn again with agon eval gate -o FILE";
        return CheckupFinding::warn(what, format!("{found}; {wanted}"), fix);
    }
    CheckupFinding::ok(what, format!("{found}; {wanted}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkup::CheckupLevel;

    #[test]
    fn a_gate_is_to_be_learned_again_where_its_interval_is_left_by_more_than_chance() {
        let learned = Some(Estimate { value: 0.03, interval: Some(Interval { low: 0.01, high: 0.08 }), n: 120 });
        let level = |all, left, learned| finding("e", "panel", ExploredDebates { all, left }, learned).level;
        assert_eq!(level(40, 14, learned), CheckupLevel::Warn);
        assert_eq!(level(40, 4, learned), CheckupLevel::Ok);
        assert_eq!(level(4, 4, learned), CheckupLevel::Ok, "four debates say little");
        assert_eq!(level(40, 14, None), CheckupLevel::Ok);
    }
}
