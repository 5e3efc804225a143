//! Servers that die and listeners that are slow.
use crate::servers::{bus_on, config, programs, soon, start, until};
use agon_bus::nats::{NatsBus, NatsConfig, NatsError, QueueConfig, connect};
use agon_bus::{Bus, BusError, Message, Payload, Received};
use agon_testkit::free_port;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(20);

fn work(model: &str, n: u32) -> String {
    format!("agon.v1.gen.{model}.p1.tenant.debate.r1-s{n}.1")
}
fn lane(model: &str) -> String {
    format!("agon.v1.gen.{model}.p1.>")
}
fn text(text: &str) -> Payload {
    Payload::from(text.to_owned())
}

/// Tries until the server can do it again.
async fn insist<T>(mut attempt: impl AsyncFnMut() -> Result<T, BusError>) -> T {
    soon(async {
        loop {
            match attempt().await {
                Ok(done) => return done,
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_server_that_comes_back_loses_no_work_and_listeners_learn_that_they_may_have_missed_something() {
    for program in programs() {
        let mut server = start(&program, "");
        let bus = Arc::new(bus_on(&server).await);
        let mut listener = bus.subscribe("agon.v1.ctl.t.d").await.unwrap();
        for n in 0..3 {
            bus.enqueue(&work("before", n), text("queued")).await.unwrap();
        }
        let waiting = tokio::spawn({
            let bus = bus.clone();
            async move { bus.pull(&lane("after"), LEASE).await.map(|delivery| delivery.message().subject.clone()) }
        });
        bus.publish("agon.v1.ctl.t.d", text("before")).await.unwrap();
        assert!(matches!(soon(listener.next()).await, Some(Received::Message(_))));

        server.kill();
        let ask = async || bus.request("agon.v1.host.h.offer", text("?"), Duration::from_millis(50)).await;
        soon(async { while !matches!(ask().await, Err(BusError::Failed(_))) {} }).await;
        server.restart().unwrap();
        until(|| bus.is_connected()).await;

        assert_eq!(soon(listener.next()).await, Some(Received::Lagged(1)));
        insist(async || bus.publish("agon.v1.ctl.t.d", text("after")).await).await;
        let after = Message { subject: "agon.v1.ctl.t.d".into(), payload: text("after") };
        assert_eq!(soon(listener.next()).await, Some(Received::Message(after)));
        insist(async || bus.enqueue(&work("after", 0), text("queued")).await).await;
        assert_eq!(soon(waiting).await.unwrap().unwrap(), work("after", 0));
        for n in 0..3 {
            let delivery = insist(async || bus.pull(&lane("before"), LEASE).await).await;
            assert_eq!(delivery.message().subject, work("before", n));
            insist(async || delivery.ack().await).await;
        }
    }
}

#[tokio::test]
async fn a_slow_listener_is_told_and_the_others_are_not() {
    for program in programs() {
        let server = start(&program, "");
        let capacity = NonZeroUsize::new(4).unwrap();
        let link = connect(NatsConfig { subscription_capacity: capacity, ..config(&server) }).await.unwrap();
        let bus = NatsBus::new(link.clone(), link.clone(), QueueConfig::default());
        let mut slow = bus.subscribe("agon.v1.ctl.t.slow").await.unwrap();
        let mut other = bus.subscribe("agon.v1.ctl.t.other").await.unwrap();
        for n in 0..100 {
            bus.publish("agon.v1.ctl.t.slow", text(&n.to_string())).await.unwrap();
        }
        bus.publish("agon.v1.ctl.t.other", text("heard")).await.unwrap();
        let heard = Message { subject: "agon.v1.ctl.t.other".into(), payload: text("heard") };
        assert_eq!(soon(other.next()).await, Some(Received::Message(heard)));
        until(|| link.state().slow_consumers > 0).await;
        let Some(Received::Lagged(lost)) = soon(slow.next()).await else { panic!("it was not told") };
        assert!(lost > 0);
        assert!(matches!(soon(slow.next()).await, Some(Received::Message(_) | Received::Lagged(_))), "it goes on");
    }
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named_with_what_to_do() {
    let url = format!("nats://127.0.0.1:{}", free_port().unwrap());
    let nobody = connect(NatsConfig::new([url.clone()], "test", "n")).await;
    let Err(error @ NatsError::Unreachable { .. }) = nobody else { panic!("somebody answered") };
    let text = error.to_string();
    assert!(text.contains(&url) && text.contains("start a server"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_comes_late_is_waited_for() {
    for program in programs() {
        let mut server = start(&program, "");
        server.kill();
        let connecting = tokio::spawn(connect(config(&server)));
        server.restart().unwrap();
        let link = soon(connecting).await.unwrap().unwrap();
        assert!(link.is_connected());
        assert!(link.server_at_least(2, 9, 0) && !link.server_at_least(99, 0, 0));
    }
}

#[tokio::test]
async fn addresses_that_are_none_are_refused_before_anything_is_tried() {
    let refused = async |url: &str| connect(NatsConfig::new([url], "test", "n")).await.err();
    assert!(matches!(refused("http://x").await, Some(NatsError::Address { .. })));
    let Some(error @ NatsError::UserInAddress { .. }) = refused("nats://me:secret@x").await else { panic!("taken") };
    assert!(!error.to_string().contains("secret"));
    let none: [&str; 0] = [];
    assert!(matches!(connect(NatsConfig::new(none, "test", "n")).await, Err(NatsError::NoAddress)));
}
