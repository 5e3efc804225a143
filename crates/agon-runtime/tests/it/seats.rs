//! Participants that a process outside Agon plays.
use crate::cast::Cast;
use crate::test_bench::*;
use agon_bus::{Bus, Payload};
use agon_core::*;
use agon_proto::{SeatAsk, SeatReply, Wire};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::task::JoinHandle;

const ID: &str = "a-debate";
const SEAT: &str = "agon.v1.seat.default.a-debate.>";

/// A debate in which Ada is no model.
fn with_ada_outside() -> DebateSpec {
    let mut spec = spec();
    spec.personas[0].voice.model = ModelName::from(ModelName::EXTERNAL);
    spec
}

/// A process that plays the seats of the debate, and what it was asked.
async fn player(bus: &Arc<dyn Bus>, reply: SeatReply) -> (Arc<Mutex<Vec<SeatAsk>>>, JoinHandle<()>) {
    let asked: Arc<Mutex<Vec<SeatAsk>>> = Arc::default();
    let (mut server, heard) = (bus.serve(SEAT).await.unwrap(), asked.clone());
    let playing = tokio::spawn(async move {
        while let Some(request) = server.next().await {
            heard.lock().unwrap().push(SeatAsk::from_bytes(&request.message.payload).unwrap());
            (request.reply)(Payload::from(reply.to_bytes()));
        }
    });
    (asked, playing)
}

fn failures(log: &[Arc<Record>]) -> Vec<(FailureCause, String)> {
    let failed = events(log).filter_map(|event| match event {
        Event::TurnFailed { failure, .. } => Some((failure.cause, failure.detail.clone())),
        _ => None,
    });
    failed.collect()
}
fn speeches(log: &[Arc<Record>]) -> Vec<(&Answered, &Speech)> {
    events(log).filter_map(Event::speech).collect()
}

#[tokio::test(start_paused = true)]
async fn a_seat_that_is_played_outside_speaks_in_the_debate() {
    let (stage, cast) = (TestBench::new(), Cast::new(Duration::from_millis(500)));
    let (asked, _playing) = player(&stage.bus, SeatReply::Text("Bridges join people.".into())).await;
    let node = stage.node("n1", vec![cast.host("gpu1", 1)]).await;

    node.submit(admission(ID, with_ada_outside())).await.unwrap();
    assert_eq!(node.finished(&debate(ID)).await.unwrap().0, DebateState::Succeeded);

    let log = stage.log(ID).await;
    let (said, speech) = speeches(&log).remove(0);
    assert_eq!((said.participant.as_str(), &*speech.text), ("Ada", "Bridges join people."));
    assert_eq!((said.call.host.as_deref(), said.call.usage), (Some("seats.n1"), Usage::default()));
    assert!(!said.call.rehearsal && said.call.prompt_hash.is_some());
    let asked = asked.lock().unwrap();
    assert_eq!((asked.len(), asked[0].debate.as_str(), asked[0].schema.as_deref()), (1, ID, None));
    assert_eq!(asked[0].messages[0].role, "system");
    assert!(asked[0].messages.iter().any(|message| message.text.contains("Should the town build a bridge?")));
    assert_eq!(cast.calls(), 2, "the models played the others");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_does_not_fit_the_schema_is_malformed_as_a_models_would_be() {
    let (stage, cast) = (TestBench::new(), Cast::new(Duration::from_millis(500)));
    let (asked, _playing) = player(&stage.bus, SeatReply::Text("I would rather not say.".into())).await;
    let node = stage.node("n1", vec![cast.host("gpu1", 1)]).await;
    let spec = DebateSpec { ballots: Ballots::Both, ..with_ada_outside() };

    node.submit(admission(ID, spec)).await.unwrap();
    node.finished(&debate(ID)).await.unwrap();

    let failures = failures(&stage.log(ID).await);
    assert!(failures.iter().any(|(cause, _)| *cause == FailureCause::Malformed), "{failures:?}");
    assert!(asked.lock().unwrap().iter().any(|ask| ask.schema.is_some()));
}

#[tokio::test(start_paused = true)]
async fn a_refusal_fails_the_turn_and_says_why() {
    let (stage, cast) = (TestBench::new(), Cast::new(Duration::from_millis(500)));
    let (asked, _playing) = player(&stage.bus, SeatReply::Refusal("out for lunch".into())).await;
    let node = stage.node("n1", vec![cast.host("gpu1", 1)]).await;

    node.submit(admission(ID, with_ada_outside())).await.unwrap();
    node.finished(&debate(ID)).await.unwrap();

    let refused = (FailureCause::BadRequest, "Ada does not answer: out for lunch".to_owned());
    assert_eq!(failures(&stage.log(ID).await), [refused]);
    assert_eq!(asked.lock().unwrap().len(), 1, "it was asked once");
}

#[tokio::test(start_paused = true)]
async fn an_answer_that_is_too_long_fails_the_turn_and_says_what_is_taken() {
    for (reply, cause, said) in [
        (
            SeatReply::Text("x".repeat(65_537)),
            FailureCause::Truncated,
            "Ada answered 65537 bytes; at most 65536 are taken",
        ),
        (SeatReply::Refusal("no ".repeat(100_000)), FailureCause::BadRequest, "Ada does not answer: no no"),
    ] {
        let (stage, cast) = (TestBench::new(), Cast::new(Duration::from_millis(500)));
        let (_, _playing) = player(&stage.bus, reply).await;
        let node = stage.node("n1", vec![cast.host("gpu1", 1)]).await;

        node.submit(admission(ID, with_ada_outside())).await.unwrap();
        node.finished(&debate(ID)).await.unwrap();

        let failures = failures(&stage.log(ID).await);
        assert!(failures.iter().all(|failure| failure.0 == cause && failure.1.len() < 300), "{failures:?}");
        assert!(failures[0].1.starts_with(said), "{failures:?}");
        assert!(speeches(&stage.log(ID).await).iter().all(|(said, _)| said.participant.as_str() != "Ada"));
    }
}

#[tokio::test(start_paused = true)]
async fn a_seat_that_nobody_plays_is_waited_for_and_then_fails_as_not_found() {
    let (stage, _, node) = scene("n1", Duration::from_millis(500), 1).await;
    let before = stage.clock.now();

    node.submit(admission(ID, with_ada_outside())).await.unwrap();
    node.finished(&debate(ID)).await.unwrap();

    let failures = failures(&stage.log(ID).await);
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert_eq!(failures[0].0, FailureCause::NotFound);
    assert!(failures[0].1.starts_with("nobody plays the seat of Ada"), "{}", failures[0].1);
    let waited = stage.clock.now().since(before);
    assert!((spec().timeout_per_turn_ms - 2_000..spec().timeout_per_turn_ms + 5_000).contains(&waited), "{waited}");
}

#[tokio::test(start_paused = true)]
async fn a_player_that_comes_late_still_gets_the_turn() {
    let (stage, _, node) = scene("n1", Duration::from_millis(500), 1).await;
    node.submit(admission(ID, with_ada_outside())).await.unwrap();
    tokio::time::sleep(Duration::from_secs(30)).await;

    let (_, _playing) = player(&stage.bus, SeatReply::Text("Sorry, the train.".into())).await;
    node.finished(&debate(ID)).await.unwrap();

    assert_eq!(failures(&stage.log(ID).await), []);
    assert_eq!(&*speeches(&stage.log(ID).await)[0].1.text, "Sorry, the train.");
}
