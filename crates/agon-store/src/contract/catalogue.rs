use super::{StoreRig, debate, eventually, summary};
use crate::{
    Catalogue as _, CatalogueQuery, DebateBacklog, DebateSummary, DebateVectors, ListCursor, ListState, SummaryState,
};
use agon_core::{
    DebateId, DebateState, ModelName, ModelUsage, NodeId, Outcome, Position, Priority, SummaryFigures, TenantId,
    Timestamp, UsageTotals,
};
use std::collections::BTreeSet;

fn all() -> CatalogueQuery {
    CatalogueQuery { limit: 99, ..CatalogueQuery::default() }
}

fn running(summary: DebateSummary, epoch: u64, last: u64) -> DebateSummary {
    DebateSummary {
        state: SummaryState::Running { owner: NodeId::from("node") },
        epoch,
        last: Position(last),
        updated: Timestamp(last),
        card: None,
        ..summary
    }
}

fn ended(summary: DebateSummary, outcome: Option<Outcome>) -> DebateSummary {
    let state = if outcome.is_some() { DebateState::Succeeded } else { DebateState::Cancelled };
    DebateSummary { state: SummaryState::Ended { state, outcome }, ..running(summary, 1, 9) }
}

fn ids(found: Vec<DebateSummary>) -> Vec<DebateId> {
    found.into_iter().map(|summary| summary.id).collect()
}

/// Notes summaries and waits until they are known.
async fn note<R: StoreRig>(rig: &R, store: &R::Store, summaries: impl IntoIterator<Item = DebateSummary>) {
    for summary in summaries {
        store.note(summary.clone()).await.unwrap();
        let id = summary.id.clone();
        eventually(rig, &Some(summary), async || store.get_summary(&id).await.unwrap()).await;
    }
}

pub(crate) async fn debates_are_found_newest_first<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    note(rig, &store, [summary("b", 5), summary("z", 1), summary("a", 5), summary("m", 9)]).await;
    // A later note does not move a debate.
    note(rig, &store, [running(summary("z", 1), 1, 7)]).await;
    let expected = ["m", "b", "a", "z"].map(debate).to_vec();
    assert_eq!(ids(store.find(&all()).await.unwrap()), expected);
    assert_eq!(ids(store.find(&CatalogueQuery { limit: 2, ..all() }).await.unwrap()), expected[..2]);
    assert!(store.find(&CatalogueQuery { limit: 0, ..all() }).await.unwrap().is_empty());
    assert_eq!(store.get_summary(&debate("unknown")).await.unwrap(), None);
}

pub(crate) async fn pages_have_no_gaps_while_debates_are_added<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    // Three of each moment, so that pages end inside one.
    note(rig, &store, (0..20).map(|n| summary(&format!("{n:02}"), 100 + n / 3))).await;
    let mut seen = vec![];
    let mut after: Option<ListCursor> = None;
    loop {
        let page =
            store.find(&CatalogueQuery { limit: 4, after: after.clone(), ..CatalogueQuery::default() }).await.unwrap();
        let Some(last) = page.last() else { break };
        after = Some(ListCursor { admitted: last.admitted, id: last.id.clone() });
        note(rig, &store, [summary(&format!("new-{}", seen.len()), 500 + seen.len() as u64)]).await;
        seen.extend(ids(page));
    }
    assert_eq!(seen, (0..20).rev().map(|n| debate(&format!("{n:02}"))).collect::<Vec<_>>());
}

