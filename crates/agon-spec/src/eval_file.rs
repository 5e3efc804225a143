//! Eval files: what is compared with what. Only their form is checked here; the files that they name are read elsewhere.
use crate::diagnostic::{Code, Problems, SpecFinding, quote};
use crate::keys::EVAL;
use crate::place::Span;
use crate::section::{CheckedValue, Section};
use crate::source::{Source, Text, decode};
use crate::suggest::nearest;
use crate::tree::{FileNode, Value, duplicate_keys};
use crate::{Diagnostic, Limits, json, reference, schema, shape, yaml};
use std::collections::BTreeMap;

/// Most arms of an eval.
pub const MOST_ARMS: usize = 16;

/// A value of a file, and where it stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Located<T> {
    /// What.
    pub value: T,
    /// Where.
    pub span: Span,
}

/// What an eval file says; what it leaves open is absent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EvalFile {
    /// What its reports are called.
    pub title: Option<String>,
    /// Where the questions come from.
    pub questions: EvalQuestions,
    /// The debates, at least one.
    pub debates: Vec<EvalDebate>,
    /// Methods of the user's own.
    pub commands: Vec<EvalCommand>,
    /// Names of the simpler methods.
    pub arms: Option<Vec<&'static str>>,
    /// Pairs of arm and rival.
    pub primary: Option<Vec<(String, String)>>,
    /// `debate`, `mean` or `none`.
    pub matching: Option<&'static str>,
    /// The same budget for all arms.
    pub budget: Option<u64>,
    /// What is counted.
    pub count: Option<&'static str>,
    /// Most samples of a question.
    pub max_samples: Option<u32>,
    /// How often each question is asked.
    pub repetitions: Option<u32>,
    /// The smallest gain worth having, in percentage points.
    pub worth: Option<f64>,
    /// The significance level.
    pub alpha: Option<f64>,
    /// `fixed` or `sequential`.
    pub design: Option<&'static str>,
    /// The kind of questions that name none.
    pub scorer: Option<&'static str>,
    /// The program that scores them.
    pub scorer_program: Option<Located<Vec<String>>>,
    /// Models that grade.
    pub grader: Vec<String>,
    /// Graders may be of a family under test.
    pub same_family: bool,
    /// Whether confidence is asked for.
    pub confidence: Option<bool>,
    /// Tokens of all cells.
    pub limit_tokens: Option<u64>,
    /// Seconds since the eval began, or was retried or rescored.
    pub limit_seconds: Option<f64>,
    /// Money of all cells.
    pub limit_money: Option<f64>,
    /// Fixes every random choice.
    pub seed: Option<u64>,
}

/// Where questions come from: a file or a built-in set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EvalQuestions {
    /// The file, as written.
    pub file: Option<Located<String>>,
    /// Its shape.
    pub shape: Option<&'static str>,
    /// The built-in set.
    pub builtin: Option<&'static str>,
    /// How many questions of it.
    pub count: Option<u32>,
    /// Which questions of it.
    pub seed: Option<u64>,
}

/// A debate of an eval file.
#[derive(Clone, Debug, PartialEq)]
pub struct EvalDebate {
    /// Its name in tables.
    pub name: String,
    /// The debate file, as written.
    pub file: Located<String>,
    /// Keys that are set over it.
    pub set: BTreeMap<String, serde_json::Value>,
    /// Whether it is also held isolated.
    pub isolated: bool,
}

/// A program that answers questions.
#[derive(Clone, Debug, PartialEq)]
pub struct EvalCommand {
    /// Its name in tables.
    pub name: String,
    /// The program and its arguments; never empty.
    pub run: Located<Vec<String>>,
    /// When a run is ended, in milliseconds.
    pub timeout_ms: u64,
    /// The debate whose tokens are its budget.
    pub budget_of: Option<String>,
}

/// When the run of a program that answers is ended, where the file does not say.
const COMMAND_TIMEOUT_MS: u64 = 300_000;

