//! Submitting a debate, once.
use super::create_request::DebateRequest;
use super::{Api, CallContext, view};
use crate::auth::Scope;
use crate::error::{EvalProblem, Problem, Violation};
use agon_core::{Admission, DebateId, DebateSpec, Event, Position, Record, Timestamp};
use agon_proto::RequestClaim;
use agon_proto::pb::v1 as pb;
use agon_runtime::{RecallError, SubmitError, recall};
use agon_store::{AppendError, StoreError, append_settled};
use agon_telemetry::TraceContext;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

/// The version that admissions name.
const AGON_VERSION: &str = env!("CARGO_PKG_VERSION");

impl Api {
    /// Submits a debate; the same submission again gives the first debate.
    pub async fn create(&self, call: &CallContext, request: &pb::CreateDebateRequest) -> Result<pb::Debate, Problem> {
        call.caller.require(Scope::DebatesWrite)?;
        let wanted = self.wanted(call, request).await?;
        self.feeds_there(&wanted.spec)?;
        if request.validate_only {
            return self.planned(call, wanted).await;
        }
        let debate = self.id_for(call, &wanted).await?;
        let admission = admission(call, wanted, debate.clone(), self.retry);
        self.admit(admission, Vec::new()).await?;
        self.resource(&debate, true).await
    }

    /// Checks a request beside the threads that serve everybody: a large file takes a while.
    async fn wanted(&self, call: &CallContext, request: &pb::CreateDebateRequest) -> Result<DebateRequest, Problem> {
        let (request, tenant, defaults) = (request.clone(), call.caller.tenant.clone(), self.defaults.clone());
        let checked = tokio::task::spawn_blocking(move || DebateRequest::check(&request, &tenant, &defaults)).await;
        checked.map_err(|error| Problem::Internal(format!("the file was not checked: {error}")))?
    }

    /// Refuses a debate that names feeds which are not set up here.
    pub(super) fn feeds_there(&self, spec: &DebateSpec) -> Result<(), Problem> {
        let known = self.feeds.names();
        let missing = spec.feeds.iter().filter(|name| !known.contains(name));
        let set_up = if known.is_empty() { "none is".to_owned() } else { format!("set up: {}", known.join(", ")) };
        let wrong = missing.map(|name| Violation::of("feeds", format!("no feed {name:?} is set up here; {set_up}")));
        let wrong: Vec<Violation> = wrong.collect();
        if wrong.is_empty() { Ok(()) } else { Err(Problem::Invalid(wrong)) }
    }

    /// What the debate would be. Nothing is written.
    async fn planned(&self, call: &CallContext, wanted: DebateRequest) -> Result<pb::Debate, Problem> {
        let unserved = self.offered(&wanted.spec, wanted.rehearsal).await?;
        let plan = self.plan(&wanted.spec, wanted.rehearsal, wanted.warnings, unserved);
        let identity = wanted.id.as_ref().map(view::identity).unwrap_or_default();
        Ok(pb::Debate {
            topic: wanted.spec.topic.clone(),
            spec: Some((&wanted.spec).into()),
            labels: wanted.labels,
            creator: call.caller.principal.clone(),
            rehearsal: wanted.rehearsal,
            priority: view::priority_number(wanted.priority),
            plan: Some(plan),
            ..identity
        })
    }

    /// The id of the debate that this submission makes, or has made before.
    async fn id_for(&self, call: &CallContext, wanted: &DebateRequest) -> Result<DebateId, Problem> {
        let tenant = &call.caller.tenant;
        let id = match &wanted.id {
            Some(id) => id.clone(),
            None => new_id(tenant)?,
        };
        let Some(request_id) = &wanted.request_id else { return Ok(id) };
        let claim = RequestClaim { debate: id, payload: wanted.payload() };
        self.claim(call, request_id, claim, ClaimKind::Debate).await
    }

    /// What the request id stands for, if that is the same payload.
    pub(super) async fn claim(
        &self,
        call: &CallContext,
        request_id: &str,
        claim: RequestClaim,
        of: ClaimKind,
    ) -> Result<DebateId, Problem> {
        let mut key = of.key(request_id);
        loop {
            let standing = self.ports.requests.claim(&call.caller.tenant, &key, claim.clone()).await;
            let standing = standing.map_err(|error| Problem::of_store(&error))?;
            let first = standing.debate.name().to_owned();
            if standing.payload != claim.payload {
                return Err(of.conflict(request_id, first));
            }
            if standing.debate == claim.debate || !self.deleted(&standing.debate, of).await? {
                return Ok(standing.debate);
            }
            // no client can choose it: there are no spaces in request ids
            key = format!("{} after {first}", of.key(request_id));
        }
    }

