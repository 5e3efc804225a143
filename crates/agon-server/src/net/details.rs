//! Refusals of the libraries that carry gRPC, told like our own: an unknown method, a message that cannot be read, one that is too long.
use super::call_of;
use crate::error::{ERROR_DOMAIN, cut};
use axum::body::Body;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderMap, HeaderName};
use http_body_util::BodyExt as _;
use hyper::body::Frame;
use std::collections::HashMap;
use std::time::Duration;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt as _};

const STATUS: HeaderName = HeaderName::from_static("grpc-status");
/// When to try again after a failure that may pass.
const RETRY: Duration = Duration::from_secs(1);
/// How the library says that what came is no message, or none that the method takes.
const UNREAD: [&str; 4] = [
    "failed to decode Protobuf message",
    "Unexpected EOF decoding stream",
    "protocol error: received message with",
    "Missing request message",
];
/// How it says that a message is packed in a way that it cannot unpack.
const PACKED: &str = "Content is compressed with";

/// Gives every refusal its details, in the head of the answer or in its trailers.
pub(crate) async fn detailed(request: Request, next: Next) -> Response {
    let call = call_of(&request);
    let (mut parts, body) = next.run(request).await.into_parts();
    if parts.headers.contains_key(STATUS) {
        complete(&mut parts.headers, &call);
        return Response::from_parts(parts, body);
    }
    let body = body.map_frame(move |frame| match frame.into_trailers() {
        Ok(mut trailers) => {
            complete(&mut trailers, &call);
            Frame::trailers(trailers)
        }
        Err(frame) => frame,
    });
    Response::from_parts(parts, Body::new(body))
}

fn complete(headers: &mut HeaderMap, call: &str) {
    let Some(status) = Status::from_header_map(headers) else { return };
    if status.code() == Code::Ok || !status.details().is_empty() {
        return;
    }
    let unread = status.code() == Code::Internal && UNREAD.iter().any(|start| status.message().starts_with(start));
    let code = if unread { Code::InvalidArgument } else { status.code() };
    let message = cut(status.message());
    let told = Status::with_error_details(code, message.clone(), details(code, &message, call));
    let told = told.into_http::<()>().into_parts().0.headers;
    for (name, value) in told.iter().filter(|(name, _)| name.as_str().starts_with("grpc-")) {
        headers.insert(name, value.clone());
    }
}

fn details(code: Code, message: &str, call: &str) -> ErrorDetails {
    let reason = match code {
        Code::Unimplemented if message.starts_with(PACKED) => "ENCODING_NOT_SUPPORTED",
        Code::Unimplemented => "METHOD_NOT_FOUND",
        Code::OutOfRange | Code::ResourceExhausted => "TOO_LARGE",
        Code::InvalidArgument => "INVALID_REQUEST",
        Code::NotFound => "SERVICE_NOT_FOUND",
        Code::Unavailable => "UNAVAILABLE",
        Code::DeadlineExceeded => "DEADLINE_EXCEEDED",
        Code::Cancelled => "CANCELLED",
        Code::Unauthenticated => "UNAUTHENTICATED",
        Code::Ok
        | Code::Unknown
        | Code::AlreadyExists
        | Code::PermissionDenied
        | Code::FailedPrecondition
        | Code::Aborted
        | Code::Internal
        | Code::DataLoss => "INTERNAL",
    };
    let mut details = ErrorDetails::new();
    details.set_error_info(reason, ERROR_DOMAIN, HashMap::new());
    details.set_request_info(call, "");
    if code == Code::InvalidArgument {
        details.add_bad_request_violation("request", message);
    }
    if code == Code::Unavailable {
        details.set_retry_info(Some(RETRY));
    }
    details
}
