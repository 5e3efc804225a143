//! Speeches that mark claims. Verifiers are real programs, so time is real too.
use crate::cast::{Cast, Cue};
use crate::test_bench::*;
use agon_core::*;
use agon_runtime::{Node, NodeConfig};
use agon_tools::VerifierConfig;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

const ID: &str = "a-debate";
/// Says of each sum whether it is right; what is no sum hangs.
const SUMS: &str = "case $(cat) in 1+1=2) echo holds;; 1+1=3) echo refuted; echo it is 2;; *) sleep 600;; esac";

fn verified() -> DebateSpec {
    DebateSpec { verifiers: vec!["sum".into()], ..spec() }
}

fn marked(claims: &[&str]) -> String {
    let blocks = claims.iter().map(|claim| format!("So I say:\n```check sum\n{claim}\n```\n"));
    blocks.collect()
}

struct CheckedScene {
    stage: TestBench,
    cast: Cast,
    node: Node,
}

impl CheckedScene {
    /// A node whose verifier `sum` may take a second, and checks two claims of a speech and three of a debate.
    async fn new() -> Self {
        let config = serde_json::json!({
            "command": "sh", "args": ["-c", SUMS], "timeout_seconds": 1, "max_per_speech": 2, "max_per_debate": 3,
        });
        let sum: VerifierConfig<String> = serde_json::from_value(config).unwrap();
        let sum = sum.with_keys(|key| Ok::<_, ()>(key.into())).unwrap();
        let (stage, cast) = (TestBench::new(), Cast::new(Duration::from_millis(1)));
        let config =
            NodeConfig { verifiers: BTreeMap::from([("sum".to_owned(), sum)]), ..NodeConfig::embedded("n1".into()) };
        let node = stage.node_with(config, vec![cast.host("gpu1", 1)]).await;
        Self { stage, cast, node }
    }
    /// The log of a debate in which Ada and Bob say this.
    async fn hold(&self, spec: DebateSpec, speeches: &[&str]) -> Vec<Arc<Record>> {
        self.cast.cue(speeches.iter().map(|text| Cue::Say((*text).to_owned())));
        self.node.submit(admission(ID, spec)).await.unwrap();
        self.node.finished(&debate(ID)).await.unwrap();
        let log = self.stage.log(ID).await;
        check(&log);
        log
    }
    fn told(&self, call: usize) -> String {
        self.cast.requests()[call].messages.iter().map(|message| format!("{}\n", message.content)).collect()
    }
}

/// Who marked which claim, and what came of it.
fn checks(log: &[Arc<Record>]) -> Vec<(String, String, String)> {
    let speeches = events(log).filter_map(Event::speech);
    let told = |check: &Check| match check.result.cause() {
        Some(cause) => cause.as_str(),
        None => check.result.as_str(),
    };
    let one =
        |said: &Answered, check: &Check| (said.participant.to_string(), check.claim.clone(), told(check).to_owned());
    speeches.flat_map(|(said, _)| said.call.checks.iter().map(|check| one(said, check)).collect::<Vec<_>>()).collect()
}
fn all(checks: &[(&str, &str, &str)]) -> Vec<(String, String, String)> {
    checks.iter().map(|(who, claim, result)| ((*who).into(), (*claim).into(), (*result).into())).collect()
}
fn failures(log: &[Arc<Record>]) -> Vec<(Failure, Call)> {
    let failed = events(log).filter_map(|event| match event {
        Event::TurnFailed { failure, call, .. } => Some((failure.clone(), (**call).clone())),
        _ => None,
    });
    failed.collect()
}

