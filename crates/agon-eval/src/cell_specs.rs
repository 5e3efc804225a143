//! From an eval's templates to the debates of its cells.
use crate::{
    ArmName, BaselineArm, Cell, CellSpecs, CellWork, DebateArm, DebateTemplate, EvalAdmission, EvalSpec, Gold, Pool,
    PoolOf, Question, RoleModels,
};
use agon_core::{CallPlan, DebateSpec};
use agon_spec::{Defaults, Overrides, Source, Syntax, normalize_json};
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
    debates: BTreeMap<ArmName, Map<String, Value>>,
}

impl TemplateSpecs {
    /// The debates of an eval, or what is wrong with its templates.
    pub fn of(admission: &EvalAdmission) -> Result<Self, String> {
        Ok(Self { pools: admission.pools.clone(), ..Self::new(&admission.spec, &admission.models)? })
    }

    /// The same before its pools are known.
    pub fn new(spec: &EvalSpec, models: &RoleModels) -> Result<Self, String> {
        let parsed = spec.debates.iter().map(|debate| Ok((debate.name.clone(), template(&debate.template, models)?)));
        Ok(Self {
            questions: spec.questions.clone(),
            pools: Vec::new(),
            confidence: spec.confidence,
            debates: parsed.collect::<Result<_, String>>()?,
        })
    }

    /// The pools of samples that an eval needs: one for each poll that differs.
    pub fn pools(&self, spec: &EvalSpec) -> Result<Vec<Pool>, String> {
        let mut pools: Vec<(Value, Pool)> = Vec::new();
        let draws = |arm: &BaselineArm| {
            matches!(arm, BaselineArm::Single | BaselineArm::SelfConsistency | BaselineArm::BestOfN)
        };
        let kinds = [
            (PoolOf::Debaters, spec.arms.iter().any(|arm| draws(arm))),
            (PoolOf::Judge, spec.arms.contains(&BaselineArm::JudgeAlone)),
        ];
        let wanted = kinds.into_iter().filter(|(_, wanted)| *wanted).map(|(of, _)| of);
        for (of, DebateArm { name, .. }) in wanted.flat_map(|of| spec.debates.iter().map(move |debate| (of, debate))) {
            if of == PoolOf::Judge && !self.judges_alone(name)? {
                continue;
            }
            let poll = self.poll(0, 0, name, of, 1)?;
            let key = normalize_json(&poll);
            match pools.iter_mut().find(|(known, pool)| *known == key && pool.of == of) {
                Some((_, pool)) => pool.arms.push(name.clone()),
                None => {
                    let models: BTreeSet<String> = poll.voices().map(|voice| voice.model.to_string()).collect();
                    let models = models.into_iter().collect();
                    pools.push((key, Pool { of, arms: vec![name.clone()], models }));
                }
            }
        }
        Ok(pools.into_iter().map(|(_, pool)| pool).collect())
    }

    /// Calls of each debate's judge that pick one of several samples, where there is a judge.
    pub fn judge_calls(&self) -> Result<BTreeMap<ArmName, u64>, String> {
        let judged = self.debates.iter().filter(|(_, debate)| debate.contains_key("judge")).map(|(name, _)| name);
        judged.map(|arm| Ok((arm.clone(), CallPlan::of_decision(&self.best_of(0, 0, arm, 2)?).calls))).collect()
    }

    /// Whether a debate's judge is of a model that is no debater's.
    fn judges_alone(&self, arm: &ArmName) -> Result<bool, String> {
        let debate = self.debate(0, 0, arm)?;
        let Some(judge) = &debate.judge else { return Ok(false) };
        Ok(debate.personas.iter().all(|persona| persona.voice.model != judge.voice.model))
    }

    fn debate(&self, question: u32, repetition: u32, arm: &ArmName) -> Result<DebateSpec, String> {
        parse(self.filled(question, repetition, arm)?)
    }

