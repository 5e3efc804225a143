//! Any actor may die at any moment: the debate goes on and ends as if nothing had happened.
use crate::cast::{Cast, Cue};
use crate::test_bench::*;
use agon_core::*;
use agon_runtime::{Death, NodeConfig, Victim};
use std::time::Duration;

const ID: &str = "a-debate";

fn victims() -> Vec<Victim> {
    vec![
        Victim::Coordinator(debate(ID)),
        Victim::Cell(debate(ID)),
        Victim::Participant(debate(ID), "Ada".into()),
        Victim::Participant(debate(ID), MODERATOR.into()),
        Victim::Participant(debate(ID), JUDGE.into()),
        Victim::Host("gpu1".into()),
        Victim::Gate("m".into()),
        Victim::Coordinators,
        Victim::Hosts,
    ]
}

/// Holds a debate in which an actor dies at these moments, and returns its story and the node's node-wide leftovers.
async fn struck(spec: DebateSpec, victim: &Victim, death: Death, moments: &[u64]) -> Vec<String> {
    let (stage, _, node) = scene("n1", Duration::from_millis(500), 2).await;
    node.submit(admission(ID, spec)).await.unwrap();
    let mut now = 0;
    for moment in moments {
        tokio::time::sleep(Duration::from_millis(moment - now)).await;
        now = *moment;
        node.strike(victim.clone(), death);
    }
    node.finished(&debate(ID)).await.unwrap();
    let log = stage.log(ID).await;
    check(&log);
    assert!(node.stop().await, "every task ended after {victim:?} died of {death:?}");
    story(&log)
}

#[tokio::test(start_paused = true)]
async fn a_debate_survives_the_death_of_any_actor_at_any_moment() {
    let calm = undisturbed(ID, spec()).await;

    for victim in victims() {
        for death in [Death::Error, Death::Panic, Death::Kill] {
            for moment in [0, 1, 100, 500, 501, 750, 1_000, 1_250, 1_499] {
                let story = struck(spec(), &victim, death, &[moment]).await;
                assert_same(&story, &calm, &format!("{victim:?} died of {death:?} after {moment} ms"));
            }
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_long_debate_survives_several_deaths() {
    let calm = undisturbed(ID, sequential_spec()).await;

    for victim in victims() {
        let story = struck(sequential_spec(), &victim, Death::Kill, &[250, 2_250, 5_250]).await;
        assert_same(&story, &calm, &format!("{victim:?} died three times"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_coordinator_that_dies_again_and_again_interrupts_its_debate_and_not_the_node() {
    let (stage, cast, node) = scene("n1", Duration::from_millis(500), 2).await;
    cast.cue(std::iter::repeat_n(Cue::Hang, 1));
    node.submit(admission(ID, spec())).await.unwrap();
    tokio::time::sleep(Duration::from_millis(10)).await;

    for _ in 0..10 {
        node.strike(Victim::Coordinator(debate(ID)), Death::Panic);
        tokio::time::sleep(Duration::from_secs(2)).await;
    }

    let last = stage.log(ID).await.last().unwrap().events.last().unwrap().clone();
    let Event::DebateInterrupted { reason } = last else { panic!("the debate goes on: {last:?}") };
    assert_eq!(reason.code, ReasonCode::Poison);
    node.submit(admission("another", spec())).await.unwrap();
    assert_eq!(node.finished(&debate("another")).await.unwrap().0, DebateState::Succeeded);
    node.resume(&debate(ID), None).await.unwrap();
    assert_eq!(node.finished(&debate(ID)).await.unwrap().0, DebateState::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_one_generation_is_played_again() {
    let calm = undisturbed(ID, spec()).await;
    let (stage, cast, node) = scene("n1", Duration::from_millis(500), 2).await;
    cast.cue([Cue::Answer, Cue::Panic]);

    node.submit(admission(ID, spec())).await.unwrap();
    node.finished(&debate(ID)).await.unwrap();

    assert_eq!(stage.story(ID).await, calm);
    assert_eq!(cast.calls(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_every_generation_is_a_typed_failure_and_never_a_hang() {
    let (stage, cast, node) = scene("n1", Duration::from_millis(500), 2).await;
    cast.cue(std::iter::repeat_n(Cue::Panic, 1_000));

    node.submit(admission(ID, spec())).await.unwrap();
    let end = node.finished(&debate(ID)).await.unwrap();

    assert_eq!(end.0, DebateState::Failed);
    let causes: Vec<FailureCause> = stage
        .log(ID)
        .await
        .iter()
        .flat_map(|record| &record.events)
        .filter_map(|event| if let Event::TurnFailed { failure, .. } = event { Some(failure.cause) } else { None })
        .collect();
    assert!(!causes.is_empty());
    assert!(causes.iter().all(|cause| *cause == FailureCause::Internal), "{causes:?}");
}

#[tokio::test(start_paused = true)]
async fn a_supervisor_that_cannot_be_kept_alive_takes_the_node_down() {
    let stage = TestBench::new();
    let config = NodeConfig {
        supervisor_restarts: restart::RestartPolicy { max_restarts: 2, ..Default::default() },
        ..NodeConfig::embedded("n1".into())
    };
    let node = stage.node_with(config, vec![Cast::new(Duration::from_secs(1)).host("gpu1", 1)]).await;

    for _ in 0..3 {
        node.strike(Victim::Hosts, Death::Error);
        tokio::time::sleep(Duration::from_secs(1)).await;
    }

    let down = tokio::time::timeout(Duration::from_secs(60), node.failed()).await;
    assert!(down.is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_turn_that_comes_while_its_host_is_being_started_does_not_wait_for_the_next_offer() {
    let stage = TestBench::new();
    let cast = Cast::new(Duration::from_millis(10));
    let host = agon_runtime::HostConfig { models: agon_runtime::Served::Any, ..cast.host("gpu1", 2) };
    let node = stage.node("n1", vec![host]).await;
    // the first successor is there at once, the second after 100 ms
    for _ in 0..2 {
        tokio::time::sleep(Duration::from_millis(10)).await;
        node.strike(Victim::Host("gpu1".into()), Death::Panic);
    }
    tokio::time::sleep(Duration::from_millis(1)).await;

    node.submit(admission(ID, sequential_spec())).await.unwrap();

    let ended = tokio::time::timeout(Duration::from_secs(20), node.finished(&debate(ID))).await;
    assert_eq!(ended.expect("no turn waits for half a minute").unwrap().0, DebateState::Succeeded);
    assert!(node.stop().await);
}
