//! Evals: the operations.
mod cells;
mod create;
mod document;
mod gate;
mod request;
mod view;
mod waits;
mod watch;

pub(crate) use watch::{EvalStep, eval_message};

use super::create::ClaimKind;
use super::debate::MAX_REASON;
use super::list::page_size;
use super::{Api, CallContext};
use crate::auth::{Caller, Scope};
use crate::error::{EvalProblem, Problem};
use agon_core::{DebateId, Timestamp};
use agon_proto::pb::v1 as pb;
use agon_runtime::{EvalLogError, EvalOrderError, OpenEval, cancel_eval, order_retry, read_eval};
use agon_store::{LocalState, StoreError};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use std::time::{SystemTime, UNIX_EPOCH};

const PAGE: usize = 50;
const MAX_PAGE: usize = 1_000;

impl Api {
    /// One eval.
    pub async fn get_eval(&self, call: &CallContext, request: &pb::GetEvalRequest) -> Result<pb::Eval, Problem> {
        call.caller.require(Scope::DebatesRead)?;
        let eval = self.eval(call, &request.name).await?;
        let waits_for = waits::EvalWaits::of(&self.ports, &eval).told().await.unwrap_or_default();
        let shown = pb::Eval { waits_for, ..view::shown(&eval) };
        self.unless_left(&eval.id, shown).await
    }

    /// The eval of `agon eval run` as paused where no process runs it.
    async fn unless_left(&self, id: &DebateId, shown: pb::Eval) -> Result<pb::Eval, Problem> {
        if shown.end_time.is_some() {
            return Ok(shown);
        }
        let local = self.ports.upkeep.local(id).await.map_err(|error| Problem::of_store(&error))?;
        Ok(match local {
            Some(LocalState::Halted(_)) => pb::Eval { state: pb::eval::State::Paused.into(), ..shown },
            Some(LocalState::Played(_)) | None => shown,
        })
    }

    /// The caller's evals, newest first.
    pub async fn list_evals(
        &self,
        call: &CallContext,
        request: &pb::ListEvalsRequest,
    ) -> Result<pb::ListEvalsResponse, Problem> {
        call.caller.require(Scope::DebatesRead)?;
        let tenant = &call.caller.tenant;
        let size = page_size(request.page_size, PAGE, MAX_PAGE)?;
        let before = match request.page_token.as_str() {
            "" => None,
            token => Some(page_of(call, token).ok_or_else(odd_page)?),
        };
        let limit = u32::try_from(size).unwrap_or(u32::MAX);
        let heads = match self.ports.evals.list_evals(tenant, before.as_ref(), limit).await {
            // the eval at which the page before ended was deleted
            Err(StoreError::NotFound(_)) => return Err(odd_page()),
            heads => heads.map_err(|error| Problem::of_store(&error))?,
        };
        let last = heads.last().filter(|_| heads.len() == size);
        let next_page_token = last.map(|head| BASE64_URL_SAFE_NO_PAD.encode(head.id.name())).unwrap_or_default();
        let mut evals = Vec::with_capacity(heads.len());
        for head in &heads {
            evals.push(self.unless_left(&head.id, view::listed(head)).await?);
        }
        Ok(pb::ListEvalsResponse { evals, next_page_token })
    }

    /// Ends an eval. One that has ended stays as it is.
    pub async fn cancel_eval(&self, call: &CallContext, request: &pb::CancelEvalRequest) -> Result<pb::Eval, Problem> {
        call.caller.require(Scope::DebatesWrite)?;
        let id = named(&call.caller, &request.name)?;
        if request.reason.len() > MAX_REASON {
            let found = request.reason.len();
            return Err(Problem::invalid("reason", format!("{found} bytes; a reason has at most {MAX_REASON}")));
        }
        let reason = if request.reason.is_empty() { "cancelled by its client" } else { &request.reason };
        let cancelled = cancel_eval(&*self.ports.evals, &id, Some(reason.to_owned()), now()).await;
        let cancelled = match cancelled {
            Err(EvalOrderError::Ended { .. }) => {
                return self.eval(call, &request.name).await.map(|eval| view::shown(&eval));
            }
            cancelled => cancelled.map_err(of_order)?,
        };
        self.ports.node.eval_cancelled(&cancelled).await;
        Ok(view::shown(&cancelled.eval))
    }

