//! What is wrong with a debate file, where, and how to mend it.
use crate::keys::{DEBATE, KeyTable};
use crate::limits::Limits;
use crate::place::{Place, Span};
use crate::source::Text;
use serde::{Serialize, Serializer};
use std::fmt;

/// One problem of a debate file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// The file, as the user named it.
    pub file: String,
    /// Where it begins.
    #[serde(flatten)]
    pub place: Place,
    /// How many characters of the line are meant, at least 1.
    pub length: usize,
    /// Whether the file is refused for it.
    pub severity: Severity,
    /// Which kind of problem it is.
    pub code: Code,
    /// The field, such as `personas[1].stance`; empty where the problem is the file's own.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field: String,
    /// What is wrong, and what would be right.
    pub message: String,
    /// What to do, or what is allowed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// The line in question, cut to what fits on a screen.
    pub excerpt: Excerpt,
}

/// A part of a source line, and where its problem lies.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Excerpt {
    /// The text, tabs and control characters replaced one for one.
    pub text: String,
    /// How many characters stand before the problem.
    pub offset: usize,
}

/// Whether a file is refused for a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The file is refused.
    Error,
    /// The file is taken as it is.
    Warning,
}

macro_rules! codes {
    ($(#[doc = $doc:literal] $name:ident = $text:literal,)*) => {
        /// The kind of a problem; its name is stable.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Code { $(#[doc = $doc] $name,)* }
        impl Code {
            /// Every kind.
            pub const ALL: &[Self] = &[$(Self::$name,)*];
            /// The name in kebab case.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
            /// What it says of the file, in one sentence.
            pub fn meaning(self) -> &'static str {
                match self { $(Self::$name => $doc.trim_ascii(),)* }
            }
        }
    };
}
codes! {
    /// The file is longer than a debate file may be.
    FileTooLarge = "file-too-large",
    /// The bytes are not UTF-8.
    NotUtf8 = "not-utf8",
    /// YAML or JSON that cannot be parsed.
    Syntax = "syntax",
    /// More nesting, nodes, text or aliases than a debate file needs.
    TooComplex = "too-complex",
    /// A second YAML document.
    ManyDocuments = "many-documents",
    /// A front matter block without its closing line.
    FrontMatterOpen = "front-matter-open",
    /// A key twice in one mapping.
    DuplicateKey = "duplicate-key",
    /// An unknown key.
    UnknownKey = "unknown-key",
    /// A value that the key does not allow.
    UnknownValue = "unknown-value",
    /// A value of another type.
    WrongType = "wrong-type",
    /// A number or a count outside its range.
    OutOfRange = "out-of-range",
    /// No value, or a text of blanks.
    Empty = "empty",
    /// A text that its key cannot take.
    BadText = "bad-text",
    /// An item twice in a list.
    DuplicateItem = "duplicate-item",
    /// A missing required key.
    MissingKey = "missing-key",
    /// Two settings that contradict each other.
    Conflict = "conflict",
    /// Text of a Markdown file that belongs to no part of the debate.
    IgnoredText = "ignored-text",
    /// Two personas with the same name.
    DuplicateName = "duplicate-name",
    /// A name that Agon itself uses.
    ReservedName = "reserved-name",
    /// Two personas with the same stance.
    DuplicateStance = "duplicate-stance",
    /// An adversarial debate with only one stance.
    OneSided = "one-sided",
    /// A block that this debate does not use.
    UnusedBlock = "unused-block",
    /// A key that this debate's format, memory or strategy does not use.
    UnusedKey = "unused-key",
    /// A name that is neither a persona's nor a kind of turn.
    UnknownName = "unknown-name",
    /// Incompatible values.
    Combination = "combination",
    /// A role without a model.
    MissingModel = "missing-model",
    /// A CEL expression that cannot be used.
    BadExpression = "bad-expression",
    /// A template variable or an expression's variable that does not exist.
    UnknownVariable = "unknown-variable",
    /// An output schema that is not a JSON Schema.
    BadSchema = "bad-schema",
    /// A gate's rule that cannot be read.
    BadGate = "bad-gate",
    /// A gate that was learned on other settings or models.
    OtherGate = "other-gate",
    /// An output schema without a synthesizer.
    SchemaWithoutSynthesizer = "schema-without-synthesizer",
    /// More rounds than usually help.
    ManyRounds = "many-rounds",
    /// More personas than usually help.
    ManyPersonas = "many-personas",
    /// The judge's model also debates.
    JudgeSharesModel = "judge-shares-model",
    /// All judges of a panel are of one family of models.
    SingleFamily = "single-family",
    /// All debaters speak with one model.
    SingleModel = "single-model",
    /// A name that is also a word of the debate.
    OrdinaryName = "ordinary-name",
    /// A budget that leaves no room for a speech and the decision, or is shorter than one answer may take.
    SmallBudget = "small-budget",
    /// A key without effect in this debate.
    NoEffect = "no-effect",
    /// A feed that the settings do not define.
    UndefinedFeed = "undefined-feed",
    /// A verifier that the settings do not define.
    UndefinedVerifier = "undefined-verifier",
    /// More problems than are shown.
    TooManyProblems = "too-many-problems",
}
impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// `file:line:column: error[code]: message`, the source line, a caret, and the help.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = match self.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let Place { line, column } = self.place;
        write!(f, "{}:{line}:{column}: {severity}[{}]: {}", clean(&self.file), self.code, self.message)?;
        if !self.excerpt.text.trim().is_empty() {
            let (indent, carets) = (" ".repeat(self.excerpt.offset), "^".repeat(self.length));
            write!(f, "\n    {}\n    {indent}{carets}", self.excerpt.text)?;
        }
        match &self.help {
            Some(help) => write!(f, "\n    help: {help}"),
            None => Ok(()),
        }
    }
}

