//! Every command and option that the documents show must exist in the program.

use std::collections::BTreeMap;

use super::docs;
use super::finding::Finding;

/// A program that documents show commands of, and how to get at its help.
pub struct Program<'a> {
    /// How a command line of it starts, a word each.
    pub words: &'a [&'a str],
    /// The help of a subcommand, or of the program itself for an empty name; `None` if there is no such subcommand.
    pub help: &'a dyn Fn(&str) -> Option<String>,
}

/// A command line in a document.
#[derive(Debug, PartialEq, Eq)]
struct ShownCommand {
    line: usize,
    subcommand: String,
    /// The word behind it, where it may be a name: that of a command of its own, if the subcommand has some.
    next: Option<String>,
    options: Vec<String>,
}

/// Programs to which our name is that of a thing of theirs, such as an installation.
const OTHERS: &[&str] = &["helm", "kubectl"];

/// Command lines of `program` in `text` (the document `path`) that the program would not take.
pub fn check(path: &str, text: &str, program: &Program<'_>) -> Vec<Finding> {
    let mut known = BTreeMap::new();
    let mut findings = Vec::new();
    for shown in shown(text, program.words) {
        let ShownCommand { line, mut subcommand, next, options } = shown;
        let name = program.words.join(" ");
        let place = format!("{path}:{line}");
        let mut help_of = |name: &String| known.entry(name.clone()).or_insert_with(|| (program.help)(name)).clone();
        let mut help = help_of(&subcommand);
        let has_commands = help.as_ref().is_some_and(|help| help.lines().any(|line| line == "Commands:"));
        if let Some(next) = next.filter(|_| has_commands) {
            subcommand = format!("{subcommand} {next}");
            help = help_of(&subcommand);
        }
        let Some(help) = help else {
            findings.push(Finding::fail(place, format!("there is no command `{name} {subcommand}`")));
            continue;
        };
        let unknown = options.into_iter().filter(|option| !names(&help, option));
        let say = |option| Finding::fail(&place, format!("`{name} {subcommand}` has no option `{option}`"));
        findings.extend(unknown.map(say));
    }
    findings
}

/// Whether `help` lists `option` as a whole word.
fn names(help: &str, option: &str) -> bool {
    let ends_word = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-');
    help.match_indices(option).any(|(at, _)| help.get(at + option.len()..).is_some_and(ends_word))
}

fn shown(text: &str, program: &[&str]) -> Vec<ShownCommand> {
    let parse = |(line, code): (usize, &str)| {
        let commands = code.split(['|', '&', ';', '#']).filter_map(|part| one(line, part, program));
        commands.collect::<Vec<_>>()
    };
    docs::code(text).into_iter().flat_map(parse).collect()
}

fn one(line: usize, code: &str, program: &[&str]) -> Option<ShownCommand> {
    let words = code.split_whitespace().collect::<Vec<_>>();
    if words.iter().find(|word| **word != "$").is_some_and(|word| OTHERS.contains(word)) {
        return None;
    }
    let start = words.windows(program.len()).position(|window| starts(window, program))?;
    // `cargo run -p agon -- run FILE`: what follows the two dashes belongs to the program.
    let after = start + program.len();
    let dashes = words.iter().skip(after).position(|word| *word == "--");
    let mut arguments = words.iter().skip(dashes.map_or(after, |at| after + at + 1)).peekable();
    let is_name = |word: &&&str| !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    let subcommand = arguments.next_if(|word| is_name(word) && !word.starts_with('-')).copied().unwrap_or_default();
    let next = arguments.peek().filter(|word| !subcommand.is_empty() && is_name(word) && !word.starts_with('-'));
    let next = next.map(|word| (**word).to_owned());
    let options = arguments.filter_map(|word| option(word)).collect::<Vec<_>>();
    let shown = ShownCommand { line, subcommand: subcommand.into(), next, options };
    (!shown.subcommand.is_empty() || !shown.options.is_empty()).then_some(shown)
}

/// Whether `window` is the program, whose first word may stand at the end of a path of build output.
fn starts(window: &[&str], program: &[&str]) -> bool {
    let same = |(word, name): (&&str, &&str)| {
        let built =
            word.rsplit_once('/').filter(|(folder, _)| folder.ends_with("release") || folder.ends_with("debug"));
        word == name || built.is_some_and(|(_, file)| file == *name)
    };
    window.iter().zip(program).all(same)
}

fn option(word: &str) -> Option<String> {
    let word = word.trim_matches(['[', ']', '(', ')', ',', '.', ':', '"', '\'']);
    let name = word.split('=').next().unwrap_or(word);
    let long = name.strip_prefix("--")?;
    (!long.is_empty()).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn help(subcommand: &str) -> Option<String> {
        match subcommand {
            "" => Some("Commands: run\nOptions: --version".into()),
            "run" => Some("Options:\n      --rehearsal  No model\n      --seed <N>".into()),
            "nats" => Some("Commands:\n  config  ...\n\nOptions:\n  --help".into()),
            "nats config" => Some("Options:\n      --shards <N>".into()),
            _ => None,
        }
    }

    fn findings(text: &str) -> Vec<String> {
        let program = Program { words: &["agon"], help: &help };
        check("README.md", text, &program).into_iter().map(|finding| finding.to_string()).collect()
    }

    #[test]
    fn commands_that_exist_pass_in_every_form() {
        for code in [
            "agon run examples/a.md --rehearsal",
            "cargo run --release -p agon -- run examples/a.md --seed=7",
            "./target/release/agon run - --seed 7 | less --raw",
            "agon nats config --shards 2",
            "helm install agon helm/agon --namespace agon",
            "kubectl create namespace agon --save-config",
            "agon --version",
            "agon",
        ] {
            assert!(findings(&format!("`{code}`")).is_empty(), "{code}: {:?}", findings(&format!("`{code}`")));
            assert!(findings(&format!("```\n$ {code}\n```\n")).is_empty(), "{code}");
        }
    }

    #[test]
    fn commands_and_options_that_do_not_exist_are_reported_with_their_line() {
        assert_eq!(findings("x\n`agon fly`"), ["error: README.md:2: there is no command `agon fly`"]);
        assert_eq!(findings("`agon run a.md --seeds 1`"), ["error: README.md:1: `agon run` has no option `--seeds`"]);
        assert_eq!(findings("```\nagon run --rehears\n```").len(), 1);
        assert_eq!(findings("`agon nats config --sharts 2`").len(), 1);
        assert_eq!(findings("`agon nats fly`"), ["error: README.md:1: there is no command `agon nats fly`"]);
    }

    #[test]
    fn prose_and_similar_names_are_no_commands() {
        assert!(findings("agon fly is prose, `agon-core fly` and `crates/agon fly` are other names").is_empty());
    }

    #[test]
    fn a_program_of_two_words_is_found() {
        let program = Program { words: &["cargo", "xtask"], help: &|name| (name == "test").then(String::new) };
        assert_eq!(check("a.md", "`cargo xtask test NAME`", &program), []);
        assert_eq!(check("a.md", "`cargo xtask fly`", &program).len(), 1);
    }
}