    /// Whether a debate or an eval of this id was deleted.
    pub(super) async fn deleted(&self, id: &DebateId, of: ClaimKind) -> Result<bool, Problem> {
        let mark = self.ports.requests.claimed(&id.tenant(), &of.mark(id)).await;
        Ok(mark.map_err(|error| Problem::of_store(&error))?.is_some())
    }

    /// Marks an id as not to be used again: processes that played it may remember what its turns came to.
    pub(super) async fn mark_deleted(&self, id: &DebateId, of: ClaimKind) -> Result<(), Problem> {
        let mark = RequestClaim { debate: id.clone(), payload: [0; 32] };
        let marked = self.ports.requests.claim(&id.tenant(), &of.mark(id), mark).await;
        marked.map(drop).map_err(|error| Problem::of_store(&error))
    }

    /// Admits the debate unless it already is. What is judged again begins with more than its admission: `events`.
    pub(super) async fn admit(&self, mut admission: Admission, events: Vec<Event>) -> Result<(), Problem> {
        match self.admitted(&admission.id).await? {
            Some(known) => return self.again(&admission, known).await,
            None if self.deleted(&admission.id, ClaimKind::Debate).await? => {
                return Err(Problem::DebateDeleted(admission.id.name().to_owned()));
            }
            None => {
                if admission.rejudges.is_none() {
                    // its warnings are the plan's
                    self.offered(&admission.spec, admission.rehearsal).await?;
                }
                self.make_room(&admission.id.tenant()).await?;
            }
        }
        if admission.rejudges.is_none() {
            let (names, embedder) = (admission.spec.feeds.clone(), self.ports.node.embedder(&admission));
            let recalling = recall(&*self.ports.catalogue, embedder, &mut admission);
            let (feeds, recalled) = tokio::join!(self.feeds.read(&names), recalling);
            recalled.map_err(of_recall)?;
            admission.feeds = feeds;
        }
        if !events.is_empty() {
            self.begin(&admission.id, events).await?;
        }
        match self.ports.node.submit(admission.clone()).await {
            Err(SubmitError::Conflict(id)) => match self.admitted(&id).await? {
                // another gateway was faster with the same submission
                Some(known) => self.again(&admission, known).await,
                None => Err(Problem::Unavailable(format!("debate {} is being removed", id.name()))),
            },
            submitted => submitted.map_err(|error| self.of_submit(&error)),
        }
    }

    /// Writes the first record of a debate; whether somebody else did so first shows when its admission is submitted.
    async fn begin(&self, debate: &DebateId, events: Vec<Event>) -> Result<(), Problem> {
        let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let at = Timestamp(u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX));
        let record = Record { first: Position(1), at, epoch: 0, nonce: rand::random(), events };
        match append_settled(&*self.ports.journal, debate, record).await {
            Ok(_) | Err(AppendError::Fenced { .. }) => Ok(()),
            Err(error) => Err(self.of_submit(&SubmitError::Append(error))),
        }
    }

    /// The same submission as before: its job is queued once more, in case that was what had failed.
    async fn again(&self, wanted: &Admission, known: Admission) -> Result<(), Problem> {
        if !is_same(wanted, &known) || self.local(&known.id).await?.is_some() {
            return Err(Problem::DebateExists(known.id.name().to_owned()));
        }
        let records = self.log(&known.id).await?;
        let claimed = |record: &Arc<Record>| record.events.iter().any(|event| matches!(event, Event::Claimed { .. }));
        if records.iter().any(claimed) {
            return Ok(());
        }
        self.ports.node.submit(known).await.map_err(|error| self.of_submit(&error))
    }

    /// What a failed submission means to the caller, who may try it again.
    fn of_submit(&self, error: &SubmitError) -> Problem {
        tracing::warn!(%error, "debate not submitted");
        match error {
            SubmitError::Conflict(id) => Problem::DebateExists(id.name().to_owned()),
            SubmitError::Append(AppendError::Store(error)) | SubmitError::Queue(error) => Problem::of_store(error),
            SubmitError::Append(AppendError::Fenced { .. } | AppendError::Unsure(_)) => {
                let unknown = "it is unknown whether the debate was written down";
                match self.ports.upkeep.condition().fullness() {
                    Some(full) => Problem::StoreFull(format!("{unknown}: {full}")),
                    None => Problem::Unavailable(unknown.to_owned()),
                }
            }
        }
    }

    /// What a debate started from, if it exists.
    pub(super) async fn admitted(&self, debate: &DebateId) -> Result<Option<Admission>, Problem> {
        let records = self.ports.journal.read(debate, Position(0)).await.map_err(|error| Problem::of_store(&error))?;
        Ok(match records.first().and_then(|record| record.events.first()) {
            Some(Event::DebateAdmitted(admission)) => Some(admission.as_ref().clone()),
            Some(_) | None => None,
        })
    }
}

