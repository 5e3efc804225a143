//! A debate as it happens: one hub draws a debate for all who watch it, and each of them is sent what has changed.
mod draw;
mod hub;
mod message;
mod task;

pub(crate) use draw::DrawnDebate;
pub(crate) use hub::Hubs;
pub(crate) use task::drawn_whole;

use crate::query::Query;
use crate::refusal::RefusedPage;
use crate::shell::finish;
use crate::site::ConsoleSite;
use crate::visitor::PageVisitor;
use agon_core::Position;
use agon_server::Problem;
use axum::body::Body;
use axum::extract::{Path, RawQuery, State};
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, HeaderName, StatusCode, header};
use hub::Joined;

/// `GET /debates/{id}/live?after=N`: what has changed on the page since event N, and then whatever changes.
///
/// An answer without content says that nothing will change any more.
pub(crate) async fn follow(
    State(site): State<ConsoleSite>,
    visitor: PageVisitor,
    Path(name): Path<String>,
    query: RawQuery,
    headers: HeaderMap,
) -> Result<Response, RefusedPage> {
    let query = Query::read(query);
    let seen = headers.get("last-event-id").and_then(|value| value.to_str().ok()).or_else(|| query.filled("after"));
    let after = Position(seen.and_then(|text| text.trim().parse().ok()).unwrap_or(0));
    let refused = |problem: Problem| RefusedPage::of(problem, &visitor.browser);
    let mut place = site.api().watch_place(&visitor.call).map_err(refused)?;
    let messages = loop {
        match site.hubs().of(&visitor.call, &name).await.map_err(refused)?.join(after, place) {
            Joined::Stream(messages) => break messages,
            Joined::Over => return Ok(finish(StatusCode::NO_CONTENT.into_response(), None)),
            Joined::Closed(again) => place = again,
        }
    };
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-cache"),
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    let answer = finish((headers, Body::from_stream(messages)).into_response(), None);
    Ok(visitor.stay.bound(answer))
}
