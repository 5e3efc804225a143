//! Deadlines on real sockets, small because a socket heeds no paused clock.

use std::time::Duration;

use agon_llm::{
    CallTimeouts, ChatErrorKind as Kind, ChatRequest, Discard, Endpoint, Http, Message, TimeoutPhase, connect,
};

use crate::stub::{Step, Stub, chunk, chunked_head};

const LONG: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(50);

async fn failure(endpoint: Endpoint, timeouts: CallTimeouts) -> Kind {
    let request = ChatRequest { timeouts, ..ChatRequest::new("m", vec![Message::user("Speak.")]) };
    connect(&endpoint, None, &Http::default()).chat(&request, &mut Discard).await.unwrap_err().kind
}

fn line() -> Vec<u8> {
    chunk(b"{\"message\":{\"content\":\"Tea\"},\"done\":false}\n")
}

#[tokio::test]
async fn a_server_that_says_nothing_exceeds_the_first_byte_limit() {
    let stub = Stub::serve(|_| vec![Step::AwaitDeparture]).await;
    let timeouts = CallTimeouts { first_byte: SHORT, idle: LONG, generation: None };

    assert_eq!(failure(stub.ollama(), timeouts).await, Kind::Timeout(TimeoutPhase::FirstByte));
}

#[tokio::test]
async fn comments_are_no_first_byte() {
    let pings = [chunked_head("text/event-stream"), chunk(b": ping\n\n"), chunk(b": ping\n\n")].concat();
    let stub = Stub::serve(move |_| vec![Step::Send(pings.clone()), Step::AwaitDeparture]).await;
    let timeouts = CallTimeouts { first_byte: SHORT, idle: LONG, generation: Some(LONG) };

    assert_eq!(failure(stub.open_ai(), timeouts).await, Kind::Timeout(TimeoutPhase::FirstByte));
}

#[tokio::test]
async fn a_server_that_falls_silent_exceeds_the_idle_limit() {
    let begun = [chunked_head("application/x-ndjson"), line()].concat();
    let stub = Stub::serve(move |_| vec![Step::Send(begun.clone()), Step::AwaitDeparture]).await;
    let timeouts = CallTimeouts { first_byte: LONG, idle: SHORT, generation: Some(LONG) };

    assert_eq!(failure(stub.ollama(), timeouts).await, Kind::Timeout(TimeoutPhase::Idle));
}

#[tokio::test]
async fn an_answer_that_takes_too_long_exceeds_the_generation_limit_and_leaves_the_server() {
    let begun = [chunked_head("application/x-ndjson"), line()].concat();
    let mut stub = Stub::serve(move |_| vec![Step::Send(begun.clone()), Step::AwaitDeparture]).await;
    let timeouts = CallTimeouts { first_byte: LONG, idle: LONG, generation: Some(SHORT) };

    assert_eq!(failure(stub.ollama(), timeouts).await, Kind::Timeout(TimeoutPhase::Generation));
    assert_eq!(stub.seen.recv().await, Some(crate::stub::Seen::Request));
    assert_eq!(stub.seen.recv().await, Some(crate::stub::Seen::Departed));
}
