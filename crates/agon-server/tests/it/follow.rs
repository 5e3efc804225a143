//! Watching debates.
use crate::gateway_bench::*;
use agon_proto::pb::v1 as pb;
use agon_rehearsal::RehearsalConfig;
use agon_server::{GatewayConfig, GatewayTimes, RequestLimits};
use pb::watch_debate_response::Kind;
use std::time::Duration;
use tonic::{Code, Streaming};

async fn next(watch: &mut Streaming<pb::WatchDebateResponse>) -> Option<Kind> {
    let message = tokio::time::timeout(LIMIT, watch.message()).await.expect("something comes").unwrap();
    message.map(|message| message.kind.unwrap())
}

/// The events of a watch to its end.
async fn events(watch: &mut Streaming<pb::WatchDebateResponse>) -> Vec<u64> {
    let mut seen = Vec::new();
    while let Some(kind) = next(watch).await {
        if let Kind::Event(event) = kind {
            seen.push(event.sequence);
        }
    }
    seen
}

#[tokio::test]
async fn a_watch_begins_with_a_snapshot_and_tells_every_event_once() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    gateway.create(wanted("watched")).await.unwrap();
    let mut watch = gateway.watch("watched", 0).await.unwrap();
    let Some(Kind::Snapshot(snapshot)) = next(&mut watch).await else { panic!("a snapshot comes first") };
    assert_eq!(snapshot.id, "watched");
    let seen = events(&mut watch).await;
    let over = gateway.get("watched").await.unwrap();
    assert_eq!(seen, (1..=over.sequence).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_watch_that_is_resumed_anywhere_misses_and_doubles_nothing() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    gateway.create(wanted("resumed")).await.unwrap();
    let last = gateway.finish("resumed").await.sequence;
    for after in 0..=last {
        let mut watch = gateway.watch("resumed", after).await.unwrap();
        let Some(Kind::Snapshot(snapshot)) = next(&mut watch).await else { panic!("a snapshot comes first") };
        assert_eq!(snapshot.sequence, last);
        assert_eq!(events(&mut watch).await, (after + 1..=last).collect::<Vec<_>>(), "after {after}");
    }
}

#[tokio::test]
async fn who_asks_for_what_comes_after_the_end_gets_nothing_and_an_end() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway().await;
    gateway.create(wanted("beyond")).await.unwrap();
    let cursors = [i64::MAX.unsigned_abs(), i64::MAX.unsigned_abs() + 1, u64::MAX];
    for after in cursors {
        let mut watch = gateway.watch("beyond", after).await.unwrap();
        assert!(events(&mut watch).await.is_empty(), "{after} while it runs");
    }
    gateway.finish("beyond").await;
    for after in cursors {
        let mut watch = gateway.watch("beyond", after).await.unwrap();
        assert!(events(&mut watch).await.is_empty(), "{after} once it is over");
    }
}

#[tokio::test]
async fn watchers_at_two_gateways_see_the_same_while_it_happens() {
    let stage = GatewayBench::new().await;
    let here = stage.gateway_before(&stage.idle_node().await, config()).await;
    here.create(wanted("shared")).await.unwrap();
    let mut first = here.watch("shared", 0).await.unwrap();
    next(&mut first).await;
    // only now somebody is there to hold it
    let there = stage.gateway().await;
    let mut second = there.watch("shared", 1).await.unwrap();
    let (first, second) = tokio::join!(events(&mut first), events(&mut second));
    assert_eq!(first[1..], second);
    assert_eq!(first.len() as u64, there.get("shared").await.unwrap().sequence);
}

#[tokio::test]
async fn pieces_of_speeches_come_to_those_who_want_them() {
    let pace = RehearsalConfig { token_interval: Duration::from_millis(5), ..RehearsalConfig::default() };
    let stage = GatewayBench::with(pace).await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    gateway.create(wanted("pieces")).await.unwrap();
    let request = pb::WatchDebateRequest { name: "pieces".into(), after_sequence: 0, include_deltas: true };
    let mut watch = gateway.debates.clone().watch_debate(request).await.unwrap().into_inner();
    next(&mut watch).await;
    let _node = stage.node().await;
    let (mut pieces, mut over) = (0, false);
    while let Some(kind) = next(&mut watch).await {
        match kind {
            Kind::Delta(delta) => {
                assert!(!delta.text.is_empty() && delta.turn.is_some());
                pieces += 1;
            }
            Kind::Event(event) => {
                over |=
                    matches!(event.event.unwrap().kind, Some(agon_proto::pb::debate::v1::event::Kind::DebateEnded(_)));
            }
            Kind::Snapshot(_) | Kind::Heartbeat(_) => {}
        }
    }
    assert!(pieces > 0 && over, "{pieces} pieces");
}

