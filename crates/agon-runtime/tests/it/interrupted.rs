//! Speeches that somebody interrupts while they are held.
use crate::cast::{Cast, Cue};
use crate::test_bench::*;
use agon_bus::nats::{NatsBus, NatsConfig, ProvisionConfig, QueueConfig, connect, provision};
use agon_core::*;
use agon_runtime::{Death, HostConfig, Node, Served, Victim, Watched};
use agon_testkit::NatsServer;
use std::sync::Arc;
use std::time::Duration;

const ID: &str = "a-debate";
const SENTENCES: [&str; 4] = [
    "A bridge joins the two halves of this town, and whoever works on the other side saves an hour on every day. ",
    "It costs no more than the ferry costs in nine years, and the ferry does not run at night or in a storm. ",
    "Besides, it would ",
    "be a fine thing to look at from the market.",
];
/// What is whole of it when the others have heard half.
const HALF: usize = 2;

/// Three who fight for the floor, each by a model of its own.
fn fight() -> DebateSpec {
    let mut spec = spec();
    let third = Persona { name: "Cy".into(), stance: Some("a tunnel".into()), ..spec.personas[0].clone() };
    spec.personas.push(third);
    for (persona, model) in spec.personas.iter_mut().zip(["ada", "bob", "cy"]) {
        persona.voice.model = model.into();
    }
    let format = FormatOptions { interruptions: Interruptions::MidSpeech, ..FormatOptions::default() };
    DebateSpec { debate_format: DebateFormat::OpenFight, format, ..spec }
}

fn bids(urgency: u8) -> Cue {
    Cue::Say(serde_json::json!({"urgency": urgency, "to": null, "reason": "It matters."}).to_string())
}

/// The servers: Ada gets the floor and does not leave it; Cy wants to interrupt a little, and Bob much.
fn cast(pause: Duration) -> [Cast; 3] {
    let casts = [(); 3].map(|()| Cast::new(Duration::from_millis(5)));
    casts[0].cue([bids(9), Cue::Endlessly(&SENTENCES, pause)]);
    casts[1].cue([bids(1), bids(9)]);
    casts[2].cue([bids(1), bids(3)]);
    casts
}

fn hosts(casts: &[Cast; 3]) -> Vec<HostConfig> {
    let host = |cast: &Cast, models: &[&str]| HostConfig {
        models: Served::List(models.iter().map(|model| (*model).into()).collect()),
        ..cast.host(&format!("host-of-{}", models[0]), 1)
    };
    vec![host(&casts[0], &["ada", "m"]), host(&casts[1], &["bob"]), host(&casts[2], &["cy"])]
}

/// Waits until Ada's speech was heard, as the log has it.
async fn heard(node: &Node) {
    let mut watch = node.watch_expected(&debate(ID), Position(0), false).await.unwrap();
    while let Some(watched) = watch.next().await.unwrap() {
        if let Watched::Record(record) = watched
            && record.events.iter().any(|event| matches!(event, Event::SpeechHeard { .. }))
        {
            return;
        }
    }
    panic!("nobody heard a speech");
}

/// Ada was cut by Bob at the end of a sentence, once, and Bob spoke next.
fn check_cut(log: &[Arc<Record>], casts: &[Cast; 3]) {
    check(log);
    let speeches: Vec<(&Answered, &Speech)> = events(log).filter_map(Event::speech).collect();
    let told = events(log).filter(|event| matches!(event, Event::SpeechHeard { .. })).count();
    let ((said, first), (answered, next)) = (speeches[0], speeches[1]);
    assert_eq!((said.participant.as_str(), told), ("Ada", 1));
    assert_eq!(first.cut_by.as_ref().map(ParticipantId::as_str), Some("Bob"));
    assert_eq!(&*first.text, SENTENCES[..HALF].concat().trim());
    assert_eq!(said.call.usage, Usage::default(), "what a call cost that was left is unknown");
    assert_eq!((answered.participant.as_str(), next.kind), ("Bob", SpeechKind::Interjection));
    assert_eq!(casts[0].aborted(), 1, "the stream was dropped");
    let again = events(log).any(|event| matches!(event, Event::TurnFailed { .. }));
    assert!(!again, "nothing failed");
}

async fn end(node: &Node) {
    let ended = tokio::time::timeout(Duration::from_secs(3_600), node.finished(&debate(ID))).await;
    assert_eq!(ended.expect("the speech is never cut").unwrap().0, DebateState::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn the_strongest_bid_cuts_a_running_speech_at_the_end_of_a_sentence() {
    let (stage, casts) = (TestBench::new(), cast(Duration::from_secs(2)));
    let node = stage.node("n1", hosts(&casts)).await;

    node.submit(admission(ID, fight())).await.unwrap();
    end(&node).await;

    check_cut(&stage.log(ID).await, &casts);
}

#[tokio::test(start_paused = true)]
async fn a_coordinator_that_dies_after_it_has_heard_leaves_the_interruption_to_the_next_one() {
    let (stage, casts) = (TestBench::new(), cast(Duration::from_secs(2)));
    let node = stage.node("n1", hosts(&casts)).await;
    node.submit(admission(ID, fight())).await.unwrap();

    heard(&node).await;
    node.strike(Victim::Coordinator(debate(ID)), Death::Kill);
    end(&node).await;

    check_cut(&stage.log(ID).await, &casts);
}

#[tokio::test(start_paused = true)]
async fn a_new_owner_is_told_what_was_heard_while_there_was_none() {
    let (stage, casts) = (TestBench::new(), cast(Duration::from_secs(4)));
    let first = stage.peer("n1", vec![]).await;
    let _player = stage.player("h1", hosts(&casts)).await;
    tokio::time::sleep(Duration::from_secs(10)).await;
    first.submit(admission(ID, fight())).await.unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;

    first.stop().await;
    let second = stage.peer("n2", vec![]).await;
    end(&second).await;

    check_cut(&stage.log(ID).await, &casts);
}

#[tokio::test(start_paused = true)]
async fn nobody_is_asked_about_a_speech_where_speeches_are_not_interrupted() {
    let (stage, casts) = (TestBench::new(), [(); 3].map(|()| Cast::new(Duration::from_millis(5))));
    let node = stage.node("n1", hosts(&casts)).await;
    let mut spec = fight();
    spec.format.interruptions = Interruptions::TurnBoundary;

    node.submit(admission(ID, spec)).await.unwrap();
    end(&node).await;

    assert!(!events(&stage.log(ID).await).any(|event| matches!(event, Event::SpeechHeard { .. })));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_speech_is_cut_over_nats_too() {
    let server = NatsServer::start().unwrap();
    let link = async || connect(NatsConfig::new([server.url()], "test", "node-1")).await.unwrap();
    let (control, tokens) = (link().await, link().await);
    let config = ProvisionConfig::default();
    provision(&control, &config).await.unwrap();
    let bus = NatsBus::new(control, tokens, QueueConfig { provision: config, ..QueueConfig::default() });
    let (mut stage, casts) = (TestBench::new(), cast(Duration::from_millis(500)));
    stage.bus = Arc::new(bus);
    let player = stage.player("h1", hosts(&casts)).await;
    let owner = stage.peer("n1", vec![]).await;

    owner.submit(admission(ID, fight())).await.unwrap();
    end(&owner).await;

    check_cut(&stage.log(ID).await, &casts);
    assert!(player.stop().await && owner.stop().await);
}
