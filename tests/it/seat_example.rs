//! The worked example of an external participant plays its seat in real clusters, with and without permissions.
use crate::support::{PATIENCE, SLOW, TestCluster, example, root};
use agon_testkit::{Process, until};
use serde_json::Value;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// What the example says in every debate.
pub const SENTENCE: &str = "Streets are for people before they are for cars.";

fn folder() -> PathBuf {
    root().join("examples/external-participant")
}

/// A Python with what the example requires, made once below the build folder; several test programs may want it at once.
fn python() -> &'static Path {
    static PYTHON: OnceLock<PathBuf> = OnceLock::new();
    PYTHON.get_or_init(|| {
        let build = crate::support::agon().parent().unwrap().to_owned();
        let lock = File::create(build.join("external-participant.lock")).unwrap();
        lock.lock().unwrap();
        let (home, wanted) = (build.join("external-participant"), folder().join("requirements.txt"));
        let done = home.join("requirements.txt");
        if std::fs::read(&done).ok() != std::fs::read(&wanted).ok() {
            succeed(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&home));
            succeed(Command::new(home.join("bin/pip")).args(["install", "--quiet", "-r"]).arg(&wanted));
            std::fs::copy(&wanted, &done).unwrap();
        }
        home.join("bin/python")
    })
}

fn succeed(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Starts the example and waits until it plays.
pub fn start(cluster: &mut TestCluster, name: &str, options: &[&str]) -> Process {
    let mut command = Command::new(python());
    let nats = cluster.nats_server().url();
    command.arg(folder().join("debater.py")).args(["--participant", "outsider", "--nats", &nats]).args(options);
    let mut process = Process::start(name, command, cluster.world.path(&format!("{name}.log"))).unwrap();
    process.wait_for("playing agon.v1.seat.").unwrap();
    process
}

/// Submits the example's debate.
pub fn submit(cluster: &mut TestCluster, id: &str) {
    let args = ["submit", &example("external-participant/debate.yaml"), "--rehearsal", "--seed", "7", "--id", id];
    cluster.agon(&args).ok();
}

/// What the seat has said, after the debate's end, and how that was.
pub fn outcome(cluster: &mut TestCluster, id: &str) -> (Vec<String>, Value) {
    cluster.agon(&["watch", id, "--quiet"]);
    let result = cluster.json(&["get", id, "--json"]);
    let events = cluster.events(id);
    let spoken = events.iter().filter(|event| event["type"] == "speech_recorded");
    let texts = spoken.map(|event| event["text"].as_str().or(event["speech"]["text"].as_str()).unwrap_or_default());
    (texts.map(str::to_owned).collect(), result)
}

#[test]
fn a_process_outside_plays_its_seat_to_the_end() {
    let mut cluster = TestCluster::start().nats().gateway_and_coordinator().hosts(1);
    let mut seat = start(&mut cluster, "outsider", &[]);

    submit(&mut cluster, "outside");

    let (texts, result) = outcome(&mut cluster, "outside");
    assert_eq!(result["state"], "succeeded", "{result}");
    assert!(texts.iter().any(|text| text.contains(SENTENCE)), "{texts:#?}");
    assert!(texts.iter().any(|text| text.contains("A trial can be undone")), "{texts:#?}");
    assert_eq!(seat.terminate().unwrap().code(), Some(0));
}

#[test]
fn a_seat_that_dies_in_the_middle_goes_on_when_it_is_started_again() {
    let mut cluster = TestCluster::start().nats().gateway_and_coordinator().hosts_with(1, &SLOW);
    let mut seat = start(&mut cluster, "first", &[]);
    submit(&mut cluster, "restarted");
    seat.wait_for("opening").unwrap();

    seat.kill();
    let second = start(&mut cluster, "second", &[]);

    let (texts, result) = outcome(&mut cluster, "restarted");
    assert_eq!(result["state"], "succeeded", "{result}");
    assert!(texts.iter().any(|text| text.contains("A trial can be undone")), "{texts:#?}");
    let failed = cluster.events("restarted").into_iter().filter(|event| event["type"] == "turn_failed").count();
    assert_eq!(failed, 0);
    until("the second one has played", PATIENCE, || Ok(second.log().contains("closing").then_some(()))).unwrap();
}

#[test]
fn a_seat_with_nobody_in_it_fails_its_turns_and_the_debate_is_degraded() {
    let mut cluster = TestCluster::start().nats().gateway_and_coordinator().hosts(1);
    let text = std::fs::read_to_string(folder().join("debate.yaml")).unwrap();
    let text = text.replace("timeout_per_turn: 30s", "timeout_per_turn: 3s");
    // a third one, so that enough are heard without the seat
    let third = "  - name: resident\n    stance: Only in summer\nconsensus_strategy: judge\n";
    let file = cluster.world.file("debate.yaml", &text.replace("consensus_strategy: judge\n", third));

    cluster.agon(&["submit", &file, "--rehearsal", "--seed", "7", "--id", "nobody"]).ok();

    let (texts, result) = outcome(&mut cluster, "nobody");
    let events = cluster.events("nobody");
    let failures: Vec<String> =
        events.iter().filter(|event| event["type"] == "turn_failed").map(Value::to_string).collect();
    assert!(!failures.is_empty() && failures.iter().all(|failure| failure.contains("not_found")), "{failures:#?}");
    assert!(texts.iter().all(|text| !text.contains(SENTENCE)) && !texts.is_empty(), "{texts:#?}");
    assert!(result.to_string().contains("degraded"), "{result}");
}
