//! The file `gate.json`.
use super::{GateObjective, LearnedGate};
use crate::{Estimate, GateResult};
use agon_core::gate::{GateRule, GateRuleError, MAX_GATE_BYTES};
use serde::{Deserialize, Serialize};

/// The version of the file's form.
pub const GATE_FILE_FORMAT: u32 = 1;
/// Most points of a curve in a file.
const MOST_CURVE_POINTS: usize = 1_000;
/// Most policies in a file.
const MOST_POLICIES: usize = 16;
/// Longest text in a file, in characters.
const LONGEST_TEXT: usize = 1_000;
/// Most characters of an error about the text, which may quote it.
const LONGEST_ERROR: usize = 400;

/// A learned gate with its figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateFile {
    /// The version of this form: [`GATE_FILE_FORMAT`].
    pub format: u32,
    /// The version of Agon that learned it.
    pub agon_version: String,
    /// What it was to achieve.
    pub objective: GateObjective,
    /// Folds derived from it.
    pub seed: u64,
    /// Scripted speakers: nothing was learned about models.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rehearsal: bool,
    /// The rule, with the eval, the debate, its spec and its models.
    pub rule: GateRule,
    /// How it did on questions that it had not been learned on.
    pub figures: GateResult,
}

/// Why a text is no gate file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GateFileError {
    /// Its rule cannot be read.
    #[error(transparent)]
    Rule(#[from] GateRuleError),
    /// Another version of Agon wrote it.
    #[error("the gate file has format {0}; this program reads format {GATE_FILE_FORMAT}: learn the gate again")]
    Format(u64),
    /// It lacks a member, or has one too many.
    #[error("the gate file cannot be read: {0}")]
    Malformed(String),
    /// A figure is out of range.
    #[error("the gate file is not valid: {0}")]
    Invalid(String),
}

impl GateFile {
    /// The file of a learned gate.
    pub fn new(learned: LearnedGate, objective: GateObjective, seed: u64, rehearsal: bool) -> Self {
        let LearnedGate { rule, figures } = learned;
        let agon_version = env!("CARGO_PKG_VERSION").to_owned();
        Self { format: GATE_FILE_FORMAT, agon_version, objective, seed, rehearsal, rule, figures }
    }

    /// Its text: JSON with an end of line.
    pub fn to_text(&self) -> Result<String, GateFileError> {
        let text = serde_json::to_string_pretty(self).map_err(malformed)?;
        Ok(text + "\n")
    }

    /// Reads a file. It is foreign input: bounded, finite, and without members that nobody knows.
    pub fn read(text: &str) -> Result<Self, GateFileError> {
        if text.len() > MAX_GATE_BYTES {
            return Err(GateRuleError::TooLarge { bytes: text.len() }.into());
        }
        let value = agon_core::json::unique(text).map_err(malformed)?;
        let format = value.get("format").and_then(serde_json::Value::as_u64);
        if let Some(format) = format.filter(|format| *format != u64::from(GATE_FILE_FORMAT)) {
            return Err(GateFileError::Format(format));
        }
        if value.get("rule").is_some() {
            // says what is wrong with the rule in its own words
            GateRule::read(text)?;
        }
        let file: Self = serde_json::from_value(value).map_err(malformed)?;
        match wrong(&file) {
            Some(what) => Err(GateFileError::Invalid(what)),
            None => Ok(file),
        }
    }
}

fn malformed(error: serde_json::Error) -> GateFileError {
    GateFileError::Malformed(error.to_string().chars().take(LONGEST_ERROR).collect())
}

/// What is wrong with the figures.
fn wrong(file: &GateFile) -> Option<String> {
    let figures = &file.figures;
    let texts = [&file.agon_version, &figures.debate, &figures.kind, &figures.why];
    let names = figures.policies.iter().map(|policy| &policy.name);
    if texts.into_iter().chain(names).any(|text| text.chars().nth(LONGEST_TEXT).is_some()) {
        return Some(format!("a text has more than {LONGEST_TEXT} characters"));
    }
    if figures.curve.len() > MOST_CURVE_POINTS {
        return Some(format!("the curve has {} points; allowed are {MOST_CURVE_POINTS}", figures.curve.len()));
    }
    if figures.policies.len() > MOST_POLICIES {
        return Some(format!("there are {} policies; allowed are {MOST_POLICIES}", figures.policies.len()));
    }
    if figures.kind != file.rule.method.kind().as_str() {
        return Some(format!("the figures are of kind {:?}, the rule of another", figures.kind));
    }
    let share = |estimate: &Estimate| (0.0..=1.0).contains(&estimate.value);
    let policy_is_wrong = figures.policies.iter().find(|policy| {
        !share(&policy.right) || !share(&policy.debated) || !(0.0..=1e15).contains(&policy.tokens.value)
    });
    policy_is_wrong.map(|policy| format!("a figure of {:?} is out of range", policy.name))
}
