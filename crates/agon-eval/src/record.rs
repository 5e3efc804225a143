//! Records of an eval's log as bytes.
use crate::EvalEvent;
use serde::{Deserialize, Serialize};

/// What one record of an eval's log says, written as JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvalRecord {
    /// The claim under which it was written; 0 for the admission.
    pub epoch: u64,
    /// Random, so that a writer knows its own record again.
    pub nonce: u64,
    /// What happened; never empty.
    pub events: Vec<EvalEvent>,
}

/// Bytes that are no record of an eval.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a record of the eval cannot be read: {0}")]
pub struct UnreadableRecord(pub String);

impl EvalRecord {
    /// As JSON.
    pub fn to_bytes(&self) -> Result<Vec<u8>, UnreadableRecord> {
        serde_json::to_vec(self).map_err(|error| UnreadableRecord(error.to_string()))
    }
    /// From JSON.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, UnreadableRecord> {
        serde_json::from_slice(bytes).map_err(|error| UnreadableRecord(error.to_string()))
    }
}

/// What lists show of an eval without its log.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EvalCard {
    /// The names of its debates.
    pub debates: Vec<String>,
    /// Questions.
    pub questions: u32,
    /// Of these, in blocks that are over.
    pub questions_over: u32,
    /// Cells that are over.
    pub cells_over: u32,
    /// All cells, as far as is known.
    pub cells_likely: u32,
    /// Cells that failed.
    pub failed: u32,
    /// Tokens that were spent.
    pub tokens: u64,
    /// Scripted speakers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub rehearsal: bool,
    /// Who drives it; absent where nobody does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// How it ended; absent while it goes on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

impl crate::EvalMachine {
    /// What lists show of the eval.
    pub fn card(&self) -> EvalCard {
        let progress = self.progress();
        EvalCard {
            debates: self.admission().spec.debates.iter().map(|debate| debate.name.to_string()).collect(),
            questions: progress.questions,
            questions_over: progress.questions_over,
            cells_over: progress.cells_over,
            cells_likely: progress.cells_likely,
            failed: progress.failed,
            tokens: progress.tokens,
            rehearsal: self.admission().rehearsal,
            driver: self.driver().map(str::to_owned),
            state: self.ended().map(str::to_owned),
        }
    }
}
