//! What the cast can say, read from the files in `prose/`: banks of lines, each below a head of its name, and the lines of thought.
//!
//! Slots: `{a}` my side, `{b}` the other side, `{t}` the matter, `{opp}` who is answered, `{quote}` its words, `{fact}` a line of the
//! context, `{thesis}` my claim as a clause, `{angle}` what the moderator asked, `{asked}` a question word for word, `{bench}` and
//! `{office}` of a bench, `{found}` words of a tool's result, `{lens}` a line of thought. Side slots stand only where a noun or a
//! gerund of either number fits ("the case for {a}"), so that any stance reads well.

use std::sync::LazyLock;

use crate::words::sentences;

/// Lines of one kind.
pub type Bank = &'static [&'static str];

/// What is said around the arguments: nobody quotes it if there is anything better.
static AROUND: LazyLock<Banks> = LazyLock::new(|| read(include_str!("../../prose/around.txt")));
/// What is said in single turns.
static TURNS: LazyLock<Banks> = LazyLock::new(|| read(include_str!("../../prose/turns.txt")));

/// Sentences with slots of their own, one to a bank.
static SENTENCES: LazyLock<Banks> = LazyLock::new(|| read(include_str!("../../prose/sentences.txt")));

type Banks = Vec<(&'static str, Vec<&'static str>)>;

/// One line of thought: how it argues, how it answers, how it sums up.
pub struct Lens {
    /// What it is about, as a topic a moderator may set.
    pub name: &'static str,
    /// Two ways to put it as an argument.
    pub claims: [&'static str; 2],
    /// How it answers somebody else's point.
    pub rebuttal: &'static str,
    /// A clause that sums it up.
    pub gist: &'static str,
}

/// The lines of thought.
pub static LENSES: LazyLock<Vec<Lens>> = LazyLock::new(|| {
    let lens = |(name, lines): (_, Vec<_>)| match *lines {
        [first, second, rebuttal, gist] => Some(Lens { name, claims: [first, second], rebuttal, gist }),
        _ => None,
    };
    read(include_str!("../../prose/lenses.txt")).into_iter().filter_map(lens).collect()
});

/// The sections of a file: a head `# name`, or `# name: what it is`, and its lines.
fn read(text: &'static str) -> Banks {
    let mut banks = Banks::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        match (line.strip_prefix("# "), banks.last_mut()) {
            (Some(head), _) => banks.push((head.split_once(':').map_or(head, |(name, _)| name), Vec::new())),
            (None, Some((_, lines))) => lines.push(line),
            (None, None) => {}
        }
    }
    banks
}

/// The bank of a name.
pub fn bank(name: &str) -> Bank {
    let found = AROUND.iter().chain(TURNS.iter()).chain(SENTENCES.iter()).find(|(known, _)| *known == name);
    debug_assert!(found.is_some(), "no bank {name}");
    found.map(|(_, lines)| lines.as_slice()).unwrap_or_default()
}

/// The one line of a bank that has one.
pub fn only(name: &str) -> &'static str {
    bank(name).first().copied().unwrap_or_default()
}

/// The sentence of a name, its slots filled with these words.
pub fn told(name: &str, words: &[(&str, &str)]) -> String {
    let fill = |(at, part)| {
        let slot = words.iter().find(|(slot, _)| at % 2 == 1 && *slot == part);
        slot.map_or(part, |(_, word)| *word)
    };
    only(name).split(['{', '}']).enumerate().map(fill).collect()
}

/// What a persuader says; whoever votes or judges recognises it.
pub fn persuasion() -> &'static str {
    only("persuasion")
}

/// Positions for those who were given none: the claim as a clause, and what to call it.
pub fn positions() -> Vec<(&'static str, &'static str)> {
    bank("positions").iter().filter_map(|line| line.split_once(" | ")).collect()
}

/// Whether a sentence is small talk, or a rebuttal, which means little without what it answers.
pub fn is_small_talk(sentence: &str) -> bool {
    static PARTS: LazyLock<Vec<&str>> = LazyLock::new(|| {
        let lines = AROUND.iter().flat_map(|(_, lines)| lines).copied().chain(LENSES.iter().map(|lens| lens.rebuttal));
        let parts = lines.flat_map(sentences).filter_map(fixed_part);
        parts.filter(|part| part.len() > 5).collect()
    });
    PARTS.iter().any(|part| sentence.contains(part))
}

/// The longest stretch of a line between its slots.
pub fn fixed_part(line: &str) -> Option<&str> {
    line.split(['{', '}']).step_by(2).map(str::trim).max_by_key(|part| part.len())
}
