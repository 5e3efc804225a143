//! The cells of an eval as figures read them: for each question and repetition, what each method made of it.
use super::grades::Grades;
use super::plurality::{SampleVote, vote_of};
use crate::{
    ArmName, BaselineArm, CellClosed, CellCost, CellEnding, CellWork, Count, EvalAdmission, FIRST_SAMPLES, Facts,
    MatchKey, MatchedSamples, Matching, PoolOf, Question, SampleFact, UNREADABLE, cost_in, is_paid_each, pool_kind,
    pool_of, samples_for, samples_paid,
};
use std::collections::BTreeMap;

/// The cells of one question in one repetition.
#[derive(Default)]
pub(super) struct ScoredUnit<'a> {
    pub debates: BTreeMap<&'a ArmName, &'a CellClosed>,
    pub isolated: BTreeMap<&'a ArmName, &'a CellClosed>,
    pub best_of: BTreeMap<&'a ArmName, &'a CellClosed>,
    pub commands: BTreeMap<&'a ArmName, &'a CellClosed>,
    /// By pool, the polls in the order of their first samples.
    polls: BTreeMap<u32, BTreeMap<u32, &'a CellClosed>>,
}

/// All cells of the questions that are covered.
pub(super) struct CellTable<'a> {
    pub admission: &'a EvalAdmission,
    /// The covered questions, in the order of the file.
    pub questions: Vec<(u32, &'a Question)>,
    /// Of each covered question, the number of its cluster.
    pub clusters: Vec<u32>,
    pub cluster_count: u32,
    units: BTreeMap<(u32, u32), ScoredUnit<'a>>,
    /// What each debate cost in the mean of all cells, by count.
    means: BTreeMap<(ArmName, Count), f64>,
    /// What graders found.
    pub grades: Grades<'a>,
}

/// What a method made of a question.
#[derive(Clone, Debug)]
pub(super) struct CellScore<'a> {
    /// Position of the question among those covered.
    pub at: usize,
    pub repetition: u32,
    /// Absent where only a grader can say.
    pub score: Option<f64>,
    pub ending: CellEnding,
    pub answer: Option<&'a str>,
    pub debates: Vec<&'a str>,
    pub cost: CellCost,
    pub wall_ms: Option<u64>,
    /// Samples that were used, and how many it would be without the limit.
    pub samples: Option<MatchedSamples>,
    pub degraded: bool,
    /// Of a cell that is one debate or one run.
    pub facts: Option<&'a Facts>,
}

/// A method whose samples are matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct MatchedMethod<'a> {
    pub method: BaselineArm,
    /// The debate that it is matched to.
    pub to: &'a ArmName,
    pub count: Count,
}