/// An eval file as it was read.
#[derive(Clone, Debug, PartialEq)]
pub struct ParsedEvalFile {
    /// What it says; absent exactly when a diagnostic is an error.
    pub file: Option<EvalFile>,
    /// Every problem, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
}

/// Whether a file is an eval file, and not one of questions: a mapping with `debates`, or with `questions` that are no list.
pub fn is_eval_file(source: &Source) -> bool {
    let Some(text) = decode(source, &mut Problems::new(&source.name)) else { return false };
    let Ok(Some(FileNode { value: Value::Map(entries), .. })) = tree(source, &text) else { return false };
    let no_list = |value: &Value| !matches!(value, Value::List(_));
    entries.iter().any(|entry| entry.key == "debates" || (entry.key == "questions" && no_list(&entry.value.value)))
}

/// Reads an eval file in YAML or JSON.
pub fn parse_eval_file(source: &Source) -> ParsedEvalFile {
    let mut problems = Problems::new(&source.name);
    problems.top = &EVAL;
    let Some(text) = decode(source, &mut problems) else {
        return ParsedEvalFile { file: None, diagnostics: problems.into_list() };
    };
    let mut problems = problems.with_text(&text, Limits::default());
    let file = match tree(source, &text) {
        Ok(root) => Some(read(root, &mut problems)),
        Err(finding) => {
            problems.error(finding);
            None
        }
    };
    let file = file.flatten().filter(|_| !problems.has_errors());
    ParsedEvalFile { file, diagnostics: problems.into_readable_list() }
}

/// The problems of an eval file that were found at places of it.
pub fn eval_file_problems(source: &Source, found: Vec<(Span, String, String)>) -> Vec<Diagnostic> {
    let mut problems = Problems::new(&source.name);
    let Some(text) = decode(source, &mut problems) else { return problems.into_list() };
    let mut problems = problems.with_text(&text, Limits::default());
    for (span, field, message) in found {
        problems.error(SpecFinding::new(Code::UnknownName, span, message).field(field));
    }
    problems.into_readable_list()
}

/// What is wrong with a whole eval, at the key of its file that is to blame; at the beginning where no key is.
pub fn eval_file_refused(source: &Source, key: &str, message: &str) -> Vec<Diagnostic> {
    let mut problems = Problems::new(&source.name);
    let Some(text) = decode(source, &mut problems) else { return problems.into_list() };
    let entries = match tree(source, &text) {
        Ok(Some(FileNode { value: Value::Map(entries), .. })) => entries,
        Ok(_) | Err(_) => Vec::new(),
    };
    let mut problems = problems.with_text(&text, Limits::default());
    let found = entries.iter().find(|entry| entry.key == key);
    let (span, field) = found.map_or((Span::default(), ""), |entry| (entry.key_span, key));
    problems.error(SpecFinding::new(Code::Combination, span, message).field(field));
    problems.into_readable_list()
}

/// The JSON Schema of eval files.
pub fn eval_schema() -> serde_json::Value {
    schema::of_file(&EVAL, "Agon eval file")
}

const HEAD: &str = "\
# The eval file: reference

This page is generated from the table of keys in `crates/agon-spec`; a test compares the two. [The guide](../guide/evaluation.md)
explains evals.

An eval file is YAML or JSON. It says which questions, which debates and which simpler methods are compared. `agon eval run FILE --plan`
reports every problem at once. An unknown key or value is an error and never ignored. Paths start at the eval file's folder.

```yaml
questions: questions.jsonl
debates:
  - {file: panel.md}
  - {name: longer, file: panel.md, set: {max_rounds: 3}}
arms: [single, self_consistency, best_of_n]
```

An eval has at most 16 arms, 20 repetitions and 200,000 cells. A cell is one question, asked once of one arm.
A single value where a list is wanted is a list of one.
";

/// The page `docs/reference/eval-file.md`.
pub fn eval_reference_markdown() -> String {
    let mut page = HEAD.to_owned();
    reference::keys(&mut page, &EVAL);
    page
}

