//! What every request of every listener passes first: it gets an id, and is refused where a page of another site may be behind it.
use super::call::{CALL_HEADER, identify, mark};
use super::sites::{CorsAnswer, SiteRules};
use crate::error::Problem;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use std::sync::Arc;

/// Headers that pages of allowed sites may send.
const SHARED_HEADERS: &str = "authorization, content-type, last-event-id, traceparent, x-request-id";
/// What they may do.
const SHARED_METHODS: &str = "GET, POST, DELETE";
/// Seconds for which a browser need not ask again.
const PREFLIGHT_AGE: &str = "600";

/// What a listener's front needs.
#[derive(Clone, Debug)]
pub(crate) struct Front {
    /// Which requests are refused.
    pub rules: Arc<SiteRules>,
    /// For which interface a request is, of those that share the listener.
    pub face: fn(&Parts) -> Face,
    /// How pages refuse, where there are any.
    pub pages: RefusalForm,
}

/// The form of a refusal.
pub(crate) type RefusalForm = fn(&Problem, &str) -> Response;

/// An interface behind a listener.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Face {
    /// gRPC.
    Grpc,
    /// REST and event streams.
    Rest,
    /// Pages for browsers.
    SitePages,
    /// Metrics and probes, which take no body.
    Admin,
}

/// What the body of a gRPC call is.
const GRPC_MEDIA: [&str; 2] = ["application/grpc", "application/grpc+proto"];
/// What a browser sends when a form is submitted.
const FORM_MEDIA: [&str; 1] = ["application/x-www-form-urlencoded"];

impl Face {
    /// What a POST may carry. None of it is a media type that a page may send to another site unasked, but for forms: whoever takes
    /// them asks for a token that no other site knows.
    fn media(self) -> &'static [&'static str] {
        match self {
            Self::Grpc => &GRPC_MEDIA,
            Self::Rest => &crate::rest::MEDIA,
            Self::SitePages => &FORM_MEDIA,
            Self::Admin => &[],
        }
    }
}

/// Whether a request is a gRPC call.
pub(crate) fn is_grpc(headers: &HeaderMap) -> bool {
    super::media_type(headers).is_some_and(|media| GRPC_MEDIA.contains(&media.as_str()))
}

/// Takes a request, or refuses it.
pub(super) async fn receive(State(front): State<Front>, mut request: Request, next: Next) -> Response {
    let id = identify(&mut request);
    // the body cannot be shared between threads, so that it stays out of what is awaited
    let (parts, body) = request.into_parts();
    let face = (front.face)(&parts);
    let passed = front.rules.check(&parts, face.media());
    let mut response = match passed {
        Ok(CorsAnswer::Plain) => next.run(Request::from_parts(parts, body)).await,
        Ok(CorsAnswer::Shared(origin)) => share(next.run(Request::from_parts(parts, body)).await, origin),
        Ok(CorsAnswer::Preflight(origin)) => preflight(origin),
        Err(problem) => {
            tracing::debug!(call = id, path = parts.uri.path(), %problem, "request refused");
            let refuse: RefusalForm = match face {
                Face::Grpc => crate::gateway::refuse_grpc,
                Face::Rest | Face::Admin => crate::rest::refuse,
                Face::SitePages => front.pages,
            };
            refuse(&problem, &id)
        }
    };
    mark(&mut response, &id);
    response
}

fn share(mut response: Response, origin: HeaderValue) -> Response {
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(CALL_HEADER));
    headers.append(header::VARY, HeaderValue::from_static("origin"));
    response
}

fn preflight(origin: HeaderValue) -> Response {
    let mut response = share(Response::default(), origin);
    *response.status_mut() = StatusCode::NO_CONTENT;
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(SHARED_METHODS));
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(SHARED_HEADERS));
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static(PREFLIGHT_AGE));
    response
}
