//! An eval as documents: the report as a page of its own, and files to keep.
use crate::refusal::RefusedPage;
use crate::shell::{file, finish};
use crate::site::ConsoleSite;
use crate::visitor::PageVisitor;
use agon_proto::pb::v1 as pb;
use agon_report::eval_policy;
use agon_server::Problem;
use axum::extract::{Path, State};
use axum::response::{Html, IntoResponse as _, Response};
use http::{HeaderValue, header};
use pb::EvalExportFormat as Format;

/// `GET /evals/{id}/report`: the page has a style and a script of its own, and the policy that fits them.
pub(crate) async fn report(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path(name): Path<String>,
) -> Result<Response, RefusedPage> {
    let refused = |problem| RefusedPage::of(problem, &visitor.browser);
    let text = site.api().eval_page(&visitor.call, &name).await.map_err(refused)?;
    let policy = HeaderValue::try_from(eval_policy())
        .map_err(|error| refused(Problem::Internal(format!("the policy is no header: {error}"))))?;
    let mut response = Html(text).into_response();
    response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    Ok(finish(response, None))
}

/// `GET /evals/{id}/report.md` and the other documents.
pub(crate) async fn document(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path((name, document)): Path<(String, String)>,
) -> Result<Response, RefusedPage> {
    let refused = |problem| RefusedPage::of(problem, &visitor.browser);
    let format = match document.as_str() {
        "report.md" => Format::Markdown,
        "report.html" => Format::Html,
        "result.json" => Format::Json,
        "cells.csv" => Format::Csv,
        _ => return Err(refused(Problem::NoRoute)),
    };
    let request = pb::ExportEvalRequest { name, format: format.into() };
    let export = site.api().export_eval(&visitor.call, &request).await.map_err(refused)?;
    Ok(file(export.content, &export.media_type, &export.file_name))
}
