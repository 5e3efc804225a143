//! Judging an ended debate's transcript again.
use super::{Api, CallContext, create, named};
use crate::auth::Scope;
use crate::error::{Problem, Violation};
use agon_core::{Admission, DebateId, ModelName, RejudgeError, rejudge, rejudged_spec};
use agon_proto::RequestClaim;
use agon_proto::pb::v1 as pb;
use agon_telemetry::TraceContext;
use prost::Message as _;

impl Api {
    /// A new debate that points to the old one and asks only a judge.
    pub async fn rejudge(&self, call: &CallContext, request: &pb::RejudgeDebateRequest) -> Result<pb::Debate, Problem> {
        call.caller.require(Scope::DebatesWrite)?;
        let old = named(&call.caller, &request.name)?;
        let model = request.judge_model.as_deref().map(str::trim);
        if model == Some("") {
            return Err(Problem::Invalid(vec![Violation::of("judge_model", "a model needs a name")]));
        }
        let folded = self.folded(&old).await?;
        let spec = rejudged_spec(folded.debate.admission(), model.map(ModelName::from)).map_err(of_rejudge)?;
        let id = self.rejudge_id(call, request).await?;
        let admission = Admission {
            id: id.clone(),
            spec,
            request_id: request.request_id.clone(),
            creator: call.caller.principal.clone(),
            submitted_by: call.traceparent.as_deref().and_then(TraceContext::parse).map(|context| context.to_string()),
            rejudges: Some(old),
            ratings: Default::default(),
            ..folded.debate.admission().as_ref().clone()
        };
        let events = rejudge(admission.clone(), &folded.records).map_err(of_rejudge)?;
        self.admit(admission, events).await?;
        self.resource(&id, true).await
    }

    async fn rejudge_id(&self, call: &CallContext, request: &pb::RejudgeDebateRequest) -> Result<DebateId, Problem> {
        let tenant = &call.caller.tenant;
        let id = match request.debate_id.as_deref() {
            Some(id) => {
                DebateId::in_tenant(tenant, id).map_err(|error| Problem::invalid("debate_id", error.to_string()))?
            }
            None => create::new_id(tenant)?,
        };
        let Some(request_id) = &request.request_id else { return Ok(id) };
        let payload = pb::RejudgeDebateRequest { request_id: None, ..request.clone() };
        let claim = RequestClaim { debate: id, payload: *blake3::hash(&payload.encode_to_vec()).as_bytes() };
        self.claim(call, request_id, claim, create::ClaimKind::Debate).await
    }
}

fn of_rejudge(error: RejudgeError) -> Problem {
    let detail = error.to_string();
    match error {
        RejudgeError::NoDebate => Problem::Internal(detail),
        RejudgeError::NoJudge(_) => Problem::invalid("judge_model", detail),
        RejudgeError::NotEnded(debate) => Problem::NotOver(debate.name().to_owned()),
        RejudgeError::NothingSaid(debate) => Problem::State { debate: debate.name().to_owned(), detail },
    }
}
