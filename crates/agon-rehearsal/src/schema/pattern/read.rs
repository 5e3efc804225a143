//! From the text of a pattern to its parts.

use regex_syntax::ast::{
    AssertionKind, Ast, ClassPerl, ClassPerlKind, ClassSet, ClassSetItem, GroupKind, Literal, LiteralKind,
    RepetitionKind, RepetitionRange, SpecialLiteralKind, parse::ParserBuilder,
};

use super::{Atom, Branch, MOST_REPEATS, PatternPart, Set};

/// Deepest nesting of groups, repetitions and classes.
const DEEPEST: u32 = 96;

/// The alternatives of a whole pattern; none if anything in it is not understood.
pub fn read(text: &str) -> Option<Vec<Branch>> {
    let pattern = ParserBuilder::new().nest_limit(DEEPEST).build().parse(text).ok()?;
    branches(&pattern, true)
}

fn branches(pattern: &Ast, outermost: bool) -> Option<Vec<Branch>> {
    match pattern {
        Ast::Alternation(of) => of.asts.iter().map(|one| branch(one, outermost)).collect(),
        one => Some(vec![branch(one, outermost)?]),
    }
}

fn branch(pattern: &Ast, outermost: bool) -> Option<Branch> {
    let parts = match pattern {
        Ast::Empty(_) => &[],
        Ast::Concat(of) => of.asts.as_slice(),
        one => std::slice::from_ref(one),
    };
    let is = |part: Option<&Ast>, kind: AssertionKind| {
        outermost && matches!(part, Some(Ast::Assertion(assertion)) if assertion.kind == kind)
    };
    let from_start = is(parts.first(), AssertionKind::StartLine);
    let to_end = is(parts.last(), AssertionKind::EndLine);
    let parts = parts.get(usize::from(from_start)..parts.len() - usize::from(to_end))?;
    Some(Branch { from_start, to_end, parts: parts.iter().map(part).collect::<Option<_>>()? })
}

fn part(pattern: &Ast) -> Option<PatternPart> {
    let Ast::Repetition(repetition) = pattern else {
        return Some(PatternPart { atom: atom(pattern)?, least: 1, most: 1 });
    };
    let count = |n: u32| usize::try_from(n).unwrap_or(usize::MAX);
    let (least, most) = match &repetition.op.kind {
        RepetitionKind::ZeroOrOne => (0, 1),
        RepetitionKind::ZeroOrMore => (0, MOST_REPEATS),
        RepetitionKind::OneOrMore => (1, MOST_REPEATS),
        RepetitionKind::Range(RepetitionRange::Exactly(n)) => (count(*n), count(*n)),
        RepetitionKind::Range(RepetitionRange::AtLeast(n)) => (count(*n), MOST_REPEATS),
        RepetitionKind::Range(RepetitionRange::Bounded(least, most)) => (count(*least), count(*most)),
    };
    let atom = atom(&repetition.ast)?;
    (least <= most && most <= MOST_REPEATS).then_some(PatternPart { atom, least, most })
}

fn atom(pattern: &Ast) -> Option<Atom> {
    let (ranges, negated) = match pattern {
        Ast::Group(group) => match &group.kind {
            GroupKind::NonCapturing(flags) if !flags.items.is_empty() => return None,
            GroupKind::CaptureName { .. } => return None,
            GroupKind::CaptureIndex(_) | GroupKind::NonCapturing(_) => {
                return branches(&group.ast, false).map(Atom::Group);
            }
        },
        Ast::Dot(_) => (vec![('\n', '\n'), ('\r', '\r')], true),
        // a bracket without its partner is a mistake in schemas
        Ast::Literal(one) if one.kind == LiteralKind::Verbatim && matches!(one.c, ']' | '}') => return None,
        Ast::Literal(one) => (literal(one)?, false),
        Ast::ClassPerl(class) => (named(class), class.negated),
        Ast::ClassBracketed(class) => (listed(&class.kind)?, class.negated),
        _ => return None,
    };
    Some(Atom::Set(Set { negated, ranges }))
}

fn listed(class: &ClassSet) -> Option<Vec<(char, char)>> {
    let items = match class {
        ClassSet::Item(ClassSetItem::Union(union)) => union.items.as_slice(),
        ClassSet::Item(one) => std::slice::from_ref(one),
        ClassSet::BinaryOp(_) => return None,
    };
    let ranges = items.iter().map(|item| match item {
        ClassSetItem::Literal(one) => literal(one),
        ClassSetItem::Range(range) => Some(vec![(range.start.c, range.end.c)]),
        ClassSetItem::Perl(class) if !class.negated => Some(named(class)),
        _ => None,
    });
    Some(ranges.collect::<Option<Vec<_>>>()?.concat())
}

fn literal(one: &Literal) -> Option<Vec<(char, char)>> {
    use SpecialLiteralKind::{LineFeed, Tab};
    let known = match &one.kind {
        LiteralKind::Verbatim | LiteralKind::Meta | LiteralKind::Superfluous => true,
        LiteralKind::Special(kind) => matches!(kind, LineFeed | Tab),
        LiteralKind::Octal | LiteralKind::HexFixed(_) | LiteralKind::HexBrace(_) => false,
    };
    known.then(|| vec![(one.c, one.c)])
}

/// The characters of `\d`, `\w` and `\s` as JavaScript has them, the rarer blanks aside.
fn named(class: &ClassPerl) -> Vec<(char, char)> {
    match class.kind {
        ClassPerlKind::Digit => vec![('0', '9')],
        ClassPerlKind::Word => vec![('a', 'z'), ('A', 'Z'), ('0', '9'), ('_', '_')],
        ClassPerlKind::Space => vec![(' ', ' '), ('\t', '\t'), ('\n', '\n'), ('\r', '\r')],
    }
}
