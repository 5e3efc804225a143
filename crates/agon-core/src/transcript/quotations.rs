//! Quotations, looked up in the speeches that they name.
use super::ShownEntry;
use crate::answer::{Citation, CitedEntry};
use crate::words::{is_spaceless, words};
use unicode_segmentation::UnicodeSegmentation;

/// Fewest characters of a quotation that can be verified.
pub const QUOTE_CHARS: usize = 12;
/// Fewest words of a quotation that can be verified.
pub const QUOTE_WORDS: usize = 3;

/// The judge's quotations, each checked against the speech that it names.
pub fn check_citations(shown: &[ShownEntry<'_>], cited: &[CitedEntry]) -> Vec<Citation> {
    let check = |citation: &CitedEntry| {
        let source = shown.iter().find(|shown| shown.number == citation.entry);
        let wanted = folded(&citation.quote);
        let too_short = wanted.chars().count() < QUOTE_CHARS || words(&wanted).len() < QUOTE_WORDS;
        Citation {
            turn: source.map(|shown| shown.entry.turn),
            participant: source.map(|shown| shown.entry.participant.clone()),
            quote: citation.quote.clone(),
            verified: !too_short && source.is_some_and(|shown| said(shown, &wanted)),
            too_short,
        }
    };
    cited.iter().map(check).collect()
}

/// Whether the speech has the words, as it was shown to the judge or as it was spoken.
fn said(shown: &ShownEntry<'_>, wanted: &str) -> bool {
    has_words(&folded(&shown.text), wanted) || has_words(&folded(&shown.entry.text), wanted)
}

/// Whether the words stand in the text from one border of words to another, so that `possible` is not found in `impossible`. In a script without
/// spaces every character is such a border.
fn has_words(text: &str, wanted: &str) -> bool {
    let mut found = text.match_indices(wanted).map(|(at, _)| (at, at + wanted.len())).peekable();
    if wanted.is_empty() || found.peek().is_none() {
        return false;
    }
    let borders: Vec<usize> = text.split_word_bound_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let is_border = |at: usize| {
        let before = text.get(..at).and_then(|before| before.chars().next_back());
        let after = text.get(at..).and_then(|after| after.chars().next());
        borders.binary_search(&at).is_ok() || [before, after].into_iter().flatten().any(is_spaceless)
    };
    found.any(|(from, to)| is_border(from) && is_border(to))
}

/// Lower case, runs of white space as one space, quotation marks and Markdown emphasis dropped, outer ellipses and full stops off.
fn folded(text: &str) -> String {
    let kept = text.chars().filter(|c| !matches!(c, '"' | '\'' | '“' | '”' | '‘' | '’' | '«' | '»' | '*' | '_' | '`'));
    let lower: String = kept.flat_map(char::to_lowercase).collect();
    let words: Vec<&str> = lower.split_whitespace().collect();
    words.join(" ").trim_matches(|c: char| matches!(c, '.' | '…' | ' ')).to_owned()
}
