//! Hints, requests, and what holds for all that travels.
use super::{CaseResult, CaseScope, SOON, bytes, pull, soon};
use crate::port::{Bus, BusError, MAX_MESSAGE_BYTES, Message, Payload, Received};
use crate::subject::{Token, pattern};
use std::time::Duration;

/// Patterns select subjects; a hint reaches every listener.
pub async fn a_listener_hears_what_fits_its_pattern(bus: &dyn Bus, scope: &CaseScope) -> CaseResult {
    let mut exact = bus.subscribe(&scope.hint()).await?;
    let mut one = bus.subscribe("agon.v1.ctl.contract.*").await?;
    let mut other = bus.subscribe(&scope.host("other")).await?;
    assert!(bus.may_have_listeners(&scope.hint()));
    bus.publish(&scope.hint(), bytes("hello")).await?;
    bus.publish(&scope.host("other"), bytes("host")).await?;
    let hello = Received::Message(Message { subject: scope.hint(), payload: bytes("hello") });
    assert_eq!(soon(exact.next()).await?, Some(hello.clone()));
    loop {
        // other cases may talk on the wider pattern
        if soon(one.next()).await? == Some(hello.clone()) {
            break;
        }
    }
    let host = Received::Message(Message { subject: scope.host("other"), payload: bytes("host") });
    assert_eq!(soon(other.next()).await?, Some(host));
    Ok(())
}

/// Publishing goes on when a listener has gone.
pub async fn a_dropped_listener_costs_nothing(bus: &dyn Bus, scope: &CaseScope) -> CaseResult {
    drop(bus.subscribe(&scope.hint()).await?);
    bus.publish(&scope.hint(), bytes("nobody")).await?;
    let mut listener = bus.subscribe(&scope.hint()).await?;
    bus.publish(&scope.hint(), bytes("somebody")).await?;
    let heard = soon(listener.next()).await?;
    assert_eq!(heard, Some(Received::Message(Message { subject: scope.hint(), payload: bytes("somebody") })));
    Ok(())
}

/// No responders is known without waiting.
pub async fn a_request_without_a_server_fails_at_once(bus: &dyn Bus, scope: &CaseScope) -> CaseResult {
    let started = tokio::time::Instant::now();
    let answer = bus.request(&scope.host("offer"), bytes("?"), Duration::from_secs(60)).await;
    assert!(matches!(answer, Err(BusError::NoResponders(_))), "{answer:?}");
    assert!(started.elapsed() < SOON);
    Ok(())
}

/// A listener is somebody, although it never answers.
pub async fn a_request_that_only_a_listener_hears_times_out(bus: &dyn Bus, scope: &CaseScope) -> CaseResult {
    let listener = bus.subscribe(&scope.hint()).await?;
    let answer = bus.request(&scope.hint(), bytes("?"), Duration::from_millis(200)).await;
    assert!(matches!(answer, Err(BusError::Timeout { .. })), "{answer:?}");
    drop(listener);
    Ok(())
}

/// Replies come back; a server that drops a request lets the asker wait.
pub async fn a_server_answers_and_an_unanswered_request_times_out(bus: &dyn Bus, scope: &CaseScope) -> CaseResult {
    let mut server = bus.serve(&pattern::host(&Token::new(&scope.name))).await?;
    let serving = async {
        while let Some(request) = server.next().await {
            if request.message.payload == bytes("mute") {
                drop(request);
                break;
            }
            (request.reply)(request.message.payload);
        }
        std::future::pending::<()>().await;
    };
    let asking = async {
        let echo = bus.request(&scope.host("offer"), bytes("echo"), SOON).await?;
        assert_eq!(echo, bytes("echo"));
        let mute = bus.request(&scope.host("offer"), bytes("mute"), Duration::from_millis(100)).await;
        assert!(matches!(mute, Err(BusError::Timeout { .. })), "{mute:?}");
        Ok(())
    };
    tokio::select! { result = asking => result, () = serving => Ok(()) }
}

