//! Arms: how often each is right, and what it cost.
use super::statistics::Estimator;
use super::table::{CellScore, CellTable, MatchedMethod};
use crate::{
    ArmKind, ArmName, ArmResult, BaselineArm, BudgetCut, CellCost, CellEnding, CostFigure, Count, Facts, Matching,
    PoolOf, SampleUse, SkippedDebates,
};
use std::collections::{BTreeMap, BTreeSet};

/// An arm with its cells.
pub(super) struct ScoredArm<'a> {
    pub id: String,
    pub name: ArmName,
    pub kind: ArmKind,
    pub matched_to: Option<&'a ArmName>,
    /// Whether its samples are matched anew for each count.
    pub method: Option<BaselineArm>,
    pub cells: Vec<CellScore<'a>>,
}

/// All arms of an eval, debates last of those that belong to them, and the user's own methods last of all.
pub(super) fn arms<'a>(table: &CellTable<'a>) -> Vec<ScoredArm<'a>> {
    let spec = &table.admission.spec;
    let mut arms = Vec::new();
    if spec.arms.contains(&BaselineArm::Single) {
        arms.extend(singles(table));
    }
    for debate in &spec.debates {
        let name = &debate.name;
        for method in [BaselineArm::SelfConsistency, BaselineArm::BestOfN, BaselineArm::JudgeAlone] {
            if spec.arms.contains(&method) {
                arms.extend(baseline(table, method, name));
            }
        }
        if debate.isolated {
            arms.push(ScoredArm {
                id: format!("isolated@{name}"),
                name: ArmName("isolated".to_owned()),
                kind: ArmKind::Isolated,
                matched_to: Some(name),
                method: None,
                cells: table.held(|unit| unit.isolated.get(name).copied()),
            });
        }
        arms.push(ScoredArm {
            id: name.to_string(),
            name: name.clone(),
            kind: ArmKind::Debate,
            matched_to: None,
            method: None,
            cells: table.held(|unit| unit.debates.get(name).copied()),
        });
    }
    arms.extend(spec.commands.iter().map(|command| ScoredArm {
        id: command.name.to_string(),
        name: command.name.clone(),
        kind: ArmKind::Command,
        matched_to: None,
        method: None,
        cells: table.held(|unit| unit.commands.get(&command.name).copied()),
    }));
    arms
}

/// The first sample, of each pool that debaters' models give.
fn singles<'a>(table: &CellTable<'a>) -> Vec<ScoredArm<'a>> {
    let pools: Vec<_> = table.debater_pools().collect();
    let alone = pools.len() < 2;
    let arm = |(index, pool): (u32, &'a crate::Pool)| ScoredArm {
        id: match pool.arms.first() {
            Some(first) if !alone => format!("single@{first}"),
            _ => "single".to_owned(),
        },
        name: ArmName("single".to_owned()),
        kind: ArmKind::Single,
        matched_to: None,
        method: None,
        cells: table.single(index),
    };
    pools.into_iter().map(arm).collect()
}

fn baseline<'a>(table: &CellTable<'a>, method: BaselineArm, to: &'a ArmName) -> Option<ScoredArm<'a>> {
    let (kind, cells) = match method {
        BaselineArm::Single => return None,
        BaselineArm::BestOfN => {
            table.admission.judge_calls.get(to)?;
            (ArmKind::BestOfN, table.held(|unit| unit.best_of.get(to).copied()))
        }
        BaselineArm::SelfConsistency => (ArmKind::SelfConsistency, at_count(table, method, to)?),
        BaselineArm::JudgeAlone => (ArmKind::JudgeAlone, at_count(table, method, to)?),
    };
    let resampled = method != BaselineArm::BestOfN && table.admission.spec.matching != Matching::None;
    Some(ScoredArm {
        id: format!("{}@{to}", method.name()),
        name: ArmName(method.name().to_owned()),
        kind,
        matched_to: Some(to),
        method: resampled.then_some(method),
        cells,
    })
}

fn at_count<'a>(table: &CellTable<'a>, method: BaselineArm, to: &'a ArmName) -> Option<Vec<CellScore<'a>>> {
    table.matched(MatchedMethod { method, to, count: table.admission.spec.count })
}

