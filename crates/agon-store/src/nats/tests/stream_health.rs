//! What the store says of itself: streams that are gone, streams that fill, logs that are lost.
use super::{NatsRig, link, on_every_server, small, until};
use crate::contract::{debate, ending, record, summary};
use crate::nats::subjects::job_consumer;
use crate::nats::{NatsLimits, NatsStore, NatsUse};
use crate::{
    AppendError, CancelOrder, Catalogue as _, Commands as _, Jobs as _, Journal as _, ListPage, NatsStoreConfig,
    StoreError, Upkeep as _,
};
use agon_bus::nats::{NatsAuth, NatsConfig, connect};
use agon_core::{Event, Position, Priority, Record, Timestamp};
use agon_testkit::{NatsOptions, NatsServer};
use std::num::NonZeroU64;
use std::time::Duration;

const LOGS: &str = "AGON_LOG_0";
const LONG_AGO: Timestamp = Timestamp(1);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_is_gone_is_named_and_its_logs_are_lost_once_it_is_made_anew() {
    on_every_server(async |rig: NatsRig| {
        let store = rig.open(small()).await;
        let a = debate("a");
        store.append(&a, record(1, 1, 1)).await.unwrap();
        store.note(summary("a", 1)).await.unwrap();
        assert!(!store.is_lost(&a, LONG_AGO).await.unwrap(), "its log is there");
        assert_eq!(store.condition().trouble(), None);

        let link = link(&rig.server.url()).await;
        link.jetstream().delete_stream(LOGS).await.unwrap();
        until("the stream is missed", async || {
            store.condition().broken.iter().any(|why| why.contains(LOGS) && why.contains("agon provision"))
        })
        .await;
        assert!(store.look_again(&a).await.is_err(), "its stream is away");
        // another process sets up what is missing
        drop(rig.open(small()).await);
        assert_eq!(Vec::from_iter(store.missing()), [LOGS]);
        store.look_again(&a).await.unwrap();
        assert!(store.is_lost(&a, LONG_AGO).await.unwrap(), "without a further look of its own");
        until("the stream is there", async || store.condition().trouble().is_none()).await;
        assert!(store.is_lost(&a, LONG_AGO).await.unwrap() && store.missing().is_empty());
        let gone = store.read(&a, Position(1)).await;
        assert!(matches!(gone, Err(StoreError::NotFound(_))), "{gone:?}");
        assert!(store.read(&a, Position(0)).await.unwrap().is_empty(), "not from memory");

        store.delete(&a).await.unwrap();
        assert_eq!(store.get_summary(&a).await.unwrap(), None);
        store.append(&a, record(1, 1, 1)).await.unwrap();
        assert!(!store.is_lost(&a, LONG_AGO).await.unwrap());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_consumer_of_jobs_that_is_gone_is_missing_until_it_answers_again() {
    on_every_server(async |rig: NatsRig| {
        let store = rig.open(NatsStoreConfig { deadline: Duration::from_secs(1), ..small() }).await;
        assert!(store.take("n", Duration::ZERO).await.unwrap().is_none() && store.missing().is_empty());
        let name = job_consumer(Priority::Interactive, 0);
        let link = link(&rig.server.url()).await;
        link.jetstream().get_stream("AGON_JOB").await.unwrap().delete_consumer(&name).await.unwrap();

        store.take("n", Duration::ZERO).await.unwrap_err();
        assert_eq!(Vec::from_iter(store.missing()), [name]);
        NatsStore::restore(&link, &small(), NatsUse::ALL).await.unwrap();
        assert!(store.take("n", Duration::ZERO).await.unwrap().is_none() && store.missing().is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_struck_debate_is_forgotten_everywhere_although_the_stream_had_lost_it() {
    on_every_server(async |rig: NatsRig| {
        let (here, there) = (rig.open(small()).await, rig.open(small()).await);
        here.note(summary("a", 1)).await.unwrap();
        let known = async || there.get_summary(&debate("a")).await.unwrap().is_some();
        until("the other knows it", known).await;
        let link = link(&rig.server.url()).await;
        link.jetstream().get_stream("AGON_IDX").await.unwrap().purge().await.unwrap();

        here.strike(&debate("a")).await.unwrap();

        until("the other forgets it", async || !known().await).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_the_catalogue_has_lost_is_told_and_kept_again_once_it_is_noted() {
    on_every_server(async |rig: NatsRig| {
        let store = rig.open(small()).await;
        store.ready().await;
        let (a, b) = (debate("a"), debate("b"));
        let unkept = async || store.unkept(vec![a.clone(), b.clone()]).await.unwrap();
        store.note(summary("a", 1)).await.unwrap();
        assert_eq!(unkept().await, vec![b.clone()]);
        let link = link(&rig.server.url()).await;

        let found = async |name: &str| {
            let late = rig.open(small()).await;
            late.ready().await;
            late.get_summary(&debate(name)).await.unwrap()
        };
        link.jetstream().delete_stream("AGON_IDX").await.unwrap();
        // sets up what is missing, and knows nothing
        assert_eq!(found("a").await, None);
        until("the loss is seen", async || store.losses() > 0).await;
        assert_eq!(store.get_summary(&a).await.unwrap(), Some(summary("a", 1)), "it was heard of here");
        assert_eq!(unkept().await, [a.clone(), b.clone()]);
        store.note(summary("a", 1)).await.unwrap();
        assert_eq!(found("a").await, Some(summary("a", 1)));

        link.jetstream().get_stream("AGON_IDX").await.unwrap().purge().await.unwrap();
        assert_eq!(unkept().await, [a.clone(), b.clone()]);
        store.note(summary("a", 1)).await.unwrap();
        assert_eq!((unkept().await, found("a").await), (vec![b.clone()], Some(summary("a", 1))));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_log_is_left_out_of_the_list_and_the_pages_go_on_behind_it() {
    on_every_server(async |rig: NatsRig| {
        let store = rig.open(small()).await;
        let junk = (store.log_place(&debate("junk")).subject, bytes::Bytes::from_static(b"no record"));
        store.append(&debate("a"), record(1, 1, 1)).await.unwrap();
        link(&rig.server.url()).await.jetstream().publish(junk.0, junk.1).await.unwrap().await.unwrap();
        store.append(&debate("b"), record(1, 1, 1)).await.unwrap();

        let mut listed = Vec::new();
        while let [head] = store.list(ListPage { limit: 1, after: listed.last().cloned() }).await.unwrap().as_slice() {
            listed.push(head.id.clone());
        }

        assert_eq!(listed, [debate("b"), debate("a")]);
        assert!(store.debates().await.unwrap().contains(&debate("junk")), "what is damaged is there all the same");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deletion_that_fails_because_a_stream_is_missing_removes_nothing_and_can_be_done_again() {
    on_every_server(async |rig: NatsRig| {
        let store = rig.open(small()).await;
        let (a, link) = (debate("a"), link(&rig.server.url()).await);
        store.append(&a, record(1, 1, 1)).await.unwrap();
        store.note(summary("a", 1)).await.unwrap();
        for stream in ["AGON_BIG", "AGON_IDX"] {
            link.jetstream().delete_stream(stream).await.unwrap();
            store.delete(&a).await.unwrap_err();
            assert_eq!(store.verify(&a).await.unwrap().records, 1, "{stream}");
            drop(rig.open(small()).await);
        }
        assert!(store.delete(&a).await.unwrap());
        until("it is forgotten", async || store.get_summary(&a).await.unwrap().is_none()).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_is_full_while_ends_still_fit_and_has_room_once_debates_are_deleted() {
    on_every_server(async |rig: NatsRig| {
        let limits = NatsLimits { log_bytes: NonZeroU64::new(1 << 20).unwrap(), ..NatsLimits::default() };
        let store = rig.open(NatsStoreConfig { limits, reserve_percent: 20, ..small() }).await;
        store.append(&debate("a"), record(1, 1, 1)).await.unwrap();
        let link = link(&rig.server.url()).await;
        let junk = |n: usize| (format!("agon.v1.log.0.default.junk-{n}"), bytes::Bytes::from(vec![0; 60 << 10]));
        for (subject, body) in (0..15).map(junk) {
            link.jetstream().publish(subject, body).await.unwrap().await.unwrap();
        }
        until("the stream is full", async || store.condition().fullness().is_some()).await;
        let full = store.condition();
        assert!(full.full[0].contains("agon delete") && full.full[0].contains("logs_mib"), "{full:?}");
        assert!(full.exhausted.is_empty() && full.broken.is_empty(), "{full:?}");
        store.append(&debate("a"), record(2, 1, 2)).await.unwrap();
        store.append(&debate("b"), record(1, 1, 1)).await.unwrap_err();
        store.order_cancel(&debate("a"), CancelOrder { reason: "over".to_owned(), by: None }).await.unwrap();

        for (subject, body) in (15..19).map(junk) {
            // the last ones do not fit
            drop(link.jetstream().publish(subject, body).await.unwrap().await);
        }
        until("nothing is left", async || !store.condition().exhausted.is_empty()).await;
        let refused = store.append(&debate("a"), record(3, 3_000, 3)).await.unwrap_err();
        assert!(matches!(&refused, AppendError::Store(StoreError::Full(_))), "{refused}");

        for n in 0..19 {
            let filter = format!("agon.v1.log.0.default.junk-{n}");
            link.jetstream().get_stream(LOGS).await.unwrap().purge().filter(filter).await.unwrap();
        }
        until("there is room", async || store.condition().trouble().is_none()).await;
        store.append(&debate("a"), record(3, 1, 3)).await.unwrap();
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_right_that_was_taken_away_is_named_once_a_write_is_refused() {
    let config = "authorization { users: [{user: a, password: b, permissions: {publish: {deny: \"agon.v1.log.>\"}}}] }";
    let server = NatsServer::start_with(NatsOptions { config: config.to_owned(), ..NatsOptions::default() }).unwrap();
    let auth = NatsAuth::UserPassword { user: "a".into(), password: "b".into() };
    let link = connect(NatsConfig { auth, ..NatsConfig::new([server.url()], "test", "node") }).await.unwrap();
    let store = NatsStore::open(&link, small()).await.unwrap();
    assert_eq!(store.condition().trouble(), None);

    let a = debate("a");
    let (refused, ()) = tokio::join!(
        store.append(&a, record(1, 1, 1)),
        until("the right is missed", async || {
            store.condition().broken.iter().any(|why| why.contains("may not publish to agon.v1.log.0."))
        }),
    );
    assert!(refused.is_err());
}

/// Has a stream answer messages to it, or not: it then answers questions alone, as one of nats-server 2.15 whose disk is full.
async fn answering(link: &agon_bus::nats::NatsLink, stream: &str, answers: bool) {
    let mut config = link.jetstream().get_stream(stream).await.unwrap().cached_info().config.clone();
    config.no_ack = !answers;
    link.jetstream().update_stream(config).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_that_answers_questions_and_no_messages_is_told_until_it_answers() {
    on_every_server(async |rig: NatsRig| {
        let store = rig.open(NatsStoreConfig { deadline: Duration::from_secs(1), ..small() }).await;
        let link = link(&rig.server.url()).await;
        answering(&link, LOGS, false).await;

        let unsure = store.append(&debate("a"), record(1, 1, 1)).await.unwrap_err();
        assert!(matches!(unsure, AppendError::Unsure(_)), "{unsure}");
        until("the stream is told", async || store.condition().fullness().is_some()).await;
        let condition = store.condition();
        assert!(condition.exhausted[0].contains("stream AGON_LOG_0 stores nothing"), "{condition:?}");
        assert_eq!((&condition.broken, &condition.exhausted), (&vec![], &condition.full));

        answering(&link, LOGS, true).await;
        store.append(&debate("b"), record(1, 1, 1)).await.unwrap();
        until("all is well", async || store.condition().trouble().is_none()).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_writes_nothing_finds_out_that_nothing_is_stored() {
    on_every_server(async |rig: NatsRig| {
        let config = NatsStoreConfig { deadline: Duration::from_secs(1), ..small() };
        let link = link(&rig.server.url()).await;
        // a host, which may write less than others
        let uses = NatsUse { admits: false, owns: false, evals: false, queues: false };
        drop(rig.open(config.clone()).await);
        let store = NatsStore::open_for(&link, config, uses).await.unwrap();
        let stored = async || link.jetstream().get_stream("AGON_BIG").await.unwrap().cached_info().state.clone();
        until("it tries", async || stored().await.last_sequence == 1).await;
        assert_eq!(store.condition().trouble(), None);
        answering(&link, "AGON_BIG", false).await;
        until("it is told", async || store.condition().exhausted.iter().any(|why| why.contains("AGON_BIG"))).await;
        assert_eq!(stored().await.messages, 1, "the last one alone is kept");

        answering(&link, "AGON_BIG", true).await;
        until("all is well", async || store.condition().trouble().is_none()).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_burst_of_debates_leaves_the_reserve_in_which_cancelled_ones_end() {
    on_every_server(async |rig: NatsRig| {
        let limits = NatsLimits { log_bytes: NonZeroU64::new(1 << 20).unwrap(), ..NatsLimits::default() };
        let store = rig.open(NatsStoreConfig { limits, reserve_percent: 10, ..small() }).await;
        let filled = |first, bytes| {
            let event = Event::DebateResumed { by: Some("x".repeat(bytes)) };
            Record { events: vec![event], ..record(first, 1, first) }
        };
        let large = filled(1, 60 << 10);
        let mut burst = tokio::task::JoinSet::new();
        for n in 0..30 {
            let (store, large) = (std::sync::Arc::clone(&store), large.clone());
            burst.spawn(async move { store.append(&debate(&format!("{n}")), large).await.map(|_| n) });
        }
        let mut admitted = Vec::new();
        for outcome in burst.join_all().await {
            match outcome {
                Ok(n) => admitted.push(n),
                Err(refused) => assert!(matches!(&refused, AppendError::Store(StoreError::Full(_))), "{refused}"),
            }
        }
        let link = link(&rig.server.url()).await;
        let used = async || link.jetstream().get_stream(LOGS).await.unwrap().cached_info().state.bytes;
        assert!(used().await < (1 << 20) * 9 / 10 && admitted.len() > 12, "{admitted:?}: {}", used().await);

        // what runs already goes on to nearly the end of the reserve, and is cancelled there
        let id = debate(&admitted[0].to_string());
        let mut next = 2;
        while used().await < (1 << 20) * 39 / 40 && store.append(&id, filled(next, 8 << 10)).await.is_ok() {
            next += 1;
        }
        until("the reserve is used up", async || !store.condition().exhausted.is_empty()).await;
        let refused = store.append(&id, filled(next, 1)).await.unwrap_err();
        assert!(matches!(&refused, AppendError::Store(StoreError::Full(_))), "{refused}");
        for n in admitted {
            let id = debate(&n.to_string());
            store.order_cancel(&id, CancelOrder { reason: "over".to_owned(), by: None }).await.unwrap();
            let last = store.read(&id, Position(0)).await.unwrap().last().unwrap().last();
            store.append(&id, ending(last.0 + 1)).await.unwrap();
        }
    })
    .await;
}
