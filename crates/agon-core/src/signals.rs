//! How similar speeches are: to each other, to their speakers' own, and to all before.
//!
//! By embeddings where a model is named, else by words: cosine of the counts of words and of pairs of words.
use crate::answer::{Figure, Measures, Method};
use crate::event::Event;
use crate::ids::ParticipantId;
use crate::tally::same_answer;
use crate::task::SpeechKind;
use crate::transcript::Entry;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What is said in a debate up to the end of one round, ready to be compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gauge {
    /// This round's, one for each speaker: all that it said, joined.
    new: Vec<Said>,
    /// Those of earlier rounds.
    old: Vec<Said>,
    /// Whether new speeches are compared with all before.
    known: bool,
}

/// What one participant said in one round.
#[derive(Clone, Debug, PartialEq)]
struct Said {
    round: u32,
    participant: ParticipantId,
    text: String,
    answer: Option<String>,
}

/// A speech, as it is compared.
#[derive(Clone, Debug)]
pub struct Piece {
    round: u32,
    seat: u32,
    kind: SpeechKind,
    participant: ParticipantId,
    text: Arc<str>,
    answer: Option<String>,
}

impl Gauge {
    /// A speech of the transcript.
    pub fn entry(entry: &Entry) -> Piece {
        let (participant, text, answer) = (entry.participant.clone(), entry.text.clone(), entry.answer.clone());
        Piece { round: entry.turn.round, seat: entry.turn.seat, kind: entry.kind, participant, text, answer }
    }
    /// The speech that an event records, if it records one.
    pub fn speech(event: &Event) -> Option<Piece> {
        let Event::SpeechRecorded(speech) = event else { return None };
        let (participant, text, answer) = (speech.participant.clone(), speech.text.clone(), speech.answer.clone());
        Some(Piece { round: speech.turn.round, seat: speech.turn.seat, kind: speech.kind, participant, text, answer })
    }
    /// What there is to be compared after `round` of a debate: what its debaters said there, and in their last round before.
    /// With all that was said before only where `known` says so ([`crate::DebateSpec::seeks_new_arguments`]), because the cost of
    /// a round then grows with the rounds.
    pub fn new(pieces: impl IntoIterator<Item = Piece>, round: u32, known: bool) -> Self {
        let mut gauge = Self { known, ..Self::default() };
        let compared = |piece: &Piece| counts(piece.kind) && piece.round <= round;
        let mut pieces: Vec<Piece> = pieces.into_iter().filter(compared).collect();
        // Those who spoke at once are compared in the order of their seats, whoever was faster.
        pieces.sort_by_key(|piece| (piece.round, piece.seat));
        if !gauge.known {
            let mut last: BTreeMap<ParticipantId, u32> = BTreeMap::new();
            for piece in pieces.iter().filter(|piece| piece.round < round) {
                let known = last.entry(piece.participant.clone()).or_insert(piece.round);
                *known = piece.round.max(*known);
            }
            pieces.retain(|piece| piece.round == round || last.get(&piece.participant) == Some(&piece.round));
        }
        for piece in pieces {
            let side = if piece.round == round { &mut gauge.new } else { &mut gauge.old };
            let known = side.iter_mut().find(|said| said.round == piece.round && said.participant == piece.participant);
            match known {
                // What one says in a round adds up.
                Some(said) => {
                    said.text = format!("{}\n{}", said.text, piece.text);
                    said.answer = piece.answer.or(said.answer.take());
                }
                None => side.push(Said {
                    round: piece.round,
                    participant: piece.participant,
                    text: piece.text.to_string(),
                    answer: piece.answer,
                }),
            }
        }
        gauge
    }
    /// Whether there is anything to compare.
    pub fn is_worth_it(&self) -> bool {
        self.new.len() > 1 || !self.new.is_empty() && !self.old.is_empty()
    }
    /// The texts to be compared: first this round's, then those of earlier rounds.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.new.iter().chain(&self.old).map(|said| said.text.as_str())
    }
    /// The measures by words; `instead` where embeddings were wanted and could not be had.
    pub fn words(&self, instead: bool) -> Measures {
        let method = if instead { Method::WordsInstead } else { Method::Words };
        let counts: Vec<Counts> = self.texts().map(Counts::of).collect();
        self.measures(method, |one, other| match (counts.get(one), counts.get(other)) {
            (Some(one), Some(other)) => one.cosine(other),
            (None, _) | (_, None) => 0.0,
        })
    }
    /// The measures by the vectors of [`Gauge::texts`]; absent where there are too few of them.
    pub fn embeddings(&self, vectors: &[Vec<f32>]) -> Option<Measures> {
        if vectors.len() != self.new.len() + self.old.len() {
            return None;
        }
        Some(self.measures(Method::Embeddings, |one, other| match (vectors.get(one), vectors.get(other)) {
            (Some(one), Some(other)) => cosine(one, other),
            (None, _) | (_, None) => 0.0,
        }))
    }

    /// The measures by the similarity, 0 to 1, of two texts, each by its place in [`Gauge::texts`].
    fn measures(&self, method: Method, similar: impl Fn(usize, usize) -> f64) -> Measures {
        let named = self.new.iter().all(|said| said.answer.is_some());
        let by_answers = named && self.new.len() > 1;
        let pair = |one: usize, other: usize| match (by_answers, self.new.get(one), self.new.get(other)) {
            (true, Some(one), Some(other)) => f64::from(u8::from(same(one, other))),
            (_, _, _) => similar(one, other),
        };
        let pairs: Vec<f64> = (0..self.new.len())
            .flat_map(|one| (0..one).map(move |other| (other, one)))
            .map(|(a, b)| pair(a, b))
            .collect();
        let mut stable = Vec::new();
        let mut known = Vec::new();
        for (at, said) in self.new.iter().enumerate() {
            let old = || self.old.iter().enumerate().map(|(place, old)| (place + self.new.len(), old));
            let own = old().filter(|(_, old)| old.participant == said.participant).max_by_key(|(_, old)| old.round);
            let figure = |value: f64| Figure { participant: said.participant.clone(), value: rounded(value) };
            if let Some((place, _)) = own {
                stable.push(figure(similar(at, place)));
            }
            if let Some(most) = old().filter(|_| self.known).map(|(place, _)| similar(at, place)).reduce(f64::max) {
                known.push(figure(most));
            }
        }
        let mean =
            |values: &[f64]| (!values.is_empty()).then(|| rounded(values.iter().sum::<f64>() / values.len() as f64));
        let stability = mean(&stable.iter().map(|figure| figure.value).collect::<Vec<_>>());
        Measures { agreement: mean(&pairs), stability, stable, known, by_answers, method }
    }
}