/// What cells cost by a count, as far as it was reported: the sum, and the share of calls of which nothing was.
pub(super) fn spent<'a>(
    table: &CellTable<'_>,
    costs: impl Iterator<Item = &'a CellCost>,
    count: Count,
) -> Option<(f64, f64)> {
    let (mut sum, mut known, mut calls, mut unknown) = (0.0, false, 0_u64, 0_u64);
    for cost in costs {
        calls += u64::from(cost.calls);
        match table.cost(cost, count) {
            Some(cell) => {
                sum += cell;
                known = true;
                unknown += u64::from(cost.unknown_calls);
            }
            None => unknown += u64::from(cost.calls),
        }
    }
    known.then(|| (sum, if calls == 0 { 0.0 } else { unknown as f64 / calls as f64 }))
}

/// Of what cells cost by a count, what is estimated; nothing where all of it was reported.
pub(super) fn estimated<'a>(
    table: &CellTable<'_>,
    costs: impl Iterator<Item = &'a CellCost>,
    count: Count,
) -> Option<f64> {
    let part = |cost: &CellCost| {
        let reported = CellCost { estimated_prompt: 0, estimated_generated: 0, ..cost.clone() };
        let by_model = cost.by_model.iter().map(|(model, cost)| {
            (model.clone(), CellCost { estimated_prompt: 0, estimated_generated: 0, ..cost.clone() })
        });
        let reported = CellCost { unknown_calls: 0, by_model: by_model.collect(), ..reported };
        Some(table.cost(cost, count)? - table.cost(&reported, count).unwrap_or(0.0))
    };
    if count == Count::Seconds {
        return None;
    }
    let parts: Vec<f64> = costs.filter(|cost| cost.estimated() > 0).filter_map(part).collect();
    (!parts.is_empty()).then(|| parts.iter().sum())
}

impl<'a> ScoredArm<'a> {
    /// What its cells cost, by each count that is known.
    fn costs(&self, table: &CellTable<'a>, debate: Option<&Self>) -> Vec<CostFigure> {
        let cells = self.cells.len().max(1) as f64;
        let figure = |count| {
            let own = || self.cells.iter().map(|cell| &cell.cost);
            let (total, unknown_share) = spent(table, own(), count)?;
            let debate = debate.and_then(|debate| spent(table, debate.cells.iter().map(|cell| &cell.cost), count));
            let ratio = debate.filter(|(debate, _)| *debate > 0.0).map(|(debate, _)| total / debate);
            let estimated = estimated(table, own(), count);
            Some(CostFigure { count, total, per_question: total / cells, ratio, estimated, unknown_share })
        };
        Count::ALL.into_iter().filter_map(figure).collect()
    }

