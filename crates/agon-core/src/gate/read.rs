//! Reading a rule that somebody else wrote: bounded, finite, and of known features only.
use super::{
    GATE_FORMAT, GateFeature, GateKind, GateMethod, GateOrigin, GateRule, GateSide, MOST_GATE_FEATURES, ScaledFeature,
    SideChance,
};
use serde::Deserialize;
use serde_json::Value;

/// Largest gate file, in bytes.
pub const MAX_GATE_BYTES: usize = 1 << 20;
/// Most models that a rule names.
const MOST_MODELS: usize = 64;
/// Longest name or hash in a rule, in characters.
const LONGEST_NAME: usize = 256;
/// Most characters of an error about the text, which may quote it.
const LONGEST_ERROR: usize = 400;
/// Largest number in a rule, either side of 0: products of three stay finite.
const LARGEST_NUMBER: f64 = 1e9;
/// Smallest scale of a feature.
const SMALLEST_SCALE: f64 = 1e-9;

/// Why a text is no gate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GateRuleError {
    /// The text is too long to be one.
    #[error("the gate has {bytes} bytes; allowed are {MAX_GATE_BYTES}")]
    TooLarge {
        /// How long it is.
        bytes: usize,
    },
    /// It is no JSON, or lacks a member, or has one too many.
    #[error("the gate cannot be read: {0}")]
    Malformed(String),
    /// Another version of Agon wrote it.
    #[error("the gate has version {0}; this program reads version {GATE_FORMAT}: learn it again")]
    Version(u32),
    /// Its rule makes no sense; all that is wrong, in one sentence.
    #[error("the gate is not valid: {0}")]
    Invalid(String),
}

/// A rule as it is written, with every member that one of the kinds has.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WrittenGateRule {
    version: u32,
    kind: GateKind,
    feature: Option<GateFeature>,
    debate_when: Option<GateSide>,
    threshold: Option<f64>,
    features: Option<Vec<ScaledFeature>>,
    debate: Option<SideChance>,
    vote_first: Option<SideChance>,
    learned_on: Option<GateOrigin>,
}

impl GateRule {
    /// Reads a rule from JSON: the rule itself, or a gate file with the member `rule`.
    pub fn read(text: &str) -> Result<Self, GateRuleError> {
        if text.len() > MAX_GATE_BYTES {
            return Err(GateRuleError::TooLarge { bytes: text.len() });
        }
        let mut value = crate::json::unique(text).map_err(malformed)?;
        let rule = value.get_mut("rule").map(Value::take).unwrap_or(value);
        let version = rule.get("version").and_then(Value::as_u64).and_then(|version| u32::try_from(version).ok());
        if let Some(version) = version.filter(|version| *version != GATE_FORMAT) {
            return Err(GateRuleError::Version(version));
        }
        let written: WrittenGateRule = serde_json::from_value(rule).map_err(malformed)?;
        Self::try_from(written)
    }

    /// Checks a rule that was built elsewhere, such as one from the wire.
    pub fn check(&self) -> Result<(), GateRuleError> {
        if self.version != GATE_FORMAT {
            return Err(GateRuleError::Version(self.version));
        }
        let mut problems = Vec::new();
        match &self.method {
            GateMethod::Never | GateMethod::Always | GateMethod::Unanimous => {}
            GateMethod::Threshold { threshold, .. } => number("threshold", *threshold, &mut problems),
            GateMethod::Logistic { features, debate, vote_first, threshold } => {
                number("threshold", *threshold, &mut problems);
                scaled(features, &mut problems);
                side("debate", debate, features.len(), &mut problems);
                side("vote_first", vote_first, features.len(), &mut problems);
            }
        }
        if let Some(origin) = &self.learned_on {
            named(origin, &mut problems);
        }
        if problems.is_empty() { Ok(()) } else { Err(GateRuleError::Invalid(problems.join("; "))) }
    }
}

fn malformed(error: serde_json::Error) -> GateRuleError {
    GateRuleError::Malformed(error.to_string().chars().take(LONGEST_ERROR).collect())
}

