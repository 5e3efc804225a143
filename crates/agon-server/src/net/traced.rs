//! Spans and durations of gRPC calls: from the first byte of the request to the last of the answer, streams included.
use agon_telemetry::{RpcCall, RpcServer};
use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderMap, HeaderValue};
use http_body_util::BodyExt as _;
use prost::Message as _;
use prost_types::FileDescriptorSet;
use std::collections::BTreeSet;
use std::sync::OnceLock;
use tracing::Instrument as _;

/// Watches one call. What runs inside sees the call's own span as the caller's `traceparent`.
pub(crate) async fn traced(State(rpc): State<RpcServer>, mut request: Request, next: Next) -> Response {
    let caller = request.headers().get("traceparent").and_then(|value| value.to_str().ok());
    let call = rpc.begin(method(request.uri().path()), caller);
    let own = call.context().and_then(|context| HeaderValue::try_from(context.to_string()).ok());
    if let Some(own) = own {
        request.headers_mut().insert("traceparent", own);
    }
    let span = call.span().clone();
    let (parts, body) = next.run(request).instrument(span).await.into_parts();
    if let Some(status) = status(&parts.headers) {
        call.end(status);
        return Response::from_parts(parts, body);
    }
    Response::from_parts(parts, until_trailers(body, call))
}

/// A body that ends its call with the status in its trailers, or as cancelled where nobody reads that far.
fn until_trailers(body: Body, call: RpcCall) -> Body {
    let mut call = Some(call);
    Body::new(body.map_frame(move |frame| {
        if let Some(status) = frame.trailers_ref().and_then(status)
            && let Some(call) = call.take()
        {
            call.end(status);
        }
        frame
    }))
}

/// The full name of a method that exists; `_OTHER` for all that do not, so that nobody can make up labels.
fn method(path: &str) -> &str {
    static METHODS: OnceLock<BTreeSet<String>> = OnceLock::new();
    let name = path.trim_start_matches('/');
    let known = METHODS.get_or_init(|| {
        names(agon_proto::DESCRIPTORS).union(&names(tonic_health::pb::FILE_DESCRIPTOR_SET)).cloned().collect()
    });
    if known.contains(name) { name } else { "_OTHER" }
}

fn names(descriptors: &[u8]) -> BTreeSet<String> {
    let set = FileDescriptorSet::decode(descriptors).unwrap_or_default();
    let services = set.file.iter().flat_map(|file| file.service.iter().map(move |service| (file.package(), service)));
    let methods = services.flat_map(|(package, service)| {
        service.method.iter().map(move |method| format!("{package}.{}/{}", service.name(), method.name()))
    });
    methods.collect()
}

/// The name of the status that headers or trailers carry.
fn status(headers: &HeaderMap) -> Option<&'static str> {
    const NAMES: [&str; 17] = [
        "OK",
        "CANCELLED",
        "UNKNOWN",
        "INVALID_ARGUMENT",
        "DEADLINE_EXCEEDED",
        "NOT_FOUND",
        "ALREADY_EXISTS",
        "PERMISSION_DENIED",
        "RESOURCE_EXHAUSTED",
        "FAILED_PRECONDITION",
        "ABORTED",
        "OUT_OF_RANGE",
        "UNIMPLEMENTED",
        "INTERNAL",
        "UNAVAILABLE",
        "DATA_LOSS",
        "UNAUTHENTICATED",
    ];
    let number: usize = headers.get("grpc-status")?.to_str().ok()?.parse().ok()?;
    Some(NAMES.get(number).copied().unwrap_or("UNKNOWN"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn methods_that_exist_go_by_their_names_and_others_by_one() {
        let create = "agon.v1.DebateService/CreateDebate";

        assert_eq!(method(&format!("/{create}")), create);
        assert_eq!(method("/grpc.health.v1.Health/Check"), "grpc.health.v1.Health/Check");
        assert_eq!(method("/agon.v1.DebateService/MadeUp"), "_OTHER");
    }

    #[test]
    fn a_status_has_its_name_and_an_unknown_number_is_unknown() {
        let of = |number: &'static str| {
            status(&HeaderMap::from_iter([("grpc-status".parse().unwrap(), HeaderValue::from_static(number))]))
        };

        assert_eq!([of("0"), of("16"), of("99")], [Some("OK"), Some("UNAUTHENTICATED"), Some("UNKNOWN")]);
        assert_eq!(status(&HeaderMap::new()), None);
    }
}
