//! Debates over REST.
use crate::gateway_bench::*;
use crate::http::{detail, http, json_of, status_of};
use agon_server::{GatewayConfig, RequestLimits};
use serde_json::{Value, json};

#[tokio::test]
async fn a_debate_file_is_posted_with_parameters_and_the_debate_comes_back_in_canonical_json() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    let url = format!(
        "http://{}/v1/debates?debate_id=posted&rehearsal=true&label=team=bridges&priority=batch&seed=18446744073709551615",
        gateway.http
    );
    let posted = http().post(&url).header("content-type", "text/markdown; charset=utf-8").body(FILE);
    let mut debate = json_of(posted.send().await.unwrap()).await;
    let time = debate["createTime"].take();
    assert!(time.as_str().unwrap().ends_with('Z'), "{time}");
    let (spec, result) = (debate["spec"].take(), debate["result"].take());
    assert_eq!((&spec["maxRounds"], &spec["turnMode"]), (&json!(1), &json!("TURN_MODE_ROUND_ROBIN")));
    assert_eq!(spec["timeoutPerTurnMs"], "90000", "64-bit numbers are texts");
    assert_eq!(result["seed"], json!(18446744073709551615u64 as f64));
    debate["updateTime"].take();
    debate["traceId"].take();
    let wanted = json!({
        "name": "debates/posted", "id": "posted", "spec": null, "state": "STATE_QUEUED", "createTime": null,
        "updateTime": null, "progress": {"maxRounds": 1, "callsPlanned": "4"}, "usage": {}, "labels": {"team": "bridges"},
        "traceId": null, "result": null, "rehearsal": true, "priority": "PRIORITY_BATCH", "sequence": "1",
        "topic": "Should the town build a bridge?", "models": [{"model": "m:1"}], "expenses": {},
    });
    // Not known until a coordinator has taken the debate.
    let rounds = debate.as_object_mut().and_then(|members| members.remove("rounds"));
    assert!(rounds.is_none_or(|rounds| rounds == 0));
    assert_eq!(debate, wanted);
}

#[tokio::test]
async fn a_message_is_posted_as_json_and_unknown_members_are_refused() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    let url = format!("http://{}/v1/debates", gateway.http);
    let body =
        json!({"file": {"text": FILE, "format": "FILE_FORMAT_MARKDOWN"}, "debateId": "messaged", "rehearsal": true});
    assert_eq!(json_of(http().post(&url).json(&body).send().await.unwrap()).await["id"], "messaged");
    let shown = json_of(http().get(format!("{url}/messaged?view=basic")).send().await.unwrap()).await;
    assert!(shown.get("spec").is_none() && shown["state"] == "STATE_QUEUED");

    let odd = http().post(&url).json(&json!({"debateID": "x", "fiel": 1})).send().await.unwrap();
    assert_eq!(odd.status(), 400);
    let body: Value = odd.json().await.unwrap();
    assert_eq!(
        (body["code"].as_i64(), &detail(&body, "BadRequest")["fieldViolations"][0]["field"]),
        (Some(3), &json!("body"))
    );
    let plain = http().post(&url).header("content-type", "text/plain").body(FILE).send().await.unwrap();
    assert_eq!(plain.status(), 415);
}