/// All diagnostics as they are printed, a blank line between two, a line end after the last.
pub fn render(diagnostics: &[Diagnostic]) -> String {
    let texts: Vec<String> = diagnostics.iter().map(|diagnostic| format!("{diagnostic}\n")).collect();
    texts.join("\n")
}

const EXCERPT_CHARS: usize = 120;
const EXCERPT_BEFORE: usize = 60;
const MAX_PROBLEMS: usize = 100;

/// Gathers the problems of one file.
pub struct Problems<'a> {
    file: &'a str,
    text: Option<&'a Text>,
    list: Vec<Diagnostic>,
    /// How much the file may unfold to.
    pub limits: Limits,
    /// The keys of the whole file.
    pub(crate) top: &'static KeyTable,
}
impl<'a> Problems<'a> {
    /// None yet, of the file with this name.
    pub fn new(file: &'a str) -> Self {
        Self { file, text: None, list: Vec::new(), limits: Limits::default(), top: &DEBATE }
    }
    /// A new list for the same file, with its text for the excerpts, and with its limits.
    pub fn with_text<'b>(&self, text: &'b Text, limits: Limits) -> Problems<'b>
    where
        'a: 'b,
    {
        Problems { file: self.file, text: Some(text), list: Vec::new(), limits, top: self.top }
    }
    /// Adds a problem that the file is refused for.
    pub fn error(&mut self, finding: SpecFinding) {
        self.add(Severity::Error, finding);
    }
    /// Adds a problem that the file is taken with.
    pub fn warning(&mut self, finding: SpecFinding) {
        self.add(Severity::Warning, finding);
    }
    /// Where `needle` stands inside `span`, else the span itself.
    pub fn locate(&self, needle: &str, span: Span) -> Span {
        let Some(text) = self.text else { return span };
        let start = text.offset(span.start);
        let Some(at) = text.slice(span).find(needle) else { return span };
        Span { start: text.place(start + at), end: text.place(start + at + needle.len()) }
    }
    /// Adds problems that were found elsewhere.
    pub fn extend(&mut self, found: Vec<Diagnostic>) {
        self.list.extend(found);
    }
    /// Whether an error about this very field was reported.
    pub fn is_about(&self, field: &str) -> bool {
        self.list.iter().any(|problem| problem.field == field && problem.severity == Severity::Error)
    }
    /// How many errors there are.
    pub fn count_errors(&self) -> usize {
        self.list.iter().filter(|problem| problem.severity == Severity::Error).count()
    }
    /// How many there are.
    pub fn count(&self) -> usize {
        self.list.len()
    }
    /// Whether one of them is an error.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|problem| problem.severity == Severity::Error)
    }
    /// The problems in the order of their places, each once.
    pub fn into_list(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|problem| (problem.place, problem.code));
        self.list.dedup();
        self.list
    }
    /// The same, cut to what a person reads; errors go before warnings then.
    pub fn into_readable_list(self) -> Vec<Diagnostic> {
        let mut list = self.into_list();
        let more = list.len().saturating_sub(MAX_PROBLEMS);
        if more == 0 {
            return list;
        }
        list.sort_by_key(|problem| problem.severity == Severity::Warning);
        list.truncate(MAX_PROBLEMS);
        if let Some(last) = list.last().cloned() {
            let message = format!("{more} further problems are not shown; fix these first");
            list.push(Diagnostic { code: Code::TooManyProblems, message, help: None, field: String::new(), ..last });
        }
        list
    }
    fn add(&mut self, severity: Severity, finding: SpecFinding) {
        let SpecFinding { code, span, field, message, help } = finding;
        // A parser may place an unexpected end behind the last line.
        let clamp = |place: Place| self.text.map_or(place, |text| text.clamp(place));
        let span = Span { start: clamp(span.start), end: clamp(span.end) };
        let line = self.text.map_or("", |text| text.line(span.start.line));
        let (excerpt, length) = excerpt(line, span);
        let file = self.file.to_owned();
        self.list.push(Diagnostic { file, place: span.start, length, severity, code, field, message, help, excerpt });
    }
}

