//! CEL: expressions by a grammar, with labels.
use crate::dice::{SplitMix, mutate};
use agon_core::{Budget, ExpressionError, Figures, MOST_EXPRESSION_STEPS, check_terminate_when, terminates};
use std::collections::BTreeMap;

/// An expression, a line with the number and the length of labels before it.
pub fn make(dice: &mut SplitMix) -> Vec<u8> {
    let (labels, length) = (dice.size(200), dice.size(300));
    let depth = dice.below(9);
    let mut expression = part(dice, depth, &mut Vec::new());
    if dice.once_in(4) {
        let grown = (0..1 + dice.below(3)).map(|n| format!("[x].map(v{n}, v{n} + v{n})[0]"));
        expression = grown.fold(expression, |inner, outer| outer.replace("[x]", &format!("[{inner}]")));
    }
    let bytes = if dice.once_in(3) { mutate(dice, expression.into_bytes()) } else { expression.into_bytes() };
    [format!("{labels} {length}\n").into_bytes(), bytes].concat()
}

fn part(dice: &mut SplitMix, depth: usize, names: &mut Vec<String>) -> String {
    const LEAVES: [&str; 12] = [
        "round",
        "turns",
        "tokens",
        "labels",
        "budget",
        "agreement",
        "1",
        "2.5",
        "'text'",
        "true",
        "[1, 2, 3]",
        "labels.k1",
    ];
    if depth == 0 {
        return if dice.once_in(2) && !names.is_empty() { dice.pick(names) } else { dice.pick(&LEAVES).to_owned() };
    }
    let mut inner = |names: &mut Vec<String>| part(dice, depth - 1, names);
    let one = inner(names);
    let two = if depth < 4 { inner(names) } else { "labels".to_owned() };
    match dice.below(8) {
        0 => format!("{one} {} {two}", dice.pick(&["+", "-", "*", "/", "==", "<", "&&", "||", "in", "%"])),
        1 => format!("{}({one})", dice.pick(&["size", "string", "int", "!", "-", "bytes", "type", "dyn"])),
        2 => format!("[{one}, {two}]"),
        3 => format!("{{'a': {one}}}"),
        4 => format!("{one} ? {two} : {one}"),
        _ => {
            let name = format!("n{}", names.len());
            names.push(name.clone());
            let body = part(dice, depth - 1, names);
            names.pop();
            let kind = dice.pick(&["all", "exists", "exists_one", "map", "filter"]);
            let list =
                dice.pick(&["labels".to_owned(), "[1, 2, 3]".to_owned(), "labels.map(l, labels)".to_owned(), two]);
            format!("{list}.{kind}({name}, {body})")
        }
    }
}

pub fn run(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (first, expression) = text.split_once('\n').unwrap_or(("0 0", &text));
    let mut numbers = first.split(' ').map(|number| number.parse().unwrap_or(0_usize).min(1_000));
    let (count, length) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
    let labels: BTreeMap<String, String> = (0..count).map(|n| (format!("k{n}"), "v".repeat(length))).collect();
    let checked = check_terminate_when(expression, &labels, Budget::default(), MOST_EXPRESSION_STEPS);
    let figures = Figures { labels, ..Figures::default() };
    let answer = terminates(expression, &figures);
    let is_bounded = |error: &ExpressionError| error.to_string().len() < 4_000;
    assert!(checked.as_ref().err().is_none_or(is_bounded) && answer.as_ref().err().is_none_or(is_bounded));
    let refused =
        |error: &ExpressionError| matches!(error, ExpressionError::TooMuch { .. } | ExpressionError::TooLong { .. });
    let is_unknown = matches!(checked, Err(ExpressionError::UnknownVariable(_) | ExpressionError::Syntax { .. }));
    assert!(
        is_unknown || checked.as_ref().err().is_some_and(refused) == answer.as_ref().err().is_some_and(refused),
        "check and evaluation differ: {checked:?} {answer:?}"
    );
}
