//! The gate of an eval, from its log.
use super::{GateFile, GateLearnError, GateObjective, GatePlan, GateRows, learn_gate};
use crate::{ArmName, Cell, CellSpecs as _, CellWork, EvalMachine, TemplateSpecs};
use agon_core::gate::GateOrigin;
use agon_spec::{gate_models, gate_settings_hash};

/// Which gate is wanted of an eval.
#[derive(Clone, Debug, PartialEq)]
pub struct GateRequest {
    /// The debate; may be absent where the eval has one.
    pub debate: Option<ArmName>,
    /// What the gate is to achieve.
    pub objective: GateObjective,
}

/// Why an eval gives no gate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GateEvalError {
    /// The eval goes on.
    #[error("the eval has not ended; a gate is learned from an ended eval")]
    Running,
    /// It has no such debate.
    #[error("the eval has no debate {name:?}; its debates are: {known}")]
    UnknownDebate {
        /// What was asked for.
        name: String,
        /// Those that it has.
        known: String,
    },
    /// Nobody said which of its debates is meant.
    #[error("the eval has several debates; name one of them: {0}")]
    SeveralDebates(String),
    /// No cell says what a gate learns from.
    #[error(
        "debate {debate} has nothing to learn from: {without_ballots} cells without first ballots, {skipped} skipped by a gate, \
         {unscored} without a score or token count; a gate needs a debate that casts ballots before its rounds (`ballots: both`)"
    )]
    NoRows {
        /// The debate.
        debate: String,
        /// Cells without a first ballot.
        without_ballots: u32,
        /// Cells that a gate skipped.
        skipped: u32,
        /// Cells without a score or tokens.
        unscored: u32,
    },
    /// The debate's template no longer gives a debate.
    #[error("the eval's debate cannot be read: {0}")]
    Spec(String),
    /// The objective makes no sense.
    #[error(transparent)]
    Learn(#[from] GateLearnError),
}

/// Learns the gate of an ended eval. The same eval gives the same file.
pub fn learn_gate_of(machine: &EvalMachine, request: &GateRequest) -> Result<GateFile, GateEvalError> {
    if machine.ended().is_none() {
        return Err(GateEvalError::Running);
    }
    let admission = machine.admission();
    let arm = debate(machine, request.debate.as_ref())?;
    let GateRows { rows, without_ballots, skipped, unscored } =
        GateRows::of(&admission.spec.questions, machine.closed(), &arm);
    if rows.is_empty() {
        return Err(GateEvalError::NoRows { debate: arm.0, without_ballots, skipped, unscored });
    }
    let cell = Cell { question: 0, repetition: 0, work: CellWork::Debate { arm: arm.clone() } };
    let spec = TemplateSpecs::of(admission).and_then(|specs| specs.spec(&cell)).map_err(GateEvalError::Spec)?;
    let origin = GateOrigin {
        eval: admission.id.clone(),
        debate: arm.0,
        spec: Some(gate_settings_hash(&spec)),
        models: gate_models(&spec, |model| admission.digests.get(model).cloned()),
    };
    let seed = admission.spec.seed;
    let plan = GatePlan { objective: request.objective, origin, seed };
    Ok(GateFile::new(learn_gate(&rows, &plan)?, request.objective, seed, admission.rehearsal))
}

fn debate(machine: &EvalMachine, wanted: Option<&ArmName>) -> Result<ArmName, GateEvalError> {
    let names: Vec<&ArmName> = machine.admission().spec.debates.iter().map(|debate| &debate.name).collect();
    let known = || names.iter().map(|name| name.0.as_str()).collect::<Vec<_>>().join(", ");
    match (wanted, names.as_slice()) {
        (Some(wanted), names) if names.contains(&wanted) => Ok(wanted.clone()),
        (Some(wanted), _) => Err(GateEvalError::UnknownDebate { name: wanted.0.clone(), known: known() }),
        (None, [only]) => Ok((*only).clone()),
        (None, _) => Err(GateEvalError::SeveralDebates(known())),
    }
}
