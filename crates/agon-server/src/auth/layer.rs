//! The door of both interfaces: every call gets a caller, or an answer that says why not.
use super::{Authenticator, Caller, Stay};
use crate::error::Problem;
use crate::net::{call_of_extensions, peer_of};
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::request::Parts;
use std::sync::Arc;

/// What the door needs.
#[derive(Clone)]
pub(crate) struct Calls {
    /// Checks credentials.
    pub authenticator: Arc<Authenticator>,
    /// Paths that need none.
    pub exempt: fn(&str) -> bool,
    /// The form of a refusal.
    pub refuse: fn(&Problem, &str) -> Response,
}

/// Lets calls with good credentials in.
pub(crate) async fn guard(State(calls): State<Calls>, request: Request, next: Next) -> Response {
    // the body cannot be shared between threads, so that it stays out of what is awaited
    let (mut parts, body) = request.into_parts();
    let admitted = admit(&calls, &parts).await;
    match admitted {
        Ok(caller) => {
            let Some(caller) = caller else { return next.run(Request::from_parts(parts, body)).await };
            let stay = Stay::of(&calls.authenticator, &parts.headers, peer_of(&parts.extensions), &caller);
            parts.extensions.insert(caller);
            stay.bound(next.run(Request::from_parts(parts, body)).await)
        }
        Err(problem) => {
            let id = call_of_extensions(&parts.extensions);
            tracing::debug!(call = id, path = parts.uri.path(), %problem, "call refused");
            (calls.refuse)(&problem, &id)
        }
    }
}

async fn admit(calls: &Calls, request: &Parts) -> Result<Option<Caller>, Problem> {
    if (calls.exempt)(request.uri.path()) {
        return Ok(None);
    }
    calls.authenticator.caller(&request.headers, &peer_of(&request.extensions)).await.map(Some)
}
