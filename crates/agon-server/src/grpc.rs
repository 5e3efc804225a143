//! The operations over gRPC.
use crate::api::{Api, CallContext, eval_message, message};
use crate::auth::Caller;
use crate::error::Problem;
use crate::net::{Deadline, call_of_extensions};
use agon_proto::pb::v1 as pb;
use futures_util::StreamExt as _;
use futures_util::stream::BoxStream;
use pb::archive_service_server::ArchiveService;
use pb::cluster_service_server::ClusterService;
use pb::debate_service_server::DebateService;
use pb::eval_service_server::EvalService;
use std::sync::Arc;
use tonic::{Request, Response, Status};

/// All services.
#[derive(Clone)]
pub(crate) struct Grpc(pub Arc<Api>);

/// The call behind a request, and its id.
fn call<T>(request: &Request<T>) -> Result<(CallContext, String), Status> {
    let id = call_of_extensions(request.extensions());
    let caller = request.extensions().get::<Caller>().cloned();
    let caller = caller.ok_or_else(|| Problem::Internal("a call without a caller".to_owned()).status(&id))?;
    let traceparent = request.metadata().get("traceparent").and_then(|value| value.to_str().ok()).map(str::to_owned);
    let deadline = request.extensions().get::<Deadline>().map(|deadline| deadline.0);
    Ok((CallContext { caller, traceparent, deadline }, id))
}

macro_rules! unary {
    ($self:ident, $request:ident, $method:ident) => {{
        let (call, id) = call(&$request)?;
        let answer = $self.0.$method(&call, &$request.into_inner()).await;
        answer.map(Response::new).map_err(|problem| problem.status(&id))
    }};
}

#[async_trait::async_trait]
impl DebateService for Grpc {
    type WatchDebateStream = BoxStream<'static, Result<pb::WatchDebateResponse, Status>>;

    async fn create_debate(&self, request: Request<pb::CreateDebateRequest>) -> Result<Response<pb::Debate>, Status> {
        unary!(self, request, create)
    }
    async fn get_debate(&self, request: Request<pb::GetDebateRequest>) -> Result<Response<pb::Debate>, Status> {
        unary!(self, request, get)
    }
    async fn list_debates(
        &self,
        request: Request<pb::ListDebatesRequest>,
    ) -> Result<Response<pb::ListDebatesResponse>, Status> {
        unary!(self, request, list)
    }
    async fn cancel_debate(&self, request: Request<pb::CancelDebateRequest>) -> Result<Response<pb::Debate>, Status> {
        unary!(self, request, cancel)
    }
    async fn pause_debate(&self, request: Request<pb::PauseDebateRequest>) -> Result<Response<pb::Debate>, Status> {
        unary!(self, request, pause)
    }
    async fn resume_debate(&self, request: Request<pb::ResumeDebateRequest>) -> Result<Response<pb::Debate>, Status> {
        unary!(self, request, resume)
    }
    async fn delete_debate(&self, request: Request<pb::DeleteDebateRequest>) -> Result<Response<()>, Status> {
        unary!(self, request, delete)
    }
    async fn watch_debate(
        &self,
        request: Request<pb::WatchDebateRequest>,
    ) -> Result<Response<Self::WatchDebateStream>, Status> {
        let (call, id) = call(&request)?;
        let steps = self.0.watch(&call, request.get_ref()).await.map_err(|problem| problem.status(&id))?;
        let told = steps.map(move |step| step.map(message).map_err(|problem| problem.status(&id)));
        Ok(Response::new(told.boxed()))
    }
    async fn list_debate_events(
        &self,
        request: Request<pb::ListDebateEventsRequest>,
    ) -> Result<Response<pb::ListDebateEventsResponse>, Status> {
        unary!(self, request, events)
    }
    async fn export_debate(
        &self,
        request: Request<pb::ExportDebateRequest>,
    ) -> Result<Response<pb::ExportDebateResponse>, Status> {
        unary!(self, request, export)
    }
    async fn rejudge_debate(&self, request: Request<pb::RejudgeDebateRequest>) -> Result<Response<pb::Debate>, Status> {
        unary!(self, request, rejudge)
    }
    async fn verify_debate(
        &self,
        request: Request<pb::VerifyDebateRequest>,
    ) -> Result<Response<pb::VerifyDebateResponse>, Status> {
        unary!(self, request, verify)
    }
}

