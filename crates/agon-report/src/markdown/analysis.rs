//! The analysis of a debate that is over.
use super::escape::inline;
use super::page::Page;
use crate::analysis::{Analysis, STRENGTH, Table, tables};
use crate::minutes::Minutes;

/// Rows of a table at most; the result has all.
const MOST_ROWS: usize = 8;
/// Sentences of the summary at most.
const MOST_INSIGHTS: usize = 5;

/// What the figures say, in a few sentences.
pub(super) fn insights(page: &mut Page, minutes: &Minutes<'_>) {
    let insights = Analysis::of(minutes).map(|analysis| analysis.insights).unwrap_or_default();
    if !insights.is_empty() {
        page.heading(2, "Analysis");
        page.list(&insights.iter().take(MOST_INSIGHTS).map(|insight| inline(insight)).collect::<Vec<_>>());
    }
}

/// The sentences and the tables.
pub(super) fn write(page: &mut Page, minutes: &Minutes<'_>) {
    let Some(analysis) = Analysis::of(minutes) else { return };
    page.heading(2, "Analysis");
    page.list(&analysis.insights.iter().map(|insight| inline(insight)).collect::<Vec<_>>());
    page.block("Derived from the log alone; no model was asked. T7 is the speech with this number in the transcript; – is unknown.");
    tables(&analysis, MOST_ROWS).iter().for_each(|table| write_table(page, table));
    if analysis.beliefs.is_some_and(|beliefs| beliefs.differ()) {
        page.block(STRENGTH);
    }
}

fn write_table(page: &mut Page, table: &Table) {
    page.heading(3, table.title);
    page.list(&table.lines.iter().map(|line| inline(line)).collect::<Vec<_>>());
    let rows: Vec<Vec<String>> =
        table.rows.iter().map(|row| row.iter().map(|cell| inline(&cell.text)).collect()).collect();
    page.table(&table.head, &rows);
    if let Some(note) = &table.note {
        page.block(&inline(note));
    }
}
