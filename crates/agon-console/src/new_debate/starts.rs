//! Debate files to begin with: the templates of `agon new`, and examples.

/// The question of a template that has none of its own.
const TOPIC: &str = "Should we do it?";

/// A file to begin with.
#[derive(Debug)]
pub(super) struct StartFile {
    /// What addresses call it.
    pub name: &'static str,
    /// Its file, which gives its syntax.
    file: &'static str,
    pub about: &'static str,
    text: &'static str,
    pub kind: StartKind,
}

/// Where a file comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StartKind {
    /// To be filled in.
    Template,
    /// Whole.
    Example,
    /// Whole, one of each format.
    Format,
}

impl StartKind {
    /// All kinds, each with its title.
    pub const ALL: [(Self, &'static str); 3] =
        [(Self::Template, "To fill in"), (Self::Example, "Examples"), (Self::Format, "One for each format")];

    /// The files of a kind.
    pub fn starts(self) -> impl Iterator<Item = &'static StartFile> {
        ALL.iter().filter(move |start| start.kind == self)
    }
}

impl StartFile {
    pub fn file_name(&self) -> &'static str {
        self.file
    }
    pub fn text(&self) -> String {
        self.text.replace("{topic}", TOPIC)
    }
}

macro_rules! starts {
    ($($kind:ident $name:literal $ending:literal $about:literal,)*) => {
        /// All of them, templates first.
        pub(super) const ALL: &[StartFile] = &[$(StartFile {
            name: $name,
            file: concat!($name, $ending),
            about: $about,
            text: include_str!(concat!("../../starts/", $name, $ending)),
            kind: StartKind::$kind,
        },)*];
    };
}

starts! {
    Template "pro-con" ".md" "two sides, and a judge that reads the debate in both orders",
    Template "panel" ".md" "experts without assigned stances, who vote",
    Template "decision" ".md" "options against each other, with a moderator and a token budget",
    Example "city-diesel-ban" ".md" "a policy: tones of speech, a moderator that sums up",
    Example "monolith-or-services" ".md" "an architecture: a moderator calls the speakers, an expression ends the rounds",
    Example "where-to-build-the-plant" ".yaml" "a three-way trade-off, decided by the debaters' vote",
    Example "how-many-nines" ".json" "a service level: four voices, own answers, written as JSON",
    Example "if-contested" ".yaml" "debated only if the first ballots differ",
    Format "round_robin" ".md" "every debater once a round",
    Format "socratic" ".md" "one asks, the others answer",
    Format "bp_style" ".md" "British Parliamentary: four teams, eight speeches",
    Format "fishbowl" ".md" "an inner circle speaks, the others listen",
    Format "chain_of_thought" ".md" "speeches in numbered steps",
    Format "open_fight" ".md" "no order: all bid for the floor",
    Format "critique_revision" ".md" "proposals, critiques, revisions",
    Format "poll" ".yaml" "nine independent answers, and the one that most of them give",
}
