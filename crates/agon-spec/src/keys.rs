//! The table of keys. Parser, defaults, normal form, schema, suggestions and reference page all follow from it: a row says how a value
//! is written, where it stands in the spec, and when a debate reads it.

mod debate;
mod decision;
mod eval;
mod moderator;
mod parts;
mod persona;

pub(crate) use debate::DEBATE;
pub(crate) use decision::{JUDGE, VOTING};
pub(crate) use eval::EVAL;
pub(crate) use moderator::MODERATOR;
pub(crate) use parts::{ANSWER, BUDGET, GATE, PHASES, SHOWN, SUMMARIZER, SYNTHESIZER, TOOLS, VISIBLE};
pub(crate) use persona::PERSONA;

use crate::slot::{KeySlot, SpecField};
pub(crate) use agon_core::Choice;
use agon_core::DebateSpec;
use serde_json::Value;

/// The keys of one mapping of the debate file.
#[derive(Debug)]
pub(crate) struct KeyTable {
    /// What the mapping is called in the reference.
    pub title: &'static str,
    /// One sentence for the reference.
    pub about: &'static str,
    pub keys: &'static [Key],
    /// Names that people write here, and what they are to write instead.
    pub elsewhere: &'static [(&'static str, &'static str)],
}
impl KeyTable {
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name || key.aliases.contains(&name))
    }
    /// What to write instead of a name that belongs elsewhere.
    pub fn instead(&self, name: &str) -> Option<&'static str> {
        self.elsewhere.iter().find(|(key, _)| *key == name).map(|(_, instead)| *instead)
    }
    /// The keys in the order of the normal form.
    pub fn in_normal_order(&self) -> Vec<&'static Key> {
        let (moved, mut keys): (Vec<&Key>, Vec<&Key>) = self.keys.iter().partition(|key| key.after.is_some());
        for key in moved {
            let at = keys.iter().position(|other| Some(other.name) == key.after).map_or(keys.len(), |at| at + 1);
            keys.insert(at, key);
        }
        keys
    }
    /// Every name that may be written.
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.keys.iter().flat_map(|key| std::iter::once(key.name).chain(key.aliases.iter().copied()))
    }
}

/// One key.
#[derive(Debug)]
pub(crate) struct Key {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub shape: Shape,
    /// Whether the mapping is refused without it.
    pub required: bool,
    /// The default as the reference says it; empty where absence means absence.
    pub default: &'static str,
    pub meaning: &'static str,
    /// The first version that has it.
    pub since: &'static str,
    /// The key that says the same in another way, so that only one of them may stand.
    pub instead_of: Option<&'static str>,
    /// Where the value stands in the spec.
    pub slot: KeySlot,
    /// When the debate reads it; always where there is none.
    pub need: Option<Need>,
    /// Whether the normal form leaves out the usual value.
    pub quiet: bool,
    /// The key that it follows in the normal form, where that is not the order of the table.
    pub after: Option<&'static str>,
}

/// When a debate reads a key. Elsewhere the key may not stand in the file, and the normal form leaves it out.
#[derive(Debug)]
pub(crate) struct Need {
    /// What the key needs, in the words of the file.
    pub words: &'static str,
    /// The keys whose value says whether this one is read.
    pub by: &'static [&'static str],
    /// Whether the debate reads it.
    pub holds: fn(&DebateSpec) -> bool,
}

