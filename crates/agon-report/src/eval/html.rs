//! An eval's result as one self-contained page: its own style and one script, whose hashes the page's own policy names.
use super::cells::{self, CellFilter, CellLine, DebateLinks, MOST_CELLS};
use super::document::{self, EvalBlock, EvalSection};
use super::summary::{self, EvalFinding};
use crate::html::HtmlError;
use crate::text::one_line;
use crate::words::{REHEARSAL, count, number};
use agon_eval::EvalResult;
use askama::Template;

/// The page's style: that of debates, and what figures add.
const STYLE: &str = concat!(
    include_str!("../../templates/palette.css"),
    include_str!("../../templates/report.css"),
    include_str!("../../templates/eval.css")
);
/// SHA-256 of [`STYLE`]; a test says the right one when the style has changed.
const STYLE_HASH: &str = "sha256-e8OuAeil3vVKZbQP3QLzs7AmtlKJ+zobPTBE5n0jU/w=";
/// Filters the rows of the last table. Without it the table is whole.
const SCRIPT: &str = include_str!("../../templates/eval.js");
/// SHA-256 of [`SCRIPT`].
const SCRIPT_HASH: &str = "sha256-BvV8C+Wd+AlkoLUiaJDeZ+1v1lMjNHpAia428HQC87o=";

/// The whole report as a page for any browser, for screen and paper.
pub fn eval_html(result: &EvalResult, links: &DebateLinks) -> Result<String, HtmlError> {
    Ok(EvalPage::of(result, links).render()?)
}

/// The policy of that page, for a server that sends it: that of the page itself, and that no other page may frame it.
pub fn eval_policy() -> String {
    format!(
        "default-src 'none'; style-src '{STYLE_HASH}'; script-src '{SCRIPT_HASH}'; img-src data:; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'"
    )
}

/// The whole page. Every text is escaped by the template; only drawings are put in as they are.
#[derive(Template)]
#[template(path = "eval.html")]
struct EvalPage {
    title: String,
    rehearsal: Option<&'static str>,
    findings: Vec<EvalFinding>,
    brief: Vec<(&'static str, String)>,
    sections: Vec<EvalSection>,
    filters: Vec<CellFilter>,
    cells: Vec<CellLine>,
    left_out: usize,
    version: String,
    eval: String,
}

impl EvalPage {
    fn of(result: &EvalResult, links: &DebateLinks) -> Self {
        Self {
            title: document::title(result),
            rehearsal: result.rehearsal.then_some(REHEARSAL),
            findings: unbroken_findings(summary::findings(result)),
            brief: summary::brief(result).into_iter().map(|(name, value)| (name, unbroken(&value))).collect(),
            sections: document::document(result).into_iter().map(unbroken_section).collect(),
            filters: cells::filters(result),
            cells: cells::cells(result, links, MOST_CELLS),
            left_out: result.cells.len().saturating_sub(MOST_CELLS),
            version: one_line(&result.agon_version),
            eval: one_line(&result.eval),
        }
    }
    /// A link's text: `report`, or `report 2` where a row has several.
    fn link_text(&self, cell: &CellLine, at: &usize) -> String {
        if cell.debates.len() > 1 { format!("report {}", at + 1) } else { "report".to_owned() }
    }
    fn rows(&self) -> String {
        count(self.cells.len() as u64, "row")
    }
    /// What the first finding is, for the colour at the top.
    fn tone(&self) -> &'static str {
        self.findings.first().map_or("open", |finding| finding.tone.class())
    }
    fn more_rows(&self) -> Option<String> {
        (self.left_out > 0)
            .then(|| format!("{} are left out here; cells.csv has all.", count(self.left_out as u64, "more row")))
    }
}

fn unbroken_findings(findings: Vec<EvalFinding>) -> Vec<EvalFinding> {
    let one = |finding: EvalFinding| EvalFinding { sentence: unbroken(&finding.sentence), ..finding };
    findings.into_iter().map(one).collect()
}

