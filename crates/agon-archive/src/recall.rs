//! Which earlier debates a later one is told of: those that are most like it, by words or by embeddings.
use agon_core::DebateSpec;
use agon_core::PastDebate;
use agon_core::signals::{cosine, words};
use std::collections::{BTreeMap, BTreeSet};

/// How soon a word that comes again adds no more, `k1` of BM25.
const SATURATION: f64 = 1.2;
/// How much a long text has to make up for, `b` of BM25, 0 to 1.
const LENGTH: f64 = 0.75;

/// What a debate asks about, as earlier ones are compared with it: its topic and context.
pub fn question(spec: &DebateSpec) -> String {
    [spec.topic.as_str(), spec.context.as_deref().unwrap_or_default()].join("\n")
}

/// The earlier debates that share a word with a question, at most `most` of them, the most similar first and of equally similar ones the
/// newer first. Their order before does not matter.
///
/// BM25 (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009) of the question's words over topic and verdict, the weight
/// of a word being `ln(1 + (N - n + 0.5) / (n + 0.5))` where `n` of `N` debates have it: above 0 even where all have it.
pub fn rank(question: &str, earlier: Vec<PastDebate>, most: usize) -> Vec<PastDebate> {
    let texts: Vec<TermCounts> = earlier.iter().map(TermCounts::of).collect();
    let asked: BTreeSet<u64> = words(question).into_iter().collect();
    let rarity: BTreeMap<u64, f64> = asked.into_iter().map(|word| (word, rarity(word, &texts))).collect();
    let mean = texts.iter().map(|text| text.length).sum::<f64>() / texts.len() as f64;
    let scores = texts.iter().map(|text| text.score(&rarity, mean));
    best(scores.zip(earlier).collect(), most)
}

/// The earlier debates whose vectors point most nearly where the question's does, at most `most` of them, by the cosine. One whose vector has
/// another length, or is at a right angle or more, is left out.
pub fn rank_by_vectors(question: &[f32], earlier: Vec<(PastDebate, Vec<f32>)>, most: usize) -> Vec<PastDebate> {
    best(earlier.into_iter().map(|(past, vector)| (cosine(question, &vector), past)).collect(), most)
}

/// What of an earlier debate is embedded: its topic and the beginning of its verdict.
pub fn gist(past: &PastDebate) -> String {
    [past.topic.as_str(), past.verdict.as_deref().unwrap_or_default()].join("\n")
}

/// Those with a score, the best first and of equals the newer first.
fn best(mut scored: Vec<(f64, PastDebate)>, most: usize) -> Vec<PastDebate> {
    scored.retain(|(score, _)| *score > 0.0);
    scored.sort_by(|(one, a), (other, b)| {
        other.total_cmp(one).then_with(|| b.admitted.cmp(&a.admitted)).then_with(|| b.id.cmp(&a.id))
    });
    scored.into_iter().take(most).map(|(_, past)| past).collect()
}

/// How often each word stands in what is known of an earlier debate.
struct TermCounts {
    counts: BTreeMap<u64, f64>,
    /// In words.
    length: f64,
}
impl TermCounts {
    fn of(past: &PastDebate) -> Self {
        let mut counts: BTreeMap<u64, f64> = BTreeMap::new();
        for word in words(&past.topic).into_iter().chain(past.verdict.iter().flat_map(|verdict| words(verdict))) {
            *counts.entry(word).or_default() += 1.0;
        }
        let length = counts.values().sum();
        Self { counts, length }
    }

    /// The score for these words, in which texts have `mean` words.
    fn score(&self, rarity: &BTreeMap<u64, f64>, mean: f64) -> f64 {
        let found = rarity.iter().filter_map(|(word, rarity)| Some((self.counts.get(word)?, rarity)));
        let damping = SATURATION * (1.0 - LENGTH + LENGTH * self.length / mean);
        found.map(|(count, rarity)| rarity * count * (SATURATION + 1.0) / (count + damping)).sum()
    }
}

