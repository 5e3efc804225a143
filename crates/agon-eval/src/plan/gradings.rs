//! What grading would take.
use super::{Estimated, EvalPlan, HeldBefore, count, price};
use crate::{
    ArmName, BaselineArm, Cell, CellSpecs, CellWork, EvalAdmission, EvalSpec, FINAL_ANSWER_BYTES, Gold, GradeTask,
    GradingSchedule, Matching, PoolOf,
};

/// Counts by which a method without a debate may be matched, each with an answer of its own.
const COUNTS: u64 = 5;

/// Gradings of answers to a question: as they usually are, and at most.
#[derive(Clone, Copy, Default)]
pub(super) struct PlannedGradings {
    pub likely: u64,
    pub most: u64,
}

/// A grading of the longest answers to a question, to see what gradings take and which models they ask; none where nobody grades it.
pub fn longest_grading(spec: &EvalSpec, question: u32) -> Option<Cell> {
    spec.grader.as_ref()?;
    let answer = "x".repeat(FINAL_ANSWER_BYTES);
    let task = match &spec.questions.get(question as usize)?.gold {
        Gold::Rubric { criteria, .. } => {
            let longest = (0..criteria.len()).max_by_key(|at| criteria.get(*at).map(|criterion| criterion.text.len()));
            GradeTask::Criterion { criterion: longest?, answer }
        }
        Gold::Pairwise { .. } => GradeTask::Pair { first: answer.clone(), second: answer },
        Gold::Choice { .. } | Gold::Exact { .. } | Gold::Number { .. } | Gold::Command { .. } => return None,
    };
    Some(Cell { question, repetition: 0, work: CellWork::Grading { task, draw: 0 } })
}

impl EvalPlan {
    /// The gradings of every question, with controls and those that are asked for again.
    pub(super) fn add_gradings(
        &mut self,
        (admission, specs): (&EvalAdmission, &dyn CellSpecs),
        held: &HeldBefore<'_>,
        (likely, money): (&mut f64, &mut Option<f64>),
    ) -> Result<(), String> {
        let spec = &admission.spec;
        let schedule = GradingSchedule::of(spec);
        let (answers, pairs) = (answers(admission), pairs(admission));
        let each = |question: u32| match spec.questions.get(question as usize).map(|question| &question.gold) {
            Some(Gold::Rubric { criteria, .. }) => answers.times(criteria.len() as u64),
            Some(Gold::Pairwise { .. }) => pairs.times(2),
            _ => PlannedGradings::default(),
        };
        if held.open_places() == 0 {
            return Ok(());
        }
        let (mut longest, mut most) = (Estimated::default(), 0);
        for question in 0..count(spec.questions.len()) {
            let Some(cell) = longest_grading(spec, question) else { continue };
            let debate = specs.spec(&cell)?;
            let one = Estimated::of(&debate);
            let gradings = each(question).times(held.open_of(question));
            self.add(gradings.most, 1, one, (gradings.likely as f64, likely));
            self.generates(&debate, one.generated * gradings.likely as f64);
            let cost = price(admission, &debate, one).map(|price| price * gradings.likely as f64);
            *money = money.zip(cost).map(|(sum, one)| sum + one);
            self.gradings_likely += gradings.likely;
            most += gradings.most;
            if one.most > longest.most {
                longest = one;
            }
        }
        let besides = schedule.besides(spec, |question| each(question).times(held.open_of(question)).likely);
        let besides_most = schedule.besides(spec, |question| each(question).times(held.open_of(question)).most);
        self.add(besides_most, 1, longest, (besides as f64, likely));
        (self.gradings_likely, self.gradings_most) = (self.gradings_likely + besides, most + besides_most);
        Ok(())
    }
}

impl PlannedGradings {
    pub fn times(self, factor: u64) -> Self {
        Self { likely: self.likely * factor, most: self.most * factor }
    }

    fn add(&mut self, arms: u64, answers: u64) {
        self.likely += arms;
        self.most += arms * answers;
    }
}

/// Answers that a method without a debate may have, one for each count by which it is matched anew.
fn anew(spec: &EvalSpec) -> u64 {
    match spec.matching {
        Matching::Debate | Matching::Mean => COUNTS,
        Matching::Budget(_) | Matching::None => 1,
    }
}

/// Final answers to a question in one repetition.
pub(super) fn answers(admission: &EvalAdmission) -> PlannedGradings {
    let spec = &admission.spec;
    let mut found = PlannedGradings::default();
    let singles = admission.pools.iter().filter(|pool| pool.of == PoolOf::Debaters).count() as u64;
    let has = |arm: BaselineArm| u64::from(spec.arms.contains(&arm));
    found.add(singles * has(BaselineArm::Single), 1);
    found.add(spec.commands.len() as u64, 1);
    for debate in &spec.debates {
        found.add(1 + u64::from(debate.isolated) + has(BaselineArm::BestOfN), 1);
        found.add(has(BaselineArm::SelfConsistency) + has(BaselineArm::JudgeAlone), anew(spec));
    }
    found
}

/// Pairs of final answers to a question in one repetition.
fn pairs(admission: &EvalAdmission) -> PlannedGradings {
    let spec = &admission.spec;
    let mut found = PlannedGradings::default();
    let has = |arm: BaselineArm| u64::from(spec.arms.contains(&arm));
    for (at, debate) in spec.debates.iter().enumerate() {
        let others = spec.debates.len() - at - 1 + spec.commands.len();
        found.add(has(BaselineArm::Single) + has(BaselineArm::BestOfN) + u64::from(debate.isolated) + others as u64, 1);
        found.add(has(BaselineArm::SelfConsistency) + has(BaselineArm::JudgeAlone), anew(spec));
    }
    // declared comparisons of two methods are none of these
    let debate = |name: &ArmName| spec.debates.iter().any(|debate| debate.name == *name);
    let own =
        spec.primary.iter().filter(|pair| !debate(&pair.arm) || !(debate(&pair.rival) || pair.rival.0 == "single"));
    found.add(own.count() as u64, anew(spec));
    found
}
