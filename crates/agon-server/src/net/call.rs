//! The id of a call, in answers and logs.
use axum::extract::Request;
use axum::response::Response;
use http::HeaderValue;
use std::sync::Arc;

/// The header that carries it, both ways.
pub(super) const CALL_HEADER: &str = "x-request-id";
/// Characters of an id that is taken over from the caller.
const MAX_CALL_ID: usize = 64;

#[derive(Clone, Debug)]
struct CallId(Arc<str>);

/// The id of a call that a listener has taken.
pub(crate) fn call_of<B>(request: &http::Request<B>) -> String {
    call_of_extensions(request.extensions())
}

/// The same, where only the extensions are at hand.
pub(crate) fn call_of_extensions(extensions: &http::Extensions) -> String {
    extensions.get::<CallId>().map(|id| id.0.to_string()).unwrap_or_default()
}

/// Gives the call its id: the caller's own where it is harmless, else a new one.
pub(super) fn identify(request: &mut Request) -> String {
    let own = request.headers().get(CALL_HEADER).and_then(|value| value.to_str().ok());
    let harmless = |id: &&str| {
        (1..=MAX_CALL_ID).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    let id = own.filter(harmless).map_or_else(|| uuid::Uuid::new_v4().to_string(), str::to_owned);
    request.extensions_mut().insert(CallId(id.as_str().into()));
    id
}

/// Puts the id into the answer.
pub(super) fn mark(response: &mut Response, id: &str) {
    if let Ok(value) = HeaderValue::from_str(id) {
        response.headers_mut().insert(CALL_HEADER, value);
    }
}
