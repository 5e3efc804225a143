//! `terminate_when`, checked before a debate begins.
use crate::diagnostic::{Code, Problems, SpecFinding, clean};
use crate::limits::Limits;
use crate::place::{Place, Span};
use crate::section::{CheckedValue, Field, Section};
use crate::suggest::nearest;
use agon_core::{Budget, ExpressionError, VARIABLES, check_terminate_when};
use std::collections::BTreeMap;

pub(crate) fn check(root: &Section, budget: Budget, problems: &mut Problems<'_>) {
    let Some(field) = root.get("terminate_when") else { return };
    let CheckedValue::Text(expression) = &field.value else { return };
    let none = BTreeMap::new();
    let labels = match root.get("labels").map(|field| &field.value) {
        Some(CheckedValue::Labels(labels)) => labels,
        None => &none,
        // it is reported, and which keys there are is not known
        Some(_) => return,
    };
    let most = problems.limits.expression_steps;
    if let Err(error) = check_terminate_when(expression, labels, budget, most) {
        let finding = finding(&error, expression, field, problems);
        problems.error(finding);
    }
}

fn finding(error: &ExpressionError, expression: &str, field: &Field, problems: &Problems<'_>) -> SpecFinding {
    let variables = format!("variables: {}", VARIABLES.join(", "));
    let finding = |code, span, message: String| SpecFinding::new(code, span, message).field(&field.path);
    match error {
        ExpressionError::Syntax { message, at } => {
            let span = at.map_or(field.span, |at| inside(at, expression, field.span, problems));
            // The parser lists every token that it could have gone on with; nobody reads that.
            let said = message.split(" expecting ").next().unwrap_or(message);
            finding(Code::BadExpression, span, format!("`{}` is not a CEL expression: {}", field.path, clean(said)))
        }
        ExpressionError::UnknownVariable(name) => {
            let hint = nearest(name, VARIABLES).map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
            let span = problems.locate(name, field.span);
            let message = format!("`{}` has no variable `{}`{hint}", field.path, clean(name));
            finding(Code::UnknownVariable, span, message).help(variables)
        }
        ExpressionError::MissingKey { key, .. } => {
            let message = format!("`{}` can only fail: {}", field.path, clean(&error.to_string()));
            finding(Code::BadExpression, problems.locate(key, field.span), message)
        }
        ExpressionError::TooMuch { .. } => {
            let message = format!("`{}` is not usable: {}", field.path, clean(&error.to_string()));
            let raised = Limits::raised("expression_steps", Limits::MOST.expression_steps);
            finding(Code::BadExpression, field.span, message).help(raised)
        }
        ExpressionError::TooLong { .. } | ExpressionError::Evaluation(_) | ExpressionError::NotBoolean(_) => {
            let message = format!("`{}` is not usable: {}", field.path, clean(&error.to_string()));
            finding(Code::BadExpression, field.span, message)
        }
    }
}

/// The place of a line and column of the expression, where the file holds it unchanged on one line.
fn inside((line, column): (u32, u32), expression: &str, span: Span, problems: &Problems<'_>) -> Span {
    let whole = problems.locate(expression, span);
    let on_one_line = !expression.contains('\n') && whole.start.line == whole.end.line && line == 1;
    let column = usize::try_from(column).unwrap_or_default().clamp(1, expression.chars().count() + 1);
    let found = whole.end.column.saturating_sub(whole.start.column) == expression.chars().count();
    if on_one_line && found { Span::at(Place { column: whole.start.column + column - 1, ..whole.start }) } else { span }
}
