//! From an eval file, and the files that it names, to what is compared.
use crate::{
    ArmName, BaselineArm, BuiltinSet, CommandArm, Comparison, Count, DataMapping, DataShape, DataSource, DebateArm,
    DebateTemplate, Design, EvalLimits, EvalSpec, Gold, Grader, Matching, Question, QuestionKind, UserProgram,
    builtin_questions, read_questions,
};
use agon_spec::reading::Span;
use agon_spec::{
    Diagnostic, EvalCommand, EvalDebate, EvalFile, Located, Severity, Source, eval_file_problems, parse_eval_file,
};

/// Most cells of an eval: questions times arms times repetitions.
pub const MOST_CELLS: u64 = 200_000;
/// Fresh questions where no number is given.
pub const FRESH_QUESTIONS: u32 = 40;

/// What an eval file came to.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadEval {
    /// What is compared; absent exactly when a diagnostic is an error.
    pub spec: Option<EvalSpec>,
    /// Every problem of the file and of its questions.
    pub diagnostics: Vec<Diagnostic>,
    /// What was read from where in the file of questions.
    pub mapping: Option<DataMapping>,
}

/// What an eval file names, as whoever reads the file has it.
#[derive(Clone, Copy)]
pub struct EvalSurroundings<'l> {
    /// The bytes of a file, by the path as it is written, or why there are none.
    pub load: &'l dyn Fn(&str) -> Result<Vec<u8>, String>,
    /// A program by its name, or why it cannot run.
    pub find: &'l dyn Fn(&str) -> Result<FoundProgram, String>,
}

/// A program that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundProgram {
    /// Its absolute path.
    pub path: String,
    /// The folder in which it runs.
    pub folder: String,
}

/// Why an eval that a server holds has no programs.
pub const NO_PROGRAMS: &str = "programs run only on the machine of whoever begins the eval; use `agon eval run`";

/// Finds no program: a server runs none of its clients'.
pub fn no_programs(_: &str) -> Result<FoundProgram, String> {
    Err(NO_PROGRAMS.to_owned())
}

/// Reads an eval file, and what it names.
pub fn read_eval_file(source: &Source, surroundings: EvalSurroundings<'_>) -> ReadEval {
    let parsed = parse_eval_file(source);
    let Some(file) = parsed.file else {
        return ReadEval { spec: None, diagnostics: parsed.diagnostics, mapping: None };
    };
    let mut reader = EvalReader { surroundings, found: Vec::new(), diagnostics: parsed.diagnostics, mapping: None };
    let questions = reader.questions(&file);
    let debates: Vec<DebateArm> = file.debates.iter().filter_map(|debate| reader.debate(debate)).collect();
    let commands = file.commands.iter().enumerate().filter_map(|(at, command)| reader.command(at, command)).collect();
    let scorer = file.scorer_program.as_ref().and_then(|program| reader.program(program, "scorer.command"));
    let spec = EvalSpec { commands, scorer, ..spec(&file, questions, debates) };
    reader.check_scorer(&file, &spec);
    let cells = cells(&spec);
    if cells > MOST_CELLS {
        let message = format!("the eval has {cells} cells; at most {MOST_CELLS} are allowed");
        reader.found.push((Span::default(), String::new(), message));
    }
    let EvalReader { found, mut diagnostics, mapping, .. } = reader;
    diagnostics.extend(eval_file_problems(source, found));
    let bad = diagnostics.iter().any(|found| found.severity == Severity::Error);
    ReadEval { spec: Some(spec).filter(|_| !bad), diagnostics, mapping }
}

/// Questions times arms times repetitions.
fn cells(spec: &EvalSpec) -> u64 {
    let isolated = spec.debates.iter().filter(|debate| debate.isolated).count();
    let arms = (spec.arms.len() + spec.debates.len() + isolated + spec.commands.len()) as u64;
    (spec.questions.len() as u64).saturating_mul(arms).saturating_mul(spec.repetitions.into())
}

struct EvalReader<'l> {
    surroundings: EvalSurroundings<'l>,
    found: Vec<(Span, String, String)>,
    diagnostics: Vec<Diagnostic>,
    mapping: Option<DataMapping>,
}

