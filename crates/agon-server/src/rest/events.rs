//! Events: as a stream for browsers, or as a page of JSON.
use super::answer::{RestResponse, response, set};
use super::input::QueryParams;
use super::json::Json;
use super::{Called, Param, Rest};
use crate::api::{CallContext, WatchStep};
use crate::error::Problem;
use agon_core::{CallCounts, Position};
use agon_proto::pb::v1 as pb;
use agon_report::{event_json, json_line};
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse as _, Response};
use futures_util::stream::BoxStream;
use futures_util::{StreamExt as _, stream};
use http::{HeaderMap, StatusCode, header};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::fmt::Write as _;

/// `GET /v1/debates/{id}/events`: a page where JSON is asked for, a stream otherwise.
pub(crate) async fn follow(
    State(rest): State<Rest>,
    Called(call, id): Called,
    Param(name): Param<String>,
    query: RawQuery,
    headers: HeaderMap,
) -> Response {
    let accepts = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let paged = accepts.contains("application/json") && !accepts.contains("text/event-stream");
    let answer = match paged {
        true => page(&rest, &call, name, query).await,
        false => streamed(&rest, &call, name, query, &headers).await,
    };
    RestResponse::whole(&id, answer).into_response()
}

async fn page(rest: &Rest, call: &CallContext, name: String, query: RawQuery) -> Result<Response, Problem> {
    let mut query = QueryParams::read(query);
    let after_sequence = query.number("after_sequence").unwrap_or_default();
    let page_size = query.number("page_size").unwrap_or_default();
    query.end()?;
    let request = pb::ListDebateEventsRequest { name, after_sequence, page_size };
    let (events, more) = rest.api.shown_page(call, &request).await?;
    let events: Vec<Value> = events.iter().map(|(position, at, event)| event_json(*position, *at, event)).collect();
    let body = json!({"events": events, "more": more}).to_string() + "\n";
    Ok(response(StatusCode::OK, "application/json", body))
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
    let include_deltas = query.flag("deltas");
    query.end()?;
    let resumed = last_event(headers)?;
    let after_sequence: u64 = resumed.unwrap_or(after);
    // a browser that comes back after the end is told to stay away
    if resumed.is_some() && rest.api.is_over(call, &name, Position(after_sequence)).await? {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    let request = pb::WatchDebateRequest { name, after_sequence, include_deltas };
    let steps = rest.api.watch(call, &request).await?;
    let json = rest.json.clone();
    Ok(event_stream(steps, rest.limits.response_bytes, move |step| lines(step, &json)))
}

/// The event that a browser has seen last.
pub(super) fn last_event(headers: &HeaderMap) -> Result<Option<u64>, Problem> {
    let Some(value) = headers.get("last-event-id") else { return Ok(None) };
    let read = value.to_str().ok().and_then(|text| text.trim().parse().ok());
    read.map(Some).ok_or_else(|| Problem::invalid("last-event-id", "the id of an event is a number"))
}

/// Steps as an event stream. It ends with what is followed, with the watch, or with a failure that it names.
pub(super) fn event_stream<S: Send + 'static>(
    steps: BoxStream<'static, Result<S, Problem>>,
    limit: usize,
    lines: impl Fn(S) -> Result<String, Problem> + Send + 'static,
) -> Response {
    let lines = steps.scan(false, move |over, step| {
        let told = (!*over).then(|| step.and_then(&lines).and_then(|text| fitting(text, limit)));
        *over = matches!(told, Some(Err(_)));
        std::future::ready(told.map(|told| Ok::<_, Infallible>(told.unwrap_or_else(|problem| failure(&problem)))))
    });
    let body = Body::from_stream(stream::once(async { Ok("retry: 1000\n\n".to_owned()) }).chain(lines));
    let mut answer = response(StatusCode::OK, "text/event-stream", body);
    set(&mut answer, header::CACHE_CONTROL, "no-cache");
    set(&mut answer, header::HeaderName::from_static("x-accel-buffering"), "no");
    answer
}

fn fitting(text: String, limit: usize) -> Result<String, Problem> {
    if text.len() <= limit { Ok(text) } else { Err(Problem::TooLarge { what: "answer", limit }) }
}

fn failure(problem: &Problem) -> String {
    named("error", &json!({"message": problem.to_string(), "reason": problem.reason()}))
}

fn lines(step: WatchStep, json: &Json) -> Result<String, Problem> {
    match step {
        WatchStep::Snapshot(debate) => Ok(named("snapshot", &json.write(*debate)?)),
        WatchStep::Event(position, at, event, calls) => {
            let mut text = format!("id: {}\n", position.0);
            // writing to a text cannot fail
            let _ = write!(text, "data: {}\n\n", json_line(&event_json(position, at, &event)));
            if event.settled().is_some() {
                let CallCounts { done, planned } = calls;
                text.push_str(&named("progress", &json!({"calls_done": done, "calls_planned": planned})));
            }
            Ok(text)
        }
        WatchStep::Delta(delta) => {
            let (turn, offset) = (delta.turn, delta.offset);
            let mut value = json!({
                "type": "delta", "turn": turn, "participant": delta.participant, "offset": offset, "text": delta.text,
            });
            if let Some(fields) = value.as_object_mut().filter(|_| !delta.waiting.is_empty()) {
                fields.insert("waiting".to_owned(), delta.waiting.into());
            }
            Ok(named("delta", &value))
        }
        WatchStep::Heartbeat(position, None) => Ok(format!(": {}\n\n", position.0)),
        WatchStep::Heartbeat(position, Some(waits_for)) => {
            Ok(format!(": {} {}\n\n", position.0, agon_report::one_line(&waits_for)))
        }
    }
}

pub(super) fn named(name: &str, value: &Value) -> String {
    format!("event: {name}\ndata: {}\n\n", json_line(value))
}
