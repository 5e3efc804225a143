//! Random choices of an eval, each derived from its seed, its purpose and what it is about.
use crate::{EvalSpec, Question};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};
use std::collections::BTreeSet;
use std::fmt::Display;

/// The stream for a purpose and what it is about.
fn stream(seed: u64, purpose: &str, about: &[&dyn Display]) -> ChaCha8Rng {
    let mut text = format!("agon eval {purpose} {seed}");
    for part in about {
        // a text may hold anything: its length keeps parts apart
        let part = part.to_string();
        text.push_str(&format!("\n{}:{part}", part.len()));
    }
    ChaCha8Rng::from_seed(*blake3::hash(text.as_bytes()).as_bytes())
}

/// A whole number of 53 bits, because JSON's numbers have no more.
pub(crate) fn whole(seed: u64, purpose: &str, about: &[&dyn Display]) -> u64 {
    stream(seed, purpose, about).next_u64() >> 11
}

/// A number from 0 to below 1.
pub(crate) fn share(seed: u64, purpose: &str, about: &[&dyn Display]) -> f64 {
    // 53 bits, all that a float of this size holds
    whole(seed, purpose, about) as f64 / (1_u64 << 53) as f64
}

impl EvalSpec {
    /// The eval as a pilot on so many of its questions, drawn evenly by the seed, in the order in which they were.
    #[must_use]
    pub fn pilot(self, count: usize, seed: u64) -> Self {
        let all = u32::try_from(self.questions.len()).unwrap_or(u32::MAX);
        let pilot_of = (count < self.questions.len()).then_some(all);
        Self { questions: drawn_questions(self.questions, count, seed), pilot_of, ..self }
    }
}

/// So many of the questions, drawn evenly by the seed, in the order in which they were.
pub fn drawn_questions(questions: Vec<Question>, count: usize, seed: u64) -> Vec<Question> {
    let mut places: Vec<usize> = (0..questions.len()).collect();
    shuffle(seed, "pilot", &[], &mut places);
    let drawn: BTreeSet<usize> = places.into_iter().take(count).collect();
    let kept = questions.into_iter().enumerate().filter(|(at, _)| drawn.contains(at));
    kept.map(|(_, question)| question).collect()
}

/// Permutes `items` evenly (Fisher and Yates).
pub(crate) fn shuffle<T>(seed: u64, purpose: &str, about: &[&dyn Display], items: &mut [T]) {
    let mut stream = stream(seed, purpose, about);
    for last in (1..items.len()).rev() {
        let bound = last as u64 + 1;
        let zone = u64::MAX - u64::MAX % bound;
        let draw = loop {
            let draw = stream.next_u64();
            if draw < zone {
                break draw % bound;
            }
        };
        items.swap(last, usize::try_from(draw).unwrap_or(0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_lie_evenly_between_0_and_1_and_follow_from_what_they_are_about() {
        let draws: Vec<f64> = (0..4_000).map(|n| share(1, "test", &[&n])).collect();
        assert!(draws.iter().all(|draw| (0.0..1.0).contains(draw)));
        let mean = draws.iter().sum::<f64>() / 4_000.0;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
        assert_eq!(draws[7].to_bits(), share(1, "test", &[&7]).to_bits());
        assert_ne!(share(1, "test", &[&"a", &"b"]).to_bits(), share(1, "test", &[&"ab", &""]).to_bits());
        assert_ne!(share(1, "test", &[&7]).to_bits(), share(2, "test", &[&7]).to_bits());
    }

    #[test]
    fn a_shuffle_keeps_all_items_and_puts_each_anywhere() {
        let mut firsts = [0_u32; 5];
        for n in 0..1_000 {
            let mut items = [0, 1, 2, 3, 4];
            shuffle(3, "test", &[&n], &mut items);
            firsts[items[0]] += 1;
            items.sort_unstable();
            assert_eq!(items, [0, 1, 2, 3, 4]);
        }
        assert!(firsts.iter().all(|count| (140..=260).contains(count)), "{firsts:?}");
    }
}
