//! What happens on the socket: odd chunks, cuts, resets, departures, reuse.

use agon_llm::{
    ChatError, ChatErrorKind as Kind, ChatMessage, ChatRequest, ClientConfig, Discard, Endpoint, Http, SecretString,
    TransportFault, connect,
};
use tokio::net::TcpListener;

use crate::stub::{ConnectionFate, LAST_CHUNK, Stub, StubStep, chunk, chunked_head, response};

const NDJSON: &str = "application/x-ndjson";
const STREAM: &str = concat!(
    r#"{"message":{"role":"assistant","content":"gr\u00fcner „Tee“"},"done":false}"#,
    "\n",
    r#"{"message":{"role":"assistant","content":" 🫖"},"done":true,"done_reason":"stop"}"#,
    "\n"
);

fn ask() -> ChatRequest {
    ChatRequest::new("m", vec![ChatMessage::user("Speak.")])
}

async fn chat(endpoint: &Endpoint) -> Result<String, ChatError> {
    let client = connect(endpoint, None, &Http::default());
    client.chat(&ask(), &mut Discard).await.map(|answer| answer.text)
}

async fn failure(steps: Vec<StubStep>) -> Kind {
    let stub = Stub::serve(move |_| steps.clone()).await;
    chat(&stub.ollama()).await.unwrap_err().kind
}

/// The first line of an answer and nothing after it.
fn begun() -> Vec<u8> {
    let (first, _) = STREAM.split_at(STREAM.find('\n').unwrap() + 1);
    [chunked_head(NDJSON), chunk(first.as_bytes())].concat()
}

#[tokio::test]
async fn chunks_of_one_byte_give_the_same_answer() {
    let mut bytes = chunked_head(NDJSON);
    STREAM.as_bytes().iter().for_each(|byte| bytes.extend(chunk(&[*byte])));
    bytes.extend(LAST_CHUNK);
    let stub = Stub::always(bytes).await;

    assert_eq!(chat(&stub.ollama()).await.unwrap(), "grüner „Tee“ 🫖");
}

/// A server that ignores `num_predict` and goes on with this piece, 200 times at most.
async fn endless(piece: &str, member: &str, limit: u32) -> Result<String, ChatError> {
    let line = serde_json::json!({"model": "m", "message": {"role": "assistant", "content": "", member: piece}, "done": false});
    let line = [line.to_string().into_bytes(), b"\n".to_vec()].concat();
    let head = std::iter::once(StubStep::Send(chunked_head(NDJSON)));
    let lines = std::iter::repeat_n(StubStep::Send(chunk(&line)), 200);
    let end = "{\"model\":\"m\",\"message\":{\"content\":\".\"},\"done\":true,\"done_reason\":\"stop\"}\n";
    let end = [StubStep::Send(chunk(end.as_bytes())), StubStep::Send(LAST_CHUNK.to_vec())];
    let steps: Vec<StubStep> = head.chain(lines).chain(end).collect();
    let stub = Stub::serve(move |_| steps.clone()).await;
    let client = connect(&stub.ollama(), None, &Http::default());
    let mut request = ask();
    request.options.max_tokens = Some(limit);
    client.chat(&request, &mut Discard).await.map(|answer| answer.text)
}

#[tokio::test]
async fn an_answer_beyond_four_times_its_limit_is_cut_as_length() {
    // by pieces: the 41st is one more than four times ten
    let kind = endless("a ", "content", 10).await.unwrap_err().kind;
    assert!(matches!(kind, Kind::Truncated { partial_chars } if partial_chars >= 82), "{kind:?}");
    // by characters: 17 pieces of 50 are more than four times 50 tokens
    let kind = endless(&"word ".repeat(10), "content", 50).await.unwrap_err().kind;
    assert!(matches!(kind, Kind::Truncated { partial_chars } if partial_chars > 800), "{kind:?}");
    let kind = endless("hm ", "thinking", 10).await.unwrap_err().kind;
    assert!(matches!(kind, Kind::BudgetEaten { .. }), "{kind:?}");
    // 201 pieces are within four times 51
    assert_eq!(endless("a ", "content", 51).await.unwrap().len(), 401);
}

