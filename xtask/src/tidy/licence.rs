//! SPDX licence expressions, as far as manifests use them: `AND`, `OR`, `WITH`, brackets, and the old `A/B`.

/// Whether the licences that `allowed` permits satisfy `expression`; `None` if it cannot be read.
///
/// `AND` binds tighter than `OR`. A licence `WITH` an exception is asked for by its whole text.
pub fn satisfied(expression: &str, allowed: &dyn Fn(&str) -> bool) -> Option<bool> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let mut tokens = LicenceTokens { words: spaced.split_whitespace().collect(), at: 0 };
    let value = any(&mut tokens, allowed)?;
    tokens.next().is_none().then_some(value)
}

struct LicenceTokens<'a> {
    words: Vec<&'a str>,
    at: usize,
}

impl<'a> LicenceTokens<'a> {
    fn next(&mut self) -> Option<&'a str> {
        let word = self.words.get(self.at).copied();
        self.at += 1;
        word
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.words.get(self.at) == Some(&word);
        self.at += usize::from(found);
        found
    }
}

fn any(tokens: &mut LicenceTokens<'_>, allowed: &dyn Fn(&str) -> bool) -> Option<bool> {
    let mut value = all(tokens, allowed)?;
    while tokens.take("OR") {
        value |= all(tokens, allowed)?;
    }
    Some(value)
}

fn all(tokens: &mut LicenceTokens<'_>, allowed: &dyn Fn(&str) -> bool) -> Option<bool> {
    let mut value = one(tokens, allowed)?;
    while tokens.take("AND") {
        value &= one(tokens, allowed)?;
    }
    Some(value)
}

fn one(tokens: &mut LicenceTokens<'_>, allowed: &dyn Fn(&str) -> bool) -> Option<bool> {
    if tokens.take("(") {
        let value = any(tokens, allowed)?;
        return tokens.take(")").then_some(value);
    }
    let id = tokens.next().filter(|id| !matches!(*id, "AND" | "OR" | "WITH" | ")"))?;
    if tokens.take("WITH") {
        return Some(allowed(&format!("{id} WITH {}", tokens.next()?)));
    }
    Some(allowed(id))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(expression: &str) -> Option<bool> {
        satisfied(expression, &|id| matches!(id, "MIT" | "ISC" | "Apache-2.0 WITH LLVM-exception"))
    }

    #[test]
    fn alternatives_need_one_and_conjunctions_need_all() {
        assert_eq!(read("MIT"), Some(true));
        assert_eq!(read("GPL-3.0-only OR MIT"), Some(true));
        assert_eq!(read("GPL-3.0-only/MIT"), Some(true));
        assert_eq!(read("MIT AND ISC"), Some(true));
        assert_eq!(read("MIT AND GPL-3.0-only"), Some(false));
    }

    #[test]
    fn brackets_and_precedence_count() {
        assert_eq!(read("MIT OR GPL-3.0-only AND GPL-2.0-only"), Some(true));
        assert_eq!(read("(MIT OR GPL-3.0-only) AND GPL-2.0-only"), Some(false));
        assert_eq!(read("(MIT OR GPL-3.0-only) AND ISC"), Some(true));
    }

    #[test]
    fn an_exception_is_part_of_the_licence() {
        assert_eq!(read("Apache-2.0 WITH LLVM-exception"), Some(true));
        assert_eq!(read("Apache-2.0"), Some(false));
    }

    #[test]
    fn what_is_no_expression_is_not_guessed_at() {
        for broken in ["", "MIT AND", "OR MIT", "(MIT", "MIT)", "MIT ISC", "MIT WITH"] {
            assert_eq!(read(broken), None, "{broken:?}");
        }
    }
}
