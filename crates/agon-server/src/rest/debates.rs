//! Debates as resources.
use super::answer::RestResponse;
use super::input::{self, QueryParams};
use super::{Called, Param, Rest};
use crate::error::Problem;
use crate::net::media_type;
use agon_proto::pb::v1 as pb;
use axum::extract::{RawQuery, Request, State};
use bytes::Bytes;
use http::HeaderMap;
use pb::FileFormat;
use pb::create_debate_request::Source;
use serde_json::json;

/// What a POST may carry.
pub(crate) const MEDIA: [&str; 5] =
    ["application/json", "text/markdown", "application/yaml", "application/x-yaml", "text/yaml"];

/// `POST /v1/debates`: the message as JSON, or a debate file with parameters.
pub(crate) async fn create(
    State(rest): State<Rest>,
    Called(call, id): Called,
    query: RawQuery,
    headers: HeaderMap,
    body: Result<Bytes, axum::extract::rejection::BytesRejection>,
) -> RestResponse {
    let answer = async {
        let body = body.map_err(|refused| rest.unread(&refused))?;
        let request = match media_type(&headers).unwrap_or_default().as_str() {
            "application/json" => QueryParams::read(query).end().and_then(|()| rest.json.read(&body)),
            "text/markdown" => from_file(query, &body, FileFormat::Markdown),
            "application/yaml" | "application/x-yaml" | "text/yaml" => from_file(query, &body, FileFormat::Yaml),
            _ => Err(Problem::MediaType(MEDIA.join(", "))),
        };
        rest.json.write(rest.api.create(&call, &request?).await?)
    };
    RestResponse::of(&id, answer.await)
}

fn from_file(query: RawQuery, body: &[u8], format: FileFormat) -> Result<pb::CreateDebateRequest, Problem> {
    let mut query = QueryParams::read(query);
    let text = String::from_utf8(body.to_vec()).map_err(|_| Problem::invalid("file.text", "the file is not UTF-8"))?;
    let file = pb::DebateFile { text, format: format.into(), file_name: query.one("file_name") };
    let request = pb::CreateDebateRequest {
        source: Some(Source::File(file)),
        debate_id: query.one("debate_id"),
        request_id: query.one("request_id"),
        validate_only: query.flag("validate_only"),
        labels: query.labels(),
        priority: query.parsed("priority", "interactive, normal or batch", input::priority).unwrap_or_default(),
        seed: query.number("seed"),
        rehearsal: query.flag("rehearsal"),
    };
    query.end().map(|()| request)
}

/// `GET /v1/debates`.
pub(crate) async fn list(State(rest): State<Rest>, Called(call, id): Called, query: RawQuery) -> RestResponse {
    let answer = async { rest.json.write(rest.api.list(&call, &list_request(query)?).await?) };
    RestResponse::of(&id, answer.await)
}

fn list_request(query: RawQuery) -> Result<pb::ListDebatesRequest, Problem> {
    let mut query = QueryParams::read(query);
    let filter = pb::DebateFilter {
        states: query.parsed_all("state", "a state", input::state),
        outcomes: query.parsed_all("outcome", "an outcome", input::outcome),
        labels: query.labels(),
        created_after: query.parsed("created_after", "a moment in RFC 3339", input::moment),
        created_before: query.parsed("created_before", "a moment in RFC 3339", input::moment),
        text: query.one("text").unwrap_or_default(),
        models: query.all("model"),
        without_label: query.one("without_label").unwrap_or_default(),
    };
    let page_size = query.number("page_size").unwrap_or_default();
    let page_token = query.one("page_token").unwrap_or_default();
    query.end().map(|()| pb::ListDebatesRequest { page_size, page_token, filter: Some(filter) })
}

/// `GET /v1/debates/{id}`.
pub(crate) async fn show(
    State(rest): State<Rest>,
    Called(call, id): Called,
    Param(name): Param<String>,
    query: RawQuery,
) -> RestResponse {
    let answer = async {
        let mut query = QueryParams::read(query);
        let view = query.parsed("view", "basic or full", input::view).unwrap_or_default();
        query.end()?;
        rest.json.write(rest.api.get(&call, &pb::GetDebateRequest { name, view }).await?)
    };
    RestResponse::of(&id, answer.await)
}

/// `DELETE /v1/debates/{id}`.
pub(crate) async fn delete(
    State(rest): State<Rest>,
    Called(call, id): Called,
    Param(name): Param<String>,
) -> RestResponse {
    let removed = rest.api.delete(&call, &pb::DeleteDebateRequest { name }).await;
    RestResponse::of(&id, removed.map(|()| json!({})))
}

/// `POST /v1/debates/{id}:cancel`, `:pause`, `:resume`, `:rejudge` and `:verify`.
pub(crate) async fn order(
    State(rest): State<Rest>,
    Called(call, id): Called,
    Param(path): Param<String>,
    request: Request,
) -> RestResponse {
    let answer = async {
        let (name, order, body) = ordered(&path, request).await?;
        let body = &body[..];
        macro_rules! order {
            ($method:ident, $request:ident) => {{
                let mut request: pb::$request = rest.json.read(body)?;
                request.name = name.clone();
                rest.json.write(rest.api.$method(&call, &request).await?)
            }};
        }
        match order.as_str() {
            "cancel" => order!(cancel, CancelDebateRequest),
            "pause" => order!(pause, PauseDebateRequest),
            "resume" => order!(resume, ResumeDebateRequest),
            "verify" => order!(verify, VerifyDebateRequest),
            "rejudge" => order!(rejudge, RejudgeDebateRequest),
            _ => Err(Problem::NoRoute),
        }
    };
    RestResponse::of(&id, answer.await)
}

/// What is ordered of whom: the name, the order behind its colon, and the order's body.
pub(super) async fn ordered(path: &str, request: Request) -> Result<(String, String, Bytes), Problem> {
    if media_type(request.headers()).as_deref() != Some(ORDER_MEDIA) {
        return Err(Problem::MediaType(ORDER_MEDIA.to_owned()));
    }
    let body = axum::body::to_bytes(request.into_body(), ORDER_BYTES).await;
    let body = body.map_err(|_| Problem::TooLarge { what: "body of an order", limit: ORDER_BYTES })?;
    let body = if body.is_empty() { Bytes::from_static(b"{}") } else { body };
    let (name, order) = path.split_once(':').ok_or(Problem::NoRoute)?;
    Ok((name.to_owned(), order.to_owned(), body))
}

/// The media type of an order's body, also where it has none.
const ORDER_MEDIA: &str = "application/json";
/// Bytes of an order's body.
const ORDER_BYTES: usize = 16 * 1024;