pub(crate) const fn key(name: &'static str, shape: Shape, default: &'static str, meaning: &'static str) -> Key {
    Key {
        name,
        aliases: &[],
        shape,
        required: false,
        default,
        meaning,
        since: "0.1",
        instead_of: None,
        slot: KeySlot::File,
        need: None,
        quiet: false,
        after: None,
    }
}
impl Key {
    pub const fn or(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }
    pub const fn since(self, version: &'static str) -> Self {
        Self { since: version, ..self }
    }
    pub const fn required(self) -> Self {
        Self { required: true, ..self }
    }
    pub const fn instead_of(self, other: &'static str) -> Self {
        Self { instead_of: Some(other), ..self }
    }
    pub const fn at(self, slot: KeySlot) -> Self {
        Self { slot, ..self }
    }
    /// A key of the whole debate that is read otherwise than by its value alone.
    pub const fn written(self, write: fn(&DebateSpec, &DebateSpec) -> Option<Value>) -> Self {
        self.at(KeySlot::DebateSpec(SpecField { read: |_, _| {}, write }))
    }
    pub const fn needs(self, words: &'static str, by: &'static [&'static str], holds: fn(&DebateSpec) -> bool) -> Self {
        Self { need: Some(Need { words, by, holds }), ..self }
    }
    pub const fn quiet(self) -> Self {
        Self { quiet: true, ..self }
    }
    pub const fn after(self, other: &'static str) -> Self {
        Self { after: Some(other), ..self }
    }
}

/// The key at a path such as `max_rounds` or `voting.rule`.
pub(crate) fn at(path: &str) -> Option<&'static Key> {
    let Some((block, name)) = path.split_once('.') else { return DEBATE.key(path) };
    match &DEBATE.key(block)?.shape {
        Shape::Map(table) | Shape::Switch(table) | Shape::Short(_, table) => table.key(name),
        _ => None,
    }
}

/// The keys that a debate reads only sometimes, with their paths.
pub(crate) fn conditional() -> Vec<(String, &'static Need)> {
    let blocks = DEBATE.keys.iter().filter_map(|key| match &key.shape {
        Shape::Map(table) | Shape::Switch(table) | Shape::Short(_, table) => Some((format!("{}.", key.name), *table)),
        _ => None,
    });
    let tables = std::iter::once((String::new(), &DEBATE)).chain(blocks);
    let keys =
        tables.flat_map(|(block, table)| table.keys.iter().map(move |key| (format!("{block}{}", key.name), key)));
    keys.filter_map(|(path, key)| Some((path, key.need.as_ref()?))).collect()
}

/// Names of tools.
pub(crate) const TOOL_NAMES: Shape = Shape::Names { of: "tools", max: usize::MAX };

