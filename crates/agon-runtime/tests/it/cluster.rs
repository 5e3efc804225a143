//! Several nodes over one bus and one store: whoever dies, drains or is cut off, debates go on.
use crate::cast::Cast;
use crate::outage;
use crate::test_bench::*;
use agon_core::*;
use agon_runtime::{CancelError, Node, NodeConfig, WatchError, Watched};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);
/// Long enough for every node to hear of every other, and of the hosts.
const ACQUAINTED: Duration = Duration::from_secs(10);

fn ids(count: usize) -> Vec<String> {
    (0..count).map(|n| format!("debate-{n}")).collect()
}

/// Two nodes that coordinate, and one whose host plays the turns.
async fn two_and_a_player(stage: &TestBench, cast: &Cast, permits: usize) -> (Node, Node, Node) {
    let player = stage.player("h1", vec![cast.host("gpu1", permits)]).await;
    let nodes = (stage.peer("n1", vec![]).await, stage.peer("n2", vec![]).await, player);
    tokio::time::sleep(ACQUAINTED).await;
    nodes
}

fn claims(log: &[Arc<Record>]) -> Vec<(String, Timestamp)> {
    let events = log.iter().flat_map(|record| record.events.iter().map(|event| (record.at, event)));
    events
        .filter_map(|(at, event)| match event {
            Event::Claimed { writer, .. } => Some((writer.to_string(), at)),
            _ => None,
        })
        .collect()
}

async fn all_succeed(stage: &TestBench, node: &Node, ids: &[String]) {
    for id in ids {
        let ended = tokio::time::timeout(Duration::from_secs(3_600), node.finished(&debate(id))).await;
        assert_eq!(ended.expect("the debate never ends").unwrap().0, DebateState::Succeeded);
        check(&stage.log(id).await);
    }
}

#[tokio::test(start_paused = true)]
async fn debates_of_a_dead_node_go_on_within_ten_seconds_and_nothing_is_paid_twice() {
    let stage = TestBench::new();
    let cast = Cast::new(4 * SECOND);
    let (first, second, player) = two_and_a_player(&stage, &cast, 32).await;
    let ids = ids(20);
    for id in &ids {
        second.submit(admission(id, spec())).await.unwrap();
    }
    tokio::time::sleep(2 * SECOND).await;
    assert!(first.stats().active_debates > 0, "it has something to leave");

    first.stop().await;
    let death = stage.clock.now();
    all_succeed(&stage, &second, &ids).await;

    for id in &ids {
        let log = stage.log(id).await;
        let claims = claims(&log);
        assert!(claims.len() <= 2, "claimed by {claims:?}");
        if let [(_, _), (heir, at)] = claims.as_slice() {
            assert_eq!(heir, "n2");
            assert!(at.since(death) <= 10_000, "taken over after {} ms", at.since(death));
        }
    }
    assert_eq!((cast.calls(), cast.aborted()), (60, 0));
    assert!(player.stop().await);
}

#[tokio::test(start_paused = true)]
async fn a_turn_stays_at_the_host_that_plays_it_whoever_owns_the_debate() {
    let stage = TestBench::new();
    let cast = Cast::new(40 * SECOND);
    let mut players = Vec::new();
    for name in ["gpu1", "gpu2", "gpu3", "gpu4"] {
        players.push(stage.player(&format!("player-{name}"), vec![cast.host(name, 32)]).await);
    }
    let nodes = (stage.peer("n1", vec![]).await, stage.peer("n2", vec![]).await);
    tokio::time::sleep(ACQUAINTED).await;
    let ids = ids(20);
    for id in &ids {
        nodes.1.submit(admission(id, sequential_spec())).await.unwrap();
    }
    // every debate's first turn is under way, so no log says yet where it is played
    tokio::time::sleep(5 * SECOND).await;
    assert!(nodes.0.stats().active_debates > 0, "it has something to leave");

    nodes.0.stop().await;
    all_succeed(&stage, &nodes.1, &ids).await;

    let mut answered = 0;
    for id in &ids {
        let log = stage.log(id).await;
        let turns = events(&log);
        answered += turns.filter(|event| matches!(event, Event::TurnAsked(_))).count();
    }
    assert_eq!((cast.calls(), cast.aborted()), (answered, 0));
}

