//! Text that fits into a drawing, whose letters nobody can measure here.
use crate::text::one_line;

/// Parts of a column of ordinary letters.
pub(crate) const PARTS: usize = 10;

/// Tenths of a column that a character takes, roughly: those of East Asian scripts and pictures take two columns, broad letters more
/// than one.
pub(crate) fn columns(c: char) -> usize {
    match c {
        'W' | 'M' | '@' | '%' | '—' | '…' => return 18,
        'm' | 'w' => return 15,
        'A'..='Z' | '_' | '+' | '=' | '<' | '>' | '~' | '#' | '&' => return 12,
        _ => {}
    }
    if matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}' | '\u{1f300}'..='\u{1faff}' | '\u{20000}'..='\u{3fffd}')
    {
        2 * PARTS
    } else {
        PARTS
    }
}

/// As much of the text on one line as fits, with a mark where it is cut.
pub(super) fn cut(text: &str, most: usize) -> String {
    folded(text, most, 1).into_iter().next().unwrap_or_default()
}

/// The text in at most `lines` lines of at most `most` columns, broken between words where that can be.
pub(crate) fn folded(text: &str, most: usize, lines: usize) -> Vec<String> {
    let text = one_line(text);
    let mut folded: Vec<String> = Vec::new();
    let mut rest = text.as_str();
    while !rest.is_empty() && folded.len() < lines {
        let last = folded.len() + 1 == lines;
        let (line, after) = split(rest, most);
        let (line, after) = if last && !after.is_empty() {
            let (line, _) = split(rest, most.saturating_sub(1));
            (format!("{line}…"), "")
        } else {
            (line.to_owned(), after)
        };
        folded.push(line);
        rest = after;
    }
    folded
}

fn split(text: &str, most: usize) -> (&str, &str) {
    let mut used = 0;
    let mut end = text.len();
    for (at, c) in text.char_indices() {
        used += columns(c);
        if used > most * PARTS {
            end = at;
            break;
        }
    }
    let head = text.get(..end).unwrap_or(text);
    if end == text.len() {
        return (head, "");
    }
    let word =
        head.rfind(' ').filter(|at| *at > end / 2 && !text.get(end..).is_some_and(|after| after.starts_with(' ')));
    let end = word.unwrap_or(end);
    (text.get(..end).unwrap_or_default().trim_end(), text.get(end..).unwrap_or_default().trim_start())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_folded_between_words_and_cut_with_a_mark() {
        assert_eq!(folded("one two three four five six", 9, 2), ["one two", "three…"]);
        assert_eq!(folded("short", 9, 2), ["short"]);
        assert_eq!(folded("", 9, 2), Vec::<String>::new());
        assert_eq!(folded("中文字符很宽", 6, 1), ["中文…"]);
        assert_eq!(folded(&"W".repeat(99), 26, 1), [format!("{}…", "W".repeat(13))], "broad letters take more room");
    }
}
