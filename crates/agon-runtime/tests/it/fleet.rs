//! Hosts on other nodes: found, lost, drained, discovered.
use crate::cast::{Cast, Cue};
use crate::test_bench::*;
use agon_core::*;
use agon_llm::LoadedModel;
use agon_proto::{OfferReply, Wire};
use agon_runtime::{HostConfig, KnownHost, Node, Served};
use std::time::Duration;

const ID: &str = "a-debate";
const HALF: Duration = Duration::from_millis(500);

async fn after(seconds: u64) {
    tokio::time::sleep(Duration::from_secs(seconds)).await;
}
async fn moment() {
    tokio::time::sleep(Duration::from_millis(50)).await;
}
fn known(node: &Node, host: &str) -> Option<KnownHost> {
    node.hosts().into_iter().find(|known| known.alive.host.as_str() == host)
}
fn lives(node: &Node, host: &str) -> bool {
    known(node, host).is_some_and(|known| known.lives)
}
fn models(node: &Node, host: &str) -> Vec<String> {
    known(node, host).unwrap().alive.models.iter().map(|model| model.name.to_string()).collect()
}
/// The same host with other models.
fn serving(cast: &Cast, id: &str, models: Served) -> HostConfig {
    HostConfig { models, ..cast.host(id, 1) }
}
async fn held(node: &Node, id: &str) -> DebateState {
    node.finished(&debate(id)).await.unwrap().0
}

#[tokio::test(start_paused = true)]
async fn hosts_of_other_nodes_are_found_and_played_at() {
    let (stage, cast) = (TestBench::new(), Cast::new(HALF));
    let owner = stage.peer("n1", vec![]).await;
    let _player = stage.player("h1", vec![cast.host("gpu1", 3)]).await;
    moment().await;

    let alive = known(&owner, "gpu1").unwrap().alive;
    assert_eq!((alive.node.as_str(), alive.rehearsal, alive.serves_any, alive.draining), ("h1", true, false, false));
    assert_eq!((alive.models[0].name.as_str(), alive.models[0].permits), ("m", 3));
    assert_eq!(alive.server, "http://scripted:11434");

    owner.submit(admission(ID, spec())).await.unwrap();
    assert_eq!(held(&owner, ID).await, DebateState::Succeeded);
    assert_eq!(cast.calls(), 3);
}

#[tokio::test(start_paused = true)]
async fn a_host_whose_process_is_gone_is_dead_within_four_seconds_and_its_turn_is_played_elsewhere() {
    let (stage, lost, well) = (TestBench::new(), Cast::new(HALF), Cast::new(HALF));
    lost.cue([Cue::Hang]);
    let owner = stage.peer("n1", vec![]).await;
    let dying = stage.player("h1", vec![lost.host("gpu1", 1)]).await;
    moment().await;
    owner.submit(admission(ID, spec())).await.unwrap();
    after(1).await;
    let _other = stage.player("h2", vec![well.host("gpu2", 1)]).await;
    let before = stage.clock.now();

    dying.stop().await;
    after(1).await;
    assert!(lives(&owner, "gpu1"), "no announcement was due");
    after(3).await;
    assert!(!lives(&owner, "gpu1") && lives(&owner, "gpu2"), "nobody listens there");
    assert_eq!(held(&owner, ID).await, DebateState::Succeeded);

    assert!(stage.clock.now().since(before) <= 12_000, "nobody waited for the turn's deadline");
    assert_eq!((lost.calls(), well.calls()), (1, 3));
}

#[tokio::test(start_paused = true)]
async fn a_node_that_ends_gives_back_the_turns_that_it_cannot_finish() {
    let (stage, slow, well) = (TestBench::new(), Cast::new(HALF), Cast::new(HALF));
    slow.cue([Cue::Hang]);
    let owner = stage.peer("n1", vec![]).await;
    let ending = stage.player("h1", vec![slow.host("gpu1", 1)]).await;
    moment().await;
    owner.submit(admission(ID, spec())).await.unwrap();
    after(1).await;
    let _other = stage.player("h2", vec![well.host("gpu2", 1)]).await;
    let before = stage.clock.now();

    ending.drain().await;

    assert_eq!(held(&owner, ID).await, DebateState::Succeeded);
    assert!(stage.clock.now().since(before) <= 12_000);
    assert_eq!((slow.calls(), slow.aborted(), well.calls()), (1, 1, 3));
    assert!(known(&owner, "gpu1").unwrap().alive.draining, "it took its leave");
}

