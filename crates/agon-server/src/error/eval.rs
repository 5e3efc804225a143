//! What can go wrong with a call about an eval.
use super::{Problem, Row};
use tonic::Code;

/// Why a call about an eval was refused. Evals are named without their tenant.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum EvalProblem {
    /// The caller's tenant has no such eval.
    #[error("there is no eval {0}")]
    Unknown(String),
    /// Another eval has the id.
    #[error("another eval has the id {0}")]
    Exists(String),
    /// An eval with the id was deleted.
    #[error("the id {0} belonged to a deleted eval; choose another one")]
    Deleted(String),
    /// The request id was used for something else.
    #[error("the request id {request_id:?} was used for another request, which created eval {eval}")]
    RequestIdConflict {
        /// As the caller sent it.
        request_id: String,
        /// What it stands for.
        eval: String,
    },
    /// The eval is not over.
    #[error("eval {0} has not ended; cancel it first")]
    NotOver(String),
    /// The eval's state does not allow it.
    #[error("{detail}")]
    State {
        /// Which eval.
        eval: String,
        /// Why not.
        detail: String,
    },
    /// What is stored is no log of an eval.
    #[error("the log of eval {0} is damaged")]
    Damaged(String),
}

impl EvalProblem {
    /// Its row of the table.
    pub(super) fn row(&self) -> Row {
        let (code, reason, eval) = match self {
            Self::Unknown(eval) => (Code::NotFound, "EVAL_NOT_FOUND", eval),
            Self::Exists(eval) => (Code::AlreadyExists, "EVAL_EXISTS", eval),
            Self::Deleted(eval) => (Code::AlreadyExists, "EVAL_DELETED", eval),
            Self::RequestIdConflict { request_id, eval } => {
                let row = Row::of(Code::AlreadyExists, "REQUEST_ID_CONFLICT").about("agon.v1.Eval", name(eval));
                return row.with("request_id", request_id).with("eval", eval);
            }
            Self::NotOver(eval) => (Code::FailedPrecondition, "EVAL_NOT_OVER", eval),
            Self::State { eval, .. } => (Code::FailedPrecondition, "EVAL_STATE", eval),
            Self::Damaged(eval) => (Code::DataLoss, "LOG_DAMAGED", eval),
        };
        Row::of(code, reason).about("agon.v1.Eval", name(eval))
    }
}

impl From<EvalProblem> for Problem {
    fn from(problem: EvalProblem) -> Self {
        Self::Eval(problem)
    }
}

fn name(eval: &str) -> String {
    format!("evals/{eval}")
}
