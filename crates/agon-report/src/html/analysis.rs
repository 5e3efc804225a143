//! The analysis of a debate that is over.
use super::view::anchor;
use crate::analysis::{Analysis, Belief, STRENGTH, Table, stands, tables};
use crate::minutes::{Deed, Minutes};
use crate::text::one_line;
use crate::tree::{ArgumentTree, TreeNode};
use crate::words::{self, counted};
use agon_core::TurnId;

/// Rows of a table at most; the result has all.
const MOST_ROWS: usize = 24;
/// Strengths that are drawn at most, the highest first.
const MOST_BARS: usize = 24;

pub(super) struct AnalysisView {
    pub(super) insights: Vec<String>,
    pub(super) tables: Vec<TableView>,
    pub(super) bars: Vec<Bar>,
    /// What the bars are.
    pub(super) note: String,
}
pub(super) struct TableView {
    pub(super) title: &'static str,
    pub(super) lines: Vec<String>,
    pub(super) head: Vec<&'static str>,
    pub(super) rows: Vec<Vec<CellView>>,
    pub(super) note: Option<String>,
}
pub(super) struct CellView {
    pub(super) text: String,
    pub(super) href: Option<String>,
}
pub(super) struct Bar {
    pub(super) name: String,
    pub(super) href: Option<String>,
    pub(super) strength: String,
    /// Of 100.
    pub(super) length: String,
    /// Whether it is the strongest speech for its position.
    pub(super) strongest: bool,
}

pub(super) fn of(minutes: &Minutes<'_>, tree: &ArgumentTree) -> Option<AnalysisView> {
    let analysis = Analysis::of(minutes)?;
    let (bars, left_out) = bars(minutes, tree, &analysis);
    let more = match left_out {
        0 => String::new(),
        n => format!(" {} with lower strengths are left out here.", counted(n as u64, "speech", "speeches")),
    };
    Some(AnalysisView {
        tables: tables(&analysis, MOST_ROWS).into_iter().map(|table| table_view(minutes, tree, table)).collect(),
        insights: analysis.insights.iter().map(|insight| one_line(insight)).collect(),
        bars,
        note: format!("{STRENGTH} Critiques, questions, points and what was revised are not drawn.{more}"),
    })
}

fn table_view(minutes: &Minutes<'_>, tree: &ArgumentTree, table: Table) -> TableView {
    let node = |number| tree.nodes.iter().find(|node| node.number == number);
    let row = |row: Vec<crate::analysis::Cell>| {
        row.into_iter()
            .map(|cell| CellView {
                href: cell.speech.and_then(node).and_then(|node| href(minutes, node)),
                text: cell.text,
            })
            .collect()
    };
    TableView {
        title: table.title,
        lines: table.lines,
        head: table.head,
        rows: table.rows.into_iter().map(row).collect(),
        note: table.note,
    }
}

/// The place of a speech on the page, where it has one.
fn href(minutes: &Minutes<'_>, node: &TreeNode) -> Option<String> {
    let turn = TurnId { round: node.round, seat: node.seat, attempt: 0 };
    let shown = minutes.entries.iter().any(|entry| {
        entry.turn.same_slot(turn) && matches!(entry.deed, Deed::Spoke(_) | Deed::Criticised { .. } | Deed::Points(..))
    });
    shown.then(|| anchor(turn))
}

/// The strengths of speeches for a position, the highest first and of equals the earlier, and how many are left out.
fn bars(minutes: &Minutes<'_>, tree: &ArgumentTree, analysis: &Analysis) -> (Vec<Bar>, usize) {
    let Some(beliefs) = analysis.beliefs.as_ref().filter(|beliefs| beliefs.differ()) else { return (Vec::new(), 0) };
    let mut ranked: Vec<(&Belief, &TreeNode)> =
        beliefs.speeches.iter().zip(&tree.nodes).filter(|(belief, node)| stands(belief, node)).collect();
    ranked.sort_by(|(one, _), (other, _)| other.strength.total_cmp(&one.strength).then(one.number.cmp(&other.number)));
    let left_out = ranked.len().saturating_sub(MOST_BARS);
    let bars = ranked.iter().take(MOST_BARS).map(|(belief, node)| Bar {
        name: format!("T{} {}, {}", belief.number, one_line(&belief.speaker), words::kind(node.kind)),
        href: href(minutes, node),
        strength: format!("{:.3}", belief.strength),
        length: format!("{:.1}", belief.strength * 100.0),
        strongest: beliefs.strongest.iter().any(|one| one.number == belief.number),
    });
    (bars.collect(), left_out)
}
