//! Which keys of `labels` and `budget` an expression reads: the debate has those that its file gives it, and never others.
use super::cost::entry;
use cel::common::ast::{Expr, IdedExpr, LiteralValue, operators};
use std::collections::BTreeSet;

/// The mappings among the variables.
const MAPPINGS: [&str; 2] = ["labels", "budget"];

/// A key of a mapping.
pub(super) type FigureKey<'a> = (&'static str, &'a str);

/// The keys that an expression reads and asks for nowhere by `has(labels.key)` or `'key' in labels`.
pub(super) fn unguarded(expression: &IdedExpr) -> BTreeSet<FigureKey<'_>> {
    let mut keys = KeyUse::default();
    keys.part(expression);
    keys.read.difference(&keys.asked).copied().collect()
}

#[derive(Default)]
struct KeyUse<'a> {
    read: BTreeSet<FigureKey<'a>>,
    asked: BTreeSet<FigureKey<'a>>,
}

impl<'a> KeyUse<'a> {
    fn part(&mut self, part: &'a IdedExpr) {
        match &part.expr {
            Expr::Unspecified | Expr::Literal(_) | Expr::Ident(_) => {}
            Expr::Select(select) => {
                let keys = if select.test { &mut self.asked } else { &mut self.read };
                keys.extend(mapping(&select.operand).map(|name| (name, select.field.as_str())));
                self.part(&select.operand);
            }
            Expr::Call(call) => {
                match (call.func_name.as_str(), call.args.as_slice()) {
                    (operators::INDEX, [held, key]) => self.read.extend(mapping(held).zip(text(key))),
                    (operators::IN, [key, held]) => self.asked.extend(mapping(held).zip(text(key))),
                    _ => {}
                }
                call.target.as_deref().into_iter().chain(&call.args).for_each(|part| self.part(part));
            }
            Expr::List(list) => list.elements.iter().for_each(|part| self.part(part)),
            Expr::Map(map) => map.entries.iter().flat_map(entry).for_each(|part| self.part(part)),
            Expr::Struct(made) => made.entries.iter().flat_map(entry).for_each(|part| self.part(part)),
            Expr::Comprehension(looped) => {
                [&looped.iter_range, &looped.accu_init].into_iter().for_each(|part| self.part(part));
                // inside, a variable of the loop may have the mapping's name
                if !MAPPINGS.contains(&looped.iter_var.as_str()) {
                    [&looped.loop_cond, &looped.loop_step, &looped.result].into_iter().for_each(|part| self.part(part));
                }
            }
        }
    }
}

fn mapping(part: &IdedExpr) -> Option<&'static str> {
    let Expr::Ident(name) = &part.expr else { return None };
    MAPPINGS.into_iter().find(|known| known == name)
}

fn text(part: &IdedExpr) -> Option<&str> {
    match &part.expr {
        Expr::Literal(LiteralValue::String(text)) => Some(text.inner()),
        _ => None,
    }
}