/// How much a word tells texts apart.
fn rarity(word: u64, texts: &[TermCounts]) -> f64 {
    let having = texts.iter().filter(|text| text.counts.contains_key(&word)).count() as f64;
    (1.0 + (texts.len() as f64 - having + 0.5) / (having + 0.5)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_core::Outcome;
    use agon_core::{DebateId, Timestamp};
    use proptest::prelude::*;

    fn past(n: u64, topic: &str, verdict: &str) -> PastDebate {
        PastDebate {
            id: DebateId::parse(&format!("debate-{n}")).unwrap(),
            topic: topic.to_owned(),
            admitted: Timestamp(n),
            outcome: Outcome::Decided,
            verdict: Some(verdict.to_owned()).filter(|verdict| !verdict.is_empty()),
            winner: None,
            failed: Vec::new(),
        }
    }

    fn ids(ranked: &[PastDebate]) -> Vec<&str> {
        ranked.iter().map(|past| past.id.name()).collect()
    }

    #[test]
    fn the_score_is_bm25_of_the_shared_words() {
        // three texts of 2, 1 and 3 words; "tram" stands in two of them
        let texts: Vec<TermCounts> = [past(1, "tram tram", ""), past(2, "bus", ""), past(3, "the tram depot", "")]
            .iter()
            .map(TermCounts::of)
            .collect();
        let weight = (1.0_f64 + 1.5 / 2.5).ln();
        let known = BTreeMap::from([(words("tram")[0], rarity(words("TRAM")[0], &texts))]);
        let score = |at: usize| texts[at].score(&known, 2.0);
        assert!((score(0) - weight * 2.0 * 2.2 / (2.0 + 1.2)).abs() < 1e-12);
        assert!(score(1).abs() < 1e-12);
        assert!((score(2) - weight * 2.2 / (1.0 + 1.2 * (0.25 + 0.75 * 1.5))).abs() < 1e-12);
    }

    #[test]
    fn rare_words_count_before_common_ones() {
        let earlier = vec![
            past(1, "Should the town buy trams?", ""),
            past(2, "Should the town buy benches?", ""),
            past(3, "Should the state tax sugar?", ""),
        ];
        assert_eq!(ids(&rank("Should the town have trams?", earlier, 2)), ["debate-1", "debate-2"]);
    }

    #[test]
    fn a_word_of_the_verdict_counts_like_one_of_the_topic() {
        let earlier = vec![past(1, "What next?", "Build the tram."), past(2, "What then?", "Close it.")];
        assert_eq!(ids(&rank("A tram or none?", earlier, 9)), ["debate-1"]);
    }

    #[test]
    fn of_equally_similar_debates_the_newer_comes_first() {
        let earlier = vec![past(1, "Tea?", "Tea."), past(3, "Tea?", "Tea."), past(2, "Tea?", "Tea.")];
        assert_eq!(ids(&rank("tea", earlier, 2)), ["debate-3", "debate-2"]);
    }

    #[test]
    fn vectors_are_ranked_by_their_cosine_and_of_equals_the_newer_comes_first() {
        // cosines with (1, 0): 0.6, 1, 0.8, 0.8, 0, none, none
        let vectors: [&[f32]; 7] =
            [&[3.0, 4.0], &[0.1, 0.0], &[4.0, 3.0], &[8.0, 6.0], &[0.0, 5.0], &[1.0], &[-1.0, 0.0]];
        let earlier: Vec<_> = (1..).zip(vectors).map(|(n, vector)| (past(n, "Tea?", ""), vector.to_vec())).collect();
        let ranked = rank_by_vectors(&[1.0, 0.0], earlier.clone(), 9);
        assert_eq!(ids(&ranked), ["debate-2", "debate-4", "debate-3", "debate-1"]);
        assert_eq!(ids(&rank_by_vectors(&[1.0, 0.0], earlier, 2)), ["debate-2", "debate-4"]);
        assert_eq!(rank_by_vectors(&[0.0, 0.0], vec![(past(1, "", ""), vec![1.0, 1.0])], 9), []);
    }

    #[test]
    fn what_is_embedded_is_topic_and_verdict() {
        assert_eq!(gist(&past(1, "Tea?", "Tea.")), "Tea?\nTea.");
        assert_eq!(gist(&past(1, "Tea?", "")), "Tea?\n");
    }

    #[test]
    fn without_earlier_debates_or_words_nothing_is_found() {
        assert_eq!(rank("tea", Vec::new(), 5), []);
        assert_eq!(rank("", vec![past(1, "", "")], 5), []);
        assert_eq!(rank("?!", vec![past(1, "?!", "")], 5), []);
    }

    #[test]
    fn a_question_in_a_script_without_spaces_finds_what_is_like_it() {
        let earlier = vec![past(1, "東京に路面電車は必要か", ""), past(2, "大阪の水道料金を上げるべきか", "")];
        assert_eq!(ids(&rank("町は路面電車を買うべきか", earlier, 1)), ["debate-1"]);
    }

    const WORDS: [&str; 8] = ["tea", "Coffee", "tram", "depot", "the", "should", "to", "ÜBER"];

    fn text() -> impl Strategy<Value = String> {
        prop::collection::vec(prop::sample::select(&WORDS[..]), 0..8).prop_map(|words| words.join(" "))
    }
    fn debates() -> impl Strategy<Value = Vec<PastDebate>> {
        let each = prop::collection::vec((text(), text()), 0..12);
        each.prop_map(|texts| (0..).zip(texts).map(|(n, (topic, verdict))| past(n, &topic, &verdict)).collect())
    }

    proptest! {
        #[test]
        fn the_order_of_the_earlier_debates_does_not_matter(
            (debates, shuffled) in debates().prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle())),
            asked in text(),
            most in 0_usize..6,
        ) {
            prop_assert_eq!(rank(&asked, debates, most), rank(&asked, shuffled, most));
        }

        #[test]
        fn exactly_those_that_share_a_word_are_kept(debates in debates(), asked in text()) {
            let words_of = |text: &str| -> BTreeSet<String> {
                text.to_lowercase().split(' ').filter(|word| !word.is_empty()).map(str::to_owned).collect()
            };
            let asked_for = words_of(&asked);
            let shares = |past: &&PastDebate| {
                let text = format!("{} {}", past.topic, past.verdict.as_deref().unwrap_or_default());
                !words_of(&text).is_disjoint(&asked_for)
            };
            let wanted: BTreeSet<DebateId> = debates.iter().filter(shares).map(|past| past.id.clone()).collect();
            let kept: BTreeSet<DebateId> = rank(&asked, debates, usize::MAX).into_iter().map(|past| past.id).collect();
            prop_assert_eq!(kept, wanted);
        }
    }
}
