//! SPDX licence expressions, and the `A/B` that old manifests write for `A OR B`.

use spdx::{Expression, ParseMode};

/// Whether the licences that `allowed` permits satisfy `expression`; `None` if it cannot be read.
///
/// A licence `WITH` an exception is asked for by its whole text.
pub fn satisfied(expression: &str, allowed: &dyn Fn(&str) -> bool) -> Option<bool> {
    let mode = ParseMode { allow_slash_as_or_operator: true, ..ParseMode::STRICT };
    let read = Expression::parse_mode(expression, mode).ok()?;
    Some(read.evaluate(|licence| allowed(&licence.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_expression_is_satisfied_by_what_is_allowed_and_no_other_is_guessed_at() {
        let allowed = |id: &str| matches!(id, "MIT" | "ISC" | "Apache-2.0 WITH LLVM-exception");
        for (expression, wanted) in [
            ("MIT", Some(true)),
            ("GPL-3.0-only OR MIT", Some(true)),
            ("GPL-3.0-only/MIT", Some(true)),
            ("MIT AND GPL-3.0-only", Some(false)),
            ("(MIT OR GPL-3.0-only) AND ISC", Some(true)),
            ("Apache-2.0 WITH LLVM-exception", Some(true)),
            ("Apache-2.0", Some(false)),
            ("", None),
            ("MIT AND", None),
            ("MIT ISC", None),
        ] {
            assert_eq!(satisfied(expression, &allowed), wanted, "{expression:?}");
        }
    }
}
