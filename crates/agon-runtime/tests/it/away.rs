//! Model servers that are away for a while: they are waited for, and nothing is lost by it.
use crate::cast::{Cast, Cue};
use crate::test_bench::*;
use agon_core::*;
use agon_proto::BreakerState;
use agon_runtime::{HostConfig, Node, Served, TokioClock};
use std::sync::Arc;
use std::time::Duration;

const ID: &str = "a-debate";

/// Why the debate is interrupted, if that was the last thing to happen.
fn halted(log: &[Arc<Record>]) -> Option<Reason> {
    match log.last()?.events.last()? {
        Event::DebateInterrupted { reason } => Some(reason.clone()),
        _ => None,
    }
}

/// What the calls of a log waited for model servers that were away, in milliseconds.
fn waited(log: &[Arc<Record>]) -> u64 {
    let calls = events(log).filter_map(Event::settled).map(|(_, call)| call);
    calls.filter_map(|call| call.timing.away_ms).sum()
}

async fn held_with(cues: impl IntoIterator<Item = Cue>) -> (TestBench, Cast, u64) {
    let (stage, cast, node) = scene("n1", Duration::from_millis(500), 4).await;
    cast.cue(cues);
    let began = stage.clock.now();
    node.submit(admission(ID, spec())).await.unwrap();
    assert_eq!(node.finished(&debate(ID)).await.unwrap().0, DebateState::Succeeded);
    let took = stage.clock.now().since(began);
    (stage, cast, took)
}

