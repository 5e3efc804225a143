//! Free arms: other ways of deciding over the same debates.
use super::plurality::vote_of;
use super::statistics::{Estimator, PairedScore};
use super::table::{CellScore, CellTable};
use crate::{ArmName, CellCost, Facts, FreeArm, FreeArmKind, Question};

/// What a way of deciding makes of a debate's facts, 0 to 1; none where the log says nothing about it, or only a grader can score it.
pub fn free_score(question: &Question, facts: &Facts, kind: FreeArmKind, round: Option<u32>) -> Option<f64> {
    match kind {
        FreeArmKind::VoteFirst => vote_of(question, ballots(facts, false)).score,
        FreeArmKind::VoteLast => vote_of(question, ballots(facts, true)).score,
        FreeArmKind::VoteOpenings => vote_of(question, openings(facts)).score,
        FreeArmKind::RandomFirst => {
            let cast: Vec<bool> =
                ballots(facts, false).map(|answer| question.is_right(answer)).collect::<Option<_>>()?;
            let right = cast.iter().filter(|right| **right).count();
            // a ballot that failed counts as a wrong one
            (!cast.is_empty()).then(|| right as f64 / f64::from(facts.eligible.max(1)))
        }
        FreeArmKind::Oracle => {
            let right: Vec<bool> = answers(facts).map(|answer| question.is_right(answer)).collect::<Option<_>>()?;
            (!right.is_empty()).then(|| f64::from(u8::from(right.contains(&true))))
        }
        FreeArmKind::JudgeOrder0 => vote_of(question, judged(facts, 0)).score,
        FreeArmKind::JudgeOrder1 => vote_of(question, judged(facts, 1)).score,
        FreeArmKind::StopAfter => vote_of(question, standing(facts, round?)).score,
    }
}

/// The answers of the ballots of one stage.
pub(super) fn ballots(facts: &Facts, last: bool) -> impl Iterator<Item = &str> {
    facts.ballots.iter().filter(move |ballot| ballot.last == last).map(|ballot| ballot.answer.as_str())
}

/// The answers that everybody gave before anybody was heard, where they were given at once.
fn openings(facts: &Facts) -> impl Iterator<Item = &str> {
    let named = facts.named.iter().filter(|named| facts.openings_independent && named.round == 0);
    let samples = facts.samples.iter().filter_map(|sample| sample.answer.as_deref());
    named.map(|named| named.answer.as_str()).chain(samples)
}

fn judged(facts: &Facts, order: u32) -> impl Iterator<Item = &str> {
    facts.judged.iter().filter(move |judged| judged.order == order).filter_map(|judged| judged.answer.as_deref())
}

/// What everybody had named last when a round was over.
fn standing(facts: &Facts, round: u32) -> impl Iterator<Item = &str> {
    let mut last: std::collections::BTreeMap<u32, &str> = std::collections::BTreeMap::new();
    for named in facts.named.iter().filter(|named| named.round <= round) {
        last.insert(named.seat, &named.answer);
    }
    last.into_values()
}

/// Every answer that anybody gave.
fn answers(facts: &Facts) -> impl Iterator<Item = &str> {
    let ballots = facts.ballots.iter().map(|ballot| ballot.answer.as_str());
    let named = facts.named.iter().map(|named| named.answer.as_str());
    let samples = facts.samples.iter().filter_map(|sample| sample.answer.as_deref());
    let judged = facts.judged.iter().filter_map(|judged| judged.answer.as_deref());
    let ends = facts.tied.iter().chain(&facts.answer).map(String::as_str);
    ballots.chain(named).chain(samples).chain(judged).chain(ends)
}

/// What deciding in this way costs: what the log had cost when the decision could be made, of which one ballot has its share, and of the
/// judge's calls one order. The whole debate where the log does not say. Absent where the cost is unknown.
fn cost_of(table: &CellTable<'_>, facts: &Facts, kind: FreeArmKind, round: Option<u32>) -> Option<f64> {
    let count = table.admission.spec.count;
    let whole = table.cost(cost_by(facts, kind, round), count)?;
    match kind {
        FreeArmKind::RandomFirst => Some(whole / f64::from(facts.eligible.max(1))),
        FreeArmKind::JudgeOrder0 | FreeArmKind::JudgeOrder1 => {
            let heard = facts.cost_by.iter().filter(|(name, _)| *name != "decision").map(|(_, cost)| cost);
            let heard = heard.max_by_key(|cost| cost.calls).and_then(|cost| table.cost(cost, count)).unwrap_or(0.0);
            let orders = facts.judged.iter().map(|judged| judged.order).max().unwrap_or(0) + 1;
            Some(heard + (whole - heard) / f64::from(orders))
        }
        FreeArmKind::VoteFirst
        | FreeArmKind::VoteOpenings
        | FreeArmKind::VoteLast
        | FreeArmKind::Oracle
        | FreeArmKind::StopAfter => Some(whole),
    }
}

