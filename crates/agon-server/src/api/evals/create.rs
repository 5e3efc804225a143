//! Submitting an eval, once.
use super::request::{EvalDefaults, EvalRequest};
use super::{now, of_log, view};
use crate::api::create::{ClaimKind, new_id};
use crate::api::{Api, CallContext};
use crate::auth::Scope;
use crate::error::{EvalProblem, Problem};
use agon_core::{DebateId, DebateSpec, DebateState, ModelName, TenantId};
use agon_eval::{EVAL_LABEL, EvalAdmission, EvalPlan, EvalRefused, HeldCells, TemplateSpecs, asked_models};
use agon_proto::RequestClaim;
use agon_proto::pb::v1 as pb;
use agon_runtime::{EvalLogError, OpenEval, admit_eval};
use agon_store::{CatalogueQuery, ListCursor, ListState};
use std::collections::{BTreeMap, BTreeSet};

/// Debates of earlier evals that a plan looks through for cells that were held before, by pages.
const HELD_PAGE: usize = 1_000;
const HELD_PAGES: usize = 200;

/// What the hosts of the cluster have of what an eval needs.
#[derive(Default)]
struct ServedModels {
    digests: BTreeMap<String, String>,
    unserved: Vec<pb::Unserved>,
    warnings: Vec<String>,
}

impl Api {
    /// Submits an eval; the same submission again gives the first eval.
    pub async fn create_eval(&self, call: &CallContext, request: &pb::CreateEvalRequest) -> Result<pb::Eval, Problem> {
        call.caller.require(Scope::DebatesWrite)?;
        let (mut wanted, kinds) = self.wanted_eval(call, request).await?;
        let served = self.eval_served(&kinds, request.rehearsal).await?;
        wanted.admission.digests = served.digests.clone();
        if request.validate_only {
            return self.planned_eval(call, wanted, served).await;
        }
        let id = self.eval_id_for(call, &wanted).await?;
        let admission = EvalAdmission { id: id.name().to_owned(), ..wanted.admission };
        let eval = self.admit_eval(&id, admission, wanted.request_id.is_some()).await?;
        self.ports.node.eval_changed(&id).await;
        Ok(view::shown(&eval))
    }

    /// Checks a request beside the threads that serve everybody: large files take a while. One debate of each kind comes with it.
    async fn wanted_eval(
        &self,
        call: &CallContext,
        request: &pb::CreateEvalRequest,
    ) -> Result<(EvalRequest, Vec<DebateSpec>), Problem> {
        let (request, tenant) = (request.clone(), call.caller.tenant.clone());
        let defaults = EvalDefaults {
            debates: self.defaults.clone(),
            prices: self.eval_prices.clone(),
            grader: self.eval_grader.clone(),
        };
        let checked = tokio::task::spawn_blocking(move || {
            let wanted = EvalRequest::check(&request, &tenant, &defaults)?;
            let kinds = TemplateSpecs::of(&wanted.admission).and_then(|specs| specs.kinds(&wanted.admission));
            Ok((wanted, kinds.map_err(|text| Problem::invalid("files", text))?))
        });
        checked.await.map_err(|error| Problem::Internal(format!("the files were not checked: {error}")))?
    }

    /// Refuses an eval whose debates need what no live host has; where that is unknown, warns.
    async fn eval_served(&self, kinds: &[DebateSpec], rehearsal: bool) -> Result<ServedModels, Problem> {
        let mut served = ServedModels::default();
        let mut models = BTreeSet::new();
        for spec in kinds {
            self.feeds_there(spec)?;
            let unserved = self.offered(spec, rehearsal).await?;
            let plan = self.plan(spec, rehearsal, Vec::new(), unserved);
            let news = plan.unserved.into_iter().filter(|one| !served.unserved.contains(one)).collect::<Vec<_>>();
            served.unserved.extend(news);
            let news = plan.warnings.into_iter().filter(|one| !served.warnings.contains(one)).collect::<Vec<_>>();
            served.warnings.extend(news);
            models.extend(asked_models(spec));
        }
        let digest = |model: ModelName| Some((model.to_string(), self.digest_of(&model, rehearsal)?));
        served.digests = models.into_iter().filter_map(digest).collect();
        Ok(served)
    }

    /// The digest of a model, if all hosts that serve it report the same.
    fn digest_of(&self, model: &ModelName, rehearsal: bool) -> Option<String> {
        let hosts = self.hosts_of(model, rehearsal);
        let told: BTreeSet<Option<String>> =
            hosts.iter().map(|host| host.listed(model).and_then(|listed| listed.digest.clone())).collect();
        let mut told = told.into_iter();
        told.next().flatten().filter(|_| told.next().is_none())
    }