    fn isolated(&self, question: u32, repetition: u32, arm: &ArmName) -> Result<DebateSpec, String> {
        let mut file = self.filled(question, repetition, arm)?;
        file.insert("memory".to_owned(), json!("persona_masking"));
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
        let judge = self.debates.get(arm).and_then(|debate| debate.get("judge")).cloned();
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

    /// A debate's file with the question in it.
    fn filled(&self, question: u32, repetition: u32, arm: &ArmName) -> Result<Map<String, Value>, String> {
        let at = usize::try_from(question).unwrap_or(usize::MAX);
        let question = self.questions.get(at).ok_or_else(|| format!("there is no question {question}"))?;
        let mut file = self.debates.get(arm).ok_or_else(|| format!("there is no debate {arm}"))?.clone();
        file.insert("topic".to_owned(), json!(question.text));
        let own = file.get("context").and_then(Value::as_str).map(str::to_owned);
        let context: Vec<String> = [own, question.context.clone(), options(question)].into_iter().flatten().collect();
        match context.is_empty() {
            true => drop(file.remove("context")),
            false => drop(file.insert("context".to_owned(), json!(context.join("\n\n")))),
        }
        match answer(question) {
            Some(answer) => drop(file.insert("answer".to_owned(), answer)),
            None => drop(file.remove("answer")),
        }
        if self.confidence {
            file.insert("confidence".to_owned(), json!(true));
        }
        file.remove("seed");
        file.remove("labels");
        if let Some(phases) = file.get_mut("phases").and_then(Value::as_object_mut) {
            phases.insert("feedback".to_owned(), json!(false));
        }
        hand_out(&mut file, question, repetition)?;
        Ok(file)
    }
}

impl CellSpecs for TemplateSpecs {
    fn spec(&self, cell: &Cell) -> Result<DebateSpec, String> {
        let (question, repetition) = (cell.question, cell.repetition);
        match &cell.work {
            CellWork::Debate { arm } => self.debate(question, repetition, arm),
            CellWork::Isolated { arm } => self.isolated(question, repetition, arm),
            CellWork::BestOf { arm, count } => self.best_of(question, repetition, arm, *count),
            CellWork::Samples { pool, first, count } => {
                let at = usize::try_from(*pool).unwrap_or(usize::MAX);
                let pool = self.pools.get(at).ok_or_else(|| format!("there is no pool {pool}"))?;
                let arm = pool.arms.first().ok_or("a pool without an arm")?;
                self.poll_from(question, repetition, arm, pool.of, (*first, *count))
            }
        }
    }
}

/// The options of a question, with their letters.
fn options(question: &Question) -> Option<String> {
    let lines = ('A'..='Z').zip(&question.options).map(|(letter, option)| format!("{letter}. {option}"));
    let lines: Vec<String> = lines.collect();
    (!lines.is_empty()).then(|| format!("Options:\n{}", lines.join("\n")))
}

/// What an answer to the question is; never which one is right.
fn answer(question: &Question) -> Option<Value> {
    match &question.gold {
        Gold::Choice { .. } => Some(json!({"kind": "choice", "options": question.options})),
        Gold::Number { .. } => Some(json!("number")),
        Gold::Exact { .. } => Some(json!("text")),
        Gold::Rubric { .. } | Gold::Pairwise { .. } => None,
    }
}

/// Gives the options to the personas whose stance is `{{option}}`, one further with each repetition.
fn hand_out(file: &mut Map<String, Value>, question: &Question, repetition: u32) -> Result<(), String> {
    let mut next = usize::try_from(repetition).unwrap_or(0);
    for persona in members(file, "personas") {
        if persona.get("stance").and_then(Value::as_str) == Some("{{option}}") {
            let options = question.options.iter().cycle().skip(next).take(1);
            let option =
                options.last().ok_or_else(|| format!("question {} has no options to hand out", question.id))?;
            persona.insert("stance".to_owned(), json!(option));
            next += 1;
        }
    }
    Ok(())
}

fn members<'a>(file: &'a mut Map<String, Value>, list: &str) -> impl Iterator<Item = &'a mut Map<String, Value>> {
    let list = file.get_mut(list).and_then(Value::as_array_mut);
    list.into_iter().flatten().filter_map(Value::as_object_mut)
}

/// A template with every default filled in, and with what is set over it.
fn template(template: &DebateTemplate, models: &RoleModels) -> Result<Map<String, Value>, String> {
    let syntax = match template.syntax.as_str() {
        "markdown" => Syntax::Markdown,
        "yaml" => Syntax::Yaml,
        "json" => Syntax::Json,
        _ => Syntax::Auto,
    };
    let source = Source::new(template.file.as_str(), template.text.as_str()).with_syntax(syntax);
    let RoleModels { model, judge_model, moderator_model } = models.clone();
    let defaults = Defaults { model, judge_model, moderator_model, ..Defaults::default() };
    let parsed = agon_spec::parse_with(&source, &defaults, &Overrides::default());
    let spec = parsed.spec.ok_or_else(|| agon_spec::render(&parsed.diagnostics))?;
    if spec.history_limit > 0 {
        return Err(format!(
            "{}: `history_limit` must be 0 in an eval: arms must not tell each other answers",
            template.file
        ));
    }
    let Value::Object(mut file) = normalize_json(&spec) else { return Err("a debate file is an object".to_owned()) };
    for (key, value) in &template.set {
        file.insert(key.clone(), value.clone());
    }
    Ok(file)
}

fn parse(file: Map<String, Value>) -> Result<DebateSpec, String> {
    let source = Source::new("cell", Value::Object(file).to_string()).with_syntax(Syntax::Json);
    let parsed = agon_spec::parse(&source, &Defaults::default());
    parsed.spec.ok_or_else(|| agon_spec::render(&parsed.diagnostics))
}
