//! What the members of a question are called.
use agon_spec::nearest;
use agon_spec::reading::{FileNode, MapEntry, Span, Value};

/// A member of a question: what it is called here, and what else it is read as.
pub(super) struct MemberNames {
    pub name: &'static str,
    pub also: &'static [&'static str],
}

const fn member(name: &'static str, also: &'static [&'static str]) -> MemberNames {
    MemberNames { name, also }
}

pub(super) const ID: MemberNames = member("id", &["question_id"]);
pub(super) const QUESTION: MemberNames =
    member("question", &["question.stem", "input", "prompt", "problem", "query", "topic"]);
pub(super) const OPTIONS: MemberNames = member("options", &["choices", "question.choices"]);
pub(super) const ANSWER: MemberNames = member("answer", &["target", "ideal", "answerKey", "expected", "label"]);
pub(super) const KIND: MemberNames = member("kind", &[]);
pub(super) const TOLERANCE: MemberNames = member("tolerance", &[]);
pub(super) const RUBRIC: MemberNames = member("rubric", &[]);
pub(super) const CONTEXT: MemberNames = member("context", &["passage"]);
pub(super) const CATEGORY: MemberNames = member("category", &["subject", "metadata.category"]);
pub(super) const GROUP: MemberNames = member("group", &["passage_id"]);

/// All members, in the order of the reference.
pub(super) const MEMBERS: [&MemberNames; 10] =
    [&ID, &QUESTION, &OPTIONS, &ANSWER, &KIND, &TOLERANCE, &RUBRIC, &CONTEXT, &CATEGORY, &GROUP];

impl MemberNames {
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.also.iter().copied())
    }
}

/// Whether a question may be called so, in capitals or small letters.
pub(super) fn is_question(name: &str) -> bool {
    QUESTION.names().any(|known| known.eq_ignore_ascii_case(name.trim()))
}

/// The member that a misspelt name most likely means.
pub(super) fn meant(written: &str) -> Option<&'static str> {
    // short names are near to too many others
    const LEAST: usize = 4;
    let names = MEMBERS.iter().flat_map(|member| member.names()).filter(|name| !name.contains('.'));
    nearest(written, names).filter(|name| written.len() >= LEAST && name.len() >= LEAST && slips(written, name))
}

/// Whether no more than two letters differ in number: `anwser` is `answer`, `answer_explanation` is something else.
fn slips(written: &str, name: &str) -> bool {
    written.chars().count().abs_diff(name.chars().count()) <= 2
}

/// A member that a row has.
#[derive(Clone, Copy)]
pub(super) struct FoundMember<'a> {
    /// As it is called in the file.
    pub path: &'a str,
    pub key_span: Span,
    pub node: &'a FileNode,
}

/// The value at a path; a key that is itself called so, as in a table's header, goes before.
pub(super) fn at<'a>(entries: &'a [MapEntry], path: &str) -> Option<&'a MapEntry> {
    called(entries, path).or_else(|| {
        let (first, rest) = path.split_once('.')?;
        let Value::Map(inner) = &called(entries, first)?.value.value else { return None };
        at(inner, rest)
    })
}

/// The entry with this key, else with the same one in capitals.
fn called<'a>(entries: &'a [MapEntry], key: &str) -> Option<&'a MapEntry> {
    let exact = entries.iter().find(|entry| entry.key == key);
    exact.or_else(|| entries.iter().find(|entry| entry.key.eq_ignore_ascii_case(key)))
}

/// What a row says under any of a member's names, the first name first; blanks are nothing.
pub(super) fn find<'a>(entries: &'a [MapEntry], member: &MemberNames) -> Vec<FoundMember<'a>> {
    let found = member.names().filter_map(|path| {
        let entry = at(entries, path)?;
        let path = if path.eq_ignore_ascii_case(&entry.key) { entry.key.as_str() } else { path };
        Some(FoundMember { path, key_span: entry.key_span, node: &entry.value })
    });
    found.filter(|found| !is_blank(found.node) && !is_deeper(entries, found)).collect()
}

/// `question: {stem, choices}` is found by its parts.
fn is_deeper(entries: &[MapEntry], found: &FoundMember<'_>) -> bool {
    matches!(found.node.value, Value::Map(_)) && at(entries, &format!("{}.stem", found.path)).is_some()
}

fn is_blank(node: &FileNode) -> bool {
    match &node.value {
        Value::Null => true,
        Value::Text(text) => text.trim().is_empty(),
        Value::List(items) => items.is_empty(),
        Value::Flag(_) | Value::Integer(_) | Value::Number(_) | Value::Map(_) => false,
    }
}

/// The text of a plain value.
pub(super) fn plain_text(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.trim().to_owned()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::Flag(flag) => Some(flag.to_string()),
        Value::Null | Value::List(_) | Value::Map(_) => None,
    }
}