    /// Has the failed cells of an ended eval held again.
    pub async fn retry_eval(&self, call: &CallContext, request: &pb::RetryEvalRequest) -> Result<pb::Eval, Problem> {
        call.caller.require(Scope::DebatesWrite)?;
        let id = named(&call.caller, &request.name)?;
        let eval = order_retry(&*self.ports.evals, &id, now()).await.map_err(of_order)?;
        self.ports.node.eval_changed(&id).await;
        Ok(view::shown(&eval))
    }

    /// Removes an eval that is over. Its debates stay.
    pub async fn delete_eval(&self, call: &CallContext, request: &pb::DeleteEvalRequest) -> Result<(), Problem> {
        call.caller.require(Scope::DebatesWrite)?;
        let id = named(&call.caller, &request.name)?;
        let of_store = |error: StoreError| Problem::of_store(&error);
        match self.ports.evals.eval_head(&id).await.map_err(of_store)? {
            None => return Err(EvalProblem::Unknown(id.name().to_owned()).into()),
            Some(head) if !head.ended => return Err(EvalProblem::NotOver(id.name().to_owned()).into()),
            Some(_) => {}
        }
        self.mark_deleted(&id, ClaimKind::Eval).await?;
        self.ports.evals.delete_eval(&id).await.map_err(of_store)?;
        self.ports.node.eval_changed(&id).await;
        Ok(())
    }

    /// The eval that a request names, with its log. Few logs are read at once.
    async fn eval(&self, call: &CallContext, name: &str) -> Result<OpenEval, Problem> {
        let id = named(&call.caller, name)?;
        let _opening = self.openings.wait(&call.caller.tenant).await.ok_or(Problem::Draining)?;
        read_eval(&*self.ports.evals, &id).await.map_err(of_log)
    }
}

/// The eval that a request names, in the caller's tenant.
fn named(caller: &Caller, name: &str) -> Result<DebateId, Problem> {
    let id = name.strip_prefix("evals/").unwrap_or(name);
    DebateId::in_tenant(&caller.tenant, id).map_err(|_| {
        Problem::invalid("name", format!("{id:?} is no id of an eval: 4 to 63 characters of a-z, 0-9 and -"))
    })
}

/// The eval at which the page before ended.
fn page_of(call: &CallContext, token: &str) -> Option<DebateId> {
    let name = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(token).ok()?).ok()?;
    DebateId::in_tenant(&call.caller.tenant, &name).ok()
}

fn odd_page() -> Problem {
    Problem::invalid(
        "page_token",
        "this is not a page token of this server, or its eval was deleted; begin again without it",
    )
}

fn now() -> Timestamp {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX))
}

fn of_log(error: EvalLogError) -> Problem {
    match error {
        EvalLogError::Unknown(id) => EvalProblem::Unknown(id.name().to_owned()).into(),
        EvalLogError::Exists(id) => EvalProblem::Exists(id.name().to_owned()).into(),
        EvalLogError::Fenced(id) => Problem::Unavailable(format!("eval {} goes on meanwhile", id.name())),
        EvalLogError::Unreadable { eval, source } => {
            tracing::error!(%eval, %source, "log of an eval unreadable");
            EvalProblem::Damaged(eval.name().to_owned()).into()
        }
        EvalLogError::Unsure(detail) => {
            tracing::warn!(detail, "eval not written");
            Problem::Unavailable("it is unknown whether the eval was written down".to_owned())
        }
        EvalLogError::Full(why) => Problem::StoreFull(format!("the store of evals is full: {why}")),
        EvalLogError::Store(error) => Problem::of_store(&error),
    }
}

fn of_order(error: EvalOrderError) -> Problem {
    let state = |id: DebateId, why: &str| {
        let eval = id.name().to_owned();
        let detail = format!("eval {eval} {why}");
        EvalProblem::State { eval, detail }.into()
    };
    match error {
        EvalOrderError::Ended { eval, .. } => state(eval, "has already ended"),
        EvalOrderError::NotOver(id) => state(id, "has not ended; only an ended eval repeats its failed cells"),
        EvalOrderError::NothingFailed(id) => state(id, "has no failed cell"),
        EvalOrderError::Log(error) => of_log(error),
    }
}
