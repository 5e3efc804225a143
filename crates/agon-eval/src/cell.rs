//! Cells: the smallest piece of an eval that is held, kept and paid for.
use crate::{ArmName, GradeTask};
use agon_core::gate::GateFeatures;
use agon_core::{ModelName, ParticipantId};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One question, put once to one arm, or once to so many samples of a pool. It is one debate.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Cell {
    /// Index of the question in the eval's list.
    pub question: u32,
    /// From 0.
    pub repetition: u32,
    /// What is held.
    pub work: CellWork,
}

impl Cell {
    /// Whether it grades answers, and gives none itself.
    pub fn is_grading(&self) -> bool {
        matches!(self.work, CellWork::Grading { .. })
    }

    /// Whether a program of the user's own does it, so that no debate stands for it.
    pub fn is_program(&self) -> bool {
        match &self.work {
            CellWork::Command { .. } => true,
            CellWork::Grading { task, .. } => matches!(task, GradeTask::Score { .. }),
            CellWork::Debate { .. }
            | CellWork::Isolated { .. }
            | CellWork::Samples { .. }
            | CellWork::BestOf { .. } => false,
        }
    }

    /// The cell without anything that was answered.
    #[must_use]
    pub fn withheld(&self) -> Self {
        let mut cell = self.clone();
        if let CellWork::Grading { task, .. } = &mut cell.work {
            *task = match task {
                GradeTask::Criterion { criterion, .. } => {
                    GradeTask::Criterion { criterion: *criterion, answer: String::new() }
                }
                GradeTask::Score { .. } => GradeTask::Score { answer: String::new() },
                GradeTask::Pair { .. } => GradeTask::Pair { first: String::new(), second: String::new() },
            };
        }
        cell
    }
}

/// What a cell holds.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CellWork {
    /// A debate, by its template.
    Debate {
        /// Of this arm.
        arm: ArmName,
    },
    /// The same debate in which nobody sees the others.
    Isolated {
        /// Of this debate arm.
        arm: ArmName,
    },
    /// A poll: samples `first` to `first + count - 1` of a pool that several arms use prefixes of.
    Samples {
        /// Index of the pool in the plan.
        pool: u32,
        /// The first sample, from 0.
        first: u32,
        /// How many.
        count: u32,
    },
    /// A poll of so many samples of which the judge of a debate arm picks one.
    BestOf {
        /// The debate arm whose judge it is, and whose tokens are matched.
        arm: ArmName,
        /// How many samples.
        count: u32,
    },
    /// One run of a method of the user's own. No debate stands for it.
    Command {
        /// Of this arm.
        arm: ArmName,
        /// Tokens, by the eval's count, that the method may spend; absent where no other arm says how many.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        budget: Option<u64>,
    },
    /// A poll of the graders about final answers to the question. It belongs to the question's first repetition, and answers of all
    /// repetitions are in it.
    Grading {
        /// What they are asked. Where the eval's own program scores an answer, it is one run of it, and no debate.
        task: GradeTask,
        /// How often it was asked before: 1 to see whether the grade is the same; each rescoring goes on with the next two numbers.
        draw: u32,
    },
}

/// What a cell's debate said, as far as figures need it. A pure function of the debate's log.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// How it ended.
    pub ending: CellEnding,
    /// The answer: the verdict's winner under `answer`, else the verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// Where the votes that decided tie, the answers that share the top; each scores its share.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tied: Vec<String>,
    /// Of an answer that the eval's own program scored, the score, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub score: Option<f64>,
    /// Of a program that failed, how, and what it complained of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// Samples of a poll, by seat; a sample that failed has no answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub samples: Vec<SampleFact>,
    /// Ballots that were cast, in order of the roster, the initial ones first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ballots: Vec<BallotFact>,
    /// Who could have cast one.
    #[serde(default)]
    pub eligible: u32,
    /// What a gate knows after the first ballots; absent where there were none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateFacts>,
    /// Answers that openings and later speeches name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub named: Vec<NamedFact>,
    /// Whether the openings were given all at once, so that they are independent.
    #[serde(default)]
    pub openings_independent: bool,
    /// Judges' winners by order of presentation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub judged: Vec<JudgedFact>,
    /// Rounds that were held.
    #[serde(default)]
    pub rounds: u32,
    /// What ended the rounds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<String>,
    /// The debate's format.
    #[serde(default)]
    pub format: String,
    /// Index of the persona who spoke last before the decision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_speaker: Option<u32>,
    /// There is a verdict, but seats were missing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub degraded: bool,
    /// What all calls cost.
    pub cost: CellCost,
    /// What had been spent when each part of the log was over: `initial_ballots`, `openings`, `round_1` and so on, `final_ballots`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub cost_by: BTreeMap<String, CellCost>,
    /// Scripted speakers: nothing here is a model's word.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rehearsal: bool,
}