impl<'a> CellTable<'a> {
    /// The table of these questions, by their index in the eval.
    pub fn new(admission: &'a EvalAdmission, cells: &[&'a CellClosed], covered: &[u32]) -> Self {
        let mut order = covered.to_vec();
        order.sort_unstable();
        order.dedup();
        let questions: Vec<(u32, &Question)> =
            order.iter().filter_map(|index| Some((*index, admission.spec.questions.get(*index as usize)?))).collect();
        let mut units: BTreeMap<(u32, u32), ScoredUnit<'a>> = BTreeMap::new();
        for closed in cells {
            let unit = units.entry((closed.cell.question, closed.cell.repetition)).or_default();
            match &closed.cell.work {
                CellWork::Debate { arm } => drop(unit.debates.insert(arm, closed)),
                CellWork::Isolated { arm } => drop(unit.isolated.insert(arm, closed)),
                CellWork::BestOf { arm, .. } => drop(unit.best_of.insert(arm, closed)),
                CellWork::Command { arm, .. } => drop(unit.commands.insert(arm, closed)),
                CellWork::Grading { .. } => {}
                CellWork::Samples { pool, first, .. } => {
                    unit.polls.entry(*pool).or_default().insert(*first, closed);
                }
            }
        }
        let (clusters, cluster_count) = clusters(&questions);
        let panel = admission.spec.grader.as_ref().map_or(0, |grader| grader.models.len());
        let grades = Grades::of(cells, panel);
        let mut table = Self { admission, questions, clusters, cluster_count, units, means: BTreeMap::new(), grades };
        table.means = table.mean_costs();
        table
    }

    /// The table of one question alone, where it is known what each debate costs in the mean of all.
    pub fn of_question(
        admission: &'a EvalAdmission,
        cells: &[&'a CellClosed],
        question: u32,
        means: &BTreeMap<(ArmName, Count), f64>,
    ) -> Self {
        Self { means: means.clone(), ..Self::new(admission, cells, &[question]) }
    }

    /// The positions of the questions with their repetitions, in order.
    pub fn places(&self) -> impl Iterator<Item = (usize, u32)> {
        let repetitions = self.admission.spec.repetitions;
        (0..self.questions.len()).flat_map(move |at| (0..repetitions).map(move |repetition| (at, repetition)))
    }

    pub fn question(&self, at: usize) -> Option<&'a Question> {
        self.questions.get(at).map(|(_, question)| *question)
    }

    pub fn cluster(&self, at: usize) -> u32 {
        self.clusters.get(at).copied().unwrap_or(u32::MAX)
    }

    pub fn unit(&self, at: usize, repetition: u32) -> Option<&ScoredUnit<'a>> {
        let (index, _) = self.questions.get(at)?;
        self.units.get(&(*index, repetition))
    }

    /// What a cost comes to by a count; calls that reported nothing are taken for as dear as the others.
    pub fn cost(&self, cost: &CellCost, count: Count) -> Option<f64> {
        cost_in(cost, count, &self.admission.prices)
    }

    /// The scores of cells that are one debate or one run each. A cell that was never held failed.
    pub fn held(&self, pick: impl Fn(&ScoredUnit<'a>) -> Option<&'a CellClosed>) -> Vec<CellScore<'a>> {
        self.places()
            .map(|(at, repetition)| {
                let closed = self.unit(at, repetition).and_then(&pick);
                self.with_grade(self.of_debate(at, repetition, closed))
            })
            .collect()
    }

    fn of_debate(&self, at: usize, repetition: u32, closed: Option<&'a CellClosed>) -> CellScore<'a> {
        let Some(closed) = closed else { return CellScore::missing(at, repetition) };
        let facts = &closed.facts;
        CellScore {
            at,
            repetition,
            score: self.question(at).and_then(|question| question.score(facts)),
            ending: facts.ending.clone(),
            answer: facts.answer.as_deref(),
            debates: Some(closed.debate.as_str()).filter(|debate| !debate.is_empty()).into_iter().collect(),
            cost: facts.cost.clone(),
            wall_ms: Some(closed.wall_ms),
            samples: match &closed.cell.work {
                CellWork::BestOf { count, .. } => Some(MatchedSamples { samples: *count, wanted: u64::from(*count) }),
                CellWork::Debate { .. }
                | CellWork::Isolated { .. }
                | CellWork::Samples { .. }
                | CellWork::Command { .. }
                | CellWork::Grading { .. } => None,
            },
            degraded: facts.degraded,
            facts: Some(facts),
        }
    }

    /// The scores of a method whose samples are matched; none where the budget is unknown by this count.
    pub fn matched(&self, matched: MatchedMethod<'a>) -> Option<Vec<CellScore<'a>>> {
        let pool = pool_of(&self.admission.pools, pool_kind(matched.method), matched.to)?;
        let scores = self.places().map(|(at, repetition)| {
            let samples = self.samples_of(at, repetition, pool);
            let used = self.matched_samples(at, repetition, matched, &samples)?;
            Some(self.with_grade(self.of_samples((at, repetition), pool, &samples, used)))
        });
        scores.collect()
    }

    /// The scores of a prefix of so many samples, over the places that have so many.
    pub fn prefix(&self, pool: u32, count: impl Fn(usize) -> usize) -> Vec<CellScore<'a>> {
        let scores = self.places().filter_map(|(at, repetition)| {
            let samples = self.samples_of(at, repetition, pool);
            let wanted = count(samples.len());
            let used = u32::try_from(wanted).ok().filter(|_| wanted > 0 && wanted <= samples.len())?;
            let used = MatchedSamples { samples: used, wanted: u64::from(used) };
            Some(self.of_samples((at, repetition), pool, &samples, used))
        });
        scores.collect()
    }

    /// A prefix of so many samples at one place.
    pub fn at_samples(&self, (at, repetition): (usize, u32), pool: u32, samples: u32) -> Option<CellScore<'a>> {
        let all = self.samples_of(at, repetition, pool);
        let used = MatchedSamples { samples, wanted: u64::from(samples) };
        Some(self.of_samples((at, repetition), pool, &all, used))
    }

    /// The samples that a cell of a matched arm is made of.
    pub fn used_samples(&self, arm: &super::arms::ScoredArm<'a>, cell: &CellScore<'a>) -> Vec<&'a SampleFact> {
        let pool = arm.method.zip(arm.matched_to);
        let pool = pool.and_then(|(method, to)| pool_of(&self.admission.pools, pool_kind(method), to));
        let (Some(pool), Some(used)) = (pool, cell.samples) else { return Vec::new() };
        let mut samples = self.samples_of(cell.at, cell.repetition, pool);
        samples.truncate(used.samples as usize);
        samples
    }

    /// How many samples each place has.
    pub fn sample_counts(&self, pool: u32) -> Vec<usize> {
        self.places().map(|(at, repetition)| self.samples_of(at, repetition, pool).len()).collect()
    }

    /// How many samples of a place are worth the debate's budget; one where nothing says how much a sample costs.
    fn matched_samples(
        &self,
        at: usize,
        repetition: u32,
        matched: MatchedMethod<'a>,
        samples: &[&'a SampleFact],
    ) -> Option<MatchedSamples> {
        let spec = &self.admission.spec;
        let there = u32::try_from(samples.len()).unwrap_or(u32::MAX);
        if spec.matching == Matching::None {
            return Some(MatchedSamples { samples: there, wanted: u64::from(there) });
        }
        let (question, _) = self.questions.get(at)?;
        let budget = self.budget(at, repetition, matched.to, matched.count)?;
        let MatchedMethod { to: arm, count, method: _ } = matched;
        let key = MatchKey { seed: spec.seed, question: *question, repetition, arm, count };
        let one = MatchedSamples { samples: 1, wanted: 1 };
        if is_paid_each(count) {
            let costs: Vec<f64> = samples.iter().map(|sample| self.cost(&sample.cost, count).unwrap_or(0.0)).collect();
            let paid = samples_paid(budget, &costs, &key, spec.max_samples).unwrap_or(one);
            let samples = paid.samples.min(there);
            // by another count than the eval's, the polls may end before the limit
            let at_limit = samples == spec.max_samples;
            return Some(MatchedSamples { samples, wanted: if at_limit { paid.wanted } else { u64::from(samples) } });
        }
        let first = samples.iter().take(FIRST_SAMPLES as usize);
        let first: Vec<f64> = first.filter_map(|sample| self.cost(&sample.cost, count)).collect();
        let wanted = samples_for(budget, &first, &key, spec.max_samples).unwrap_or(one);
        Some(MatchedSamples { samples: wanted.samples.min(there), ..wanted })
    }

    /// What a method without a debate may spend. A debate that failed before it asked anybody leaves a budget of nothing.
    fn budget(&self, at: usize, repetition: u32, arm: &'a ArmName, count: Count) -> Option<f64> {
        match self.admission.spec.matching {
            Matching::Debate => {
                let debate = self.unit(at, repetition).and_then(|unit| unit.debates.get(arm));
                match debate {
                    Some(closed) => self.cost(&closed.facts.cost, count).or_else(|| self.mean(arm, count)),
                    None => Some(0.0),
                }
            }
            Matching::Mean => self.mean(arm, count),
            Matching::Budget(budget) => (count == self.admission.spec.count).then_some(budget as f64),
            Matching::None => None,
        }
    }

    fn mean(&self, arm: &ArmName, count: Count) -> Option<f64> {
        self.means.get(&(arm.clone(), count)).copied()
    }

    fn mean_costs(&self) -> BTreeMap<(ArmName, Count), f64> {
        let mut means = BTreeMap::new();
        for debate in &self.admission.spec.debates {
            for count in Count::ALL {
                let costs = self.units.values().filter_map(|unit| unit.debates.get(&debate.name));
                let costs: Vec<f64> = costs.filter_map(|closed| self.cost(&closed.facts.cost, count)).collect();
                if !costs.is_empty() {
                    means.insert((debate.name.clone(), count), costs.iter().sum::<f64>() / costs.len() as f64);
                }
            }
        }
        means
    }

    /// The samples of a place in their order, without a gap.
    fn samples_of(&self, at: usize, repetition: u32, pool: u32) -> Vec<&'a SampleFact> {
        let Some(polls) = self.unit(at, repetition).and_then(|unit| unit.polls.get(&pool)) else { return Vec::new() };
        let mut samples = Vec::new();
        for (first, closed) in polls {
            if *first as usize != samples.len() {
                break;
            }
            samples.extend(closed.facts.samples.iter());
        }
        samples
    }

    fn of_samples(
        &self,
        (at, repetition): (usize, u32),
        pool: u32,
        samples: &[&'a SampleFact],
        used: MatchedSamples,
    ) -> CellScore<'a> {
        let used_samples = samples.get(..used.samples as usize).unwrap_or(samples);
        let mut cost = CellCost::default();
        used_samples.iter().for_each(|sample| cost.add(&sample.cost));
        let polls = self.unit(at, repetition).and_then(|unit| unit.polls.get(&pool));
        let polls: Vec<&CellClosed> = polls
            .into_iter()
            .flatten()
            .filter(|(first, _)| **first < used.samples)
            .map(|(_, closed)| *closed)
            .collect();
        let question = self.question(at);
        let answers = used_samples.iter().filter_map(|sample| sample.answer.as_deref());
        let vote = question.map(|question| vote_of(question, answers)).unwrap_or_default();
        let SampleVote { top, score, .. } = vote;
        // texts of one's own hardly ever agree: where only a grader can score them, the first of those that tie is the answer
        let takes_first = question.is_some_and(|question| !question.is_scored_by_pattern());
        CellScore {
            at,
            repetition,
            score: if top.is_empty() {
                question.filter(|question| question.is_scored_by_pattern()).map(|_| 0.0)
            } else {
                score
            },
            ending: match top.len() {
                0 => CellEnding::Failed { reason: self.why_no_samples(&polls) },
                1 => CellEnding::Answered,
                _ if takes_first => CellEnding::Answered,
                _ => CellEnding::NoAnswer { reason: "tie".to_owned() },
            },
            answer: match top.as_slice() {
                [only] => Some(only),
                [first, ..] if takes_first => Some(first),
                _ => None,
            },
            debates: polls.iter().map(|closed| closed.debate.as_str()).collect(),
            cost,
            wall_ms: (!polls.is_empty()).then(|| polls.iter().map(|closed| closed.wall_ms).sum()),
            samples: Some(used),
            degraded: false,
            facts: None,
        }
    }

    /// Why no sample has an answer: what the polls say, else that the samples failed.
    fn why_no_samples(&self, polls: &[&CellClosed]) -> String {
        let reason = polls.iter().find_map(|closed| match &closed.facts.ending {
            CellEnding::Failed { reason } => Some(reason.clone()),
            CellEnding::Answered | CellEnding::NoAnswer { .. } => None,
        });
        reason.unwrap_or_else(|| if polls.is_empty() { "not_held" } else { "samples_failed" }.to_owned())
    }

    /// The first sample of each place alone.
    pub fn single(&self, pool: u32) -> Vec<CellScore<'a>> {
        let one = MatchedSamples { samples: 1, wanted: 1 };
        self.places()
            .map(|(at, repetition)| {
                let samples = self.samples_of(at, repetition, pool);
                self.with_grade(self.of_samples((at, repetition), pool, &samples, one))
            })
            .collect()
    }

    /// The pools whose samples are debaters' answers.
    pub fn debater_pools(&self) -> impl Iterator<Item = (u32, &'a crate::Pool)> {
        (0..).zip(&self.admission.pools).filter(|(_, pool)| pool.of == PoolOf::Debaters)
    }
}