async fn until_halted(stage: &TestBench, seconds: u64) -> Reason {
    for _ in 0..seconds {
        if let Some(reason) = halted(&stage.log(ID).await) {
            return reason;
        }
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    panic!("not halted within {seconds} s: {:?}", causes(&stage.log(ID).await));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_refuses_connections_for_half_a_minute_costs_no_try() {
    let (calm, cast, calm_took) = held_with([]).await;
    let calls = cast.calls();

    let (stage, cast, took) = held_with(std::iter::repeat_n(Cue::Away, 15)).await;

    let log = stage.log(ID).await;
    assert_eq!(causes(&log), []);
    assert_eq!(waited(&calm.log(ID).await), 0);
    assert!((29_000..34_000).contains(&waited(&log)), "{} ms", waited(&log));
    assert_eq!(stage.story(ID).await, calm.story(ID).await);
    // one look every two seconds
    assert_eq!(cast.calls(), calls + 15);
    assert!((30_000..34_000).contains(&(took - calm_took)), "{took} ms, and {calm_took} ms without it");
}

#[tokio::test(start_paused = true)]
async fn a_host_whose_clock_is_an_hour_off_waits_for_its_server_as_any_other() {
    const HOUR: u64 = 3_600_000;
    for clock in [START.plus(HOUR), Timestamp(START.0 - HOUR)] {
        let stage = TestBench::new();
        let cast = Cast::new(Duration::from_millis(500));
        cast.cue(std::iter::repeat_n(Cue::Away, 15));
        let elsewhere = TestBench { clock: Arc::new(TokioClock::starting_at(clock)), ..stage.clone() };
        let (node, player) = (stage.peer("n1", vec![]).await, elsewhere.player("n2", vec![cast.host("gpu1", 4)]).await);

        node.submit(admission(ID, spec())).await.unwrap();
        let ended = tokio::time::timeout(Duration::from_secs(600), node.finished(&debate(ID))).await;
        assert!(matches!(ended, Ok(Ok((DebateState::Succeeded, _)))), "at {clock:?}: {ended:?}");
        assert_eq!(causes(&stage.log(ID).await), [], "at {clock:?}");
        player.stop().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_stays_away_is_given_up_before_the_turns_deadline_whatever_the_hosts_clock_says() {
    let stage = TestBench::new();
    let cast = Cast::new(Duration::from_millis(500));
    cast.cue(std::iter::repeat_n(Cue::Away, 1_000));
    let late = Arc::new(TokioClock::starting_at(Timestamp(START.0 - 3_600_000)));
    let elsewhere = TestBench { clock: late, ..stage.clone() };
    let (node, _player) = (stage.peer("n1", vec![]).await, elsewhere.player("n2", vec![cast.host("gpu1", 4)]).await);
    let budget = Budget { seconds: Some(200), ..Budget::default() };
    let mut admission = admission(ID, DebateSpec { budget, ..spec() });
    admission.retry.wait_limit_ms = 3_600_000;

    node.submit(admission).await.unwrap();

    tokio::time::sleep(Duration::from_secs(180)).await;
    assert_eq!(causes(&stage.log(ID).await).first(), Some(&FailureCause::ServerAway), "its host says why");
}

#[tokio::test(start_paused = true)]
async fn a_server_without_room_is_asked_again_when_it_says_so() {
    let (_, _, calm) = held_with([]).await;
    let (stage, cast, took) = held_with([Cue::Full(Duration::from_secs(20)), Cue::Full(Duration::ZERO)]).await;

    assert_eq!((causes(&stage.log(ID).await), cast.calls()), (vec![], 5));
    assert!((22_000..24_000).contains(&(took - calm)), "{took} ms, and {calm} ms without it");
}

#[tokio::test(start_paused = true)]
async fn a_server_that_dies_within_an_answer_costs_that_try_and_the_next_one_waits() {
    let cues = [Cue::Answer, Cue::Break].into_iter().chain(std::iter::repeat_n(Cue::Away, 10));
    let (stage, _, _) = held_with(cues).await;

    assert_eq!(causes(&stage.log(ID).await), [FailureCause::Transport]);
}

#[tokio::test(start_paused = true)]
async fn debates_whose_calls_break_off_together_do_not_open_the_breaker() {
    let (stage, cast, node) = scene("n1", Duration::from_millis(500), 6).await;
    cast.cue(std::iter::repeat_n(Cue::Break, 6));
    let ids: Vec<String> = (0..6).map(|n| format!("debate-{n}")).collect();
    for id in &ids {
        node.submit(admission(id, spec())).await.unwrap();
    }
    for id in &ids {
        assert_eq!(node.finished(&debate(id)).await.unwrap().0, DebateState::Succeeded);
        assert_eq!(causes(&stage.log(id).await), [FailureCause::Transport]);
    }
}

async fn begun(stage: &TestBench, cast: &Cast, wait_limit_ms: u64) -> Node {
    let node = stage.node("n1", vec![cast.host("gpu1", 1)]).await;
    let mut admission = admission(ID, spec());
    admission.retry.wait_limit_ms = wait_limit_ms;
    node.submit(admission).await.unwrap();
    node
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_away_is_told_of_as_such_and_not_as_an_open_breaker() {
    let stage = TestBench::new();
    let cast = Cast::new(Duration::from_millis(500));
    cast.cue(std::iter::repeat_n(Cue::Away, 10));
    let node = begun(&stage, &cast, 60_000).await;
    tokio::time::sleep(Duration::from_secs(9)).await;
    let told = || node.hosts()[0].alive.models[0].away.clone();

    let away = told().expect("it is away");

    assert_eq!((away.why.as_str(), away.breaker), ("no connection", BreakerState::Closed));
    let now = stage.clock.now();
    assert!((8_000..=9_000).contains(&now.since(away.since)), "{away:?}");
    assert!((1..=2_000).contains(&away.next_look.since(now)), "{away:?}");
    node.finished(&debate(ID)).await.unwrap();
    assert_eq!(told(), None);
}

#[tokio::test(start_paused = true)]
async fn a_debate_whose_only_server_stays_away_is_paused_and_goes_on_when_it_is_resumed() {
    let stage = TestBench::new();
    let cast = Cast::new(Duration::from_millis(500));
    cast.cue([Cue::Answer].into_iter().chain(std::iter::repeat_n(Cue::Away, 1_000)));
    let node = begun(&stage, &cast, 60_000).await;

    let reason = until_halted(&stage, 90).await;

    assert_eq!(reason.code, ReasonCode::ServerAway);
    let detail = reason.detail.unwrap();
    assert!(detail.starts_with("gpu1: no connection since 6"), "{detail}");
    let log = stage.log(ID).await;
    assert_eq!(causes(&log), [FailureCause::ServerAway]);
    assert_eq!(Debate::fold(log.iter().map(Arc::as_ref)).unwrap().halt(), Some(Halt::Paused));
    let calls = cast.calls();
    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(cast.calls(), calls, "nobody calls for a paused debate");

    // still away
    node.resume(&debate(ID), None).await.unwrap();
    tokio::time::sleep(Duration::from_secs(1)).await;
    until_halted(&stage, 90).await;
    cast.uncue();
    node.resume(&debate(ID), None).await.unwrap();
    let (state, outcome) = node.finished(&debate(ID)).await.unwrap();

    assert_eq!((state, outcome), (DebateState::Succeeded, Some(Outcome::Decided)));
    check(&stage.log(ID).await);
}

#[tokio::test(start_paused = true)]
async fn a_turn_whose_server_is_away_moves_to_another_host() {
    let stage = TestBench::new();
    let (gone, well) = (Cast::new(Duration::from_millis(500)), Cast::new(Duration::from_millis(500)));
    gone.cue(std::iter::repeat_n(Cue::Away, 1_000));
    let node = stage.node("n1", vec![gone.host("gpu1", 1), well.host("gpu2", 1)]).await;
    let ids: Vec<String> = (0..12).map(|n| format!("debate-{n}")).collect();
    let began = stage.clock.now();
    for id in &ids {
        node.submit(admission(id, spec())).await.unwrap();
    }
    for id in &ids {
        assert_eq!(node.finished(&debate(id)).await.unwrap().0, DebateState::Succeeded);
        assert_eq!(causes(&stage.log(id).await), []);
    }
    assert_eq!(well.calls(), 12 * 3);
    assert!(gone.calls() >= 1);
    assert!(stage.clock.now().since(began) < 60_000);
}

#[tokio::test(start_paused = true)]
async fn a_persona_whose_own_server_stays_away_loses_its_seats_where_the_others_can_go_on() {
    let stage = TestBench::new();
    let (cast, own) = (Cast::new(Duration::from_millis(500)), Cast::new(Duration::from_millis(500)));
    own.cue(std::iter::repeat_n(Cue::Away, 1_000));
    let served = HostConfig { models: Served::List(vec!["own".into()]), ..own.host("gpu2", 1) };
    let node = stage.node("n1", vec![cast.host("gpu1", 2), served]).await;
    let mut spec = DebateSpec { max_rounds: 3, ..spec() };
    let third = Persona { name: "Cora".into(), stance: Some("later".into()), ..spec.personas[1].clone() };
    spec.personas.push(third);
    spec.personas[2].voice.model = "own".into();
    let mut admission = admission(ID, spec);
    admission.retry.wait_limit_ms = 30_000;
    let began = stage.clock.now();

    node.submit(admission).await.unwrap();
    let (state, _) = node.finished(&debate(ID)).await.unwrap();

    assert_eq!(state, DebateState::Succeeded);
    let causes = causes(&stage.log(ID).await);
    assert!(causes.len() >= 3 && causes.iter().all(|cause| *cause == FailureCause::ServerAway), "{causes:?}");
    // it is waited for once, and then looked for by each turn
    assert!(stage.clock.now().since(began) < 60_000, "{} ms", stage.clock.now().since(began));
}

#[tokio::test(start_paused = true)]
async fn a_persona_with_a_fallback_does_not_wait() {
    let stage = TestBench::new();
    let (cast, own) = (Cast::new(Duration::from_millis(500)), Cast::new(Duration::from_millis(500)));
    own.cue(std::iter::repeat_n(Cue::Away, 1_000));
    let served = HostConfig { models: Served::List(vec!["own".into()]), ..own.host("gpu2", 1) };
    let node = stage.node("n1", vec![cast.host("gpu1", 2), served]).await;
    let mut spec = spec();
    let model = std::mem::replace(&mut spec.personas[1].voice.model, "own".into());
    spec.personas[1].voice.fallback_models = vec![model];
    let began = stage.clock.now();

    node.submit(admission(ID, spec)).await.unwrap();
    let (state, outcome) = node.finished(&debate(ID)).await.unwrap();

    assert_eq!((state, outcome), (DebateState::Succeeded, Some(Outcome::Decided)));
    assert!(stage.clock.now().since(began) < 10_000);
}
