//! A client for REST.
use serde_json::Value;

pub fn http() -> reqwest::Client {
    // another test may have done so
    drop(rustls::crypto::ring::default_provider().install_default());
    reqwest::Client::new()
}

/// The body of an answer.
pub async fn json_of(answer: reqwest::Response) -> Value {
    assert_eq!(answer.status(), 200);
    assert_eq!(answer.headers()["content-type"], "application/json");
    answer.json().await.unwrap()
}

/// The HTTP status of a refusal, and its reason.
pub async fn status_of(answer: reqwest::Response) -> (u16, String) {
    let status = answer.status().as_u16();
    let body: Value = answer.json().await.unwrap();
    let info = detail(&body, "ErrorInfo");
    assert_eq!(info["domain"], "agon");
    (status, info["reason"].as_str().unwrap().to_owned())
}

/// A detail of a `google.rpc.Status`.
pub fn detail<'a>(body: &'a Value, kind: &str) -> &'a Value {
    let wanted = format!("type.googleapis.com/google.rpc.{kind}");
    let details = body["details"].as_array().unwrap();
    details.iter().find(|detail| detail["@type"] == wanted).unwrap_or_else(|| panic!("{kind} in {body}"))
}
