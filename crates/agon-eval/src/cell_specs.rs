//! From an eval's templates to the debates of its cells.
use crate::{
    ArmName, BaselineArm, Cell, CellSpecs, CellWork, DebateArm, DebateTemplate, EvalAdmission, EvalSpec, Pool, PoolOf,
    Question, RoleModels, fill, first_cells, first_samples, longest_grading,
};
use agon_core::{CallPlan, DebateSpec};
use agon_spec::{Defaults, Source, Syntax, normalize_json};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Members of a debate file that a poll of its debaters keeps.
const POLL_MEMBERS: [&str; 10] = [
    "topic",
    "context",
    "materials",
    "answer",
    "language",
    "instructions",
    "timeout_per_turn",
    "confidence",
    "coerce_answers",
    "adapt_max_tokens",
];
/// Members of a persona that do not make sense where nobody hears anybody.
const UNHEARD: [&str; 6] = ["stance", "reflection", "evolution", "sees", "hidden_from", "allow_shared_stance"];

/// The debates of an eval's templates, parsed once.
#[derive(Clone, Debug)]
pub struct TemplateSpecs {
    questions: Vec<Question>,
    pools: Vec<Pool>,
    confidence: bool,
    models: RoleModels,
    debates: BTreeMap<ArmName, DebateTemplate>,
    graders: Vec<String>,
}

impl TemplateSpecs {
    /// The debates of an eval, or what is wrong with its templates.
    pub fn of(admission: &EvalAdmission) -> Result<Self, String> {
        Ok(Self { pools: admission.pools.clone(), ..Self::new(&admission.spec, &admission.models)? })
    }

    /// The same before its pools are known.
    pub fn new(spec: &EvalSpec, models: &RoleModels) -> Result<Self, String> {
        let debates = spec.debates.iter().map(|debate| (debate.name.clone(), debate.template.clone()));
        let specs = Self {
            questions: spec.questions.clone(),
            pools: Vec::new(),
            confidence: spec.confidence,
            models: models.clone(),
            debates: debates.collect(),
            graders: spec.grader.as_ref().map(|grader| grader.models.clone()).unwrap_or_default(),
        };
        if !specs.questions.is_empty() {
            specs.debates.keys().try_for_each(|arm| specs.debate(0, 0, arm).map(drop))?;
        }
        Ok(specs)
    }

    /// The pools of samples that an eval needs: one for each poll that differs.
    pub fn pools(&self, spec: &EvalSpec) -> Result<Vec<Pool>, String> {
        let mut pools: Vec<(Value, Pool)> = Vec::new();
        let draws = |arm: &BaselineArm| matches!(arm, BaselineArm::Single | BaselineArm::SelfConsistency);
        let picks = spec.arms.contains(&BaselineArm::BestOfN);
        let kinds = [
            (PoolOf::Debaters, picks || spec.arms.iter().any(draws)),
            (PoolOf::Judge, spec.arms.contains(&BaselineArm::JudgeAlone)),
        ];
        let wanted = kinds.into_iter().filter(|(_, wanted)| *wanted).map(|(of, _)| of);
        for (of, DebateArm { name, .. }) in wanted.flat_map(|of| spec.debates.iter().map(move |debate| (of, debate))) {
            let is_drawn = match of {
                PoolOf::Judge => self.judges_alone(name)?,
                // where only a judge wants samples, there has to be one
                PoolOf::Debaters => spec.arms.iter().any(draws) || self.debate(0, 0, name)?.judge.is_some(),
            };
            if !is_drawn {
                continue;
            }
            let poll = self.poll(0, 0, name, of, 1)?;
            let key = normalize_json(&poll);
            match pools.iter_mut().find(|(known, pool)| *known == key && pool.of == of) {
                Some((_, pool)) => pool.arms.push(name.clone()),
                None => {
                    let models: BTreeSet<String> = poll.voices().map(|voice| voice.model.to_string()).collect();
                    let models = models.into_iter().collect();
                    let first = first_samples(spec, of);
                    pools.push((key, Pool { of, arms: vec![name.clone()], models, first }));
                }
            }
        }
        Ok(pools.into_iter().map(|(_, pool)| pool).collect())
    }