#[tokio::test]
async fn an_answer_that_ends_with_the_connection_is_whole_if_it_says_so() {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: {NDJSON}\r\nConnection: close\r\n\r\n");
    let stub = Stub::serve(move |_| vec![StubStep::Send(format!("{head}{STREAM}").into_bytes()), StubStep::Fin]).await;

    assert_eq!(chat(&stub.ollama()).await.unwrap(), "grüner „Tee“ 🫖");
}

#[tokio::test]
async fn a_connection_that_ends_within_an_answer_is_a_cut() {
    let no_length = format!("HTTP/1.1 200 OK\r\nContent-Type: {NDJSON}\r\n\r\n{}", &STREAM[..100]);

    assert_eq!(failure(vec![StubStep::Send(begun()), StubStep::Fin]).await, Kind::Transport(TransportFault::Cut));
    assert_eq!(
        failure(vec![StubStep::Send(no_length.into()), StubStep::Fin]).await,
        Kind::Transport(TransportFault::Cut)
    );
}

#[tokio::test]
async fn a_fresh_connection_that_ends_before_any_answer_is_closed_and_the_call_not_repeated() {
    for end in [StubStep::Fin, StubStep::Rst] {
        let stub = Stub::serve(move |_| vec![end.clone()]).await;

        assert_eq!(chat(&stub.ollama()).await.unwrap_err().kind, Kind::Transport(TransportFault::Closed));
        assert_eq!(stub.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_connection_torn_down_is_a_reset() {
    assert_eq!(failure(vec![StubStep::Send(begun()), StubStep::Rst]).await, Kind::Transport(TransportFault::Reset));
}

#[tokio::test]
async fn a_port_where_nobody_listens_is_a_failure_to_connect() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);

    let error = chat(&Endpoint::ollama(&format!("http://{address}")).unwrap()).await.unwrap_err();

    assert_eq!(error.kind, Kind::Transport(TransportFault::Connect));
    assert!(error.can_retry() && error.counts_for_breaker());
}

#[tokio::test]
async fn bytes_that_are_no_protocol_are_malformed() {
    let noise = [chunked_head(NDJSON), chunk(b"<html>\n"), LAST_CHUNK.to_vec()].concat();

    assert_eq!(failure(vec![StubStep::Send(noise)]).await, Kind::Malformed);
}

#[tokio::test]
async fn dropping_a_call_leaves_the_server_during_prefill() {
    let mut stub = Stub::serve(|_| vec![StubStep::AwaitDeparture]).await;
    let client = connect(&stub.ollama(), None, &Http::default());
    let call = tokio::spawn(async move { client.chat(&ask(), &mut Discard).await });
    assert_eq!(stub.seen.recv().await, Some(ConnectionFate::Request));

    call.abort();

    assert_eq!(stub.seen.recv().await, Some(ConnectionFate::Departed));
}

#[tokio::test]
async fn dropping_a_call_leaves_the_server_within_an_answer() {
    let mut stub = Stub::serve(|_| vec![StubStep::Send(begun()), StubStep::AwaitDeparture]).await;
    let client = connect(&stub.ollama(), None, &Http::default());
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let call = tokio::spawn(async move {
        let mut sink = move |delta: &str| drop(tell.send(delta.to_owned()));
        client.chat(&ask(), &mut sink).await
    });
    assert_eq!(told.recv().await.as_deref(), Some("grüner „Tee“"));

    call.abort();

    assert_eq!(stub.seen.recv().await, Some(ConnectionFate::Request));
    assert_eq!(stub.seen.recv().await, Some(ConnectionFate::Departed));
}

#[tokio::test]
async fn calls_one_after_another_share_a_connection() {
    let stub = Stub::always([chunked_head(NDJSON), chunk(STREAM.as_bytes()), LAST_CHUNK.to_vec()].concat()).await;
    let client = connect(&stub.ollama(), None, &Http::default());

    for _ in 0..3 {
        client.chat(&ask(), &mut Discard).await.unwrap();
    }

    assert_eq!((stub.requests().len(), stub.connections()), (3, 1));
}

/// A server that promises to keep connections, as llama.cpp does, and leaves each one to a second call, which it closes unread.
async fn deaf_to_the_second_call(end: StubStep) -> Stub {
    let head = String::from_utf8(chunked_head(NDJSON)).unwrap().replacen(
        "\r\n\r\n",
        "\r\nKeep-Alive: timeout=5, max=100\r\n\r\n",
        1,
    );
    let answer = [head.into_bytes(), chunk(STREAM.as_bytes()), LAST_CHUNK.to_vec()].concat();
    Stub::serve(move |request| match request.nth {
        1 => vec![StubStep::Send(answer.clone())],
        _ => vec![end.clone()],
    })
    .await
}

#[tokio::test]
async fn a_call_on_a_reused_connection_that_was_closed_is_repeated_at_once_on_a_fresh_one() {
    for end in [StubStep::Fin, StubStep::Rst] {
        let stub = deaf_to_the_second_call(end).await;
        let client = connect(&stub.ollama(), None, &Http::default());

        for call in 1..=15 {
            let answer = client.chat(&ask(), &mut Discard).await;
            assert_eq!(answer.map(|answer| answer.text).as_deref(), Ok("grüner „Tee“ 🫖"), "call {call}");
        }
        // the second call was sent twice; since then the server is known for it, and every call has its own connection
        assert_eq!((stub.requests().len(), stub.connections()), (16, 15));
    }
}

#[tokio::test]
async fn a_server_that_closes_every_connection_unread_fails_the_repeated_call() {
    let answered = std::sync::atomic::AtomicBool::new(false);
    let answer = [chunked_head(NDJSON), chunk(STREAM.as_bytes()), LAST_CHUNK.to_vec()].concat();
    let stub = Stub::serve(move |_| match answered.swap(true, std::sync::atomic::Ordering::Relaxed) {
        false => vec![StubStep::Send(answer.clone())],
        true => vec![StubStep::Fin],
    })
    .await;
    let client = connect(&stub.ollama(), None, &Http::default());

    client.chat(&ask(), &mut Discard).await.unwrap();
    let error = client.chat(&ask(), &mut Discard).await.unwrap_err();

    assert_eq!(error.kind, Kind::Transport(TransportFault::Closed));
    assert_eq!(stub.requests().len(), 3);
}

#[tokio::test]
async fn an_answer_is_returned_even_if_its_connection_never_ends() {
    let stub = Stub::serve(|_| {
        vec![StubStep::Send([chunked_head(NDJSON), chunk(STREAM.as_bytes())].concat()), StubStep::AwaitDeparture]
    })
    .await;

    assert_eq!(chat(&stub.ollama()).await.unwrap(), "grüner „Tee“ 🫖");
}

#[tokio::test]
async fn a_redirect_is_refused_and_not_followed() {
    let moved = b"HTTP/1.1 307 Moved\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n".to_vec();
    let stub = Stub::always(moved).await;

    let error = chat(&stub.ollama()).await.unwrap_err();

    assert_eq!((error.kind, error.status), (Kind::BadRequest, Some(307)));
    assert_eq!(stub.requests().len(), 1);
}

#[tokio::test]
async fn a_key_appears_in_no_debug_output_and_no_error() {
    let secret = "sk-very-secret";
    let stub = Stub::always(response(401, "text/plain", &format!("{}{secret}", "x".repeat(395)))).await;
    let config = ClientConfig { api_key: Some(SecretString::from(secret)), ..ClientConfig::new(stub.open_ai()) };
    let client = agon_llm::OpenAiClient::new(config.clone());

    let error = agon_llm::ChatModel::chat(&client, &ask(), &mut Discard).await.unwrap_err();

    let shown = format!("{config:?} {client:?} {error:?} {error}");
    assert!(!shown.contains("sk-ve") && !shown.contains("secret\""), "{shown}");
}
