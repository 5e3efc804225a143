//! From the command line to an eval: questions, debates, and what is compared.
use crate::cli::{BuiltinKind, EvalRunArgs, NamedFile, is_arm_byte};
use crate::commands::Context;
use crate::debate_file;
use crate::exit::Stop;
use crate::settings::{Settings, USUAL_MODEL};
use agon_eval::{
    ArmName, BaselineArm, Comparison, Count, DebateArm, DebateTemplate, Design, EvalLimits, EvalSpec, Gold, Matching,
    Question, RoleModels, Tolerance,
};
use agon_spec::Syntax;
use std::path::Path;

/// Fresh questions where the command line names no number.
const FRESH: u32 = 40;

/// What the command line describes.
pub struct EvalInputs {
    /// What is compared.
    pub spec: EvalSpec,
    /// Models of roles that files leave open.
    pub models: RoleModels,
    /// Warnings for the user.
    pub warnings: Vec<String>,
}

/// Reads everything that the command line names.
pub fn read(_context: &Context, settings: &Settings, args: &EvalRunArgs) -> Result<EvalInputs, Stop> {
    let seed = args.seed.unwrap_or(0);
    let wanted = args.questions.or(args.pilot);
    let questions = match (&args.what, args.builtin) {
        (_, Some(kind)) => fresh(kind, wanted.unwrap_or(FRESH), seed),
        (Some(file), None) => {
            let mut questions = lines(file)?;
            questions.truncate(wanted.map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX)));
            questions
        }
        (None, None) => return Err(Stop::usage("name a file of questions, an eval file, or --builtin KIND")),
    };
    let debates = args.debates.iter().map(debate).collect::<Result<Vec<_>, _>>()?;
    if debates.is_empty() {
        return Err(Stop::usage("name a debate to compare: --debate FILE"));
    }
    if let Some(twice) =
        debates.iter().enumerate().find(|(at, one)| debates.iter().take(*at).any(|other| other.name == one.name))
    {
        return Err(Stop::usage(format!(
            "two debates are called {}; give one another name: --debate NAME=FILE",
            twice.1.name
        )));
    }
    let rival = ArmName("self_consistency".to_owned());
    let primary = debates.iter().map(|debate| Comparison { arm: debate.name.clone(), rival: rival.clone() }).collect();
    let defaults = settings.defaults.clone();
    let models = RoleModels {
        model: args.model.clone().or(defaults.model).or_else(|| Some(USUAL_MODEL.to_owned())),
        judge_model: args.model.clone().or(defaults.judge_model),
        moderator_model: args.model.clone().or(defaults.moderator_model),
    };
    let spec = EvalSpec {
        questions,
        debates,
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
        seed,
    };
    Ok(EvalInputs { spec, models, warnings: Vec::new() })
}

fn debate(named: &NamedFile) -> Result<DebateArm, Stop> {
    let source = debate_file::file_or_input(&named.file, None)?;
    let syntax = match source.syntax {
        Syntax::Markdown => "markdown",
        Syntax::Yaml => "yaml",
        Syntax::Json => "json",
        Syntax::Auto => "auto",
    };
    let text = String::from_utf8(source.bytes).map_err(|_| Stop::usage(format!("{} is not UTF-8", named.file)))?;
    let name = named.name.clone().unwrap_or_else(|| name_of(&named.file));
    let template =
        DebateTemplate { file: named.file.clone(), text, syntax: syntax.to_owned(), set: Default::default() };
    Ok(DebateArm { name: ArmName(name), template, isolated: false })
}

/// The name of an arm, from its file.
fn name_of(file: &str) -> String {
    let stem = Path::new(file).file_stem().map(|stem| stem.to_string_lossy().to_lowercase()).unwrap_or_default();
    let name: String =
        stem.bytes().map(|byte| if is_arm_byte(byte) { char::from(byte) } else { '_' }).take(40).collect();
    if name.is_empty() { "debate".to_owned() } else { name }
}

fn number(id: String, text: String, answer: f64) -> Question {
    let gold = Gold::Number { answers: vec![answer], tolerance: Tolerance::Exact };
    Question { id, text, options: Vec::new(), context: None, gold, category: None, group: None }
}

fn fresh(_kind: BuiltinKind, count: u32, seed: u64) -> Vec<Question> {
    let question = |n: u32| {
        let (a, b) = (u64::from(n) * 7 + 13 + seed % 97, u64::from(n) % 11 + 3);
        number(format!("q{n}"), format!("What is {a} times {b}?"), (a * b) as f64)
    };
    (1..=count).map(question).collect()
}

fn lines(file: &str) -> Result<Vec<Question>, Stop> {
    let text =
        agon_files::read_text(Path::new(file)).map_err(|error| Stop::usage(format!("cannot read {file}: {error}")))?;
    let line = |(n, line): (usize, &str)| {
        let value: serde_json::Value =
            serde_json::from_str(line).map_err(|error| Stop::usage(format!("{file}:{n}: {error}")))?;
        let text = value.get("question").and_then(|text| text.as_str()).unwrap_or_default();
        let answer = value.get("answer").and_then(serde_json::Value::as_f64).unwrap_or_default();
        Ok(number(n.to_string(), text.to_owned(), answer))
    };
    (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()).map(line).collect()
}