#[tokio::test(start_paused = true)]
async fn a_process_that_takes_the_place_of_the_only_one_goes_on_within_ten_seconds() {
    let stage = TestBench::new();
    let cast = Cast::new(60 * SECOND);
    let player = stage.player("h1", vec![cast.host("gpu1", 4)]).await;
    let dying = stage.peer("n1", vec![]).await;
    tokio::time::sleep(ACQUAINTED).await;
    player.submit(admission("a-debate", spec())).await.unwrap();
    tokio::time::sleep(5 * SECOND).await;

    dying.stop().await;
    let death = stage.clock.now();
    let next = stage.peer("n2", vec![]).await;
    all_succeed(&stage, &next, &["a-debate".to_owned()]).await;

    let claims = claims(&stage.log("a-debate").await);
    assert_eq!(claims.len(), 2, "{claims:?}");
    assert!(claims[1].1.since(death) <= 10_000, "taken over after {} ms", claims[1].1.since(death));
    assert_eq!((cast.calls(), cast.aborted()), (3, 0));
}

#[tokio::test(start_paused = true)]
async fn the_survivors_share_what_a_dead_node_leaves() {
    let stage = TestBench::new();
    let cast = Cast::new(60 * SECOND);
    let player = stage.player("h1", vec![cast.host("gpu1", 64)]).await;
    let dying = stage.peer("n1", vec![]).await;
    let ids = ids(40);
    for id in &ids {
        player.submit(admission(id, spec())).await.unwrap();
    }
    tokio::time::sleep(ACQUAINTED).await;
    let survivors = [stage.peer("n2", vec![]).await, stage.peer("n3", vec![]).await];
    tokio::time::sleep(ACQUAINTED).await;

    dying.stop().await;
    tokio::time::sleep(ACQUAINTED).await;

    let shares: Vec<usize> = survivors.iter().map(|node| node.stats().active_debates).collect();
    assert_eq!(shares.iter().sum::<usize>(), 40);
    assert!(shares.iter().all(|share| *share >= 8), "{shares:?}");
    assert_eq!(player.nodes().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn an_outage_of_the_bus_declares_nobody_dead() {
    let (stage, outage) = outage::wire(&TestBench::new());
    let cast = Cast::new(30 * SECOND);
    let (first, second, _player) = two_and_a_player(&stage, &cast, 32).await;
    let ids = ids(10);
    for id in &ids {
        first.submit(admission(id, spec())).await.unwrap();
    }
    tokio::time::sleep(2 * SECOND).await;

    outage.bus(true);
    assert!(!first.ready());
    tokio::time::sleep(20 * SECOND).await;
    outage.bus(false);
    all_succeed(&stage, &second, &ids).await;

    for id in &ids {
        assert_eq!(claims(&stage.log(id).await).len(), 1, "{id} was taken over");
    }
    assert!(first.ready());
}

/// How the store is away for two minutes: what begins it, and what ends it.
async fn store_away(begin: impl Fn(&outage::Outage), end: impl Fn(&outage::Outage)) {
    let (stage, outage) = outage::wire(&TestBench::new());
    let cast = Cast::new(5 * SECOND);
    let (first, _second, _player) = two_and_a_player(&stage, &cast, 32).await;
    let ids = ids(10);
    for id in &ids {
        first.submit(admission(id, rich_spec())).await.unwrap();
    }
    tokio::time::sleep(12 * SECOND).await;

    begin(&outage);
    tokio::time::sleep(120 * SECOND).await;
    end(&outage);
    all_succeed(&stage, &first, &ids).await;

    for id in &ids {
        assert_eq!(claims(&stage.log(id).await).len(), 1, "{id} was claimed again");
    }
}

#[tokio::test(start_paused = true)]
async fn a_store_that_fails_for_minutes_ends_no_debate_and_costs_no_claim() {
    store_away(|outage| outage.store(true), |outage| outage.store(false)).await;
}

#[tokio::test(start_paused = true)]
async fn a_store_that_does_not_answer_for_minutes_ends_no_debate_and_costs_no_claim() {
    store_away(|outage| outage.hang(true), |outage| outage.hang(false)).await;
}

#[tokio::test(start_paused = true)]
async fn a_job_whose_debate_has_a_living_owner_is_dropped() {
    let stage = TestBench::new();
    let cast = Cast::new(40 * SECOND);
    let player = stage.player("h1", vec![cast.host("gpu1", 4)]).await;
    let owner = stage.peer("n1", vec![]).await;
    player.submit(admission("a-debate", spec())).await.unwrap();
    tokio::time::sleep(SECOND).await;
    assert_eq!(
        stage.jobs.take("anybody", SECOND).await.unwrap(),
        None,
        "it left the queue when its debate was claimed"
    );
    let other = stage.peer("n2", vec![]).await;
    stage.jobs.enqueue(&debate("a-debate"), Priority::Normal).await.unwrap();

    tokio::time::sleep(60 * SECOND).await;

    assert_eq!(stage.jobs.take("anybody", SECOND).await.unwrap(), None, "the job is gone");
    assert_eq!(other.stats().jobs_taken, 0);
    all_succeed(&stage, &owner, &["a-debate".to_owned()]).await;
    assert_eq!(claims(&stage.log("a-debate").await).len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_debate_whose_job_was_lost_is_found() {
    let stage = TestBench::new();
    let cast = Cast::new(SECOND);
    let player = stage.player("h1", vec![cast.host("gpu1", 4)]).await;
    player.submit(admission("a-debate", spec())).await.unwrap();
    let job = stage.jobs.take("a thief", SECOND).await.unwrap().unwrap();
    stage.jobs.complete(&job).await.unwrap();

    let node = stage.peer("n1", vec![]).await;
    let ended = tokio::time::timeout(120 * SECOND, node.finished(&debate("a-debate"))).await;

    assert_eq!(ended.unwrap().unwrap().0, DebateState::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn a_debate_that_the_catalogue_does_not_know_is_found_in_the_logs() {
    let stage = TestBench::new();
    let cast = Cast::new(SECOND);
    let player = stage.player("h1", vec![cast.host("gpu1", 4)]).await;
    player.submit(admission("a-debate", spec())).await.unwrap();
    let job = stage.jobs.take("a thief", SECOND).await.unwrap().unwrap();
    stage.jobs.complete(&job).await.unwrap();
    stage.catalogue.strike(&debate("a-debate")).await.unwrap();

    let node = stage.peer("n1", vec![]).await;
    let ended = tokio::time::timeout(1_200 * SECOND, node.finished(&debate("a-debate"))).await;

    assert_eq!(ended.unwrap().unwrap().0, DebateState::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn any_node_cancels_a_debate_wherever_it_is_held() {
    let stage = TestBench::new();
    let cast = Cast::new(60 * SECOND);
    let (first, second, player) = two_and_a_player(&stage, &cast, 4).await;
    first.submit(admission("a-debate", spec())).await.unwrap();
    tokio::time::sleep(5 * SECOND).await;
    let before = stage.clock.now();

    player.cancel(&debate("a-debate"), "enough", Some("ann")).await.unwrap();
    let ended = second.finished(&debate("a-debate")).await.unwrap();

    assert_eq!(ended.0, DebateState::Cancelled);
    assert!(stage.clock.now().since(before) <= 2_000);
    assert_eq!(claims(&stage.log("a-debate").await).len(), 1, "its owner ended it");
    let again = player.cancel(&debate("a-debate"), "enough", None).await;
    assert!(matches!(again, Err(CancelError::Ended { state: DebateState::Cancelled, .. })), "{again:?}");
    let unknown = player.cancel(&debate("no-debate"), "enough", None).await;
    assert!(matches!(unknown, Err(CancelError::Unknown(_))), "{unknown:?}");
}

#[tokio::test(start_paused = true)]
async fn an_order_reaches_the_owner_though_every_hint_is_lost() {
    let stage = TestBench::new();
    let cast = Cast::new(60 * SECOND);
    let (first, ..) = two_and_a_player(&stage, &cast, 4).await;
    first.submit(admission("a-debate", spec())).await.unwrap();
    tokio::time::sleep(5 * SECOND).await;
    let order = agon_store::CancelOrder { reason: "enough".to_owned(), by: None };

    stage.commands.order_cancel(&debate("a-debate"), order).await.unwrap();
    let ended = tokio::time::timeout(15 * SECOND, first.finished(&debate("a-debate"))).await;

    assert_eq!(ended.unwrap().unwrap().0, DebateState::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn a_debate_is_cancelled_whose_owner_has_not_noticed_that_it_was_paused() {
    let stage = TestBench::new();
    let cast = Cast::new(60 * SECOND);
    let (first, ..) = two_and_a_player(&stage, &cast, 4).await;
    first.submit(admission("a-debate", spec())).await.unwrap();
    tokio::time::sleep(5 * SECOND).await;
    let log = stage.log("a-debate").await;
    let paused = Debate::fold(log.iter().map(Arc::as_ref)).unwrap();
    let reason = Reason::of(ReasonCode::Paused);
    let events = paused.decide(stage.clock.now(), Input::Interrupt { reason }).unwrap();
    let record = paused.record(stage.clock.now(), 1, events);
    let order = agon_store::CancelOrder { reason: "enough".to_owned(), by: None };

    stage.journal.append(&debate("a-debate"), record).await.unwrap();
    stage.commands.order_cancel(&debate("a-debate"), order).await.unwrap();
    let ended = tokio::time::timeout(30 * SECOND, first.finished(&debate("a-debate"))).await;

    assert_eq!(ended.unwrap().unwrap().0, DebateState::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn a_debate_that_waits_in_the_queue_is_cancelled_before_anything_is_asked() {
    let stage = TestBench::new();
    let cast = Cast::new(SECOND);
    let player = stage.player("h1", vec![cast.host("gpu1", 4)]).await;
    player.submit(admission("a-debate", spec())).await.unwrap();

    player.cancel(&debate("a-debate"), "enough", None).await.unwrap();
    let node = stage.peer("n1", vec![]).await;
    let ended = node.finished(&debate("a-debate")).await.unwrap();
    tokio::time::sleep(10 * SECOND).await;

    assert_eq!((ended.0, cast.calls() - cast.aborted()), (DebateState::Cancelled, 0));
}

#[tokio::test(start_paused = true)]
async fn a_node_that_drains_hands_over_at_once_and_no_turn_is_played_twice() {
    let stage = TestBench::new();
    let cast = Cast::new(15 * SECOND);
    let (first, second, _player) = two_and_a_player(&stage, &cast, 64).await;
    let ids = ids(50);
    for id in &ids {
        first.submit(admission(id, sequential_spec())).await.unwrap();
    }
    tokio::time::sleep(20 * SECOND).await;
    let mine = first.stats().active_debates;
    let before = stage.clock.now();

    assert!(first.drain().await);
    assert!(stage.clock.now().since(before) < 1_000, "nothing was waited for");
    tokio::time::sleep(SECOND).await;
    assert_eq!(second.stats().active_debates, 50, "{mine} debates were handed over");
    all_succeed(&stage, &second, &ids).await;

    let mut turns = 0;
    for id in &ids {
        let log = stage.log(id).await;
        let asked = events(&log);
        let asked: Vec<TurnId> =
            asked.filter_map(|e| if let Event::TurnAsked(ask) = e { Some(ask.turn) } else { None }).collect();
        assert!(asked.iter().all(|turn| turn.attempt == 1));
        turns += asked.len();
    }
    assert_eq!((cast.calls(), cast.aborted()), (turns, 0));
}

#[tokio::test(start_paused = true)]
async fn the_turns_of_a_dead_host_are_played_elsewhere_within_ten_seconds() {
    let stage = TestBench::new();
    let (slow, quick) = (Cast::new(3_600 * SECOND), Cast::new(SECOND));
    let node = stage.peer("n1", vec![]).await;
    let dying = stage.player("h1", vec![slow.host("gpu1", 8)]).await;
    tokio::time::sleep(ACQUAINTED).await;
    node.submit(admission("a-debate", spec())).await.unwrap();
    tokio::time::sleep(SECOND).await;
    let _other = stage.player("h2", vec![quick.host("gpu2", 8)]).await;
    tokio::time::sleep(ACQUAINTED).await;
    assert_eq!((slow.running(), quick.calls()), (1, 0));

    dying.stop().await;
    tokio::time::sleep(10 * SECOND).await;

    assert!(quick.calls() >= 1, "the turn was offered again");
    all_succeed(&stage, &node, &["a-debate".to_owned()]).await;
    let log = stage.log("a-debate").await;
    assert!(!events(&log).any(|event| matches!(event, Event::TurnFailed { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_model_that_nobody_serves_is_waited_for_until_the_deadline() {
    let stage = TestBench::new();
    let cast = Cast::new(SECOND);
    let node = stage.peer("n1", vec![cast.host("gpu1", 4)]).await;
    tokio::time::sleep(ACQUAINTED).await;
    let mut absent = spec();
    absent.personas[0].voice.model = "absent".into();

    node.submit(admission("a-debate", absent)).await.unwrap();
    node.finished(&debate("a-debate")).await.unwrap();

    let log = stage.log("a-debate").await;
    let failed = log.iter().flat_map(|record| record.events.iter().map(|event| (record.at, event)));
    let (at, failure) = failed
        .filter_map(
            |(at, event)| if let Event::TurnFailed { failure, .. } = event { Some((at, failure)) } else { None },
        )
        .next()
        .unwrap();
    assert_eq!(failure.cause, FailureCause::NotFound);
    assert!(failure.detail.contains("gpu1 serves m"), "{}", failure.detail);
    assert!(at.since(log[0].at) >= 120_000, "it might have appeared");
}

#[tokio::test(start_paused = true)]
async fn a_tenant_runs_no_more_debates_at_once_than_its_cap() {
    let stage = TestBench::new();
    let cast = Cast::new(5 * SECOND);
    let config = |id: &str| NodeConfig { tenant_cap: NonZeroUsize::new(2), ..NodeConfig::clustered(id.into()) };
    let player = stage.player("h1", vec![cast.host("gpu1", 64)]).await;
    let node = stage.node_with(config("n1"), vec![]).await;
    tokio::time::sleep(ACQUAINTED).await;
    let ids: Vec<String> = (0..6).map(|n| format!("acme/debate-{n}")).collect();

    for id in &ids {
        player.submit(admission(id, spec())).await.unwrap();
    }
    player.submit(admission("other/a-debate", spec())).await.unwrap();
    tokio::time::sleep(3 * SECOND).await;
    assert_eq!(node.stats().active_debates, 3, "the others wait for their turn");
    all_succeed(&stage, &node, &["other/a-debate".to_owned()]).await;
    all_succeed(&stage, &node, &ids).await;

    assert_eq!(cast.most_running(), 3);
}

#[tokio::test(start_paused = true)]
async fn many_watchers_see_every_event_once_whenever_they_come() {
    let stage = TestBench::new();
    let cast = Cast::new(SECOND);
    let (first, second, player) = two_and_a_player(&stage, &cast, 4).await;
    first.submit(admission("a-debate", rich_spec())).await.unwrap();
    let mut watching = tokio::task::JoinSet::new();
    let nodes = Arc::new([first, second, player]);
    for n in 0..60u64 {
        let nodes = nodes.clone();
        watching.spawn(async move {
            tokio::time::sleep(Duration::from_millis(n * 250)).await;
            let after = Position(n % 7);
            let mut watch = nodes[n as usize % 3].watch(&debate("a-debate"), after, n % 2 == 0).await.unwrap();
            let mut seen = Vec::new();
            while let Some(watched) = watch.next().await.unwrap() {
                if let Watched::Record(record) = watched {
                    seen.push(record);
                }
            }
            (after, seen)
        });
    }

    let all = watching.join_all().await;

    let log = stage.log("a-debate").await;
    for (after, seen) in all {
        let wanted: Vec<Arc<Record>> = log.iter().filter(|record| record.last() > after).cloned().collect();
        assert_eq!(seen, wanted);
    }
}

#[tokio::test(start_paused = true)]
async fn a_hundred_watchers_read_a_log_no_more_often_than_one() {
    let (stage, outage) = outage::wire(&TestBench::new());
    let cast = Cast::new(600 * SECOND);
    let (first, ..) = two_and_a_player(&stage, &cast, 4).await;
    first.submit(admission("a-debate", spec())).await.unwrap();
    tokio::time::sleep(2 * SECOND).await;
    let mut watching = tokio::task::JoinSet::new();
    for _ in 0..100 {
        let mut watch = first.watch(&debate("a-debate"), Position(0), false).await.unwrap();
        watching.spawn(async move { while watch.next().await.unwrap().is_some() {} });
    }
    let before = outage.reads();

    tokio::time::sleep(60 * SECOND).await;

    let reads = outage.reads() - before;
    assert!((30..=70).contains(&reads), "{reads} reads in a minute");
    assert_eq!(watching.len(), 100);
}

#[tokio::test(start_paused = true)]
async fn nobody_waits_for_a_debate_that_does_not_exist() {
    let stage = TestBench::new();
    let node = stage.peer("n1", vec![]).await;

    let watched = node.watch(&debate("a-debate"), Position(3), true).await.err();
    let finished = node.finished(&debate("a-debate")).await.err();

    assert!(matches!(watched, Some(WatchError::Unknown(_))), "{watched:?}");
    assert!(matches!(finished, Some(WatchError::Unknown(_))), "{finished:?}");
}
