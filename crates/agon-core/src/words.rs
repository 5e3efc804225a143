//! The words of a text, in every script: what signals, recall and the search in documents compare.
//!
//! Words are cut as Unicode's UAX 29 says. Scripts that do not part words by spaces (Han, Kana, Thai, Lao, Khmer, Myanmar, Tibetan)
//! give pairs of neighbouring characters instead. Short words, numbers and negations count; negations and numbers are known as such.
mod common;
mod negations;
mod word_list;

pub use common::is_common;

use crate::names::{digit, is_ignorable};
use negations::{INSIDE, NEGATIONS};
use unicode_normalization::UnicodeNormalization;
use unicode_segmentation::UnicodeSegmentation;

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    /// Any word.
    Word,
    /// A number in digits, without the marks between thousands and with a point before its fraction.
    Number,
    /// `not`, `no`, `nicht`, `ne ... pas` and the like.
    Negation,
    /// Two neighbouring characters, or one that stands alone, of a script without spaces.
    Gram,
}

/// For how many words after it a French `ne` makes one negation with `pas`, `jamais` and the like.
const NE_REACHES: u32 = 4;

/// Hands on the words of `text` in their order, in lower case and in one spelling (NFKC).
pub fn each_word(text: &str, take: impl FnMut(WordKind, &str)) {
    if text.is_ascii() {
        return each_ascii_word(text, take);
    }
    let text: String = text.nfkc().collect();
    let mut cutter = Cutter { take, run: Vec::new(), since_ne: NE_REACHES };
    let mut lower = String::new();
    for segment in text.split_word_bounds() {
        let Some(first) = segment.chars().next() else { continue };
        if is_spaceless(first) {
            cutter.run.extend(segment.graphemes(true));
            continue;
        }
        cutter.end_run();
        if segment.contains(char::is_alphanumeric) {
            lower.clear();
            lower.extend(segment.chars().filter(|c| !is_ignorable(*c)).flat_map(char::to_lowercase));
            cutter.segment(&lower);
        }
    }
    cutter.end_run();
}

/// The same where every character is a byte that normalises to itself: most speeches are such, and each is read twice.
fn each_ascii_word(text: &str, take: impl FnMut(WordKind, &str)) {
    let mut cutter = Cutter { take, run: Vec::new(), since_ne: NE_REACHES };
    let mut lower = String::new();
    for segment in text.unicode_words() {
        lower.clear();
        lower.push_str(segment);
        lower.make_ascii_lowercase();
        match lower.bytes().all(|byte| byte.is_ascii_alphabetic()) {
            true => cutter.word(&lower),
            false => cutter.segment(&lower),
        }
    }
}

/// The words of a text as [`each_word`] gives them.
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    each_word(text, |_, word| words.push(word.to_owned()));
    words
}

/// Whether a script writes its words without spaces between them.
pub(crate) fn is_spaceless(c: char) -> bool {
    matches!(c,
        '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e4e}' | '\u{e81}'..='\u{ecf}' | '\u{edc}'..='\u{edf}'
        | '\u{f40}'..='\u{fbc}' | '\u{1000}'..='\u{103f}' | '\u{1050}'..='\u{108f}' | '\u{1780}'..='\u{17d3}'
        | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{309f}' | '\u{30a1}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{a9e0}'..='\u{a9ef}' | '\u{aa60}'..='\u{aa7f}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// Cuts segments of a text into words.
struct Cutter<'a, F> {
    take: F,
    /// Characters of a script without spaces that stand side by side.
    run: Vec<&'a str>,
    /// Words since a French `ne`.
    since_ne: u32,
}

impl<F: FnMut(WordKind, &str)> Cutter<'_, F> {
    /// What UAX 29 takes for one word, in lower case.
    fn segment(&mut self, segment: &str) {
        if segment.starts_with(char::is_numeric) {
            return self.number(segment);
        }
        const APOSTROPHES: [char; 2] = ['\'', '’'];
        /// What UAX 29 leaves inside words, and joins two words as often as parts of one.
        const JOINTS: [char; 6] = ['\'', '’', ':', '.', '_', '·'];
        let parts = segment.rsplit_once(APOSTROPHES);
        if let Some((head, "t")) = parts
            && let Some(stem) = head.strip_suffix('n')
        {
            match stem {
                "ca" => self.word("can"),
                "wo" => self.word("will"),
                "sha" => self.word("shall"),
                stem => self.word(stem),
            }
            return self.word("not");
        }
        for part in segment.split(JOINTS) {
            self.word(if part == "n" && parts.is_some() { "ne" } else { part });
        }
    }

    fn word(&mut self, word: &str) {
        if word.is_empty() {
            return;
        }
        self.since_ne = self.since_ne.saturating_add(1);
        let negates = NEGATIONS.has(word) || !word.is_ascii() && word.contains(['않', '없', '못']);
        if word == "ne" {
            self.since_ne = 0;
        } else if negates && self.since_ne <= NE_REACHES {
            // the second half of a negation that was counted
            self.since_ne = NE_REACHES;
            return (self.take)(WordKind::Word, word);
        }
        (self.take)(if negates { WordKind::Negation } else { WordKind::Word }, word);
    }

    /// A number, and the word that is written together with it.
    fn number(&mut self, segment: &str) {
        let is_part = |c: char| c.is_numeric() || matches!(c, '.' | ',' | '\'' | '’' | '_' | '٫' | '٬');
        let end = segment.find(|c: char| !is_part(c)).unwrap_or(segment.len());
        let (figures, rest) = segment.split_at(end);
        (self.take)(WordKind::Number, &plain_number(figures));
        self.word(rest);
    }

    /// Pairs of neighbours in what stands side by side, and its negations.
    fn end_run(&mut self) {
        let run = std::mem::take(&mut self.run);
        match run.as_slice() {
            // as after most words
            [] => return,
            [alone] => (self.take)(WordKind::Gram, alone),
            all => all.windows(2).for_each(|pair| (self.take)(WordKind::Gram, &pair.concat())),
        }
        let text = run.concat();
        for negation in INSIDE {
            text.matches(negation).for_each(|found| (self.take)(WordKind::Negation, found));
        }
    }
}

