//! A Markdown page in the making.
use super::escape::{blocks, inline, quoted};
use crate::minutes::Minutes;
use crate::words::REHEARSAL;

/// Blocks with one empty line between them.
#[derive(Default)]
pub(super) struct Page {
    out: String,
}

impl Page {
    /// A block as it is: the caller has escaped it.
    pub(super) fn block(&mut self, block: &str) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out.push_str(block);
        self.out.push('\n');
    }
    pub(super) fn heading(&mut self, level: usize, text: &str) {
        self.block(&format!("{} {}", "#".repeat(level), inline(text)));
    }
    /// A model's Markdown.
    pub(super) fn speech(&mut self, text: &str) {
        let text = blocks(text);
        self.block(if text.is_empty() { "*(nothing that can be shown)*" } else { &text });
    }
    /// Text as it is, in a fence longer than any in it.
    pub(super) fn code(&mut self, language: &str, text: &str) {
        let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.max(2) + 1);
        self.block(&format!("{fence}{language}\n{}\n{fence}", text.trim_end()));
    }
    pub(super) fn quote(&mut self, blocks: &str) {
        self.block(&quoted(blocks));
    }
    pub(super) fn list(&mut self, items: &[String]) {
        if !items.is_empty() {
            self.block(&items.iter().map(|item| format!("- {item}")).collect::<Vec<_>>().join("\n"));
        }
    }
    /// A table of cells that the caller has escaped; nothing when there are no rows.
    pub(super) fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        if rows.is_empty() {
            return;
        }
        let mut lines = vec![format!("| {} |", head.join(" | ")), format!("|{}", " --- |".repeat(head.len()))];
        lines.extend(rows.iter().map(|cells| format!("| {} |", cells.join(" | "))));
        self.block(&lines.join("\n"));
    }
    pub(super) fn banner(&mut self, minutes: &Minutes<'_>) {
        if minutes.rehearsal() {
            self.quote(&format!("**{REHEARSAL}.**"));
        }
    }
    pub(super) fn finish(self) -> String {
        self.out
    }
}