/// Whether a kind of speech is a debater's own argument.
fn counts(kind: SpeechKind) -> bool {
    match kind {
        SpeechKind::Opening
        | SpeechKind::Argument
        | SpeechKind::Proposal
        | SpeechKind::Revision
        | SpeechKind::Answer
        | SpeechKind::Question
        | SpeechKind::FollowUp => true,
        SpeechKind::Closing
        | SpeechKind::Rebuttal
        | SpeechKind::Clarification
        | SpeechKind::Interjection
        | SpeechKind::Critique
        | SpeechKind::Point
        | SpeechKind::PointReply
        | SpeechKind::Moderation => false,
    }
}

fn same(one: &Said, other: &Said) -> bool {
    matches!((&one.answer, &other.answer), (Some(one), Some(other)) if same_answer(one, other))
}

/// Four digits: more would pretend to a precision that the measure does not have.
fn rounded(value: f64) -> f64 {
    // adding 0 takes the sign from a zero, which a sum of nothing has
    (value.clamp(0.0, 1.0) * 10_000.0).round() / 10_000.0 + 0.0
}

/// Cosine of two vectors; 0 where one has no length or they differ in dimensions. Negative ones count as 0.
pub fn cosine(one: &[f32], other: &[f32]) -> f64 {
    if one.len() != other.len() {
        return 0.0;
    }
    let dot: f64 = one.iter().zip(other).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
    let length = |vector: &[f32]| vector.iter().map(|a| f64::from(*a) * f64::from(*a)).sum::<f64>().sqrt();
    let lengths = length(one) * length(other);
    if lengths > 0.0 { (dot / lengths).clamp(0.0, 1.0) } else { 0.0 }
}

/// The words of a text in their order, each as a number that stands for it in any letter case. Words of one or two letters do not count.
pub(crate) fn words(text: &str) -> impl Iterator<Item = u64> {
    let parts = text.split(|c: char| !c.is_alphanumeric());
    parts.filter(|word| word.chars().nth(2).is_some()).map(word_hash)
}

