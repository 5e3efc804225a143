//! The table of keys. Parser, schema, suggestions and reference page all follow from it.

mod choices;
mod debate;
mod decision;
mod moderator;
mod parts;
mod persona;

pub(crate) use debate::DEBATE;

/// The keys of one mapping of the debate file.
#[derive(Debug)]
pub(crate) struct Table {
    /// What the mapping is called in the reference.
    pub title: &'static str,
    /// One sentence for the reference.
    pub about: &'static str,
    pub keys: &'static [Key],
    /// Names that people write here, and what they are to write instead.
    pub elsewhere: &'static [(&'static str, &'static str)],
}
impl Table {
    pub fn key(&self, name: &str) -> Option<&'static Key> {
        self.keys.iter().find(|key| key.name == name || key.aliases.contains(&name))
    }
    /// What to write instead of a name that belongs elsewhere.
    pub fn instead(&self, name: &str) -> Option<&'static str> {
        self.elsewhere.iter().find(|(key, _)| *key == name).map(|(_, instead)| *instead)
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
}

pub(crate) const fn key(name: &'static str, shape: Shape, default: &'static str, meaning: &'static str) -> Key {
    Key { name, aliases: &[], shape, required: false, default, meaning, since: "0.1", instead_of: None }
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
    /// One of these names.
    Choice(&'static [Choice]),
    /// A list of such names, none twice.
    Choices {
        of: &'static [Choice],
        min: usize,
    },
    /// A list of one-line texts.
    Lines,
    /// A list of names that settings give to these.
    Names {
        of: &'static str,
        max: usize,
    },
    /// A JSON Schema.
    Schema,
    /// A mapping from names to texts.
    Labels,
    /// A list of mappings.
    List {
        of: &'static Table,
        min: usize,
        max: usize,
    },
    /// A mapping.
    Map(&'static Table),
    /// `true`, `false`, or a mapping.
    Switch(&'static Table),
    /// The first of these that fits the value's type.
    Either(&'static [Shape]),
}

/// One value of an enumeration.
#[derive(Debug)]
pub(crate) struct Choice {
    pub name: &'static str,
    pub meaning: &'static str,
}

pub(crate) const fn choice(name: &'static str, meaning: &'static str) -> Choice {
    Choice { name, meaning }
}

/// The names that may be written.
pub(crate) fn names(choices: &[Choice]) -> Vec<&'static str> {
    choices.iter().map(|choice| choice.name).collect()
}

impl Shape {
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
            Self::Choice(choices) => format!("one of {}", names(choices).join(", ")),
            Self::Choices { of, .. } => format!("a list of {}", names(of).join(", ")),
            Self::Lines => "a list of texts".to_owned(),
            Self::Names { of, max: usize::MAX } => format!("a list of names of {of}"),
            Self::Names { of, max } => format!("a list of names of {of}, {max} at most"),
            Self::Schema => "a JSON Schema, as a mapping".to_owned(),
            Self::Labels => "a mapping from names to texts".to_owned(),
            Self::List { of, min, max } => format!("a list of {min} to {max} {}", of.title),
            Self::Map(_) => "a mapping".to_owned(),
            Self::Switch(_) => "true, false or a mapping".to_owned(),
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

    fn every_table() -> Vec<&'static Table> {
        let mut tables: Vec<&'static Table> = vec![&DEBATE];
        let mut at = 0;
        while at < tables.len() {
            for key in tables[at].keys {
                match &key.shape {
                    Shape::Map(table) | Shape::Switch(table) | Shape::List { of: table, .. } => tables.push(table),
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
    fn every_key_says_what_it_means() {
        for table in every_table() {
            assert!(table.keys.iter().all(|key| key.meaning.ends_with('.')), "{}", table.title);
        }
    }
}