impl TryFrom<WrittenGateRule> for GateRule {
    type Error = GateRuleError;

    fn try_from(written: WrittenGateRule) -> Result<Self, GateRuleError> {
        let WrittenGateRule {
            version,
            kind,
            feature,
            debate_when,
            threshold,
            features,
            debate,
            vote_first,
            learned_on,
        } = written;
        let wrong = |what: &str| GateRuleError::Invalid(format!("a gate of kind {} {what}", kind.as_str()));
        let of_one = feature.is_some() || debate_when.is_some();
        let of_chances = features.is_some() || debate.is_some() || vote_first.is_some();
        let plain = |method| match of_one || of_chances || threshold.is_some() {
            true => Err(wrong("takes no features and no threshold")),
            false => Ok(method),
        };
        let method = match kind {
            GateKind::Never => plain(GateMethod::Never)?,
            GateKind::Always => plain(GateMethod::Always)?,
            GateKind::Unanimous => plain(GateMethod::Unanimous)?,
            GateKind::Threshold => match (feature, debate_when, threshold) {
                (Some(feature), Some(debate_when), Some(threshold)) if !of_chances => {
                    GateMethod::Threshold { feature, debate_when, threshold }
                }
                _ => return Err(wrong("has the members feature, debate_when and threshold, and no others")),
            },
            GateKind::Logistic => match (features, debate, vote_first, threshold) {
                (Some(features), Some(debate), Some(vote_first), Some(threshold)) if !of_one => {
                    GateMethod::Logistic { features, debate, vote_first, threshold }
                }
                _ => return Err(wrong("has the members features, debate, vote_first and threshold, and no others")),
            },
        };
        let rule = Self { version, method, learned_on };
        rule.check()?;
        Ok(rule)
    }
}

fn number(name: &str, value: f64, problems: &mut Vec<String>) {
    if !value.is_finite() || value.abs() > LARGEST_NUMBER {
        problems.push(format!("{name} is {value}; allowed is -1e9 to 1e9"));
    }
}

fn scaled(features: &[ScaledFeature], problems: &mut Vec<String>) {
    if !(1..=MOST_GATE_FEATURES).contains(&features.len()) {
        problems.push(format!("there are {} features; allowed are 1 to {MOST_GATE_FEATURES}", features.len()));
    }
    for (at, one) in features.iter().enumerate() {
        let name = one.feature.as_str();
        number(&format!("the mean of {name}"), one.mean, problems);
        if !(SMALLEST_SCALE..=LARGEST_NUMBER).contains(&one.scale) {
            problems.push(format!("the scale of {name} is {}; allowed is 1e-9 to 1e9", one.scale));
        }
        if features.iter().take(at).any(|earlier| earlier.feature == one.feature) {
            problems.push(format!("feature {name} is named twice"));
        }
    }
}

fn side(name: &str, chance: &SideChance, features: usize, problems: &mut Vec<String>) {
    number(&format!("the intercept of {name}"), chance.intercept, problems);
    let count = chance.coefficients.len();
    if count != features {
        problems.push(format!("{name} has {count} coefficients; expected is one for each of {features} features"));
    }
    for value in &chance.coefficients {
        number(&format!("a coefficient of {name}"), *value, problems);
    }
}

fn named(origin: &GateOrigin, problems: &mut Vec<String>) {
    if origin.models.len() > MOST_MODELS {
        problems.push(format!("it names {} models; allowed are {MOST_MODELS}", origin.models.len()));
    }
    let models = origin.models.iter().flat_map(|(model, digest)| [Some(model), digest.as_ref()]);
    let all = [Some(&origin.eval), Some(&origin.debate), origin.spec.as_ref()].into_iter().chain(models).flatten();
    if all.clone().any(|name| name.chars().nth(LONGEST_NAME).is_some()) {
        problems.push(format!("a name in learned_on has more than {LONGEST_NAME} characters"));
    }
}
