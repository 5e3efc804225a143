//! The log of an eval, the only truth of it.
use crate::gate::GateFile;
use crate::{
    AnswerLabel, ArmName, Cell, EvalRefused, EvalSpec, Facts, Grader, ModelPrice, Pool, TemplateSpecs, asked_models,
    check_grading,
};
use agon_core::ModelName;
use agon_spec::Edition;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Something that happened in an eval.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum EvalEvent {
    /// The eval was accepted; always the first event.
    EvalAdmitted(Box<EvalAdmission>),
    /// A driver took the eval over.
    EvalClaimed {
        /// Which.
        writer: String,
        /// One more than the last.
        epoch: u64,
    },
    /// A cell was handed to those who hold debates.
    CellOpened {
        /// Which.
        cell: Cell,
        /// Its debate; empty where a program of the user's own runs.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        debate: String,
    },
    /// A cell is over.
    CellClosed(Box<CellClosed>),
    /// Graders have graded an answer, or a pair of answers.
    CellGraded(Box<CellClosed>),
    /// The comparisons were looked at before the end.
    LookTaken {
        /// Blocks of questions that were over.
        blocks: u32,
        /// What was seen made the eval end.
        ends: bool,
        /// By whom: `sequential`, or `peek` where a person looked at a fixed design.
        by: String,
    },
    /// The eval ends before its last question.
    EvalStopped {
        /// Why: `limit_tokens`, `limit_seconds`, `limit_money`, `failures`, `gradings`, `cancelled`, `decided`.
        reason: String,
        /// For a person.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    /// A gate was learned from the ended eval; the last one counts.
    GateLearned(Box<GateFile>),
    /// The failed cells of all arms are to be held again; what they said before is kept.
    RetryOrdered {
        /// How many.
        cells: u32,
    },
    /// The answers are to be graded anew, by these graders; the grades before are kept.
    RescoreOrdered {
        /// Who grades from now on.
        grader: Grader,
    },
    /// A person has said of answers whether they are right; of several labels of an answer the last counts.
    LabelsGiven {
        /// Of each answer.
        labels: Vec<AnswerLabel>,
    },
    /// The eval is over; the last event, unless a retry is ordered.
    EvalEnded {
        /// `complete`, `stopped`, `cancelled` or `failed`.
        state: String,
    },
}

/// All that an eval starts from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvalAdmission {
    /// The eval.
    pub id: String,
    /// Of the format of the log; 1.
    pub format: u32,
    /// The version of Agon that admitted it.
    pub agon_version: String,
    /// What is compared.
    pub spec: EvalSpec,
    /// The pools of samples, by the index that cells name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pools: Vec<Pool>,
    /// Calls of each debate's judge that pick one of several samples, where there is a judge.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub judge_calls: BTreeMap<ArmName, u64>,
    /// Prices of models, as the settings had them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub prices: BTreeMap<String, ModelPrice>,
    /// Models of roles for which a debate file names none.
    #[serde(default)]
    pub models: RoleModels,
    /// Scripted speakers: nothing here is a model's word.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rehearsal: bool,
    /// Digests of the models, where a server told them: cells are reused across evals only where these are known.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub digests: BTreeMap<String, String>,
    /// Cells are held again even where an earlier eval has them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fresh: bool,
}

impl EvalAdmission {
    /// An eval of models that was not admitted yet; no digests and no prices are known.
    pub fn of(id: String, spec: EvalSpec, models: RoleModels) -> Result<Self, EvalRefused> {
        let specs = TemplateSpecs::new(&spec, &models)?;
        let admission = Self {
            id,
            format: 1,
            agon_version: env!("CARGO_PKG_VERSION").to_owned(),
            pools: specs.pools(&spec)?,
            judge_calls: specs.judge_calls()?,
            prices: BTreeMap::new(),
            models,
            rehearsal: false,
            digests: BTreeMap::new(),
            fresh: false,
            spec,
        };
        let arms = TemplateSpecs::of(&admission)?.arms(&admission)?;
        let tested: BTreeSet<ModelName> = arms.iter().flat_map(asked_models).collect();
        check_grading(&admission.spec, tested.iter().map(ModelName::as_str))
            .map_err(|refused| EvalRefused::at(refused.key(), refused))?;
        Ok(admission)
    }
}

impl EvalEvent {
    /// What may be shown of the event while no rate may be: endings and cost, and nothing that was answered.
    pub fn withheld(&self) -> Self {
        match self {
            Self::CellClosed(closed) => {
                let Facts { ending, cost, rehearsal, .. } = closed.facts.clone();
                let facts = Facts { ending, cost, rehearsal, ..Facts::default() };
                Self::CellClosed(Box::new(CellClosed { facts, ..closed.as_ref().clone() }))
            }
            Self::CellGraded(closed) => {
                let Facts { ending, cost, rehearsal, .. } = closed.facts.clone();
                let facts = Facts { ending, cost, rehearsal, ..Facts::default() };
                let cell = closed.cell.withheld();
                Self::CellGraded(Box::new(CellClosed { cell, facts, ..closed.as_ref().clone() }))
            }
            Self::CellOpened { cell, debate } => Self::CellOpened { cell: cell.withheld(), debate: debate.clone() },
            Self::EvalAdmitted(_)
            | Self::EvalClaimed { .. }
            | Self::LookTaken { .. }
            | Self::EvalStopped { .. }
            | Self::GateLearned(_)
            | Self::RescoreOrdered { .. }
            | Self::LabelsGiven { .. }
            | Self::RetryOrdered { .. }
            | Self::EvalEnded { .. } => self.clone(),
        }
    }

    /// Its type, as its JSON has it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::EvalAdmitted(_) => "eval_admitted",
            Self::EvalClaimed { .. } => "eval_claimed",
            Self::CellOpened { .. } => "cell_opened",
            Self::CellClosed(_) => "cell_closed",
            Self::CellGraded(_) => "cell_graded",
            Self::RescoreOrdered { .. } => "rescore_ordered",
            Self::LabelsGiven { .. } => "labels_given",
            Self::LookTaken { .. } => "look_taken",
            Self::EvalStopped { .. } => "eval_stopped",
            Self::GateLearned(_) => "gate_learned",
            Self::RetryOrdered { .. } => "retry_ordered",
            Self::EvalEnded { .. } => "eval_ended",
        }
    }
}

/// What stands where a debate file says nothing: models of roles, as flags and settings had them, and the edition of the other defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoleModels {
    /// Of every role.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Of judges, before `model`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub judge_model: Option<String>,
    /// Of moderators, before `model`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moderator_model: Option<String>,
    /// What the debate files mean besides where they say nothing.
    #[serde(default, skip_serializing_if = "Edition::is_first")]
    pub edition: Edition,
}

/// A cell that is over.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellClosed {
    /// Which.
    pub cell: Cell,
    /// Its debate; empty where a program of the user's own ran.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub debate: String,
    /// BLAKE3 of the last record of the debate's log, hexadecimal; empty where there is no debate.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub head: String,
    /// The debate was held already, by this or an earlier eval, and cost nothing now.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reused: bool,
    /// Milliseconds from the first event to the last.
    pub wall_ms: u64,
    /// What was said.
    pub facts: Facts,
}