#[tokio::test]
async fn a_silent_watch_gives_signs_of_life_with_its_cursor() {
    let stage = GatewayBench::new().await;
    let times = GatewayTimes { heartbeat: Duration::from_millis(20), ..GatewayTimes::default() };
    let gateway = stage.gateway_before(&stage.idle_node().await, GatewayConfig { times, ..config() }).await;
    gateway.create(wanted("silent")).await.unwrap();
    let mut watch = gateway.watch("silent", 0).await.unwrap();
    let mut seen = Vec::new();
    while seen.len() < 4 {
        seen.push(next(&mut watch).await.unwrap());
    }
    assert!(matches!(seen[0], Kind::Snapshot(_)) && matches!(&seen[1], Kind::Event(event) if event.sequence == 1));
    assert!(seen[2..].iter().all(|kind| matches!(kind, Kind::Heartbeat(beat) if beat.sequence == 1)), "{seen:?}");
}

#[tokio::test]
async fn a_watch_ends_after_its_time_with_the_cursor_to_go_on_from() {
    let stage = GatewayBench::new().await;
    let times = GatewayTimes { watch: Duration::from_millis(100), ..GatewayTimes::default() };
    let gateway = stage.gateway_before(&stage.idle_node().await, GatewayConfig { times, ..config() }).await;
    gateway.create(wanted("timed")).await.unwrap();
    let mut watch = gateway.watch("timed", 0).await.unwrap();
    let mut last = None;
    while let Some(kind) = next(&mut watch).await {
        last = Some(kind);
    }
    assert!(matches!(last, Some(Kind::Heartbeat(beat)) if beat.sequence == 1));
}

#[tokio::test]
async fn a_drain_ends_watches_with_their_cursor_and_takes_no_more() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    gateway.create(wanted("drained")).await.unwrap();
    let mut watch = gateway.watch("drained", 0).await.unwrap();
    next(&mut watch).await;
    next(&mut watch).await;
    let (address, http) = (gateway.url(), gateway.http);
    assert!(gateway.gateway.drain().await, "nothing had to be cut off");
    assert!(matches!(next(&mut watch).await, Some(Kind::Heartbeat(beat)) if beat.sequence == 1));
    assert!(next(&mut watch).await.is_none());
    assert!(tokio::net::TcpStream::connect(address.trim_start_matches("http://")).await.is_err());
    assert!(tokio::net::TcpStream::connect(http).await.is_err());
}

#[tokio::test]
async fn watches_beyond_the_limit_are_refused_until_one_ends() {
    let stage = GatewayBench::new().await;
    let limits = RequestLimits { watches: 1, ..RequestLimits::default() };
    let gateway = stage.gateway_before(&stage.idle_node().await, GatewayConfig { limits, ..config() }).await;
    gateway.create(wanted("popular")).await.unwrap();
    let mut watch = gateway.watch("popular", 0).await.unwrap();
    next(&mut watch).await;
    let (code, reason, details) = refusal(gateway.watch("popular", 0).await);
    assert_eq!((code, reason.as_str()), (Code::ResourceExhausted, "WATCH_LIMIT"));
    assert!(details.retry_info().unwrap().retry_delay.is_some());
    drop(watch);
    let freed = async {
        while gateway.watch("popular", 0).await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(LIMIT, freed).await.unwrap();
}

#[tokio::test]
async fn a_watch_ends_with_the_deadline_of_its_caller() {
    let stage = GatewayBench::new().await;
    let gateway = stage.gateway_before(&stage.idle_node().await, config()).await;
    gateway.create(wanted("hurried")).await.unwrap();
    let mut timeout = Duration::from_millis(200);
    let mut watch = loop {
        let mut request = tonic::Request::new(pb::WatchDebateRequest { name: "hurried".into(), ..Default::default() });
        request.set_timeout(timeout);
        match gateway.debates.clone().watch_debate(request).await {
            Ok(watch) => break watch.into_inner(),
            // the machine was slower than that
            Err(_) => timeout *= 2,
        }
    };
    // tonic's client watches the time of the header alone: it is the server that ends the stream
    let ended = async { while let Ok(Some(_)) = watch.message().await {} };
    tokio::time::timeout(LIMIT, ended).await.unwrap();
}
