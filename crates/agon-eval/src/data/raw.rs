//! A row as texts with their places, before it is known what is right.
use super::members::{self, FoundMember, MemberNames, at, find, plain_text};
use super::{DataMapping, QuestionKind, chat, shapes};
use agon_spec::reading::{FileNode, MapEntry, Problems, Span, SpecFinding, Value, quote};
use agon_spec::{Code, nearest};

/// Characters of a question and of a context, at the most.
const MOST_QUESTION: usize = 50_000;
const MOST_CONTEXT: usize = 400_000;
/// Characters of an id, a category and a group, at the most.
const MOST_NAME: usize = 200;

/// A text and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Placed<T> {
    pub value: T,
    pub span: Span,
}

/// An option with the label that it has in the file, if it has one.
#[derive(Clone, Debug)]
pub(super) struct LabelledOption {
    pub label: Option<String>,
    pub text: String,
    pub span: Span,
}

/// What a row says.
#[derive(Debug)]
pub(super) struct QuestionRowText {
    /// Where a problem of the whole question is shown.
    pub span: Span,
    /// Whether something in it was reported, so that nothing more need be said of it.
    pub bad: bool,
    pub cells: bool,
    pub id: Option<String>,
    pub text: Option<String>,
    pub options: Vec<LabelledOption>,
    pub options_span: Span,
    pub answers: Vec<Placed<Value>>,
    pub answer_span: Span,
    pub kind: Option<QuestionKind>,
    pub tolerance: Option<Placed<Value>>,
    pub rubric: Option<FileNode>,
    pub context: Option<String>,
    pub category: Option<String>,
    pub group: Option<String>,
}

/// Reads the members of one row.
struct RowReader<'r, 'm, 'p, 'q> {
    entries: &'r [MapEntry],
    used: Vec<String>,
    bad: bool,
    mapping: &'m mut DataMapping,
    problems: &'p mut Problems<'q>,
}

impl QuestionRowText {
    pub fn read(row: &FileNode, entries: &[MapEntry], mapping: &mut DataMapping, problems: &mut Problems<'_>) -> Self {
        let place = shapes::first_place(row);
        let mut reader = RowReader { entries, used: Vec::new(), bad: false, mapping, problems };
        let id = reader.name(&members::ID);
        let text = reader.question(shapes::first_key(row));
        let context = reader.text(&members::CONTEXT, MOST_CONTEXT);
        let found = reader.take(&members::OPTIONS);
        let (options, options_span) = match found {
            Some(found) => (reader.options(found), found.key_span),
            None => (reader.columns(), place),
        };
        let answer = reader.take(&members::ANSWER);
        let answers = answer.map(|found| reader.answers(found)).unwrap_or_default();
        let kind = reader.take(&members::KIND).and_then(|found| reader.kind(found));
        let placed = |found: FoundMember<'_>| Placed { value: found.node.value.clone(), span: found.node.span };
        let tolerance = reader.take(&members::TOLERANCE).map(placed);
        let rubric = reader.take(&members::RUBRIC).map(|found| found.node.clone());
        let (category, group) = (reader.name(&members::CATEGORY), reader.name(&members::GROUP));
        reader.rest();
        let answer_span = answer.map_or(place, |found| found.node.span);
        let bad = reader.bad;
        Self {
            span: place,
            bad,
            cells: false,
            id,
            text,
            options,
            options_span,
            answers,
            answer_span,
            kind,
            tolerance,
            rubric,
            context,
            category,
            group,
        }
    }
}

