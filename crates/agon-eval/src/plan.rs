//! What an eval would take, before the first call.
mod gradings;
mod held;
mod programs;

pub use gradings::longest_grading;
pub use held::HeldCells;
pub use programs::PlannedProgram;
pub(crate) use programs::usual_program_call;

use crate::stats::{SEQUENTIAL_SIZE, design_effect, questions_needed, smallest_effect};
use crate::{
    ArmName, BaselineArm, Cell, CellSpecs, CellWork, Count, DebateArm, Design, EQUAL_SPENDING, EvalAdmission,
    EvalRefused, EvalSpec, FIRST_SAMPLES, Matching, PoolOf, cell_arm, first_cells, pool_of, users_of,
};
use agon_core::{CallPlan, DebateSpec, thousands};
use held::HeldBefore;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// Tokens of a prompt's fixed words at most: instructions, rules, schemas.
const FIXED_MOST: u64 = 4_000;
/// The same, as they usually are.
const FIXED_LIKELY: u64 = 900;
/// The share of questions that tells two arms apart, until it is measured.
const DISCORDANCE: f64 = 0.25;
/// How alike questions of a cluster are, until it is measured.
const CORRELATION: f64 = 0.2;
/// The chance with which a difference is to be shown.
const POWER: f64 = 0.8;
/// The share of the tokens that an answer may have, that it usually has.
const ANSWER_SHARE: f64 = 0.4;

/// What an eval would take.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct EvalPlan {
    /// Scripted speakers would answer: nothing here is about models.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rehearsal: bool,
    /// Questions.
    pub questions: u32,
    /// Questions of each kind, by its name.
    pub scored: BTreeMap<String, u32>,
    /// Arms and pools with their cells.
    pub parts: Vec<PlannedPart>,
    /// Cells that are certain: every debate, and the first samples of every pool.
    pub cells: u64,
    /// Cells at most: with the samples that depend on what debates cost.
    pub cells_most: u64,
    /// Of these, held before: they cost nothing. Cells that depend on what debates cost are certain where they are held already.
    pub reused: u64,
    /// Calls of the certain cells that are still to be held, if each succeeds at first and no rule ends a debate sooner.
    pub calls: u64,
    /// Calls at most, if each succeeds at first.
    pub calls_most: u64,
    /// Tokens, as they usually are.
    pub tokens_likely: u64,
    /// Tokens at most, if each call succeeds at first.
    pub tokens_most: u64,
    /// Of the likely tokens, those that each model generates.
    pub generated: BTreeMap<String, f64>,
    /// Gradings of answers, as many as there usually are; nothing where nobody grades.
    #[serde(skip_serializing_if = "crate::cell::is_zero")]
    pub gradings_likely: u64,
    /// Gradings at most. Cells, calls and tokens at most have them, too.
    #[serde(skip_serializing_if = "crate::cell::is_zero")]
    pub gradings_most: u64,
    /// The models that grade.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub graders: Vec<String>,
    /// Programs of the user's own with their runs. Cells, calls and tokens have nothing of them: what they cost is unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub programs: Vec<PlannedProgram>,
    /// Money, as it usually is, where every model has a price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub money_likely: Option<f64>,
    /// The smallest difference, in points of a hundred, that so many questions show with a chance of 80 %, where a quarter of them
    /// tells two arms apart. Absent where they show none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub smallest_points: Option<f64>,
    /// The questions that other differences need.
    pub needed: Vec<PlannedQuestions>,
    /// What a reader must know besides, each a sentence: what was asked for and will not be there, debates above the budget.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The questions that show a difference with a chance of 80 %, where a quarter of them tells two arms apart.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct PlannedQuestions {
    /// The difference, in points of a hundred.
    pub points: f64,
    /// So many questions; clusters are taken into account.
    pub questions: u64,
}

/// An arm or a pool in a plan.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PlannedPart {
    /// Which.
    pub name: String,
    /// Cells that are certain.
    pub cells: u64,
    /// Calls of one cell, if each succeeds at first; of a pool the first samples.
    pub calls_each: u64,
    /// Calls of all certain cells that are still to be held.
    pub calls: u64,
    /// The models of a pool's samples.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<String>,
    /// The debates whose pool it is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arms: Vec<String>,
}

