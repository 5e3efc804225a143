//! The rule of a gate, and how it decides.
use super::{GateFeature, GateFeatures};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the rule's form.
pub const GATE_FORMAT: u32 = 1;
/// Most features of a logistic gate.
pub const MOST_GATE_FEATURES: usize = 8;
/// Ballots that a unanimous gate wants at least.
pub const UNANIMOUS_BALLOTS: u32 = 3;
/// Ballots that every gate wants at least.
const FEWEST_BALLOTS: u32 = 2;

/// When a debate is not worth its tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "super::read::WrittenGateRule")]
pub struct GateRule {
    /// The version of this form: [`GATE_FORMAT`].
    pub version: u32,
    /// How it decides.
    #[serde(flatten)]
    pub method: GateMethod,
    /// What it was learned on; absent where nobody learned it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub learned_on: Option<GateOrigin>,
}

named! {
    /// The kind of a rule, simplest first.
    #[derive(PartialOrd, Ord, serde::Deserialize)]
    pub enum GateKind {
        Never = "never": "no debate is worth its tokens: the first ballots decide",
        Always = "always": "every debate is worth its tokens",
        Unanimous = "unanimous": "debates in which all debaters, three at least, cast the same ballot are skipped",
        Threshold = "threshold": "one feature decides",
        Logistic = "logistic": "the chance that the debate is right minus the chance that the first ballots are decides",
    }
}

/// How a gate decides.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum GateMethod {
    /// No debate is worth it: ballots decide.
    Never,
    /// Every debate is worth it.
    Always,
    /// Debates in which all debaters, three at least, cast the same ballot are not worth it.
    Unanimous,
    /// One feature decides. The score is its value.
    Threshold {
        /// Which.
        feature: GateFeature,
        /// The side of the threshold that is debated.
        debate_when: GateSide,
        /// Where the sides meet.
        threshold: f64,
    },
    /// The score is the chance that the debate is right minus the chance that the first ballots are; from the threshold on, it is worth it.
    Logistic {
        /// What the chances depend on, 1 to [`MOST_GATE_FEATURES`] different ones.
        features: Vec<ScaledFeature>,
        /// The chance that the debate's answer is right.
        debate: SideChance,
        /// The chance that the top answer of the first ballots is right.
        vote_first: SideChance,
        /// The smallest score that is debated.
        threshold: f64,
    },
}

named! {
    /// The side of a threshold that is debated.
    #[derive(serde::Deserialize)]
    pub enum GateSide {
        Below = "below": "the feature is below the threshold",
        AtLeast = "at_least": "the feature is the threshold or above",
    }
}

/// A feature on the scale of its mean and standard deviation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScaledFeature {
    /// Which.
    pub feature: GateFeature,
    /// Its mean over the questions learned on.
    pub mean: f64,
    /// Its standard deviation there, above 0.
    pub scale: f64,
}

/// A chance p by ln(p / (1 - p)) = intercept + the sum of coefficient x (value - mean) / scale.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SideChance {
    /// Where every feature has its mean.
    pub intercept: f64,
    /// One for each feature, in their order.
    pub coefficients: Vec<f64>,
}

/// What a gate was learned on.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateOrigin {
    /// The eval.
    pub eval: String,
    /// Its debate arm.
    pub debate: String,
    /// The hash of the debate's spec, of the question and the gate aside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    /// The models, with their digests where a server reported them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub models: BTreeMap<String, Option<String>>,
}

/// What a gate decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GateDecision {
    /// By which it was decided; absent where the rule has none or a feature is unknown.
    pub score: Option<f64>,
    /// The rounds are skipped: the top answer of the ballots wins.
    pub skip: bool,
    /// Why.
    pub reason: GateReason,
}

named! {
    /// What became of a debate at its gate.
    pub enum GateOutcome {
        /// No round was held.
        Skip = "skip",
        /// The debate was held.
        Debate = "debate",
        /// The rule would have skipped the debate, and it was held.
        Explored = "explored",
    }
}
impl GateOutcome {
    /// Of a decision.
    pub fn of(skip: bool, reason: GateReason) -> Self {
        match reason {
            GateReason::Explored => Self::Explored,
            GateReason::Rule | GateReason::BallotFailed | GateReason::TooFewBallots | GateReason::FeatureUnknown => {
                if skip {
                    Self::Skip
                } else {
                    Self::Debate
                }
            }
        }
    }
}

named! {
    /// Why a gate decided as it did.
    pub enum GateReason {
        Rule = "rule": "by its rule",
        BallotFailed = "ballot_failed": "a ballot failed, so the debate is held",
        TooFewBallots = "too_few_ballots": "there were fewer ballots than the rule wants, so the debate is held",
        FeatureUnknown = "feature_unknown": "a feature of the rule is unknown, so the debate is held",
        Explored = "explored": "the rule would skip it, and it is held to see whether the rule is still right",
    }
}

