//! Two nodes over one store: one goes, the other goes on.
use crate::cast::{Cast, Cue};
use crate::test_bench::*;
use agon_core::*;
use agon_proto::SummaryState;
use agon_runtime::{Death, PauseError, ResumeError, Victim};
use std::time::Duration;

const ID: &str = "a-debate";

fn owners(log: &[std::sync::Arc<Record>]) -> Vec<String> {
    events(log)
        .filter_map(|e| if let Event::Claimed { writer, .. } = e { Some(writer.to_string()) } else { None })
        .collect()
}

#[tokio::test(start_paused = true)]
async fn another_node_goes_on_when_one_dies() {
    let calm = undisturbed(ID, rich_spec()).await;
    let (stage, cast, first) = scene("n1", Duration::from_millis(500), 2).await;
    first.submit(admission(ID, rich_spec())).await.unwrap();
    tokio::time::sleep(Duration::from_millis(2_750)).await;

    first.stop().await;
    let second = stage.node("n2", vec![cast.host("gpu1", 2)]).await;
    second.finished(&debate(ID)).await.unwrap();

    let log = stage.log(ID).await;
    check(&log);
    assert_same(&story(&log), &calm, "the owner died");
    assert_eq!(owners(&log), ["n1", "n2"]);
}

#[tokio::test(start_paused = true)]
async fn a_node_notes_what_the_catalogue_has_lost_soon_after_its_start_and_what_was_deleted_stays_away() {
    let (stage, _, first) = scene("n1", Duration::from_millis(500), 2).await;
    let labels = std::collections::BTreeMap::from([("team".to_owned(), "red".to_owned())]);
    for id in [ID, "deleted"] {
        first.submit(Admission { labels: labels.clone(), ..admission(id, spec()) }).await.unwrap();
        first.finished(&debate(id)).await.unwrap();
    }
    first.stop().await;
    let noted = stage.catalogue.get_summary(&debate(ID)).await.unwrap().unwrap();
    assert!(stage.upkeep.as_ref().unwrap().delete(&debate("deleted")).await.unwrap());
    stage.catalogue.strike(&debate(ID)).await.unwrap();

    let second = stage.peer("n2", vec![]).await;
    tokio::time::sleep(Duration::from_secs(60)).await;

    let found = stage.catalogue.find(&agon_store::CatalogueQuery { limit: 9, ..Default::default() }).await.unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&found[0].id, &found[0].state, &found[0].labels), (&noted.id, &noted.state, &labels));
    assert!(matches!(found[0].state, SummaryState::Ended { outcome: Some(_), .. }), "{found:?}");
    second.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_adopted_debate_does_not_wait_for_the_dead_owners_lease() {
    let (stage, cast, first) = scene("n1", Duration::from_millis(500), 2).await;
    first.submit(admission(ID, spec())).await.unwrap();
    tokio::time::sleep(Duration::from_millis(750)).await;
    first.stop().await;
    let second = stage.node("n2", vec![cast.host("gpu1", 2)]).await;
    let before = stage.clock.now();

    second.adopt(&debate(ID));
    second.finished(&debate(ID)).await.unwrap();

    assert!(stage.clock.now().since(before) < 1_500);
}

