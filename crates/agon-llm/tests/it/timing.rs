//! Deadlines on real sockets, small because a socket heeds no paused clock.

use std::time::Duration;

use std::sync::atomic::{AtomicUsize, Ordering};

use agon_llm::{
    CallTimeouts, ChatErrorKind as Kind, ChatMessage, ChatRequest, Discard, Endpoint, Http, TimeoutPhase, connect,
};

use crate::stub::{LAST_CHUNK, Stub, StubRequest, StubStep, chunk, chunked_head, json, response};

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(50);

async fn failure(endpoint: Endpoint, timeouts: CallTimeouts) -> Kind {
    let request = ChatRequest { timeouts, ..ChatRequest::new("m", vec![ChatMessage::user("Speak.")]) };
    connect(&endpoint, None, &Http::default()).chat(&request, &mut Discard).await.unwrap_err().kind
}

fn line() -> Vec<u8> {
    chunk(b"{\"message\":{\"content\":\"Tea\"},\"done\":false}\n")
}

#[tokio::test]
async fn a_server_that_says_nothing_exceeds_the_first_byte_limit() {
    let stub = Stub::serve(|_| vec![StubStep::AwaitDeparture]).await;
    let timeouts = CallTimeouts { first_byte: SHORT, idle: LONG, turn: None };

    assert_eq!(failure(stub.ollama(), timeouts).await, Kind::Timeout(TimeoutPhase::FirstByte));
}

#[tokio::test]
async fn comments_are_no_first_byte() {
    let pings = [chunked_head("text/event-stream"), chunk(b": ping\n\n"), chunk(b": ping\n\n")].concat();
    let stub = Stub::serve(move |_| vec![StubStep::Send(pings.clone()), StubStep::AwaitDeparture]).await;
    let timeouts = CallTimeouts { first_byte: SHORT, idle: LONG, turn: Some(LONG) };

    assert_eq!(failure(stub.open_ai(), timeouts).await, Kind::Timeout(TimeoutPhase::FirstByte));
}

#[tokio::test]
async fn a_server_that_falls_silent_exceeds_the_idle_limit() {
    let begun = [chunked_head("application/x-ndjson"), line()].concat();
    let stub = Stub::serve(move |_| vec![StubStep::Send(begun.clone()), StubStep::AwaitDeparture]).await;
    let timeouts = CallTimeouts { first_byte: LONG, idle: SHORT, turn: Some(LONG) };

    assert_eq!(failure(stub.ollama(), timeouts).await, Kind::Timeout(TimeoutPhase::Idle));
}

#[tokio::test]
async fn an_answer_that_takes_too_long_exceeds_the_turns_limit_and_leaves_the_server() {
    let begun = [chunked_head("application/x-ndjson"), line()].concat();
    let mut stub = Stub::serve(move |_| vec![StubStep::Send(begun.clone()), StubStep::AwaitDeparture]).await;
    let timeouts = CallTimeouts { first_byte: LONG, idle: LONG, turn: Some(SHORT) };

    assert_eq!(failure(stub.ollama(), timeouts).await, Kind::Timeout(TimeoutPhase::Turn));
    assert_eq!(stub.seen.recv().await, Some(crate::stub::ConnectionFate::Request));
    // questions whether the server loads the model may come in between
    let mut fate = stub.seen.recv().await;
    while fate == Some(crate::stub::ConnectionFate::Request) {
        fate = stub.seen.recv().await;
    }
    assert_eq!(fate, Some(crate::stub::ConnectionFate::Departed));
}

/// A server that sends a token every 20 ms, so many of them, and then no more.
async fn steady(tokens: usize) -> Stub {
    let mut steps = vec![StubStep::Send(chunked_head("application/x-ndjson"))];
    steps.extend((0..tokens).flat_map(|_| [StubStep::Send(line()), StubStep::Pause(Duration::from_millis(20))]));
    steps.push(StubStep::AwaitDeparture);
    Stub::serve(move |_| steps.clone()).await
}

/// How a call of 2 s ends that may take so many tokens.
async fn ended(stub: &Stub, max_tokens: u32) -> agon_llm::ChatError {
    let timeouts = CallTimeouts { first_byte: LONG, idle: LONG, turn: Some(TURN * 5) };
    let options = agon_core::CallOptions { max_tokens: Some(max_tokens), ..agon_core::CallOptions::default() };
    let request = ChatRequest { timeouts, options, ..ChatRequest::new("m", vec![ChatMessage::user("Speak.")]) };
    connect(&stub.ollama(), None, &Http::default()).chat(&request, &mut Discard).await.unwrap_err()
}

