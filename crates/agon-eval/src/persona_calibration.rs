//! How well personas judge their own certainty, for `calibration` in debate files.
use crate::{
    ArmName, CalibrationResult, Cell, CellSpecs as _, CellWork, EvalMachine, EvalResult, SurenessSource, TemplateSpecs,
    result_of,
};
use serde::Serialize;

/// The version of this form.
pub const CALIBRATION_FORMAT: u32 = 1;
/// Fewest answers that a calibration is computed from.
pub const FEWEST_SURE_ANSWERS: u32 = 30;

/// The calibration of the personas and models of an eval: from what is right, never from winning.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CalibrationFile {
    /// The version of this form: [`CALIBRATION_FORMAT`].
    pub format: u32,
    /// The eval.
    pub eval: String,
    /// Scripted speakers: nothing here is about models.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub rehearsal: bool,
    /// One for each debate whose ballots state how sure they are.
    pub debates: Vec<DebateCalibration>,
    /// The same for each model, over all personas of a debate that speak with it.
    pub models: Vec<OneCalibration>,
}

/// The personas of a debate.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DebateCalibration {
    /// The debate's name in the eval.
    pub debate: String,
    /// In the order of its file.
    pub personas: Vec<OneCalibration>,
}

/// How well one judges its own certainty.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct OneCalibration {
    /// The persona, or nothing where it is about a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The debate, where it is about a model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debate: Option<String>,
    /// The model that speaks.
    pub model: String,
    /// 1 minus the root mean squared calibration error without the part that chance alone makes; 0 to 1, in thousandths. Absent with
    /// fewer than [`FEWEST_SURE_ANSWERS`] answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calibration: Option<f64>,
    /// Answers that state how sure they are.
    pub answers: u32,
}

/// Why there is no calibration of personas.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoCalibration {
    /// The eval goes on.
    #[error("the eval has not ended; calibration is computed from an ended eval")]
    Running,
    /// Nobody was asked.
    #[error("no ballot of the eval states how sure it is; set `confidence: true` in the eval file, and run it again")]
    NotAsked,
    /// A template no longer gives a debate.
    #[error("a debate of the eval cannot be read: {0}")]
    Spec(String),
}

/// The calibration of each persona of an ended eval, from the confidence that its ballots state.
pub fn persona_calibration(machine: &EvalMachine) -> Result<CalibrationFile, NoCalibration> {
    if machine.ended().is_none() {
        return Err(NoCalibration::Running);
    }
    let admission = machine.admission();
    let result = result_of(machine);
    let specs = TemplateSpecs::of(admission).map_err(NoCalibration::Spec)?;
    let mut file = CalibrationFile {
        format: CALIBRATION_FORMAT,
        eval: admission.id.clone(),
        rehearsal: result.rehearsal,
        debates: Vec::new(),
        models: Vec::new(),
    };
    for ArmName(debate) in admission.spec.debates.iter().map(|debate| &debate.name) {
        let work = CellWork::Debate { arm: ArmName(debate.clone()) };
        let spec = specs.spec(&Cell { question: 0, repetition: 0, work }).map_err(NoCalibration::Spec)?;
        let persona = |persona: &agon_core::Persona| {
            let figures = stated(&result, debate).find(|of| of.persona.as_deref() == Some(persona.name.as_str()))?;
            Some(one(figures, Some(persona.name.to_string()), None, persona.voice.model.to_string()))
        };
        let personas: Vec<OneCalibration> = spec.personas.iter().filter_map(persona).collect();
        if !personas.is_empty() {
            file.debates.push(DebateCalibration { debate: debate.clone(), personas });
        }
        let of_models = stated(&result, debate).filter_map(|of| Some((of, of.model.clone()?)));
        file.models.extend(of_models.map(|(of, model)| one(of, None, Some(debate.clone()), model)));
    }
    if file.debates.is_empty() { Err(NoCalibration::NotAsked) } else { Ok(file) }
}

/// What the ballots of a debate state.
fn stated<'a>(result: &'a EvalResult, debate: &'a str) -> impl Iterator<Item = &'a CalibrationResult> {
    result.calibration.iter().filter(move |of| of.arm == debate && of.source == SurenessSource::StatedByBallots)
}

fn one(figures: &CalibrationResult, name: Option<String>, debate: Option<String>, model: String) -> OneCalibration {
    let error = figures.debiased_error.filter(|error| figures.n >= FEWEST_SURE_ANSWERS && error.is_finite());
    let calibration = error.map(|error| ((1.0 - error).clamp(0.0, 1.0) * 1_000.0).round() / 1_000.0);
    OneCalibration { name, debate, model, calibration, answers: figures.n }
}
