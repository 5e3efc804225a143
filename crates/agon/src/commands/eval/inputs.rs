//! From the command line to an eval: questions, debates, and what is compared.
use super::programs;
use crate::cli::{BuiltinKind, EvalInputArgs, NamedFile, is_arm_byte};
use crate::commands::Context;
use crate::debate_file;
use crate::exit::Stop;
use crate::settings::{Settings, USUAL_MODEL};
use agon_core::thousands;
use agon_eval::{
    ArmName, BuiltinSet, DataSource, DebateArm, DebateTemplate, EvalSpec, EvalSurroundings, FRESH_QUESTIONS,
    GraderChoice, MOST_DATA_BYTES, Question, RoleModels, builtin_questions, own_context, read_eval_file,
    read_questions,
};
use agon_report::excerpt;
use agon_spec::{Diagnostic, Edition, Severity, Source, Syntax};
use serde_json::json;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

/// Characters of a debate file's own context that a warning shows.
const SHOWN_CONTEXT: usize = 60;

/// What the command line describes.
pub struct EvalInputs {
    /// What is compared.
    pub spec: EvalSpec,
    /// Models of roles that files leave open.
    pub models: RoleModels,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    /// The same as files.
    pub bundle: EvalBundle,
}

impl EvalInputs {
    /// Says what the user should know before anything is asked.
    pub fn tell(&self, context: &Context, pilot: Option<u32>) {
        if let Some(questions) = pilot {
            context.output.note(&format!(
                "a pilot on {}, drawn by the seed {}: read how many questions a verdict needs, not its verdict",
                agon_report::count(questions.into(), "question"),
                self.spec.seed
            ));
        }
        self.warnings.iter().for_each(|warning| context.output.warn(warning));
    }
}

