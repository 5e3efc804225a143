//! `agon eval check`: every problem of files of questions and eval files, and what was read from where.
use super::inputs::{data_source, eval_source, loaded, role_models};
use super::programs;
use crate::cli::EvalCheckArgs;
use crate::commands::Context;
use crate::exit::{Exit, Stop};
use crate::settings::Settings;
use agon_eval::{
    DataMapping, DataSource, DebateArm, EvalAdmission, EvalPlan, EvalSpec, EvalSurroundings, Gold, GraderChoice,
    HeldCells, Question, RoleModels, TemplateSpecs, Tolerance, check_one_scoring, fill, read_eval_file, read_questions,
};
use agon_report::{count, one_line};
use agon_spec::reading::{Problems, Span, SpecFinding};
use agon_spec::{Code, Diagnostic, Severity, Source, eval_file_refused};
use serde_json::{Value, json};
use std::fmt::Write;

/// Questions that are printed.
const SHOWN: usize = 3;
/// Characters of a text that is printed.
const LONGEST: usize = 200;

/// What a file came to.
struct CheckedFile {
    name: String,
    questions: Vec<Question>,
    mapping: Option<DataMapping>,
    diagnostics: Vec<Diagnostic>,
    /// What an eval file compares.
    eval: Option<EvalSpec>,
}

/// `agon eval check FILE...`
pub fn run(context: &Context, args: &EvalCheckArgs) -> Result<Exit, Stop> {
    let settings = context.settings()?;
    let checked = args.files.iter().map(|name| one(name, &settings)).collect::<Result<Vec<_>, _>>()?;
    if args.json {
        context.output.safe_json(&checked.iter().map(CheckedFile::json).collect::<Vec<_>>())?;
    } else {
        checked.iter().try_for_each(|file| context.output.data(&file.text()))?;
    }
    Ok(if checked.iter().all(CheckedFile::is_good) { Exit::Done } else { Exit::Usage })
}

fn one(name: &str, settings: &Settings) -> Result<CheckedFile, Stop> {
    match eval_source(name)? {
        Some(source) => Ok(eval(name, &source, settings)),
        None => Ok(questions(name, data_source(name)?)),
    }
}

/// A file of questions, which no eval file or flag could make an eval of where it is scored in two ways.
fn questions(name: &str, source: DataSource) -> CheckedFile {
    let read = read_questions(source);
    let (questions, mut diagnostics) = (read.questions.unwrap_or_default(), read.diagnostics);
    if let Err(refused) = check_one_scoring(&questions) {
        let mut problems = Problems::new(name);
        problems.error(SpecFinding::new(Code::Combination, Span::default(), refused.to_string()));
        diagnostics.extend(problems.into_list());
    }
    CheckedFile { name: name.to_owned(), questions, mapping: Some(read.mapping), diagnostics, eval: None }
}

/// An eval file, with all that `agon eval run` would refuse before its first call.
fn eval(name: &str, source: &Source, settings: &Settings) -> CheckedFile {
    let (load, find) = (loaded(source), programs::found(source));
    let read = read_eval_file(source, EvalSurroundings { load: &load, find: &find });
    let (mut diagnostics, models) = (read.diagnostics, role_models(settings, None));
    let questions = read.spec.as_ref().map(|spec| spec.questions.clone()).unwrap_or_default();
    if let Some(spec) = &read.spec {
        // of each debate the first question that does not fit
        let unfit = |debate: &DebateArm| {
            questions.iter().find_map(|one| fill(&debate.template, &models, one, 0, spec.confidence).err())
        };
        let unfit: Vec<Diagnostic> = spec.debates.iter().filter_map(unfit).flatten().collect();
        match unfit.is_empty() {
            true => diagnostics.extend(refused(source, spec, models, settings)),
            false => diagnostics.extend(unfit),
        }
    }
    CheckedFile { name: name.to_owned(), questions, mapping: read.mapping, diagnostics, eval: read.spec }
}

/// Why the eval as a whole is refused: by its graders, names, or what it counts.
fn refused(source: &Source, spec: &EvalSpec, models: RoleModels, settings: &Settings) -> Vec<Diagnostic> {
    let graders = GraderChoice { models: &[], same_family: false, rehearsal: false };
    let spec = EvalSpec { grader: graders.of(spec, settings.eval.grader_model.as_deref()), ..spec.clone() };
    let planned = EvalAdmission::of(String::new(), spec, models).and_then(|admission| {
        let admission = EvalAdmission { prices: settings.eval.model_prices(), ..admission };
        EvalPlan::of(&admission, &TemplateSpecs::of(&admission)?, &HeldCells::default())
    });
    planned.err().map(|refused| eval_file_refused(source, refused.key, &refused.message)).unwrap_or_default()
}

impl CheckedFile {
    fn count(&self, severity: Severity) -> u64 {
        self.diagnostics.iter().filter(|found| found.severity == severity).count() as u64
    }

    fn is_good(&self) -> bool {
        self.count(Severity::Error) == 0
    }

    fn json(&self) -> Value {
        json!({
            "file": self.name,
            "good": self.is_good(),
            "diagnostics": self.diagnostics,
            "mapping": self.mapping,
            "questions": self.questions.len(),
            "first": self.questions.iter().take(SHOWN).collect::<Vec<_>>(),
        })
    }

