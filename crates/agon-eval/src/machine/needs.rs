//! Which cells a question needs.
use super::{CellState, EvalMachine};
use crate::{
    ArmName, BaselineArm, Cell, CellClosed, CellWork, Count, FIRST_SAMPLES, MatchKey, Matching, PoolOf, SampleFact,
    best_of_for, cost_in, first_cells, is_paid_each, pool_of, samples_for, samples_paid, users_of,
};
use std::collections::{BTreeMap, BTreeSet};

/// Questions, each with a repetition, that have what they need.
#[derive(Clone, Debug)]
pub(super) struct QuestionStanding {
    /// Of each question, its block.
    block_of: BTreeMap<u32, usize>,
    /// Of each block, the questions whose first cells are not over.
    lack_first: Vec<BTreeSet<(u32, u32)>>,
    /// Of each block, the questions of which some cell is not over.
    lack_any: Vec<BTreeSet<(u32, u32)>>,
    /// What each debate cost in the mean, once the first cells of every question are over.
    pub(super) means: BTreeMap<(ArmName, Count), f64>,
}

impl QuestionStanding {
    pub(super) fn new(blocks: &[Vec<u32>], repetitions: u32) -> Self {
        let all = |block: &Vec<u32>| {
            block.iter().flat_map(|question| (0..repetitions).map(move |repetition| (*question, repetition))).collect()
        };
        let lacking: Vec<BTreeSet<(u32, u32)>> = blocks.iter().map(all).collect();
        let numbered = (0..).zip(blocks).flat_map(|(at, block)| block.iter().map(move |question| (*question, at)));
        Self { block_of: numbered.collect(), lack_first: lacking.clone(), lack_any: lacking, means: BTreeMap::new() }
    }

    fn note(&mut self, question: (u32, u32), has_first: bool, is_over: bool) {
        let Some(block) = self.block_of.get(&question.0) else { return };
        for (lacking, done) in [(&mut self.lack_first, has_first), (&mut self.lack_any, is_over)] {
            match (lacking.get_mut(*block), done) {
                (Some(lacking), true) => drop(lacking.remove(&question)),
                (Some(lacking), false) => drop(lacking.insert(question)),
                (None, _) => {}
            }
        }
    }

    fn all_first(&self) -> bool {
        self.lack_first.iter().all(BTreeSet::is_empty)
    }
}

impl EvalMachine {
    /// The cells of a question that were opened.
    pub(super) fn cells_of(&self, question: u32, repetition: u32) -> impl Iterator<Item = (&Cell, &CellState)> {
        let least = CellWork::Debate { arm: ArmName(String::new()) };
        let from = Cell { question, repetition, work: least };
        self.cells.range(from..).take_while(move |(cell, _)| cell.question == question && cell.repetition == repetition)
    }

    /// The cells of a question that may be opened now, each with how often it failed.
    pub(crate) fn missing(&self, question: u32, repetition: u32) -> Vec<(Cell, u32)> {
        let own = |cell: &&Cell| cell.question == question && cell.repetition == repetition && !cell.is_grading();
        let again = self.again.iter().filter(own);
        let mut missing: Vec<Cell> = again.cloned().collect();
        let first = first_cells(&self.admission.spec, &self.admission.pools, question, repetition);
        missing.extend(first.into_iter().filter(|cell| !self.cells.contains_key(cell)));
        if !self.waits_for_all()
            && let Some(later) = self.later(question, repetition)
        {
            missing.extend(later.into_iter().filter(|cell| !self.cells.contains_key(cell)));
        }
        if repetition == 0
            && let Some(gradings) = self.gradings(question)
        {
            missing.extend(gradings.into_iter().filter(|cell| !self.is_open_or_over(cell)));
        }
        missing.into_iter().map(|cell| (self.attempt(&cell), cell)).map(|(attempt, cell)| (cell, attempt)).collect()
    }

    /// Whether cells are deferred until every debate is over, and some is not.
    fn waits_for_all(&self) -> bool {
        self.defers() && !self.standing.all_first()
    }

    /// Notes anew what a question lacks.
    pub(super) fn stand(&mut self, question: u32, repetition: u32) {
        let waited = self.waits_for_all();
        let has_first = self.has_first(question, repetition);
        self.standing.note((question, repetition), has_first, self.question_over(question, repetition));
        if repetition > 0 {
            // gradings wait for all repetitions
            self.standing.note((question, 0), self.has_first(question, 0), self.question_over(question, 0));
        }
        if waited && !self.waits_for_all() {
            // now the means are known, on which every question depends
            self.stand_anew();
        }
    }

    /// Notes anew what every question lacks.
    pub(super) fn stand_anew(&mut self) {
        let questions: Vec<(u32, u32)> = self.blocks.iter().flat_map(|block| self.unit(block)).collect();
        for (question, repetition) in &questions {
            let has_first = self.has_first(*question, *repetition);
            self.standing.note((*question, *repetition), has_first, false);
        }
        self.standing.means = if self.waits_for_all() { BTreeMap::new() } else { self.means() };
        for (question, repetition) in questions {
            let has_first = self.has_first(question, repetition);
            self.standing.note((question, repetition), has_first, self.question_over(question, repetition));
        }
    }

