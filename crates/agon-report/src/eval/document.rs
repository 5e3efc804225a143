//! What the report of an eval says, as sections and blocks; Markdown and the page draw them.
use super::{sections, words};
use crate::text::one_line;
use crate::words::count;
use agon_eval::{ArmKind, ComparisonFamily, EvalResult};

/// Rows of a table that reports show at most; files hold all.
pub(super) const MOST_ROWS: usize = 60;

/// Columns that stand side by side on a page of middling width at most.
const MANY_COLUMNS: usize = 5;

/// A part of the report under a heading.
pub(super) struct EvalSection {
    /// Its anchor.
    pub(super) id: &'static str,
    pub(super) title: &'static str,
    pub(super) blocks: Vec<EvalBlock>,
}

/// A piece of a section. Texts may hold anything: whoever draws them escapes them.
pub(super) enum EvalBlock {
    /// A paragraph that explains.
    Lead(String),
    Heading(String),
    Lines(Vec<String>),
    /// Lines that a reader must not miss.
    Warnings(Vec<String>),
    Table(EvalTable),
    Figure(EvalFigure),
    Settings(Vec<(&'static str, String)>),
    /// Every question in every arm.
    Cells,
}

/// A drawing with its numbers.
pub(super) struct EvalFigure {
    pub(super) title: String,
    /// How to read it.
    pub(super) note: String,
    pub(super) drawings: Vec<EvalDrawing>,
    pub(super) keys: Vec<ArmKey>,
    pub(super) table: EvalTable,
}

/// One drawing of a figure.
pub(super) struct EvalDrawing {
    /// Which it is, where there are several.
    pub(super) title: Option<String>,
    /// Safe as it is.
    pub(super) svg: String,
}

/// What a letter stands for.
pub(super) struct ArmKey {
    pub(super) letter: String,
    pub(super) colour: usize,
    pub(super) name: String,
}

/// A table whose first column names its rows.
#[derive(Default)]
pub(super) struct EvalTable {
    pub(super) label: String,
    pub(super) head: Vec<EvalColumn>,
    pub(super) rows: Vec<Vec<String>>,
}

/// The head of a column.
pub(super) struct EvalColumn {
    pub(super) name: String,
    /// Its cells are figures.
    pub(super) number: bool,
}

impl EvalTable {
    /// A table with these columns; the names of columns of figures begin with `#`.
    pub(super) fn of(label: impl Into<String>, head: &[&str], rows: Vec<Vec<String>>) -> Self {
        Self { label: label.into(), head: head.iter().map(|name| EvalColumn::of(name)).collect(), rows }
    }
    /// Rows that are shown.
    pub(super) fn shown(&self) -> &[Vec<String>] {
        self.rows.get(..MOST_ROWS).unwrap_or(&self.rows)
    }
    /// Says that rows are left out.
    pub(super) fn left_out(&self) -> Option<String> {
        match self.rows.len().saturating_sub(MOST_ROWS) {
            0 => None,
            n => Some(format!("{} are left out here; result.json has all.", crate::words::count(n as u64, "more row"))),
        }
    }
    /// The class that says from which width on columns stand side by side.
    pub(super) fn width(&self) -> &'static str {
        if self.head.len() > MANY_COLUMNS { "many" } else { "few" }
    }
    /// The name of a column.
    pub(super) fn name_of(&self, column: &usize) -> &str {
        self.head.get(*column).map_or("", |column| &column.name)
    }
    /// Whether a column is of figures.
    pub(super) fn is_number(&self, column: &usize) -> bool {
        self.head.get(*column).is_some_and(|column| column.number)
    }
    /// Without the columns in which nothing is known of any row.
    pub(super) fn known_columns(mut self) -> Self {
        let unknown = |column: &usize| {
            self.rows.iter().all(|row| row.get(*column).is_none_or(|cell| cell == super::words::UNKNOWN))
        };
        let unknown: Vec<usize> = (1..self.head.len()).filter(unknown).collect();
        for column in unknown.into_iter().rev() {
            self.head.remove(column);
            self.rows.iter_mut().filter(|row| column < row.len()).for_each(|row| drop(row.remove(column)));
        }
        self
    }
}

impl EvalColumn {
    pub(super) fn of(name: &str) -> Self {
        match name.strip_prefix('#') {
            Some(name) => Self { name: name.to_owned(), number: true },
            None => Self { name: name.to_owned(), number: false },
        }
    }
}

/// All sections that have something to say.
pub(super) fn document(result: &EvalResult) -> Vec<EvalSection> {
    let sections = [
        ("verdicts", "Does it help?", sections::verdicts(result)),
        ("arms", "Accuracy and cost", sections::arms(result)),
        ("changed", "What debating changed", sections::changed(result)),
        ("free", "Other ways to decide the same debates", sections::free_arms(result)),
        ("group", "What happened inside the debates", sections::group(result)),
        ("calibration", "Calibration", sections::calibration(result)),
        ("gate", "Gate: which questions to debate", sections::gate(result)),
        ("categories", "By category", sections::categories(result)),
        ("sensitivity", "Sensitivity of the verdict", sections::sensitivity(result)),
        ("trust", "Can the scores be trusted?", sections::trust(result)),
        ("failures", "Failures", sections::failures(result)),
        ("pairs", "Pairs of answers", sections::pairs(result)),
        ("cells", "Every question", sections::cells(result)),
        ("configuration", "Configuration", sections::configuration(result)),
        ("limits", "What this eval cannot say", sections::limits(result)),
    ];
    let section = |(id, title, blocks): (&'static str, &'static str, Vec<EvalBlock>)| EvalSection { id, title, blocks };
    sections.into_iter().map(section).filter(|section| !section.blocks.is_empty()).collect()
}

/// What the report is called.
pub(super) fn title(result: &EvalResult) -> String {
    let title = result.title.as_deref().map(one_line).filter(|title| !title.is_empty());
    title.unwrap_or_else(|| format!("{} on {}", what(result), count(result.setup.questions.into(), "question")))
}

/// The primary comparisons in a few words; without any, the debates.
fn what(result: &EvalResult) -> String {
    let primary: Vec<_> = result.comparisons.iter().filter(|of| of.family == ComparisonFamily::Primary).collect();
    match primary.as_slice() {
        [one] => words::versus(result, one),
        _ => {
            let debates = result.arms.iter().filter(|arm| arm.kind == ArmKind::Debate);
            let names: Vec<String> = debates.map(|arm| words::arm_name(result, arm)).collect();
            if names.is_empty() { "Eval".to_owned() } else { names.join(", ") }
        }
    }
}
