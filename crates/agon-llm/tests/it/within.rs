//! What servers refuse by name within a reply of status 200.
use crate::corrections::{at, bodies, chat, client, error, refusals, request};
use crate::stub::{Stub, StubRequest, StubStep, response};
use serde_json::{Value, json};

/// A server that says what it objects to in the first event, line or document of a reply of status 200.
async fn objecting(whole: bool, objects: impl Fn(&Value) -> Option<Value> + Send + Sync + 'static) -> Stub {
    Stub::serve(move |request: &StubRequest| {
        let native = request.line.contains("/api/chat");
        let answer = match native {
            true => json!({"message": {"role": "assistant", "content": "Tea."}, "done": true, "done_reason": "stop"}),
            false => json!({"choices": [{"index": 0, "message": {"content": "Tea."}, "finish_reason": "stop"}]}),
        };
        let body = objects(&request.json()).unwrap_or(answer);
        let bytes = match (whole, native) {
            (true, _) => response(200, "application/json", &body.to_string()),
            (false, true) => response(200, "application/x-ndjson", &format!("{body}\n")),
            (false, false) => response(200, "text/event-stream", &format!(": hello\n\ndata: {body}\n\n")),
        };
        vec![StubStep::Send(bytes)]
    })
    .await
}

#[tokio::test]
async fn a_field_that_is_refused_within_a_reply_of_status_200_is_left_out_from_then_on() {
    let within = refusals().into_iter().filter(|(_, _, _, _, body)| body.get("error").is_some());
    let mut tried = 0;
    for (server, open_ai, _, path, body) in within {
        for whole in [false, true] {
            let wanted = body.clone();
            let stub = objecting(whole, move |request| at(request, path).map(|_| wanted.clone())).await;
            let client = client(&stub, open_ai);

            chat(&*client, &request()).await.unwrap_or_else(|error| panic!("{server}, {whole}: {body}: {error:?}"));
            let first = bodies(&stub).len();
            chat(&*client, &request()).await.unwrap();

            assert!(first == 2 || first == 3, "{server}, {whole}: {body}: {first} calls");
            let again = if server == "TGI" && path == "top_p" { 2 } else { 1 };
            assert_eq!(bodies(&stub).len() - first, again, "{server}, {whole}: {body}: remembered");
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried}");
}

#[tokio::test]
async fn an_error_after_words_of_the_answer_and_one_that_names_nothing_are_not_corrected() {
    let refused = error("Unsupported parameter: 'temperature' is not supported with this model.");
    let late = move |_: &StubRequest| {
        let said = json!({"choices": [{"index": 0, "delta": {"content": "Tea"}}]});
        let bytes = response(200, "text/event-stream", &format!("data: {said}\n\ndata: {refused}\n\n"));
        vec![StubStep::Send(bytes)]
    };
    for stub in [Stub::serve(late).await, objecting(false, |_| Some(error("something broke"))).await] {
        chat(&*client(&stub, true), &request()).await.unwrap_err();
        assert_eq!(bodies(&stub).len(), 1);
    }
}