/// What a value may be.
#[derive(Debug)]
pub(crate) enum Shape {
    /// Text with something in it.
    Text,
    /// Text of one line: a name, a model.
    Line,
    /// Text that may hold `{{variables}}`.
    Template,
    /// A CEL expression.
    Expression,
    /// `true` or `false`.
    Flag,
    Integer {
        min: i128,
        max: i128,
    },
    Number {
        min: f64,
        max: f64,
    },
    /// `90s`, `2m`, or a number of seconds.
    Duration,
    /// A number of 0 or more, or a share such as `2 %`.
    Tolerance,
    /// One of these names.
    Choice(&'static [Choice]),
    /// A list of such names, none twice.
    Choices {
        of: &'static [Choice],
        min: usize,
    },
    /// A list of one-line texts.
    Lines,
    /// A program and its arguments.
    Program,
    /// A list of names that settings give to these.
    Names {
        of: &'static str,
        max: usize,
    },
    /// A JSON Schema.
    Schema,
    /// A gate's rule.
    GateRule,
    /// A mapping from names to texts.
    Labels,
    /// A list of mappings.
    List {
        of: &'static KeyTable,
        min: usize,
        max: usize,
    },
    /// A mapping.
    Map(&'static KeyTable),
    /// `true`, `false`, or a mapping.
    Switch(&'static KeyTable),
    /// One of these names, or a mapping, of which the name is the first key.
    Short(&'static [Choice], &'static KeyTable),
    /// A mapping of keys of another file, which is checked where they are used.
    Keys,
    /// The first of these that fits the value's type.
    Either(&'static [Shape]),
}

pub(crate) const fn choice(name: &'static str, meaning: &'static str) -> Choice {
    Choice { name, meaning }
}

/// The names that may be written.
pub(crate) fn names(choices: &[Choice]) -> Vec<&'static str> {
    choices.iter().map(|choice| choice.name).collect()
}

impl Shape {
    /// Most texts of a program with its arguments.
    pub const MOST_PROGRAM_WORDS: usize = 100;
    /// What a user is told that the value must be.
    pub fn describe(&self) -> String {
        match self {
            Self::Text | Self::Line => "text".to_owned(),
            Self::Template => "text".to_owned(),
            Self::Expression => "a CEL expression, as text".to_owned(),
            Self::Flag => "true or false".to_owned(),
            Self::Integer { min, max } => whole_number(*min, *max),
            Self::Number { min, max } => format!("a number from {min} to {max}"),
            Self::Duration => "a duration such as 90s or 2m, or a number of seconds".to_owned(),
            Self::Tolerance => "a number of 0 or more, or a share such as `2 %`".to_owned(),
            Self::Choice(choices) => format!("one of {}", names(choices).join(", ")),
            Self::Choices { of, .. } => format!("a list of {}", names(of).join(", ")),
            Self::Lines => "a list of texts".to_owned(),
            Self::Program => "a list of a program and its arguments, each a text".to_owned(),
            Self::Names { of, max: usize::MAX } => format!("a list of names of {of}"),
            Self::Names { of, max } => format!("a list of names of {of}, {max} at most"),
            Self::Schema => "a JSON Schema, as a mapping".to_owned(),
            Self::GateRule => "a gate's rule, as a mapping".to_owned(),
            Self::Keys => "a mapping of keys".to_owned(),
            Self::Labels => "a mapping from names to texts".to_owned(),
            Self::List { of, min, max } => format!("a list of {min} to {max} {}", of.title),
            Self::Map(_) => "a mapping".to_owned(),
            Self::Switch(_) => "true, false or a mapping".to_owned(),
            Self::Short(choices, _) => format!("one of {}, or a mapping", names(choices).join(", ")),
            Self::Either(shapes) => shapes.iter().map(Self::describe).collect::<Vec<_>>().join(", or "),
        }
    }
}

fn whole_number(min: i128, max: i128) -> String {
    match (min == i128::from(i64::MIN), max >= i128::from(u32::MAX)) {
        (true, _) => "a whole number".to_owned(),
        (false, false) if max == min + 1 => format!("{min} or {max}"),
        (false, true) => format!("a whole number, {min} or more"),
        (false, false) => format!("a whole number from {min} to {max}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every_table() -> Vec<&'static KeyTable> {
        let mut tables: Vec<&'static KeyTable> = vec![&DEBATE, &EVAL];
        let mut at = 0;
        while at < tables.len() {
            for key in tables[at].keys {
                match &key.shape {
                    Shape::Map(table)
                    | Shape::Switch(table)
                    | Shape::Short(_, table)
                    | Shape::List { of: table, .. } => {
                        tables.push(table);
                    }
                    _ => {}
                }
            }
            at += 1;
        }
        tables
    }

    #[test]
    fn no_name_means_two_things_in_one_mapping() {
        for table in every_table() {
            let mut names: Vec<_> = table.names().chain(table.elsewhere.iter().map(|(name, _)| *name)).collect();
            names.sort_unstable();
            let count = names.len();
            names.dedup();
            assert_eq!(names.len(), count, "{}", table.title);
        }
    }

    #[test]
    fn what_is_read_only_sometimes_is_not_read_by_a_plain_debate_and_depends_on_keys() {
        let source = crate::Source::new("a.yaml", "topic: t\nmodel: m\nmoderator: {type: judge}\n");
        let spec = crate::parse(&source, &crate::Defaults::default()).spec.unwrap();
        for (path, need) in conditional() {
            let read = ["allow_shared_stance", "confidence", "judge.orders", "judge.panel", "voting.self_votes"]
                .contains(&path.as_str());
            assert_eq!((need.holds)(&spec), read, "{path}");
            assert!(need.by.iter().all(|key| at(key).is_some()), "{path}");
        }
    }

    #[test]
    fn every_value_says_what_it_means() {
        for key in every_table().iter().flat_map(|table| table.keys) {
            if let Shape::Choice(choices) | Shape::Choices { of: choices, .. } = &key.shape {
                assert!(choices.iter().all(|choice| !choice.meaning.is_empty()), "{}", key.name);
            }
        }
    }

    #[test]
    fn every_key_says_what_it_means() {
        for table in every_table() {
            assert!(table.keys.iter().all(|key| key.meaning.ends_with('.')), "{}", table.title);
        }
    }
}