/// A number in ASCII digits: marks before groups of three are left out, any other mark is the point of the fraction.
fn plain_number(figures: &str) -> String {
    let digits = |part: &str| part.chars().map(|c| digit(c).unwrap_or(c)).collect::<String>();
    let parts: Vec<&str> = figures.split(|c: char| !c.is_numeric()).filter(|part| !part.is_empty()).collect();
    let mut plain = String::new();
    for (at, part) in parts.iter().enumerate() {
        let groups = part.chars().count() == 3 && !plain.trim_start_matches('0').is_empty();
        if at > 0 && !groups {
            plain.push('.');
        }
        plain.push_str(&digits(part));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(WordKind, String)> {
        let mut found = Vec::new();
        each_word(text, |kind, word| found.push((kind, word.to_owned())));
        found
    }
    fn negations(text: &str) -> usize {
        kinds(text).iter().filter(|(kind, _)| *kind == WordKind::Negation).count()
    }

    #[test]
    fn short_words_and_words_of_any_case_and_spelling_count() {
        assert_eq!(
            words("Up or ÜBER? The ﬁne U\u{308}ber-Plan\u{ad}ung"),
            ["up", "or", "über", "the", "fine", "über", "planung"]
        );
    }

    #[test]
    fn words_that_a_mark_joins_are_two() {
        assert_eq!(
            words("text:heron snake_case example.com l'eau"),
            ["text", "heron", "snake", "case", "example", "com", "l", "eau"]
        );
    }

    #[test]
    fn a_number_is_the_same_however_its_thousands_and_fraction_are_marked() {
        for one in ["1,500", "1.500", "1'500", "1500", "١٥٠٠", "１５００"] {
            assert_eq!(kinds(one), [(WordKind::Number, "1500".to_owned())], "{one}");
        }
        assert_eq!(words("0.5 0,5 3.14 10kg 0.125"), ["0.5", "0.5", "3.14", "10", "kg", "0.125"]);
    }

    #[test]
    fn negations_of_many_languages_are_found_and_each_is_counted_once() {
        for text in [
            "we should not build",
            "we shouldn't build",
            "we can’t",
            "no trams",
            "wir sollten nicht bauen",
            "keine Bahn",
            "il ne faut pas",
            "ce n'est pas vrai",
            "n’y allons jamais",
            "no debemos",
            "nunca",
            "non dobbiamo",
            "não",
            "niet",
            "нельзя не",
            "我们不应该建",
            "没有",
            "作るべきではない",
            "作りません",
            "ไม่ควร",
            "짓지 않는다",
            "不可",
            "nie wieder",
        ] {
            assert_eq!(negations(text), 1, "{text}: {:?}", kinds(text));
        }
        for text in ["we should build", "note", "Kanne", "nicely", "建", "作るべき", "ควร", "짓는다", "pass"]
        {
            assert_eq!(negations(text), 0, "{text}: {:?}", kinds(text));
        }
        assert_eq!(negations("no, it cannot"), 2);
    }

    #[test]
    fn scripts_without_spaces_give_pairs_of_characters() {
        assert_eq!(words("東京都, 京"), ["東京", "京都", "京"]);
        assert_eq!(words("カタカナ"), ["カタ", "タカ", "カナ"]);
        assert_eq!(words("รถไฟ"), ["รถ", "ถไ", "ไฟ"]);
        assert_eq!(words("AI研究2026年"), ["ai", "研究", "2026", "年"]);
    }

    #[test]
    fn the_lists_are_sorted_so_that_they_can_be_searched() {
        assert!(NEGATIONS.words().is_sorted());
        assert!(common::COMMON.words().is_sorted());
    }

    #[test]
    fn a_text_of_ascii_has_the_words_that_it_has_beside_other_characters() {
        let text =
            "We SHOULDN'T: it's 1,500.5 (10kg) e.g. a_b c:d 'quoted' can't won't no. x--y\n\tN'T _ __ 3:4 it''s A1 1A";
        let mut other = Vec::new();
        each_word(&format!("{text} \u{e9}"), |kind, word| other.push((kind, word.to_owned())));

        assert_eq!(other.pop(), Some((WordKind::Word, "\u{e9}".to_owned())));
        assert_eq!(kinds(text), other);
    }
}
