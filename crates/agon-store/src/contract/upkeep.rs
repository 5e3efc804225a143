use super::{StoreRig, TURN, debate, ending, eventually, record, said, summary};
use crate::{
    CancelOrder, Catalogue as _, Commands as _, Jobs as _, Journal as _, ListPage, Registers as _, StoreError,
    Upkeep as _, chain,
};
use agon_core::{DebateId, Position, Priority, Record, Timestamp};
use agon_proto::decode_record;

async fn fill(store: &impl crate::Journal, id: &DebateId) {
    store.append(id, record(1, 2, 1)).await.unwrap();
    store.append(id, record(3, 1, 2)).await.unwrap();
}

pub(crate) async fn a_whole_log_verifies_and_its_head_depends_on_all(rig: &impl StoreRig) {
    let store = rig.store().await;
    fill(store.as_ref(), &debate("a")).await;
    fill(store.as_ref(), &debate("b")).await;
    let a = store.verify(&debate("a")).await.unwrap();
    assert_eq!((a.records, a.events), (2, 3));
    // The same records under another name are another log.
    assert_ne!(store.verify(&debate("b")).await.unwrap().head_hash, a.head_hash);
    store.append(&debate("a"), record(4, 1, 3)).await.unwrap();
    assert_ne!(store.verify(&debate("a")).await.unwrap().head_hash, a.head_hash);
}

pub(crate) async fn raw_records_carry_the_chain(rig: &impl StoreRig) {
    let store = rig.store().await;
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

pub(crate) async fn purging_drops_registers_only(rig: &impl StoreRig) {
    let store = rig.store().await;
    for name in ["a", "b"] {
        fill(store.as_ref(), &debate(name)).await;
        store.decide(&debate(name), TURN, said(name)).await.unwrap();
    }
    store.purge_registers(&debate("a"), &[]).await.unwrap();
    assert!(store.get(&debate("a"), TURN).await.unwrap().is_none());
    assert!(store.get(&debate("b"), TURN).await.unwrap().is_some());
    assert_eq!(store.read(&debate("a"), Position(0)).await.unwrap().len(), 2);
}

pub(crate) async fn deleting_removes_all_of_a_debate_and_nothing_of_others(rig: &impl StoreRig) {
    let store = rig.store().await;
    let order = CancelOrder { reason: "enough".to_owned(), by: None };
    for name in ["a", "b"] {
        fill(store.as_ref(), &debate(name)).await;
        store.decide(&debate(name), TURN, said(name)).await.unwrap();
        store.enqueue(&debate(name), Priority::Normal).await.unwrap();
        store.order_cancel(&debate(name), order.clone()).await.unwrap();
        store.note(summary(name, 1)).await.unwrap();
    }
    assert!(store.delete(&debate("a")).await.unwrap());
    assert!(!store.delete(&debate("a")).await.unwrap());
    assert!(store.read(&debate("a"), Position(0)).await.unwrap().is_empty());
    assert!(store.get(&debate("a"), TURN).await.unwrap().is_none());
    assert_eq!(store.cancel_ordered(&debate("a")).await.unwrap(), None);
    eventually(rig, &vec![summary("b", 1)], async || store.unfinished().await.unwrap()).await;
    assert_eq!(store.get_summary(&debate("a")).await.unwrap(), None);
    let job = store.take("owner", rig.lease()).await.unwrap().unwrap();
    assert_eq!(job.debate, debate("b"));
    store.complete(&job).await.unwrap();
    assert!(store.take("owner", rig.lease()).await.unwrap().is_none());
    assert_eq!(store.cancel_ordered(&debate("b")).await.unwrap(), Some(order));
    assert!(store.get(&debate("b"), TURN).await.unwrap().is_some());
    assert_eq!(store.verify(&debate("b")).await.unwrap().records, 2);
}

pub(crate) async fn a_deleted_debate_may_start_again(rig: &impl StoreRig) {
    let store = rig.store().await;
    fill(store.as_ref(), &debate("a")).await;
    store.delete(&debate("a")).await.unwrap();
    // Its writer, if there still is one, is fenced; a new debate of that name is not.
    assert!(store.append(&debate("a"), record(4, 1, 4)).await.is_err());
    store.append(&debate("a"), record(1, 1, 5)).await.unwrap();
    assert_eq!(store.verify(&debate("a")).await.unwrap().records, 1);
}

pub(crate) async fn an_unknown_debate_is_not_found(rig: &impl StoreRig) {
    let store = rig.store().await;
    assert!(matches!(store.verify(&debate("a")).await, Err(StoreError::NotFound(id)) if id == debate("a")));
    assert!(store.raw_records(&debate("a")).await.unwrap().is_empty());
}

pub(crate) async fn the_list_is_newest_first_and_pages_without_gaps(rig: &impl StoreRig) {
    let store = rig.store().await;
    for n in 0..7 {
        let record = Record { at: Timestamp(1_000 + n), ..record(1, 1, n) };
        store.append(&debate(&n.to_string()), record).await.unwrap();
    }
    // A later append does not move a debate.
    store.append(&debate("0"), record(2, 1, 9)).await.unwrap();
    let mut seen: Vec<DebateId> = vec![];
    loop {
        let page = store.list(ListPage { limit: 3, after: seen.last().cloned() }).await.unwrap();
        if page.is_empty() {
            break;
        }
        assert!(page.len() <= 3);
        seen.extend(page.into_iter().map(|head| head.id));
    }
    assert_eq!(seen, (0..7).rev().map(|n| debate(&n.to_string())).collect::<Vec<_>>());
    let (mut all, mut sorted) = (store.debates().await.unwrap(), seen);
    all.sort();
    sorted.sort();
    assert_eq!(all, sorted);
    let unknown = store.list(ListPage { limit: 3, after: Some(debate("unknown")) }).await;
    assert!(matches!(unknown, Err(StoreError::NotFound(id)) if id == debate("unknown")));
}

pub(crate) async fn the_head_tells_times_and_end(rig: &impl StoreRig) {
    let store = rig.store().await;
    store.append(&debate("a"), record(1, 2, 1)).await.unwrap();
    let head = async || store.list(ListPage { limit: 1, after: None }).await.unwrap().remove(0);
    let first = head().await;
    assert_eq!(
        (first.last, first.admitted, first.updated, first.ended),
        (Position(2), Timestamp(1_001), Timestamp(1_001), false)
    );
    store.append(&debate("a"), ending(3)).await.unwrap();
    let last = head().await;
    assert_eq!(
        (last.last, last.admitted, last.updated, last.ended),
        (Position(3), Timestamp(1_001), Timestamp(1_003), true)
    );
}