/// An eval as files: what a server is sent.
pub struct EvalBundle {
    /// The name of the eval file, for messages.
    pub name: String,
    /// The eval file.
    pub text: Vec<u8>,
    /// The files that it names.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// Reads everything that the command line names.
pub fn read(context: &Context, settings: &Settings, args: &EvalInputArgs, rehearsal: bool) -> Result<EvalInputs, Stop> {
    let (mut spec, bundle) = match args.what.as_deref().map(eval_source).transpose()?.flatten() {
        Some(source) => of_eval_file(context, &source, args)?,
        None => of_flags(context, args)?,
    };
    if let Some(seed) = args.seed {
        spec.seed = seed;
    }
    let graders = GraderChoice { models: &args.grader, same_family: args.same_family, rehearsal };
    spec.grader = graders.of(&spec, settings.eval.grader_model.as_deref());
    let warnings = own_contexts(&spec);
    Ok(EvalInputs { spec, models: role_models(settings, args.model.as_deref()), warnings, bundle })
}

/// Models of roles that files leave open.
pub fn role_models(settings: &Settings, model: Option<&str>) -> RoleModels {
    let (defaults, model) = (settings.defaults.clone(), model.map(str::to_owned));
    RoleModels {
        model: model.clone().or(defaults.model).or_else(|| Some(USUAL_MODEL.to_owned())),
        judge_model: model.clone().or(defaults.judge_model),
        moderator_model: model.or(defaults.moderator_model),
        edition: Edition::NEWEST,
    }
}

/// The eval that questions and `--debate` describe.
fn of_flags(context: &Context, args: &EvalInputArgs) -> Result<(EvalSpec, EvalBundle), Stop> {
    let wanted = args.questions.or(args.pilot);
    let mut files = BTreeMap::new();
    let (questions, named) = match (&args.what, args.builtin) {
        (_, Some(kind)) => {
            let (set, count, seed) = (set(kind), wanted.unwrap_or(FRESH_QUESTIONS), args.seed.unwrap_or(0));
            (builtin_questions(set, count, seed), json!({"builtin": set.as_str(), "count": count, "seed": seed}))
        }
        (Some(file), None) => {
            let source = data_source(file)?;
            let name = format!("questions{}", ending(file));
            files.insert(name.clone(), source.bytes.clone());
            (of_source(context, source)?, name.into())
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
    let mut listed = Vec::new();
    for DebateArm { name, template, .. } in &debates {
        let file = format!("{name}{}", ending(&template.file));
        files.insert(file.clone(), template.text.clone().into_bytes());
        listed.push(json!({"name": name, "file": file}));
    }
    let text = json!({"questions": named, "debates": listed}).to_string().into_bytes();
    let spec = EvalSpec::usual(questions, debates);
    let spec = if args.builtin.is_some() { spec } else { some_of(context, spec, args) };
    Ok((spec, EvalBundle { name: "eval.json".to_owned(), text, files }))
}

/// The ending of a file's name, with its dot.
fn ending(file: &str) -> String {
    Path::new(file).extension().map(|ending| format!(".{}", ending.to_string_lossy())).unwrap_or_default()
}

/// The questions that the command line asks for: the first ones, or those of a pilot, drawn by the seed.
fn some_of(context: &Context, mut spec: EvalSpec, args: &EvalInputArgs) -> EvalSpec {
    let Some(wanted) = args.questions.or(args.pilot) else { return spec };
    let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
    if wanted > spec.questions.len() {
        let there = agon_report::count(spec.questions.len() as u64, "question");
        context.output.warn(&format!("{} questions are asked for, and there are {there}", thousands(wanted as u64)));
    }
    if args.pilot.is_some() {
        let seed = args.seed.unwrap_or(spec.seed);
        return spec.pilot(wanted, seed);
    }
    spec.questions.truncate(wanted);
    spec
}

/// What every question would be asked with, though the debate file meant its own topic.
fn own_contexts(spec: &EvalSpec) -> Vec<String> {
    let warned = spec.debates.iter().filter_map(|DebateArm { template, .. }| {
        let context = excerpt(&own_context(template)?, SHOWN_CONTEXT);
        let file = agon_report::one_line(&template.file);
        Some(format!(
            "{file} has a `context` of its own, which everybody is shown with each question: \"{context}\"; remove it if it \
             belongs to the file's topic"
        ))
    });
    warned.collect()
}

/// The eval file of this name; none where it is a file of questions.
pub fn eval_source(name: &str) -> Result<Option<Source>, Stop> {
    let ending = Path::new(name).extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    if !ending.is_some_and(|ending| matches!(ending.as_str(), "yaml" | "yml" | "json")) {
        return Ok(None);
    }
    let source = Source::new(name, data_source(name)?.bytes);
    Ok(Some(source).filter(agon_spec::is_eval_file))
}

/// The eval that a file describes; the files that it names lie in its folder.
fn of_eval_file(context: &Context, source: &Source, args: &EvalInputArgs) -> Result<(EvalSpec, EvalBundle), Stop> {
    if !args.debates.is_empty() {
        return Err(Stop::usage("an eval file names its debates itself; --debate is for files of questions"));
    }
    let (load, files) = (loaded(source), RefCell::new(BTreeMap::new()));
    let kept = |name: &str| {
        let bytes = load(name)?;
        files.borrow_mut().insert(name.to_owned(), bytes.clone());
        Ok(bytes)
    };
    let find = programs::found(source);
    let read = read_eval_file(source, EvalSurroundings { load: &kept, find: &find });
    let Some(spec) = read.spec else { return Err(refused(&source.name, &read.diagnostics)) };
    warn(context, &read.diagnostics);
    let spec = some_of(context, spec, args);
    let bundle = EvalBundle { name: source.name.clone(), text: source.bytes.clone(), files: files.take() };
    Ok((spec, bundle))
}

/// Reads the files that an eval file names, which lie in its folder.
pub fn loaded(source: &Source) -> impl Fn(&str) -> Result<Vec<u8>, String> {
    let folder = Path::new(&source.name).parent().map(Path::to_owned).unwrap_or_default();
    move |name| {
        agon_files::read(&folder.join(name), MOST_DATA_BYTES).map_err(|error| format!("cannot read {name}: {error}"))
    }
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
fn of_source(context: &Context, source: DataSource) -> Result<Vec<Question>, Stop> {
    let name = source.name.clone();
    let read = read_questions(source);
    let Some(questions) = read.questions else { return Err(refused(&name, &read.diagnostics)) };
    warn(context, &read.diagnostics);
    Ok(questions)
}

/// Prints what is wrong with a file.
fn refused(name: &str, found: &[Diagnostic]) -> Stop {
    eprint!("{}", agon_spec::render(found));
    let errors = found.iter().filter(|found| found.severity == Severity::Error).count();
    let name = agon_report::one_line(name);
    Stop::usage(format!("{name} has {}", agon_report::count(errors as u64, "error")))
}

fn warn(context: &Context, found: &[Diagnostic]) {
    for warning in found {
        let (file, line) = (agon_report::one_line(&warning.file), warning.place.line);
        context.output.warn(&format!("{file}:{line}: {}", warning.message));
    }
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