#[tokio::test(start_paused = true)]
async fn a_drained_node_hands_over_and_loses_nothing() {
    let calm = undisturbed(ID, rich_spec()).await;
    let (stage, cast, first) = scene("n1", Duration::from_millis(500), 2).await;
    first.submit(admission(ID, rich_spec())).await.unwrap();
    tokio::time::sleep(Duration::from_millis(2_750)).await;
    let second = stage.node("n2", vec![cast.host("gpu2", 2)]).await;
    let before = stage.clock.now();

    assert!(first.drain().await);
    let drained = stage.clock.now();
    second.finished(&debate(ID)).await.unwrap();

    let log = stage.log(ID).await;
    let same_host: Vec<String> = story(&log).iter().map(|event| event.replace("gpu2", "gpu1")).collect();
    let placed = |events: &[String]| -> Vec<String> {
        events.iter().filter(|event| !event.starts_with("ParticipantPlaced")).cloned().collect()
    };
    assert!(drained.since(before) < 1_000, "the running call ended and nothing else was waited for");
    assert_eq!(placed(&same_host), placed(&calm));
    assert_eq!(owners(&log), ["n1", "n2"]);
    assert_eq!(cast.aborted(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_result_that_was_written_after_its_coordinator_died_is_used_and_not_paid_twice() {
    let stage = TestBench::new();
    let cast = Cast::new(Duration::from_millis(500));
    let mut coordinating = agon_runtime::NodeConfig::embedded("n1".into());
    coordinating.embedded = false;
    let hosting = agon_runtime::NodeConfig { max_debates: 0, id: "h1".into(), ..coordinating.clone() };
    let owner = stage.node_with(coordinating.clone(), vec![]).await;
    let host = stage.node_with(hosting, vec![cast.host("gpu1", 2)]).await;
    owner.submit(admission(ID, spec())).await.unwrap();
    tokio::time::sleep(Duration::from_millis(250)).await;
    owner.stop().await;
    tokio::time::sleep(Duration::from_secs(5)).await;

    let next = stage.node_with(agon_runtime::NodeConfig { id: "n2".into(), ..coordinating }, vec![]).await;
    next.adopt(&debate(ID));
    next.finished(&debate(ID)).await.unwrap();

    assert_eq!(cast.calls(), 3);
    assert!(host.stop().await);
}

#[tokio::test(start_paused = true)]
async fn a_deposed_coordinator_writes_nothing_more() {
    let (stage, cast, zombie) = scene("n1", Duration::from_millis(500), 2).await;
    zombie.submit(admission(ID, rich_spec())).await.unwrap();
    tokio::time::sleep(Duration::from_millis(750)).await;

    let second = stage.node("n2", vec![cast.host("gpu2", 2)]).await;
    second.adopt(&debate(ID));
    second.finished(&debate(ID)).await.unwrap();

    let log = stage.log(ID).await;
    check(&log);
    assert_eq!(owners(&log), ["n1", "n2"]);
    assert_eq!(zombie.stats().active_debates, 0);
}

#[tokio::test(start_paused = true)]
async fn a_coordinator_that_was_deposed_while_its_store_was_away_does_not_claim_the_debate_back() {
    let stage = TestBench::new();
    let cast = Cast::new(Duration::from_secs(20));
    let (cut, outage) = crate::outage::wire(&stage);
    let first = cut.peer("n1", vec![]).await;
    let _player = stage.player("h1", vec![cast.host("gpu1", 2)]).await;
    first.submit(admission(ID, spec())).await.unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    outage.store(true);
    tokio::time::sleep(Duration::from_secs(5)).await;

    let second = stage.peer("n2", vec![]).await;
    second.adopt(&debate(ID));
    tokio::time::sleep(Duration::from_secs(1)).await;
    outage.store(false);
    second.finished(&debate(ID)).await.unwrap();

    let log = stage.log(ID).await;
    check(&log);
    assert_eq!(owners(&log), ["n1", "n2"]);
    assert_eq!(first.stats().active_debates, 0);
}

#[tokio::test(start_paused = true)]
async fn a_debate_that_is_claimed_again_and_again_without_progress_is_interrupted_until_it_is_resumed() {
    let stage = TestBench::new();
    let cast = Cast::new(Duration::from_millis(500));
    cast.cue(std::iter::repeat_n(Cue::Hang, 100));

    for n in 0..6 {
        let node = stage.node(&format!("n{n}"), vec![cast.host("gpu1", 2)]).await;
        if n == 0 {
            node.submit(admission(ID, spec())).await.unwrap();
        }
        node.adopt(&debate(ID));
        tokio::time::sleep(Duration::from_secs(1)).await;
        node.stop().await;
    }

    let log = stage.log(ID).await;
    let Some(Event::DebateInterrupted { reason }) = log.last().and_then(|record| record.events.last()) else {
        panic!("the debate goes on: {log:?}")
    };
    assert_eq!(reason.code, ReasonCode::Poison);

    let cast = Cast::new(Duration::from_millis(500));
    let node = stage.node("healthy", vec![cast.host("gpu1", 2)]).await;
    node.adopt(&debate(ID));
    tokio::time::sleep(Duration::from_secs(300)).await;
    assert_eq!(stage.log(ID).await, log, "nobody takes it up");

    node.resume(&debate(ID), Some("ada")).await.unwrap();
    node.resume(&debate(ID), Some("bob")).await.unwrap();
    assert_eq!(node.finished(&debate(ID)).await.unwrap().0, DebateState::Succeeded);
    let log = stage.log(ID).await;
    check(&log);
    let events: Vec<&Event> = events(&log).collect();
    let resumed =
        events.iter().filter(|event| matches!(event, Event::DebateResumed { by } if by.as_deref() == Some("ada")));
    assert_eq!(resumed.count(), 1);
    assert!(!events.iter().any(|event| matches!(event, Event::TurnFailed { .. })), "no deadline passed meanwhile");
    assert!(matches!(node.resume(&debate(ID), None).await, Err(ResumeError::Ended { .. })));
    assert!(matches!(node.resume(&debate("nobody"), None).await, Err(ResumeError::Unknown(_))));
}

#[tokio::test(start_paused = true)]
async fn an_interrupted_debate_can_be_cancelled_and_one_that_runs_is_not_resumed() {
    let (stage, cast, node) = scene("n1", Duration::from_millis(500), 2).await;
    cast.cue(std::iter::repeat_n(Cue::Hang, 100));
    node.submit(admission(ID, spec())).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert!(matches!(node.resume(&debate(ID), None).await, Err(ResumeError::Runs(_))));
    for _ in 0..10 {
        node.strike(Victim::Coordinator(debate(ID)), Death::Panic);
        tokio::time::sleep(Duration::from_secs(2)).await;
    }
    let summary = stage.catalogue.get_summary(&debate(ID)).await.unwrap().unwrap();
    assert_eq!(summary.state, SummaryState::Halted(Halt::Interrupted));
    assert!(stage.catalogue.unfinished().await.unwrap().is_empty(), "nobody looks after it");

    node.cancel(&debate(ID), "enough", None).await.unwrap();
    assert_eq!(node.finished(&debate(ID)).await.unwrap().0, DebateState::Cancelled);
}

#[tokio::test(start_paused = true)]
async fn a_debate_that_is_handed_over_again_and_again_during_a_long_turn_is_no_poison() {
    let stage = TestBench::new();
    let cast = Cast::new(Duration::from_secs(110));
    let player = stage.player("h1", vec![cast.host("gpu1", 2)]).await;
    player.submit(admission(ID, spec())).await.unwrap();

    for n in 0..8 {
        let node = stage.peer(&format!("n{n}"), vec![]).await;
        tokio::time::sleep(Duration::from_secs(10)).await;
        assert!(node.drain().await);
    }
    let last = stage.peer("last", vec![]).await;
    let ended = last.finished(&debate(ID)).await.unwrap();

    assert_eq!(ended.0, DebateState::Succeeded);
    assert_eq!((cast.calls(), cast.aborted()), (3, 0));
}

/// A stage whose nodes have another time of day.
fn off(stage: &TestBench, by_ms: i64) -> TestBench {
    let start = Timestamp(stage.clock.now().0.checked_add_signed(by_ms).unwrap());
    TestBench { clock: std::sync::Arc::new(agon_runtime::TokioClock::starting_at(start)), ..stage.clone() }
}

/// Milliseconds between the events of a log from the first claim on.
fn pace(log: &[std::sync::Arc<Record>]) -> Vec<u64> {
    let claimed = |record: &&std::sync::Arc<Record>| !record.events.iter().any(|e| matches!(e, Event::Claimed { .. }));
    let times: Vec<Timestamp> = log.iter().skip_while(claimed).map(|record| record.at).collect();
    times.windows(2).map(|two| two[1].since(two[0])).collect()
}

async fn admitted_by_a_clock_that_is_off(by_ms: i64) -> u64 {
    const HOUR: u64 = 3_600_000;
    let stage = TestBench::new();
    let cast = Cast::new(Duration::from_millis(500));
    let gateway = off(&stage, by_ms).player("g1", vec![]).await;
    gateway.submit(admission(ID, spec())).await.unwrap();
    let node = stage.peer("n1", vec![cast.host("gpu1", 2)]).await;
    assert_eq!(node.finished(&debate(ID)).await.unwrap().0, DebateState::Succeeded);
    let log = stage.log(ID).await;
    check(&log);
    let debate = Debate::fold(log.iter().map(std::sync::Arc::as_ref)).unwrap();
    let admitted = log[0].at;
    assert_eq!(debate.claimed_at().unwrap().since(admitted) > HOUR / 2, by_ms < 0);
    pace(&log).into_iter().sum()
}

#[tokio::test(start_paused = true)]
async fn the_clock_of_whoever_admits_a_debate_changes_no_duration() {
    let calm = admitted_by_a_clock_that_is_off(0).await;
    assert!((1_500..5_000).contains(&calm), "{calm} ms");
    for off in [3_600_000, -3_600_000] {
        let took = admitted_by_a_clock_that_is_off(off).await;
        assert!(took.abs_diff(calm) < 500, "{took} ms, and {calm} ms with one clock");
    }
}

#[tokio::test(start_paused = true)]
async fn a_paused_debate_asks_nothing_more_and_pays_for_no_turn_twice() {
    let (stage, cast, node) = scene("n1", Duration::from_millis(500), 2).await;
    node.submit(admission(ID, spec())).await.unwrap();
    tokio::time::sleep(Duration::from_millis(700)).await;

    node.pause(&debate(ID), Some("lunch".to_owned())).await.unwrap();
    node.pause(&debate(ID), None).await.unwrap();
    tokio::time::sleep(Duration::from_secs(600)).await;

    let log = stage.log(ID).await;
    let Some(Event::DebateInterrupted { reason }) = log.last().and_then(|record| record.events.last()) else {
        panic!("the debate goes on: {log:?}")
    };
    assert_eq!(*reason, Reason::with(ReasonCode::Paused, "lunch"));
    let summary = stage.catalogue.get_summary(&debate(ID)).await.unwrap().unwrap();
    assert_eq!(summary.state, SummaryState::Halted(Halt::Paused));
    assert_eq!((node.stats().active_debates, cast.calls()), (0, 2), "the second turn was played to its end");

    node.resume(&debate(ID), None).await.unwrap();
    assert_eq!(node.finished(&debate(ID)).await.unwrap().0, DebateState::Succeeded);
    let log = stage.log(ID).await;
    check(&log);
    assert_eq!(cast.calls(), 3, "what was generated meanwhile counts");
    assert!(!events(&log).any(|event| matches!(event, Event::TurnFailed { .. })), "no deadline passed meanwhile");
    assert!(matches!(node.pause(&debate(ID), None).await, Err(PauseError::Ended { .. })));
    assert!(matches!(node.pause(&debate("nobody"), None).await, Err(PauseError::Unknown(_))));
}

#[tokio::test(start_paused = true)]
async fn a_debate_is_paused_by_a_node_that_does_not_own_it_also_while_it_waits_in_the_queue() {
    let (stage, cast, owner) = scene("n1", Duration::from_millis(500), 2).await;
    let other = stage.peer("n2", vec![]).await;
    owner.submit(admission(ID, spec())).await.unwrap();
    tokio::time::sleep(Duration::from_millis(700)).await;
    other.pause(&debate(ID), None).await.unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!((owner.stats().active_debates, cast.calls()), (0, 2));
    other.resume(&debate(ID), None).await.unwrap();
    assert_eq!(owner.finished(&debate(ID)).await.unwrap().0, DebateState::Succeeded);
    owner.stop().await;

    let idle = agon_runtime::NodeConfig { max_debates: 0, ..agon_runtime::NodeConfig::embedded("n3".into()) };
    let gateway = stage.node_with(idle, vec![]).await;
    gateway.submit(admission("queued", spec())).await.unwrap();
    gateway.pause(&debate("queued"), None).await.unwrap();
    let later = stage.node("n4", vec![cast.host("gpu2", 2)]).await;
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert_eq!(cast.calls(), 3, "nobody takes it up");
    later.resume(&debate("queued"), None).await.unwrap();
    assert_eq!(later.finished(&debate("queued")).await.unwrap().0, DebateState::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn a_debate_that_went_on_after_its_pause_is_found_where_the_catalogue_still_calls_it_paused() {
    let (stage, cast, first) = scene("n1", Duration::from_millis(500), 2).await;
    first.submit(admission(ID, spec())).await.unwrap();
    tokio::time::sleep(Duration::from_millis(700)).await;
    first.pause(&debate(ID), None).await.unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
    let paused = stage.catalogue.get_summary(&debate(ID)).await.unwrap().unwrap();
    first.resume(&debate(ID), None).await.unwrap();
    tokio::time::sleep(Duration::from_millis(100)).await;
    first.stop().await;
    stage.catalogue.strike(&debate(ID)).await.unwrap();
    stage.catalogue.note(paused).await.unwrap();

    let second = stage.peer("n2", vec![cast.host("gpu2", 2)]).await;
    tokio::time::sleep(Duration::from_secs(60)).await;

    let summary = stage.catalogue.get_summary(&debate(ID)).await.unwrap().unwrap();
    assert!(matches!(summary.state, SummaryState::Ended { .. }), "{summary:?}");
    assert_eq!(owners(&stage.log(ID).await), ["n1", "n1", "n2"]);
    second.stop().await;
}
