//! The operations over REST, and events as a stream for browsers.
mod answer;
mod archive;
mod debates;
mod eval_events;
mod evals;
mod events;
mod input;
mod json;
#[cfg(test)]
mod openapi_tests;
mod reports;
mod unique;

pub(crate) use answer::refuse;
pub(crate) use debates::MEDIA;

use crate::api::{Api, CallContext};
use crate::auth::Caller;
use crate::config::RequestLimits;
use crate::error::Problem;
use crate::net::{call_of, call_of_extensions};
use answer::RestResponse;
use axum::Router;
use axum::extract::{DefaultBodyLimit, FromRequestParts, Request, State};
use axum::middleware::{Next, from_fn_with_state, map_response};
use axum::response::Response;
use axum::routing::{MethodRouter, delete, get, post};
use http::header::{self, HeaderValue};
use http::request::Parts;
use hyper::body::Body as _;
use json::Json;
use std::sync::Arc;

/// What every path begins with.
pub(crate) const PREFIX: &str = "/v1/";

/// What handlers share.
#[derive(Clone)]
pub(crate) struct Rest {
    pub api: Arc<Api>,
    pub json: Json,
    limits: RequestLimits,
}

impl Rest {
    /// Why a body was not read.
    fn unread(&self, refused: &axum::extract::rejection::BytesRejection) -> Problem {
        match refused.status() {
            http::StatusCode::PAYLOAD_TOO_LARGE => {
                Problem::TooLarge { what: "request", limit: self.limits.request_bytes }
            }
            _ => Problem::invalid("body", "the body ended before it was whole"),
        }
    }
}

/// A route, and the paths that the OpenAPI document knows it by.
struct Route {
    path: &'static str,
    handler: MethodRouter<Rest>,
    #[cfg_attr(not(test), expect(dead_code, reason = "the document is compared with the routes by a test"))]
    documented: &'static [(&'static str, &'static str)],
}

fn routes() -> Vec<Route> {
    let route = |path, handler, documented| Route { path, handler, documented };
    vec![
        route("/v1/debates", get(debates::list), &[("get", "/v1/debates")]),
        route("/v1/debates", post(debates::create), &[("post", "/v1/debates")]),
        route("/v1/debates/{id}", get(debates::show), &[("get", "/v1/debates/{id}")]),
        route("/v1/debates/{id}", delete(debates::delete), &[("delete", "/v1/debates/{id}")]),
        route(
            "/v1/debates/{id}",
            post(debates::order),
            &[
                ("post", "/v1/debates/{id}:cancel"),
                ("post", "/v1/debates/{id}:pause"),
                ("post", "/v1/debates/{id}:resume"),
                ("post", "/v1/debates/{id}:rejudge"),
                ("post", "/v1/debates/{id}:verify"),
            ],
        ),
        route("/v1/debates/{id}/events", get(events::follow), &[("get", "/v1/debates/{id}/events")]),
        route("/v1/debates/{id}/{document}", get(reports::export), &[("get", "/v1/debates/{id}/report.{form}")]),
        route("/v1/evals", get(evals::list), &[("get", "/v1/evals")]),
        route("/v1/evals", post(evals::create), &[("post", "/v1/evals")]),
        route("/v1/evals/{id}", get(evals::show), &[("get", "/v1/evals/{id}")]),
        route("/v1/evals/{id}", delete(evals::delete), &[("delete", "/v1/evals/{id}")]),
        route(
            "/v1/evals/{id}",
            post(evals::order),
            &[("post", "/v1/evals/{id}:cancel"), ("post", "/v1/evals/{id}:retry"), ("post", "/v1/evals/{id}:gate")],
        ),
        route("/v1/evals/{id}/events", get(eval_events::follow), &[("get", "/v1/evals/{id}/events")]),
        route("/v1/evals/{id}/cells", get(evals::cells), &[("get", "/v1/evals/{id}/cells")]),
        route("/v1/evals/{id}/{document}", get(evals::export), &[("get", "/v1/evals/{id}/report.{form}")]),
        route("/v1/ratings", get(archive::ratings), &[("get", "/v1/ratings")]),
        route("/v1/ratings/{persona}", get(archive::persona), &[("get", "/v1/ratings/{persona}")]),
        route("/v1/hosts", get(hosts), &[("get", "/v1/hosts")]),
        route("/v1/models", get(models), &[("get", "/v1/models")]),
    ]
}

/// The router, without the door.
pub(crate) fn router(api: Arc<Api>, limits: RequestLimits) -> Result<Router, Problem> {
    let json = Json::new()?;
    let router = routes().into_iter().fold(Router::new(), |router, route| router.route(route.path, route.handler));
    let router = router.fallback(answer::no_route).method_not_allowed_fallback(answer::no_method);
    let router = router.layer(from_fn_with_state(limits.response_bytes, bounded));
    let router = router.layer(DefaultBodyLimit::max(limits.request_bytes)).layer(map_response(secure));
    Ok(router.with_state(Rest { api, json, limits }))
}

async fn hosts(State(rest): State<Rest>, Called(call, id): Called) -> RestResponse {
    RestResponse::of(&id, rest.api.hosts(&call).and_then(|hosts| rest.json.write(hosts)))
}

async fn models(State(rest): State<Rest>, Called(call, id): Called) -> RestResponse {
    RestResponse::of(&id, rest.api.models(&call).and_then(|models| rest.json.write(models)))
}

/// The call behind a request, and its id.
pub(crate) struct Called(pub CallContext, pub String);

impl<S: Sync> FromRequestParts<S> for Called {
    type Rejection = Response;
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Response> {
        let id = call_of_extensions(&parts.extensions);
        let caller = parts.extensions.get::<Caller>().cloned();
        let caller = caller.ok_or_else(|| refuse(&Problem::Internal("a call without a caller".to_owned()), &id))?;
        Ok(Self(CallContext::of(caller, &parts.headers), id))
    }
}

/// What stands in the path in the place of names.
pub(crate) struct Param<T>(pub T);

impl<S: Send + Sync, T: serde::de::DeserializeOwned + Send> FromRequestParts<S> for Param<T> {
    type Rejection = Response;
    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Response> {
        let found = axum::extract::Path::from_request_parts(parts, state).await;
        let odd =
            |_| refuse(&Problem::invalid("name", "the path is not UTF-8"), &call_of_extensions(&parts.extensions));
        found.map(|axum::extract::Path(found)| Self(found)).map_err(odd)
    }
}

/// Refuses an answer that is longer than one may be. Streams have no length; each of their messages is held to it by itself.
async fn bounded(State(limit): State<usize>, request: Request, next: Next) -> Response {
    let call = call_of(&request);
    let answer = next.run(request).await;
    let fits = |length| usize::try_from(length).is_ok_and(|length: usize| length <= limit);
    match answer.body().size_hint().exact() {
        Some(length) if !fits(length) => refuse(&Problem::TooLarge { what: "answer", limit }, &call),
        Some(_) | None => answer,
    }
}

/// Headers that keep browsers from taking an answer for something else than it is.
async fn secure(mut response: Response) -> Response {
    let headers = response.headers_mut();
    let mut set = |name: header::HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    set(header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    set(header::X_FRAME_OPTIONS, "DENY");
    set(header::REFERRER_POLICY, "no-referrer");
    set(header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'");
    set(header::CACHE_CONTROL, "no-store");
    response
}