fn tree(source: &Source, text: &Text) -> Result<Option<FileNode>, SpecFinding> {
    let most = Limits::default().expanded_bytes;
    let is_json = source.name.to_ascii_lowercase().ends_with(".json") || text.all.trim_start().starts_with('{');
    if is_json { json::parse(text, most).map(Some) } else { yaml::parse(&text.all, 0, most) }
}

fn read(root: Option<FileNode>, problems: &mut Problems<'_>) -> Option<EvalFile> {
    let entries = match root.as_ref().map(|root| (&root.value, root.span)) {
        Some((Value::Map(entries), _)) => entries.as_slice(),
        None | Some((Value::Null, _)) => &[],
        Some((other, span)) => {
            let message = format!("an eval file must be a mapping of keys to values, found {}", other.describe());
            problems.error(SpecFinding::new(Code::WrongType, span, message));
            return None;
        }
    };
    root.iter().flat_map(duplicate_keys).for_each(|finding| problems.error(finding));
    let section = shape::section(&EVAL, Span::default(), entries, "", problems);
    for key in EVAL.keys.iter().filter(|key| key.required && !section.has(key.name)) {
        let message = format!("the eval file has no `{}`", key.name);
        problems.error(SpecFinding::new(Code::MissingKey, Span::default(), message).field(key.name));
    }
    let debates = debates(&section, problems);
    let questions = questions(&section, problems);
    let commands = commands(&section, &debates, problems);
    arms(&section, (&debates, &commands), problems);
    let limits = section.section("limits");
    let number = |of: Option<&Section>, name: &str| match of?.get(name)?.value {
        CheckedValue::Number(number) => Some(number),
        _ => None,
    };
    let grader = section.section("grader");
    let panel = grader.map(|grader| grader.lines("models").iter().map(|(model, _)| model.clone()).collect());
    let file = EvalFile {
        title: section.text("title").map(str::to_owned),
        questions,
        arms: match section.get("arms").map(|field| &field.value) {
            Some(CheckedValue::Choices(arms)) => Some(arms.clone()),
            _ => None,
        },
        primary: section.list("primary").map(|list| {
            let pair = |one: &Section| Some((one.text("arm")?.to_owned(), one.text("rival")?.to_owned()));
            list.iter().filter_map(pair).collect()
        }),
        matching: section.chosen("match"),
        budget: section.section("match").and_then(|budget| budget.integer("budget")),
        count: section.chosen("count"),
        max_samples: section.integer("max_samples"),
        repetitions: section.integer("repetitions"),
        worth: number(Some(&section), "worth"),
        alpha: number(Some(&section), "alpha"),
        design: section.chosen("design"),
        scorer: section.chosen("scorer"),
        scorer_program: section.section("scorer").and_then(|scorer| program(scorer, "command")),
        grader: section.text("grader").map(|model| vec![model.to_owned()]).or(panel).unwrap_or_default(),
        same_family: grader.and_then(|grader| grader.flag("same_family")).unwrap_or(false),
        confidence: section.flag("confidence"),
        limit_tokens: limits.and_then(|limits| limits.integer("tokens")),
        limit_seconds: number(limits, "seconds"),
        limit_money: number(limits, "money"),
        seed: section.integer("seed"),
        commands,
        debates,
    };
    if ![0, 1, 3, 5].contains(&file.grader.len()) {
        let message = format!("a panel has 1, 3 or 5 graders, found {}", file.grader.len());
        problems.error(SpecFinding::new(Code::OutOfRange, section.span_of("grader"), message).field("grader.models"));
    }
    if grader.is_some_and(|grader| !grader.has("models")) {
        let message = "`grader` has no `models`";
        problems.error(SpecFinding::new(Code::MissingKey, section.span_of("grader"), message).field("grader.models"));
    }
    if section.section("match").is_some_and(|budget| !budget.has("budget")) {
        let message = "`match` has no `budget`";
        problems.error(SpecFinding::new(Code::MissingKey, section.span_of("match"), message).field("match.budget"));
    }
    if section.section("scorer").is_some_and(|scorer| !scorer.has("command")) {
        let message = "`scorer` has no `command`";
        problems.error(SpecFinding::new(Code::MissingKey, section.span_of("scorer"), message).field("scorer.command"));
    }
    Some(file)
}

