//! How like two texts are by their words alone.
use crate::words::{WordKind, each_word, is_common};
use std::cmp::{max, min};
use unicode_segmentation::UnicodeSegmentation;

/// How like two texts are by their words, 0 to 1: the cosine of the counts of words and of pairs of neighbours, times
///
/// - the share of their numbers that both have,
/// - (n + 1) / (m + 1), where one negates n times and the other m times, not fewer,
/// - the share of the words of the shorter that is not replaced: where each has words that the other lacks, they stand for each other,
///   as `open` does for `close`. Words that every text has do not count here.
pub fn likeness(one: &str, other: &str) -> f64 {
    Profile::of(one).likeness(&Profile::of(other))
}

/// The words of a text in their order, each as a number that stands for it.
pub fn words(text: &str) -> Vec<u64> {
    let mut words = Vec::new();
    each_word(text, |_, word| words.push(hash(word)));
    words
}

/// The sentences of a text (UAX 29), each by its words in their order: letter case, white space and punctuation make no difference.
pub fn sentences(text: &str) -> impl Iterator<Item = Vec<u64>> {
    text.unicode_sentences().map(words).filter(|words| !words.is_empty())
}

/// How often each word and each pair of neighbours stands in a text, its numbers and its negations.
///
/// Every round counts all that was said before it, so words are known by their hash: nothing is kept of their letters.
pub(super) struct Profile {
    /// In the order of the hashes.
    counts: Vec<(u64, f64)>,
    length: f64,
    /// Each once, in order.
    numbers: Vec<u64>,
    negations: usize,
    /// Words that not every text has, each once, in order.
    telling: Vec<u64>,
}

impl Profile {
    pub(super) fn of(text: &str) -> Self {
        const NEGATION: u64 = 0;
        let (mut words, mut numbers, mut negations, mut telling) = (Vec::new(), Vec::new(), 0, Vec::new());
        each_word(text, |kind, word| {
            words.push(match kind {
                WordKind::Word | WordKind::Gram => {
                    telling.extend(Some(hash(word)).filter(|_| !is_common(word)));
                    hash(word)
                }
                WordKind::Number => {
                    numbers.push(hash(word));
                    hash(word)
                }
                WordKind::Negation => {
                    negations += 1;
                    NEGATION
                }
            });
        });
        let pairs = words.iter().zip(words.iter().skip(1)).map(|(one, next)| mix(one.rotate_left(32), *next));
        let mut all: Vec<u64> = words.iter().copied().chain(pairs).collect();
        all.sort_unstable();
        for set in [&mut numbers, &mut telling] {
            set.sort_unstable();
            set.dedup();
        }
        let runs = all.chunk_by(|one, next| one == next);
        let counts: Vec<(u64, f64)> = runs.filter_map(|run| Some((*run.first()?, run.len() as f64))).collect();
        let length = counts.iter().map(|(_, count)| count * count).sum::<f64>().sqrt();
        Self { counts, length, numbers, negations, telling }
    }

    pub(super) fn likeness(&self, other: &Self) -> f64 {
        let (fewer, more) = (min(self.negations, other.negations), max(self.negations, other.negations));
        let negated = (fewer as f64 + 1.0) / (more as f64 + 1.0);
        self.cosine(other) * self.shared_numbers(other) * negated * self.kept_words(other)
    }

    fn kept_words(&self, other: &Self) -> f64 {
        let shorter = min(self.telling.len(), other.telling.len());
        if shorter == 0 { 1.0 } else { shared(&self.telling, &other.telling) as f64 / shorter as f64 }
    }

    fn shared_numbers(&self, other: &Self) -> f64 {
        let shared = shared(&self.numbers, &other.numbers);
        let all = self.numbers.len() + other.numbers.len() - shared;
        if all == 0 { 1.0 } else { shared as f64 / all as f64 }
    }

    fn cosine(&self, other: &Self) -> f64 {
        let lengths = self.length * other.length;
        if lengths <= 0.0 {
            return 0.0;
        }
        let mut others = other.counts.iter().peekable();
        let shared = self.counts.iter().filter_map(|(word, count)| {
            while others.next_if(|(other, _)| other < word).is_some() {}
            others.next_if(|(other, _)| other == word).map(|(_, other)| count * other)
        });
        (shared.sum::<f64>() / lengths).clamp(0.0, 1.0)
    }
}

/// How many of one set another has too.
fn shared(one: &[u64], other: &[u64]) -> usize {
    one.iter().filter(|word| other.binary_search(word).is_ok()).count()
}

/// FNV-1a of a word, 64 bits: the same on every machine.
fn hash(word: &str) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    word.bytes().fold(BASIS, |hash, byte| mix(hash, u64::from(byte)))
}

fn mix(hash: u64, value: u64) -> u64 {
    const PRIME: u64 = 0x0100_0000_01b3;
    (hash ^ value).wrapping_mul(PRIME)
}

#[cfg(test)]
mod tests {
    use super::likeness;

    fn close(one: &str, other: &str, wanted: f64) {
        let found = likeness(one, other);
        assert!((found - wanted).abs() < 1e-9, "{one} and {other}: {found}, not {wanted}");
    }

    #[test]
    fn likeness_is_the_cosine_of_the_counts_of_words_and_pairs() {
        // "über den fluss" and "an den fluss": two words and a pair are shared, of five and five
        close("ÜBER den Fluss", "an den FLUSS", 3.0 / 5.0);
        // the word and the pair that come again count as often as they come
        let lengths = (9.0_f64 + 4.0 + 4.0 + 4.0).sqrt() * 3.0_f64.sqrt();
        close("the bridge the bridge the", "the bridge", (3.0 + 2.0 + 2.0) / lengths);
        close("", "", 0.0);
    }

    #[test]
    fn other_numbers_and_a_not_make_texts_unlike() {
        close("tax 5 per cent", "tax 9 per cent", 0.0);
        close("tax 5 then 9", "tax 5 then 9", 1.0);
        let (one, other) = ("we should build the tram this year", "we should not build the tram this year");
        assert!(likeness(one, other) < 0.5, "{}", likeness(one, other));
        close(one, one, 1.0);
        close(other, other, 1.0);
    }

    #[test]
    fn a_word_in_the_place_of_another_counts_more_than_one_that_is_added() {
        let text = "the new library should open on sundays for everybody";
        assert!(likeness(text, "the new library should close on sundays for everybody") < 0.7);
        assert!(likeness(text, "the new library should open on sundays for everybody soon") > 0.9);
    }

    #[test]
    fn texts_without_spaces_are_compared_by_pairs_of_characters() {
        assert!(likeness("町は路面電車を買うべきだ", "町は路面電車を今年買うべきだ") > 0.5);
        assert!(likeness("町は路面電車を買うべきだ", "水道料金はもっと安くなる") < 0.1);
        assert!(likeness("我们应该建桥", "我们不应该建桥") < 0.5);
    }
}