impl PlannedPart {
    /// No cell yet of an arm or a pool.
    fn new(admission: &EvalAdmission, work: &CellWork, calls_each: u64) -> Self {
        let pool = match work {
            CellWork::Samples { pool, .. } => usize::try_from(*pool).ok().and_then(|at| admission.pools.get(at)),
            CellWork::Debate { .. }
            | CellWork::Isolated { .. }
            | CellWork::BestOf { .. }
            | CellWork::Command { .. }
            | CellWork::Grading { .. } => None,
        };
        let (models, arms) = pool.map_or_else(Default::default, |pool| {
            (pool.models.clone(), pool.arms.iter().map(ArmName::to_string).collect())
        });
        Self { name: cell_arm(work), cells: 0, calls_each, calls: 0, models, arms }
    }
}

/// What one debate would take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Estimated {
    calls: u64,
    likely: f64,
    most: u64,
    /// Of `likely`, generated.
    generated: f64,
}

impl Estimated {
    /// The plan's token rule: each call reads the fixed words, the question, and all that was said before; a text of 3.5 characters is a
    /// token as it usually is, and a byte is one at most.
    fn of(spec: &DebateSpec) -> Self {
        let plan = CallPlan::of(spec);
        let texts = [Some(&spec.topic), spec.context.as_ref(), spec.materials.as_ref(), spec.instructions.as_ref()];
        let own: usize = texts.into_iter().flatten().map(String::len).sum();
        let bytes = u64::try_from(own).unwrap_or(u64::MAX);
        let (calls, generated) = (plan.calls, plan.max_completion_tokens);
        // nobody hears anybody in a poll; else a call hears at most all before it
        let heard = if spec.is_poll() { judges_hear(spec) } else { triangle(calls, generated) };
        let fixed = calls.saturating_mul(FIXED_MOST.saturating_add(bytes));
        let most = fixed.saturating_add(generated).saturating_add(heard);
        let own = FIXED_LIKELY as f64 + bytes as f64 / 3.5;
        let said = generated as f64 * ANSWER_SHARE;
        Self { calls, likely: calls as f64 * own + said + heard as f64 * ANSWER_SHARE, most, generated: said }
    }
}

/// What a call of a debate usually takes by the plan's token rule: prompt and generated tokens, in the mean of all its calls.
pub(crate) fn usual_call(spec: &DebateSpec) -> (u64, u64) {
    let Estimated { calls, likely, generated, .. } = Estimated::of(spec);
    let calls = calls.max(1) as f64;
    (((likely - generated) / calls).round() as u64, (generated / calls).round() as u64)
}

/// What is heard where each call hears all before it.
fn triangle(calls: u64, generated: u64) -> u64 {
    generated.saturating_mul(calls.saturating_sub(1)) / 2
}

/// What the judges of a poll hear: every sample.
fn judges_hear(spec: &DebateSpec) -> u64 {
    let samples: u64 = spec.samplers().map(|persona| u64::from(persona.voice.max_tokens)).sum();
    CallPlan::of_decision(spec).calls.saturating_mul(samples)
}

impl EvalPlan {
    /// The plan of an eval, of which a store may have some debates already.
    pub fn of(admission: &EvalAdmission, specs: &dyn CellSpecs, held: &HeldCells<'_>) -> Result<Self, EvalRefused> {
        let spec = &admission.spec;
        check_names(spec).map_err(|message| EvalRefused::at("debates", message))?;
        check_primary(admission).map_err(|message| EvalRefused::at("primary", message))?;
        check_prices(admission, specs)?;
        let mut plan =
            Self { rehearsal: admission.rehearsal, questions: count(spec.questions.len()), ..Self::default() };
        let mut parts: BTreeMap<String, PlannedPart> = BTreeMap::new();
        let (mut likely, mut money) = (0.0, Some(0.0));
        let mut held = HeldBefore::new(admission, specs, held);
        for cell in cells(admission) {
            let (debate, is_held) = held.spec_of(&cell)?;
            let each = Estimated::of(&debate);
            let name = cell_arm(&cell.work);
            let part = parts.entry(name).or_insert_with(|| PlannedPart::new(admission, &cell.work, each.calls));
            part.cells += 1;
            plan.cells += 1;
            plan.reused += u64::from(is_held);
            if !is_held {
                part.calls += each.calls;
                plan.calls += each.calls;
                plan.tokens_most = plan.tokens_most.saturating_add(each.most);
                likely += each.likely;
                plan.generates(&debate, each.generated);
                money = money.zip(price(admission, &debate, each)).map(|(sum, one)| sum + one);
            }
        }
        held.find_later()?;
        for cell in held.later() {
            if let Some(part) = parts.get_mut(&cell_arm(&cell.work)) {
                part.cells += 1;
            }
            plan.cells += 1;
            plan.reused += 1;
        }
        plan.add_matched((admission, specs), &held, (&mut likely, &mut money))?;
        plan.add_gradings((admission, specs), &held, (&mut likely, &mut money))?;
        plan.programs = programs::programs(admission);
        plan.notes = missing_arms(admission);
        plan.add_power(spec);
        for question in &spec.questions {
            *plan.scored.entry(question.gold.kind_name().to_owned()).or_default() += 1;
        }
        plan.graders =
            spec.grader.as_ref().filter(|_| plan.gradings_most > 0).map_or_else(Vec::new, |of| of.models.clone());
        plan.warn_of_budget(spec, specs)?;
        plan.parts = parts.into_values().collect();
        plan.tokens_likely = likely as u64;
        plan.money_likely = money.filter(|_| !admission.prices.is_empty());
        Ok(plan)
    }