fn questions(root: &Section, problems: &mut Problems<'_>) -> EvalQuestions {
    let span = root.span_of("questions");
    if let Some(file) = root.text("questions") {
        return EvalQuestions { file: Some(Located { value: file.to_owned(), span }), ..EvalQuestions::default() };
    }
    let Some(block) = root.section("questions") else { return EvalQuestions::default() };
    let mut wrong = |code, name: &str, message: &str| {
        let place =
            block.get(name).map_or(root.get("questions").map_or(span, |field| field.key_span), |field| field.key_span);
        problems.error(SpecFinding::new(code, place, message).field(format!("questions.{name}")));
    };
    let builtin = block.chosen("builtin");
    if !block.has("file") && !block.has("builtin") {
        wrong(Code::MissingKey, "file", "`questions` needs `file` or `builtin`");
    }
    if block.has("shape") && !block.has("file") {
        wrong(Code::UnusedKey, "shape", "`shape` is for questions of a `file`");
    }
    for name in ["count", "seed"] {
        if block.has(name) && !block.has("builtin") {
            wrong(Code::UnusedKey, name, &format!("`{name}` is for `builtin` questions"));
        }
    }
    let file = block.text("file").map(|file| Located { value: file.to_owned(), span: block.span_of("file") });
    EvalQuestions {
        file,
        shape: block.chosen("shape"),
        builtin,
        count: block.integer("count"),
        seed: block.integer("seed"),
    }
}

fn debates(root: &Section, problems: &mut Problems<'_>) -> Vec<EvalDebate> {
    let mut debates: Vec<EvalDebate> = Vec::new();
    for section in root.list("debates").unwrap_or_default() {
        let Some(file) = section.text("file") else { continue };
        let name = section.text("name").map_or_else(|| name_of(file), str::to_owned);
        check_name(section, &name, debates.iter().map(|known| known.name.as_str()), problems);
        let set = match section.get("set").map(|field| &field.value) {
            Some(CheckedValue::Data(serde_json::Value::Object(map))) => map.clone().into_iter().collect(),
            _ => BTreeMap::new(),
        };
        let file = Located { value: file.to_owned(), span: section.span_of("file") };
        debates.push(EvalDebate { name, file, set, isolated: section.flag("isolated").unwrap_or(false) });
    }
    debates
}

/// Whether an arm may be called so, beside the arms that are known.
fn check_name<'n>(
    section: &Section,
    name: &str,
    mut known: impl Iterator<Item = &'n str>,
    problems: &mut Problems<'_>,
) {
    let span = section.get("name").or_else(|| section.get("file")).map_or(section.span, |field| field.span);
    let mut wrong = |code, message: String, help: &str| {
        problems.error(SpecFinding::new(code, span, message).field(section.path_of("name")).help(help));
    };
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
    if name.is_empty() || name.len() > 40 || !name.chars().all(fits) {
        wrong(
            Code::BadText,
            format!("{} is not the name of an arm", quote(name)),
            "small letters, digits, `-` and `_`, 40 characters at most",
        );
    } else if BASELINES.contains(&name) {
        wrong(
            Code::ReservedName,
            format!("{} is the name of a method without a debate", quote(name)),
            "give it another `name`",
        );
    } else if known.any(|known| known == name) {
        wrong(Code::DuplicateName, format!("two arms are called {}", quote(name)), "give one of them another `name`");
    }
}