impl EvalReader<'_> {
    fn load(&mut self, file: &Located<String>, field: &str) -> Option<Vec<u8>> {
        let loaded = (self.surroundings.load)(&file.value);
        loaded.map_err(|message| self.found.push((file.span, field.to_owned(), message))).ok()
    }

    fn questions(&mut self, file: &EvalFile) -> Vec<Question> {
        let asked = &file.questions;
        if let Some(set) = asked.builtin.and_then(BuiltinSet::from_name) {
            let seed = asked.seed.or(file.seed).unwrap_or(0);
            let mut fresh = builtin_questions(set, asked.count.unwrap_or(FRESH_QUESTIONS), seed);
            for question in fresh.iter_mut().filter(|_| file.scorer_program.is_some()) {
                question.gold = Gold::Command { answers: question.gold_texts() };
            }
            return fresh;
        }
        let Some(named) = &asked.file else { return Vec::new() };
        let Some(bytes) = self.load(named, "questions") else { return Vec::new() };
        let shape = asked.shape.and_then(DataShape::from_name);
        let program = file.scorer_program.as_ref().map(|_| QuestionKind::Command);
        let kind = program.or(file.scorer.and_then(QuestionKind::from_name));
        let read = read_questions(DataSource { name: named.value.clone(), bytes, syntax: None, shape, kind });
        self.mapping = Some(read.mapping);
        self.diagnostics.extend(read.diagnostics);
        read.questions.unwrap_or_default()
    }

    fn debate(&mut self, debate: &EvalDebate) -> Option<DebateArm> {
        let bytes = self.load(&debate.file, "debates")?;
        let Ok(text) = String::from_utf8(bytes) else {
            let message = format!("{} is not UTF-8", debate.file.value);
            self.found.push((debate.file.span, "debates".to_owned(), message));
            return None;
        };
        let file = debate.file.value.clone();
        let template = DebateTemplate { file, text, syntax: "auto".to_owned(), set: debate.set.clone() };
        Some(DebateArm { name: ArmName(debate.name.clone()), template, isolated: debate.isolated })
    }

    fn command(&mut self, at: usize, command: &EvalCommand) -> Option<CommandArm> {
        let program = self.program(&command.run, &format!("commands[{at}].run"))?;
        let budget_of = command.budget_of.clone().map(ArmName);
        Some(CommandArm { name: ArmName(command.name.clone()), program, timeout_ms: command.timeout_ms, budget_of })
    }

    fn program(&mut self, program: &Located<Vec<String>>, field: &str) -> Option<UserProgram> {
        let (name, arguments) = program.value.split_first()?;
        match (self.surroundings.find)(name) {
            Ok(FoundProgram { path, folder }) => {
                let run = std::iter::once(path).chain(arguments.iter().cloned()).collect();
                Some(UserProgram { run, folder })
            }
            Err(message) => {
                self.found.push((program.span, field.to_owned(), format!("`{field}`: {message}")));
                None
            }
        }
    }

    /// A program scores something, and what a program scores has one.
    fn check_scorer(&mut self, file: &EvalFile, spec: &EvalSpec) {
        let scored = spec.questions.iter().find(|question| question.is_scored_by_program());
        match (&file.scorer_program, scored) {
            (Some(program), None) if !spec.questions.is_empty() => {
                let message = "the program scores nothing: every question has another `kind`".to_owned();
                self.found.push((program.span, "scorer.command".to_owned(), message));
            }
            (None, Some(question)) => {
                let message = crate::GradingRefused::NoProgram(question.id.clone()).to_string();
                self.found.push((Span::default(), "scorer".to_owned(), message));
            }
            (Some(_), _) | (None, None) => {}
        }
    }
}

/// The eval with these debates, and what else an eval file says or leaves open.
fn spec(file: &EvalFile, questions: Vec<Question>, debates: Vec<DebateArm>) -> EvalSpec {
    let arms = file.arms.as_ref().map(|arms| arms.iter().filter_map(|name| BaselineArm::of_name(name)).collect());
    let usual = EvalSpec::usual(questions, debates);
    let pair =
        |(arm, rival): &(String, String)| Comparison { arm: ArmName(arm.clone()), rival: ArmName(rival.clone()) };
    let grader = Grader { models: file.grader.clone(), same_family: file.same_family };
    EvalSpec {
        title: file.title.clone(),
        arms: arms.unwrap_or(usual.arms),
        primary: file.primary.as_ref().map_or(usual.primary, |pairs| pairs.iter().map(pair).collect()),
        matching: match (file.budget, file.matching) {
            (Some(budget), _) => Matching::Budget(budget),
            (None, Some("mean")) => Matching::Mean,
            (None, Some("none")) => Matching::None,
            (None, _) => Matching::Debate,
        },
        count: match file.count {
            Some("generated") => Count::Generated,
            Some("new") => Count::New,
            Some("seconds") => Count::Seconds,
            Some("money") => Count::Money,
            _ => Count::Total,
        },
        max_samples: file.max_samples.unwrap_or(usual.max_samples),
        repetitions: file.repetitions.unwrap_or(usual.repetitions),
        worth: file.worth.unwrap_or(usual.worth),
        alpha: file.alpha.unwrap_or(usual.alpha),
        design: if file.design == Some("sequential") { Design::Sequential } else { Design::Fixed },
        confidence: file.confidence.unwrap_or(usual.confidence),
        limits: EvalLimits { tokens: file.limit_tokens, seconds: file.limit_seconds, money: file.limit_money },
        grader: (!grader.models.is_empty()).then_some(grader),
        seed: file.seed.unwrap_or(usual.seed),
        ..usual
    }
}

impl EvalSpec {
    /// These debates on these questions, each against one answer and self-consistency; all else as an eval file leaves it open.
    pub fn usual(questions: Vec<Question>, debates: Vec<DebateArm>) -> Self {
        let rival = ArmName("self_consistency".to_owned());
        let primary =
            debates.iter().map(|debate| Comparison { arm: debate.name.clone(), rival: rival.clone() }).collect();
        Self {
            title: None,
            questions,
            pilot_of: None,
            debates,
            commands: Vec::new(),
            arms: vec![BaselineArm::Single, BaselineArm::SelfConsistency],
            primary,
            matching: Matching::Debate,
            count: Count::Total,
            max_samples: 64,
            repetitions: 1,
            worth: 3.0,
            alpha: 0.05,
            design: Design::Fixed,
            confidence: false,
            limits: EvalLimits::default(),
            grader: None,
            scorer: None,
            seed: 0,
        }
    }
}
