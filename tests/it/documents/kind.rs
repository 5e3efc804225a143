//! Which commands of the documents run here, which keep running, and which need what is not here.
use super::page::{Typed, quoted};

/// What becomes of a command.
#[derive(Debug, PartialEq, Eq)]
pub enum CommandKind {
    /// It runs, and ends with one of these codes.
    Runs(Vec<i32>),
    /// It keeps running.
    Serves(BackgroundCommand),
    /// It needs something that is not here.
    Elsewhere(&'static NotRunReason),
}

/// A process that keeps running until the end of its page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackgroundCommand {
    /// What it says once it is up.
    pub says: &'static str,
    /// What it holds that only one process can have; the next that wants it replaces it.
    pub place: Option<String>,
}

/// Why a command is not run.
#[derive(Debug, PartialEq, Eq)]
pub struct NotRunReason {
    pub pattern: CommandPattern,
    pub why: &'static str,
}

/// How a command is told from others.
#[derive(Debug, PartialEq, Eq)]
pub enum CommandPattern {
    /// A part of it starts with these words.
    Starts(&'static str),
    /// It has this text.
    Has(&'static str),
}

use CommandPattern::{Has, Starts};

const fn not(pattern: CommandPattern, why: &'static str) -> NotRunReason {
    NotRunReason { pattern, why }
}

/// What the tests cannot run. Everything else in the documents is run.
pub const ELSEWHERE: &[NotRunReason] = &[
    not(Starts("ollama"), "needs a model server and the network; a rehearsal server stands in for it at its port"),
    not(Has("_API_KEY="), "needs a key and the network; tests/it/keys.rs does the same with a server on this machine"),
    not(Has("--base-url"), "needs a model server; tests/it/keys.rs does the same with a server on this machine"),
    not(
        Starts("agon eval check questions.csv"),
        "needs the reader's own questions; tests/it/eval_faces.rs does the same",
    ),
    not(
        Starts("agon eval run questions.csv"),
        "needs the reader's own questions and debate; tests/it/eval.rs does the same",
    ),
    not(Starts("vllm"), "needs a model server and a GPU"),
    not(Starts("llama-server"), "needs a model server and its weights"),
    not(Starts("cargo xtask"), "runs in CI; `cargo xtask tidy` checks that the command and its options exist"),
    not(Starts(".ci/run"), "is what runs this test"),
    not(Starts("git"), "changes the clone that it is typed in"),
    not(Starts("gh"), "needs the forge that a release is on"),
    not(Starts("sha256sum --check"), "needs the files of a release"),
    not(Starts("cosign"), "needs the registry that a release is in"),
    not(Starts("docker"), "needs a Docker daemon and the network; `cargo xtask ship` checks the files"),
    not(Starts("helm"), "needs a Kubernetes cluster; `cargo xtask ship` renders the chart with the same values"),
    not(Starts("kubectl"), "needs a Kubernetes cluster"),
    not(Starts("kind"), "needs a Docker daemon"),
    not(Starts("promtool"), "not everywhere; `cargo xtask ship` calls it"),
    not(Starts("nats"), "not in Debian; docs/guide/operations.md says with which versions it was run"),
    not(Starts("grpcurl"), "not a Unix tool; tests/it/cluster_access.rs makes the same calls by reflection"),
    not(Has("examples/external-participant/"), "needs packages of PyPI; tests/it/seat_example.rs runs it"),
];

/// Programs whose commands are run: the product, its server, and what every Unix has.
const HERE: &[&str] = &[
    "agon",
    "nats-server",
    "export",
    "unset",
    "cd",
    "cat",
    "cp",
    "curl",
    "cut",
    "echo",
    "grep",
    "head",
    "jq",
    "kill",
    "ls",
    "mkdir",
    "mv",
    "openssl",
    "printf",
    "rm",
    "sed",
    "sleep",
    "sort",
    "tail",
    "tar",
    "tee",
    "test",
    "tr",
    "umask",
    "wait",
    "wc",
    "xargs",
];

/// Words of the shell that stand before a command.
const BEFORE: &[&str] = &["do", "then", "else", "if", "while", "until", "!", "{", "exec", "time"];
/// Words of the shell that start no command.
const NO_COMMAND: &[&str] = &["for", "done", "fi", "}", "esac"];

/// What `cargo run` starts from the sources, which is under test as `agon`.
pub const FROM_SOURCES: &str = "cargo run --release -p agon --";

/// Says what becomes of the command, or that nobody has said so.
pub fn kind(command: &Typed) -> Result<CommandKind, String> {
    let text = command.text.replace(FROM_SOURCES, "agon");
    let parts = parts(&text);
    let matches = |reason: &&NotRunReason| match reason.pattern {
        Starts(words) => parts.iter().any(|part| starts(part, words)),
        Has(piece) => text.contains(piece),
    };
    if let Some(reason) = ELSEWHERE.iter().find(matches) {
        return Ok(CommandKind::Elsewhere(reason));
    }
    let known = |part: &&Vec<String>| part.first().is_none_or(|program| HERE.contains(&program.as_str()));
    if let Some(part) = parts.iter().find(|part| !known(part)) {
        return Err(format!("`{}` is neither known to run here nor listed in ELSEWHERE", part.join(" ")));
    }
    if let Some(server) = parts.iter().find_map(|part| server(part)) {
        return Ok(CommandKind::Serves(server));
    }
    let debates = parts.iter().any(|part| holds_debate(part));
    Ok(CommandKind::Runs(match command.exits {
        Some(code) => vec![code],
        // a debate may end undecided, which is no failure of the command
        None if debates => vec![0, 2],
        None => vec![0],
    }))
}

/// The simple commands of a text, each as words, without assignments before them.
fn parts(text: &str) -> Vec<Vec<String>> {
    let (code, _) = quoted(&text.replace("\\\n", " "));
    let without_texts = code.split("<<").next().unwrap_or_default();
    let parts = without_texts.split(['|', '&', ';', '\n', '(']);
    let words = |part: &str| {
        let mut words = part.split_whitespace().map(str::to_owned).peekable();
        while words.next_if(|word| is_assignment(word) || BEFORE.contains(&word.as_str())).is_some() {}
        words.collect::<Vec<_>>()
    };
    let is_command = |words: &Vec<String>| {
        words
            .first()
            .is_some_and(|word| !NO_COMMAND.contains(&word.as_str()) && !word.starts_with(['>', ')', '1', '2']))
    };
    parts.map(words).filter(is_command).collect()
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map(|(name, _)| name);
    name.is_some_and(|name| {
        !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    })
}

fn starts(part: &[String], words: &str) -> bool {
    let words: Vec<&str> = words.split_whitespace().collect();
    part.len() >= words.len() && part.iter().zip(&words).all(|(word, wanted)| word == wanted)
}

fn server(part: &[String]) -> Option<BackgroundCommand> {
    let has = |wanted: &[&str]| part.iter().any(|word| wanted.contains(&word.as_str()));
    let value = |flag: &str| part.iter().skip_while(|word| *word != flag).nth(1);
    match (part.first()?.as_str(), part.get(1).map(String::as_str)) {
        ("nats-server", _) if !has(&["-t", "-v", "--version", "--help", "--signal"]) => {
            Some(BackgroundCommand { says: "Server is ready", place: Some("nats".to_owned()) })
        }
        ("agon", Some("serve")) if !has(&["--help"]) => {
            let opens = value("--roles").is_none_or(|roles| roles.contains("gateway"));
            Some(BackgroundCommand { says: "is up: ", place: opens.then(|| "gateway".to_owned()) })
        }
        ("agon", Some("ui")) if !has(&["--help"]) => {
            Some(BackgroundCommand { says: "Open http://", place: Some("ui".to_owned()) })
        }
        ("agon", Some("rehearsal")) if !has(&["--help"]) => {
            Some(BackgroundCommand { says: "http://", place: value("--listen").cloned() })
        }
        _ => None,
    }
}

fn holds_debate(part: &[String]) -> bool {
    ["agon run", "agon resume", "agon submit", "agon watch", "agon replay"].iter().any(|command| starts(part, command))
}