    /// The budget holds for arms without a debate; a debate may spend more.
    fn warn_of_budget(&mut self, spec: &EvalSpec, specs: &dyn CellSpecs) -> Result<(), String> {
        let Matching::Budget(budget) = spec.matching else { return Ok(()) };
        if !matches!(spec.count, Count::Total | Count::New) || spec.questions.is_empty() {
            return Ok(());
        }
        for DebateArm { name, .. } in &spec.debates {
            let likely = Estimated::of(&specs.spec(&at_first(CellWork::Debate { arm: name.clone() }))?).likely;
            let times = likely / budget as f64;
            if times > EQUAL_SPENDING {
                self.notes.push(format!(
                    "{name} will spend about {} tokens on each question, {times:.1} x the budget of {}, which holds for arms without a debate",
                    thousands(likely as u64),
                    thousands(budget)
                ));
            }
        }
        Ok(())
    }

    /// What so many questions can show.
    fn add_power(&mut self, spec: &EvalSpec) {
        let clusters: BTreeSet<&str> =
            spec.questions.iter().map(|question| question.group.as_deref().unwrap_or(&question.id)).collect();
        let size = f64::from(self.questions) / clusters.len().max(1) as f64;
        let sequential = spec.design == Design::Sequential;
        let design = design_effect(size, CORRELATION) * if sequential { SEQUENTIAL_SIZE } else { 1.0 };
        if sequential {
            self.notes.push(format!(
                "the questions needed are those of a sequential design, at most: {SEQUENTIAL_SIZE} times those of a fixed one; it usually \
                 ends earlier"
            ));
        }
        let alone = (f64::from(self.questions) / design) as u64;
        self.smallest_points = smallest_effect(alone, DISCORDANCE, spec.alpha, POWER).map(|effect| effect * 100.0);
        let needed = |points: f64| {
            let alone = questions_needed(DISCORDANCE, points / 100.0, spec.alpha, POWER)?;
            Some(PlannedQuestions { points, questions: (alone as f64 * design).ceil() as u64 })
        };
        self.needed = [3.0, 5.0, 8.0].into_iter().filter_map(needed).collect();
    }

