//! Large bodies, changed messages, and logs that are spread over shards.
use super::{on_every_server, small};
use crate::contract::{TURN, debate, record, said};
use crate::nats::js::Outgoing;
use crate::nats::{NatsStore, subjects};
use crate::{Journal as _, ListPage, NatsStoreConfig, Registers as _, StoreError, Upkeep as _};
use agon_core::{DebateId, Event, Position, Record};
use async_nats::HeaderMap;
use async_nats::jetstream::message::StreamMessage;
use bytes::Bytes;
use std::num::NonZeroU32;

const LARGE: usize = 3 << 20;

fn large(first: u64) -> Record {
    let events = vec![Event::CancelRequested { reason: "long ".repeat(LARGE / 5) }];
    Record { events, ..record(first, 1, first) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_larger_than_a_message_comes_back_whole() {
    on_every_server(async |rig| {
        let (writer, reader) = (rig.open(small()).await, rig.open(small()).await);
        let text = "word ".repeat(LARGE / 5);
        writer.append(&debate("a"), record(1, 2, 1)).await.unwrap();
        writer.append(&debate("a"), large(3)).await.unwrap();
        writer.append(&debate("a"), record(4, 1, 4)).await.unwrap();
        writer.decide(&debate("a"), TURN, said(&text)).await.unwrap();
        let read = reader.read(&debate("a"), Position(0)).await.unwrap();
        assert_eq!(read.iter().map(|record| record.first.0).collect::<Vec<_>>(), [1, 3, 4]);
        assert_eq!(*read[1], large(3));
        assert_eq!(*reader.get(&debate("a"), TURN).await.unwrap().unwrap(), said(&text));
        assert_eq!(reader.verify(&debate("a")).await.unwrap().events, 4);
        assert!(reader.delete(&debate("a")).await.unwrap());
        let parts = reader.js.next(subjects::PARTS, &subjects::parts(&debate("a")), 1).await.unwrap();
        assert!(parts.is_none());
    })
    .await;
}

/// Puts other messages in the place of a debate's log.
async fn rewrite(store: &NatsStore, id: &DebateId, change: impl Fn(&mut Vec<StreamMessage>)) {
    let place = store.log_place(id);
    let tail = store.js.last(&place.stream, &place.subject).await.unwrap().unwrap();
    let mut messages = store.messages_to(&place, 0, tail).await.unwrap();
    change(&mut messages);
    store.js.purge(&place.stream, &place.subject).await.unwrap();
    store.forget(id);
    for message in messages {
        let mut headers = HeaderMap::new();
        for name in ["Agon-Hash", "Agon-First", "Agon-Last", "Agon-Body"] {
            if let Some(value) = message.headers.get(name) {
                headers.insert(name, value.clone());
            }
        }
        let message =
            Outgoing { stream: &place.stream, subject: &place.subject, expected: None, headers, body: message.payload };
        store.js.publish(message).await.unwrap();
    }
}

async fn damaged_at(store: &NatsStore, id: &DebateId) -> u64 {
    match store.verify(id).await {
        Err(StoreError::Damaged { debate, at, .. }) if debate == *id => at.0,
        other => panic!("not damaged: {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_changed_message_is_found_and_named() {
    on_every_server(async |rig| {
        let store = rig.open(small()).await;
        for name in ["byte", "gone", "hash", "swapped", "header", "untouched"] {
            for first in [1, 3, 5, 7] {
                store.append(&debate(name), record(first, 2, first)).await.unwrap();
            }
        }
        rewrite(&store, &debate("byte"), |log| {
            let mut body = log[1].payload.to_vec();
            *body.last_mut().unwrap() ^= 1;
            log[1].payload = Bytes::from(body);
        })
        .await;
        rewrite(&store, &debate("gone"), |log| drop(log.remove(2))).await;
        rewrite(&store, &debate("hash"), |log| {
            let hash = log[0].headers.get("Agon-Hash").unwrap().clone();
            log[3].headers.insert("Agon-Hash", hash);
        })
        .await;
        rewrite(&store, &debate("swapped"), |log| log.swap(1, 2)).await;
        rewrite(&store, &debate("header"), |log| log[2].headers.insert("Agon-Last", "9")).await;
        rewrite(&store, &debate("untouched"), |_| {}).await;
        let mut found = vec![];
        for name in ["byte", "gone", "hash", "swapped", "header"] {
            found.push(damaged_at(&store, &debate(name)).await);
        }
        assert_eq!(found, [3, 5, 7, 3, 5]);
        assert_eq!(store.verify(&debate("untouched")).await.unwrap().events, 8);
        // Reading finds it too.
        assert!(matches!(store.read(&debate("byte"), Position(0)).await, Err(StoreError::Damaged { .. })));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_changed_part_of_a_large_record_is_found() {
    on_every_server(async |rig| {
        let store = rig.open(small()).await;
        store.append(&debate("a"), large(1)).await.unwrap();
        let part = store.js.next(subjects::PARTS, &subjects::parts(&debate("a")), 1).await.unwrap().unwrap();
        let message = Outgoing {
            stream: subjects::PARTS,
            subject: &part.subject,
            expected: None,
            headers: Default::default(),
            body: Bytes::from_static(b"something else"),
        };
        store.js.publish(message).await.unwrap();
        assert_eq!(damaged_at(&store, &debate("a")).await, 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn logs_are_spread_over_the_shards() {
    on_every_server(async |rig| {
        let shards = NonZeroU32::new(4).unwrap();
        let store = rig.open(NatsStoreConfig { shards, ..small() }).await;
        let ids: Vec<_> = (0..40).map(|n| debate(&n.to_string())).collect();
        for id in &ids {
            store.append(id, record(1, 1, 1)).await.unwrap();
            store.append(id, record(2, 1, 2)).await.unwrap();
        }
        for shard in 0..4 {
            assert!(store.js.end(&subjects::log_stream(shard)).await.unwrap() > 0, "shard {shard}");
        }
        let fresh = rig.open(NatsStoreConfig { shards, ..small() }).await;
        for id in &ids {
            assert_eq!(fresh.verify(id).await.unwrap().records, 2);
        }
        let listed = fresh.list(ListPage { limit: 100, after: None }).await.unwrap();
        assert_eq!(listed.into_iter().map(|head| head.id).rev().collect::<Vec<_>>(), ids);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_follows_another_process_by_what_is_new() {
    on_every_server(async |rig| {
        let (writer, reader) = (rig.open(small()).await, rig.open(small()).await);
        let mut after = Position(0);
        for first in 1..=200 {
            writer.append(&debate("a"), record(first, 1, first)).await.unwrap();
            // Sometimes one record is new, sometimes several, sometimes many.
            if matches!(first % 50, 1 | 2 | 7 | 20 | 0) {
                let read = reader.read(&debate("a"), after).await.unwrap();
                assert_eq!(
                    read.iter().map(|record| record.first.0).collect::<Vec<_>>(),
                    Vec::from_iter(after.0 + 1..=first)
                );
                assert!(reader.read(&debate("a"), Position(first)).await.unwrap().is_empty());
                after = Position(first);
            }
        }
        assert_eq!(after, Position(200));
    })
    .await;
}
