//! What is known of a service's models before it says anything.
use agon_llm::{ChatRequest, ClientConfig, OptionalField, WellKnownModel, connect_with};
use serde_json::Value;

use crate::corrections::{LIMIT, bodies, chat, error, fussy, request};

#[tokio::test]
async fn what_is_known_of_a_model_is_in_no_call_and_the_rest_is_learned() {
    let stub = fussy(|body| {
        let refused = ["temperature", "seed"].into_iter().find(|field| body.get(field).is_some())?;
        Some((400, error(&format!("Unsupported parameter: '{refused}' is not supported with this model."))))
    })
    .await;
    let known =
        WellKnownModel { output: Some(2_000), refuses: vec![OptionalField::Temperature], ..WellKnownModel::default() };
    let known = [("tea:1b".to_owned(), known)].into_iter().collect();
    let client = connect_with(ClientConfig { known, ..ClientConfig::new(stub.open_ai()) });

    for model in ["tea:1b", "tea:1b-2026-01-31", "other"] {
        chat(&*client, &ChatRequest { model: model.into(), ..request() }).await.unwrap();
    }
    let sent = |body: &Value| (body.get("temperature").is_some(), body["max_tokens"].as_u64().unwrap());
    let sent: Vec<_> = bodies(&stub).iter().map(sent).collect();
    let (known, unknown) = ((false, 2_000), u64::from(LIMIT));
    assert_eq!(sent, [known, known, known, known, (true, unknown), (false, unknown), (false, unknown)]);
    assert_eq!(client.known("tea:1b").output, Some(2_000));
}
