//! The events of an eval as a stream.
use super::answer::RestResponse;
use super::events::{event_stream, last_event, named};
use super::input::QueryParams;
use super::json::Json;
use super::{Called, Param, Rest};
use crate::api::{CallContext, EvalStep};
use crate::error::Problem;
use agon_proto::pb::v1 as pb;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, StatusCode};

/// `GET /v1/evals/{id}/events`.
pub(crate) async fn follow(
    State(rest): State<Rest>,
    Called(call, id): Called,
    Param(name): Param<String>,
    query: RawQuery,
    headers: HeaderMap,
) -> RestResponse {
    RestResponse::whole(&id, streamed(&rest, &call, name, query, &headers).await)
}

async fn streamed(
    rest: &Rest,
    call: &CallContext,
    name: String,
    query: RawQuery,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let mut query = QueryParams::read(query);
    let after = query.number("after_sequence").unwrap_or_default();
    query.end()?;
    let resumed = last_event(headers)?;
    let after_sequence = resumed.unwrap_or(after);
    // a browser that comes back after the end is told to stay away
    if resumed.is_some() && rest.api.eval_is_over(call, &name, after_sequence).await? {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let steps = rest.api.watch_eval(call, &pb::WatchEvalRequest { name, after_sequence }).await?;
    let json = rest.json.clone();
    Ok(event_stream(steps, rest.limits.response_bytes, move |step| lines(step, &json)))
}

fn lines(step: EvalStep, json: &Json) -> Result<String, Problem> {
    Ok(match step {
        EvalStep::Snapshot(eval) => named("snapshot", &json.write(*eval)?),
        EvalStep::Event(event) => format!("id: {}\ndata: {}\n\n", event.sequence, event.json),
        EvalStep::Progress(progress) => named("progress", &json.write(progress)?),
        EvalStep::Heartbeat(sequence, None) => format!(": {sequence}\n\n"),
        EvalStep::Heartbeat(sequence, Some(waits_for)) => {
            format!(": {sequence} {}\n\n", agon_report::one_line(&waits_for))
        }
    })
}