    /// The samples and polls that depend on what debates cost: as many as may be, and as many as their estimates are worth.
    fn add_matched(
        &mut self,
        (admission, specs): (&EvalAdmission, &dyn CellSpecs),
        held: &HeldBefore<'_>,
        (likely, money): (&mut f64, &mut Option<f64>),
    ) -> Result<(), String> {
        let spec = &admission.spec;
        let each = held.open_places();
        (self.cells_most, self.calls_most) = (self.cells, self.calls);
        for (pool, _) in (0..).zip(&admission.pools) {
            let users = users_of(spec, &admission.pools, pool);
            let more = spec.max_samples.saturating_sub(FIRST_SAMPLES);
            if users.is_empty() || more == 0 {
                continue;
            }
            let one = Estimated::of(&specs.spec(&at_first(CellWork::Samples { pool, first: 0, count: 1 }))?);
            let budgets =
                users.iter().map(|(_, arm)| budget(spec.matching, specs, arm)).collect::<Result<Vec<_>, _>>()?;
            let worth = budgets.into_iter().fold(0.0, f64::max) / one.likely.max(1.0) - f64::from(FIRST_SAMPLES);
            let worth =
                if spec.matching == Matching::None { f64::from(more) } else { worth.clamp(0.0, f64::from(more)) };
            self.add(each, u64::from(more), one, (worth * each as f64, likely));
            let sample = specs.spec(&at_first(CellWork::Samples { pool, first: 0, count: 1 }))?;
            self.generates(&sample, one.generated * worth * each as f64);
            let cost = price(admission, &sample, one).map(|price| price * worth * each as f64);
            *money = money.zip(cost).map(|(sum, one)| sum + one);
        }
        for arm in admission.judge_calls.keys().filter(|_| spec.arms.contains(&crate::BaselineArm::BestOfN)) {
            let work = |count| CellWork::BestOf { arm: arm.clone(), count };
            let most = Estimated::of(&specs.spec(&at_first(work(spec.max_samples)))?);
            let usual = budget(spec.matching, specs, arm)?.min(most.likely);
            let usual = if spec.matching == Matching::None { most.likely } else { usual };
            self.add(each, 1, most, (each as f64 * usual / most.likely.max(1.0), likely));
            let best = specs.spec(&at_first(work(spec.max_samples)))?;
            self.generates(&best, most.generated * each as f64 * usual / most.likely.max(1.0));
            let cost = price(admission, &best, most).map(|price| price * each as f64 * usual / most.likely.max(1.0));
            *money = money.zip(cost).map(|(sum, one)| sum + one);
        }
        Ok(())
    }

    /// Tokens that the models of a debate generate, taken to be shared evenly.
    fn generates(&mut self, spec: &DebateSpec, tokens: f64) {
        let models: Vec<&str> = spec.voices().map(|voice| voice.model.as_str()).collect();
        for model in &models {
            *self.generated.entry((*model).to_owned()).or_default() += tokens / models.len() as f64;
        }
    }

    /// Seconds that all calls take one after the other, as it usually is, where the speed of every model is known in generated tokens
    /// a second.
    pub fn seconds_likely(&self, speed: impl Fn(&str) -> Option<f64>) -> Option<f64> {
        let seconds = |(model, tokens): (&String, &f64)| Some(tokens / speed(model).filter(|speed| *speed > 0.0)?);
        let each: Option<Vec<f64>> = self.generated.iter().map(seconds).collect();
        each.filter(|each| !each.is_empty()).map(|each| each.iter().sum())
    }

    fn add(&mut self, cells: u64, units: u64, each: Estimated, (usual, likely): (f64, &mut f64)) {
        self.cells_most += cells;
        self.calls_most = self.calls_most.saturating_add(cells.saturating_mul(units).saturating_mul(each.calls));
        self.tokens_most = self.tokens_most.saturating_add(cells.saturating_mul(units).saturating_mul(each.most));
        *likely += usual * each.likely;
    }
}

/// What a debate's rivals may likely spend on a question, in tokens.
fn budget(matching: Matching, specs: &dyn CellSpecs, arm: &crate::ArmName) -> Result<f64, String> {
    Ok(match matching {
        Matching::Debate | Matching::Mean => {
            Estimated::of(&specs.spec(&at_first(CellWork::Debate { arm: arm.clone() }))?).likely
        }
        Matching::Budget(budget) => budget as f64,
        Matching::None => f64::INFINITY,
    })
}

/// The cells of an eval that are certain.
pub fn cells(admission: &EvalAdmission) -> impl Iterator<Item = Cell> {
    let spec = &admission.spec;
    let questions =
        (0..count(spec.questions.len())).flat_map(|question| (0..spec.repetitions).map(move |n| (question, n)));
    questions.flat_map(|(question, repetition)| first_cells(spec, &admission.pools, question, repetition))
}

fn at_first(work: CellWork) -> Cell {
    Cell { question: 0, repetition: 0, work }
}