/// A problem before it is known which file it belongs to.
#[derive(Debug)]
pub struct SpecFinding {
    code: Code,
    span: Span,
    field: String,
    message: String,
    help: Option<String>,
}
impl SpecFinding {
    /// A problem at a place.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self { code, span, field: String::new(), message: message.into(), help: None }
    }
    /// With what to do.
    pub fn help(self, help: impl Into<String>) -> Self {
        Self { help: Some(help.into()), ..self }
    }
    /// With the field that it is about.
    pub fn field(self, field: impl Into<String>) -> Self {
        Self { field: field.into(), ..self }
    }
}

fn excerpt(line: &str, span: Span) -> (Excerpt, usize) {
    let column = span.start.column.saturating_sub(1);
    let wanted =
        if span.end.line == span.start.line { span.end.column.saturating_sub(span.start.column) } else { usize::MAX };
    let count = line.chars().count();
    let skip = if count > EXCERPT_CHARS { column.saturating_sub(EXCERPT_BEFORE) } else { 0 };
    let text: String = line.chars().skip(skip).take(EXCERPT_CHARS).map(visible).collect();
    let text = text.trim_end().to_owned();
    let offset = column - skip;
    let room = text.chars().count().saturating_sub(offset);
    (Excerpt { text, offset }, wanted.min(room).max(1))
}

/// One character for one, none of which can steer a terminal.
fn visible(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() || is_bidi_control(c) => '\u{fffd}',
        c => c,
    }
}

fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text without what could steer a terminal.
pub fn clean(text: &str) -> String {
    text.chars().map(visible).collect()
}

/// The user's text as messages quote it: one line, harmless, at most 60 characters.
pub fn quote(text: &str) -> String {
    const MOST: usize = 60;
    let shown: String = text.chars().take(MOST).map(|c| if c == '\n' { ' ' } else { visible(c) }).collect();
    let dots = if text.chars().nth(MOST).is_some() { "..." } else { "" };
    format!("'{shown}{dots}'")
}