pub(crate) async fn every_filter_filters<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    let mut labelled = summary("labelled", 2);
    labelled.labels = [("team", "red"), ("tier", "1")].map(|(key, value)| (key.to_owned(), value.to_owned())).into();
    labelled.topic = "Äpfel or pears?".to_owned();
    let anew = SummaryFigures { rejudges: Some(debate("decided")), ..SummaryFigures::default() };
    let over = [
        ended(summary("decided", 4), Some(Outcome::Decided)),
        DebateSummary { figures: Some(anew), ..ended(summary("tied", 5), Some(Outcome::Tie)) },
        ended(summary("cancelled", 6), None),
    ];
    note(rig, &store, [summary("queued", 1), labelled, running(summary("running", 3), 1, 2)]).await;
    note(rig, &store, over).await;
    let labels = |pairs: &[(&str, &str)]| pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    let states = |states: &[ListState]| CatalogueQuery { states: states.to_vec(), ..all() };
    let cases: Vec<(CatalogueQuery, &[&str])> = vec![
        (states(&[ListState::Queued]), &["labelled", "queued"]),
        (states(&[ListState::Running, ListState::Ended(DebateState::Cancelled)]), &["cancelled", "running"]),
        (CatalogueQuery { outcomes: vec![Outcome::Tie], ..all() }, &["tied"]),
        (CatalogueQuery { outcomes: vec![Outcome::Tie, Outcome::Decided], ..all() }, &["tied", "decided"]),
        (CatalogueQuery { labels: labels(&[("team", "red"), ("tier", "")]), ..all() }, &["labelled"]),
        (CatalogueQuery { labels: labels(&[("team", "blue")]), ..all() }, &[]),
        (CatalogueQuery { labels: labels(&[("team", "red"), ("other", "")]), ..all() }, &[]),
        (CatalogueQuery { admitted_from: Some(Timestamp(5)), ..all() }, &["cancelled", "tied"]),
        (CatalogueQuery { admitted_before: Some(Timestamp(2)), ..all() }, &["queued"]),
        (
            CatalogueQuery { admitted_from: Some(Timestamp(2)), admitted_before: Some(Timestamp(4)), ..all() },
            &["running", "labelled"],
        ),
        (CatalogueQuery { text: Some("äPFEL".to_owned()), ..all() }, &["labelled"]),
        (CatalogueQuery { text: Some("ABELLE".to_owned()), ..all() }, &["labelled"]),
        (CatalogueQuery { rejudges: vec![debate("decided"), debate("lost")], ..all() }, &["tied"]),
        (CatalogueQuery { text: Some("topic of".to_owned()), limit: 1, ..all() }, &["cancelled"]),
        (
            CatalogueQuery { admitted_before: Some(Timestamp(6)), after: Some(place("tied", 5)), limit: 2, ..all() },
            &["decided", "running"],
        ),
        (
            CatalogueQuery { admitted_before: Some(Timestamp(3)), after: Some(place("tied", 5)), limit: 1, ..all() },
            &["labelled"],
        ),
    ];
    for (query, expected) in cases {
        let expected: Vec<_> = expected.iter().map(|name| debate(name)).collect();
        assert_eq!(ids(store.find(&query).await.unwrap()), expected, "{query:?}");
    }
}

fn place(name: &str, admitted: u64) -> ListCursor {
    ListCursor { admitted: Timestamp(admitted), id: debate(name) }
}

pub(crate) async fn debates_are_found_by_their_models<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    let calling = |name, admitted, models: &[&str]| {
        let usage = UsageTotals { calls: 2, unknown_calls: 1, prompt_tokens: 9, ..UsageTotals::default() };
        let models = models.iter().map(|model| ModelUsage { model: ModelName::from(*model), usage });
        let winner = Some(format!("winner of {name}"));
        let figures = SummaryFigures { winner, models: models.collect(), ..SummaryFigures::default() };
        DebateSummary { figures: Some(figures), ..summary(name, admitted) }
    };
    let both = calling("both", 3, &["small", "large"]);
    note(rig, &store, [summary("unknown", 1), calling("small", 2, &["small"]), both, calling("none", 4, &[])]).await;
    let found = async |models: &[&str]| {
        let models = models.iter().map(|model| ModelName::from(*model)).collect();
        ids(store.find(&CatalogueQuery { models, ..all() }).await.unwrap())
    };
    let debates = |names: &[&str]| names.iter().map(|name| debate(name)).collect::<Vec<_>>();
    assert_eq!(found(&[]).await, debates(&["none", "both", "small", "unknown"]));
    assert_eq!(found(&["small"]).await, debates(&["both", "small"]));
    assert_eq!(found(&["large", "absent"]).await, debates(&["both"]));
    for absent in ["absent", "smal", "Small", ""] {
        assert_eq!(found(&[absent]).await, debates(&[]), "{absent:?}: names are exact");
    }
    // A later note may name more models.
    note(rig, &store, [running(calling("small", 2, &["large"]), 1, 7)]).await;
    assert_eq!(found(&["large"]).await, debates(&["both", "small"]));
}

