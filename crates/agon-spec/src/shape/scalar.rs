//! Texts, numbers, durations and names.
use super::check::ShapeCheck;
use crate::diagnostic::{Code, SpecFinding, quote};
use crate::keys::{Choice, Shape, names};
use crate::place::Span;
use crate::section::CheckedValue;
use crate::suggest::nearest;
use crate::tree::{FileNode, Value};
use agon_core::Tolerance;

impl ShapeCheck<'_, '_> {
    pub fn text(&mut self, shape: &Shape, text: &str, node: &FileNode) -> Option<CheckedValue> {
        if text.trim().is_empty() {
            return self.blank(node.span);
        }
        if let Shape::Template = shape {
            crate::template::check(text, node.span, self.path, self.problems);
        }
        Some(CheckedValue::Text(text.trim().to_owned()))
    }
    pub fn blank<T>(&mut self, span: Span) -> Option<T> {
        self.fail(Code::Empty, span, format!("`{}` is empty", self.path))
    }
    pub fn line(&mut self, text: &str, span: Span) -> Option<String> {
        const MOST: usize = 200;
        if text.trim().is_empty() {
            return self.blank(span);
        }
        let text = text.trim();
        if text.chars().any(char::is_control) {
            return self.fail(
                Code::BadText,
                span,
                format!("`{}` must be one line without control characters", self.path),
            );
        }
        let length = text.chars().count();
        if length > MOST {
            let message = format!("`{}` is longer than {MOST} characters: it has {length}", self.path);
            return self.fail(Code::BadText, span, message);
        }
        Some(text.to_owned())
    }
    pub fn integer(&mut self, min: i128, max: i128, value: &Value, shape: &Shape, span: Span) -> Option<CheckedValue> {
        let number = match value {
            Value::Integer(number) => *number,
            Value::Number(number) if number.fract() == 0.0 && number.abs() < 1e15 => *number as i128,
            Value::Number(number) if number.fract() == 0.0 && *number > max as f64 => {
                return self.out_of_range(shape, value, span);
            }
            Value::Number(_) | Value::Null | Value::Flag(_) | Value::Text(_) | Value::List(_) | Value::Map(_) => {
                return self.wrong_type(&shape.describe(), &FileNode { span, value: value.clone() });
            }
        };
        if (min..=max).contains(&number) {
            Some(CheckedValue::Integer(number))
        } else {
            self.out_of_range(shape, value, span)
        }
    }
    pub fn number(&mut self, min: f64, max: f64, value: &Value, shape: &Shape, span: Span) -> Option<CheckedValue> {
        let number = match value {
            Value::Integer(number) => *number as f64,
            Value::Number(number) => *number,
            Value::Null | Value::Flag(_) | Value::Text(_) | Value::List(_) | Value::Map(_) => {
                return self.wrong_type(&shape.describe(), &FileNode { span, value: value.clone() });
            }
        };
        if (min..=max).contains(&number) {
            Some(CheckedValue::Number(number))
        } else {
            self.out_of_range(shape, value, span)
        }
    }
    pub fn duration(&mut self, value: &Value, span: Span) -> Option<CheckedValue> {
        let millis = match value {
            Value::Integer(seconds) => Some(*seconds as f64 * 1000.0),
            Value::Number(seconds) => Some(seconds * 1000.0),
            Value::Text(text) => crate::duration::millis(text),
            Value::Null | Value::Flag(_) | Value::List(_) | Value::Map(_) => None,
        };
        let Some(millis) = millis else {
            return self.wrong_type(&Shape::Duration.describe(), &FileNode { span, value: value.clone() });
        };
        if (1.0..=crate::duration::MAX_MILLIS).contains(&millis) {
            return Some(CheckedValue::Millis(millis.round() as u64));
        }
        let message = format!("`{}` must be from 1ms to 24h, found {}", self.path, value.describe());
        self.fail(Code::OutOfRange, span, message)
    }
    pub fn tolerance(&mut self, value: &Value, span: Span) -> Option<CheckedValue> {
        let given = match value {
            Value::Integer(number) => Some(Tolerance::Absolute(*number as f64)),
            Value::Number(number) => Some(Tolerance::Absolute(*number)),
            Value::Text(text) => Tolerance::read(text),
            Value::Null | Value::Flag(_) | Value::List(_) | Value::Map(_) => {
                return self.wrong_type(&Shape::Tolerance.describe(), &FileNode { span, value: value.clone() });
            }
        };
        let given = given.filter(|given| match given {
            Tolerance::Exact => true,
            Tolerance::Absolute(most) => *most >= 0.0 && most.is_finite(),
            Tolerance::Relative(share) => *share <= 1.0,
        });
        let Some(given) = given else { return self.out_of_range(&Shape::Tolerance, value, span) };
        let none = matches!(given, Tolerance::Absolute(0.0) | Tolerance::Relative(0.0));
        Some(CheckedValue::Tolerance(if none { Tolerance::Exact } else { given }))
    }
    pub fn choice(&mut self, choices: &[Choice], text: &str, span: Span, allowed: &str) -> Option<&'static str> {
        // The table is static; its names outlive the borrow of the slice.
        let known = choices.iter().find(|choice| choice.name == text).map(|choice| choice.name);
        if known.is_none() {
            let near = nearest(text, names(choices));
            let hint = near.map_or_else(String::new, |name| format!("; did you mean `{name}`?"));
            let message = format!("{} is not a value of `{}`{hint}", quote(text), self.path);
            let finding = SpecFinding::new(Code::UnknownValue, span, message).field(self.path);
            self.problems.error(finding.help(format!("allowed: {allowed}")));
        }
        known
    }
    /// Which tools, verifiers and feeds there are only settings know; a name has the form that they ask for.
    pub fn is_setting(&mut self, name: &str, of: &str, span: Span) -> bool {
        const MOST: usize = 32;
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '_');
        let good = name.chars().all(fits) && name.len() <= MOST;
        if !good {
            let message = format!("{} is not the name of a {}", quote(name), of.trim_end_matches('s'));
            let finding = SpecFinding::new(Code::BadText, span, message).field(self.path);
            self.problems.error(finding.help(format!("small letters, digits, `-` and `_`, {MOST} characters at most")));
        }
        good
    }
}
