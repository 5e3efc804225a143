use super::{Rig, TURN, debate, record, said};
use crate::{Jobs as _, Journal as _, Registers as _, StoreError, Upkeep as _, chain};
use agon_core::{DebateId, Position};
use agon_proto::decode_record;
use std::time::Duration;

async fn fill(store: &impl crate::Journal, id: &DebateId) {
    store.append(id, record(1, 2, 1)).await.unwrap();
    store.append(id, record(3, 1, 2)).await.unwrap();
}

pub(crate) async fn a_whole_log_verifies_and_its_head_depends_on_all(rig: &impl Rig) {
    let store = rig.store();
    fill(store.as_ref(), &debate("a")).await;
    fill(store.as_ref(), &debate("b")).await;
    let a = store.verify(&debate("a")).await.unwrap();
    assert_eq!((a.records, a.events), (2, 3));
    // The same records under another name are another log.
    assert_ne!(store.verify(&debate("b")).await.unwrap().head_hash, a.head_hash);
    store.append(&debate("a"), record(4, 1, 3)).await.unwrap();
    assert_ne!(store.verify(&debate("a")).await.unwrap().head_hash, a.head_hash);
}

pub(crate) async fn raw_records_carry_the_chain(rig: &impl Rig) {
    let store = rig.store();
    fill(store.as_ref(), &debate("a")).await;
    let raw = store.raw_records(&debate("a")).await.unwrap();
    let mut prev = chain::genesis(&debate("a"));
    for (raw, expected) in raw.iter().zip([record(1, 2, 1), record(3, 1, 2)]) {
        let chained = decode_record(&raw.body).unwrap();
        assert_eq!((&chained.record, chained.prev_hash), (&expected, prev));
        assert_eq!((raw.first, raw.last), (expected.first, expected.last()));
        assert_eq!(raw.hash, chain::link(&prev, &raw.body));
        prev = raw.hash;
    }
    assert_eq!(raw.len(), 2);
    assert_eq!(store.verify(&debate("a")).await.unwrap().head_hash, prev);
}

pub(crate) async fn purging_drops_registers_only(rig: &impl Rig) {
    let store = rig.store();
    for name in ["a", "b"] {
        fill(store.as_ref(), &debate(name)).await;
        store.decide(&debate(name), TURN, said(name)).await.unwrap();
    }
    store.purge_registers(&debate("a")).await.unwrap();
    assert!(store.get(&debate("a"), TURN).await.unwrap().is_none());
    assert!(store.get(&debate("b"), TURN).await.unwrap().is_some());
    assert_eq!(store.read(&debate("a"), Position(0)).await.unwrap().len(), 2);
}

pub(crate) async fn a_deleted_debate_is_gone_and_may_start_again(rig: &impl Rig) {
    let store = rig.store();
    for name in ["a", "b"] {
        fill(store.as_ref(), &debate(name)).await;
        store.decide(&debate(name), TURN, said(name)).await.unwrap();
        store.enqueue(&debate(name)).await.unwrap();
    }
    assert!(store.delete(&debate("a")).await.unwrap());
    assert!(!store.delete(&debate("a")).await.unwrap());
    assert!(store.read(&debate("a"), Position(0)).await.unwrap().is_empty());
    assert!(store.get(&debate("a"), TURN).await.unwrap().is_none());
    let job = store.take("owner", Duration::from_secs(9)).await.unwrap().unwrap();
    assert_eq!(job.debate, debate("b"));
    assert!(store.take("owner", Duration::from_secs(9)).await.unwrap().is_none());
    // Its writer, if there still is one, is fenced; a new debate of that name is not.
    assert!(store.append(&debate("a"), record(4, 1, 4)).await.is_err());
    store.append(&debate("a"), record(1, 1, 5)).await.unwrap();
    assert_eq!(store.verify(&debate("a")).await.unwrap().records, 1);
    assert_eq!(store.verify(&debate("b")).await.unwrap().records, 2);
}

pub(crate) async fn an_unknown_debate_is_not_found(rig: &impl Rig) {
    let store = rig.store();
    assert!(matches!(store.verify(&debate("a")).await, Err(StoreError::NotFound(id)) if id == debate("a")));
    assert!(store.raw_records(&debate("a")).await.unwrap().is_empty());
}