    /// Calls of each debate's judge that pick one of several samples, where there is a judge.
    pub fn judge_calls(&self) -> Result<BTreeMap<ArmName, u64>, String> {
        let mut calls = BTreeMap::new();
        for arm in self.debates.keys() {
            if self.debate(0, 0, arm)?.judge.is_some() {
                calls.insert(arm.clone(), CallPlan::of_decision(&self.best_of(0, 0, arm, 2)?).calls);
            }
        }
        Ok(calls)
    }

    /// Whether a debate's judge is of a model that is no debater's.
    fn judges_alone(&self, arm: &ArmName) -> Result<bool, String> {
        let debate = self.debate(0, 0, arm)?;
        let Some(judge) = &debate.judge else { return Ok(false) };
        Ok(debate.personas.iter().all(|persona| persona.voice.model != judge.voice.model))
    }

    /// One debate of each kind of cell, which say what models and tools are needed.
    pub fn kinds(&self, admission: &EvalAdmission) -> Result<Vec<DebateSpec>, String> {
        let mut kinds = self.arms(admission)?;
        let questions = 0..u32::try_from(self.questions.len()).unwrap_or(u32::MAX);
        if let Some(grading) = questions.into_iter().find_map(|question| longest_grading(&admission.spec, question)) {
            kinds.push(self.spec(&grading)?);
        }
        Ok(kinds)
    }

    /// One debate of each kind of cell that gives answers.
    pub fn arms(&self, admission: &EvalAdmission) -> Result<Vec<DebateSpec>, String> {
        let first = first_cells(&admission.spec, &admission.pools, 0, 0);
        let mut works: Vec<CellWork> = first.into_iter().map(|cell| cell.work).collect();
        let picks = admission.spec.arms.contains(&BaselineArm::BestOfN);
        let judged = admission.judge_calls.keys().filter(|_| picks);
        works.extend(judged.map(|arm| CellWork::BestOf { arm: arm.clone(), count: 2 }));
        works.into_iter().map(|work| self.spec(&Cell { question: 0, repetition: 0, work })).collect()
    }

    fn debate(&self, question: u32, repetition: u32, arm: &ArmName) -> Result<DebateSpec, String> {
        let at = usize::try_from(question).unwrap_or(usize::MAX);
        let question = self.questions.get(at).ok_or_else(|| format!("there is no question {question}"))?;
        let template = self.debates.get(arm).ok_or_else(|| format!("there is no debate {arm}"))?;
        fill(template, &self.models, question, repetition, self.confidence)
            .map_err(|found| agon_spec::render(&found).trim_end().to_owned())
    }

    fn isolated(&self, question: u32, repetition: u32, arm: &ArmName) -> Result<DebateSpec, String> {
        let mut file = self.filled(question, repetition, arm)?;
        file.insert("memory".to_owned(), json!("persona_masking"));
        let scope = file.get("context_scope").and_then(Value::as_str).unwrap_or_default().to_owned();
        let unread = match scope.as_str() {
            "summary_only" => {
                return Err(format!(
                    "{arm}: with `context_scope: summary_only` all read one summary; it cannot be held isolated"
                ));
            }
            "last_n_turns" => ["memory_window", "summarize_every", "summarizer", ""],
            _ => ["memory_window", "summarize_every", "summarizer", "window_step"],
        };
        unread.iter().for_each(|key| drop(file.remove(*key)));
        for persona in members(&mut file, "personas") {
            persona.insert("sees".to_owned(), json!([]));
        }
        parse(file)
    }

    fn poll(
        &self,
        question: u32,
        repetition: u32,
        arm: &ArmName,
        of: PoolOf,
        samples: u32,
    ) -> Result<DebateSpec, String> {
        self.poll_from(question, repetition, arm, of, (0, samples))
    }

    /// Samples `first` to `first + count - 1` of a debate's poll.
    fn poll_from(
        &self,
        question: u32,
        repetition: u32,
        arm: &ArmName,
        of: PoolOf,
        (first, count): (u32, u32),
    ) -> Result<DebateSpec, String> {
        let mut file = self.poll_file(question, repetition, arm, of, count)?;
        if let Some(Value::Array(personas)) = file.get_mut("personas")
            && !personas.is_empty()
        {
            // the personas' models take turns through the whole pool
            let turn = usize::try_from(first).unwrap_or(0) % personas.len();
            personas.rotate_left(turn);
        }
        file.insert("consensus_strategy".to_owned(), json!("vote"));
        parse(file)
    }