#[tokio::test]
async fn marked_claims_are_checked_recorded_and_told_to_speakers_and_judges() {
    let scene = CheckedScene::new().await;

    let log = scene.hold(verified(), &[&marked(&["1+1=2", "1+1=3"]), "I see."]).await;

    assert_eq!(checks(&log), all(&[("Ada", "1+1=2", "holds"), ("Ada", "1+1=3", "refuted")]));
    assert!(scene.told(0).contains("```check sum\nthe claim"), "{}", scene.told(0));
    for told in [scene.told(1), scene.told(2)] {
        assert!(told.contains("### Check by sum: holds\nClaim: 1+1=2\n"), "{told}");
        assert!(told.contains("### Check by sum: refuted\nClaim: 1+1=3\nOutput: it is 2\n"), "{told}");
    }
}

#[tokio::test]
async fn what_a_speaker_quotes_is_not_checked_as_its_own_claim() {
    let scene = CheckedScene::new().await;
    let quotes = "Ada says:\n> ```check sum\n> 1+1=3\n> ```\nOr as she wrote it:\n```check sum\n1+1=2\n```\n";

    let log = scene.hold(verified(), &[&marked(&["1+1=2"]), quotes]).await;

    assert_eq!(checks(&log), all(&[("Ada", "1+1=2", "holds")]));
}

#[tokio::test]
async fn a_verifier_that_hangs_costs_its_own_check_and_not_the_speech() {
    let scene = CheckedScene::new().await;

    let log = scene.hold(verified(), &[&marked(&["P=NP", "1+1=2"])]).await;

    assert_eq!(checks(&log), all(&[("Ada", "P=NP", "timed_out"), ("Ada", "1+1=2", "holds")]));
    assert_eq!(failures(&log), []);
}

#[tokio::test]
async fn more_claims_than_are_checked_are_said_once_for_a_speech() {
    let scene = CheckedScene::new().await;
    let many = marked(&["1+1=2", "1+1=3", "1+1=4", "1+1=5"]);
    let more = format!("{}```check magic\nx\n```\n```check magic\ny\n```\n", marked(&["1+1= 2", "1+1=6"]));

    let log = scene.hold(verified(), &[&many, &more]).await;

    let ada = [("Ada", "1+1=2", "holds"), ("Ada", "1+1=3", "refuted"), ("Ada", "1+1=4", "over_limit")];
    let bob = [("Bob", "1+1= 2", "timed_out"), ("Bob", "1+1=6", "over_limit"), ("Bob", "x", "unknown_verifier")];
    assert_eq!(checks(&log), all(&[ada, bob].concat()));
}

#[tokio::test]
async fn a_verifier_that_the_host_does_not_have_fails_the_turn_before_anything_is_generated() {
    let scene = CheckedScene::new().await;
    let spec = DebateSpec { verifiers: vec!["crystal-ball".into()], ..spec() };

    let log = scene.hold(spec, &[]).await;

    let (failure, _) = failures(&log).remove(0);
    assert_eq!(failure.cause, FailureCause::ToolMissing);
    assert!(failure.detail.contains("`crystal-ball`") && failure.detail.contains("there is sum"), "{failure:?}");
    assert_eq!(scene.cast.calls(), 0);
}

#[tokio::test]
async fn nothing_is_checked_where_the_file_does_not_ask_for_it() {
    let scene = CheckedScene::new().await;

    let log = scene.hold(spec(), &[&marked(&["1+1=2"])]).await;

    assert_eq!(checks(&log), []);
    assert!(!scene.told(0).contains("```check") && !scene.told(1).contains("### Check"));
}

#[tokio::test]
async fn a_speech_that_is_refused_leaves_no_checks() {
    let scene = CheckedScene::new().await;
    let spec = DebateSpec { debate_format: DebateFormat::ChainOfThought, ..verified() };
    let stepless = marked(&["1+1=3"]);

    let log = scene.hold(spec, &[&stepless, &stepless, &stepless, &stepless]).await;

    let failures = failures(&log);
    assert!(failures.iter().any(|(failure, _)| failure.cause == FailureCause::Malformed), "{failures:?}");
    assert!(failures.iter().all(|(_, call)| call.checks.is_empty()), "{failures:?}");
    assert!(!scene.told(scene.cast.calls() - 1).contains("### Check by sum"));
}