impl Facts {
    /// Whether a gate skipped the rounds, so that the first ballots decided.
    pub fn is_skipped(&self) -> bool {
        self.stopped_by.as_deref() == Some("not_contested")
    }
}

/// What a gate knows of a question after the first ballots, as [`agon_core::gate`] has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GateFacts {
    /// The features.
    pub features: GateFeatures,
    /// Who could have cast a ballot.
    pub eligible: u32,
    /// Ballots that were cast.
    pub cast: u32,
}

/// How a cell ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum CellEnding {
    /// There is an answer.
    Answered,
    /// The debate came to its end without one: a tie, an inconclusive verdict, nothing that fits `answer`.
    NoAnswer {
        /// Why, as `tie` or the name of a reason code.
        reason: String,
    },
    /// The debate failed or was cancelled.
    Failed {
        /// The name of a failure's cause or of a reason code.
        reason: String,
    },
}
impl CellEnding {
    /// Whether several answers share the first place.
    pub fn is_tie(&self) -> bool {
        matches!(self, Self::NoAnswer { reason } if reason == "tie")
    }
}
impl Default for CellEnding {
    /// What holds of a cell that was never held.
    fn default() -> Self {
        Self::Failed { reason: "not_held".to_owned() }
    }
}

/// One sample of a poll.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SampleFact {
    /// Its number in the pool, from 0.
    pub number: u32,
    /// The model that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelName>,
    /// The answer; absent where the sample failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// How sure it says it is, 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u8>,
    /// What all tries of it cost.
    pub cost: CellCost,
}

/// A ballot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BallotFact {
    /// Before the rounds, or at the end.
    pub last: bool,
    /// Whose.
    pub participant: ParticipantId,
    /// Index of the persona.
    pub seat: u32,
    /// The model that cast it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelName>,
    /// For which answer.
    pub answer: String,
    /// How sure it says it is, 0 to 100.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub confidence: Option<u8>,
    /// Of a last ballot: whether an attack on the voter or an answer to it was heard in the debate.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub challenged: bool,
}

/// An answer that a speech names as its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NamedFact {
    /// 0 for openings and proposals, else the round.
    pub round: u32,
    /// Whose.
    pub participant: ParticipantId,
    /// Index of the persona.
    pub seat: u32,
    /// The model that spoke.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelName>,
    /// Which answer.
    pub answer: String,
    /// Whether an attack on the speaker or an answer to it came between the speaker's speech before and this one.
    #[serde(default)]
    pub challenged: bool,
}

/// What a judge found in one order of presentation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedFact {
    /// Whose.
    pub judge: ParticipantId,
    /// From 0.
    pub order: u32,
    /// The answer; absent where the judge named none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
}

/// What calls cost. A figure that a server did not report is counted in `unknown_calls`, and not in the sums but in the estimates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CellCost {
    /// Calls that were made, failed ones included.
    pub calls: u32,
    /// Calls whose prompt or generated tokens are unknown.
    #[serde(default)]
    pub unknown_calls: u32,
    /// Prompt tokens, cached ones included.
    pub prompt: u64,
    /// Of these, cached; absent where no call reported any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<u64>,
    /// Generated tokens, thinking included.
    pub generated: u64,
    /// Prompt tokens that nobody reported, by the plan's token rule.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub estimated_prompt: u64,
    /// Generated tokens that nobody reported, by the same rule.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub estimated_generated: u64,
    /// Seconds of prefill and decoding; absent where no call reported them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// The same by model, for prices.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub by_model: BTreeMap<String, CellCost>,
}

impl CellCost {
    /// Tokens that were reported, and an estimate of those that were not.
    pub fn tokens(&self) -> u64 {
        self.prompt.saturating_add(self.generated).saturating_add(self.estimated())
    }
    /// The estimate of the tokens that were not reported.
    pub fn estimated(&self) -> u64 {
        self.estimated_prompt.saturating_add(self.estimated_generated)
    }
}

/// Whether a number that is left out where it is 0 is left out.
pub(crate) fn is_zero(number: &u64) -> bool {
    *number == 0
}
