//! What is ordered of whoever holds debates: a cell as a debate of its own.
use crate::{Cell, CellDebate, CellIdentity, CellWork, EvalAdmission, ProgramOrder, cell_arm};
use agon_core::{DebateSpec, ModelName, ParticipantId};
use std::collections::{BTreeMap, BTreeSet};

/// The label of the debates that are held for an eval; its value is the eval.
pub const EVAL_LABEL: &str = "eval";

/// Makes the debate of a cell out of an eval's templates.
pub trait CellSpecs: Send + Sync {
    /// The spec, or why there is none.
    fn spec(&self, cell: &Cell) -> Result<DebateSpec, String>;
}

/// A cell as it is ordered: a debate, or one run of a program of the user's own.
#[derive(Clone, Debug)]
pub enum OrderedCell {
    /// A debate.
    Debate(Box<CellOrder>),
    /// A run.
    Program(Box<ProgramOrder>),
}

impl OrderedCell {
    /// What is ordered of a cell that failed `attempt` times before.
    pub fn of(admission: &EvalAdmission, specs: &dyn CellSpecs, cell: &Cell, attempt: u32) -> Result<Self, String> {
        match ProgramOrder::of(admission, cell, attempt) {
            Some(program) => program.map(Box::new).map(Self::Program),
            None => order(admission, specs, cell, attempt).map(Box::new).map(Self::Debate),
        }
    }

    /// Its debate, as the log names it; empty where a program runs.
    pub fn debate(&self) -> &str {
        match self {
            Self::Debate(order) => &order.debate.id,
            Self::Program(_) => "",
        }
    }
}

/// A cell as a debate.
#[derive(Clone, Debug)]
pub struct CellOrder {
    /// Which.
    pub cell: Cell,
    /// Id and seed of the debate.
    pub debate: CellDebate,
    /// What is debated, by whom and how.
    pub spec: DebateSpec,
    /// `eval`, `arm`, `question`, `repetition`.
    pub labels: BTreeMap<String, String>,
    /// Scripted speakers hold it.
    pub rehearsal: bool,
}

/// The debate of a cell that failed `attempt` times before.
pub fn order(admission: &EvalAdmission, specs: &dyn CellSpecs, cell: &Cell, attempt: u32) -> Result<CellOrder, String> {
    let questions = &admission.spec.questions;
    let question = usize::try_from(cell.question).ok().and_then(|at| questions.get(at));
    let question = question.ok_or_else(|| format!("there is no question {}", cell.question))?;
    let spec = specs.spec(cell)?;
    let digests = digests(admission, &spec);
    let none = BTreeMap::new();
    let identity = CellIdentity {
        question,
        spec: &agon_spec::normalize_json(&spec),
        digests: digests.as_ref().unwrap_or(&none),
        repetition: match &cell.work {
            CellWork::Grading { draw, .. } => *draw,
            _ => cell.repetition,
        },
        first_sample: first_sample(&cell.work),
        attempt,
        seed: admission.spec.seed,
        only_in: (admission.fresh || digests.is_none()).then_some(&admission.id),
    };
    let debate = identity.debate();
    let labels = [
        (EVAL_LABEL, admission.id.clone()),
        ("arm", cell_arm(&cell.work)),
        ("question", label(&question.id, cell.question)),
        ("repetition", (cell.repetition + 1).to_string()),
    ];
    let labels = labels.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
    Ok(CellOrder { cell: cell.clone(), debate, spec, labels, rehearsal: admission.rehearsal })
}

/// The digests of all models that the debate may ask; nothing where one is unknown.
fn digests(admission: &EvalAdmission, spec: &DebateSpec) -> Option<BTreeMap<String, String>> {
    let digest = |model: ModelName| {
        let digest = admission.digests.get(model.as_str())?;
        Some((model.to_string(), digest.clone()))
    };
    asked_models(spec).into_iter().map(digest).collect()
}

/// All models that a debate may ask.
pub fn asked_models(spec: &DebateSpec) -> BTreeSet<ModelName> {
    let voices = spec.voices().flat_map(|voice| std::iter::once(&voice.model).chain(&voice.fallback_models));
    let judges: Vec<ParticipantId> = spec.judges().collect();
    let judges = judges.iter().filter_map(|judge| spec.role(judge)).flat_map(|role| role.models());
    voices.chain(judges).cloned().collect()
}

/// The number of a cell's first sample in its pool.
pub fn first_sample(work: &CellWork) -> u32 {
    match work {
        CellWork::Samples { first, .. } => *first,
        CellWork::Debate { .. }
        | CellWork::Isolated { .. }
        | CellWork::BestOf { .. }
        | CellWork::Command { .. }
        | CellWork::Grading { .. } => 0,
    }
}

/// The longest value of a label, in bytes.
const LONGEST_LABEL: usize = 256;

/// A question's id as a label; its number, from 1, where it is too long.
fn label(id: &str, index: u32) -> String {
    if id.len() <= LONGEST_LABEL { id.to_owned() } else { (index + 1).to_string() }
}
