//! A trace as a picture: spans under their parents, in the order of time, with their attributes.
use crate::test_bench::START;
use agon_testkit::SinkSpan;
use std::fmt::Write;

/// Draws it. Ids do not show, but spans without a known parent do.
pub fn draw(spans: &[SinkSpan]) -> String {
    let mut picture = String::new();
    let known = |id: &str| spans.iter().any(|span| span.span_id == id);
    let mut tops: Vec<&SinkSpan> = spans.iter().filter(|span| !known(&span.parent)).collect();
    tops.sort_by_key(|span| (span.start, &span.name));
    for top in tops {
        let orphan = if top.parent.is_empty() { "" } else { "(orphan) " };
        branch(&mut picture, spans, top, orphan, 0);
    }
    picture
}

fn branch(picture: &mut String, spans: &[SinkSpan], span: &SinkSpan, mark: &str, depth: usize) {
    let indent = "    ".repeat(depth);
    let at = |nanos: u64| (nanos / 1_000_000).saturating_sub(START);
    let (from, to) = (at(span.start), at(span.end));
    let error = span.error.as_ref().map(|error| format!(" ERROR {error:?}")).unwrap_or_default();
    let links = span.links.iter().map(|link| format!(" -> {link}")).collect::<String>();
    writeln!(picture, "{indent}{mark}{} [{}] {from}..{to}ms{error}{links}", span.name, span.kind).unwrap();
    let attributes: Vec<String> = span.attributes.iter().map(|(key, value)| format!("{key}={value}")).collect();
    writeln!(picture, "{indent}  {}", attributes.join(" ")).unwrap();
    for event in &span.events {
        writeln!(picture, "{indent}  * {event}").unwrap();
    }
    let mut children: Vec<&SinkSpan> = spans.iter().filter(|child| child.parent == span.span_id).collect();
    children.sort_by_key(|child| (child.start, &child.name));
    children.into_iter().for_each(|child| branch(picture, spans, child, "", depth + 1));
}