    fn has_first(&self, question: u32, repetition: u32) -> bool {
        let first = first_cells(&self.admission.spec, &self.admission.pools, question, repetition);
        first.iter().all(|cell| self.result(cell).is_some())
    }

    /// Whether anything of a block is to be opened or is open now.
    pub(super) fn lacks_any(&self, block: usize) -> bool {
        let lacking = if self.waits_for_all() { &self.standing.lack_first } else { &self.standing.lack_any };
        lacking.get(block).is_some_and(|lacking| !lacking.is_empty())
    }

    /// Whether every cell of a block is over.
    pub(super) fn is_over(&self, block: usize) -> bool {
        self.standing.lack_any.get(block).is_some_and(BTreeSet::is_empty)
    }

    /// Whether every cell that a question needs is over.
    fn question_over(&self, question: u32, repetition: u32) -> bool {
        if repetition > 0 {
            return self.is_answered(question, repetition);
        }
        let gradings = self.gradings(question);
        self.is_answered(question, 0)
            && gradings.is_some_and(|gradings| gradings.iter().all(|cell| self.result(cell).is_some()))
    }

    /// Whether every cell that gives answers to a question is over.
    pub(super) fn is_answered(&self, question: u32, repetition: u32) -> bool {
        let mut answers = self.cells_of(question, repetition).filter(|(cell, _)| !cell.is_grading());
        if self.waits_for_all() || answers.any(|(cell, _)| self.result(cell).is_none()) {
            return false;
        }
        let later = self.later(question, repetition);
        later.is_some_and(|cells| cells.iter().all(|cell| self.result(cell).is_some()))
    }

    /// What came of a cell, unless it is to be held again.
    pub(super) fn result(&self, cell: &Cell) -> Option<&CellClosed> {
        let closed = self.cells.get(cell)?.closed.as_deref();
        closed.filter(|_| !self.again.contains(cell))
    }

    /// The cells that depend on what the first ones cost, of which some may be open or over; nothing before those are over.
    fn later(&self, question: u32, repetition: u32) -> Option<Vec<Cell>> {
        if !self.has_first(question, repetition) {
            return None;
        }
        let mut cells = Vec::new();
        for (pool, _) in (0..).zip(&self.admission.pools) {
            let wanted = self.samples_wanted(question, repetition, pool);
            let covered = self.samples_covered(question, repetition, pool);
            if wanted > covered {
                let work = CellWork::Samples { pool, first: covered, count: wanted - covered };
                cells.push(Cell { question, repetition, work });
            }
        }
        cells.extend(self.best_of_cells(question, repetition));
        cells.extend(self.command_cells(question, repetition));
        Some(cells)
    }

    /// The samples of a pool that are there or on their way.
    fn samples_covered(&self, question: u32, repetition: u32, pool: u32) -> u32 {
        let samples = self.cells_of(question, repetition).filter_map(|(cell, _)| match &cell.work {
            CellWork::Samples { pool: of, first, count } if *of == pool => Some(first + count),
            CellWork::Grading { .. }
            | CellWork::Samples { .. }
            | CellWork::Debate { .. }
            | CellWork::Isolated { .. }
            | CellWork::BestOf { .. }
            | CellWork::Command { .. } => None,
        });
        samples.max().unwrap_or(0)
    }

    /// The most samples that a method needs at any count.
    fn samples_wanted(&self, question: u32, repetition: u32, pool: u32) -> u32 {
        let spec = &self.admission.spec;
        let users = users_of(spec, &self.admission.pools, pool);
        if spec.matching == Matching::None && !users.is_empty() {
            return spec.max_samples;
        }
        let first = self.first_costs(question, repetition, pool);
        let matched =
            users.iter().flat_map(|(_, arm)| Count::ALL.map(|count| (*arm, count))).filter_map(|(arm, count)| {
                let key = MatchKey { seed: spec.seed, question, repetition, arm, count };
                let budget = self.budget(question, repetition, arm, count)?;
                // polls go on until the samples suffice by the count that decides, and by one that hangs on no cache
                if is_paid_each(count) && (count == spec.count || count == Count::Generated) {
                    let drawn = self.drawn_costs(question, repetition, (pool, count));
                    return samples_paid(budget, &drawn, &key, spec.max_samples);
                }
                samples_for(budget, &first(count), &key, spec.max_samples)
            });
        matched.map(|matched| matched.samples).max().unwrap_or(0)
    }

    /// What a method without a debate may spend on a question.
    pub(super) fn budget(&self, question: u32, repetition: u32, arm: &ArmName, count: Count) -> Option<f64> {
        match self.admission.spec.matching {
            Matching::Debate => self.debate_cost(question, repetition, arm, count),
            Matching::Mean => self.standing.means.get(&(arm.clone(), count)).copied(),
            Matching::Budget(budget) => (count == self.admission.spec.count).then_some(budget as f64),
            Matching::None => None,
        }
    }