impl GateRule {
    /// A rule of this version that nobody learned.
    pub const fn plain(method: GateMethod) -> Self {
        Self { version: GATE_FORMAT, method, learned_on: None }
    }
    /// What holds without a learned gate.
    pub const fn unanimous() -> Self {
        Self::plain(GateMethod::Unanimous)
    }
    /// Decides whether the rounds are skipped. Where a ballot failed or fewer than two were cast, no rule skips.
    pub fn decide(&self, features: &GateFeatures, eligible: u32, cast: u32) -> GateDecision {
        self.method.decide(features, eligible, cast)
    }
    /// How a debate differs from what the rule was learned on, each a sentence; none where the rule was learned on nothing.
    pub fn differences(&self, spec: &str, models: &BTreeMap<String, Option<String>>) -> Vec<String> {
        let Some(origin) = &self.learned_on else { return Vec::new() };
        let mut found = Vec::new();
        if origin.spec.as_deref().is_some_and(|learned| learned != spec) {
            found.push("the gate was learned on a debate with other settings".to_owned());
        }
        for (model, digest) in models {
            match origin.models.get(model) {
                None => found.push(format!("the gate was learned without model {model}")),
                Some(Some(learned)) if digest.as_ref().is_some_and(|digest| digest != learned) => {
                    found.push(format!("the gate was learned on another version of model {model}"));
                }
                Some(_) => {}
            }
        }
        let missing = origin.models.keys().filter(|model| !models.contains_key(*model));
        found.extend(
            missing.map(|model| format!("the gate was learned with model {model}, which does not debate here")),
        );
        found
    }
}

impl GateMethod {
    /// Its kind.
    pub fn kind(&self) -> GateKind {
        match self {
            Self::Never => GateKind::Never,
            Self::Always => GateKind::Always,
            Self::Unanimous => GateKind::Unanimous,
            Self::Threshold { .. } => GateKind::Threshold,
            Self::Logistic { .. } => GateKind::Logistic,
        }
    }
    /// The features that it needs.
    pub fn features(&self) -> Vec<GateFeature> {
        match self {
            Self::Never | Self::Always => Vec::new(),
            Self::Unanimous => vec![GateFeature::Answers],
            Self::Threshold { feature, .. } => vec![*feature],
            Self::Logistic { features, .. } => features.iter().map(|scaled| scaled.feature).collect(),
        }
    }
    /// As [`GateRule::decide`].
    pub fn decide(&self, features: &GateFeatures, eligible: u32, cast: u32) -> GateDecision {
        let score = self.score(features);
        let held = |reason| GateDecision { score, skip: false, reason };
        let fewest = if *self == Self::Unanimous { UNANIMOUS_BALLOTS } else { FEWEST_BALLOTS };
        if cast < eligible {
            return held(GateReason::BallotFailed);
        }
        if cast < fewest {
            return held(GateReason::TooFewBallots);
        }
        match self.skips(features) {
            Some(skip) => GateDecision { score, skip, reason: GateReason::Rule },
            None => held(GateReason::FeatureUnknown),
        }
    }
    /// What the decision goes by; absent where the rule has no score or a feature is unknown.
    pub fn score(&self, features: &GateFeatures) -> Option<f64> {
        match self {
            Self::Never | Self::Always | Self::Unanimous => None,
            Self::Threshold { feature, .. } => features.get(*feature),
            Self::Logistic { features: scaled, debate, vote_first, .. } => {
                let values: Vec<f64> = scaled.iter().map(|one| one.of(features)).collect::<Option<_>>()?;
                Some(debate.chance(&values) - vote_first.chance(&values))
            }
        }
    }
    fn skips(&self, features: &GateFeatures) -> Option<bool> {
        match self {
            Self::Never => Some(true),
            Self::Always => Some(false),
            Self::Unanimous => features.get(GateFeature::Answers).map(|answers| answers <= 1.0),
            Self::Threshold { debate_when, threshold, .. } => self.score(features).map(|score| match debate_when {
                GateSide::Below => score >= *threshold,
                GateSide::AtLeast => score < *threshold,
            }),
            Self::Logistic { threshold, .. } => self.score(features).map(|score| score < *threshold),
        }
    }
}

impl ScaledFeature {
    /// The value on this scale; absent where it is unknown.
    pub fn of(&self, features: &GateFeatures) -> Option<f64> {
        features.get(self.feature).map(|value| (value - self.mean) / self.scale)
    }
}

impl SideChance {
    /// The chance at these scaled values, 0 to 1.
    pub fn chance(&self, values: &[f64]) -> f64 {
        let sum: f64 = self.coefficients.iter().zip(values).map(|(coefficient, value)| coefficient * value).sum();
        1.0 / (1.0 + (-(self.intercept + sum)).exp())
    }
}
