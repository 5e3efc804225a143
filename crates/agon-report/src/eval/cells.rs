//! Every question in every arm, as rows for tables.
use super::words;
use crate::text::{excerpt, one_line};
use crate::words::number;
use agon_eval::*;
use std::collections::BTreeSet;

/// Rows that a page holds at most; `cells.csv` has all.
pub(super) const MOST_CELLS: usize = 24_000;
/// Bytes of a question or an answer in a row of a page; with many rows they are fewer, so that a page stays small.
const MOST_BYTES: usize = 200;
const FEW_BYTES: usize = 70;
const MANY_ROWS: usize = 3_000;
/// Debates that a row links to at most.
const MOST_LINKS: usize = 2;

/// Where the reports of the debates of an eval are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DebateLinks {
    /// Nowhere that a link could lead to: rows show ids, for `agon report ID`.
    None,
    /// At a server: `../../debates/ID/report.html`, as seen from `/v1/evals/EVAL/report.html`.
    Server,
    /// At the pages of a server: `/debates/ID`.
    Pages,
    /// Beside the page: `debates/ID.html`, but for those debates that are deleted.
    Files {
        /// The ids of these.
        deleted: BTreeSet<String>,
    },
}
impl DebateLinks {
    /// Whether a debate is known to be deleted.
    fn lacks(&self, id: &str) -> bool {
        match self {
            Self::None | Self::Server | Self::Pages => false,
            Self::Files { deleted } => deleted.contains(id),
        }
    }

    /// The link of a debate. An id that is more than letters, digits, `-` and `_` gets none.
    fn to(&self, id: &str) -> Option<String> {
        if id.is_empty() || !id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')) {
            return None;
        }
        match self {
            Self::None => None,
            Self::Server => Some(format!("../../debates/{id}/report.html")),
            Self::Pages => Some(format!("/debates/{id}")),
            Self::Files { deleted } => (!deleted.contains(id)).then(|| format!("debates/{id}.html")),
        }
    }
}

/// A debate of a cell.
pub(super) struct LinkedDebate {
    pub(super) id: String,
    pub(super) link: Option<String>,
}

/// One question in one arm.
pub(super) struct CellLine {
    pub(super) question: String,
    pub(super) text: String,
    pub(super) arm: String,
    pub(super) outcome: String,
    pub(super) answer: String,
    pub(super) gold: String,
    pub(super) flip: String,
    pub(super) tokens: String,
    pub(super) category: String,
    pub(super) debates: Vec<LinkedDebate>,
    /// Debates that are not listed.
    pub(super) more_debates: usize,
    /// The row before is of the same question.
    pub(super) same_question: bool,
    /// Places in the lists that filter: arm, outcome, flip, category.
    pub(super) places: [Option<usize>; 4],
}

/// What rows can be filtered by: each a name and its values.
pub(super) struct CellFilter {
    /// The attribute of the rows.
    pub(super) key: &'static str,
    pub(super) name: &'static str,
    pub(super) values: Vec<String>,
}

const OUTCOMES: [CellOutcome; 7] = [
    CellOutcome::Right,
    CellOutcome::Partly,
    CellOutcome::Tie,
    CellOutcome::Wrong,
    CellOutcome::NoAnswer,
    CellOutcome::Failed,
    CellOutcome::Ungraded,
];
const FLIPS: [CellFlip; 4] = [CellFlip::WrongToRight, CellFlip::RightToWrong, CellFlip::KeptRight, CellFlip::KeptWrong];

/// Categories of the questions, in order of the file.
fn categories(result: &EvalResult) -> Vec<&str> {
    let mut known = BTreeSet::new();
    result.questions.iter().filter_map(|row| row.category.as_deref()).filter(|name| known.insert(*name)).collect()
}

/// The lists that filter the rows. Values that no row has are kept: their places are those of the rows.
pub(super) fn filters(result: &EvalResult) -> Vec<CellFilter> {
    let filters = [
        CellFilter {
            key: "a",
            name: "Arm",
            values: result.arms.iter().map(|arm| words::arm_name(result, arm)).collect(),
        },
        CellFilter {
            key: "o",
            name: "Outcome",
            values: OUTCOMES.map(|outcome| words::outcome(outcome).to_owned()).into(),
        },
        CellFilter {
            key: "f",
            name: "First vote to verdict",
            values: FLIPS.map(|flip| words::flip(flip).to_owned()).into(),
        },
        CellFilter { key: "c", name: "Category", values: categories(result).into_iter().map(one_line).collect() },
    ];
    filters.into_iter().filter(|filter| filter.values.len() > 1).collect()
}