/// The likely price of a debate; its tokens are taken to be shared evenly by its models.
fn price(admission: &EvalAdmission, spec: &DebateSpec, each: Estimated) -> Option<f64> {
    let models: Vec<&str> = spec.voices().map(|voice| voice.model.as_str()).collect();
    let prices: Vec<_> = models.iter().map(|model| admission.prices.get(*model)).collect::<Option<_>>()?;
    let mean =
        |of: fn(&crate::ModelPrice) -> f64| prices.iter().map(|price| of(price)).sum::<f64>() / prices.len() as f64;
    let prompt = (each.likely - each.generated).max(0.0);
    Some((prompt * mean(|price| price.prompt) + each.generated * mean(|price| price.generated)) / 1e6)
}

/// Names of arms are their ids, so that no two may be the same.
fn check_names(spec: &EvalSpec) -> Result<(), String> {
    let mut names: BTreeSet<&str> = ["isolated"].into();
    let debates = spec.debates.iter().map(|debate| ("a debate", &debate.name));
    for (what, name) in debates.chain(spec.commands.iter().map(|command| ("a command", &command.name))) {
        if BaselineArm::of_name(&name.0).is_some() || !names.insert(&name.0) {
            return Err(format!("{what} cannot be named {name}: another arm has the name"));
        }
    }
    Ok(())
}

/// A declared comparison needs both its arms: what a debate leaves no room for is compared with nothing.
fn check_primary(admission: &EvalAdmission) -> Result<(), String> {
    let spec = &admission.spec;
    for pair in &spec.primary {
        let names = [&pair.arm, &pair.rival];
        let Some(own) = spec.debates.iter().map(|debate| &debate.name).find(|debate| names.contains(debate)) else {
            continue;
        };
        let missing =
            names.into_iter().find_map(|name| Some((name, no_room(admission, own, BaselineArm::of_name(&name.0)?)?)));
        if let Some((name, why)) = missing {
            let [arm, rival] = names;
            return Err(format!("{arm} cannot be compared with {rival}: there is no {name} for {own}: {why}"));
        }
    }
    Ok(())
}

/// Methods that some debate leaves no room for.
fn missing_arms(admission: &EvalAdmission) -> Vec<String> {
    let spec = &admission.spec;
    let notes = spec.arms.iter().filter_map(|method| {
        let debates = spec.debates.iter().map(|debate| &debate.name);
        let without: Vec<_> = debates.filter_map(|name| Some((name, no_room(admission, name, *method)?))).collect();
        let (_, why) = without.first()?;
        let names: Vec<String> = without.iter().map(|(name, _)| name.to_string()).collect();
        Some(format!("No {} for {}: {why}.", method.name(), names.join(", ")))
    });
    notes.collect()
}

/// Where money is counted, the price of every model is known. A question's models are those of all.
fn check_prices(admission: &EvalAdmission, specs: &dyn CellSpecs) -> Result<(), EvalRefused> {
    let spec = &admission.spec;
    let key = match spec.count {
        Count::Money => "count",
        Count::Total | Count::Generated | Count::New | Count::Seconds if spec.limits.money.is_some() => "limits",
        Count::Total | Count::Generated | Count::New | Count::Seconds => return Ok(()),
    };
    let mut unpriced: BTreeSet<String> = BTreeSet::new();
    for cell in first_cells(spec, &admission.pools, 0, 0) {
        let models = specs.spec(&cell)?;
        let models = models.voices().map(|voice| voice.model.as_str());
        unpriced.extend(models.filter(|model| !admission.prices.contains_key(*model)).map(str::to_owned));
    }
    if unpriced.is_empty() {
        return Ok(());
    }
    let models: Vec<String> = unpriced.into_iter().collect();
    let models = models.join(", ");
    Err(EvalRefused::at(key, format!("money is counted, and the settings have no [eval.prices] of {models}")))
}

/// Why there is no such arm beside a debate, where there is none.
fn no_room(admission: &EvalAdmission, debate: &crate::ArmName, method: BaselineArm) -> Option<&'static str> {
    match method {
        BaselineArm::Single | BaselineArm::SelfConsistency => None,
        BaselineArm::BestOfN => {
            (!admission.judge_calls.contains_key(debate)).then_some("a judge picks the best answer, and there is none")
        }
        BaselineArm::JudgeAlone => pool_of(&admission.pools, PoolOf::Judge, debate)
            .is_none()
            .then_some("there is no judge, or its model is a debater's"),
    }
}

fn count(of: usize) -> u32 {
    u32::try_from(of).unwrap_or(u32::MAX)
}
