//! Evals whose cells are written by hand, for tests of figures.
use crate::*;
use agon_core::{ModelName, ParticipantId, Tolerance};
use std::collections::BTreeMap;

/// An eval with cells that a test writes.
#[derive(Clone, Debug)]
pub struct PlantedEval {
    /// What is compared.
    pub admission: EvalAdmission,
    /// What came of it.
    pub cells: Vec<CellClosed>,
}

/// A cost of so many tokens in so many calls, of which a tenth was generated, by the model `m`.
pub fn planted_cost(calls: u32, tokens: u64) -> CellCost {
    let generated = tokens / 10;
    let cost = CellCost {
        calls,
        unknown_calls: 0,
        estimated_prompt: 0,
        estimated_generated: 0,
        prompt: tokens - generated,
        cached: Some(tokens / 2),
        generated,
        seconds: Some(tokens as f64 / 1_000.0),
        by_model: BTreeMap::new(),
    };
    CellCost { by_model: BTreeMap::from([("m".to_owned(), cost.clone())]), ..cost }
}

/// A ballot of a seat, by the model `m` and the seat's number.
pub fn planted_ballot(last: bool, seat: u32, answer: &str) -> BallotFact {
    BallotFact {
        last,
        participant: ParticipantId::from(["Ada", "Bob", "Cy", "Di"].get(seat as usize).copied().unwrap_or("Eve")),
        seat,
        model: Some(ModelName::new(format!("m{seat}"))),
        answer: answer.to_owned(),
        confidence: None,
        challenged: false,
    }
}

impl PlantedEval {
    /// Questions with the number 4 for an answer, a debate `panel`, `single` and `self_consistency`.
    pub fn new(questions: u32) -> Self {
        let question = |at: u32| Question {
            id: format!("q{at}"),
            text: format!("What is {at} + {at}?"),
            options: Vec::new(),
            context: None,
            gold: Gold::Number { answers: vec![4.0], tolerance: Tolerance::Exact },
            category: None,
            group: None,
        };
        let panel = ArmName("panel".to_owned());
        let template = DebateTemplate {
            file: "panel.yaml".to_owned(),
            text: String::new(),
            syntax: "yaml".to_owned(),
            set: BTreeMap::new(),
        };
        let debate = DebateArm { name: panel.clone(), template, isolated: false };
        let spec = EvalSpec { seed: 7, ..EvalSpec::usual((0..questions).map(question).collect(), vec![debate]) };
        let pool = Pool { of: PoolOf::Debaters, arms: vec![panel], models: vec!["m".to_owned()], first: FIRST_SAMPLES };
        let admission = EvalAdmission {
            id: "ev-planted".to_owned(),
            format: 1,
            agon_version: "test".to_owned(),
            spec,
            pools: vec![pool],
            judge_calls: BTreeMap::new(),
            models: Default::default(),
            prices: BTreeMap::new(),
            rehearsal: false,
            digests: BTreeMap::new(),
            fresh: false,
        };
        Self { admission, cells: Vec::new() }
    }

    /// The first debate on a question came to this.
    pub fn debate(&mut self, question: u32, facts: Facts) -> &mut Self {
        let arm = ArmName("panel".to_owned());
        self.push(question, CellWork::Debate { arm }, facts)
    }

    /// The first debate on a question answered this, at so many tokens.
    pub fn answered(&mut self, question: u32, answer: &str, tokens: u64) -> &mut Self {
        self.debate(question, Facts::planted(answer, tokens))
    }

    /// A poll of the first pool gave these samples, each at so many tokens; one without an answer failed.
    pub fn samples(&mut self, question: u32, first: u32, answers: &[Option<&str>], tokens: u64) -> &mut Self {
        let sample = |(number, answer): (u32, &Option<&str>)| SampleFact {
            number,
            model: Some(ModelName::new("m")),
            answer: answer.map(str::to_owned),
            confidence: None,
            cost: planted_cost(1, tokens),
        };
        let samples: Vec<SampleFact> = (0..).zip(answers).map(sample).collect();
        let mut cost = CellCost::default();
        samples.iter().for_each(|sample| cost.add(&sample.cost));
        let count = u32::try_from(samples.len()).unwrap_or(u32::MAX);
        let facts = Facts { ending: CellEnding::Answered, samples, eligible: count, cost, ..Facts::default() };
        self.push(question, CellWork::Samples { pool: 0, first, count }, facts)
    }

    /// A cell of any kind is over.
    pub fn push(&mut self, question: u32, work: CellWork, facts: Facts) -> &mut Self {
        let debate = format!("ev{question:04}{:04}", self.cells.len());
        let cell = Cell { question, repetition: 0, work };
        let (head, reused, wall_ms) = (String::new(), false, 1_000);
        self.cells.push(CellClosed { cell, debate, head, reused, wall_ms, facts });
        self
    }

    /// The result over all questions, with few draws.
    pub fn result(&self) -> EvalResult {
        self.result_with(|_| {})
    }

    /// The same with other options.
    pub fn result_with(&self, change: impl FnOnce(&mut ResultOptions)) -> EvalResult {
        let questions = u32::try_from(self.admission.spec.questions.len()).unwrap_or(u32::MAX);
        let mut options = ResultOptions::complete((0..questions).collect());
        options.effort = Some(stats::Effort { draws: 199, flips: 999, seed: 7 });
        change(&mut options);
        let cells: Vec<&CellClosed> = self.cells.iter().collect();
        result(&self.admission, &cells, &options)
    }
}

impl Facts {
    /// A debate of three that answered, at so many tokens.
    pub fn planted(answer: &str, tokens: u64) -> Self {
        Self {
            ending: CellEnding::Answered,
            answer: Some(answer.to_owned()),
            eligible: 3,
            cost: planted_cost(3, tokens),
            format: "round_robin".to_owned(),
            ..Self::default()
        }
    }

    /// A debate that failed, at so many tokens.
    pub fn failed(reason: &str, tokens: u64) -> Self {
        let ending = CellEnding::Failed { reason: reason.to_owned() };
        Self { ending, answer: None, ..Self::planted("", tokens) }
    }
}