#[tokio::test]
async fn a_key_that_a_body_has_twice_is_refused_wherever_a_body_is_read() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    for (path, body, key) in [
        ("debates", r#"{"debateId": "a", "rehearsal": true, "debate_id": "b"}"#, "debate_id"),
        ("debates/x:cancel", r#"{"reason": "a", "reason": "b"}"#, "reason"),
        ("debates/x:rejudge", r#"{"model": "a", "model": "a"}"#, "model"),
        ("evals", r#"{"file": {"text": "a", "text": "b"}}"#, "text"),
        ("evals", r#"{"files": {"q.csv": "a", "q.csv": "b"}}"#, "q.csv"),
        ("evals/x:gate", r#"{"debate": "a", "debate": "b"}"#, "debate"),
        ("evals/x:retry", r#"{"name": "a", "name": "a"}"#, "name"),
    ] {
        let url = format!("http://{}/v1/{path}", gateway.http);
        let posted = http().post(&url).header("content-type", "application/json").body(body).send().await.unwrap();
        assert_eq!(posted.status(), 400, "{path} {body}");
        let body: Value = posted.json().await.unwrap();
        let told = detail(&body, "BadRequest")["fieldViolations"][0].clone();
        assert_eq!(told["field"], "body", "{path}");
        let wanted = format!("the key {key:?} is here twice");
        assert!(told["description"].as_str().unwrap().starts_with(&wanted), "{path}: {told}");
    }
}

#[tokio::test]
async fn mistakes_come_as_a_status_with_the_same_details_as_over_grpc() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    let url = format!("http://{}/v1/debates", gateway.http);
    let text = FILE.replace("Leave it", "' '");
    let request = http().post(format!("{url}?rehearsal=1&file_name=bad.md")).header("content-type", "text/markdown");
    let refused = request.header("x-request-id", "call-7").body(text).send().await.unwrap();
    assert_eq!((refused.status().as_u16(), refused.headers()["x-request-id"].to_str().unwrap()), (400, "call-7"));
    let body: Value = refused.json().await.unwrap();
    let violation = &detail(&body, "BadRequest")["fieldViolations"][0];
    assert_eq!(violation["field"], "personas[1].stance");
    assert!(violation["description"].as_str().unwrap().starts_with("bad.md:8:"), "{violation}");
    assert_eq!(detail(&body, "RequestInfo")["requestId"], "call-7");
    assert!(body["message"].as_str().unwrap().contains("bad.md:8:"));

    let missing = http().get(format!("{url}/nobody")).send().await.unwrap();
    assert_eq!(status_of(missing).await, (404, "DEBATE_NOT_FOUND".to_owned()));
    let odd = http().get(format!("{url}?page_size=many&sate=running")).send().await.unwrap();
    let body: Value = odd.json().await.unwrap();
    let fields: Vec<_> = detail(&body, "BadRequest")["fieldViolations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["field"].clone())
        .collect();
    assert_eq!(fields, ["page_size", "sate"]);
    assert_eq!(http().get(format!("http://{}/v2/debates", gateway.http)).send().await.unwrap().status(), 404);
    assert_eq!(http().put(&url).send().await.unwrap().status(), 405);
}

#[tokio::test]
async fn a_full_queue_says_when_to_try_again() {
    let stage = GatewayBench::new().await;
    let limits = RequestLimits { queued: 0, ..RequestLimits::default() };
    let gateway = stage.gateway_before(&stage.idle_node().await, GatewayConfig { limits, ..config() }).await;
    let url = format!("http://{}/v1/debates?rehearsal=true", gateway.http);
    let refused = http().post(&url).header("content-type", "text/markdown").body(FILE).send().await.unwrap();
    assert_eq!((refused.status().as_u16(), refused.headers()["retry-after"].to_str().unwrap()), (429, "5"));
    let body: Value = refused.json().await.unwrap();
    assert_eq!(detail(&body, "RetryInfo")["retryDelay"], "5s");
}

#[tokio::test]
async fn a_debate_is_cancelled_exported_and_removed() {
    let stage = GatewayBench::slow().await;
    let gateway = stage.gateway().await;
    gateway.create(wanted("handled")).await.unwrap();
    let url = format!("http://{}/v1/debates/handled", gateway.http);
    let running = http().delete(&url).send().await.unwrap();
    assert_eq!(status_of(running).await, (400, "DEBATE_NOT_OVER".to_owned()));
    let order = http().post(format!("{url}:cancel")).json(&json!({"reason": "changed my mind"})).send().await.unwrap();
    let state = json_of(order).await["state"].clone();
    assert!(state == "STATE_CANCELLING" || state == "STATE_CANCELLED", "{state}");
    gateway.finish("handled").await;
    for (form, media) in [
        ("md", "text/markdown; charset=utf-8"),
        ("txt", "text/plain; charset=utf-8"),
        ("json", "application/json"),
        ("html", "text/html; charset=utf-8"),
        ("jsonl", "application/x-ndjson"),
    ] {
        let report = http().get(format!("{url}/report.{form}")).send().await.unwrap();
        assert_eq!((report.status().as_u16(), report.headers()["content-type"].to_str().unwrap()), (200, media));
        assert_eq!(report.headers()["x-content-type-options"], "nosniff");
        let policy = report.headers()["content-security-policy"].to_str().unwrap().to_owned();
        assert!(policy.starts_with("default-src 'none'"), "{policy}");
        assert!(!report.text().await.unwrap().is_empty());
    }
    assert_eq!(http().get(format!("{url}/report.pdf")).send().await.unwrap().status(), 404);
    assert_eq!(http().post(format!("{url}:explode")).json(&json!({})).send().await.unwrap().status(), 404);
    assert_eq!(json_of(http().delete(&url).send().await.unwrap()).await, json!({}));
    assert_eq!(http().get(&url).send().await.unwrap().status(), 404);
}

#[tokio::test]
async fn lists_are_filtered_by_parameters_and_paged() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    for name in ["first-1", "second-2"] {
        gateway.create(wanted(name)).await.unwrap();
    }
    let list = async |query: &str| {
        json_of(http().get(format!("http://{}/v1/debates?{query}", gateway.http)).send().await.unwrap()).await
    };
    let page = list("page_size=1&state=queued&text=BRIDGE").await;
    let token = page["nextPageToken"].as_str().unwrap();
    let rest = list(&format!("page_size=1&state=STATE_QUEUED&text=BRIDGE&page_token={token}")).await;
    let mut names = vec![page["debates"][0]["id"].clone(), rest["debates"][0]["id"].clone()];
    names.sort_by_key(ToString::to_string);
    assert_eq!(names, ["first-1", "second-2"]);
    assert_eq!(list("state=running").await, json!({}));
    assert_eq!(list("created_before=2001-01-01T00:00:00Z").await, json!({}));
    assert_eq!(list("model=m%3A2").await, json!({}));
    let both = list("model=m%3A2&model=m%3A1").await;
    assert_eq!(both["debates"].as_array().unwrap().len(), 2);
    assert_eq!(both["debates"][0]["models"], json!([{"model": "m:1"}]), "figures of 0 are left out");
    assert_eq!(both["debates"][0]["progress"]["callsPlanned"], CALLS.to_string());
}

#[tokio::test]
async fn hosts_and_models_are_shown() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    let hosts = json_of(http().get(format!("http://{}/v1/hosts", gateway.http)).send().await.unwrap()).await;
    assert_eq!(hosts["hosts"][0]["name"], "stage");
    assert_eq!(http().get(format!("http://{}/v1/models", gateway.http)).send().await.unwrap().status(), 200);
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_not_read() {
    let stage = GatewayBench::new().await;
    let limits = RequestLimits { request_bytes: 1_000, ..RequestLimits::default() };
    let gateway = stage.gateway_before(&stage.idle_node().await, GatewayConfig { limits, ..config() }).await;
    let url = format!("http://{}/v1/debates", gateway.http);
    let large = http().post(&url).header("content-type", "text/markdown").body("x".repeat(2_000)).send().await.unwrap();
    assert_eq!(large.status(), 413);
    let mut request = wanted("large");
    request.source = Some(file(&"x".repeat(2_000)));
    assert_eq!(gateway.create(request).await.unwrap_err().code(), tonic::Code::OutOfRange);
}
