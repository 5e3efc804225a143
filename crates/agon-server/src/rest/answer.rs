//! Answers: JSON, and refusals as `google.rpc.Status` in JSON.
use crate::error::{Problem, cut};
use crate::net::call_of;
use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::header::{self, HeaderValue};
use http::{HeaderName, StatusCode};
use serde_json::{Value, json};
use tonic::Code;

/// What a handler says.
pub(crate) struct RestResponse(Response);

impl RestResponse {
    /// The JSON, or why there is none.
    pub fn of(call: &str, answer: Result<Value, Problem>) -> Self {
        Self(match answer {
            Ok(value) => json_response(StatusCode::OK, &value),
            Err(problem) => refuse(&problem, call),
        })
    }
    /// A whole response, or why there is none.
    pub fn whole(call: &str, answer: Result<Response, Problem>) -> Self {
        Self(answer.unwrap_or_else(|problem| refuse(&problem, call)))
    }
}

impl IntoResponse for RestResponse {
    fn into_response(self) -> Response {
        self.0
    }
}

/// A body of a media type.
pub(crate) fn response(status: StatusCode, media_type: &str, body: impl Into<Body>) -> Response {
    let mut response = Response::new(body.into());
    *response.status_mut() = status;
    set(&mut response, header::CONTENT_TYPE, media_type);
    response
}

/// Sets a header, if its value can be one.
pub(crate) fn set(response: &mut Response, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

fn json_response(status: StatusCode, value: &Value) -> Response {
    response(status, "application/json", value.to_string() + "\n")
}

/// A refusal.
pub(crate) fn refuse(problem: &Problem, call: &str) -> Response {
    let mut answer = json_response(problem.http_status(), &status_json(problem, call));
    if let Some(retry) = problem.retry_after() {
        set(&mut answer, header::RETRY_AFTER, &retry.as_secs().max(1).to_string());
    }
    if problem.code() == Code::Unauthenticated {
        set(&mut answer, header::WWW_AUTHENTICATE, "Bearer realm=\"agon\"");
    }
    answer
}

/// Paths that lead nowhere.
pub(crate) async fn no_route(request: Request) -> Response {
    refuse(&Problem::NoRoute, &call_of(&request))
}

/// Methods that a path does not have.
pub(crate) async fn no_method(request: Request) -> Response {
    refuse(&Problem::NoMethod, &call_of(&request))
}

fn kind(name: &str) -> String {
    format!("type.googleapis.com/google.rpc.{name}")
}

/// The status with the details that gRPC would carry.
fn status_json(problem: &Problem, call: &str) -> Value {
    let details = problem.details(call);
    let mut shown = Vec::new();
    if let Some(info) = details.error_info() {
        let (reason, domain, metadata) = (&info.reason, &info.domain, &info.metadata);
        shown.push(json!({"@type": kind("ErrorInfo"), "reason": reason, "domain": domain, "metadata": metadata}));
    }
    if let Some(bad) = details.bad_request() {
        let one = |violation: &tonic_types::FieldViolation| json!({"field": violation.field, "description": violation.description});
        let all: Vec<Value> = bad.field_violations.iter().map(one).collect();
        shown.push(json!({"@type": kind("BadRequest"), "fieldViolations": all}));
    }
    if let Some(failure) = details.precondition_failure() {
        let one = |violation: &tonic_types::PreconditionViolation| json!({"type": violation.r#type, "subject": violation.subject, "description": violation.description});
        let all: Vec<Value> = failure.violations.iter().map(one).collect();
        shown.push(json!({"@type": kind("PreconditionFailure"), "violations": all}));
    }
    if let Some(delay) = details.retry_info().and_then(|info| info.retry_delay) {
        shown.push(json!({"@type": kind("RetryInfo"), "retryDelay": format!("{}s", delay.as_secs_f64())}));
    }
    if let Some(info) = details.resource_info() {
        let (name, about) = (&info.resource_name, &info.description);
        shown.push(json!({
            "@type": kind("ResourceInfo"),
            "resourceType": info.resource_type,
            "resourceName": name,
            "description": about,
        }));
    }
    if let Some(info) = details.request_info() {
        shown.push(json!({"@type": kind("RequestInfo"), "requestId": info.request_id}));
    }
    json!({"code": i32::from(problem.code()), "message": cut(&problem.to_string()), "details": shown})
}
