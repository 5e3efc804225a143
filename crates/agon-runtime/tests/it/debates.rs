//! Debates that nothing disturbs.
use crate::cast::Cast;
use crate::test_bench::*;
use agon_core::*;
use agon_runtime::{SubmitError, Watched};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

async fn held(spec: DebateSpec) -> (DebateState, Option<Outcome>) {
    let (stage, _, node) = scene("n1", Duration::from_millis(500), 2).await;
    node.submit(admission("a-debate", spec)).await.unwrap();
    let end = node.finished(&debate("a-debate")).await.unwrap();
    check(&stage.log("a-debate").await);
    assert!(node.stop().await, "every task ended");
    end
}

#[tokio::test(start_paused = true)]
async fn a_small_debate_runs_to_its_verdict() {
    assert_eq!(held(spec()).await.0, DebateState::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn a_debate_with_every_phase_runs_to_its_verdict() {
    assert_eq!(held(rich_spec()).await.0, DebateState::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn a_debate_of_simultaneous_speakers_runs_to_its_vote() {
    assert_eq!(held(simultaneous_spec()).await.0, DebateState::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn every_call_is_accounted_for() {
    let (stage, _, node) = scene("n1", Duration::from_millis(500), 2).await;

    node.submit(admission("a-debate", spec())).await.unwrap();
    node.finished(&debate("a-debate")).await.unwrap();

    let log = stage.log("a-debate").await;
    let speech = events(&log).find_map(Event::speech);
    let call = &speech.unwrap().0.call;
    assert_eq!(call.host.as_deref(), Some("gpu1"));
    assert_eq!(call.digest.as_deref(), Some("sha256:1"));
    assert_eq!(call.usage.total(), Some(110));
    assert_eq!(call.timing.total_ms, Some(500));
    assert_eq!(call.timing.queue_ms, Some(0));
    assert_eq!(call.prompt_hash.as_ref().unwrap().len(), 64);
    assert!(call.rehearsal);
}

#[tokio::test(start_paused = true)]
async fn the_same_admission_may_be_submitted_again_and_another_may_not() {
    let stage = TestBench::new();
    let node = stage.node("n1", vec![Cast::new(Duration::from_secs(1)).host("gpu1", 1)]).await;
    node.submit(admission("a-debate", spec())).await.unwrap();

    let again = node.submit(admission("a-debate", spec())).await;
    let other = node.submit(admission("a-debate", rich_spec())).await;

    assert!(again.is_ok());
    assert!(matches!(other, Err(SubmitError::Conflict(_))));
}

#[tokio::test(start_paused = true)]
async fn a_watcher_sees_every_record_once_and_the_tokens_of_each_speech() {
    let (stage, _, node) = scene("n1", Duration::from_millis(500), 2).await;
    let mut watch = node.watch_expected(&debate("a-debate"), Position(0), true).await.unwrap();
    node.submit(admission("a-debate", spec())).await.unwrap();

    let (mut records, mut spoken) = (Vec::new(), String::new());
    while let Some(watched) = watch.next().await.unwrap() {
        match watched {
            Watched::Record(record) => records.push(record),
            Watched::Delta(delta) if delta.participant.as_str() == "Ada" => spoken.push_str(&delta.text),
            Watched::Delta(_) => {}
        }
    }

    let log = stage.log("a-debate").await;
    assert_eq!(records, log);
    let mut speeches = events(&log).filter_map(Event::speech);
    let (_, ada) = speeches.find(|(said, _)| said.participant.as_str() == "Ada").unwrap();
    assert_eq!(*spoken, *ada.text);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_nobody_serves_fails_at_once_and_says_what_is_served() {
    let stage = TestBench::new();
    let cast = Cast::new(Duration::from_millis(500));
    let mut absent = spec();
    absent.personas[0].voice.model = "absent".into();
    let node = stage.node("n1", vec![cast.host("gpu1", 2)]).await;

    node.submit(admission("a-debate", absent)).await.unwrap();
    node.finished(&debate("a-debate")).await.unwrap();

    let log = stage.log("a-debate").await;
    let failure = events(&log).find_map(|event| match event {
        Event::TurnFailed { failure, .. } => Some(failure.clone()),
        _ => None,
    });
    let failure = failure.unwrap();
    assert_eq!(failure.cause, FailureCause::NotFound);
    assert_eq!(failure.detail, "no host serves absent: gpu1 serves m");
}

#[tokio::test(start_paused = true)]
async fn a_host_that_only_rehearses_is_said_to_where_it_cannot_play_a_debate() {
    let (stage, _, node) = scene("n1", Duration::from_millis(500), 2).await;

    node.submit(Admission { rehearsal: false, ..admission("a-debate", spec()) }).await.unwrap();
    node.finished(&debate("a-debate")).await.unwrap();

    let log = stage.log("a-debate").await;
    let told = events(&log).find_map(|event| match event {
        Event::TurnFailed { failure, .. } => Some(failure.detail.clone()),
        _ => None,
    });
    let remedy = "start a host that serves m, or submit the debate with --rehearsal";
    assert_eq!(told.unwrap(), format!("no host serves m: gpu1 only rehearses; {remedy}"));
}

#[tokio::test(start_paused = true)]
async fn a_hundred_debates_share_few_permits_and_all_end() {
    let (_, cast, node) = scene("n1", Duration::from_millis(500), 3).await;
    let ids: Vec<String> = (0..100).map(|n| format!("debate-{n}")).collect();

    for id in &ids {
        node.submit(admission(id, spec())).await.unwrap();
    }
    for id in &ids {
        assert_eq!(node.finished(&debate(id)).await.unwrap().0, DebateState::Succeeded);
    }

    assert_eq!(cast.most_running(), 3);
    assert_eq!(cast.calls(), 300);
    assert_eq!(node.stats().calls_in_flight, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_debates_on_several_threads_all_end() {
    let stage = TestBench::new();
    let cast = Cast::new(Duration::from_millis(1));
    let node = stage.node("n1", vec![cast.host("gpu1", 16), cast.host("gpu2", 16)]).await;
    let ids: Vec<String> = (0..200).map(|n| format!("debate-{n}")).collect();

    for id in &ids {
        node.submit(admission(id, simultaneous_spec())).await.unwrap();
    }
    for id in &ids {
        assert_eq!(node.finished(&debate(id)).await.unwrap().0, DebateState::Succeeded);
        check(&stage.log(id).await);
    }

    assert!(node.stop().await, "every task ended");
    assert_eq!(cast.aborted(), 0);
}

fn with_an_expression() -> DebateSpec {
    DebateSpec { terminate_when: Some("turns > 1000".to_owned()), ..spec() }
}

#[tokio::test(start_paused = true)]
async fn a_debate_with_an_expression_runs_to_its_verdict_on_one_thread() {
    assert_eq!(held(with_an_expression()).await.0, DebateState::Succeeded);
}

/// How many threads a runtime with one worker has started when the debate is over.
fn threads_of(spec: DebateSpec) -> usize {
    let threads = Arc::new(AtomicUsize::new(0));
    let counted = threads.clone();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .on_thread_start(move || {
            counted.fetch_add(1, Ordering::SeqCst);
        })
        .build()
        .unwrap();
    assert_eq!(runtime.block_on(held(spec)).0, DebateState::Succeeded);
    threads.load(Ordering::SeqCst)
}

#[test]
fn an_expression_is_evaluated_while_another_thread_serves_the_rest() {
    assert_eq!(threads_of(spec()), 1, "nothing costs a thread without need");
    assert!(threads_of(with_an_expression()) > 1, "the only worker was held up");
}