impl<'r> RowReader<'r, '_, '_, '_> {
    fn error(&mut self, finding: SpecFinding) {
        self.bad = true;
        self.problems.error(finding);
    }
    fn wrong(&mut self, found: &FoundMember<'_>, expected: &str) {
        let message = format!("`{}` must be {expected}, found {}", found.path, found.node.value.describe());
        let span =
            if found.node.span.start.line > found.key_span.start.line { found.key_span } else { found.node.span };
        self.error(SpecFinding::new(Code::WrongType, span, message).field(found.path));
    }
    /// What the row says under the first of a member's names that it has.
    fn take(&mut self, member: &MemberNames) -> Option<FoundMember<'r>> {
        let found = *find(self.entries, member).first()?;
        self.used.push(found.path.to_owned());
        self.mapping.found(member.name, found.path);
        Some(found)
    }
    fn text(&mut self, member: &MemberNames, most: usize) -> Option<String> {
        let found = self.take(member)?;
        let Some(text) = plain_text(&found.node.value) else {
            self.wrong(&found, "text");
            return None;
        };
        self.within(&found, text, most)
    }
    fn within(&mut self, found: &FoundMember<'_>, text: String, most: usize) -> Option<String> {
        let length = text.chars().count();
        if length > most {
            let message = format!("`{}` has {length} characters; at most {most} are allowed", found.path);
            self.error(SpecFinding::new(Code::OutOfRange, found.node.span, message).field(found.path));
            return None;
        }
        if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
            let message = format!("`{}` has control characters", found.path);
            self.error(SpecFinding::new(Code::BadText, found.node.span, message).field(found.path));
            return None;
        }
        Some(text)
    }
    /// A short text of one line.
    fn name(&mut self, member: &MemberNames) -> Option<String> {
        let found = self.take(member)?;
        let Some(text) = plain_text(&found.node.value) else {
            self.wrong(&found, "text or a number");
            return None;
        };
        if text.chars().any(char::is_control) {
            let message = format!("`{}` must be one line without control characters", found.path);
            self.error(SpecFinding::new(Code::BadText, found.node.span, message).field(found.path));
            return None;
        }
        self.within(&found, text, MOST_NAME)
    }
    fn question(&mut self, span: Span) -> Option<String> {
        let Some(found) = self.take(&members::QUESTION) else {
            let finding = self.no_question(span);
            self.error(finding);
            return None;
        };
        if chat::is_chat(found.node) {
            return match chat::last_user_message(found.node) {
                Ok((text, others)) => {
                    if others > 0 && self.mapping.left_out(&format!("{}: all but the user's last message", found.path))
                    {
                        let message = "messages before the user's last one are not shown to anybody";
                        let finding = SpecFinding::new(Code::UnusedKey, found.key_span, message).field(found.path);
                        self.problems.warning(finding.help("put what everybody must read into `context`"));
                    }
                    self.within(&found, text, MOST_QUESTION)
                }
                Err((node, message)) => {
                    self.error(SpecFinding::new(Code::WrongType, node.span, message).field(found.path));
                    None
                }
            };
        }
        let Value::Text(text) = &found.node.value else {
            self.wrong(&found, "text, or a list of messages with `role` and `content`");
            return None;
        };
        self.within(&found, text.trim().to_owned(), MOST_QUESTION)
    }
    fn no_question(&self, span: Span) -> SpecFinding {
        let blank = members::QUESTION.names().find_map(|path| at(self.entries, path));
        if let Some(blank) = blank {
            let message = format!("`{}` is empty", blank.key);
            return SpecFinding::new(Code::Empty, blank.value.span, message).field("question");
        }
        let keys = self.entries.iter().map(|entry| entry.key.as_str());
        let near = keys.filter_map(|key| members::meant(key).map(|name| (key, name)));
        let near = near.into_iter().find(|(_, name)| members::is_question(name));
        let hint = near.map_or_else(String::new, |(key, name)| format!("; is {} meant as `{name}`?", quote(key)));
        let finding = SpecFinding::new(Code::MissingKey, span, format!("the question has no `question`{hint}"));
        let names: Vec<_> = members::QUESTION.names().collect();
        finding.field("question").help(format!("it is read from: {}", names.join(", ")))
    }
    fn kind(&mut self, found: FoundMember<'_>) -> Option<QuestionKind> {
        let Value::Text(text) = &found.node.value else {
            self.wrong(&found, "text");
            return None;
        };
        let kind = QuestionKind::from_name(text.trim());
        if kind.is_none() {
            let names: Vec<&str> = QuestionKind::ALL.iter().map(|kind| kind.as_str()).collect();
            let near = nearest(text, names.iter().copied());
            let hint = near.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
            let message = format!("{} is not a kind of question{hint}", quote(text));
            let finding = SpecFinding::new(Code::UnknownValue, found.node.span, message).field("kind");
            self.error(finding.help(format!("allowed: {}", names.join(", "))));
        }
        kind
    }
    /// One answer or several.
    fn answers(&mut self, found: FoundMember<'_>) -> Vec<Placed<Value>> {
        let nodes = match &found.node.value {
            Value::List(items) => items.as_slice(),
            _ => std::slice::from_ref(found.node),
        };
        let mut answers = Vec::new();
        for node in nodes {
            match &node.value {
                Value::Text(text) if text.trim().is_empty() => {
                    let message = format!("an answer in `{}` is empty", found.path);
                    self.error(SpecFinding::new(Code::Empty, node.span, message).field(found.path));
                }
                Value::Text(_) | Value::Integer(_) | Value::Number(_) | Value::Flag(_) => {
                    answers.push(Placed { value: node.value.clone(), span: node.span });
                }
                Value::Null | Value::List(_) | Value::Map(_) => {
                    self.wrong(&FoundMember { node, ..found }, "a text, a number, or a list of these");
                }
            }
        }
        answers
    }
    fn options(&mut self, found: FoundMember<'_>) -> Vec<LabelledOption> {
        let mut options = Vec::new();
        match &found.node.value {
            Value::List(items) => items.iter().for_each(|item| options.extend(self.option(&found, item))),
            Value::Map(entries) => match (at(entries, "text"), at(entries, "label")) {
                // as ARC and others keep them: a list of texts beside a list of labels
                (Some(MapEntry { value: texts, .. }), Some(MapEntry { value: labels, .. })) => {
                    options = self.pairs(&found, texts, labels);
                }
                _ => {
                    for entry in entries {
                        let option = self.option(&found, &entry.value);
                        options
                            .extend(option.map(|option| LabelledOption { label: Some(entry.key.clone()), ..option }));
                    }
                }
            },
            Value::Text(text) if text.trim_start().starts_with('[') => match list_in_a_text(text) {
                Some(texts) => {
                    let span = found.node.span;
                    options = texts.into_iter().map(|text| LabelledOption { label: None, text, span }).collect();
                }
                None => self.wrong(&found, "a list of texts; the cell begins with `[` but is no JSON list of texts"),
            },
            Value::Text(text) if text.contains('|') => {
                let span = found.node.span;
                let texts = text.split('|').map(|text| text.trim().to_owned());
                options = texts.map(|text| LabelledOption { label: None, text, span }).collect();
            }
            _ => self.wrong(&found, "a list of texts, a mapping from letters to texts, or texts parted by `|`"),
        }
        options
    }
    fn option(&mut self, found: &FoundMember<'_>, item: &FileNode) -> Option<LabelledOption> {
        let (label, node) = match &item.value {
            Value::Map(entries) => {
                let label = at(entries, "label").and_then(|label| plain_text(&label.value.value));
                match at(entries, "text") {
                    Some(text) => (label, &text.value),
                    None => {
                        self.wrong(&FoundMember { node: item, ..*found }, "texts, or mappings with `text` and `label`");
                        return None;
                    }
                }
            }
            _ => (None, item),
        };
        let Some(text) = plain_text(&node.value) else {
            self.wrong(&FoundMember { node, ..*found }, "a list of texts");
            return None;
        };
        Some(LabelledOption { label, text, span: node.span })
    }
    fn pairs(&mut self, found: &FoundMember<'_>, texts: &FileNode, labels: &FileNode) -> Vec<LabelledOption> {
        let (Value::List(texts), Value::List(labels)) = (&texts.value, &labels.value) else {
            self.wrong(found, "lists `text` and `label`");
            return Vec::new();
        };
        if texts.len() != labels.len() {
            let message = format!("`{}` has {} texts and {} labels", found.path, texts.len(), labels.len());
            self.error(SpecFinding::new(Code::OutOfRange, found.key_span, message).field(found.path));
            return Vec::new();
        }
        let mut options = Vec::new();
        for (text, label) in texts.iter().zip(labels) {
            let label = plain_text(&label.value);
            options.extend(self.option(found, text).map(|option| LabelledOption { label, ..option }));
        }
        options
    }
    /// Options in columns of their own: `A`, `B`, ... or `option_a`, `option1`, `choice_1` and the like.
    fn columns(&mut self) -> Vec<LabelledOption> {
        let entries = self.entries;
        for (prefix, digits) in PREFIXES {
            let name = |at: u8| match digits {
                true => format!("{prefix}{}", at + 1),
                false => format!("{prefix}{}", char::from(if prefix.is_empty() { b'A' } else { b'a' } + at)),
            };
            let same = |entry: &&MapEntry, name: &str| match prefix.is_empty() {
                true => entry.key == name,
                false => entry.key.eq_ignore_ascii_case(name),
            };
            let found = (0..26).map(|at| entries.iter().find(|entry| same(entry, &name(at))));
            let found: Vec<&MapEntry> = found.map_while(|entry| entry).collect();
            if found.len() < 2 {
                continue;
            }
            let (first, last) = (name(0), name(u8::try_from(found.len() - 1).unwrap_or(0)));
            self.mapping.found("options", &format!("{first} to {last}"));
            self.used.extend(found.iter().map(|entry| entry.key.clone()));
            // a question with fewer options leaves its last columns empty
            let given = found.iter().filter_map(|entry| {
                let text = plain_text(&entry.value.value).filter(|text| !text.is_empty())?;
                Some(LabelledOption { label: Some(label(&entry.key)), text, span: entry.value.span })
            });
            return given.collect();
        }
        Vec::new()
    }
    /// What the row has besides.
    fn rest(&mut self) {
        let mut unused = Vec::new();
        for entry in self.entries {
            let used = self.used.iter().any(|path| {
                *path == entry.key || path.split('.').next().is_some_and(|first| first.eq_ignore_ascii_case(&entry.key))
            });
            // what the question lacks was said together with what may be meant
            let news = !used && entry.value.value != Value::Null && self.mapping.left_out(&entry.key) && !self.bad;
            if news {
                unused.push(entry);
            }
        }
        let taken = |name: &str| self.used.iter().any(|used| used.eq_ignore_ascii_case(name));
        let named = |entry: &MapEntry| members::meant(&entry.key).filter(|name| *name != entry.key && !taken(name));
        let (meant, rest): (Vec<&MapEntry>, Vec<&MapEntry>) =
            unused.into_iter().partition(|entry| named(entry).is_some());
        for entry in meant {
            let hint = named(entry).map(|name| format!("; did you mean `{name}`?")).unwrap_or_default();
            let message = format!("the member {} is not used{hint}", quote(&entry.key));
            self.problems.warning(SpecFinding::new(Code::UnusedKey, entry.key_span, message).field(&entry.key));
        }
        if let Some(first) = rest.first() {
            let keys: Vec<String> = rest.iter().map(|entry| quote(&entry.key)).collect();
            let message = format!("not used, and shown to nobody: {}", keys.join(", "));
            self.problems.warning(SpecFinding::new(Code::UnusedKey, first.key_span, message).field(&first.key));
        }
    }
}

