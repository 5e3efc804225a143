//! What a document tells its readers to type.
use crate::support::root;
use std::path::PathBuf;

/// Where documents are; those of `docs/adr` tell history.
const FOLDERS: [&str; 5] = ["docs", "examples", "deploy", "helm", "crates"];
const HISTORY: &str = "docs/adr";
/// The fence of what is typed.
const TYPED: &str = "sh";
/// Other names of the same, which would hide commands from the tests.
const OTHER_NAMES: [&str; 5] = ["bash", "shell", "console", "shell-session", "zsh"];
/// How a command says that it ends with another code than 0.
const EXITS: &str = "# exits ";

/// A command of a document, over as many lines as it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Typed {
    pub line: usize,
    pub text: String,
    /// The code that its comment promises.
    pub exits: Option<i32>,
}

/// A fenced block with the number of its first line.
#[derive(Debug)]
pub struct CodeBlock {
    pub fence: String,
    pub line: usize,
    pub lines: Vec<String>,
}

/// All documents, by their paths from the root.
pub fn documents() -> Vec<String> {
    let mut open: Vec<PathBuf> = FOLDERS.iter().map(|folder| root().join(folder)).collect();
    let mut found = vec!["README.md".to_owned(), "CONTRIBUTING.md".to_owned(), "ARCHITECTURE.md".to_owned()];
    while let Some(folder) = open.pop() {
        // a folder of the list may not be there
        for entry in std::fs::read_dir(&folder).into_iter().flatten().map(Result::unwrap) {
            let name = entry.path().strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
            if entry.file_type().unwrap().is_dir() {
                open.push(entry.path());
            } else if is_document(&name) {
                found.push(name);
            }
        }
    }
    found.sort();
    found
}

/// Markdown that people read: crates hold some that only tests do.
fn is_document(name: &str) -> bool {
    name.ends_with(".md")
        && !name.starts_with(HISTORY)
        && (!name.starts_with("crates/") || name.ends_with("/README.md"))
}

/// The text of a document.
pub fn text(document: &str) -> String {
    std::fs::read_to_string(root().join(document)).unwrap()
}

/// The commands of a text, in order.
pub fn commands(text: &str) -> Vec<Typed> {
    blocks(text).iter().filter(|block| block.fence == TYPED).flat_map(of_block).collect()
}

/// Blocks that hold commands, but do not say so: nobody would try them.
pub fn hidden(text: &str) -> Vec<usize> {
    let hides =
        |block: &&CodeBlock| OTHER_NAMES.contains(&block.fence.as_str()) || block.fence.is_empty() && types(block);
    blocks(text).iter().filter(hides).map(|block| block.line).collect()
}

/// Whether a block looks like something to type.
fn types(block: &CodeBlock) -> bool {
    const BEGINNINGS: [&str; 10] =
        ["agon ", "cargo ", "docker ", "helm ", "kubectl ", "nats ", "nats-server", "export ", "AGON_", "$ "];
    block.lines.iter().any(|line| BEGINNINGS.iter().any(|beginning| line.starts_with(beginning)))
}

/// The fenced blocks; a fence of more backticks may hold others.
pub fn blocks(text: &str) -> Vec<CodeBlock> {
    let mut found = Vec::new();
    let mut open: Option<(usize, CodeBlock)> = None;
    for (index, line) in text.lines().enumerate() {
        let ticks = line.trim_start().chars().take_while(|c| *c == '`').count();
        match &mut open {
            None if ticks >= 3 => {
                let fence = line.trim().trim_start_matches('`').to_owned();
                open = Some((ticks, CodeBlock { fence, line: index + 2, lines: Vec::new() }));
            }
            None => {}
            Some((ticks_of_open, _)) if ticks >= *ticks_of_open && line.trim().trim_matches('`').is_empty() => {
                found.extend(open.take().map(|(_, block)| block));
            }
            Some((_, block)) => block.lines.push(line.to_owned()),
        }
    }
    assert!(open.is_none(), "a fence is not closed: {open:?}");
    found
}

fn of_block(block: &CodeBlock) -> Vec<Typed> {
    let mut commands: Vec<Typed> = Vec::new();
    let mut whole = true;
    for (index, line) in block.lines.iter().enumerate() {
        match commands.last_mut().filter(|_| !whole) {
            Some(command) => {
                command.text.push('\n');
                command.text.push_str(line);
            }
            None if line.trim().is_empty() || line.trim_start().starts_with('#') => continue,
            None => commands.push(Typed { line: block.line + index, text: line.trim().to_owned(), exits: None }),
        }
        whole = commands.last().is_none_or(|command| is_whole(&command.text));
    }
    assert!(whole, "the block of line {} ends within a command", block.line);
    for command in &mut commands {
        let code =
            command.text.rsplit_once(EXITS).and_then(|(_, rest)| rest.split(|c: char| !c.is_ascii_digit()).next());
        command.exits = code.and_then(|code| code.parse().ok());
    }
    commands
}

/// Whether a command ends here: its quotes are closed, its loops and texts are over, and no line break is taken back.
fn is_whole(text: &str) -> bool {
    let last = text.lines().last().unwrap_or_default();
    let first = text.split_whitespace().next().unwrap_or_default();
    let ends_with = |word: &str| last.split(['#', ';']).any(|part| part.split_whitespace().next() == Some(word));
    if let Some((_, mark)) = text.lines().next().and_then(|line| line.split_once("<<")) {
        let mark = mark.trim_start_matches('-').split_whitespace().next().unwrap_or_default();
        return text.contains('\n') && last.trim() == mark.trim_matches(['\'', '"']);
    }
    let quotes_closed = quoted(text).1;
    match first {
        "for" | "while" | "until" => ends_with("done"),
        "if" => ends_with("fi"),
        _ => quotes_closed && !last.ends_with('\\') && !last.trim_end().ends_with(['|', '&']) || last.ends_with(" &"),
    }
}

/// The text with all that stands in quotes or comments blanked out, and whether the last quote is closed.
pub fn quoted(text: &str) -> (String, bool) {
    let mut open: Option<char> = None;
    let mut comment = false;
    let mut before = ' ';
    let blanked = text.chars().map(|c| {
        comment = comment && c != '\n';
        let starts = open.is_none() && !comment;
        let kept = match (c, open) {
            ('#', None) if before.is_whitespace() && starts => {
                comment = true;
                ' '
            }
            ('\'' | '"', None) if starts && before != '\\' => {
                open = Some(c);
                '_'
            }
            (_, Some(quote)) => {
                if c == quote && !(quote == '"' && before == '\\') {
                    open = None;
                }
                '_'
            }
            _ if comment => ' ',
            _ => c,
        };
        before = c;
        kept
    });
    let blanked: String = blanked.collect();
    (blanked, open.is_none())
}
