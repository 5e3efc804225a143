//! Many writers of one log, and answers that are lost.
use super::line::LossyProxy;
use super::{NatsRig, link, on_every_server, small, until};
use crate::contract::{TURN, debate, record, said};
use crate::{AppendError, Journal as _, NatsStore, NatsStoreConfig, Registers as _, Upkeep as _, append_settled};
use agon_core::{Position, Record};
use nix::sys::signal::Signal;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinSet;

/// A deadline that a test can wait for.
fn hasty() -> NatsStoreConfig {
    NatsStoreConfig { deadline: Duration::from_millis(500), ..small() }
}

/// Reads on until nothing comes, as whoever needs the end of a log does.
async fn nonces(store: &NatsStore) -> Vec<u64> {
    let (mut after, mut nonces) = (Position(0), vec![]);
    while let [records @ .., last] = store.read(&debate("a"), after).await.unwrap().as_slice() {
        nonces.extend(records.iter().chain([last]).map(|record| record.nonce));
        after = last.last();
    }
    nonces
}

/// Tries the same record until it is known to stand.
async fn settle(store: &NatsStore, record: &Record) -> Arc<Record> {
    for _ in 0..600 {
        match append_settled(store, &debate("a"), record.clone()).await {
            Ok(record) => return record,
            Err(AppendError::Fenced { last }) => panic!("fenced at {last:?}"),
            Err(AppendError::Unsure(_) | AppendError::Store(_)) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
    panic!("never settled")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_stores_on_one_server_one_wins_each_position() {
    on_every_server(async |rig| {
        let stores = [rig.open(small()).await, rig.open(small()).await];
        for first in 1..=60 {
            let mut tasks = JoinSet::new();
            for nonce in 0..8 {
                let store = Arc::clone(&stores[nonce % 2]);
                let record = record(first, 1, nonce as u64);
                tasks.spawn(async move { store.append(&debate("a"), record).await });
            }
            let mut won = 0;
            for outcome in tasks.join_all().await {
                match outcome {
                    Ok(_) => won += 1,
                    Err(AppendError::Fenced { last }) => assert_eq!(last, Position(first)),
                    Err(other) => panic!("{other}"),
                }
            }
            assert_eq!(won, 1, "position {first}");
        }
        let [one, other] = &stores;
        assert_eq!(one.verify(&debate("a")).await.unwrap().events, 60);
        one.forget(&debate("a"));
        assert_eq!(nonces(one).await, nonces(other).await);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_append_whose_answer_is_lost_stands_once() {
    on_every_server(async |rig| {
        let line = LossyProxy::to(rig.server.port()).await;
        let store = NatsStore::open(&link(&line.url()).await, hasty()).await.unwrap();
        store.append(&debate("a"), record(1, 1, 11)).await.unwrap();
        line.lose_answers();
        let lost = store.append(&debate("a"), record(2, 1, 22)).await;
        assert!(matches!(lost, Err(AppendError::Unsure(_))), "{lost:?}");
        let other = rig.open(small()).await;
        assert_eq!(nonces(&other).await, [11, 22]);
        line.cut();
        assert_eq!(*settle(&store, &record(2, 1, 22)).await, record(2, 1, 22));
        store.append(&debate("a"), record(3, 1, 33)).await.unwrap();
        assert_eq!(nonces(&other).await, [11, 22, 33]);
        assert_eq!(other.verify(&debate("a")).await.unwrap().records, 3);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_register_whose_answer_is_lost_is_its_writers() {
    on_every_server(async |rig| {
        let line = LossyProxy::to(rig.server.port()).await;
        let store = NatsStore::open(&link(&line.url()).await, hasty()).await.unwrap();
        line.lose_answers();
        assert!(store.decide(&debate("a"), TURN, said("mine")).await.is_err());
        line.cut();
        until("the register is read", async || store.get(&debate("a"), TURN).await.is_ok()).await;
        assert_eq!(*store.get(&debate("a"), TURN).await.unwrap().unwrap(), said("mine"));
        let other = rig.open(small()).await.decide(&debate("a"), TURN, said("theirs")).await.unwrap();
        assert_eq!((other.won, other.result.as_ref()), (false, &said("mine")));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_append_that_lands_late_stands_once() {
    on_every_server(async |rig| {
        let store = rig.open(hasty()).await;
        store.append(&debate("a"), record(1, 1, 11)).await.unwrap();
        rig.server.signal(Signal::SIGSTOP).unwrap();
        until("the server stands still", async || store.get(&debate("a"), TURN).await.is_err()).await;
        let lost = store.append(&debate("a"), record(2, 1, 22)).await;
        rig.server.signal(Signal::SIGCONT).unwrap();
        assert!(matches!(lost, Err(AppendError::Unsure(_))), "{lost:?}");
        settle(&store, &record(2, 1, 22)).await;
        settle(&store, &record(3, 1, 33)).await;
        assert_eq!(nonces(&store).await, [11, 22, 33]);
        assert_eq!(store.verify(&debate("a")).await.unwrap().records, 3);
    })
    .await;
}

/// Appends until the log is long enough; the events that it was told are its own, and what their records' ids are.
async fn write(store: Arc<NatsStore>, writer: u64, length: u64) -> Vec<(u64, u64)> {
    let (mut last, mut own, mut count) = (Position(0), vec![], 0);
    while last.0 < length {
        match store.read(&debate("a"), last).await.as_deref() {
            Ok([]) => {}
            Ok([.., newest]) => {
                last = newest.last();
                continue;
            }
            Err(_) => {
                tokio::time::sleep(Duration::from_millis(20)).await;
                continue;
            }
        }
        count += 1;
        let next = record(last.next().0, 1, writer + count);
        loop {
            match append_settled(store.as_ref(), &debate("a"), next.clone()).await {
                Ok(record) => {
                    own.push((record.first.0, record.nonce));
                    break;
                }
                Err(AppendError::Fenced { .. }) => break,
                // It may stand or not: only the same record may be tried.
                Err(AppendError::Unsure(_) | AppendError::Store(_)) => {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
            }
        }
    }
    own
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_writers_keep_a_whole_log_while_the_server_is_killed() {
    const LENGTH: u64 = 400;
    on_every_server(async |mut rig: NatsRig| {
        let stores = [rig.open(hasty()).await, rig.open(hasty()).await];
        let mut writers = JoinSet::new();
        for (store, writer) in stores.iter().zip([1_000_000, 2_000_000]) {
            writers.spawn(write(Arc::clone(store), writer, LENGTH));
        }
        for kill_at in [LENGTH / 4, LENGTH / 2, LENGTH * 3 / 4] {
            let reached = async || {
                let read = stores[0].read(&debate("a"), Position(kill_at - 1)).await;
                read.is_ok_and(|records| !records.is_empty())
            };
            until("the log grows", reached).await;
            rig.server.kill();
            rig.server.restart().unwrap();
        }
        let told: Vec<_> = writers.join_all().await.into_iter().flatten().collect();
        let fresh = rig.open(small()).await;
        let verified = fresh.verify(&debate("a")).await.unwrap();
        assert_eq!(verified.events, verified.records);
        assert!(verified.events >= LENGTH);
        let log = fresh.read(&debate("a"), Position(0)).await.unwrap();
        for (first, nonce) in told {
            assert_eq!(log[usize::try_from(first).unwrap() - 1].nonce, nonce, "event {first}");
        }
    })
    .await;
}