    fn debate_cost(&self, question: u32, repetition: u32, arm: &ArmName, count: Count) -> Option<f64> {
        let cell = Cell { question, repetition, work: CellWork::Debate { arm: arm.clone() } };
        cost_in(&self.result(&cell)?.facts.cost, count, &self.admission.prices)
    }

    /// What each debate cost in the mean, where it is known.
    fn means(&self) -> BTreeMap<(ArmName, Count), f64> {
        let debates = self.admission.spec.debates.iter().map(|debate| &debate.name);
        let pairs = debates.flat_map(|arm| Count::ALL.map(|count| (arm.clone(), count)));
        pairs
            .filter_map(|(arm, count)| Some((self.mean_cost(&arm, count)?, (arm, count))))
            .map(|(mean, key)| (key, mean))
            .collect()
    }

    /// What a debate cost in the mean of all questions that are over.
    fn mean_cost(&self, arm: &ArmName, count: Count) -> Option<f64> {
        let own = |closed: &&CellClosed| closed.cell.work == CellWork::Debate { arm: arm.clone() };
        let costs = self.closed().filter(own).map(|closed| cost_in(&closed.facts.cost, count, &self.admission.prices));
        let costs: Vec<f64> = costs.flatten().collect();
        (!costs.is_empty()).then(|| costs.iter().sum::<f64>() / costs.len() as f64)
    }

    /// What each of the first samples of a pool cost, by count.
    fn first_costs(&self, question: u32, repetition: u32, pool: u32) -> impl Fn(Count) -> Vec<f64> {
        let known = usize::try_from(pool).ok().and_then(|at| self.admission.pools.get(at));
        let count = known.map_or(FIRST_SAMPLES, |pool| pool.first(&self.admission.spec));
        let cell = Cell { question, repetition, work: CellWork::Samples { pool, first: 0, count } };
        let samples = self.result(&cell).map(|closed| closed.facts.samples.clone()).unwrap_or_default();
        let prices = self.admission.prices.clone();
        move |count| samples.iter().filter_map(|sample| cost_in(&sample.cost, count, &prices)).collect()
    }

    /// What each sample of a pool cost that was drawn until now; what nobody reported is in no sum.
    fn drawn_costs(&self, question: u32, repetition: u32, (pool, count): (u32, Count)) -> Vec<f64> {
        let prices = &self.admission.prices;
        let mut drawn: BTreeMap<u32, f64> = BTreeMap::new();
        for (cell, _) in self.cells_of(question, repetition) {
            let CellWork::Samples { pool: of, .. } = &cell.work else { continue };
            let samples = self.result(cell).filter(|_| *of == pool).map(|closed| &closed.facts.samples);
            let cost = |sample: &SampleFact| cost_in(&sample.cost, count, prices).unwrap_or(0.0);
            drawn.extend(samples.into_iter().flatten().map(|sample| (sample.number, cost(sample))));
        }
        drawn.into_values().collect()
    }

    /// The polls of which judges pick one answer, one for each debate.
    fn best_of_cells(&self, question: u32, repetition: u32) -> Vec<Cell> {
        let spec = &self.admission.spec;
        if !spec.arms.contains(&BaselineArm::BestOfN) {
            return Vec::new();
        }
        let cell = |arm: &ArmName| {
            let opened = self.cells_of(question, repetition).map(|(cell, _)| cell);
            let mut opened = opened.filter(|cell| matches!(&cell.work, CellWork::BestOf { arm: of, .. } if of == arm));
            // once it is held, its number of samples stays
            if let Some(cell) = opened.next() {
                return Some(cell.clone());
            }
            let count = self.best_of_samples(question, repetition, arm)?;
            Some(Cell { question, repetition, work: CellWork::BestOf { arm: arm.clone(), count } })
        };
        spec.debates.iter().filter_map(|debate| cell(&debate.name)).collect()
    }

    fn best_of_samples(&self, question: u32, repetition: u32, arm: &ArmName) -> Option<u32> {
        let spec = &self.admission.spec;
        let judge_calls = *self.admission.judge_calls.get(arm)?;
        if spec.matching == Matching::None {
            return Some(spec.max_samples);
        }
        let pool = pool_of(&self.admission.pools, PoolOf::Debaters, arm)?;
        let budget = self.budget(question, repetition, arm, spec.count)?;
        let first = self.first_costs(question, repetition, pool);
        let text = match spec.count {
            // the judge reads what the samples say
            Count::Total | Count::New => mean(&first(Count::Generated)).unwrap_or(0.0),
            Count::Generated | Count::Seconds | Count::Money => 0.0,
        };
        let key = MatchKey { seed: spec.seed, question, repetition, arm, count: spec.count };
        best_of_for(budget, &first(spec.count), (judge_calls, text), &key, spec.max_samples)
            .map(|matched| matched.samples)
    }
}

fn mean(of: &[f64]) -> Option<f64> {
    (!of.is_empty()).then(|| of.iter().sum::<f64>() / of.len() as f64)
}
