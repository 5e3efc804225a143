//! What can be ordered of an eval, with a question before.
use super::rows;
use crate::form::Fields;
use crate::refusal::RefusedPage;
use crate::shell::{NavPlace, Shell, go_to, page};
use crate::site::ConsoleSite;
use crate::visitor::PageVisitor;
use agon_proto::pb::v1 as pb;
use agon_server::Scope;
use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;

/// What is asked about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum EvalOrder {
    Cancel,
    Retry,
    Delete,
}

impl EvalOrder {
    fn path(self) -> &'static str {
        match self {
            Self::Cancel => "cancel",
            Self::Retry => "retry",
            Self::Delete => "delete",
        }
    }
}

#[derive(Template)]
#[template(path = "evals/ask.html")]
struct EvalAskPage {
    shell: Shell,
    id: String,
    state: &'static str,
    failed: u32,
    order: EvalOrder,
}

async fn ask(site: ConsoleSite, visitor: PageVisitor, name: String, order: EvalOrder) -> Result<Response, RefusedPage> {
    visitor.require(Scope::DebatesWrite)?;
    let eval = site.api().get_eval(&visitor.call, &pb::GetEvalRequest { name }).await;
    let eval = eval.map_err(|problem| RefusedPage::of(problem, &visitor.browser))?;
    let shell = Shell::of(&visitor, NavPlace::Evals);
    let shown = EvalAskPage {
        shell: shell.clone(),
        state: rows::state(eval.state()).0,
        failed: eval.progress.as_ref().map_or(0, |progress| progress.failed),
        id: eval.id,
        order,
    };
    Ok(page(&visitor, &shell, &shown))
}

/// `GET /evals/{id}/cancel`
pub(crate) async fn ask_cancel(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path(name): Path<String>,
) -> Result<Response, RefusedPage> {
    ask(site, visitor, name, EvalOrder::Cancel).await
}

/// `GET /evals/{id}/retry`
pub(crate) async fn ask_retry(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path(name): Path<String>,
) -> Result<Response, RefusedPage> {
    ask(site, visitor, name, EvalOrder::Retry).await
}

/// `GET /evals/{id}/delete`
pub(crate) async fn ask_delete(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path(name): Path<String>,
) -> Result<Response, RefusedPage> {
    ask(site, visitor, name, EvalOrder::Delete).await
}

/// `POST /evals/{id}/cancel`
pub(crate) async fn cancel(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path(name): Path<String>,
    fields: Fields,
) -> Result<Response, RefusedPage> {
    let reason = fields.filled("reason").unwrap_or_default();
    let eval = site.api().cancel_eval(&visitor.call, &pb::CancelEvalRequest { name, reason }).await;
    let eval = eval.map_err(|problem| RefusedPage::of(problem, &visitor.browser))?;
    Ok(go_to(&format!("/evals/{}", eval.id)))
}

/// `POST /evals/{id}/retry`
pub(crate) async fn retry(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path(name): Path<String>,
    _fields: Fields,
) -> Result<Response, RefusedPage> {
    let eval = site.api().retry_eval(&visitor.call, &pb::RetryEvalRequest { name }).await;
    let eval = eval.map_err(|problem| RefusedPage::of(problem, &visitor.browser))?;
    Ok(go_to(&format!("/evals/{}", eval.id)))
}

/// `POST /evals/{id}/delete`
pub(crate) async fn delete(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path(name): Path<String>,
    _fields: Fields,
) -> Result<Response, RefusedPage> {
    let deleted = site.api().delete_eval(&visitor.call, &pb::DeleteEvalRequest { name }).await;
    deleted.map_err(|problem| RefusedPage::of(problem, &visitor.browser))?;
    Ok(go_to("/evals"))
}
