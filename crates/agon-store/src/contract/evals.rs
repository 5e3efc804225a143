use super::{StoreRig, debate};
use crate::{EvalAppendError, EvalLogs as _, MAX_EVAL_RECORD, NewEvalRecord, StoreError};
use agon_core::{DebateId, TenantId, Timestamp};
use std::collections::BTreeSet;
use std::sync::Arc;

fn record(after: u64, body: &str) -> NewEvalRecord {
    NewEvalRecord {
        after,
        at: Timestamp(1_000 + after),
        body: body.as_bytes().into(),
        card: format!("card {after}").into_bytes().into(),
        ended: body == "end",
    }
}

pub(crate) async fn a_log_of_an_eval_grows_and_is_read_from_anywhere(rig: &impl StoreRig) {
    let store = rig.store().await;
    let eval = debate("a");
    assert_eq!(store.read_eval(&eval, 0).await.unwrap(), []);
    assert_eq!(store.eval_head(&eval).await.unwrap(), None);
    let mut hashes = Vec::new();
    for (after, body) in ["begin", "middle", "end"].into_iter().enumerate() {
        hashes.push(store.append_eval(&eval, record(after as u64, body)).await.unwrap());
    }
    let records = store.read_eval(&eval, 0).await.unwrap();
    let told: Vec<_> = records.iter().map(|r| (r.number, r.at.0, &r.body[..], r.hash)).collect();
    let bodies: [&[u8]; 3] = [b"begin", b"middle", b"end"];
    let wanted: Vec<_> = (0..3).map(|n| (n as u64 + 1, 1_000 + n as u64, bodies[n], hashes[n])).collect();
    assert_eq!(told, wanted);
    assert_eq!(store.read_eval(&eval, 2).await.unwrap(), records[2..]);
    assert_eq!(store.read_eval(&eval, u64::MAX).await.unwrap(), []);
    let head = store.eval_head(&eval).await.unwrap().unwrap();
    assert_eq!((head.records, head.hash, head.ended), (3, hashes[2], true));
    assert_eq!((head.admitted.0, head.updated.0, &head.card[..]), (1_000, 1_002, &b"card 2"[..]));
}

pub(crate) async fn a_record_that_does_not_continue_an_evals_log_is_fenced(rig: &impl StoreRig) {
    let store = rig.store().await;
    let eval = debate("a");
    let fenced = |result: Result<_, EvalAppendError>| match result {
        Err(EvalAppendError::Fenced { records }) => records,
        other => panic!("{other:?}"),
    };
    assert_eq!(fenced(store.append_eval(&eval, record(1, "x")).await), 0);
    store.append_eval(&eval, record(0, "begin")).await.unwrap();
    assert_eq!(fenced(store.append_eval(&eval, record(0, "again")).await), 1);
    assert_eq!(fenced(store.append_eval(&eval, record(7, "far")).await), 1);
    assert_eq!(store.read_eval(&eval, 0).await.unwrap().len(), 1);
    for bytes in [0, MAX_EVAL_RECORD + 1] {
        let body = vec![b'x'; bytes].into();
        let refused = store.append_eval(&eval, NewEvalRecord { body, ..record(1, "x") }).await;
        assert!(matches!(refused, Err(EvalAppendError::Size(n)) if n == bytes), "{bytes}");
    }
}

pub(crate) async fn of_many_drivers_of_an_eval_one_appends(rig: &impl StoreRig) {
    let store = rig.store().await;
    let eval = debate("a");
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..8 {
        let (store, eval) = (Arc::clone(&store), eval.clone());
        tasks.spawn(async move { store.append_eval(&eval, record(0, &n.to_string())).await.is_ok() });
    }
    assert_eq!(tasks.join_all().await.into_iter().filter(|won| *won).count(), 1);
}

pub(crate) async fn evals_are_listed_newest_first_and_deleted_alone(rig: &impl StoreRig) {
    let store = rig.store().await;
    let names = ["a", "b", "c"].map(debate);
    for eval in &names {
        store.append_eval(eval, record(0, "begin")).await.unwrap();
    }
    store.append_eval(&names[0], record(1, "more")).await.unwrap();
    let ids = async |before, limit| -> Vec<_> {
        store.list_evals(&TenantId::default(), before, limit).await.unwrap().into_iter().map(|head| head.id).collect()
    };
    assert_eq!(ids(None, 10).await, [&names[2], &names[1], &names[0]].map(Clone::clone));
    assert_eq!(ids(Some(&names[2]), 1).await, [names[1].clone()]);
    assert!(matches!(
        store.list_evals(&TenantId::default(), Some(&debate("zz")), 1).await,
        Err(StoreError::NotFound(_))
    ));
    assert!(store.delete_eval(&names[1]).await.unwrap());
    assert!(!store.delete_eval(&names[1]).await.unwrap());
    assert_eq!(ids(None, 10).await, [names[2].clone(), names[0].clone()]);
    assert_eq!(store.read_eval(&names[1], 0).await.unwrap(), []);
    assert_eq!(store.read_eval(&names[0], 0).await.unwrap().len(), 2);
    store.append_eval(&names[1], record(0, "anew")).await.unwrap();
    assert_eq!(store.read_eval(&names[1], 0).await.unwrap().len(), 1);
}

pub(crate) async fn evals_of_tenants_are_apart_and_open_ones_are_known(rig: &impl StoreRig) {
    let store = rig.store().await;
    let (default, other) = (TenantId::default(), TenantId::parse("other").unwrap());
    let names = ["default", "other", "other", "other"].iter().zip(["eval-a", "eval-a", "eval-b", "eval-c"]);
    let names: Vec<_> =
        names.map(|(tenant, name)| DebateId::in_tenant(&TenantId::parse(tenant).unwrap(), name).unwrap()).collect();
    for eval in &names {
        store.append_eval(eval, record(0, "begin")).await.unwrap();
    }
    store.append_eval(&names[2], record(1, "end")).await.unwrap();
    let ids = async |tenant, before, limit| -> Vec<_> {
        store.list_evals(tenant, before, limit).await.unwrap().into_iter().map(|head| head.id).collect()
    };
    assert_eq!(ids(&default, None, 10).await, names[..1]);
    assert_eq!(ids(&other, None, 2).await, [names[3].clone(), names[2].clone()]);
    assert_eq!(ids(&other, Some(&names[2]), 10).await, [names[1].clone()]);
    assert!(matches!(store.list_evals(&default, Some(&names[1]), 1).await, Err(StoreError::NotFound(_))));
    let open = async || -> BTreeSet<_> { store.open_evals().await.unwrap().into_iter().map(|head| head.id).collect() };
    assert_eq!(open().await, [0, 1, 3].map(|n| names[n].clone()).into());
    store.append_eval(&names[2], record(2, "retried")).await.unwrap();
    store.append_eval(&names[0], record(1, "end")).await.unwrap();
    store.delete_eval(&names[3]).await.unwrap();
    assert_eq!(open().await, [1, 2].map(|n| names[n].clone()).into());
}
