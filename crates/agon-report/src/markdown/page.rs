//! A Markdown page in the making.
use super::escape::{blocks, fenced, inline, quoted};
use crate::minutes::Minutes;
use crate::words::REHEARSAL;

/// Blocks with one empty line between them.
#[derive(Default)]
pub(super) struct MarkdownPage {
    out: String,
}

impl MarkdownPage {
    /// The page of a debate, with its topic.
    pub(super) fn of(minutes: &Minutes<'_>) -> Self {
        let mut page = Self::default();
        page.heading(1, &minutes.admission.spec.topic);
        if minutes.rehearsal() {
            page.quote(&format!("**{REHEARSAL}.**"));
        }
        page
    }
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
    /// Text as it is.
    pub(super) fn code(&mut self, language: &str, text: &str) {
        self.block(&fenced(language, text.trim_end()));
    }
    pub(super) fn quote(&mut self, blocks: &str) {
        self.block(&quoted(blocks));
    }
    /// Items that the caller has escaped; nothing when there are none.
    pub(super) fn list(&mut self, items: impl IntoIterator<Item = String>) {
        let items: Vec<String> = items.into_iter().map(|item| format!("- {item}")).collect();
        if !items.is_empty() {
            self.block(&items.join("\n"));
        }
    }
    /// A table of cells that the caller has escaped; nothing when there are no rows.
    pub(super) fn table(&mut self, head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) {
        let rows: Vec<String> = rows.into_iter().map(|cells| format!("| {} |", cells.join(" | "))).collect();
        if !rows.is_empty() {
            let head = format!("| {} |\n|{}", head.join(" | "), " --- |".repeat(head.len()));
            self.block(&format!("{head}\n{}", rows.join("\n")));
        }
    }
    /// The same under a heading.
    pub(super) fn titled_table(&mut self, title: &str, head: &[&str], rows: Vec<Vec<String>>) {
        if !rows.is_empty() {
            self.heading(2, title);
            self.table(head, rows);
        }
    }
    pub(super) fn finish(self) -> String {
        self.out
    }
}