    /// What the eval would be. Nothing is written.
    async fn planned_eval(
        &self,
        call: &CallContext,
        wanted: EvalRequest,
        served: ServedModels,
    ) -> Result<pb::Eval, Problem> {
        let held = self.held_cells(&call.caller.tenant).await?;
        let id = wanted.id.clone();
        let admission =
            EvalAdmission { id: id.as_ref().map(|id| id.name().to_owned()).unwrap_or_default(), ..wanted.admission };
        let planned = tokio::task::spawn_blocking(move || {
            let specs = TemplateSpecs::of(&admission).map_err(EvalRefused::from);
            let plan =
                specs.and_then(|specs| EvalPlan::of(&admission, &specs, &HeldCells { ids: &held, facts: &|_| None }));
            (plan, admission)
        });
        let (plan, admission) = planned.await.map_err(|error| Problem::Internal(error.to_string()))?;
        let plan = plan.map_err(|refused| Problem::invalid("files", refused.message))?;
        let warnings = wanted.warnings.into_iter().chain(served.warnings).collect();
        Ok(pb::Eval {
            debates: admission.spec.debates.iter().map(|debate| debate.name.to_string()).collect(),
            rehearsal: admission.rehearsal,
            seed: Some(admission.spec.seed),
            plan: Some(view::plan(plan, served.unserved, warnings)),
            ..id.as_ref().map(view::identity).unwrap_or_default()
        })
    }

    /// The ended debates of the tenant's earlier evals.
    async fn held_cells(&self, tenant: &TenantId) -> Result<BTreeSet<String>, Problem> {
        let ended = [DebateState::Succeeded, DebateState::Failed, DebateState::Cancelled].map(ListState::Ended);
        let mut query = CatalogueQuery {
            tenant: Some(tenant.clone()),
            limit: HELD_PAGE,
            states: ended.into(),
            labels: BTreeMap::from([(EVAL_LABEL.to_owned(), String::new())]),
            ..CatalogueQuery::default()
        };
        let mut held = BTreeSet::new();
        for _ in 0..HELD_PAGES {
            let found = self.ports.catalogue.find(&query).await.map_err(|error| Problem::of_store(&error))?;
            held.extend(found.iter().map(|debate| debate.id.name().to_owned()));
            query.after = found.last().map(|last| ListCursor { admitted: last.admitted, id: last.id.clone() });
            if found.len() < HELD_PAGE {
                break;
            }
        }
        Ok(held)
    }

    /// The id of the eval that this submission makes, or has made before.
    async fn eval_id_for(&self, call: &CallContext, wanted: &EvalRequest) -> Result<DebateId, Problem> {
        let id = match &wanted.id {
            Some(id) => id.clone(),
            None => new_id(&call.caller.tenant)?,
        };
        let Some(request_id) = &wanted.request_id else { return Ok(id) };
        let claim = RequestClaim { debate: id, payload: wanted.payload };
        self.claim(call, request_id, claim, ClaimKind::Eval).await
    }

    /// Admits the eval unless it already is.
    async fn admit_eval(&self, id: &DebateId, admission: EvalAdmission, claimed: bool) -> Result<OpenEval, Problem> {
        if self.ports.evals.eval_head(id).await.map_err(|error| Problem::of_store(&error))?.is_none() {
            if self.deleted(id, ClaimKind::Eval).await? {
                return Err(EvalProblem::Deleted(id.name().to_owned()).into());
            }
            self.make_room_for_eval(&id.tenant()).await?;
        }
        match admit_eval(&*self.ports.evals, id, admission.clone(), now()).await {
            Err(EvalLogError::Exists(_)) => {}
            admitted => return admitted.map_err(of_log),
        }
        let known = agon_runtime::read_eval(&*self.ports.evals, id).await.map_err(of_log)?;
        // the claim of a request id has compared the payload
        if claimed || is_same(known.machine.admission(), &admission) {
            return Ok(known);
        }
        Err(EvalProblem::Exists(id.name().to_owned()).into())
    }

    /// Refuses a further eval where the store has no room, or too many have not ended.
    async fn make_room_for_eval(&self, tenant: &TenantId) -> Result<(), Problem> {
        if let Some(full) = self.ports.upkeep.condition().evals_fullness() {
            return Err(Problem::StoreFull(full));
        }
        let open = self.ports.evals.open_evals().await.map_err(|error| Problem::of_store(&error))?;
        let retry = self.times.retry_full;
        let own = open.iter().filter(|head| head.id.tenant() == *tenant).count();
        if let Some(limit) = self.limits.tenant_unfinished.filter(|limit| own >= *limit) {
            let what = "evals of this tenant that have not ended";
            return Err(Problem::Full { reason: "TENANT_LIMIT", what, held: own, limit, retry });
        }
        let limit = self.limits.queued;
        match open.len() >= limit {
            true => Err(Problem::Full {
                reason: "QUEUE_FULL",
                what: "evals that have not ended",
                held: open.len(),
                limit,
                retry,
            }),
            false => Ok(()),
        }
    }
}

/// Whether two admissions are one submission. What the server added by itself does not count.
fn is_same(known: &EvalAdmission, wanted: &EvalAdmission) -> bool {
    let asked = |admission: &EvalAdmission| (admission.models.clone(), admission.rehearsal, admission.fresh);
    known.spec == wanted.spec && asked(known) == asked(wanted)
}
