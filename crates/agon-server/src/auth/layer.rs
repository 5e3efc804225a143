//! The door of both interfaces: every call gets an id and a caller, or an answer that says why not.
use super::{Authenticator, Caller};
use crate::error::Problem;
use crate::net::Peer;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::HeaderValue;
use http::request::Parts;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

/// The header that carries a call's id, both ways.
const CALL_HEADER: &str = "x-request-id";
/// Characters of an id that is taken over from the caller.
const MAX_CALL_ID: usize = 64;

/// A call's id, for answers and logs.
#[derive(Clone, Debug)]
struct CallId(Arc<str>);

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

/// The id of a call that has passed the door.
pub(crate) fn call_of<B>(request: &http::Request<B>) -> String {
    call_of_extensions(request.extensions())
}

/// The same, where only the extensions are at hand.
pub(crate) fn call_of_extensions(extensions: &http::Extensions) -> String {
    extensions.get::<CallId>().map(|id| id.0.to_string()).unwrap_or_default()
}

/// Lets calls with good credentials in.
pub(crate) async fn guard(State(calls): State<Calls>, mut request: Request, next: Next) -> Response {
    let id = call_id(&request);
    request.extensions_mut().insert(CallId(id.as_str().into()));
    // the body cannot be shared between threads, so that it stays out of what is awaited
    let (mut parts, body) = request.into_parts();
    let admitted = admit(&calls, &parts).await;
    let mut response = match admitted {
        Ok(caller) => {
            if let Some(caller) = caller {
                parts.extensions.insert(caller);
            }
            next.run(Request::from_parts(parts, body)).await
        }
        Err(problem) => {
            tracing::debug!(call = id, path = parts.uri.path(), %problem, "call refused");
            (calls.refuse)(&problem, &id)
        }
    };
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(CALL_HEADER, value);
    }
    response
}

async fn admit(calls: &Calls, request: &Parts) -> Result<Option<Caller>, Problem> {
    if (calls.exempt)(request.uri.path()) {
        return Ok(None);
    }
    let nobody = || Peer { address: SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), 0), certificate: None };
    let peer = request.extensions.get::<Peer>().cloned().unwrap_or_else(nobody);
    calls.authenticator.caller(&request.headers, &peer).await.map(Some)
}

/// The caller's own id where it is harmless, else a new one.
fn call_id(request: &Request) -> String {
    let own = request.headers().get(CALL_HEADER).and_then(|value| value.to_str().ok());
    let harmless = |id: &&str| {
        (1..=MAX_CALL_ID).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    own.filter(harmless).map_or_else(|| uuid::Uuid::new_v4().to_string(), str::to_owned)
}