    /// What a gate skipped.
    fn skipped(&self, table: &CellTable<'a>) -> Option<SkippedDebates> {
        let count = table.admission.spec.count;
        let skips = |cell: &&CellScore<'a>| cell.facts.is_some_and(Facts::is_skipped);
        let (skipped, held): (Vec<_>, Vec<_>) = self.cells.iter().partition(skips);
        let total = |cells: &[&CellScore<'a>]| spent(table, cells.iter().map(|cell| &cell.cost), count);
        let saved = total(&held).zip(total(&skipped)).map(|((held_cost, _), (skipped_cost, _))| {
            (held_cost / held.len() as f64 * skipped.len() as f64 - skipped_cost).max(0.0)
        });
        (!skipped.is_empty())
            .then(|| SkippedDebates { debates: u32::try_from(skipped.len()).unwrap_or(u32::MAX), saved })
    }

    /// The models that answered in it.
    pub fn models(&self, table: &CellTable<'a>) -> Vec<String> {
        let by_model = self.cells.iter().flat_map(|cell| cell.cost.by_model.keys());
        let mut models: BTreeSet<String> = by_model.cloned().collect();
        if models.is_empty() {
            let of = if self.kind == ArmKind::JudgeAlone { PoolOf::Judge } else { PoolOf::Debaters };
            let pools = table.admission.pools.iter().filter(|pool| pool.of == of);
            let own = self.matched_to.unwrap_or(&self.name);
            models = pools.filter(|pool| pool.arms.contains(own)).flat_map(|pool| pool.models.clone()).collect();
        }
        models.into_iter().collect()
    }

    fn samples(&self) -> Option<SampleUse> {
        let counts: Vec<u32> = self.cells.iter().filter_map(|cell| cell.samples).map(|used| used.samples).collect();
        let (least, most) = (*counts.iter().min()?, *counts.iter().max()?);
        let sum: f64 = counts.iter().copied().map(f64::from).sum();
        Some(SampleUse { mean: sum / counts.len() as f64, least, most })
    }

    /// The figures of the arm.
    pub fn result(&self, table: &CellTable<'a>, arms: &[Self], estimator: &Estimator, withheld: bool) -> ArmResult {
        let debate =
            self.matched_to.and_then(|to| arms.iter().find(|arm| arm.kind == ArmKind::Debate && arm.name == *to));
        let mut causes: BTreeMap<String, u32> = BTreeMap::new();
        let (mut answered, mut ties, mut no_answer, mut failed) = (0, 0, 0, 0);
        for cell in &self.cells {
            let reason = match &cell.ending {
                CellEnding::Answered => {
                    answered += 1;
                    continue;
                }
                ending if ending.is_tie() => {
                    ties += 1;
                    continue;
                }
                CellEnding::NoAnswer { reason } => {
                    no_answer += 1;
                    reason
                }
                CellEnding::Failed { reason } => {
                    failed += 1;
                    reason
                }
            };
            *causes.entry(reason.clone()).or_default() += 1;
        }
        let mut walls: Vec<u64> = self.cells.iter().filter_map(|cell| cell.wall_ms).collect();
        walls.sort_unstable();
        let count = |of: usize| u32::try_from(of).unwrap_or(u32::MAX);
        ArmResult {
            id: self.id.clone(),
            name: self.name.clone(),
            kind: self.kind,
            matched_to: self.matched_to.cloned(),
            models: self.models(table),
            right: if withheld { None } else { estimator.rate(table, &self.cells) },
            n: count(self.cells.len()),
            answered,
            ties,
            no_answer,
            failed,
            causes,
            skipped: self.skipped(table),
            degraded: count(self.cells.iter().filter(|cell| cell.degraded).count()),
            costs: self.costs(table, debate),
            calls: self.cells.iter().map(|cell| u64::from(cell.cost.calls)).sum(),
            wall_median_seconds: quantile(&walls, 0.5),
            wall_p95_seconds: quantile(&walls, 0.95),
            samples: self.samples(),
            cut: self.cut(table, estimator, withheld),
            dominated_by: Vec::new(),
        }
    }

    /// Whether `max_samples` kept it below its budget.
    pub fn cut(&self, table: &CellTable<'a>, estimator: &Estimator, withheld: bool) -> Option<BudgetCut> {
        self.method?;
        let used: Vec<_> = self.cells.iter().filter_map(|cell| cell.samples).collect();
        if used.is_empty() {
            return None;
        }
        let cut = used.iter().filter(|used| used.is_cut()).count();
        let share = cut as f64 / used.len() as f64;
        let plateau = if withheld || cut == 0 { None } else { self.plateau(table, estimator) };
        let worth = table.admission.spec.worth / 100.0;
        let flat = plateau.and_then(|plateau| plateau.interval).is_some_and(|interval| interval.high < worth);
        Some(BudgetCut { share, plateau, held_down: share > MOST_CUT && !flat })
    }

    /// Its rate minus that at half of its samples.
    fn plateau(&self, table: &CellTable<'a>, estimator: &Estimator) -> Option<crate::Estimate> {
        let half = table.halves(self)?;
        let differences: Vec<(u32, f64)> = self
            .cells
            .iter()
            .zip(&half)
            .filter_map(|(all, half)| Some((table.cluster(all.at), all.score? - half.score?)))
            .collect();
        estimator.difference(&differences)
    }
}

/// The share of cells cut by `max_samples` above which an arm may be held down.
const MOST_CUT: f64 = 0.05;

impl<'a> CellTable<'a> {
    /// The cells of a matched arm at half of their samples, at least 1.
    fn halves(&self, arm: &ScoredArm<'a>) -> Option<Vec<CellScore<'a>>> {
        let (method, to) = (arm.method?, arm.matched_to?);
        let pool = crate::pool_of(&self.admission.pools, crate::pool_kind(method), to)?;
        let halves = arm
            .cells
            .iter()
            .map(|cell| self.at_samples((cell.at, cell.repetition), pool, cell.samples?.samples.div_ceil(2)));
        halves.collect()
    }
}

/// The quantile of sorted milliseconds in seconds: the smallest value that so large a share does not exceed.
fn quantile(sorted: &[u64], share: f64) -> Option<f64> {
    let at = (sorted.len() as f64 * share).ceil() as usize;
    let ms = sorted.get(at.saturating_sub(1))?;
    Some(*ms as f64 / 1_000.0)
}
