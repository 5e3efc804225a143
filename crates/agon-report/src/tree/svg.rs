//! The tree as SVG: no script, no link, no reference; every text escaped and cut.
use super::layout::{self, BOX_HEIGHT, BOX_WIDTH, MARGIN, PlacedNode, TreeLayout};
use super::{ArgumentTree, Relation, TreeEdge};
use crate::minutes::Minutes;
use crate::text::{excerpt, one_line};
use crate::words::{self, REHEARSAL};
use std::fmt::Write;

/// What a picture by itself looks like; in a page, the page's style says so.
const STYLE: &str = include_str!("../../templates/tree.css");
/// Columns of a line of text in a box, and such lines.
const COLUMNS: usize = 26;
/// Columns of a lane's name, which is bold and larger than what stands in the boxes.
const NAME_COLUMNS: usize = COLUMNS * 2 / 3;
const LINES: usize = 2;
/// Room for the names of the lanes.
const NAMES: f64 = 44.0;
/// Room for the legend.
const LEGEND: f64 = 30.0;
/// Room for a line of its own above all.
const NOTE: f64 = 22.0;

/// A drawing that is a file.
pub(super) fn standalone(minutes: &Minutes<'_>, tree: &ArgumentTree) -> String {
    let rehearsal = minutes.rehearsal();
    let top = if rehearsal { NOTE } else { 0.0 };
    let (tree, left_out) = tree.drawn();
    let layout = layout::of(&tree);
    let (width, height) = size(&layout, top);
    let mut out = String::new();
    let topic = escaped(&excerpt(&minutes.admission.spec.topic, 200));
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tree\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\">\n<title>Argument tree: {topic}</title>\n<desc>{}</desc>\n<style>{STYLE}</style>\n<rect class=\"paper\" width=\"{width:.0}\" height=\"{height:.0}\"/>\n",
        escaped(&described(&tree, left_out))
    );
    if rehearsal {
        let _ = writeln!(out, "<text class=\"mark\" x=\"{MARGIN}\" y=\"16\">{}</text>", escaped(REHEARSAL));
    }
    body(&mut out, minutes, &layout, top, false);
    out.push_str("</svg>\n");
    out
}

/// A drawing inside a page.
pub(crate) fn embedded(minutes: &Minutes<'_>, tree: &ArgumentTree, left_out: usize) -> String {
    let layout = layout::of(tree);
    let (width, height) = size(&layout, 0.0);
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg class=\"tree\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\"><title>Argument tree</title><desc>{}</desc>",
        escaped(&described(tree, left_out))
    );
    body(&mut out, minutes, &layout, 0.0, true);
    out.push_str("</svg>");
    out
}

fn size(layout: &TreeLayout<'_>, top: f64) -> (f64, f64) {
    (layout.width.max(560.0), top + LEGEND + NAMES + layout.height + MARGIN)
}

/// The picture in a sentence or two.
pub(crate) fn described(tree: &ArgumentTree, left_out: usize) -> String {
    let mut parts = vec![words::counted(tree.nodes.len() as u64, "speech", "speeches")];
    for relation in Relation::ALL {
        let n = tree.edges.iter().filter(|edge| edge.relation == relation).count();
        if n > 0 {
            parts.push(format!("{n} × {}", relation.as_str()));
        }
    }
    let left_out = if left_out > 0 { format!("; {left_out} later ones are not drawn") } else { String::new() };
    format!("{}{left_out}.", parts.join(", "))
}

fn body(out: &mut String, minutes: &Minutes<'_>, layout: &TreeLayout<'_>, top: f64, linked: bool) {
    legend(out, top);
    names(out, minutes, layout, top + LEGEND);
    let _ = writeln!(out, "<g transform=\"translate(0 {:.0})\">", top + LEGEND + NAMES);
    for drawn in &layout.edges {
        let title = escaped(&told(drawn.edge));
        let class = drawn.edge.relation.as_str();
        let _ = writeln!(
            out,
            "<g class=\"{class}\"><title>{title}</title><path d=\"{}\"/><polygon points=\"{}\"/></g>",
            drawn.path, drawn.head
        );
    }
    layout.placed.iter().for_each(|placed| node(out, minutes, placed, linked));
    out.push_str("</g>\n");
}

/// `T3 attacks T1, severity 7 of 10`.
pub(crate) fn told(edge: &TreeEdge) -> String {
    let severity = edge.severity.map(|severity| format!(", severity {severity} of 10")).unwrap_or_default();
    format!("T{} {} T{}{severity}", edge.from, edge.relation.as_str(), edge.to)
}

fn legend(out: &mut String, top: f64) {
    let y = top + 18.0;
    for (at, relation) in Relation::ALL.into_iter().enumerate() {
        let x = MARGIN + at as f64 * 104.0;
        let name = relation.as_str();
        let _ = writeln!(
            out,
            "<g class=\"{name}\"><path d=\"M{x:.1} {y:.1}h22\"/><polygon points=\"{:.1},{y:.1} {:.1},{:.1} {:.1},{:.1}\"/></g><text class=\"small\" x=\"{:.1}\" y=\"{:.1}\">{name}</text>",
            x + 30.0,
            x + 21.0,
            y - 4.5,
            x + 21.0,
            y + 4.5,
            x + 36.0,
            y + 4.0
        );
    }
}

