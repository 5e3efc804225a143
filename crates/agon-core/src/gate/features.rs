//! What a gate knows of a question: its ballots, their reasons, and its length.
use crate::tally::count_by;
use serde::{Deserialize, Serialize};

named! {
    /// One figure that a gate may decide by.
    #[derive(PartialOrd, Ord, serde::Deserialize)]
    pub enum GateFeature {
        TopShare = "top_share": "ballots for the answer with the most, as a share of those who could cast one",
        Entropy = "entropy": "entropy of the answers divided by the logarithm of the ballots: 0 all agree, 1 all differ",
        Margin = "margin": "share of the first answer minus that of the second",
        Answers = "answers": "different answers",
        ReasonWordsMean = "reason_words_mean": "words of a ballot's reasons, on average",
        ReasonWordsSpread = "reason_words_spread": "standard deviation of these words",
        QuestionWords = "question_words": "words of the question and its context",
        Options = "options": "options of the question",
        ModelsDisagree = "models_disagree": "pairs of ballots from different models that differ, as a share of these pairs",
        ConfidenceMean = "confidence_mean": "how sure the voters say they are, 0 to 100, on average",
    }
}
/// What a gate knows of a question; what is unknown is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct GateFeatures {
    /// Ballots for the answer with the most, as a share of those who could cast one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_share: Option<f64>,
    /// Entropy of the answers divided by ln of the ballots, 0 to 1; absent under two ballots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entropy: Option<f64>,
    /// Share of the first answer minus that of the second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margin: Option<f64>,
    /// Different answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answers: Option<f64>,
    /// Words of a ballot's reasons, on average.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason_words_mean: Option<f64>,
    /// Standard deviation of these words (of the population); absent under two ballots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason_words_spread: Option<f64>,
    /// Words of question and context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question_words: Option<f64>,
    /// Options of the question; absent where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<f64>,
    /// Pairs of ballots from different models that differ, as a share of these pairs; absent with a single model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub models_disagree: Option<f64>,
    /// How sure the voters say they are, 0 to 100, on average; absent unless asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence_mean: Option<f64>,
}

/// One first ballot, or one answer where answers stand for ballots.
#[derive(Clone, Copy, Debug)]
pub struct GateBallot<'a> {
    /// For which answer.
    pub answer: &'a str,
    /// Words of its reasons.
    pub reason_words: u32,
    /// The model that cast it; absent where nobody reported it.
    pub model: Option<&'a str>,
    /// How sure it says it is, 0 to 100; absent unless asked.
    pub confidence: Option<u8>,
}

/// What a gate looks at: first ballots and the question.
#[derive(Clone, Copy, Debug)]
pub struct GateView<'a> {
    /// The ballots that were cast.
    pub ballots: &'a [GateBallot<'a>],
    /// Who could have cast one.
    pub eligible: u32,
    /// Words of question and context.
    pub question_words: u32,
    /// Options of the question; absent where it has none.
    pub options: Option<u32>,
}

impl GateView<'_> {
    /// The features; `same` says which answers are one.
    pub fn features(&self, same: impl Fn(&str, &str) -> bool) -> GateFeatures {
        let counts = count_by([], self.ballots.iter().map(|ballot| ballot.answer), &same);
        let words = || self.ballots.iter().map(|ballot| f64::from(ballot.reason_words));
        let share = |at: usize| counts.get(at).map_or(0.0, |(_, votes)| f64::from(*votes) / f64::from(self.eligible));
        let any = !self.ballots.is_empty() && self.eligible > 0;
        let sure: Option<Vec<f64>> = self.ballots.iter().map(|ballot| ballot.confidence.map(f64::from)).collect();
        GateFeatures {
            top_share: any.then(|| share(0)),
            entropy: self.entropy(&counts),
            margin: any.then(|| share(0) - share(1)),
            answers: any.then_some(counts.len() as f64),
            reason_words_mean: mean(words()),
            reason_words_spread: self.ballots.get(1).and_then(|_| spread(words())),
            question_words: Some(f64::from(self.question_words)),
            options: self.options.map(f64::from),
            models_disagree: self.models_disagree(&same),
            confidence_mean: sure.and_then(|sure| mean(sure.into_iter())),
        }
    }

    /// Shannon's entropy of the answers' shares among cast ballots, divided by its most, that of ballots which all differ.
    fn entropy(&self, counts: &[(String, u32)]) -> Option<f64> {
        let cast = self.ballots.len() as f64;
        let shares = counts.iter().map(|(_, votes)| f64::from(*votes) / cast);
        // where all agree, the sum is a negative zero
        let entropy: f64 = 0.0 + shares.map(|share| -share * share.ln()).sum::<f64>();
        (self.ballots.len() > 1).then(|| (entropy / cast.ln()).clamp(0.0, 1.0))
    }

    fn models_disagree(&self, same: impl Fn(&str, &str) -> bool) -> Option<f64> {
        let mut differ = 0u32;
        let mut pairs = 0u32;
        for (at, one) in self.ballots.iter().enumerate() {
            for other in self.ballots.iter().skip(at + 1) {
                if one.model? != other.model? {
                    pairs += 1;
                    differ += u32::from(!same(one.answer, other.answer));
                }
            }
        }
        (pairs > 0).then(|| f64::from(differ) / f64::from(pairs))
    }
}

impl GateFeatures {
    /// One of them; absent where it is unknown or no finite number.
    pub fn get(&self, feature: GateFeature) -> Option<f64> {
        let value = match feature {
            GateFeature::TopShare => self.top_share,
            GateFeature::Entropy => self.entropy,
            GateFeature::Margin => self.margin,
            GateFeature::Answers => self.answers,
            GateFeature::ReasonWordsMean => self.reason_words_mean,
            GateFeature::ReasonWordsSpread => self.reason_words_spread,
            GateFeature::QuestionWords => self.question_words,
            GateFeature::Options => self.options,
            GateFeature::ModelsDisagree => self.models_disagree,
            GateFeature::ConfidenceMean => self.confidence_mean,
        };
        value.filter(|value| value.is_finite())
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0u32), |(sum, n), value| (sum + value, n + 1));
    (n > 0).then(|| sum / f64::from(n))
}

fn spread(values: impl Iterator<Item = f64> + Clone) -> Option<f64> {
    let middle = mean(values.clone())?;
    mean(values.map(|value| (value - middle).powi(2))).map(f64::sqrt)
}
