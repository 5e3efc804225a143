//! An eval's result as Markdown.
use super::cells::{self, DebateLinks};
use super::document::{self, EvalBlock, EvalFigure, EvalTable};
use super::summary;
use crate::markdown::escape::{inline, quoted};
use crate::words::{REHEARSAL, count};
use agon_eval::EvalResult;

/// Cells that the page lists: `cells.csv` has all.
const MOST_CELLS: usize = 200;

/// The whole report but for its drawings, whose numbers are in tables.
pub fn eval_markdown(result: &EvalResult) -> String {
    let mut page = EvalMarkdown::default();
    page.block(&format!("# {}", inline(&document::title(result))));
    if result.rehearsal {
        page.block(&quoted(&format!("**{REHEARSAL}.**")));
    }
    for finding in summary::findings(result) {
        page.block(&format!("**{}.** {}", inline(&finding.badge), inline(&finding.sentence)));
    }
    page.list(summary::brief(result).into_iter().map(|(name, value)| format!("{name}: {}", inline(&value))));
    for section in document::document(result) {
        page.block(&format!("## {}", inline(section.title)));
        section.blocks.iter().for_each(|block| page.draw(result, block));
    }
    page.block(&format!(
        "Written by Agon {} from the log of eval `{}`.",
        inline(&result.agon_version),
        id(&result.eval)
    ));
    page.out
}

/// An id without anything that could end its code span.
fn id(text: &str) -> String {
    text.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_')).collect()
}

/// Blocks with one empty line between them.
#[derive(Default)]
struct EvalMarkdown {
    out: String,
}

impl EvalMarkdown {
    /// A block whose text is escaped.
    fn block(&mut self, block: &str) {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out.push_str(block);
        self.out.push('\n');
    }
    fn list(&mut self, items: impl IntoIterator<Item = String>) {
        let items: Vec<String> = items.into_iter().map(|item| format!("- {item}")).collect();
        if !items.is_empty() {
            self.block(&items.join("\n"));
        }
    }

    fn draw(&mut self, result: &EvalResult, block: &EvalBlock) {
        match block {
            EvalBlock::Lead(text) => self.block(&inline(text)),
            EvalBlock::Heading(text) => self.block(&format!("### {}", inline(text))),
            EvalBlock::Lines(lines) => self.list(lines.iter().map(|line| inline(line))),
            EvalBlock::Warnings(lines) => self.list(lines.iter().map(|line| format!("**Warning:** {}", inline(line)))),
            EvalBlock::Table(table) => self.table(table),
            EvalBlock::Figure(figure) => self.figure(figure),
            EvalBlock::Settings(settings) => {
                self.list(settings.iter().map(|(name, value)| format!("{name}: {}", inline(value))));
            }
            EvalBlock::Cells => self.cells(result),
        }
    }

    fn figure(&mut self, figure: &EvalFigure) {
        self.block(&format!("### {}", inline(&figure.title)));
        self.block(&inline(&figure.note));
        self.table(&figure.table);
    }

    fn table(&mut self, table: &EvalTable) {
        if table.rows.is_empty() {
            return;
        }
        let head: Vec<String> = table.head.iter().map(|column| inline(&column.name)).collect();
        let ruler: Vec<&str> = table.head.iter().map(|column| if column.number { "---:" } else { "---" }).collect();
        let rows = table.shown().iter().map(|row| {
            let cells: Vec<String> = row.iter().map(|cell| inline(cell)).collect();
            format!("| {} |", cells.join(" | "))
        });
        let rows: Vec<String> = rows.collect();
        self.block(&format!("| {} |\n| {} |\n{}", head.join(" | "), ruler.join(" | "), rows.join("\n")));
        if let Some(note) = table.left_out() {
            self.block(&inline(&note));
        }
    }

    fn cells(&mut self, result: &EvalResult) {
        let lines = cells::cells(result, &DebateLinks::None, MOST_CELLS);
        let shown = lines.iter().map(|cell| {
            let debate = cell.debates.first().map_or_else(|| "–".to_owned(), |debate| format!("`{}`", id(&debate.id)));
            let texts = [&cell.question, &cell.arm, &cell.outcome, &cell.answer, &cell.gold, &cell.flip, &cell.tokens];
            let mut row: Vec<String> = texts.into_iter().map(|text| inline(text)).collect();
            row.push(debate);
            format!("| {} |", row.join(" | "))
        });
        let shown: Vec<String> = shown.collect();
        let head = "| Question | Arm | Outcome | Answer | Right answer | First vote to verdict | Tokens | Debate |\n| --- | --- | --- | --- | --- | --- | ---: | --- |";
        self.block(&format!("{head}\n{}", shown.join("\n")));
        let more = result.cells.len().saturating_sub(MOST_CELLS);
        if more > 0 {
            self.block(&format!("{} in cells.csv.", count(more as u64, "more row")));
        }
    }
}