/// Every server gets its share, each request goes to one.
pub async fn requests_are_shared_among_servers(bus: &dyn Bus, scope: &CaseScope) -> CaseResult {
    let (mut first, mut second) = (bus.serve(&scope.host("work")).await?, bus.serve(&scope.host("work")).await?);
    let serving = async {
        loop {
            tokio::select! {
                Some(request) = first.next() => (request.reply)(bytes("first")),
                Some(request) = second.next() => (request.reply)(bytes("second")),
                else => return,
            }
        }
    };
    let asking = async {
        let mut by_first = 0;
        for _ in 0..40 {
            by_first += u32::from(bus.request(&scope.host("work"), bytes("?"), SOON).await? == bytes("first"));
        }
        assert!((1..40).contains(&by_first), "one of two servers got everything: {by_first}");
        Ok(())
    };
    tokio::select! { result = asking => result, () = serving => Ok(()) }
}

/// A sender's `traceparent` reaches listeners, servers, askers and those who pull.
pub async fn the_trace_context_travels_on_every_way(bus: &dyn Bus, scope: &CaseScope) -> CaseResult {
    let trace = |n: u8| Payload::traced(vec![n], Some(format!("00-{n:032x}-00000000000000ff-01").into()));
    everything_travels(bus, scope, trace).await
}

/// Larger than what a server takes in one message by default (1 MiB).
pub async fn a_large_message_arrives_whole_on_every_way(bus: &dyn Bus, scope: &CaseScope) -> CaseResult {
    let large = |n: u8| {
        let body: Vec<u8> = (0..3 * 1024 * 1024_u32).map(|at| (at % 251) as u8 ^ n).collect();
        Payload::traced(body, Some(format!("00-{n:032x}-00000000000000ff-00").into()))
    };
    everything_travels(bus, scope, large).await
}

/// Beyond the largest message the sender is told, and nothing is sent.
pub async fn a_message_that_is_too_large_is_refused_on_every_way(bus: &dyn Bus, scope: &CaseScope) -> CaseResult {
    let large = Payload::from(vec![0; MAX_MESSAGE_BYTES + 1]);
    let _server = bus.serve(&scope.host("offer")).await?;
    let refused = [
        bus.publish(&scope.hint(), large.clone()).await,
        bus.request(&scope.host("offer"), large.clone(), SOON).await.map(|_| ()),
        bus.enqueue(&scope.work(0), large).await,
    ];
    for refusal in refused {
        assert!(matches!(refusal, Err(BusError::TooLarge { limit: MAX_MESSAGE_BYTES, .. })), "{refusal:?}");
    }
    Ok(())
}

/// Sends on each of the four ways, and wants the same to arrive.
async fn everything_travels(bus: &dyn Bus, scope: &CaseScope, make: impl Fn(u8) -> Payload) -> CaseResult {
    let mut listener = bus.subscribe(&scope.hint()).await?;
    bus.publish(&scope.hint(), make(1)).await?;
    let hint = Received::Message(Message { subject: scope.hint(), payload: make(1) });
    assert!(soon(listener.next()).await? == Some(hint), "the hint");

    let mut server = bus.serve(&scope.host("echo")).await?;
    let serving = async {
        let Some(request) = server.next().await else { return false };
        let whole = request.message.payload == make(2);
        (request.reply)(make(3));
        whole
    };
    let subject = scope.host("echo");
    let (answer, asked) = tokio::join!(bus.request(&subject, make(2), 2 * SOON), serving);
    assert!(asked, "the request");
    assert!(answer? == make(3), "the answer");

    bus.enqueue(&scope.work(0), make(4)).await?;
    let work = pull(bus, scope).await?;
    assert!(work.message().payload == make(4), "the work");
    work.ack().await?;
    Ok(())
}

/// After draining, listeners, servers and pulls come to their end.
pub async fn draining_ends_listeners_servers_and_pulls(bus: &dyn Bus, scope: &CaseScope) -> CaseResult {
    let mut listener = bus.subscribe(&scope.hint()).await?;
    let mut server = bus.serve(&scope.host("offer")).await?;
    let queue = scope.queue();
    let draining = async {
        tokio::task::yield_now().await;
        bus.drain().await;
    };
    let (pulled, ()) = soon(async { tokio::join!(bus.pull(&queue, scope.lease), draining) }).await?;
    assert!(matches!(pulled, Err(BusError::Closed(_))), "a pull ended otherwise than by the end of the bus");
    assert_eq!(soon(listener.next()).await?, None);
    assert!(soon(server.next()).await?.is_none());
    Ok(())
}
