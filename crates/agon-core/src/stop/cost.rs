//! What an expression costs at most, counted before it is evaluated.
//!
//! Every part of an expression is a step, and so is every element and every 16 bytes that a part copies or compares. The
//! parts inside a loop count as often as the loop can run.
use super::VARIABLES;
use cel::common::ast::{
    CallExpr, ComprehensionExpr, EntryExpr, Expr, IdedEntryExpr, IdedExpr, LiteralValue, operators,
};
use std::collections::{BTreeMap, BTreeSet};

/// How many bytes are copied or compared in one step.
const BYTES_PER_STEP: usize = 16;

/// What is known of an expression before it is evaluated.
pub(super) struct Counted<'a> {
    /// The most steps that evaluating it takes.
    pub steps: u64,
    /// Names that it reads and that neither a debate nor one of its loops has.
    pub unknown: BTreeSet<&'a str>,
}

/// Counts `expression`; `labels` are the only variable without a fixed size.
pub(super) fn count<'a>(expression: &'a IdedExpr, labels: &BTreeMap<String, String>) -> Counted<'a> {
    let names = vec![("labels", Size::of_labels(labels)), ("budget", Size::BUDGET)];
    let mut count = CostCounter { names, unknown: BTreeSet::new() };
    let steps = count.part(expression).steps;
    Counted { steps, unknown: count.unknown }
}

/// The most that a value can hold, inner values included.
#[derive(Clone, Copy, Default)]
struct Size {
    /// Elements of its longest list or mapping.
    items: u64,
    /// Steps to copy all of it.
    whole: u64,
    /// Steps to copy its largest element.
    element: u64,
    /// Steps to copy its longest text.
    text: u64,
}

impl Size {
    /// A number, also when it is written as a text.
    const SCALAR: Self = Self { items: 0, whole: 2, element: 0, text: 2 };
    /// `budget` with its two keys.
    const BUDGET: Self = Self { items: 2, whole: 8, element: 2, text: 2 };

    fn of_text(bytes: usize) -> Self {
        let steps = u64::try_from(1 + bytes / BYTES_PER_STEP).unwrap_or(u64::MAX);
        Self { items: 0, whole: steps, element: 0, text: steps }
    }
    fn of_labels(labels: &BTreeMap<String, String>) -> Self {
        labels
            .iter()
            .flat_map(|(key, value)| [key, value])
            .map(|text| Self::of_text(text.len()))
            .fold(Self { items: u64::try_from(labels.len()).unwrap_or(u64::MAX), ..Self::default() }, Self::holding)
    }
    /// This list or mapping with one more value in it; the caller counts the elements.
    fn holding(self, inner: Self) -> Self {
        Self {
            items: self.items.max(inner.items),
            whole: self.whole.saturating_add(inner.whole),
            element: self.element.max(inner.whole),
            text: self.text.max(inner.text),
        }
    }
    /// Any one of its elements.
    fn any_element(self) -> Self {
        Self { whole: self.element, ..self }
    }
    /// Two texts or two lists in a row.
    fn then(self, next: Self) -> Self {
        Self {
            items: self.items.saturating_add(next.items),
            whole: self.whole.saturating_add(next.whole),
            element: self.element.max(next.element),
            text: self.text.saturating_add(next.text),
        }
    }
    /// One of the two.
    fn or(self, other: Self) -> Self {
        Self {
            items: self.items.max(other.items),
            whole: self.whole.max(other.whole),
            element: self.element.max(other.element),
            text: self.text.max(other.text),
        }
    }
    /// A list to which a loop has added this so often. No macro adds to a text.
    fn times(self, runs: u64) -> Self {
        Self { items: self.items.saturating_mul(runs), whole: self.whole.saturating_mul(runs), ..self }
    }
}

/// A part of an expression: what it costs, and how large its value can be.
#[derive(Clone, Copy, Default)]
struct Cost {
    steps: u64,
    size: Size,
}

struct CostCounter<'a> {
    /// Names and the sizes of what they stand for, the innermost last. A name that is missing is a number.
    names: Vec<(&'a str, Size)>,
    unknown: BTreeSet<&'a str>,
}

impl<'a> CostCounter<'a> {
    fn part(&mut self, part: &'a IdedExpr) -> Cost {
        let Cost { steps, size } = match &part.expr {
            Expr::Unspecified => Cost::default(),
            Expr::Literal(LiteralValue::String(text)) => Cost { steps: 0, size: Size::of_text(text.inner().len()) },
            Expr::Literal(LiteralValue::Bytes(bytes)) => Cost { steps: 0, size: Size::of_text(bytes.inner().len()) },
            Expr::Literal(_) => Cost { steps: 0, size: Size::SCALAR },
            Expr::Ident(name) => Cost { steps: 0, size: self.named(name) },
            Expr::Select(select) => self.element_of(&select.operand),
            Expr::Call(call) => self.call(call),
            Expr::List(list) => self.holder(list.elements.iter().collect()),
            Expr::Map(map) => self.holder(map.entries.iter().flat_map(entry).collect()),
            Expr::Struct(made) => self.holder(made.entries.iter().flat_map(entry).collect()),
            Expr::Comprehension(looped) => self.looped(looped),
        };
        Cost { steps: steps.saturating_add(1), size }
    }

    fn named(&mut self, name: &'a str) -> Size {
        if let Some((_, size)) = self.names.iter().rev().find(|(known, _)| *known == name) {
            return *size;
        }
        if !VARIABLES.contains(&name) {
            self.unknown.insert(name);
        }
        Size::SCALAR
    }

