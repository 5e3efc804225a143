use super::{StoreRig, debate};
use crate::{RequestClaim, Requests as _};
use agon_core::TenantId;
use std::sync::Arc;

fn claim(name: &str) -> RequestClaim {
    RequestClaim { debate: debate(name), payload: [7; 32] }
}

fn tenant(name: &str) -> TenantId {
    TenantId::parse(name).unwrap()
}

pub(crate) async fn a_request_id_stands_for_its_first_claim<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    let tenant = tenant("acme");
    assert_eq!(store.claimed(&tenant, "one").await.unwrap(), None, "looking claims nothing");
    assert_eq!(store.claim(&tenant, "one", claim("a")).await.unwrap(), claim("a"));
    assert_eq!(store.claimed(&tenant, "one").await.unwrap(), Some(claim("a")));
    let other = RequestClaim { payload: [9; 32], ..claim("b") };
    assert_eq!(store.claim(&tenant, "one", other.clone()).await.unwrap(), claim("a"));
    assert_eq!(store.claim(&tenant, "two", other.clone()).await.unwrap(), other);
}

pub(crate) async fn tenants_have_their_own_request_ids<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    for name in ["acme", "default", "other"] {
        assert_eq!(store.claim(&tenant(name), "one", claim(name)).await.unwrap(), claim(name));
    }
    assert_eq!(store.claim(&tenant("acme"), "one", claim("x")).await.unwrap(), claim("acme"));
}

pub(crate) async fn of_many_claimers_one_wins<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    let mut tasks = tokio::task::JoinSet::new();
    for n in 0..8 {
        let store = Arc::clone(&store);
        tasks.spawn(async move { store.claim(&tenant("acme"), "one", claim(&n.to_string())).await.unwrap() });
    }
    let answers = tasks.join_all().await;
    let stands = store.claim(&tenant("acme"), "one", claim("late")).await.unwrap();
    assert_ne!(stands, claim("late"));
    assert!(answers.iter().all(|answer| *answer == stands), "{stands:?}: {answers:?}");
}

pub(crate) async fn any_text_is_a_request_id<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    let long = "x".repeat(200);
    let ids = ["*", ">", "a", "A", "a.b", "a b", "a/b", "ä", "a\n", "$JS", "a'b", long.as_str()];
    for round in ["first", "second"] {
        for (n, id) in ids.iter().enumerate() {
            let stands = store.claim(&tenant("acme"), id, claim(&format!("{round}-{n}"))).await.unwrap();
            assert_eq!(stands, claim(&format!("first-{n}")), "{id:?}");
        }
    }
}
