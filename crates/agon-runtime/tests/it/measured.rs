//! Speeches that are compared by the vectors of a model.
use crate::cast::Cast;
use crate::test_bench::*;
use agon_core::*;
use agon_llm::{ChatError, ChatErrorKind, TransportFault};
use agon_runtime::{HostConfig, Served};
use std::sync::Arc;
use std::time::Duration;

const ID: &str = "a-debate";

fn measured_by(model: &str) -> DebateSpec {
    let similarity = Similarity { embedding_model: Some(model.into()), ..Similarity::default() };
    DebateSpec { max_rounds: 2, similarity, ..spec() }
}

fn measures(log: &[Arc<Record>]) -> Vec<Method> {
    let measured = events(log).filter_map(|event| match event {
        Event::Answered(Answered { given: Given::Measures { measures, .. }, .. })
        | Event::RoundCompared { measures, .. } => Some(measures.method),
        _ => None,
    });
    measured.collect()
}
fn failures(log: &[Arc<Record>]) -> Vec<(ParticipantId, FailureCause)> {
    let failed = events(log).filter_map(|event| match event {
        Event::TurnFailed { participant, failure, .. } => Some((participant.clone(), failure.cause)),
        _ => None,
    });
    failed.collect()
}

/// Holds the debate where `m` and the embedding model are served at two hosts.
async fn held(embedder: &Cast, spec: DebateSpec) -> Vec<Arc<Record>> {
    let (stage, cast) = (TestBench::new(), Cast::new(Duration::from_millis(500)));
    let embeds = HostConfig { models: Served::List(vec!["embed-it".into()]), ..embedder.host("gpu2", 1) };
    let node = stage.node("n1", vec![cast.host("gpu1", 1), embeds]).await;
    node.submit(admission(ID, spec)).await.unwrap();
    assert_eq!(node.finished(&debate(ID)).await.unwrap().0, DebateState::Succeeded);
    assert!(cast.state.embedded.lock().unwrap().is_empty());
    let log = stage.log(ID).await;
    check(&log);
    log
}

#[tokio::test(start_paused = true)]
async fn speeches_are_embedded_once_at_the_host_that_has_the_model() {
    let embedder = Cast::new(Duration::ZERO);

    let log = held(&embedder, measured_by("embed-it")).await;

    assert_eq!(measures(&log), [Method::Embeddings; 2]);
    let asked: Vec<usize> = embedder.state.embedded.lock().unwrap().iter().map(Vec::len).collect();
    assert_eq!(asked, [2, 2], "those of the first round were known in the second");
    assert_eq!(embedder.calls(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_gives_no_embeddings_is_asked_once_a_round_and_words_are_compared() {
    let embedder = Cast::new(Duration::ZERO);
    let refusal = ChatError { status: Some(501), ..ChatError::new(ChatErrorKind::Server5xx, "no embeddings") };
    *embedder.state.no_embeddings.lock().unwrap() = Some(refusal);

    let log = held(&embedder, measured_by("embed-it")).await;

    assert_eq!(measures(&log), [Method::WordsInstead; 2]);
    assert_eq!(failures(&log), vec![("embedder".into(), FailureCause::BadRequest); 2]);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_away_is_tried_once_a_round_and_words_are_compared() {
    let embedder = Cast::new(Duration::ZERO);
    let away = ChatError::new(ChatErrorKind::Transport(TransportFault::Connect), "refused");
    *embedder.state.no_embeddings.lock().unwrap() = Some(away);

    let log = held(&embedder, measured_by("embed-it")).await;

    assert_eq!(measures(&log), [Method::WordsInstead; 2]);
    assert_eq!(failures(&log), vec![("embedder".into(), FailureCause::Transport); 2]);
}

#[tokio::test(start_paused = true)]
async fn an_embedding_model_that_nobody_serves_fails_at_once() {
    let log = held(&Cast::new(Duration::ZERO), DebateSpec { max_rounds: 1, ..measured_by("absent") }).await;

    assert_eq!(measures(&log), [Method::WordsInstead]);
    assert_eq!(failures(&log), [("embedder".into(), FailureCause::NotFound)]);
}
