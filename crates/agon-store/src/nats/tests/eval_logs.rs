//! Large records of evals, logs that are begun anew, a full stream, and processes without permission.
use super::{NatsRig, on_every_server, small, until};
use crate::contract::debate;
use crate::nats::subjects::{self, EVALS};
use crate::nats::{NatsLimits, NatsStore, NatsStoreConfig, NatsUse};
use crate::{EvalAppendError, EvalLogs as _, NewEvalRecord, StoreError, Upkeep as _};
use agon_core::Timestamp;
use std::num::NonZeroU64;

fn record(after: u64, bytes: usize) -> NewEvalRecord {
    let body: Vec<u8> = (0..bytes).map(|n| (n % 251) as u8).collect();
    let card = format!("card {after}").into_bytes();
    NewEvalRecord { after, at: Timestamp(1_000 + after), body: body.into(), card: card.into(), ended: false }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_record_of_many_messages_comes_back_whole_and_goes_with_its_eval() {
    on_every_server(async |rig| {
        let (writer, reader) = (rig.open(small()).await, rig.open(small()).await);
        let eval = debate("a");
        let records = [record(0, 5 << 20), record(1, 1), record(2, 256 << 10)];
        for record in &records {
            writer.append_eval(&eval, record.clone()).await.unwrap();
        }
        for store in [&reader, &writer] {
            let read = store.read_eval(&eval, 0).await.unwrap();
            assert!(read.iter().map(|read| &read.body).eq(records.iter().map(|record| &record.body)));
            assert_eq!(store.read_eval(&eval, 2).await.unwrap(), read[2..]);
        }
        let head = reader.eval_head(&eval).await.unwrap().unwrap();
        assert_eq!((head.records, head.admitted.0, head.updated.0, &head.card[..]), (3, 1_000, 1_002, &b"card 2"[..]));
        assert!(reader.delete_eval(&eval).await.unwrap());
        assert!(reader.js.next(EVALS, ">", 1).await.unwrap().is_none());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_log_that_is_begun_anew_is_read_as_it_is_now() {
    on_every_server(async |rig| {
        let (writer, reader) = (rig.open(small()).await, rig.open(small()).await);
        let eval = debate("a");
        for after in 0..20 {
            writer.append_eval(&eval, record(after, 9)).await.unwrap();
        }
        assert_eq!(reader.read_eval(&eval, 0).await.unwrap().len(), 20);
        writer.delete_eval(&eval).await.unwrap();
        for after in 0..21 {
            writer.append_eval(&eval, record(after, 7)).await.unwrap();
        }
        let read = reader.read_eval(&eval, 12).await.unwrap();
        assert_eq!(read, writer.read_eval(&eval, 0).await.unwrap()[12..]);
        assert!(read.iter().all(|record| record.body.len() == 7));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_changed_record_is_found() {
    on_every_server(async |rig| {
        let store = rig.open(small()).await;
        let eval = debate("a");
        for after in 0..3 {
            store.append_eval(&eval, record(after, 300 << 10)).await.unwrap();
        }
        // the second part of the first record is another one
        let hash = *blake3::hash(&record(0, 300 << 10).body).as_bytes();
        let subject = subjects::eval_part(&eval, &hash, 1);
        let message = crate::nats::js::Outgoing {
            stream: EVALS,
            subject: &subject,
            expected: None,
            headers: async_nats::HeaderMap::new(),
            body: bytes::Bytes::from_static(b"forged"),
        };
        store.js.publish(message).await.unwrap();
        let read = store.read_eval(&eval, 0).await;
        assert!(matches!(&read, Err(StoreError::Backend(why)) if why.contains("damaged")), "{read:?}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_without_evals_sets_none_up_and_says_so() {
    on_every_server(async |rig| {
        let link = super::link(&rig.server.url()).await;
        let uses = NatsUse { evals: false, ..NatsUse::ALL };
        let store = NatsStore::open_for(&link, small(), uses).await.unwrap();
        assert!(store.js.info(EVALS).await.is_err());
        let refused = store.open_evals().await;
        assert!(matches!(&refused, Err(StoreError::Backend(why)) if why.contains("agon nats config")), "{refused:?}");
        assert_eq!(store.missing(), std::collections::BTreeSet::new());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn from_the_reserve_of_a_full_stream_evals_are_ended_and_deleted_and_others_go_on_then() {
    on_every_server(async |rig: NatsRig| {
        let limits = NatsLimits { eval_bytes: NonZeroU64::new(1 << 20).unwrap(), ..NatsLimits::default() };
        let store = rig.open(NatsStoreConfig { limits, reserve_percent: 20, ..small() }).await;
        let [a, b] = ["a", "b"].map(debate);
        let full = |refused: Result<_, EvalAppendError>| match refused {
            Err(EvalAppendError::Full(why)) => assert!(why.contains("agon eval delete"), "{why}"),
            other => panic!("{other:?}"),
        };
        store.append_eval(&a, record(0, 700 << 10)).await.unwrap();
        store.append_eval(&b, record(0, 100 << 10)).await.unwrap();
        let held = async || store.js.info(EVALS).await.unwrap().state.messages;
        let before = held().await;
        full(store.append_eval(&debate("c"), record(0, 100 << 10)).await);
        assert_eq!(held().await, before, "of a record that does not fit no part is left");
        let mut records = 1;
        let refused = loop {
            match store.append_eval(&b, record(records, 1)).await {
                Ok(_) => records += 1,
                refused => break refused,
            }
        };
        full(refused);
        until("evals are told to wait", async || !store.condition().evals_full.is_empty()).await;
        let condition = store.condition();
        assert!(condition.evals_fullness().unwrap().contains("agon eval delete"), "{condition:?}");
        assert_eq!((condition.trouble(), condition.fullness()), (None, None), "debates go on");

        store.append_eval(&a, NewEvalRecord { ended: true, ..record(1, 1) }).await.unwrap();
        // what comes after the end does not make room
        full(store.append_eval(&a, NewEvalRecord { ended: true, ..record(2, 1) }).await);
        assert!(store.delete_eval(&a).await.unwrap());
        store.append_eval(&b, record(records, 1)).await.unwrap();
        until("there is room", async || store.condition().evals_fullness().is_none()).await;
    })
    .await;
}