    fn element_of(&mut self, operand: &'a IdedExpr) -> Cost {
        let Cost { steps, size } = self.part(operand);
        Cost { steps, size: size.any_element() }
    }

    /// A list, mapping or message that is written out: its parts are copied into it.
    fn holder(&mut self, parts: Vec<&'a IdedExpr>) -> Cost {
        let items = u64::try_from(parts.len()).unwrap_or(u64::MAX);
        let mut all = Cost { steps: 0, size: Size { items, whole: 1, ..Size::default() } };
        for part in parts {
            let Cost { steps, size } = self.part(part);
            all.steps = all.steps.saturating_add(steps).saturating_add(size.whole);
            all.size = all.size.holding(size);
        }
        all
    }

    fn call(&mut self, call: &'a CallExpr) -> Cost {
        let parts: Vec<Cost> =
            call.target.as_deref().into_iter().chain(&call.args).map(|part| self.part(part)).collect();
        let of_parts = parts.iter().fold(0_u64, |sum, part| sum.saturating_add(part.steps));
        let (own, size) = called(&call.func_name, &parts.iter().map(|part| part.size).collect::<Vec<_>>());
        Cost { steps: of_parts.saturating_add(own), size }
    }

    fn looped(&mut self, looped: &'a ComprehensionExpr) -> Cost {
        let (range, begin) = (self.part(&looped.iter_range), self.part(&looped.accu_init));
        let runs = range.size.items;
        let item = range.size.any_element();
        let outer = self.names.len();
        self.names.push((&looped.accu_var, begin.size));
        self.names.push((&looped.iter_var, item));
        self.names.extend(looped.iter_var2.as_deref().map(|name| (name, item)));
        let (condition, step) = (self.part(&looped.loop_cond), self.part(&looped.loop_step));
        let end = begin.size.then(step.size.times(runs));
        self.names.truncate(outer);
        self.names.push((&looped.accu_var, end));
        let result = self.part(&looped.result);
        self.names.truncate(outer);
        let each_run = [condition.steps, step.steps, item.whole, 1].into_iter().fold(0, u64::saturating_add);
        let once = [range.steps, begin.steps, result.steps, end.whole].into_iter().fold(0, u64::saturating_add);
        Cost { steps: once.saturating_add(each_run.saturating_mul(runs)), size: result.size }
    }
}

pub(super) fn entry(entry: &IdedEntryExpr) -> Vec<&IdedExpr> {
    match &entry.expr {
        EntryExpr::StructField(field) => vec![&field.value],
        EntryExpr::MapEntry(entry) => vec![&entry.key, &entry.value],
    }
}

/// The steps of a function or operator beyond those of its arguments, and the size of its value.
fn called(name: &str, sizes: &[Size]) -> (u64, Size) {
    let all = sizes.iter().copied().fold(Size::default(), Size::then);
    let smallest = sizes.iter().map(|size| size.whole).min().unwrap_or_default();
    match (name, sizes) {
        (operators::CONDITIONAL, [_, yes, no]) => (0, yes.or(*no)),
        (operators::INDEX, [held, key]) => (key.text, held.any_element()),
        (operators::IN, [wanted, held]) => (held.items.saturating_mul(wanted.whole.min(held.element)), Size::SCALAR),
        (
            operators::EQUALS
            | operators::NOT_EQUALS
            | operators::LESS
            | operators::LESS_EQUALS
            | operators::GREATER
            | operators::GREATER_EQUALS,
            _,
        ) => (smallest, Size::SCALAR),
        (
            operators::LOGICAL_AND | operators::LOGICAL_OR | operators::LOGICAL_NOT | operators::NOT_STRICTLY_FALSE,
            _,
        ) => (0, Size::SCALAR),
        ("size" | "contains" | "startsWith" | "endsWith", _) => (all.text, Size::SCALAR),
        // Whatever else there is reads its arguments once, and gives no more than they hold together.
        _ => (all.whole, all.then(Size::SCALAR)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cost(expression: &str, labels: usize) -> u64 {
        let labels = (0..labels).map(|n| (format!("k{n}"), "v".repeat(40))).collect();
        count(cel::Program::compile(expression).unwrap().expression(), &labels).steps
    }

    #[test]
    fn loops_multiply_and_their_lists_grow() {
        assert!(cost("round >= 2 && turns > 8", 0) < 20);
        let (one, two) = (cost("labels.all(a, a != '')", 10), cost("labels.all(a, labels.all(b, a != b))", 10));
        assert!(two > 9 * one, "{one} {two}");
        let nested = cost("labels.map(a, labels.map(b, b)).all(x, x.all(y, y != ''))", 10);
        assert!(nested > 10 * 10 * 5, "{nested}");
        assert!(cost("labels.all(a, a != '')", 100) > 9 * one);
    }

    #[test]
    fn texts_and_lists_that_double_are_counted_as_they_grow() {
        let doubled = |start: &str, times: usize| {
            (0..times).fold(start.to_owned(), |inner, n| format!("[{inner}].map(x{n}, x{n} + x{n})[0]"))
        };
        for start in ["'aaaaaaaaaaaaaaaa'", "[1]", "labels.map(k, k)"] {
            let (few, more) = (cost(&doubled(start, 4), 4), cost(&doubled(start, 8), 4));
            assert!(more > 10 * few, "{start}: {few} {more}");
        }
    }

    #[test]
    fn what_is_chosen_by_a_condition_is_as_large_as_the_larger_part() {
        let large = cost("(true ? [1] : labels.map(k, k)).all(x, x != 1)", 30);
        assert!(large > 30 * 5, "{large}");
    }
}