    fn text(&self) -> String {
        let mut text = agon_spec::render(&self.diagnostics);
        let (errors, warnings) = (self.count(Severity::Error), self.count(Severity::Warning));
        let asked = count(self.questions.len() as u64, "question");
        let found = match (errors, warnings) {
            (0, 0) => format!("good, {asked}"),
            (0, _) => format!("good, {asked}, {}", count(warnings, "warning")),
            _ => count(errors, "error"),
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}: {found}", one_line(&self.name));
        text.push_str(&self.mapping.as_ref().map(mapping).unwrap_or_default());
        text.push_str(&self.eval.as_ref().map(compared).unwrap_or_default());
        (1..).zip(self.questions.iter().take(SHOWN)).for_each(|(at, question)| text.push_str(&shown(at, question)));
        text
    }
}

/// What was read from where.
fn mapping(mapping: &DataMapping) -> String {
    let mut text = String::new();
    if let (Some(syntax), Some(shape)) = (mapping.syntax, mapping.shape) {
        let _ = writeln!(text, "  read as {}, in the shape `{}`", syntax.as_str(), shape.as_str());
    }
    let width = mapping.members.iter().map(|member| member.member.len()).max().unwrap_or(0);
    for member in &mapping.members {
        let from: Vec<String> = member.from.iter().map(|name| format!("`{}`", one_line(name))).collect();
        let of = count(member.questions.into(), "question");
        let _ = writeln!(text, "  {:width$}  from {}, in {of}", member.member, from.join(", "));
    }
    if !mapping.unused.is_empty() {
        let unused: Vec<String> = mapping.unused.iter().map(|name| format!("`{}`", one_line(name))).collect();
        let _ = writeln!(text, "  not used: {}", unused.join(", "));
    }
    let kinds: Vec<String> = mapping.kinds.iter().map(|(kind, n)| format!("{n} {kind}")).collect();
    if !kinds.is_empty() {
        let groups = if mapping.groups > 0 { format!(", {} groups", mapping.groups) } else { String::new() };
        let categories = (mapping.categories > 0).then(|| format!(", {} categories", mapping.categories));
        let _ = writeln!(text, "  scored as: {}{}{groups}", kinds.join(", "), categories.unwrap_or_default());
    }
    text
}

/// What an eval file compares.
fn compared(spec: &EvalSpec) -> String {
    let mut text = String::new();
    for debate in &spec.debates {
        let _ = writeln!(text, "  debate {}: {}", one_line(&debate.name.0), one_line(&debate.template.file));
    }
    for command in &spec.commands {
        let run = command.program.run.join(" ");
        let _ = writeln!(text, "  command {}: {}", one_line(&command.name.0), one_line(&run));
    }
    if let Some(program) = &spec.scorer {
        let _ = writeln!(text, "  scorer: {}", one_line(&program.run.join(" ")));
    }
    for pair in &spec.primary {
        let _ = writeln!(text, "  primary comparison: {} against {}", one_line(&pair.arm.0), one_line(&pair.rival.0));
    }
    text
}

fn shown(at: usize, question: &Question) -> String {
    let short = |text: &str| {
        let line = one_line(text);
        match line.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}...", line.get(..end).unwrap_or_default()),
            None => line,
        }
    };
    let mut text = format!("\n{at}. {} (id {})\n", short(&question.text), short(&question.id));
    if let Some(context) = &question.context {
        let _ = writeln!(text, "   context: {}", short(context));
    }
    for (letter, option) in ('A'..='Z').zip(&question.options) {
        let _ = writeln!(text, "   {letter}. {}", short(option));
    }
    let _ = writeln!(text, "   {}", short(&right(question)));
    text
}

/// What is right, as it was understood.
fn right(question: &Question) -> String {
    let any = |answers: &[String]| match answers {
        [] => "no reference answer".to_owned(),
        answers => format!("reference answer: {}", answers.join(" | ")),
    };
    match &question.gold {
        Gold::Choice { right } => {
            let option = |at: &usize| question.options.get(*at).cloned();
            format!("right (choice): {}", right.iter().filter_map(option).collect::<Vec<_>>().join(" | "))
        }
        Gold::Exact { answers } => format!("right (exact): {}", answers.join(" | ")),
        Gold::Number { answers, tolerance } => {
            let numbers: Vec<String> = answers.iter().map(f64::to_string).collect();
            let within = match tolerance {
                Tolerance::Exact => String::new(),
                Tolerance::Absolute(by) => format!(", within {by}"),
                Tolerance::Relative(by) => format!(", within {} %", by * 100.0),
            };
            format!("right (number): {}{within}", numbers.join(" | "))
        }
        Gold::Rubric { criteria, answers } => {
            format!("graded by {}; {}", count_criteria(criteria.len()), any(answers))
        }
        Gold::Pairwise { answers } => format!("graded in pairs; {}", any(answers)),
        Gold::Command { answers } => format!("scored by a program; {}", any(answers)),
    }
}

fn count_criteria(n: usize) -> String {
    if n == 1 { "1 criterion".to_owned() } else { format!("{n} criteria") }
}