pub(crate) async fn tenants_are_apart<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    let tenant = |name| TenantId::parse(name).unwrap();
    let of = |name, admitted| DebateSummary {
        id: DebateId::in_tenant(&tenant(name), "debate-x").unwrap(),
        ..summary("x", admitted)
    };
    note(rig, &store, [of("acme", 1), of("default", 2), of("acme-2", 3)]).await;
    for name in ["acme", "default", "acme-2"] {
        let found = store.find(&CatalogueQuery { tenant: Some(tenant(name)), ..all() }).await.unwrap();
        assert_eq!(ids(found), [of(name, 0).id], "{name}");
    }
    assert!(store.find(&CatalogueQuery { tenant: Some(tenant("nobody")), ..all() }).await.unwrap().is_empty());
    assert_eq!(store.find(&all()).await.unwrap(), [of("acme-2", 3), of("default", 2), of("acme", 1)]);
    store.strike(&of("acme", 1).id).await.unwrap();
    eventually(rig, &vec![of("acme-2", 3), of("default", 2)], async || store.find(&all()).await.unwrap()).await;
}

pub(crate) async fn an_older_note_never_replaces_a_newer<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    let steps = [
        summary("a", 1),
        running(summary("a", 1), 1, 2),
        running(summary("a", 1), 1, 8),
        running(summary("a", 1), 2, 8),
        ended(summary("a", 1), Some(Outcome::Decided)),
    ];
    for (n, step) in steps.iter().enumerate() {
        note(rig, &store, [step.clone()]).await;
        for older in &steps[..n] {
            store.note(older.clone()).await.unwrap();
        }
        // Notes are taken in in their order: once this one is known, those before it are too.
        note(rig, &store, [summary(&format!("mark-{n}"), 9)]).await;
        assert_eq!(store.get_summary(&debate("a")).await.unwrap().as_ref(), Some(step));
    }
}

pub(crate) async fn what_has_not_ended_is_known_oldest_first<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    let (one, two) = (summary("one", 1), running(summary("two", 2), 1, 3));
    note(rig, &store, [two.clone(), ended(summary("over", 3), None), one.clone()]).await;
    assert_eq!(store.unfinished().await.unwrap(), [one.clone(), two]);
    note(rig, &store, [ended(summary("two", 2), Some(Outcome::Tie))]).await;
    assert_eq!(store.unfinished().await.unwrap(), [one]);
}

pub(crate) async fn what_has_not_ended_is_counted_by_how_it_stands<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    let node = NodeId::from("node");
    assert_eq!(store.standing().await.unwrap(), DebateBacklog::default());
    let urgent = DebateSummary { priority: Priority::Interactive, ..summary("urgent", 4) };
    note(rig, &store, [summary("one", 2), urgent, running(summary("two", 1), 1, 3)]).await;
    note(rig, &store, [running(summary("three", 1), 1, 7), ended(summary("over", 1), None)]).await;
    let expected = DebateBacklog {
        queued: [(Priority::Interactive, 1), (Priority::Normal, 1)].into(),
        oldest: Some(Timestamp(2)),
        running: [(node.clone(), 2)].into(),
    };
    assert_eq!(store.standing().await.unwrap(), expected);
    note(rig, &store, [running(summary("one", 2), 1, 9), ended(summary("two", 1), Some(Outcome::Tie))]).await;
    let expected = DebateBacklog {
        queued: [(Priority::Interactive, 1)].into(),
        oldest: Some(Timestamp(4)),
        running: [(node, 2)].into(),
    };
    assert_eq!(store.standing().await.unwrap(), expected);
}

