//! How similar speeches are: to each other, to their speakers' own, and to all before.
//!
//! By the answers that they state; else by embeddings where a model is named, or by words. Words cannot say whether two who use the same ones
//! hold the same, so that they are no sign of agreement where stances are assigned.
mod likeness;

pub use likeness::{likeness, sentences, words};

use crate::answer::{Figure, Measures, Method};
use crate::ids::ParticipantId;
use crate::spec::{DebateFormat, DebateSpec, Mode};
use crate::tally::same_answer;
use crate::task::SpeechKind;
use crate::transcript::Entry;
use likeness::Profile;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What is said in a debate up to the end of one round, ready to be compared.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gauge {
    /// This round's, one for each speaker: all that it said, joined.
    new: Vec<RoundSpeech>,
    /// Those of earlier rounds.
    old: Vec<RoundSpeech>,
    scale: Scale,
}

/// What is compared in a debate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scale {
    /// New speeches are compared with all before.
    pub known: bool,
    /// Every debater has a stance that it was given, so that like words are no agreement.
    pub assigned: bool,
    /// Texts are what is revised, so that whether somebody stands still is read from them, whatever answers they state.
    pub proposals: bool,
}
impl Scale {
    /// What is compared in debates of this spec. With all before only where a stop rule asks for it, because the cost of a round
    /// then grows with the rounds.
    pub fn of(spec: &DebateSpec) -> Self {
        Self {
            known: spec.seeks_new_arguments(),
            assigned: spec.mode == Mode::Adversarial,
            proposals: spec.debate_format == DebateFormat::CritiqueRevision,
        }
    }
}

/// What one participant said in one round.
#[derive(Clone, Debug, PartialEq)]
struct RoundSpeech {
    round: u32,
    participant: ParticipantId,
    text: String,
    answer: Option<String>,
    /// Nothing but questions, which state no answer.
    asks: bool,
}

/// A speech, as it is compared.
#[derive(Clone, Debug)]
pub struct ComparedSpeech {
    round: u32,
    seat: u32,
    kind: SpeechKind,
    participant: ParticipantId,
    text: Arc<str>,
    answer: Option<String>,
}