/// What ids and request ids stand for. Debates and evals do not get into each other's way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClaimKind {
    Debate,
    Eval,
}

impl ClaimKind {
    /// What stands for a request id among those of the tenant. No client can choose another one's: there are no spaces in request ids.
    fn key(self, request_id: &str) -> String {
        match self {
            Self::Debate => request_id.to_owned(),
            Self::Eval => format!("eval {request_id}"),
        }
    }
    /// What stands for a deleted id among the request ids.
    fn mark(self, id: &DebateId) -> String {
        match self {
            Self::Debate => format!("deleted {}", id.name()),
            Self::Eval => format!("deleted eval {}", id.name()),
        }
    }
    fn conflict(self, request_id: &str, first: String) -> Problem {
        let request_id = request_id.to_owned();
        match self {
            Self::Debate => Problem::RequestIdConflict { request_id, debate: first },
            Self::Eval => EvalProblem::RequestIdConflict { request_id, eval: first }.into(),
        }
    }
}

/// A new id, ordered by time.
pub(super) fn new_id(tenant: &agon_core::TenantId) -> Result<DebateId, Problem> {
    let id = uuid::Uuid::now_v7().to_string();
    DebateId::in_tenant(tenant, &id).map_err(|error| Problem::Internal(error.to_string()))
}

/// A seed of 32 bits, as `agon run` draws it: programs that read JSON numbers as floating point keep it as it is.
fn fresh_seed() -> u64 {
    rand::random::<u32>().into()
}

fn admission(call: &CallContext, wanted: DebateRequest, id: DebateId, retry: agon_core::RetryPolicy) -> Admission {
    let traceparent = call.traceparent.as_deref().and_then(TraceContext::parse);
    agon_telemetry::about(&tracing::Span::current(), &id);
    Admission {
        id,
        seed: wanted.seed.unwrap_or_else(fresh_seed),
        spec: wanted.spec,
        retry,
        agon_version: AGON_VERSION.to_owned(),
        request_id: wanted.request_id,
        rehearsal: wanted.rehearsal,
        priority: wanted.priority,
        labels: wanted.labels,
        creator: call.caller.principal.clone(),
        submitted_by: traceparent.map(|context| context.to_string()),
        rejudges: None,
        history: Default::default(),
        recalled: None,
        feeds: Default::default(),
        ratings: Default::default(),
    }
}

/// Whether two admissions are one submission. What the gateway added by itself does not count: a seed that nobody
/// chose, who submitted it, from which trace, by which version.
fn is_same(wanted: &Admission, known: &Admission) -> bool {
    if known.request_id.is_some() && wanted.request_id == known.request_id {
        // the claim has compared the payload
        return true;
    }
    wanted.spec == known.spec
        && (wanted.spec.seed.is_none() || wanted.seed == known.seed)
        && wanted.rehearsal == known.rehearsal
        && wanted.priority == known.priority
        && wanted.labels == known.labels
        && wanted.rejudges == known.rejudges
}

/// A debate that is to know of earlier ones waits until they can be looked up.
fn of_recall(error: RecallError) -> Problem {
    match &error.0 {
        StoreError::Backend(_) => {
            tracing::warn!(%error, source = %error.0, "debate not submitted");
            Problem::Unavailable(error.to_string())
        }
        StoreError::Damaged { .. } | StoreError::NotFound(_) | StoreError::Full(_) => Problem::of_store(&error.0),
    }
}