fn unbroken_section(section: EvalSection) -> EvalSection {
    let lines = |lines: Vec<String>| lines.iter().map(|line| unbroken(line)).collect();
    let block = |block| match block {
        EvalBlock::Lead(text) => EvalBlock::Lead(unbroken(&text)),
        EvalBlock::Lines(all) => EvalBlock::Lines(lines(all)),
        EvalBlock::Warnings(all) => EvalBlock::Warnings(lines(all)),
        other => other,
    };
    EvalSection { blocks: section.blocks.into_iter().map(block).collect(), ..section }
}

/// A text whose figures keep their units, signs and bounds on the same line.
fn unbroken(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    let mut out = String::with_capacity(text.len());
    for (at, word) in words.iter().enumerate() {
        out.push_str(word);
        let Some(next) = words.get(at + 1) else { break };
        let figure = word.ends_with(|c: char| c.is_ascii_digit());
        let unit = figure && ["%", "×", "x", "points"].iter().any(|unit| next.starts_with(unit));
        let test = matches!(*word, "=" | "<") || (*word == "p" && matches!(*next, "=" | "<"));
        let bound = word.starts_with('[') && word.ends_with(',');
        out.push(if unit || test || bound { '\u{a0}' } else { ' ' });
    }
    out
}

impl CellLine {
    /// The attributes by which the script filters, with a blank before each.
    fn attributes(&self) -> String {
        let keyed = ["a", "o", "f", "c"].into_iter().zip(self.places);
        let places: String = keyed.filter_map(|(key, place)| Some(format!(" data-{key}={}", place?))).collect();
        format!("{places}{}", if self.same_question { " data-s" } else { "" })
    }
    fn more(&self) -> Option<String> {
        (self.more_debates > 0).then(|| format!("and {} more", number(self.more_debates as u64)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use sha2::{Digest as _, Sha256};

    fn hash(text: &str) -> String {
        format!("sha256-{}", base64::prelude::BASE64_STANDARD.encode(Sha256::digest(text)))
    }

    #[test]
    fn figures_and_their_units_stay_on_one_line() {
        assert_eq!(
            unbroken("65.8 % right at 0.99 × or 1.2 x, +7.4 points [1.6, 13.1], p = 0.302, 60 questions"),
            "65.8\u{a0}% right at 0.99\u{a0}× or 1.2\u{a0}x, +7.4\u{a0}points [1.6,\u{a0}13.1], p\u{a0}=\u{a0}0.302, 60 questions"
        );
    }

    #[test]
    fn the_policy_names_the_hashes_of_style_and_script() {
        assert_eq!((STYLE_HASH, SCRIPT_HASH), (hash(STYLE).as_str(), hash(SCRIPT).as_str()));
    }

    #[test]
    fn a_server_sends_the_policy_of_the_page_and_lets_nobody_frame_it() {
        let template = include_str!("../../templates/eval.html");
        let own =
            template.split_once("Content-Security-Policy\" content=\"").and_then(|(_, rest)| rest.split_once('"'));
        let own = own.unwrap().0.replace("{{ STYLE_HASH }}", STYLE_HASH).replace("{{ SCRIPT_HASH }}", SCRIPT_HASH);
        assert_eq!(eval_policy(), format!("{own}; frame-ancestors 'none'"));
    }

    #[test]
    fn style_and_script_ask_for_nothing_and_cannot_end_their_elements() {
        for word in ["url(", "@import", "</", "expression("] {
            assert!(!STYLE.contains(word), "{word}");
        }
        for word in [
            "</",
            "<!--",
            "innerHTML",
            "outerHTML",
            "insertAdjacent",
            "document.write",
            "eval(",
            "fetch",
            "XMLHttp",
            "http",
            "import",
            "Function",
        ] {
            assert!(!SCRIPT.contains(word), "{word}");
        }
    }
}
