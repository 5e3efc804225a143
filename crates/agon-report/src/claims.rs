//! Which claims of a judge's reasoning have a citation.
//!
//! A claim is a sentence of the reasoning that is no question and has a letter. It has a citation where it names the speech
//! of a verified quotation by number, or repeats a verified quotation: the whole of it, or [`RUN`] of its words in a row.
//! What a sentence means is not looked at.
use crate::key::{NumberedEntry, numbers};
use crate::minutes::{Judged, Minutes, MinutesEntry};
use crate::words;
use agon_core::Citation;
use serde::Serialize;

/// Words in a row that a claim shares with a quotation that it repeats.
const RUN: usize = 4;

/// How many claims a judge's reasoning makes, and how many of them have no citation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Claims {
    /// All.
    pub total: usize,
    /// Those that neither name the speech of a verified quotation nor repeat one.
    pub uncited: usize,
}

/// A sentence of a judge's reasoning.
pub(crate) struct ReasonedClaim<'a> {
    pub(crate) text: &'a str,
    pub(crate) cited: bool,
}

impl<'a> Minutes<'a> {
    /// `3 of 4 citations verified, 1 of 4 claims without a citation`.
    pub(crate) fn checked(&self, entry: &MinutesEntry<'a>, judged: Judged<'a>) -> String {
        let claims = self.counted_claims(entry, judged).and_then(words::claims);
        let told: Vec<String> = std::iter::once(words::checked(judged.citations)).chain(claims).collect();
        told.join(", ")
    }
    /// The claims of the verdict's reasoning.
    pub(crate) fn verdict_claims(&self) -> Option<Claims> {
        let (entry, judged) = self.deciding()?;
        self.counted_claims(entry, judged)
    }
    /// How many claims a judgement makes.
    pub(crate) fn counted_claims(&self, entry: &MinutesEntry<'a>, judged: Judged<'a>) -> Option<Claims> {
        let claims = self.claims(entry, judged)?;
        Some(Claims { total: claims.len(), uncited: claims.iter().filter(|claim| !claim.cited).count() })
    }
    /// The claims of a judgement; nothing where the debate file keeps the words of judges or debaters out of reports.
    pub(crate) fn claims(&self, entry: &MinutesEntry<'a>, judged: Judged<'a>) -> Option<Vec<ReasonedClaim<'a>>> {
        let visible = &self.visible;
        if !visible.judge.history || !visible.debaters.history {
            return None;
        }
        let verified: Vec<&Citation> = judged.citations.iter().filter(|citation| citation.verified).collect();
        let quotes: Vec<Vec<String>> = verified.iter().map(|citation| folded(&citation.quote)).collect();
        let cited_speech = |shown: &NumberedEntry| {
            let is = |citation: &&Citation| {
                citation.turn.is_some_and(|turn| turn.same_slot(shown.turn))
                    && citation.participant.as_ref().is_none_or(|who| *who == shown.participant)
            };
            verified.iter().any(is)
        };
        let shown = self.numbered(entry.turn, judged.order);
        let named: Vec<u32> = shown.into_iter().filter(cited_speech).map(|shown| shown.number).collect();
        let cited = |text: &str| {
            let said = folded(text);
            numbers(text).iter().any(|number| named.contains(number))
                || quotes.iter().any(|quote| repeats(&said, quote))
        };
        let claims = sentences(judged.reasoning).filter(|text| is_claim(text));
        Some(claims.map(|text| ReasonedClaim { text, cited: cited(text) }).collect())
    }
}

fn is_claim(sentence: &str) -> bool {
    !sentence.ends_with(['?', '？', '؟']) && sentence.contains(char::is_alphabetic)
}

/// The sentences of a text. One ends at a line break, at an ideographic full stop, or at a full stop, exclamation or question
/// mark before white space; a full stop before a lower-case letter or a digit ends none.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        (!rest.is_empty()).then(|| {
            let (sentence, after) = rest.split_at_checked(end_of_sentence(rest)).unwrap_or((rest, ""));
            rest = after;
            sentence.trim_end()
        })
    })
}

fn end_of_sentence(text: &str) -> usize {
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        let rest = chars.as_str();
        let after = at.saturating_add(c.len_utf8());
        let ends = match c {
            '\n' => return at,
            '。' | '！' | '？' => true,
            '.' | '!' | '?' | '…' | '؟' | '।' => {
                let open = rest.trim_start_matches(['"', '\'', '”', '’', '»', ')', ']']);
                let next = open.trim_start().chars().next();
                let goes_on = next.is_some_and(|next| c == '.' && (next.is_lowercase() || next.is_numeric()));
                (open.is_empty() || open.starts_with(char::is_whitespace)) && !goes_on
            }
            _ => false,
        };
        if ends {
            let closing = rest.find(|c| !matches!(c, '"' | '\'' | '”' | '’' | '»' | ')' | ']' | '」'));
            return after.saturating_add(closing.unwrap_or(rest.len()));
        }
    }
    text.len()
}

/// Runs of letters and digits in lower case; apostrophes are no gaps.
fn folded(text: &str) -> Vec<String> {
    let text: String = text.chars().filter(|c| !matches!(c, '\'' | '’' | '*' | '_' | '`')).collect();
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// Whether the words said have all of a quotation, or [`RUN`] of its words, in a row.
fn repeats(said: &[String], quote: &[String]) -> bool {
    let run = RUN.min(quote.len());
    if run == 0 {
        return false;
    }
    // Scripts without spaces have their quotation inside a longer word.
    let inside = |part: &[String]| matches!(part, [one] if one.chars().count() >= RUN && said.iter().any(|word| word.contains(one.as_str())));
    quote.windows(run).any(|part| said.windows(run).any(|other| other == part) || inside(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_at_marks_before_white_space_and_at_line_breaks() {
        let all = |text| sentences(text).collect::<Vec<_>>();
        assert_eq!(
            all("It costs 4.50 a day. “It works.” Or so (they say).\n- Third"),
            ["It costs 4.50 a day.", "“It works.”", "Or so (they say).", "- Third"]
        );
        assert_eq!(
            all("Approx. nine per cent, e.g. of No. 4. Why? Because!"),
            ["Approx. nine per cent, e.g. of No. 4.", "Why?", "Because!"]
        );
        assert_eq!(all("費用は高い。効果は小さい。"), ["費用は高い。", "効果は小さい。"]);
        assert_eq!(all(" \n "), Vec::<&str>::new());
    }

    #[test]
    fn questions_and_rules_are_no_claims() {
        assert_eq!(["It is so.", "Is it so?", "---", "42."].map(is_claim), [true, false, false, false]);
    }

    #[test]
    fn four_words_in_a_row_or_the_whole_quotation_are_repeated() {
        let repeats = |said: &str, quote: &str| super::repeats(&folded(said), &folded(quote));
        assert!(repeats("Ada's “forty loaves at FOUR euros” stands.", "Forty loaves at four euros are 8,320 a year."));
        assert!(!repeats("Forty loaves are at stake.", "Forty loaves at four euros are 8,320 a year."));
        assert!(repeats("He says no deal, and means it.", "No deal"));
        assert!(!repeats("No, there is a deal.", "No deal"));
        assert!(repeats("彼は費用は高いと言う。", "費用は高い"));
        assert!(!repeats("anything", "—"));
    }
}