/// How often each word and each pair of neighbours stands in a text.
///
/// Every round counts all that was said before it, so words are known by their hash: nothing is kept of their letters.
struct Counts {
    /// In the order of the hashes.
    counts: Vec<(u64, f64)>,
    length: f64,
}
impl Counts {
    fn of(text: &str) -> Self {
        let words: Vec<u64> = words(text).collect();
        let pairs = words.iter().zip(words.iter().skip(1)).map(|(one, next)| mix(one.rotate_left(32), *next));
        let mut all: Vec<u64> = words.iter().copied().chain(pairs).collect();
        all.sort_unstable();
        let runs = all.chunk_by(|one, next| one == next);
        let counts: Vec<(u64, f64)> = runs.filter_map(|run| Some((*run.first()?, run.len() as f64))).collect();
        let length = counts.iter().map(|(_, count)| count * count).sum::<f64>().sqrt();
        Self { counts, length }
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

/// FNV-1a of a word in lower case, 64 bits: the same on every machine.
fn word_hash(word: &str) -> u64 {
    const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    if word.is_ascii() {
        word.bytes().fold(BASIS, |hash, byte| mix(hash, u64::from(byte.to_ascii_lowercase())))
    } else {
        word.to_lowercase().bytes().fold(BASIS, |hash, byte| mix(hash, u64::from(byte)))
    }
}

fn mix(hash: u64, value: u64) -> u64 {
    const PRIME: u64 = 0x0100_0000_01b3;
    (hash ^ value).wrapping_mul(PRIME)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(round: u32, who: &str, text: &str, answer: Option<&str>) -> Piece {
        let answer = answer.map(str::to_owned);
        Piece { round, seat: 0, kind: SpeechKind::Argument, participant: who.into(), text: text.into(), answer }
    }

    #[test]
    fn the_same_words_agree_and_other_words_do_not() {
        let same = Gauge::new(
            [piece(1, "Ada", "Build the bridge now", None), piece(1, "Bo", "build the bridge NOW", None)],
            1,
            false,
        );
        assert_eq!(same.words(false).agreement, Some(1.0));
        let other =
            Gauge::new([piece(1, "Ada", "Build the bridge", None), piece(1, "Bo", "Wait for money", None)], 1, false);
        assert_eq!(other.words(false).agreement, Some(0.0));
    }

    #[test]
    fn similarity_by_words_is_the_cosine_of_the_counts_of_words_and_pairs() {
        // "über den fluss" and "den fluss": two words and a pair are shared, of five and three.
        let texts = [piece(1, "Ada", "ÜBER den Fluss", None), piece(1, "Bo", "an den FLUSS", None)];
        assert_eq!(Gauge::new(texts, 1, false).words(false).agreement, Some(rounded(3.0 / (5.0_f64 * 3.0).sqrt())));
        // "the bridge the bridge the": the word and the pair that come again count as often as they come.
        let texts = [piece(1, "Ada", "the bridge the bridge the", None), piece(1, "Bo", "the bridge", None)];
        let lengths = (9.0_f64 + 4.0 + 4.0 + 4.0).sqrt() * 3.0_f64.sqrt();
        assert_eq!(Gauge::new(texts, 1, false).words(false).agreement, Some(rounded((3.0 + 2.0 + 2.0) / lengths)));
    }

    #[test]
    fn answers_count_before_words_where_everybody_names_one() {
        let pieces =
            [piece(1, "Ada", "x", Some("Buy")), piece(1, "Bo", "y", Some("buy.")), piece(1, "Cy", "z", Some("Wait"))];
        let measures = Gauge::new(pieces, 1, false).words(false);
        assert!(measures.by_answers);
        assert_eq!(measures.agreement, Some(0.3333));
    }

    #[test]
    fn stability_looks_at_ones_own_last_round_and_known_at_everybody() {
        let pieces = [
            piece(1, "Ada", "trains are cheap", None),
            piece(1, "Bo", "roads are everywhere", None),
            piece(2, "Ada", "roads are everywhere", None),
        ];
        let measures = Gauge::new(pieces, 2, true).words(true);
        assert_eq!(measures.agreement, None);
        assert_eq!(measures.known, [Figure { participant: "Ada".into(), value: 1.0 }]);
        assert!(measures.stable[0].value < 0.5);
        assert_eq!(measures.method, Method::WordsInstead);
    }

    #[test]
    fn without_a_look_for_new_arguments_only_ones_own_last_round_is_compared() {
        let pieces = (1..6).flat_map(|round| ["Ada", "Bo"].map(|who| piece(round, who, "roads are everywhere", None)));
        let gauge = Gauge::new(pieces, 5, false);
        assert_eq!(gauge.texts().count(), 4);
        let measures = gauge.words(false);
        assert_eq!((measures.stability, measures.known.len()), (Some(1.0), 0));
    }

    #[test]
    fn vectors_that_do_not_belong_to_the_texts_give_no_measures() {
        let gauge = Gauge::new([piece(1, "Ada", "x", None), piece(1, "Bo", "y", None)], 1, false);
        assert_eq!(gauge.embeddings(&[vec![1.0]]), None);
        let measures = gauge.embeddings(&[vec![1.0, 0.0], vec![3.0, 4.0]]).unwrap();
        assert_eq!((measures.agreement, measures.method), (Some(0.6), Method::Embeddings));
    }

    #[test]
    fn a_cosine_is_never_out_of_range() {
        assert_eq!(cosine(&[0.0], &[1.0]), 0.0);
        assert_eq!(cosine(&[-1.0], &[1.0]), 0.0);
        assert_eq!(cosine(&[1.0], &[1.0, 0.0]), 0.0);
    }
}
