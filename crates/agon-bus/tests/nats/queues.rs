//! What can happen to queues and large messages on a server.
use crate::servers::{SOON, bus_on, link, programs, soon, start};
use agon_bus::nats::{BLOB_STREAM, NatsBus, NatsLink, ProvisionConfig, QUEUE_STREAM, QueueConfig, provision};
use agon_bus::{Bus, BusError, Payload, Received};
use async_nats::jetstream::consumer::Info;
use serde_json::{Value, json};
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(20);
const PATTERN: &str = "agon.v1.gen.model.p1.>";
const CONSUMER: &str = "AGON_GEN.gen-model-p1";

fn work(n: u32) -> String {
    format!("agon.v1.gen.model.p1.tenant.debate.r1-s{n}.1")
}

async fn call(link: &NatsLink, request: String) -> Value {
    link.jetstream().request(request, &json!({})).await.unwrap()
}

#[tokio::test]
async fn a_full_queue_refuses_new_work_and_takes_what_it_has() {
    for program in programs() {
        let server = start(&program, "");
        let link = link(&server).await;
        let config = ProvisionConfig { queue_messages: 2, ..ProvisionConfig::default() };
        provision(&link, &config).await.unwrap();
        let bus = NatsBus::new(link.clone(), link, QueueConfig { provision: config, ..QueueConfig::default() });
        for n in [0, 1, 0, 1] {
            bus.enqueue(&work(n), Payload::default()).await.unwrap();
        }
        let refused = bus.enqueue(&work(2), Payload::default()).await;
        assert!(matches!(&refused, Err(BusError::QueueFull(stream)) if stream == QUEUE_STREAM), "{refused:?}");
        soon(bus.pull(PATTERN, LEASE)).await.unwrap().ack().await.unwrap();
        bus.enqueue(&work(2), Payload::default()).await.unwrap();
    }
}

#[tokio::test]
async fn another_lease_changes_the_consumer_that_is_there() {
    for program in programs() {
        let server = start(&program, "");
        let link = link(&server).await;
        for lease in [Duration::from_secs(20), Duration::from_secs(7)] {
            let bus = bus_on(&server).await;
            assert!(soon(bus.try_pull(PATTERN, lease)).await.unwrap().is_none());
            let info = call(&link, format!("CONSUMER.INFO.{CONSUMER}")).await;
            let info: Info = serde_json::from_value(info).unwrap();
            assert_eq!(info.config.ack_wait, lease);
        }
    }
}

#[tokio::test]
async fn a_pull_survives_the_loss_of_its_consumer_and_of_the_stream() {
    for program in programs() {
        let server = start(&program, "");
        let (bus, link) = (bus_on(&server).await, link(&server).await);
        for (n, request) in [(0, format!("CONSUMER.DELETE.{CONSUMER}")), (1, format!("STREAM.DELETE.{QUEUE_STREAM}"))] {
            let pulled = async { bus.pull(PATTERN, LEASE).await.unwrap() };
            let breaking = async {
                // the pull waits at the consumer that is about to go
                while call(&link, format!("CONSUMER.INFO.{CONSUMER}")).await["num_waiting"] != 1 {
                    tokio::time::sleep(Duration::from_millis(10)).await;
                }
                call(&link, request).await;
                bus.enqueue(&work(n), Payload::default()).await.unwrap();
            };
            let (delivery, ()) = soon(async { tokio::join!(pulled, breaking) }).await;
            assert_eq!(delivery.message().subject, work(n));
            delivery.ack().await.unwrap();
        }
    }
}

#[tokio::test]
async fn only_one_models_work_can_be_pulled_and_only_work_can_be_queued() {
    for program in programs() {
        let server = start(&program, "");
        let bus = bus_on(&server).await;
        let pulled = bus.pull("agon.v1.gen.>", LEASE).await;
        assert!(matches!(pulled, Err(BusError::Failed(why)) if why.contains("<model>.<priority>")));
        let queued = bus.enqueue("agon.v1.ctl.t.d", Payload::default()).await;
        assert!(matches!(queued, Err(BusError::Failed(why)) if why.contains("in no queue")));
    }
}