#[tokio::test(start_paused = true)]
async fn a_host_that_is_told_to_drain_takes_no_turns_until_it_is_told_otherwise() {
    let (stage, one, other) = (TestBench::new(), Cast::new(HALF), Cast::new(HALF));
    let owner = stage.peer("n1", vec![]).await;
    let _h1 = stage.player("h1", vec![one.host("gpu1", 1)]).await;
    let _h2 = stage.player("h2", vec![other.host("gpu2", 1)]).await;
    moment().await;

    owner.drain_host(&"gpu1".into(), false).await.unwrap();
    moment().await;
    assert!(!lives(&owner, "gpu1"));
    for n in 0..4 {
        owner.submit(admission(&format!("debate-{n}"), spec())).await.unwrap();
    }
    for n in 0..4 {
        assert_eq!(held(&owner, &format!("debate-{n}")).await, DebateState::Succeeded);
    }
    assert_eq!((one.calls(), other.calls()), (0, 12));

    owner.drain_host(&"gpu1".into(), true).await.unwrap();
    owner.drain_host(&"gpu2".into(), false).await.unwrap();
    moment().await;
    owner.submit(admission(ID, spec())).await.unwrap();
    assert_eq!(held(&owner, ID).await, DebateState::Succeeded);
    assert_eq!((one.calls(), other.calls()), (3, 12));
}

