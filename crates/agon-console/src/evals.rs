//! Evals: the list, and one eval as it goes on.
mod cells;
mod documents;
mod orders;
mod rows;

pub(crate) use cells::cells;
pub(crate) use documents::{document, report};
pub(crate) use orders::{ask_cancel, ask_delete, ask_retry, cancel, delete, retry};

use crate::query::Query;
use crate::refusal::RefusedPage;
use crate::shell::{NavPlace, Shell, page, piece};
use crate::site::ConsoleSite;
use crate::visitor::PageVisitor;
use crate::words;
use agon_proto::pb::v1 as pb;
use agon_report::EvalDigest;
use askama::Template;
use axum::extract::{Path, RawQuery, State};
use axum::response::Response;
use rows::{EvalRow, EvalView};

/// Evals on one page.
const PAGE: i32 = 50;

#[derive(Template)]
#[template(path = "evals/page.html")]
struct EvalsPage {
    shell: Shell,
    table: EvalsTable,
    /// Of `agon ui`, which takes no eval.
    own: bool,
}

#[derive(Template)]
#[template(path = "evals/table.html")]
struct EvalsPiece {
    table: EvalsTable,
}

/// A page of the list.
struct EvalsTable {
    rows: Vec<EvalRow>,
    /// Where older ones are.
    older: Option<String>,
    /// These are not the newest.
    paged: bool,
    /// This page, as an address.
    query: String,
}

/// `GET /evals`
pub(crate) async fn list(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    query: RawQuery,
) -> Result<Response, RefusedPage> {
    let query = Query::read(query);
    let page_token = query.filled("page").unwrap_or_default().to_owned();
    let paged = !page_token.is_empty();
    let request = pb::ListEvalsRequest { page_size: PAGE, page_token };
    let answer = site.api().list_evals(&visitor.call, &request).await;
    let answer = answer.map_err(|problem| RefusedPage::of(problem, &visitor.browser))?;
    let now = words::now();
    let older = Some(&answer.next_page_token).filter(|token| !token.is_empty());
    let table = EvalsTable {
        rows: answer.evals.iter().map(|eval| EvalRow::of(eval, now)).collect(),
        older: older.map(|token| query.with("page", token)),
        paged,
        query: query.with("", ""),
    };
    let shell = Shell::of(&visitor, NavPlace::Evals);
    if visitor.browser.piece {
        return Ok(piece(&EvalsPiece { table }));
    }
    Ok(page(&visitor, &shell.clone(), &EvalsPage { shell, table, own: site.config().is_own() }))
}

#[derive(Template)]
#[template(path = "evals/eval.html")]
struct OneEvalPage {
    shell: Shell,
    eval: EvalView,
}

/// What changes while an eval runs.
#[derive(Template)]
#[template(path = "evals/progress.html")]
struct EvalPiece {
    eval: EvalView,
}

/// `GET /evals/{id}`
pub(crate) async fn show(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path(name): Path<String>,
) -> Result<Response, RefusedPage> {
    let eval = site.api().get_eval(&visitor.call, &pb::GetEvalRequest { name }).await;
    let eval = eval.map_err(|problem| RefusedPage::of(problem, &visitor.browser))?;
    let shell = Shell::of(&visitor, NavPlace::Evals);
    let eval = EvalView::of(&eval, shell.may_write, words::now());
    if visitor.browser.piece {
        return Ok(piece(&EvalPiece { eval }));
    }
    Ok(page(&visitor, &shell.clone(), &OneEvalPage { shell, eval }))
}

#[derive(Template)]
#[template(path = "evals/result_page.html")]
struct ResultPage {
    shell: Shell,
    id: String,
    open: bool,
    digest: EvalDigest,
}

/// What came out so far.
#[derive(Template)]
#[template(path = "evals/result.html")]
struct ResultPiece {
    id: String,
    open: bool,
    digest: EvalDigest,
}

/// `GET /evals/{id}/result`
pub(crate) async fn result(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path(name): Path<String>,
) -> Result<Response, RefusedPage> {
    let refused = |problem| RefusedPage::of(problem, &visitor.browser);
    let request = pb::GetEvalRequest { name: name.clone() };
    let eval = site.api().get_eval(&visitor.call, &request).await.map_err(refused)?;
    let mut digest = site.api().eval_digest(&visitor.call, &name).await.map_err(refused)?;
    let (id, open) = (eval.id.clone(), rows::is_open(eval.state()));
    if open {
        as_of_then(&mut digest);
    }
    if visitor.browser.piece {
        return Ok(piece(&ResultPiece { id, open, digest }));
    }
    let shell = Shell::of(&visitor, NavPlace::Evals);
    Ok(page(&visitor, &shell.clone(), &ResultPage { shell, id, open, digest }))
}

/// Names what an eval that runs has spent as what it was when the result was computed: its progress is newer.
fn as_of_then(digest: &mut EvalDigest) {
    for (name, _) in digest.brief.iter_mut().filter(|(name, _)| *name == "Spent") {
        *name = "Spent when this result was computed";
    }
}
