//! Models that are too slow for what is asked of them: told with the rate, not asked again, and asked for less where the file allows it.
use crate::cast::{Cast, Cue};
use crate::test_bench::*;
use agon_core::*;
use agon_llm::{ChatError, ChatErrorKind, Pace};
use agon_runtime::{NodeConfig, Speeds};
use std::sync::Arc;
use std::time::Duration;

const ID: &str = "a-debate";

fn slow() -> Cue {
    let pace = Pace { tokens: 240, generating_ms: 120_000, max_tokens: 800, limit_ms: 120_000 };
    Cue::Error(ChatError::new(ChatErrorKind::Slow(pace), ""))
}

/// A debate at a node whose model generated so many tokens a second before.
async fn held(spec: DebateSpec, speed: Option<f64>, cues: Vec<Cue>) -> (Cast, Vec<Failure>, Arc<Speeds>, TestBench) {
    let (stage, cast) = (TestBench::new(), Cast::new(Duration::from_millis(1)));
    cast.cue(cues);
    let known = speed.map(|speed| (("gpu1".into(), "m".into()), speed));
    let speeds = Arc::new(Speeds::new(known));
    let config = NodeConfig { speeds: speeds.clone(), ..NodeConfig::embedded("n1".into()) };
    let node = stage.node_with(config, vec![cast.host("gpu1", 1)]).await;
    node.submit(admission(ID, spec)).await.unwrap();
    node.finished(&debate(ID)).await.unwrap();
    let log = stage.log(ID).await;
    let events = log.iter().flat_map(|record| record.events.clone());
    let failures = events.filter_map(|e| if let Event::TurnFailed { failure, .. } = e { Some(failure) } else { None });
    (cast, failures.collect(), speeds, stage)
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_too_slow_is_told_with_its_rate_and_not_made_again() {
    let (cast, failures, speeds, _) = held(spec(), None, vec![slow(), slow(), slow()]).await;

    // neither seat is asked twice
    assert_eq!(cast.calls(), 2);
    assert!(failures.iter().all(|failure| failure.cause == FailureCause::TooSlow), "{failures:?}");
    let told = "gpu1: timed out after 2 min 0 s: 240 tokens came, 2.0 a second; 800 tokens would take 6 min 40 s";
    assert_eq!(failures[0].detail, told);
    let call = Call { host: Some("gpu1".into()), ..Call::default() };
    assert!(failures[0].with_remedy(Some(&call)).contains("6 min 40 s; raise `timeout_per_turn`"), "{failures:?}");
    assert_eq!(speeds.of(&"gpu1".into(), &"m".into()), Some(2.0));
}

#[tokio::test(start_paused = true)]
async fn a_fallback_model_is_asked_at_once() {
    let mut spec = spec();
    let model = std::mem::replace(&mut spec.personas[0].voice.model, "slow".into());
    spec.personas[0].voice.fallback_models = vec![model];
    let (stage, cast, other) =
        (TestBench::new(), Cast::new(Duration::from_millis(1)), Cast::new(Duration::from_millis(1)));
    other.cue([slow()]);
    let served =
        agon_runtime::HostConfig { models: agon_runtime::Served::List(vec!["slow".into()]), ..other.host("gpu2", 1) };
    let node = stage.node("n1", vec![cast.host("gpu1", 1), served]).await;
    let began = stage.clock.now();

    node.submit(admission(ID, spec)).await.unwrap();
    let (state, outcome) = node.finished(&debate(ID)).await.unwrap();

    assert_eq!((state, outcome, other.calls()), (DebateState::Succeeded, Some(Outcome::Decided), 1));
    assert!(stage.clock.now().since(began) < 2_000);
}

#[tokio::test(start_paused = true)]
async fn answers_are_bounded_by_the_speed_only_where_the_file_says_so() {
    let limits = |cast: &Cast| -> Vec<u32> {
        cast.requests().iter().map(|request| request.options.max_tokens.unwrap()).collect()
    };
    let mut adapting = spec();
    adapting.answers.adapt_max_tokens = true;

    let (cast, ..) = held(spec(), Some(1.0), vec![]).await;
    assert_eq!(limits(&cast), [200, 200, 200]);
    let (cast, ..) = held(adapting.clone(), None, vec![]).await;
    assert_eq!(limits(&cast), [200, 200, 200], "nothing is known");
    // three quarters of 120 s
    let (cast, _, _, stage) = held(adapting.clone(), Some(1.5), vec![]).await;
    assert_eq!(limits(&cast), [135, 135, 135]);
    assert!(cast.requests()[0].messages[1].content.to_string().contains("50 words"));
    let log = stage.log(ID).await;
    let spoken = events(&log).find_map(Event::speech);
    assert_eq!(spoken.unwrap().0.call.options.tokens_per_second, Some(1.5));
    let (cast, ..) = held(adapting.clone(), Some(0.1), vec![]).await;
    assert_eq!(limits(&cast), [64, 64, 64], "no answer is shorter");
    let (cast, ..) = held(adapting, Some(50.0), vec![]).await;
    assert_eq!(limits(&cast), [200, 200, 200]);
}

#[tokio::test(start_paused = true)]
async fn other_nodes_are_told_how_fast_the_models_of_a_host_are() {
    let (stage, cast) = (TestBench::new(), Cast::new(Duration::from_millis(1)));
    let owner = stage.peer("n1", vec![]).await;
    let speeds = Arc::new(Speeds::new([(("gpu1".into(), "m".into()), 2.5)]));
    let listed = vec!["m:latest".into(), "other".into()];
    let host = agon_runtime::HostConfig { models: agon_runtime::Served::List(listed), ..cast.host("gpu1", 1) };
    let config = NodeConfig { max_debates: 0, speeds, ..NodeConfig::clustered("h1".into()) };
    let _player = stage.node_with(config, vec![host]).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    let told = || {
        let hosts = owner.hosts();
        let gpu = hosts.iter().find(|known| known.alive.host.as_str() == "gpu1").unwrap();
        Vec::from_iter(gpu.alive.models.iter().map(|model| (model.name.to_string(), model.millitokens_per_second)))
    };

    assert_eq!(told(), [("m:latest".to_owned(), Some(2_500)), ("other".to_owned(), None)]);
    cast.cue([slow(), slow()]);
    owner.submit(admission(ID, spec())).await.unwrap();
    owner.finished(&debate(ID)).await.unwrap();
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(told()[0].1, Some(2_125), "as late calls told: half the way to 2.0, twice");
}