    fn best_of(&self, question: u32, repetition: u32, arm: &ArmName, count: u32) -> Result<DebateSpec, String> {
        let mut file = self.poll_file(question, repetition, arm, PoolOf::Debaters, count)?;
        file.insert("consensus_strategy".to_owned(), json!("judge"));
        let judge = self.filled(question, repetition, arm)?.remove("judge");
        file.insert("judge".to_owned(), judge.ok_or_else(|| format!("debate {arm} has no judge"))?);
        parse(file)
    }

    fn poll_file(
        &self,
        question: u32,
        repetition: u32,
        arm: &ArmName,
        of: PoolOf,
        samples: u32,
    ) -> Result<Map<String, Value>, String> {
        let mut debate = self.filled(question, repetition, arm)?;
        let mut file: Map<String, Value> =
            POLL_MEMBERS.iter().filter_map(|member| Some(((*member).to_owned(), debate.remove(*member)?))).collect();
        file.insert("debate_format".to_owned(), json!("poll"));
        file.insert("samples".to_owned(), json!(samples));
        file.insert("phases".to_owned(), json!({"feedback": false}));
        let personas = match of {
            PoolOf::Debaters => {
                let mut personas = debate.remove("personas").unwrap_or_default();
                for persona in personas.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
                    UNHEARD.iter().for_each(|member| drop(persona.remove(*member)));
                }
                personas
            }
            PoolOf::Judge => {
                let judge = debate.get("judge").and_then(Value::as_object);
                let judge = judge.ok_or_else(|| format!("debate {arm} has no judge"))?;
                let voice = ["model", "temperature", "max_tokens", "think", "top_p"];
                let mut persona: Map<String, Value> = voice
                    .iter()
                    .filter_map(|member| Some(((*member).to_owned(), judge.get(*member)?.clone())))
                    .collect();
                persona.insert("name".to_owned(), json!("Solver"));
                persona.insert("role".to_owned(), json!("Answers questions with care."));
                json!([persona])
            }
        };
        file.insert("personas".to_owned(), personas);
        Ok(file)
    }

    /// A debate's file with the question in it, every default written out.
    fn filled(&self, question: u32, repetition: u32, arm: &ArmName) -> Result<Map<String, Value>, String> {
        let spec = self.debate(question, repetition, arm)?;
        let Value::Object(file) = normalize_json(&spec) else { return Err("a debate file is an object".to_owned()) };
        Ok(file)
    }
}

impl CellSpecs for TemplateSpecs {
    fn spec(&self, cell: &Cell) -> Result<DebateSpec, String> {
        let (question, repetition) = (cell.question, cell.repetition);
        match &cell.work {
            CellWork::Debate { arm } => self.debate(question, repetition, arm),
            CellWork::Isolated { arm } => self.isolated(question, repetition, arm),
            CellWork::Command { arm, .. } => Err(format!("{arm} is a program; no debate stands for its answers")),
            CellWork::BestOf { arm, count } => self.best_of(question, repetition, arm, *count),
            CellWork::Grading { task, .. } => {
                let at = usize::try_from(question).unwrap_or(usize::MAX);
                let asked = self.questions.get(at).and_then(|question| task.poll(question, &self.graders));
                asked.unwrap_or_else(|| Err(format!("question {question} has nothing of this kind to grade")))
            }
            CellWork::Samples { pool, first, count } => {
                let at = usize::try_from(*pool).unwrap_or(usize::MAX);
                let pool = self.pools.get(at).ok_or_else(|| format!("there is no pool {pool}"))?;
                let arm = pool.arms.first().ok_or("a pool without an arm")?;
                self.poll_from(question, repetition, arm, pool.of, (*first, *count))
            }
        }
    }
}

fn members<'a>(file: &'a mut Map<String, Value>, list: &str) -> impl Iterator<Item = &'a mut Map<String, Value>> {
    let list = file.get_mut(list).and_then(Value::as_array_mut);
    list.into_iter().flatten().filter_map(Value::as_object_mut)
}

fn parse(file: Map<String, Value>) -> Result<DebateSpec, String> {
    let source = Source::new("cell", Value::Object(file).to_string()).with_syntax(Syntax::Json);
    let parsed = agon_spec::parse(&source, &Defaults::default());
    parsed.spec.ok_or_else(|| agon_spec::render(&parsed.diagnostics))
}
