//! The catalogue as several processes see it.
use super::{NatsRig, on_every_server, small, until};
use crate::contract::{debate, summary};
use crate::{Catalogue as _, CatalogueQuery, DebateSummary, NatsStore, SummaryState};
use agon_core::{DebateState, NodeId};

async fn known(store: &NatsStore, name: &str) -> Option<DebateSummary> {
    store.get_summary(&debate(name)).await.unwrap()
}
fn running(name: &str, epoch: u64) -> DebateSummary {
    DebateSummary { state: SummaryState::Running { owner: NodeId::new("node") }, epoch, ..summary(name, 1) }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_process_learns_what_others_note_and_strike() {
    on_every_server(async |rig| {
        let [one, other] = [rig.open(small()).await, rig.open(small()).await];
        one.note(summary("a", 1)).await.unwrap();
        until("the note is seen", async || known(&other, "a").await == Some(summary("a", 1))).await;
        other.note(running("a", 1)).await.unwrap();
        until("the answer is seen", async || known(&one, "a").await == Some(running("a", 1))).await;
        other.strike(&debate("a")).await.unwrap();
        until("the end is seen", async || known(&one, "a").await.is_none()).await;
        let late = rig.open(small()).await;
        late.ready().await;
        assert_eq!(known(&late, "a").await, None);
        one.note(summary("a", 2)).await.unwrap();
        until("it came back", async || known(&late, "a").await == Some(summary("a", 2))).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_old_owner_notes_does_not_stay_even_where_nobody_knows_better() {
    on_every_server(async |rig| {
        let [old, new] = [rig.open(small()).await, rig.open(small()).await];
        let ended = SummaryState::Ended { state: DebateState::Succeeded, outcome: None };
        let ended = DebateSummary { state: ended, ..running("a", 2) };
        // Both note at once, again and again: whoever loses the race finds out what stands.
        for epoch in 1..=20 {
            let (one, other) = tokio::join!(old.note(running("b", epoch)), new.note(running("b", epoch + 100)));
            one.and(other).unwrap();
        }
        new.note(ended.clone()).await.unwrap();
        old.note(running("a", 1)).await.unwrap();
        let late = rig.open(small()).await;
        late.ready().await;
        assert_eq!(known(&late, "a").await, Some(ended));
        assert_eq!(known(&late, "b").await, Some(running("b", 120)));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_is_ready_knows_all_that_was_there() {
    on_every_server(async |rig| {
        let writer = rig.open(small()).await;
        for n in 0..500 {
            writer.note(summary(&n.to_string(), n)).await.unwrap();
        }
        let reader = rig.open(small()).await;
        reader.ready().await;
        let found = reader.find(&CatalogueQuery { limit: 1_000, ..CatalogueQuery::default() }).await.unwrap();
        assert_eq!(found.len(), 500);
        reader.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn notes_are_seen_again_after_the_server_has_restarted() {
    on_every_server(async |mut rig: NatsRig| {
        let [one, other] = [rig.open(small()).await, rig.open(small()).await];
        one.ready().await;
        other.ready().await;
        one.note(summary("before", 1)).await.unwrap();
        for round in 0..3 {
            rig.server.kill();
            rig.server.restart().unwrap();
            let name = format!("after-{round}");
            until("a note is taken", async || one.note(summary(&name, 1)).await.is_ok()).await;
            until("the note is seen", async || known(&other, &name).await.is_some()).await;
        }
        assert_eq!(known(&other, "before").await, Some(summary("before", 1)));
    })
    .await;
}
