//! Evals as resources.
use super::answer::{RestResponse, response, set};
use super::debates::ordered;
use super::input::{self, QueryParams};
use super::{Called, Param, Rest};
use crate::error::Problem;
use crate::net::media_type;
use agon_proto::pb::v1 as pb;
use axum::extract::{RawQuery, Request, State};
use axum::response::Response;
use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use pb::EvalExportFormat as Format;
use serde_json::json;

/// The page names the hashes of its style and its script itself. In a sandbox it has no origin, so that it can ask for nothing.
const PAGE_POLICY: &str = "frame-ancestors 'none'; sandbox allow-scripts";

/// `POST /v1/evals`: the message as JSON.
pub(crate) async fn create(
    State(rest): State<Rest>,
    Called(call, id): Called,
    query: RawQuery,
    headers: HeaderMap,
    body: Result<Bytes, axum::extract::rejection::BytesRejection>,
) -> RestResponse {
    let answer = async {
        let body = body.map_err(|refused| rest.unread(&refused))?;
        if media_type(&headers).as_deref() != Some("application/json") {
            return Err(Problem::MediaType("application/json".to_owned()));
        }
        QueryParams::read(query).end()?;
        let request: pb::CreateEvalRequest = rest.json.read(&body)?;
        rest.json.write(rest.api.create_eval(&call, &request).await?)
    };
    RestResponse::of(&id, answer.await)
}

/// `GET /v1/evals`.
pub(crate) async fn list(State(rest): State<Rest>, Called(call, id): Called, query: RawQuery) -> RestResponse {
    let answer = async {
        let mut query = QueryParams::read(query);
        let page_size = query.number("page_size").unwrap_or_default();
        let page_token = query.one("page_token").unwrap_or_default();
        query.end()?;
        rest.json.write(rest.api.list_evals(&call, &pb::ListEvalsRequest { page_size, page_token }).await?)
    };
    RestResponse::of(&id, answer.await)
}

/// `GET /v1/evals/{id}`.
pub(crate) async fn show(
    State(rest): State<Rest>,
    Called(call, id): Called,
    Param(name): Param<String>,
) -> RestResponse {
    let answer = async { rest.json.write(rest.api.get_eval(&call, &pb::GetEvalRequest { name }).await?) };
    RestResponse::of(&id, answer.await)
}

/// `DELETE /v1/evals/{id}`.
pub(crate) async fn delete(
    State(rest): State<Rest>,
    Called(call, id): Called,
    Param(name): Param<String>,
) -> RestResponse {
    let removed = rest.api.delete_eval(&call, &pb::DeleteEvalRequest { name }).await;
    RestResponse::of(&id, removed.map(|()| json!({})))
}

/// `POST /v1/evals/{id}:cancel`, `:retry` and `:gate`.
pub(crate) async fn order(
    State(rest): State<Rest>,
    Called(call, id): Called,
    Param(path): Param<String>,
    request: Request,
) -> RestResponse {
    let answer = async {
        let (name, order, body) = ordered(&path, request).await?;
        macro_rules! order {
            ($method:ident, $request:ident) => {{
                let request = pb::$request { name, ..rest.json.read(&body)? };
                rest.json.write(rest.api.$method(&call, &request).await?)
            }};
        }
        match order.as_str() {
            "cancel" => order!(cancel_eval, CancelEvalRequest),
            "retry" => {
                let _: pb::RetryEvalRequest = rest.json.read(&body)?;
                rest.json.write(rest.api.retry_eval(&call, &pb::RetryEvalRequest { name }).await?)
            }
            "gate" => order!(learn_gate, LearnGateRequest),
            _ => Err(Problem::NoRoute),
        }
    };
    RestResponse::of(&id, answer.await)
}

/// `GET /v1/evals/{id}/cells`.
pub(crate) async fn cells(
    State(rest): State<Rest>,
    Called(call, id): Called,
    Param(name): Param<String>,
    query: RawQuery,
) -> RestResponse {
    let answer = async {
        let mut query = QueryParams::read(query);
        let request = pb::ListCellsRequest {
            name,
            page_size: query.number("page_size").unwrap_or_default(),
            page_token: query.one("page_token").unwrap_or_default(),
            arm: query.one("arm"),
            outcome: query.parsed("outcome", "an outcome of a cell", input::cell_outcome).unwrap_or_default(),
        };
        query.end()?;
        rest.json.write(rest.api.list_cells(&call, &request).await?)
    };
    RestResponse::of(&id, answer.await)
}

/// `GET /v1/evals/{id}/report.{md,html,json,csv}`.
pub(crate) async fn export(
    State(rest): State<Rest>,
    Called(call, id): Called,
    Param((name, document)): Param<(String, String)>,
) -> RestResponse {
    let format = match document.as_str() {
        "report.md" => Format::Markdown,
        "report.html" => Format::Html,
        "report.json" => Format::Json,
        "report.csv" => Format::Csv,
        _ => return RestResponse::of(&id, Err(Problem::NoRoute)),
    };
    let document = rest.api.export_eval(&call, &pb::ExportEvalRequest { name, format: format.into() }).await;
    RestResponse::whole(&id, document.map(|document| shown(format, document)))
}

fn shown(format: Format, document: pb::ExportEvalResponse) -> Response {
    let mut answer = response(StatusCode::OK, &document.media_type, document.content);
    let place = if format == Format::Csv { "attachment" } else { "inline" };
    set(&mut answer, header::CONTENT_DISPOSITION, &format!("{place}; filename=\"{}\"", document.file_name));
    if format == Format::Html {
        set(&mut answer, header::CONTENT_SECURITY_POLICY, PAGE_POLICY);
    }
    answer
}