/// The label of a column: the letter or number that it ends with.
fn label(column: &str) -> String {
    let last = |c: char| c.is_ascii_digit() || c.is_ascii_alphabetic();
    let digits: String = column.chars().rev().take_while(char::is_ascii_digit).collect();
    if digits.is_empty() {
        return column
            .chars()
            .last()
            .filter(|c| last(*c))
            .map(|c| c.to_ascii_uppercase().to_string())
            .unwrap_or_default();
    }
    digits.chars().rev().collect()
}

/// What columns of options begin with, and whether numbers follow.
const PREFIXES: [(&str, bool); 9] = [
    ("", false),
    ("option_", false),
    ("option_", true),
    ("option", true),
    ("option ", false),
    ("choice_", false),
    ("choice_", true),
    ("choice", true),
    ("choice ", false),
];

/// A JSON list in a cell of a table.
fn list_in_a_text(text: &str) -> Option<Vec<String>> {
    const MOST: usize = 100_000;
    let text = Some(text).filter(|text| text.len() <= MOST)?;
    let items: Vec<serde_json::Value> = serde_json::from_str(text).ok()?;
    let text = |item: serde_json::Value| match item {
        serde_json::Value::String(text) => Some(text.trim().to_owned()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    items.into_iter().map(text).collect()
}
