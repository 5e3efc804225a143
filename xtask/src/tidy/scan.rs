//! Rust source as lines that know whether they are code, and whether they belong to tests.

use std::ops::Range;

/// One line of a source file.
pub struct SourceLine<'a> {
    /// Counted from 1.
    pub number: usize,
    /// The line with comments and the insides of literals blanked out.
    pub code: &'a str,
    /// Whether the line stands in an item under `#[cfg(test)]`.
    pub in_test: bool,
}

/// A source file after scanning.
pub struct SourceFile {
    code: String,
    tests: Vec<Range<usize>>,
}

impl SourceFile {
    /// Scans `text`; anything that is not Rust gives some result too, never an error.
    pub fn new(text: &str) -> Self {
        let code = blank_comments_and_literals(text);
        let tests = test_items(&code);
        Self { code, tests }
    }

    /// All lines, top to bottom.
    pub fn lines(&self) -> impl Iterator<Item = SourceLine<'_>> {
        let mut start = 0;
        self.code.split_inclusive('\n').enumerate().map(move |(index, line)| {
            let at = start;
            start += line.len();
            let in_test = self.tests.iter().any(|range| range.start < at + line.len() && at < range.end);
            SourceLine { number: index + 1, code: line.trim_end(), in_test }
        })
    }
}

/// Replaces comments and literals by spaces of the same length in bytes; line breaks stay.
fn blank_comments_and_literals(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let blank = hidden_length(rest, out.chars().next_back());
        let (part, after) = rest.split_at(blank.max(first.len_utf8()).min(rest.len()));
        if blank == 0 {
            out.push_str(part);
        } else {
            part.chars().for_each(|c| if c == '\n' { out.push(c) } else { out.push_str(&" ".repeat(c.len_utf8())) });
        }
        rest = after;
    }
    out
}

/// Length in bytes of the comment or literal that `rest` starts with, 0 if it starts with code.
fn hidden_length(rest: &str, before: Option<char>) -> usize {
    let in_word = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    if rest.starts_with("//") {
        rest.find('\n').unwrap_or(rest.len())
    } else if rest.starts_with("/*") {
        block_comment(rest)
    } else if rest.starts_with('"') {
        quoted(rest, '"')
    } else if rest.starts_with('\'') {
        character(rest)
    } else if !in_word {
        raw_string(rest)
    } else {
        0
    }
}

fn block_comment(rest: &str) -> usize {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(tail) = rest.get(at..).filter(|tail| !tail.is_empty()) {
        let step = tail.chars().next().map_or(1, char::len_utf8);
        if tail.starts_with("/*") {
            depth += 1;
            at += 2;
        } else if tail.starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += step;
        }
    }
    rest.len()
}

fn quoted(rest: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

/// A character literal, as opposed to a lifetime, which has no closing quote.
fn character(rest: &str) -> usize {
    let mut chars = rest.chars().skip(1);
    match (chars.next(), chars.next()) {
        (Some('\\'), _) | (Some(_), Some('\'')) => quoted(rest, '\''),
        _ => 0,
    }
}

fn raw_string(rest: &str) -> usize {
    let Some(tail) = ["br", "cr", "r"].iter().find_map(|prefix| rest.strip_prefix(prefix)) else {
        return 0;
    };
    let body = tail.trim_start_matches('#');
    let end = format!("\"{}", "#".repeat(tail.len() - body.len()));
    let Some(inside) = body.strip_prefix('"') else {
        return 0;
    };
    let opening = rest.len() - inside.len();
    inside.find(&end).map_or(rest.len(), |at| opening + at + end.len())
}

/// Byte ranges of the items under `#[cfg(test)]`, attribute included.
fn test_items(code: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = code.get(from..).and_then(next_test_attribute).map(|at| from + at) {
        let end = start + item_length(code.get(start..).unwrap_or_default());
        found.push(start..end);
        from = end;
    }
    found
}

fn next_test_attribute(code: &str) -> Option<usize> {
    ["#[cfg(test)]", "#[cfg(all(test,"].iter().filter_map(|attribute| code.find(attribute)).min()
}

/// Length of an item up to its closing brace or its semicolon.
fn item_length(item: &str) -> usize {
    let mut depth = 0_usize;
    for (at, c) in item.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth <= 1 => return at + 1,
            '}' => depth -= 1,
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    item.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blank_and_code_is_kept() {
        let text = "let a = \"x // y\"; // z\n/* a /* b */ c */ let c = '\"'; let s: &'a str = r#\"q\"q\"#;\n";
        let code = blank_comments_and_literals(text);
        assert_eq!(code.len(), text.len());
        let words = code.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!(words, "let a = ; let c = ; let s: &'a str = ;");
    }

    #[test]
    fn an_escaped_quote_does_not_end_a_string() {
        let code = blank_comments_and_literals(r#"f("a\"b", '\'', 'é') ;"#);
        assert_eq!(code.replace(' ', ""), "f(,,);");
    }

    #[test]
    fn an_unclosed_literal_hides_the_rest() {
        assert_eq!(blank_comments_and_literals("a \"bé").trim(), "a");
        assert_eq!(blank_comments_and_literals("a /* b").trim(), "a");
    }

    #[test]
    fn lines_of_test_modules_are_marked() {
        let source = SourceFile::new("fn a() {}\n#[cfg(test)]\nmod tests {\n  fn b() { \"}\"; }\n}\nfn c() {}\n");
        let marks = source.lines().map(|line| line.in_test).collect::<Vec<_>>();
        assert_eq!(marks, [false, true, true, true, true, false]);
    }

    #[test]
    fn a_test_module_in_its_own_file_ends_at_the_semicolon() {
        let source = SourceFile::new("#[cfg(test)]\nmod tests;\nfn c() {}\n");
        let marks = source.lines().map(|line| line.in_test).collect::<Vec<_>>();
        assert_eq!(marks, [true, true, false]);
    }
}