impl CellScore<'_> {
    fn missing(at: usize, repetition: u32) -> Self {
        Self {
            at,
            repetition,
            score: Some(0.0),
            ending: CellEnding::default(),
            answer: None,
            debates: Vec::new(),
            cost: CellCost::default(),
            wall_ms: None,
            samples: None,
            degraded: false,
            facts: None,
        }
    }

    pub fn has_failed(&self) -> bool {
        matches!(self.ending, CellEnding::Failed { .. })
    }
    /// Whether the debate came to nothing because models did not answer in the form that was asked for.
    pub fn is_unreadable(&self) -> bool {
        matches!(&self.ending, CellEnding::NoAnswer { reason } if reason == UNREADABLE)
    }

    /// Whether it is right without sharing a tie.
    pub fn is_right(&self) -> bool {
        self.score.is_some_and(|score| score > 1.0 - 1e-9)
    }
}

/// The cluster of each question: its group, else the question alone.
fn clusters(questions: &[(u32, &Question)]) -> (Vec<u32>, u32) {
    let mut groups: BTreeMap<&str, u32> = BTreeMap::new();
    let mut next = 0;
    let mut clusters = Vec::with_capacity(questions.len());
    for (_, question) in questions {
        let mut fresh = || {
            next += 1;
            next - 1
        };
        clusters.push(match &question.group {
            Some(group) => *groups.entry(group).or_insert_with(fresh),
            None => fresh(),
        });
    }
    (clusters, next)
}
