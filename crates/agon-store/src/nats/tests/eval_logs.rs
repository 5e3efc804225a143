//! Large records of evals, logs that are begun anew, and processes without permission.
use super::{on_every_server, small};
use crate::contract::debate;
use crate::nats::subjects::{self, EVALS};
use crate::nats::{NatsStore, NatsUse};
use crate::{EvalLogs as _, NewEvalRecord, StoreError};
use agon_core::Timestamp;

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