#[tokio::test]
async fn a_pull_that_was_dropped_gives_its_work_to_another_process_at_once() {
    for program in programs() {
        let server = start(&program, "");
        let (first, second) = (bus_on(&server).await, bus_on(&server).await);
        for n in 0..20 {
            let mut pulling = Box::pin(first.pull(PATTERN, LEASE));
            let dropped = tokio::time::timeout(Duration::from_millis(u64::from(n)), &mut pulling).await;
            assert!(dropped.is_err(), "there was no work yet");
            let subject = work(n);
            let adding = second.enqueue(&subject, Payload::default());
            // the work may have been handed to the first pull before it is dropped, or not
            let (added, ()) = tokio::join!(adding, async { drop(pulling) });
            added.unwrap();
            let delivery = tokio::time::timeout(LEASE / 2, second.pull(PATTERN, LEASE)).await;
            delivery.expect("the work was stranded").unwrap().ack().await.unwrap();
        }
    }
}

#[tokio::test]
async fn draining_gives_back_what_nobody_took() {
    for program in programs() {
        let server = start(&program, "");
        let (first, second) = (bus_on(&server).await, bus_on(&server).await);
        assert!(tokio::time::timeout(Duration::from_millis(50), first.pull(PATTERN, LEASE)).await.is_err());
        first.drain().await;
        second.enqueue(&work(0), Payload::default()).await.unwrap();
        let delivery = tokio::time::timeout(LEASE / 2, second.pull(PATTERN, LEASE)).await;
        delivery.expect("the work was stranded").unwrap().ack().await.unwrap();
        assert!(matches!(first.publish("agon.v1.ctl.t.d", Payload::default()).await, Err(BusError::Closed(_))));
        assert!(matches!(first.pull(PATTERN, LEASE).await, Err(BusError::Closed(_))));
        assert!(first.is_connected(), "the connection is shared and stays");
    }
}

#[tokio::test]
async fn a_large_message_whose_parts_are_gone_is_lost_and_told_never_garbled() {
    for program in programs() {
        let server = start(&program, "");
        let (bus, link) = (bus_on(&server).await, link(&server).await);
        let large = || Payload::from(vec![7; 2 * 1024 * 1024]);
        bus.enqueue(&work(0), large()).await.unwrap();
        bus.enqueue(&work(1), Payload::from("small".to_owned())).await.unwrap();
        let mut listener = bus.subscribe("agon.v1.ctl.t.d").await.unwrap();
        bus.publish("agon.v1.ctl.t.d", large()).await.unwrap();
        call(&link, format!("STREAM.PURGE.{BLOB_STREAM}")).await;
        assert_eq!(soon(listener.next()).await, Some(Received::Lagged(1)));
        let readable = soon(bus.pull(PATTERN, LEASE)).await.unwrap();
        assert_eq!(readable.message().subject, work(1));
        readable.ack().await.unwrap();
        // what cannot be read is tried a few times and then dropped
        let waiting = tokio::time::timeout(SOON, bus.pull(PATTERN, LEASE));
        let emptied = async {
            while call(&link, format!("STREAM.INFO.{QUEUE_STREAM}")).await["state"]["messages"] != 0 {
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        };
        tokio::select! { _ = waiting => panic!("something was pulled, or the work stayed"), () = emptied => {} }
    }
}

#[tokio::test]
async fn a_large_message_is_stored_again_where_its_stream_is_gone() {
    for program in programs() {
        let server = start(&program, "");
        let (bus, link) = (bus_on(&server).await, link(&server).await);
        call(&link, format!("STREAM.DELETE.{BLOB_STREAM}")).await;
        let large = Payload::from(vec![7; 2 * 1024 * 1024]);
        bus.enqueue(&work(0), large.clone()).await.unwrap();
        assert!(soon(bus.pull(PATTERN, LEASE)).await.unwrap().message().payload == large);
    }
}