/// The first rows.
pub(super) fn cells(result: &EvalResult, links: &DebateLinks, most: usize) -> Vec<CellLine> {
    let names: Vec<(&str, String)> =
        result.arms.iter().map(|arm| (arm.id.as_str(), words::arm_name(result, arm))).collect();
    let places: std::collections::BTreeMap<&str, usize> =
        names.iter().enumerate().map(|(at, (id, _))| (*id, at)).collect();
    let categories: std::collections::BTreeMap<&str, usize> =
        categories(result).into_iter().enumerate().map(|(at, name)| (name, at)).collect();
    let bytes = if result.cells.len() > MANY_ROWS { FEW_BYTES } else { MOST_BYTES };
    let mut before = None;
    let line = |cell: &CellRow| {
        let same_question = before.replace(cell.question) == Some(cell.question);
        let question = result.questions.get(cell.question as usize);
        let arm = places.get(cell.arm.as_str()).copied();
        let category = question.and_then(|row| row.category.as_deref());
        let id =
            question.map_or_else(|| format!("question {}", u64::from(cell.question) + 1), |row| cut(&row.id, bytes));
        let again =
            if result.setup.repetitions > 1 { format!(" ({})", u64::from(cell.repetition) + 1) } else { String::new() };
        CellLine {
            question: format!("{id}{again}"),
            text: question.map(|row| cut(&row.text, bytes)).unwrap_or_default(),
            arm: arm.and_then(|at| names.get(at)).map_or_else(|| one_line(&cell.arm), |(_, name)| name.clone()),
            outcome: outcome(cell),
            answer: words::known(cell.answer.as_deref(), |answer| cut(answer, bytes)),
            gold: question
                .map(|row| cut(&row.gold.join(" or "), bytes))
                .filter(|gold| !gold.is_empty())
                .unwrap_or_else(|| words::UNKNOWN.to_owned()),
            flip: words::known(cell.flip, |flip| words::flip(flip).to_owned()),
            tokens: number(cell.total_tokens),
            category: words::known(category, |name| cut(name, bytes)),
            debates: cell
                .debates
                .iter()
                .take(MOST_LINKS)
                .map(|id| LinkedDebate {
                    id: if links.lacks(id) { format!("{} (deleted)", one_line(id)) } else { one_line(id) },
                    link: links.to(id),
                })
                .collect(),
            more_debates: cell.debates.len().saturating_sub(MOST_LINKS),
            same_question,
            places: [
                arm,
                OUTCOMES.iter().position(|outcome| *outcome == cell.outcome),
                cell.flip.and_then(|flip| FLIPS.iter().position(|known| *known == flip)),
                category.and_then(|name| categories.get(name).copied()),
            ],
        }
    };
    result.cells.iter().take(most).map(line).collect()
}

/// As much of the text on one line as takes so many bytes in a page, with a mark where it is cut.
fn cut(text: &str, most: usize) -> String {
    let line = one_line(text);
    let mut used = 0;
    let taken = line.chars().take_while(|c| {
        used += match c {
            '&' | '<' | '>' | '"' | '\'' => 5,
            c => c.len_utf8(),
        };
        used <= most
    });
    match taken.count() {
        letters if letters < line.chars().count() => excerpt(&line, letters),
        _ => line,
    }
}

/// `wrong`, `tie, 0.50`, `failed: timeout`.
fn outcome(cell: &CellRow) -> String {
    let mut text = words::outcome(cell.outcome).to_owned();
    if let (CellOutcome::Partly | CellOutcome::Tie, Some(score)) = (cell.outcome, cell.score) {
        text.push_str(&format!(", {}", words::fixed(score, 2)));
    }
    if let Some(reason) = cell.reason.as_ref().filter(|_| cell.outcome != CellOutcome::Tie) {
        text.push_str(&format!(": {}", one_line(&reason.replace('_', " "))));
    }
    if cell.degraded {
        text.push_str(", seats missing");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_by_the_bytes_that_they_take_in_a_page() {
        assert_eq!(cut("plain words", 11), "plain words");
        assert_eq!(cut("plain words and more", 12), "plain words…");
        assert_eq!([cut("<<<<", 11), cut("中文字符", 9), cut("", 9)], ["<<…", "中文字…", ""]);
    }

    #[test]
    fn only_ids_become_links() {
        let files = DebateLinks::Files { deleted: BTreeSet::from(["evgone".to_owned()]) };
        assert_eq!(files.to("ev7abc"), Some("debates/ev7abc.html".to_owned()));
        assert_eq!((files.to("evgone"), files.lacks("evgone")), (None, true));
        assert_eq!(DebateLinks::Server.to("ev7abc").as_deref(), Some("../../debates/ev7abc/report.html"));
        assert_eq!(DebateLinks::None.to("ev7abc"), None);
        for id in ["", "../x", "javascript:alert(1)", "a b", "a\"b", "//evil.example"] {
            assert_eq!(files.to(id), None, "{id}");
            assert_eq!(DebateLinks::Server.to(id), None, "{id}");
        }
    }
}