pub(crate) async fn what_was_claimed_and_has_no_owner_is_known<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    let (node, other) = (NodeId::from("node"), NodeId::from("other"));
    let handed_over = DebateSummary { epoch: 2, updated: Timestamp(5), ..summary("handed-over", 4) };
    note(rig, &store, [summary("new", 2), handed_over, running(summary("run", 1), 1, 3)]).await;
    let left = async |gone: &NodeId| {
        let gone = gone.clone();
        let left = store.left(&move |owner| *owner == gone).await.unwrap();
        left.into_iter().collect::<BTreeSet<_>>()
    };
    assert_eq!(left(&other).await, [debate("handed-over")].into());
    assert_eq!(left(&node).await, [debate("handed-over"), debate("run")].into());
    note(rig, &store, [running(summary("handed-over", 4), 3, 6), ended(summary("run", 1), None)]).await;
    assert_eq!(left(&node).await, [debate("handed-over")].into());
    assert_eq!(left(&other).await, [].into());
}

pub(crate) async fn a_struck_debate_is_gone_and_may_come_back<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    note(rig, &store, [ended(summary("a", 5), None), summary("b", 2)]).await;
    store.strike(&debate("a")).await.unwrap();
    store.strike(&debate("unknown")).await.unwrap();
    eventually(rig, &vec![debate("b")], async || ids(store.find(&all()).await.unwrap())).await;
    assert_eq!(store.get_summary(&debate("a")).await.unwrap(), None);
    // What was known is forgotten, so nothing is newer.
    note(rig, &store, [summary("a", 1)]).await;
    assert_eq!(ids(store.find(&all()).await.unwrap()), ["b", "a"].map(debate));
    assert_eq!(ids(store.unfinished().await.unwrap()), ["a", "b"].map(debate));
}

pub(crate) async fn vectors_are_kept_by_model_until_their_debate_is_struck<R: StoreRig>(rig: &R) {
    let store = rig.store().await;
    let (one, other) = (ModelName::from("one"), ModelName::from("other"));
    let of = |name: &str, vector: &[f32]| (debate(name), vector.to_vec());
    note(rig, &store, [ended(summary("a", 1), None), ended(summary("b", 2), None)]).await;
    store.keep_vectors(&one, [of("a", &[0.25, -1.5]), of("b", &[1.0])].into()).await.unwrap();
    store.keep_vectors(&other, [of("a", &[3.0, 4.0, 5.0])].into()).await.unwrap();
    store.keep_vectors(&one, [of("b", &[2.0, f32::MIN_POSITIVE])].into()).await.unwrap();
    let kept = async |model: &ModelName, names: &[&str]| {
        let debates: Vec<_> = names.iter().map(|name| debate(name)).collect();
        store.vectors(model, &debates).await.unwrap()
    };
    let (a, b) = (of("a", &[0.25, -1.5]), of("b", &[2.0, f32::MIN_POSITIVE]));
    assert_eq!(kept(&one, &["a", "b", "unknown"]).await, [a, b.clone()].into());
    assert_eq!(kept(&other, &["a", "b"]).await, [of("a", &[3.0, 4.0, 5.0])].into());
    assert_eq!(kept(&one, &[]).await, DebateVectors::new());
    store.strike(&debate("a")).await.unwrap();
    assert_eq!(kept(&one, &["a", "b"]).await, [b].into());
    assert_eq!(kept(&other, &["a"]).await, DebateVectors::new());
}
