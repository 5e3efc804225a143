//! What a person orders of an eval, whoever drives it.
use super::log::{EvalLogError, OpenEval, read_eval};
use agon_core::{DebateId, Timestamp};
use agon_eval::{EvalEffect, EvalInput};
use agon_store::EvalLogs;

/// Why an order was refused.
#[derive(Debug, thiserror::Error)]
pub enum EvalOrderError {
    /// There is nothing left to end.
    #[error("eval {eval} has already ended: {state}")]
    Ended {
        /// Which.
        eval: DebateId,
        /// How.
        state: String,
    },
    /// Only an ended eval repeats cells.
    #[error("eval {0} has not ended")]
    NotOver(DebateId),
    /// There is nothing to repeat.
    #[error("no cell of eval {0} has failed")]
    NothingFailed(DebateId),
    /// Its log was not read or written.
    #[error(transparent)]
    Log(#[from] EvalLogError),
}

/// An eval that somebody has ended.
#[derive(Debug)]
pub struct CancelledEval {
    /// As it is now.
    pub eval: OpenEval,
    /// The debates that it was waiting for.
    pub open: Vec<String>,
}

/// Ends an eval, for a reason. A driver that appends meanwhile is outrun.
pub async fn cancel_eval(
    logs: &dyn EvalLogs,
    id: &DebateId,
    detail: Option<String>,
    at: Timestamp,
) -> Result<CancelledEval, EvalOrderError> {
    loop {
        let mut eval = read_eval(logs, id).await?;
        if let Some(state) = eval.machine.ended() {
            return Err(EvalOrderError::Ended { eval: id.clone(), state: state.to_owned() });
        }
        let open = eval.machine.outstanding().into_iter().filter_map(|effect| match effect {
            EvalEffect::Hold { cell, debate, .. } => (!cell.is_program()).then_some(debate),
            EvalEffect::Look { .. } => None,
        });
        let open = open.collect();
        match eval.decide(logs, EvalInput::Cancel { detail: detail.clone() }, at).await {
            Err(EvalLogError::Fenced(_)) => {}
            decided => return decided.map(|()| CancelledEval { eval, open }).map_err(EvalOrderError::Log),
        }
    }
}

/// Orders the failed cells of all arms of an ended eval again.
pub async fn order_retry(logs: &dyn EvalLogs, id: &DebateId, at: Timestamp) -> Result<OpenEval, EvalOrderError> {
    let mut eval = read_eval(logs, id).await?;
    if eval.machine.ended().is_none() {
        return Err(EvalOrderError::NotOver(id.clone()));
    }
    if eval.machine.decide(EvalInput::Retry).is_empty() {
        return Err(EvalOrderError::NothingFailed(id.clone()));
    }
    eval.decide(logs, EvalInput::Retry, at).await?;
    Ok(eval)
}