#[tokio::test(start_paused = true)]
async fn a_host_that_was_shown_its_key_obeys_nobody_who_does_not_know_it() {
    let (stage, cast) = (TestBench::new(), Cast::new(HALF));
    let owner = stage.peer("n1", vec![]).await;
    let _h1 = stage.player("h1", vec![cast.host("gpu1", 1)]).await;
    moment().await;
    owner.drain_host(&"gpu1".into(), true).await.unwrap();

    for body in ["", "{\"type\":\"an answer of the server\"}"] {
        let asked = stage.bus.request("agon.v1.host.gpu1.drain", body.into(), HALF).await.unwrap();
        assert!(!OfferReply::from_bytes(&asked).unwrap().accepted);
    }

    moment().await;
    assert!(lives(&owner, "gpu1"));
    owner.submit(admission(ID, spec())).await.unwrap();
    assert_eq!(held(&owner, ID).await, DebateState::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn turns_that_wait_at_a_host_that_drains_go_elsewhere_at_once() {
    let (stage, one, other) = (TestBench::new(), Cast::new(Duration::from_secs(20)), Cast::new(HALF));
    let owner = stage.peer("n1", vec![]).await;
    let _h1 = stage.player("h1", vec![one.host("gpu1", 1)]).await;
    moment().await;
    for n in 0..3 {
        owner.submit(admission(&format!("debate-{n}"), spec())).await.unwrap();
    }
    after(1).await;
    let _h2 = stage.player("h2", vec![other.host("gpu2", 1)]).await;

    owner.drain_host(&"gpu1".into(), false).await.unwrap();
    after(8).await;

    assert_eq!((one.calls(), one.running(), one.aborted()), (1, 1, 0), "what runs may end");
    assert_eq!(other.calls(), 6, "the two others are over");
}

#[tokio::test(start_paused = true)]
async fn a_host_that_takes_anything_learns_a_model_from_an_offer_that_it_refuses_and_then_follows_its_queue() {
    let (stage, cast) = (TestBench::new(), Cast::new(HALF));
    let owner = stage.peer("n1", vec![]).await;
    let _player = stage.player("h1", vec![serving(&cast, "gpu1", Served::Any)]).await;
    moment().await;
    assert_eq!(models(&owner, "gpu1"), Vec::<String>::new());
    owner.drain_host(&"gpu1".into(), false).await.unwrap();

    // the drain is not known to the owner yet: it offers, is refused, and queues
    owner.submit(admission(ID, spec())).await.unwrap();
    after(3).await;
    assert_eq!(cast.calls(), 0);
    owner.drain_host(&"gpu1".into(), true).await.unwrap();
    let before = stage.clock.now();
    assert_eq!(held(&owner, ID).await, DebateState::Succeeded);

    assert!(stage.clock.now().since(before) < 10_000, "it was pulled, and not offered again after half a minute");
    assert_eq!(models(&owner, "gpu1"), ["m"]);
}

#[tokio::test(start_paused = true)]
async fn a_host_that_takes_anything_and_comes_late_helps_one_that_has_all_turns() {
    let (stage, one, other) = (TestBench::new(), Cast::new(Duration::from_secs(60)), Cast::new(HALF));
    let owner = stage.peer("n1", vec![]).await;
    // preferred, however much it has to do: it names the model
    let _h1 = stage.player("h1", vec![serving(&one, "gpu1", Served::List(vec!["m".into()]))]).await;
    moment().await;
    for n in 0..12 {
        owner.submit(admission(&format!("debate-{n}"), spec())).await.unwrap();
    }
    after(5).await;
    assert!(!stage.bus.queued_subjects().await.unwrap().is_empty(), "not all of them wait at the host");

    let _h2 = stage.player("h2", vec![serving(&other, "gpu2", Served::Any)]).await;
    after(45).await;

    assert!(other.calls() > 0);
    assert_eq!(models(&owner, "gpu2"), ["m"]);
}

#[tokio::test(start_paused = true)]
async fn discovered_models_appear_with_what_is_known_of_them_and_vanish() {
    let (stage, cast) = (TestBench::new(), Cast::new(HALF));
    cast.lists(None);
    let owner = stage.peer("n1", vec![]).await;
    let _player = stage.player("h1", vec![serving(&cast, "gpu1", Served::Discovered)]).await;
    moment().await;
    assert_eq!(models(&owner, "gpu1"), Vec::<String>::new(), "the server is away");

    let loaded = LoadedModel { name: "m:latest".into(), context_length: Some(4096), ..LoadedModel::default() };
    cast.state.loaded.lock().unwrap().push(loaded);
    cast.lists(Some(&["m:latest", "other:7b"]));
    after(6).await;
    let found = known(&owner, "gpu1").unwrap().alive.models;
    let facts: Vec<_> = found.iter().map(|m| (m.name.as_str(), m.context, m.warm, m.digest.as_deref())).collect();
    let digest = Some("sha256:1");
    assert_eq!(facts, [("m:latest", Some(4096), Some(true), digest), ("other:7b", None, Some(false), digest)]);
    owner.submit(admission(ID, spec())).await.unwrap();
    assert_eq!(held(&owner, ID).await, DebateState::Succeeded, "m is m:latest");

    cast.lists(Some(&["other:7b"]));
    after(31).await;
    assert_eq!(models(&owner, "gpu1"), ["other:7b"]);
    owner.submit(admission("another", spec())).await.unwrap();
    after(5).await;
    assert_eq!(cast.calls(), 3, "nobody serves m any more");
    cast.lists(Some(&["m", "other:7b"]));
    assert_eq!(held(&owner, "another").await, DebateState::Succeeded, "its turn has waited in the queue");
}

#[tokio::test(start_paused = true)]
async fn rehearsals_are_played_by_rehearsing_hosts_only_and_real_debates_never_by_them() {
    let (stage, scripted, real) = (TestBench::new(), Cast::new(HALF), Cast::new(HALF));
    let owner = stage.peer("n1", vec![]).await;
    let model = HostConfig { rehearsal: false, ..real.host("gpu1", 1) };
    let _player = stage.player("h1", vec![scripted.host("stage", 1), model]).await;
    moment().await;

    for n in 0..4 {
        owner.submit(admission(&format!("rehearsal-{n}"), spec())).await.unwrap();
    }
    for n in 0..4 {
        assert_eq!(held(&owner, &format!("rehearsal-{n}")).await, DebateState::Succeeded);
    }
    assert_eq!((scripted.calls(), real.calls()), (12, 0));
    for n in 0..4 {
        owner.submit(Admission { rehearsal: false, ..admission(&format!("debate-{n}"), spec()) }).await.unwrap();
    }
    for n in 0..4 {
        assert_eq!(held(&owner, &format!("debate-{n}")).await, DebateState::Succeeded);
    }
    assert_eq!((scripted.calls(), real.calls()), (12, 12));
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_debate_is_aborted_at_a_host_of_another_node_at_once() {
    let (stage, cast) = (TestBench::new(), Cast::new(Duration::from_secs(100)));
    let owner = stage.peer("n1", vec![]).await;
    let _player = stage.player("h1", vec![cast.host("gpu1", 1)]).await;
    moment().await;
    owner.submit(admission(ID, spec())).await.unwrap();
    after(1).await;
    assert_eq!(cast.running(), 1);

    owner.cancel(&debate(ID), "no longer of interest", None).await.unwrap();
    after(1).await;

    assert_eq!((cast.aborted(), cast.running()), (1, 0));
}
