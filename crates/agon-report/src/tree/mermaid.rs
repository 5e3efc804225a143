//! The tree as a Mermaid flowchart.
use super::open::TreePicture;
use super::{ArgumentTree, Relation, TreeEdge, TreeNode};
use crate::markdown::escape::inline;
use crate::minutes::Minutes;
use crate::text::excerpt;
use crate::words::REHEARSAL;
use std::fmt::Write;

/// Characters of a speech in a box.
const MOST_TEXT: usize = 70;
/// Strokes of the stances, in order, readable on light and dark.
const COLOURS: [&str; 8] = ["2f6db5", "b5502f", "2f8f5b", "7d4fb0", "a8801c", "b03f80", "2a8f96", "6a8f2a"];

/// A Markdown page with the flowchart.
pub(super) fn page(minutes: &Minutes<'_>, tree: &ArgumentTree) -> String {
    let picture = TreePicture::of(minutes, tree);
    let mut out = format!("# Argument tree: {}\n", inline(&minutes.admission.spec.topic));
    if minutes.rehearsal() {
        // Writing to a string cannot fail.
        let _ = write!(out, "\n> **{REHEARSAL}.**\n");
    }
    let _ = write!(out, "\n{}\n", picture.described());
    if !picture.drawn.nodes.is_empty() {
        let _ = write!(out, "\n```mermaid\n{}```\n", flowchart(minutes, &picture));
    }
    out
}

fn flowchart(minutes: &Minutes<'_>, picture: &TreePicture) -> String {
    let tree = &picture.drawn;
    let mut out = "flowchart BT\n".to_owned();
    for node in &tree.nodes {
        let _ = writeln!(out, "  T{}[\"{}\"]", node.number, label(node));
    }
    for edge in &tree.edges {
        let _ = writeln!(out, "  T{} {} T{}", edge.from, arrow(picture, edge), edge.to);
    }
    classes(&mut out, minutes, tree);
    out
}

fn label(node: &TreeNode) -> String {
    let stance = node.stance.as_deref().map(|stance| format!(" for {}", excerpt(stance, 40))).unwrap_or_default();
    let head = format!("T{} {}{stance}, {}", node.number, excerpt(&node.speaker, 40), node.kind.label());
    // The line break is ours, and the only tag.
    format!("{}<br/>{}", escaped(&head), escaped(&excerpt(&node.text, MOST_TEXT)))
}

fn arrow(picture: &TreePicture, edge: &TreeEdge) -> String {
    let told = picture.told(edge);
    let name = edge.relation.as_str();
    let more = told.split_once(", ").map(|(_, more)| format!(", {more}")).unwrap_or_default();
    let line = match edge.relation {
        Relation::Attacks => "-->",
        Relation::Supports => "==>",
        Relation::Asks | Relation::Answers => "-.->",
        Relation::Revises => "--o",
    };
    format!("{line}|{name}{more}|")
}

/// A stroke for each stance; the stance stands in the text as well.
fn classes(out: &mut String, minutes: &Minutes<'_>, tree: &ArgumentTree) {
    for (at, stance) in minutes.admission.spec.stances().into_iter().enumerate() {
        let of: Vec<String> = tree
            .nodes
            .iter()
            .filter(|node| node.stance.as_deref() == Some(stance))
            .map(|node| format!("T{}", node.number))
            .collect();
        let Some(colour) = COLOURS.get(at % COLOURS.len()).filter(|_| !of.is_empty()) else { continue };
        let _ = writeln!(out, "  classDef s{at} stroke:#{colour},stroke-width:2px\n  class {} s{at}", of.join(","));
    }
}

/// Text inside a quoted label: everything but letters, digits and a few marks as Mermaid's own character codes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if c.is_alphanumeric() || matches!(c, ' ' | '.' | ',' | '-' | '…' | '–') {
            out.push(c);
        } else {
            let _ = write!(out, "#{};", u32::from(c));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn nothing_that_mermaid_or_html_reads_is_left() {
        let attack = "\"]; click A href \"javascript:alert(1)\"\n%% `md` <b> #quot; |x| {y} ```";
        let escaped = escaped(&crate::text::one_line(attack));
        assert!(escaped.chars().all(|c| c.is_alphanumeric() || " .,-#;".contains(c)), "{escaped}");
        assert!(escaped.starts_with("#34;#93;#59; click A href #34;"), "{escaped}");
    }
}