#[async_trait::async_trait]
impl ClusterService for Grpc {
    async fn list_hosts(
        &self,
        request: Request<pb::ListHostsRequest>,
    ) -> Result<Response<pb::ListHostsResponse>, Status> {
        let (call, id) = call(&request)?;
        self.0.hosts(&call).map(Response::new).map_err(|problem| problem.status(&id))
    }
    async fn list_models(
        &self,
        request: Request<pb::ListModelsRequest>,
    ) -> Result<Response<pb::ListModelsResponse>, Status> {
        let (call, id) = call(&request)?;
        self.0.models(&call).map(Response::new).map_err(|problem| problem.status(&id))
    }
    async fn drain_host(&self, request: Request<pb::DrainHostRequest>) -> Result<Response<pb::Host>, Status> {
        unary!(self, request, drain_host)
    }
}

#[async_trait::async_trait]
impl ArchiveService for Grpc {
    async fn list_ratings(
        &self,
        request: Request<pb::ListRatingsRequest>,
    ) -> Result<Response<pb::ListRatingsResponse>, Status> {
        unary!(self, request, ratings)
    }
    async fn get_persona(
        &self,
        request: Request<pb::GetPersonaRequest>,
    ) -> Result<Response<pb::PersonaRecord>, Status> {
        unary!(self, request, persona)
    }
}

#[async_trait::async_trait]
impl EvalService for Grpc {
    type WatchEvalStream = BoxStream<'static, Result<pb::WatchEvalResponse, Status>>;

    async fn create_eval(&self, request: Request<pb::CreateEvalRequest>) -> Result<Response<pb::Eval>, Status> {
        unary!(self, request, create_eval)
    }
    async fn get_eval(&self, request: Request<pb::GetEvalRequest>) -> Result<Response<pb::Eval>, Status> {
        unary!(self, request, get_eval)
    }
    async fn list_evals(
        &self,
        request: Request<pb::ListEvalsRequest>,
    ) -> Result<Response<pb::ListEvalsResponse>, Status> {
        unary!(self, request, list_evals)
    }
    async fn cancel_eval(&self, request: Request<pb::CancelEvalRequest>) -> Result<Response<pb::Eval>, Status> {
        unary!(self, request, cancel_eval)
    }
    async fn retry_eval(&self, request: Request<pb::RetryEvalRequest>) -> Result<Response<pb::Eval>, Status> {
        unary!(self, request, retry_eval)
    }
    async fn list_cells(
        &self,
        request: Request<pb::ListCellsRequest>,
    ) -> Result<Response<pb::ListCellsResponse>, Status> {
        unary!(self, request, list_cells)
    }
    async fn export_eval(
        &self,
        request: Request<pb::ExportEvalRequest>,
    ) -> Result<Response<pb::ExportEvalResponse>, Status> {
        unary!(self, request, export_eval)
    }
    async fn learn_gate(
        &self,
        request: Request<pb::LearnGateRequest>,
    ) -> Result<Response<pb::LearnGateResponse>, Status> {
        unary!(self, request, learn_gate)
    }
    async fn delete_eval(&self, request: Request<pb::DeleteEvalRequest>) -> Result<Response<()>, Status> {
        unary!(self, request, delete_eval)
    }
    async fn watch_eval(
        &self,
        request: Request<pb::WatchEvalRequest>,
    ) -> Result<Response<Self::WatchEvalStream>, Status> {
        let (call, id) = call(&request)?;
        let steps = self.0.watch_eval(&call, request.get_ref()).await.map_err(|problem| problem.status(&id))?;
        let told = steps.map(move |step| step.map(eval_message).map_err(|problem| problem.status(&id)));
        Ok(Response::new(told.boxed()))
    }
}