fn commands(root: &Section, debates: &[EvalDebate], problems: &mut Problems<'_>) -> Vec<EvalCommand> {
    let mut commands: Vec<EvalCommand> = Vec::new();
    for section in root.list("commands").unwrap_or_default() {
        let (Some(name), Some(run)) = (section.text("name"), program(section, "run")) else { continue };
        let known = debates.iter().map(|debate| &debate.name).chain(commands.iter().map(|command| &command.name));
        check_name(section, name, known.map(String::as_str), problems);
        let budget_of = section.text("budget_of");
        if let Some(debate) = budget_of.filter(|debate| debates.iter().all(|known| known.name != *debate)) {
            let names: Vec<&str> = debates.iter().map(|debate| debate.name.as_str()).collect();
            let finding = SpecFinding::new(
                Code::UnknownName,
                section.span_of("budget_of"),
                format!("{} is no debate of this eval", quote(debate)),
            );
            problems.error(finding.field(section.path_of("budget_of")).help(format!("debates: {}", names.join(", "))));
        }
        let timeout_ms = match section.get("timeout").map(|field| &field.value) {
            Some(CheckedValue::Millis(millis)) => *millis,
            _ => COMMAND_TIMEOUT_MS,
        };
        let (name, budget_of) = (name.to_owned(), budget_of.map(str::to_owned));
        commands.push(EvalCommand { name, run, timeout_ms, budget_of });
    }
    commands
}

/// A program with its arguments.
fn program(section: &Section, name: &str) -> Option<Located<Vec<String>>> {
    let words = section.lines(name);
    let value: Vec<String> = words.iter().map(|(word, _)| word.clone()).collect();
    (!value.is_empty()).then(|| Located { value, span: section.span_of(name) })
}

const BASELINES: [&str; 4] = ["single", "self_consistency", "best_of_n", "judge_alone"];

/// The name of an arm, from its file.
fn name_of(file: &str) -> String {
    let name = file.rsplit(['/', '\\']).next().unwrap_or_default();
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_ascii_lowercase();
    let fits = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' };
    stem.chars().map(fits).take(40).collect()
}

fn arms(root: &Section, (debates, commands): (&[EvalDebate], &[EvalCommand]), problems: &mut Problems<'_>) {
    let chosen: Vec<&str> = match root.get("arms").map(|field| &field.value) {
        Some(CheckedValue::Choices(arms)) => arms.clone(),
        _ => vec!["single", "self_consistency"],
    };
    let isolated = debates.iter().filter(|debate| debate.isolated).count();
    let count = chosen.len() + debates.len() + isolated + commands.len();
    if count > MOST_ARMS {
        let message = format!("the eval has {count} arms; at most {MOST_ARMS} are allowed");
        problems.error(SpecFinding::new(Code::OutOfRange, root.span_of("debates"), message).field("debates"));
    }
    let own = debates.iter().map(|debate| &debate.name).chain(commands.iter().map(|command| &command.name));
    let known: Vec<&str> = own.map(String::as_str).chain(chosen.iter().copied()).collect();
    for section in root.list("primary").unwrap_or_default() {
        for key in ["arm", "rival"] {
            let Some(name) = section.text(key).filter(|name| !known.contains(name)) else { continue };
            let hint = nearest(name, known.iter().copied())
                .map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            let message = format!("{} is no arm of this eval{hint}", quote(name));
            let finding =
                SpecFinding::new(Code::UnknownName, section.span_of(key), message).field(section.path_of(key));
            problems.error(finding.help(format!("arms: {}", known.join(", "))));
        }
        if section.text("arm").is_some() && section.text("arm") == section.text("rival") {
            let message = "an arm cannot be compared with itself";
            problems.error(
                SpecFinding::new(Code::Combination, section.span_of("rival"), message).field(section.path_of("rival")),
            );
        }
    }
    if !root.has("primary") && !debates.is_empty() && !chosen.contains(&"self_consistency") {
        let message =
            "`arms` has no `self_consistency`, which debates are compared with unless `primary` says otherwise";
        let finding = SpecFinding::new(Code::Combination, root.span_of("arms"), message).field("arms");
        problems.error(finding.help("add it, or write `primary: [{arm: DEBATE, rival: ARM}]`"));
    }
}