fn names(out: &mut String, minutes: &Minutes<'_>, layout: &TreeLayout<'_>, top: f64) {
    for name in &layout.lanes {
        let Some(first) = layout.placed.iter().find(|placed| placed.node.speaker == **name) else { continue };
        let stance = first.node.stance.as_deref().map(|stance| cut(stance, COLUMNS)).unwrap_or_default();
        let _ = writeln!(
            out,
            "<g class=\"{}\"><text class=\"lane\" x=\"{:.1}\" y=\"{:.1}\">{}</text><text class=\"stance\" x=\"{:.1}\" y=\"{:.1}\">{}</text></g>",
            class(minutes, first),
            first.x,
            top + 17.0,
            escaped(&cut(name, NAME_COLUMNS)),
            first.x,
            top + 33.0,
            escaped(&stance)
        );
    }
}

fn node(out: &mut String, minutes: &Minutes<'_>, placed: &PlacedNode<'_>, linked: bool) {
    let node = placed.node;
    let head = cut(&format!("T{} {}, {}", node.number, one_line(&node.speaker), node.kind.label()), COLUMNS - 4);
    if linked {
        let _ = write!(out, "<a href=\"#turn-{}-{}\">", node.round, node.seat);
    }
    let _ = write!(
        out,
        "<g class=\"node {}\"><title>{}</title><rect x=\"{:.1}\" y=\"{:.1}\" width=\"{BOX_WIDTH}\" height=\"{BOX_HEIGHT}\" rx=\"5\"/><text class=\"who\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
        class(minutes, placed),
        escaped(&titled(placed)),
        placed.x,
        placed.y,
        placed.x + 9.0,
        placed.y + 18.0,
        escaped(&head)
    );
    for (n, line) in folded(&node.text, COLUMNS, LINES).iter().enumerate() {
        let _ = write!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            placed.x + 9.0,
            placed.y + 35.0 + n as f64 * 15.0,
            escaped(line)
        );
    }
    out.push_str("</g>");
    out.push_str(if linked { "</a>\n" } else { "\n" });
}

fn titled(placed: &PlacedNode<'_>) -> String {
    let node = placed.node;
    let stance = node.stance.as_deref().map(|stance| format!(" for {}", one_line(stance))).unwrap_or_default();
    let kind = node.kind.label();
    format!("T{} {}{stance}, {kind}, round {}: {}", node.number, one_line(&node.speaker), node.round, node.text)
}

/// The class that gives a speech its colour: by stance, or by speaker where there are none.
fn class(minutes: &Minutes<'_>, placed: &PlacedNode<'_>) -> String {
    let stances = minutes.admission.spec.stances();
    let stance = placed.node.stance.as_deref().and_then(|own| stances.iter().position(|stance| *stance == own));
    let place = stance.or_else(|| minutes.debater(&placed.node.speaker)).unwrap_or(0);
    format!("s{}", place % 16)
}

/// Text of an element or attribute.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // What XML cannot hold at all.
            '\u{fffe}' | '\u{ffff}' => {}
            c => out.push(c),
        }
    }
    out
}

/// Parts of a column of ordinary letters.
const PARTS: usize = 10;

/// Tenths of a column that a character takes, roughly: those of East Asian scripts and pictures take two columns, broad letters more
/// than one.
fn columns(c: char) -> usize {
    match c {
        'W' | 'M' | '@' | '%' | '—' | '…' => return 18,
        'm' | 'w' => return 15,
        'A'..='Z' | '_' | '+' | '=' | '<' | '>' | '~' | '#' | '&' => return 12,
        _ => {}
    }
    if matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{1f300}'..='\u{1faff}' | '\u{20000}'..='\u{3fffd}')
    {
        2 * PARTS
    } else {
        PARTS
    }
}

/// As much of the text on one line as fits, with a mark where it is cut.
fn cut(text: &str, most: usize) -> String {
    folded(text, most, 1).into_iter().next().unwrap_or_default()
}

/// The text in at most `lines` lines of at most `most` columns, broken between words where that can be.
fn folded(text: &str, most: usize, lines: usize) -> Vec<String> {
    let text = one_line(text);
    let mut folded: Vec<String> = Vec::new();
    let mut rest = text.as_str();
    while !rest.is_empty() && folded.len() < lines {
        let last = folded.len() + 1 == lines;
        let (line, after) = split(rest, most);
        let (line, after) = if last && !after.is_empty() {
            let (line, _) = split(rest, most.saturating_sub(1));
            (format!("{line}…"), "")
        } else {
            (line.to_owned(), after)
        };
        folded.push(line);
        rest = after;
    }
    folded
}

fn split(text: &str, most: usize) -> (&str, &str) {
    let mut used = 0;
    let mut end = text.len();
    for (at, c) in text.char_indices() {
        used += columns(c);
        if used > most * PARTS {
            end = at;
            break;
        }
    }
    let head = text.get(..end).unwrap_or(text);
    if end == text.len() {
        return (head, "");
    }
    let word =
        head.rfind(' ').filter(|at| *at > end / 2 && !text.get(end..).is_some_and(|after| after.starts_with(' ')));
    let end = word.unwrap_or(end);
    (text.get(..end).unwrap_or_default().trim_end(), text.get(end..).unwrap_or_default().trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_folded_between_words_and_cut_with_a_mark() {
        assert_eq!(folded("one two three four five six", 9, 2), ["one two", "three…"]);
        assert_eq!(folded("short", 9, 2), ["short"]);
        assert_eq!(folded("", 9, 2), Vec::<String>::new());
        assert_eq!(folded("中文字符很宽", 6, 1), ["中文…"]);
        assert_eq!(folded(&"W".repeat(99), 26, 1), [format!("{}…", "W".repeat(13))], "broad letters take more room");
    }

    #[test]
    fn nothing_that_xml_reads_is_left() {
        assert_eq!(escaped("</text><script a=\"b\">'&"), "&lt;/text&gt;&lt;script a=&quot;b&quot;&gt;&#39;&amp;");
    }
}
