//! The tree as SVG: no script, no link, no reference; every text escaped and cut.
use super::fit::{cut, folded};
use super::layout::{self, BOX_HEIGHT, BOX_WIDTH, DrawnEdge, MARGIN, PlacedNode, TreeLayout};
use super::open::TreePicture;
use super::{ArgumentTree, Relation};
use crate::minutes::Minutes;
use crate::text::{excerpt, one_line};
use crate::words::REHEARSAL;
use std::fmt::Write;

/// What a picture by itself looks like; in a page, the page's style says so.
const STYLE: &str = concat!(include_str!("../../templates/palette.css"), include_str!("../../templates/tree.css"));
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
    let picture = TreePicture::of(minutes, tree);
    let layout = layout::of(&picture.drawn);
    let (width, height) = size(&layout, top);
    let mut out = String::new();
    let topic = escaped(&excerpt(&minutes.admission.spec.topic, 200));
    // Writing to a string cannot fail.
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"tree\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"img\">\n<title>Argument tree: {topic}</title>\n<desc>{}</desc>\n<style>{STYLE}</style>\n<rect class=\"paper\" width=\"{width:.0}\" height=\"{height:.0}\"/>\n",
        escaped(&picture.described())
    );
    if rehearsal {
        let _ = writeln!(out, "<text class=\"mark\" x=\"{MARGIN}\" y=\"16\">{}</text>", escaped(REHEARSAL));
    }
    body(&mut out, minutes, &layout, &TreeFrame { picture: &picture, top, linked: false });
    out.push_str("</svg>\n");
    out
}

/// A drawing inside a page, with links to what was said.
pub(crate) fn embedded(minutes: &Minutes<'_>, picture: &TreePicture) -> String {
    let layout = layout::of(&picture.drawn);
    let (width, height) = size(&layout, 0.0);
    let mut out = String::new();
    // A picture with links in it is a group: an image has nothing inside that a reader can reach.
    let _ = writeln!(
        out,
        "<svg class=\"tree\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" role=\"group\" aria-label=\"Argument tree\"><desc>{}</desc>",
        escaped(&picture.described())
    );
    body(&mut out, minutes, &layout, &TreeFrame { picture, top: 0.0, linked: true });
    out.push_str("</svg>");
    out
}

/// How a picture is drawn.
struct TreeFrame<'p> {
    picture: &'p TreePicture,
    /// What stands above it.
    top: f64,
    /// Whether its boxes are links.
    linked: bool,
}

fn size(layout: &TreeLayout<'_>, top: f64) -> (f64, f64) {
    (layout.width.max(620.0), top + LEGEND + NAMES + layout.height + MARGIN)
}

fn body(out: &mut String, minutes: &Minutes<'_>, layout: &TreeLayout<'_>, frame: &TreeFrame<'_>) {
    let TreeFrame { picture, top, linked } = *frame;
    legend(out, picture, top);
    names(out, minutes, layout, top + LEGEND);
    let _ = writeln!(out, "<g transform=\"translate(0 {:.0})\">", top + LEGEND + NAMES);
    layout.edges.iter().for_each(|drawn| edge(out, picture, drawn));
    layout.placed.iter().for_each(|placed| node(out, minutes, placed, linked));
    // Above the boxes, so that none of them is hidden.
    let open = layout.edges.iter().filter(|drawn| picture.open.has(drawn.edge));
    open.for_each(|drawn| mark(out, drawn.mark));
    out.push_str("</g>\n");
}

fn edge(out: &mut String, picture: &TreePicture, drawn: &DrawnEdge<'_>) {
    let (title, class) = (escaped(&picture.told(drawn.edge)), drawn.edge.relation.as_str());
    let open = if picture.open.has(drawn.edge) { " open" } else { "" };
    let _ = writeln!(
        out,
        "<g class=\"{class}{open}\"><title>{title}</title><path d=\"{}\"/><polygon points=\"{}\"/></g>",
        drawn.path, drawn.head
    );
}

/// The mark of an attack that nobody answered: a colour is not all there is.
fn mark(out: &mut String, (x, y): (f64, f64)) {
    let _ = writeln!(
        out,
        "<g class=\"unanswered\"><circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"7\"/><text x=\"{x:.1}\" y=\"{:.1}\">!</text></g>",
        y + 4.0
    );
}

fn legend(out: &mut String, picture: &TreePicture, top: f64) {
    let y = top + 18.0;
    let mut x = MARGIN;
    for relation in Relation::ALL {
        key(out, (x, y), relation.as_str(), relation.as_str());
        x += 96.0;
    }
    if picture.open.any() {
        key(out, (x, y), "attacks open", "unanswered");
        mark(out, (x + 7.0, y));
    }
}

fn key(out: &mut String, (x, y): (f64, f64), class: &str, name: &str) {
    let _ = writeln!(
        out,
        "<g class=\"{class}\"><path d=\"M{x:.1} {y:.1}h22\"/><polygon points=\"{:.1},{y:.1} {:.1},{:.1} {:.1},{:.1}\"/></g><text class=\"small\" x=\"{:.1}\" y=\"{:.1}\">{name}</text>",
        x + 30.0,
        x + 21.0,
        y - 4.5,
        x + 21.0,
        y + 4.5,
        x + 36.0,
        y + 4.0
    );
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
        escaped(&titled(minutes, placed)),
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

fn titled(minutes: &Minutes<'_>, placed: &PlacedNode<'_>) -> String {
    let node = placed.node;
    let round = if minutes.is_round(node.round) { format!(", round {}", node.round) } else { String::new() };
    let stance = node.stance.as_deref().map(|stance| format!(" for {}", one_line(stance))).unwrap_or_default();
    let kind = node.kind.label();
    format!("T{} {}{stance}, {kind}{round}: {}", node.number, one_line(&node.speaker), node.text)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_xml_reads_is_left() {
        assert_eq!(escaped("</text><script a=\"b\">'&"), "&lt;/text&gt;&lt;script a=&quot;b&quot;&gt;&#39;&amp;");
    }
}
