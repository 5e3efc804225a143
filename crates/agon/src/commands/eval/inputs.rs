//! From the command line to an eval: questions, debates, and what is compared.
use crate::cli::{BuiltinKind, EvalRunArgs, NamedFile, is_arm_byte};
use crate::commands::Context;
use crate::debate_file;
use crate::exit::Stop;
use crate::settings::{Settings, USUAL_MODEL};
use agon_eval::{
    ArmName, BaselineArm, BuiltinSet, Comparison, Count, DataSource, DebateArm, DebateTemplate, Design, EvalLimits,
    EvalSpec, MOST_DATA_BYTES, Matching, Question, RoleModels, builtin_questions, read_questions,
};
use agon_spec::{Severity, Syntax};
use std::io::Read as _;
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
pub fn read(context: &Context, settings: &Settings, args: &EvalRunArgs) -> Result<EvalInputs, Stop> {
    let seed = args.seed.unwrap_or(0);
    let wanted = args.questions.or(args.pilot);
    let questions = match (&args.what, args.builtin) {
        (_, Some(kind)) => builtin_questions(set(kind), wanted.unwrap_or(FRESH), seed),
        (Some(file), None) => {
            let mut questions = of_file(context, file)?;
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

fn set(kind: BuiltinKind) -> BuiltinSet {
    match kind {
        BuiltinKind::Arithmetic => BuiltinSet::Arithmetic,
        BuiltinKind::Logic => BuiltinSet::Logic,
        BuiltinKind::Dates => BuiltinSet::Dates,
    }
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

/// The questions of a file; warnings are printed, errors end the program.
fn of_file(context: &Context, name: &str) -> Result<Vec<Question>, Stop> {
    let read = read_questions(data_source(name)?);
    let errors = read.diagnostics.iter().filter(|found| found.severity == Severity::Error).count();
    let Some(questions) = read.questions else {
        eprint!("{}", agon_spec::render(&read.diagnostics));
        return Err(Stop::usage(format!(
            "{} has {}",
            agon_report::one_line(name),
            agon_report::count(errors as u64, "error")
        )));
    };
    for warning in &read.diagnostics {
        let (file, line) = (agon_report::one_line(&warning.file), warning.place.line);
        context.output.warn(&format!("{file}:{line}: {}", warning.message));
    }
    Ok(questions)
}

/// A file of questions, or standard input as `-`.
pub fn data_source(name: &str) -> Result<DataSource, Stop> {
    let bytes = if name == "-" {
        // one more than is allowed, so that too long an input is reported as such and not cut
        let most = u64::try_from(MOST_DATA_BYTES).unwrap_or(u64::MAX).saturating_add(1);
        let mut bytes = Vec::new();
        std::io::stdin().take(most).read_to_end(&mut bytes)?;
        bytes
    } else {
        agon_files::read(Path::new(name), MOST_DATA_BYTES)
            .map_err(|error| Stop::usage(format!("cannot read {}: {error}", agon_report::one_line(name))))?
    };
    Ok(DataSource { name: name.to_owned(), bytes, ..DataSource::default() })
}
