//! What is said in the log while a trouble lasts.
use crate::cast::{Cast, Cue};
use crate::outage::wire;
use crate::test_bench::*;
use agon_core::*;
use std::fmt::{Debug, Write};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record as Fields};
use tracing::subscriber::{DefaultGuard, set_default};
use tracing::{Event as Said, Level, Metadata, Subscriber};

/// The lines at INFO and above that this thread's tasks write.
#[derive(Clone, Default)]
struct CapturedLog(Arc<Mutex<Vec<String>>>);

impl CapturedLog {
    fn listen(&self) -> DefaultGuard {
        set_default(self.clone())
    }
    fn count(&self, what: &str) -> usize {
        self.0.lock().unwrap().iter().filter(|line| line.contains(what)).count()
    }
}

struct LogLine(String);
impl Visit for LogLine {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        write!(self.0, "{}={value:?} ", field.name()).unwrap();
    }
}

impl Subscriber for CapturedLog {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::INFO
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Fields<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Said<'_>) {
        let mut line = LogLine(String::new());
        event.record(&mut line);
        self.0.lock().unwrap().push(line.0);
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_away_for_minutes_is_named_each_minute_however_many_turns_wait() {
    let lines = CapturedLog::default();
    let _listening = lines.listen();
    let stage = TestBench::new();
    let cast = Cast::new(Duration::from_millis(500));
    // a look every two seconds: three minutes
    cast.cue(std::iter::repeat_n(Cue::Away, 90));
    let node = stage.node("n1", vec![cast.host("gpu1", 8)]).await;
    let ids: Vec<String> = (0..6).map(|n| format!("debate-{n}")).collect();
    for id in &ids {
        let mut admission = admission(id, DebateSpec { timeout_per_turn_ms: 900_000, ..spec() });
        admission.retry.wait_limit_ms = 900_000;
        node.submit(admission).await.unwrap();
    }
    for id in &ids {
        assert_eq!(node.finished(&debate(id)).await.unwrap().0, DebateState::Succeeded);
    }

    let away = lines.count("model server away");
    assert!((3..=4).contains(&away), "{away}");
    assert_eq!(lines.count("model server there again"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_log_that_cannot_be_read_for_its_watchers_is_said_each_minute_and_once_when_it_is_read_again() {
    let lines = CapturedLog::default();
    let _listening = lines.listen();
    let (stage, outage) = wire(&TestBench::new());
    let cast = Cast::new(Duration::from_secs(60));
    let node = stage.node("n1", vec![cast.host("gpu1", 1)]).await;
    node.submit(admission("a-debate", DebateSpec { timeout_per_turn_ms: 900_000, ..spec() })).await.unwrap();
    let _watch = node.watch(&debate("a-debate"), Position(0), false).await.unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;

    outage.store(true);
    tokio::time::sleep(Duration::from_secs(150)).await;
    outage.store(false);
    node.finished(&debate("a-debate")).await.unwrap();

    let said = lines.count("log not read for its watchers");
    assert!((1..=3).contains(&said), "{said}");
    assert_eq!(lines.count("log read again for its watchers"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_model_that_answers_under_another_name_is_said_once_and_noted_in_every_call() {
    let lines = CapturedLog::default();
    let _listening = lines.listen();
    let (stage, cast, node) = scene("n1", Duration::from_millis(1), 1).await;
    cast.cue([Cue::As("/models/M.gguf"), Cue::As("m:latest"), Cue::As("other:1b"), Cue::As("other:1b")]);
    cast.cue(std::iter::repeat_n(Cue::As("other:1b"), 8));
    for id in ["a-debate", "b-debate"] {
        node.submit(admission(id, spec())).await.unwrap();
        assert_eq!(node.finished(&debate(id)).await.unwrap().0, DebateState::Succeeded);
    }

    assert_eq!(lines.count("answers under another model's name"), 1);
    let mut records = stage.log("a-debate").await;
    records.extend(stage.log("b-debate").await);
    let events: Vec<_> = records.iter().flat_map(|record| &record.events).collect();
    let calls = events.iter().filter_map(|event| event.settled()).map(|(_, call)| call.answered_by.as_deref());
    let names: Vec<_> = calls.collect();
    assert_eq!(names[..2], [None, None]);
    assert!(names.len() == 6 && names[2..].iter().all(|name| *name == Some("other:1b")), "{names:?}");
}