/// What the log had cost when the decision could be made.
fn cost_by(facts: &Facts, kind: FreeArmKind, round: Option<u32>) -> &CellCost {
    let part = |name: &str| facts.cost_by.get(name);
    let rounds = |most: u32| (1..=most).rev().find_map(|round| part(&format!("round_{round}")));
    let known = match kind {
        FreeArmKind::VoteFirst | FreeArmKind::RandomFirst => part("initial_ballots"),
        FreeArmKind::VoteOpenings => part("openings"),
        FreeArmKind::VoteLast => part("final_ballots"),
        FreeArmKind::StopAfter => rounds(round.unwrap_or(0)).or_else(|| part("openings")),
        FreeArmKind::Oracle | FreeArmKind::JudgeOrder0 | FreeArmKind::JudgeOrder1 => part("decision"),
    };
    known.unwrap_or(&facts.cost)
}

/// The free arms of a debate: those of which at least one log says something.
pub(super) fn free_arms(
    table: &CellTable<'_>,
    debate: &ArmName,
    cells: &[CellScore<'_>],
    estimator: &Estimator,
) -> Vec<FreeArm> {
    let rounds = cells.iter().filter_map(|cell| cell.facts).filter(|facts| !facts.named.is_empty());
    let most = rounds.map(|facts| facts.rounds).max().unwrap_or(0);
    let fixed = [
        FreeArmKind::VoteFirst,
        FreeArmKind::VoteOpenings,
        FreeArmKind::VoteLast,
        FreeArmKind::RandomFirst,
        FreeArmKind::Oracle,
        FreeArmKind::JudgeOrder0,
        FreeArmKind::JudgeOrder1,
    ];
    let kinds = fixed.into_iter().map(|kind| (kind, None));
    let kinds = kinds.chain((1..=most).map(|round| (FreeArmKind::StopAfter, Some(round))));
    kinds.filter_map(|(kind, round)| free_arm(table, debate, cells, (kind, round), estimator)).collect()
}

fn free_arm(
    table: &CellTable<'_>,
    debate: &ArmName,
    cells: &[CellScore<'_>],
    (kind, round): (FreeArmKind, Option<u32>),
    estimator: &Estimator,
) -> Option<FreeArm> {
    let mut silent = 0;
    let (mut pairs, mut values, mut costs) = (Vec::new(), Vec::new(), Vec::new());
    for cell in cells {
        let question = table.question(cell.at)?;
        let said = cell.facts.and_then(|facts| free_score(question, facts, kind, round));
        // a debate that a gate skipped had nothing more to say, and stays what it is in each way of deciding
        let skipped = cell.facts.is_some_and(|facts| facts.is_skipped());
        silent += u32::from(said.is_none() && !skipped);
        let own = cell.score?;
        // who says nothing is wrong, as a failure is
        let score = said.unwrap_or(if skipped { own } else { 0.0 });
        let cluster = table.cluster(cell.at);
        values.push((cluster, score));
        pairs.push(PairedScore { cluster, question: u32::try_from(cell.at).ok()?, arm: own, rival: score });
        let count = table.admission.spec.count;
        costs
            .push(cell.facts.map_or_else(|| table.cost(&cell.cost, count), |facts| cost_of(table, facts, kind, round)));
    }
    if silent as usize == cells.len() {
        return None;
    }
    let figures = estimator.paired_lightly(&pairs, false)?;
    let known: Vec<f64> = costs.into_iter().flatten().collect();
    let per_question = (!known.is_empty()).then(|| known.iter().sum::<f64>() / cells.len().max(1) as f64);
    Some(FreeArm {
        debate: debate.clone(),
        kind,
        round,
        right: estimator.mean(&values)?,
        gain: figures.difference,
        p: figures.p,
        per_question,
        upper_bound: kind == FreeArmKind::Oracle,
        silent,
    })
}

/// The name of a free arm in the front: the debate's, and how it decides.
pub(super) fn free_id(free: &FreeArm) -> String {
    let kind = match free.kind {
        FreeArmKind::VoteFirst => "vote_first".to_owned(),
        FreeArmKind::VoteOpenings => "vote_openings".to_owned(),
        FreeArmKind::VoteLast => "vote_last".to_owned(),
        FreeArmKind::RandomFirst => "random_first".to_owned(),
        FreeArmKind::Oracle => "oracle".to_owned(),
        FreeArmKind::JudgeOrder0 => "judge_order_0".to_owned(),
        FreeArmKind::JudgeOrder1 => "judge_order_1".to_owned(),
        FreeArmKind::StopAfter => format!("stop_after_{}", free.round.unwrap_or(0)),
    };
    format!("{}/{kind}", free.debate)
}
