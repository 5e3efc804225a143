//! The form in which names and answers are compared, so that two that look the same are the same.
use std::borrow::Cow;
use unicode_normalization::UnicodeNormalization;
use unicode_security::confusable_detection::skeleton;

/// A name or answer as it is compared: compatible characters in one spelling (NFKC), without letter case, runs of white space as
/// one space, without what is not seen, quotation marks around it and punctuation at its end, letters of other scripts that are
/// drawn like Latin ones as these (the prototypes of UTS 39), and digits of all scripts as ASCII's.
///
/// ASCII stays what it is, letter case aside: `modern` and `modem`, `1` and `l` are confusable by UTS 39, and are two answers.
pub fn normal_form(text: &str) -> String {
    let plain: Cow<'_, str> = if text.is_ascii() {
        text.into()
    } else {
        text.nfkc().filter(|c| !is_ignorable(*c)).collect::<String>().into()
    };
    let words: Vec<&str> = plain.split_whitespace().collect();
    let joined = words.join(" ");
    let bare = joined.trim_start_matches(QUOTES).trim_end_matches(is_final);
    // what is all punctuation is compared by it
    let bare = if bare.is_empty() { &joined } else { bare };
    let mut folded = String::with_capacity(bare.len());
    bare.chars().for_each(|c| push_folded(&mut folded, c));
    folded
}

const QUOTES: [char; 14] = ['"', '\'', '“', '”', '„', '‘', '’', '‚', '«', '»', '‹', '›', '「', '」'];

/// What ends a sentence or a quotation.
fn is_final(c: char) -> bool {
    QUOTES.contains(&c) || c.is_whitespace() || ".,;:!?…。、！？；：।॥؟،؛۔".contains(c)
}

/// Adds the letters and signs that stand for a character.
fn push_folded(folded: &mut String, c: char) {
    if c.is_ascii() {
        return folded.push(c.to_ascii_lowercase());
    }
    if let Some(digit) = digit(c) {
        return folded.push(digit);
    }
    let lower: String = c.to_lowercase().map(|c| if c == 'ς' { 'σ' } else { c }).collect();
    if lower == "ß" {
        return folded.push_str("ss");
    }
    let upper: String = c.to_uppercase().collect();
    // A letter is drawn like a Latin one in one letter case and not in the other: В like B, в not like b.
    let latin = [&lower, &upper].into_iter().map(|form| skeleton(form).collect::<String>());
    let latin = latin.into_iter().find(|form| form.len() == 1);
    folded.push_str(&latin.unwrap_or_else(|| skeleton(&lower).collect()).to_lowercase());
}

/// The ASCII digit of a decimal digit of any script.
pub(crate) fn digit(c: char) -> Option<char> {
    /// The zeros of the scripts in use; nine digits follow each.
    const ZEROS: [char; 29] = [
        '0',
        '\u{660}',
        '\u{6f0}',
        '\u{7c0}',
        '\u{966}',
        '\u{9e6}',
        '\u{a66}',
        '\u{ae6}',
        '\u{b66}',
        '\u{be6}',
        '\u{c66}',
        '\u{ce6}',
        '\u{d66}',
        '\u{de6}',
        '\u{e50}',
        '\u{ed0}',
        '\u{f20}',
        '\u{1040}',
        '\u{1090}',
        '\u{17e0}',
        '\u{1810}',
        '\u{1946}',
        '\u{19d0}',
        '\u{1a80}',
        '\u{1b50}',
        '\u{a9d0}',
        '\u{abf0}',
        '\u{ff10}',
        '\u{1e950}',
    ];
    let value = ZEROS.iter().find_map(|zero| u32::from(c).checked_sub(u32::from(*zero)).filter(|value| *value < 10));
    value.and_then(|value| char::from_digit(value, 10))
}

/// Characters that show nothing of themselves and join or part nothing that is read: zero widths, marks of direction, selectors, tags.
pub(crate) fn is_ignorable(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' | '\u{ffa0}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_the_same_has_one_form() {
        for (one, other) in [
            ("Yes", "yes."),
            ("Yes", "\u{201c}YES\u{201d}!"),
            ("Ada", "\u{410}d\u{430}"),
            ("BOB", "\u{412}\u{41e}\u{412}"),
            ("Zo\u{eb}", "Zoe\u{308}"),
            ("Ada", "A\u{200b}d\u{2060}a"),
            ("Ada", "\u{ff21}\u{1d41d}\u{ff41}"),
            ("STRASSE", "straße"),
            ("ΟΔΟΣ", "οδος"),
            ("Buy  it", " buy it。"),
            ("Option 3", "Option ٣"),
            ("Да", "да"),
            ("Вера", "ВЕРА"),
            ("是", "是。"),
        ] {
            assert_eq!(normal_form(one), normal_form(other), "{one} and {other}");
        }
    }

    #[test]
    fn what_is_told_apart_by_a_reader_stays_apart() {
        for (one, other) in [
            ("modern", "modem"),
            ("Option 1", "Option l"),
            ("Option 0", "Option O"),
            ("10", "100"),
            ("Buy", "Don't buy"),
            ("C", "C++"),
            ("Müller", "Muller"),
            ("да", "нет"),
            ("是", "不是"),
            ("?", "!"),
        ] {
            assert_ne!(normal_form(one), normal_form(other), "{one} and {other}");
        }
    }
}
