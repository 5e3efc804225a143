//! PromQL as far as it must be read to know which series it asks for.
use std::collections::BTreeSet;

/// A metric and the labels by which it is chosen.
#[derive(Debug, PartialEq, Eq)]
pub struct Selector {
    pub metric: String,
    pub labels: BTreeSet<String>,
}

/// Words that name no metric, although no bracket follows them at once.
const WORDS: [&str; 8] = ["and", "or", "unless", "bool", "sum", "max", "min", "count"];
/// Words that a list of labels follows.
const LABELS_FOLLOW: [&str; 4] = ["by", "on", "group_left", "group_right"];

/// What an expression asks for. A line that a process exports is one too.
pub fn selectors(expression: &str) -> Vec<Selector> {
    let mut rest = expression;
    let mut found = Vec::new();
    while let Some(first) = rest.chars().next() {
        if first == '"' || first == '[' || first.is_ascii_digit() {
            rest = behind_literal(rest, first);
            continue;
        }
        if !is_name(first) {
            rest = &rest[first.len_utf8()..];
            continue;
        }
        let (name, behind) = split(rest, is_name);
        let next = behind.trim_start();
        rest = next;
        if LABELS_FOLLOW.contains(&name) {
            rest = next.split_once(')').expect("a list of labels ends").1;
        } else if next.starts_with('{') {
            let (inside, behind) = braces(next);
            found.push(Selector { metric: name.to_owned(), labels: labels(inside) });
            rest = behind;
        } else if !next.starts_with('(') && !WORDS.contains(&name) {
            found.push(Selector { metric: name.to_owned(), labels: BTreeSet::new() });
        }
    }
    found
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_' || c == ':'
}

fn split(text: &str, while_it: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !while_it(c)).unwrap_or(text.len()))
}

fn behind_literal(text: &str, first: char) -> &str {
    match first {
        '"' => text[1..].split_once('"').expect("a text ends").1,
        '[' => text.split_once(']').expect("a range ends").1,
        _ => split(text, |c| c.is_ascii_alphanumeric() || c == '.').1,
    }
}

/// What stands in the braces that the text begins with, and what behind them; texts inside may hold braces.
fn braces(text: &str) -> (&str, &str) {
    let mut in_text = false;
    for (at, c) in text.char_indices() {
        match c {
            '"' => in_text = !in_text,
            '}' if !in_text => return (&text[1..at], &text[at + 1..]),
            _ => {}
        }
    }
    panic!("no end: {text}")
}

fn labels(inside: &str) -> BTreeSet<String> {
    let mut labels = BTreeSet::new();
    let mut rest = inside;
    while let Some((label, behind)) = rest.split_once(['=', '!']) {
        labels.insert(label.trim_matches([',', ' ']).to_owned());
        rest = behind.split_once('"').and_then(|(_, text)| text.split_once('"')).expect("a label has a value").1;
    }
    labels
}

#[test]
fn metrics_are_told_from_functions_words_and_labels() {
    let of = |expression: &str| {
        let found = selectors(expression);
        found
            .into_iter()
            .map(|one| (one.metric, one.labels.into_iter().collect::<Vec<_>>().join(" ")))
            .collect::<Vec<_>>()
    };
    let pair = |metric: &str, labels: &str| (metric.to_owned(), labels.to_owned());
    assert_eq!(
        of("sum by (a, b) (rate(x_total{c!=\"\",d=~\"e}|f\"}[5m])) / on (a) group_left () 1e6 > 0.1 * y or vector(0)"),
        [pair("x_total", "c d"), pair("y", "")]
    );
    assert_eq!(
        of("label_replace(a:b, \"x\", \"$1\", \"y\", \"(.*)\") unless count(z{}) > 2"),
        [pair("a:b", ""), pair("z", "")]
    );
    assert_eq!(of("m_bucket{le=\"+Inf\",host=\"a b\"}"), [pair("m_bucket", "host le")]);
}