#[tokio::test]
async fn a_server_that_generates_steadily_and_too_slowly_is_told_from_one_that_hangs() {
    let slow = ended(&steady(1_000).await, 800).await;

    let Kind::Slow(pace) = slow.kind else { panic!("{slow}") };
    assert!((8..=101).contains(&pace.tokens) && pace.max_tokens == 800, "{pace:?}");
    assert!(slow.to_string().contains("a second; 800 tokens would take "), "{slow}");
    assert!(!slow.can_retry() && !slow.counts_for_breaker());

    // it had come to a stop, and what is asked for would have fitted
    let hangs = ended(&steady(9).await, 800).await;
    assert_eq!(hangs.kind, Kind::Timeout(TimeoutPhase::Turn));
    assert!(hangs.detail.contains("9 tokens came"), "{hangs}");
    assert_eq!(ended(&steady(1_000).await, 40).await.kind, Kind::Timeout(TimeoutPhase::Turn));
}

const TURN: Duration = Duration::from_millis(400);

/// An Ollama server that never answers a chat; `ps` says how it lists its loaded models, `lives` whether it says its version.
async fn silent(lives: bool, ps: impl Fn() -> Vec<StubStep> + Send + Sync + 'static) -> Stub {
    Stub::serve(move |asked: &StubRequest| match asked.line.split(' ').nth(1) {
        Some("/api/ps") => ps(),
        Some("/api/version") if lives => vec![StubStep::Send(json(&serde_json::json!({"version": "0.34.1"})))],
        _ => vec![StubStep::AwaitDeparture],
    })
    .await
}

fn listing(names: &[&str]) -> Vec<StubStep> {
    let models: Vec<_> = names.iter().map(|name| serde_json::json!({"name": name, "model": name})).collect();
    vec![StubStep::Send(json(&serde_json::json!({ "models": models })))]
}

/// How long a silent call takes whose turn may take [`TURN`], and a load five times as long.
async fn silence(stub: &Stub) -> Duration {
    let (started, timeouts) =
        (std::time::Instant::now(), CallTimeouts { first_byte: TURN * 5, idle: LONG, turn: Some(TURN) });
    assert_eq!(failure(stub.ollama(), timeouts).await, Kind::Timeout(TimeoutPhase::FirstByte));
    started.elapsed()
}

#[tokio::test]
async fn a_server_that_accepts_and_never_answers_costs_a_turn_no_more_than_its_limit_and_one_question() {
    let stub = silent(false, || vec![StubStep::AwaitDeparture]).await;

    let took = silence(&stub).await;

    assert!(took >= TURN && took < TURN * 5, "{took:?}");
}

#[tokio::test]
async fn a_server_that_lives_and_has_the_model_loaded_is_silent_at_the_turns_limit() {
    for names in [&["m:latest"] as &[&str], &[]] {
        let stub = silent(true, || listing(names)).await;

        let took = silence(&stub).await;

        assert!(took >= TURN && took < TURN * 3, "{names:?}: {took:?}");
    }
}

#[tokio::test]
async fn a_server_that_lives_and_loads_is_waited_for_up_to_the_limit_of_a_load() {
    let blocked = silent(true, || vec![StubStep::AwaitDeparture]).await;
    let evicting = silent(true, || listing(&["other:7b"])).await;

    assert!(silence(&blocked).await >= TURN * 5);
    assert!(silence(&evicting).await >= TURN * 5);
}

/// Counts how often it is told of a load.
struct LoadCounter(usize);
impl agon_llm::DeltaSink for LoadCounter {
    fn text(&mut self, _: &str) {}
    fn loading(&mut self) {
        self.0 += 1;
    }
}

#[tokio::test]
async fn a_server_that_says_it_is_loading_is_asked_again_until_it_has() {
    let asked = AtomicUsize::new(0);
    let answer = [
        chunked_head("text/event-stream"),
        chunk(
            b"data: {\"choices\":[{\"delta\":{\"content\":\"Tea\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
        ),
        LAST_CHUNK.to_vec(),
    ];
    let stub = Stub::serve(move |_| match asked.fetch_add(1, Ordering::Relaxed) {
        0 | 1 => vec![StubStep::Send(response(503, "application/json", r#"{"error":{"message":"Loading model"}}"#))],
        _ => vec![StubStep::Send(answer.concat())],
    })
    .await;
    let timeouts = CallTimeouts { first_byte: LONG, idle: LONG, turn: Some(TURN * 2) };
    let request = ChatRequest { timeouts, ..ChatRequest::new("m", vec![ChatMessage::user("Speak.")]) };

    let mut loads = LoadCounter(0);
    let answer = connect(&stub.open_ai(), None, &Http::default()).chat(&request, &mut loads).await.unwrap();

    assert_eq!((answer.text.as_str(), stub.requests().len(), loads.0), ("Tea", 3, 2));
}