impl Gauge {
    /// A speech of the transcript.
    pub fn entry(entry: &Entry) -> ComparedSpeech {
        let (participant, text, answer) = (entry.participant.clone(), entry.text.clone(), entry.answer.clone());
        ComparedSpeech { round: entry.turn.round, seat: entry.turn.seat, kind: entry.kind, participant, text, answer }
    }
    /// What there is to be compared after `round` of a debate: what its debaters said there, and argued in their last round before; all
    /// that was said before where the scale wants that.
    pub fn new(pieces: impl IntoIterator<Item = ComparedSpeech>, round: u32, scale: Scale) -> Self {
        let mut gauge = Self { scale, ..Self::default() };
        let compared = |piece: &ComparedSpeech| counts(piece.kind) && piece.round <= round;
        let mut pieces: Vec<ComparedSpeech> = pieces.into_iter().filter(compared).collect();
        // Those who spoke at once are compared in the order of their seats, whoever was faster.
        pieces.sort_by_key(|piece| (piece.round, piece.seat));
        if !gauge.scale.known {
            let mut last: BTreeMap<ParticipantId, u32> = BTreeMap::new();
            for piece in pieces.iter().filter(|piece| piece.round < round && !is_question(piece.kind)) {
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
                    said.asks &= is_question(piece.kind);
                }
                None => side.push(RoundSpeech {
                    round: piece.round,
                    participant: piece.participant,
                    text: piece.text.to_string(),
                    answer: piece.answer,
                    asks: is_question(piece.kind),
                }),
            }
        }
        gauge.carry_answers();
        gauge
    }
    /// Who only asked in this round stands by the answer that it stated last.
    fn carry_answers(&mut self) {
        let last = |said: &RoundSpeech| self.last_of(said).and_then(|(_, old)| old.answer.clone());
        let carried: Vec<Option<String>> =
            self.new.iter().map(|said| if said.asks { last(said) } else { None }).collect();
        for (said, answer) in self.new.iter_mut().zip(carried) {
            said.answer = said.answer.take().or(answer);
        }
    }
    /// Whether there is anything to compare.
    pub fn is_worth_it(&self) -> bool {
        self.new.len() > 1 || !self.new.is_empty() && !self.old.is_empty()
    }
    /// The texts to be compared: first this round's, then those of earlier rounds.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.new.iter().chain(&self.old).map(|said| said.text.as_str())
    }
    /// The measures by words; `instead` where embeddings were wanted and are missing.
    pub fn words(&self, instead: bool) -> Measures {
        let method = if instead { Method::WordsInstead } else { Method::Words };
        let profiles: Vec<Profile> = self.texts().map(Profile::of).collect();
        self.measures(method, |one, other| match (profiles.get(one), profiles.get(other)) {
            (Some(one), Some(other)) => one.likeness(other),
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
        let by_answers = self.new.len() > 1 && self.new.iter().all(|said| said.answer.is_some());
        // Who repeats the other's words to deny them does not agree.
        let agrees = by_answers || method == Method::Embeddings || !self.scale.assigned;
        let mut pairs = Vec::new();
        for (at, one) in self.new.iter().enumerate().filter(|_| agrees) {
            for (before, other) in self.new.iter().enumerate().take(at) {
                pairs.push(if by_answers { share(same(one, other)) } else { similar(before, at) });
            }
        }
        let stands = if by_answers && !self.scale.proposals { self.held() } else { self.unmoved(&similar) };
        let mut known = Vec::new();
        let before: BTreeSet<Vec<u64>> =
            self.old.iter().filter(|_| self.scale.known).flat_map(|old| sentences(&old.text)).collect();
        for (at, said) in self.new.iter().enumerate().filter(|_| self.scale.known) {
            let most = (self.new.len()..self.new.len() + self.old.len()).map(|place| similar(at, place));
            // sentences that were said before are nothing new, whoever said each of them
            let again = sentences(&said.text).all(|sentence| before.contains(&sentence));
            let most = most.reduce(f64::max).map(|most| if again { 1.0 } else { most });
            known.extend(most.map(|most| figure(said, most)));
        }
        let mean =
            |values: &[f64]| (!values.is_empty()).then(|| rounded(values.iter().sum::<f64>() / values.len() as f64));
        let agreement = mean(&pairs);
        let stability = mean(&stands.iter().map(|figure| figure.value).collect::<Vec<_>>());
        Measures { agreement, stability, stable: stands, known, by_answers, method }
    }

    /// Whether each speaker states the answer that it stated before; nobody's figure where somebody stated none then.
    fn held(&self) -> Vec<Figure> {
        let before = |said: &RoundSpeech| self.last_of(said).map(|(_, old)| old);
        let spoke = || self.new.iter().filter_map(|said| Some((said, before(said)?)));
        if spoke().any(|(_, old)| old.answer.is_none()) {
            return Vec::new();
        }
        spoke().map(|(said, old)| figure(said, share(same(said, old)))).collect()
    }

    /// How similar each speaker's speech is to its own in its last round.
    fn unmoved(&self, similar: impl Fn(usize, usize) -> f64) -> Vec<Figure> {
        let places = self.new.iter().enumerate().filter_map(|(at, said)| Some((at, said, self.last_of(said)?.0)));
        places.map(|(at, said, place)| figure(said, similar(at, place))).collect()
    }

    /// What a speaker argued in its last round before, with its place in [`Gauge::texts`].
    fn last_of(&self, said: &RoundSpeech) -> Option<(usize, &RoundSpeech)> {
        let own = self.old.iter().enumerate().filter(|(_, old)| old.participant == said.participant && !old.asks);
        own.max_by_key(|(_, old)| old.round).map(|(at, old)| (at + self.new.len(), old))
    }
}

fn figure(said: &RoundSpeech, value: f64) -> Figure {
    Figure { participant: said.participant.clone(), value: rounded(value) }
}

fn share(yes: bool) -> f64 {
    f64::from(u8::from(yes))
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

fn is_question(kind: SpeechKind) -> bool {
    matches!(kind, SpeechKind::Question | SpeechKind::FollowUp)
}

fn same(one: &RoundSpeech, other: &RoundSpeech) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn piece(round: u32, who: &str, text: &str, answer: Option<&str>) -> ComparedSpeech {
        let answer = answer.map(str::to_owned);
        ComparedSpeech {
            round,
            seat: 0,
            kind: SpeechKind::Argument,
            participant: who.into(),
            text: text.into(),
            answer,
        }
    }

    const OWN: Scale = Scale { known: false, assigned: false, proposals: false };
    const ASSIGNED: Scale = Scale { assigned: true, ..OWN };

    #[test]
    fn the_same_words_agree_and_other_words_do_not() {
        let same = [piece(1, "Ada", "Build the bridge now", None), piece(1, "Bo", "build the bridge NOW", None)];
        assert_eq!(Gauge::new(same, 1, OWN).words(false).agreement, Some(1.0));
        let other = [piece(1, "Ada", "Build the bridge", None), piece(1, "Bo", "Wait for money", None)];
        assert_eq!(Gauge::new(other, 1, OWN).words(false).agreement, Some(0.0));
    }

    #[test]
    fn words_alone_are_no_agreement_where_stances_are_assigned() {
        let texts = [piece(1, "Ada", "Build the bridge", None), piece(1, "Bo", "Build the bridge", None)];
        for instead in [false, true] {
            assert_eq!(Gauge::new(texts.clone(), 1, ASSIGNED).words(instead).agreement, None);
        }
        let vectors = [vec![1.0], vec![1.0]];
        assert_eq!(Gauge::new(texts, 1, ASSIGNED).embeddings(&vectors).unwrap().agreement, Some(1.0));
    }

    #[test]
    fn an_answer_that_is_not_stated_is_unknown_and_no_agreement() {
        let texts = [piece(1, "Ada", "Yes, build", Some("Build")), piece(1, "Bo", "Yes, build", None)];
        let measures = Gauge::new(texts, 1, ASSIGNED).words(false);
        assert_eq!((measures.agreement, measures.by_answers), (None, false));
    }

    #[test]
    fn answers_count_before_words_where_everybody_names_one() {
        let pieces =
            [piece(1, "Ada", "x", Some("Buy")), piece(1, "Bo", "y", Some("buy.")), piece(1, "Cy", "z", Some("Wait"))];
        for scale in [OWN, ASSIGNED] {
            let measures = Gauge::new(pieces.clone(), 1, scale).words(false);
            assert!(measures.by_answers);
            assert_eq!(measures.agreement, Some(0.3333));
        }
    }

    #[test]
    fn agreement_and_stability_rest_on_answers_both_or_neither() {
        let round = |round, text: &str, answers: [Option<&str>; 2]| {
            ["Ada", "Bo"]
                .into_iter()
                .zip(answers)
                .map(move |(who, answer)| piece(round, who, text, answer))
                .collect::<Vec<_>>()
        };
        let (buy, wait) = (Some("Buy"), Some("Wait"));
        let stability = |first, scale| {
            let pieces = [round(1, "one text", first), round(2, "quite another speech", [buy, wait])].concat();
            Gauge::new(pieces, 2, scale).words(false).stability
        };
        assert_eq!(stability([buy, wait], OWN), Some(1.0));
        assert_eq!(stability([buy, buy], OWN), Some(0.5));
        // what Bo held before is not known
        assert_eq!(stability([buy, None], OWN), None);
        // proposals are read by what they propose
        assert_eq!(stability([buy, wait], Scale { proposals: true, ..OWN }), Some(0.0));
    }

    #[test]
    fn stability_looks_at_ones_own_last_round_and_known_at_everybody() {
        let pieces = [
            piece(1, "Ada", "trains are cheap", None),
            piece(1, "Bo", "roads are everywhere", None),
            piece(2, "Ada", "roads are everywhere", None),
        ];
        let measures = Gauge::new(pieces, 2, Scale { known: true, ..OWN }).words(true);
        assert_eq!(measures.agreement, None);
        assert_eq!(measures.known, [Figure { participant: "Ada".into(), value: 1.0 }]);
        assert!(measures.stable[0].value < 0.5);
        assert_eq!(measures.method, Method::WordsInstead);
    }

    #[test]
    fn without_a_look_for_new_arguments_only_ones_own_last_round_is_compared() {
        let pieces = (1..6).flat_map(|round| ["Ada", "Bo"].map(|who| piece(round, who, "roads are everywhere", None)));
        let gauge = Gauge::new(pieces, 5, OWN);
        assert_eq!(gauge.texts().count(), 4);
        let measures = gauge.words(false);
        assert_eq!((measures.stability, measures.known.len()), (Some(1.0), 0));
    }

    #[test]
    fn vectors_that_do_not_belong_to_the_texts_give_no_measures() {
        let gauge = Gauge::new([piece(1, "Ada", "x", None), piece(1, "Bo", "y", None)], 1, OWN);
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
