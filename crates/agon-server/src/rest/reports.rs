//! A debate as a document.
use super::answer::{RestResponse, response, set};
use super::{Called, Param, Rest};
use crate::error::Problem;
use agon_proto::pb::v1 as pb;
use axum::extract::State;
use axum::response::Response;
use http::{StatusCode, header};
use pb::ExportFormat;

/// The page brings its own policy for its style; whoever embeds it in nothing needs no more.
const PAGE_POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox";

/// `GET /v1/debates/{id}/report.{md,html,json,txt,jsonl}`.
pub(crate) async fn export(
    State(rest): State<Rest>,
    Called(call, id): Called,
    Param((name, document)): Param<(String, String)>,
) -> RestResponse {
    let format = match document.as_str() {
        "report.md" => ExportFormat::Markdown,
        "report.txt" => ExportFormat::Summary,
        "report.json" => ExportFormat::Json,
        "report.html" => ExportFormat::Html,
        "report.jsonl" => ExportFormat::Events,
        _ => return RestResponse::of(&id, Err(Problem::NoRoute)),
    };
    let document = rest.api.export(&call, &pb::ExportDebateRequest { name, format: format.into() }).await;
    let shown = document.map(|document| shown(format, document));
    RestResponse::whole(&id, shown)
}

fn shown(format: ExportFormat, document: pb::ExportDebateResponse) -> Response {
    let media =
        if format == ExportFormat::Summary { "text/plain; charset=utf-8" } else { document.media_type.as_str() };
    let mut answer = response(StatusCode::OK, media, document.content);
    set(&mut answer, header::CONTENT_DISPOSITION, &format!("inline; filename=\"{}\"", document.file_name));
    if format == ExportFormat::Html {
        set(&mut answer, header::CONTENT_SECURITY_POLICY, PAGE_POLICY);
    }
    answer
}
