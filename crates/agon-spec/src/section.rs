//! A mapping whose shape was checked: its fields by name, each with its place.
use crate::keys::Key;
use crate::place::Span;
use std::collections::BTreeMap;

#[derive(Debug, Default)]
pub(crate) struct Section {
    /// The mapping's field path, such as `personas[1]`.
    pub path: String,
    pub span: Span,
    pub fields: Vec<Field>,
}

#[derive(Debug)]
pub(crate) struct Field {
    pub key: &'static Key,
    /// The name as written, which may be an alias.
    pub written: String,
    pub path: String,
    pub key_span: Span,
    pub span: Span,
    pub value: CheckedValue,
}

/// A value of the right shape.
#[derive(Debug)]
pub(crate) enum CheckedValue {
    /// Of the wrong shape, and reported.
    Bad,
    Text(String),
    Flag(bool),
    Integer(i128),
    Number(f64),
    Millis(u64),
    Tolerance(agon_core::Tolerance),
    Choice(&'static str),
    Choices(Vec<&'static str>),
    Lines(Vec<(String, Span)>),
    Labels(BTreeMap<String, String>),
    List(Vec<Section>),
    Section(Section),
    /// Plain data.
    Data(serde_json::Value),
}

impl CheckedValue {
    /// The mappings in it.
    pub fn sections(&self) -> &[Section] {
        match self {
            Self::Section(section) => std::slice::from_ref(section),
            Self::List(sections) => sections,
            _ => &[],
        }
    }
    /// The same, to be changed.
    pub fn sections_mut(&mut self) -> &mut [Section] {
        match self {
            Self::Section(section) => std::slice::from_mut(section),
            Self::List(sections) => sections,
            _ => &mut [],
        }
    }
}

impl Section {
    pub fn get(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| field.key.name == name)
    }
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }
    pub fn text(&self, name: &str) -> Option<&str> {
        match &self.get(name)?.value {
            CheckedValue::Text(text) => Some(text),
            _ => None,
        }
    }
    pub fn flag(&self, name: &str) -> Option<bool> {
        match self.get(name)?.value {
            CheckedValue::Flag(flag) => Some(flag),
            _ => None,
        }
    }
    pub fn integer<T: TryFrom<i128>>(&self, name: &str) -> Option<T> {
        match self.get(name)?.value {
            CheckedValue::Integer(number) => number.try_into().ok(),
            _ => None,
        }
    }
    /// The name that was chosen.
    pub fn chosen(&self, name: &str) -> Option<&'static str> {
        match self.get(name)?.value {
            CheckedValue::Choice(choice) => Some(choice),
            _ => None,
        }
    }
    pub fn lines(&self, name: &str) -> &[(String, Span)] {
        match self.get(name).map(|field| &field.value) {
            Some(CheckedValue::Lines(lines)) => lines,
            _ => &[],
        }
    }
    pub fn list(&self, name: &str) -> Option<&[Section]> {
        match &self.get(name)?.value {
            CheckedValue::List(sections) => Some(sections),
            _ => None,
        }
    }
    pub fn section(&self, name: &str) -> Option<&Section> {
        match &self.get(name)?.value {
            CheckedValue::Section(section) => Some(section),
            _ => None,
        }
    }
    /// The field's value span, else the mapping's own.
    pub fn span_of(&self, name: &str) -> Span {
        self.get(name).map_or(self.span, |field| field.span)
    }
    pub fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }
}
