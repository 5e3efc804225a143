//! A server that is away.
use super::{NatsRig, on_every_server, small, until};
use crate::contract::{TURN, debate, record, said, summary};
use crate::{
    CancelOrder, Catalogue as _, Commands as _, Jobs as _, Journal as _, ListPage, NatsStore, NatsStoreConfig,
    Registers as _, RequestClaim, Requests as _, Upkeep as _,
};
use agon_core::{Position, Priority, TenantId};
use std::time::Duration;

/// Which of all calls fail.
async fn failing(store: &NatsStore) -> Vec<&'static str> {
    let (a, order) = (debate("a"), CancelOrder { reason: "over".to_owned(), by: None });
    let claim = RequestClaim { debate: a.clone(), payload: [7; 32] };
    let calls = [
        ("append", store.append(&a, record(1, 1, 1)).await.is_err()),
        ("read", store.read(&debate("b"), Position(0)).await.is_err()),
        ("decide", store.decide(&a, TURN, said("x")).await.is_err()),
        ("get", store.get(&debate("b"), TURN).await.is_err()),
        ("enqueue", store.enqueue(&a, Priority::Normal).await.is_err()),
        ("take", store.take("owner", Duration::from_secs(1)).await.is_err()),
        ("order", store.order_cancel(&a, order).await.is_err()),
        ("ordered", store.cancel_ordered(&a).await.is_err()),
        ("orders", store.orders_after(None).await.is_err()),
        ("claim", store.claim(&TenantId::default(), "request", claim).await.is_err()),
        ("note", store.note(summary("a", 1)).await.is_err()),
        ("strike", store.strike(&debate("b")).await.is_err()),
        ("verify", store.verify(&debate("b")).await.is_err_and(|error| !error.to_string().contains("no debate"))),
        ("list", store.list(ListPage { limit: 1, after: None }).await.is_err()),
    ];
    calls.into_iter().filter(|(_, failed)| *failed).map(|(call, _)| call).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_fail_in_time_while_the_server_is_away_and_work_when_it_is_back() {
    on_every_server(async |mut rig: NatsRig| {
        let store = rig.open(NatsStoreConfig { deadline: Duration::from_millis(300), ..small() }).await;
        rig.server.kill();
        let away = tokio::time::timeout(Duration::from_secs(60), failing(&store)).await.expect("a call hangs");
        assert_eq!(away.len(), 14, "{away:?}");
        rig.server.restart().unwrap();
        until("the log is read", async || store.read(&debate("b"), Position(0)).await.is_ok()).await;
        // What was sent while there was no connection may have landed since: that is an answer too.
        let back = failing(&store).await;
        assert!(back.is_empty() || back == ["append"], "{back:?}");
        assert_eq!(store.verify(&debate("a")).await.unwrap().records, 1);
    })
    .await;
}
