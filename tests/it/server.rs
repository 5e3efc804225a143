//! Servers: one of its own, none at all, and one without the model.
use crate::support::{RunningProgram, SHORT, World, example};
use agon_testkit::Rehearsal;
use nix::sys::signal::Signal;
use std::net::TcpListener;
use std::time::{Duration, Instant};

#[test]
fn the_same_file_runs_against_a_server_in_another_process() {
    let world = World::new();
    let server = world.rehearsal(&[]);
    let said = world.agon(&["run", &example(SHORT), "--ollama", server.url()]).ok();
    assert!(said.stdout.contains("Rehearsal"), "a scripted server is marked wherever it runs: {said:?}");
    assert!(server.count("finished_calls").unwrap() > 10);
}

#[test]
fn ollama_host_names_the_server_in_any_form() {
    let world = World::new();
    let server = world.rehearsal(&[]);
    let port = server.url().rsplit(':').next().unwrap();
    for host in [server.url().to_owned(), format!("127.0.0.1:{port}"), format!("0.0.0.0:{port}"), format!(":{port}")] {
        let mut command = world.command(&["run", "Tea?", "--rounds", "1", "--quiet", "--no-reports"]);
        let output = command.env("OLLAMA_HOST", &host).output().unwrap();
        assert!(output.status.code().is_some_and(|code| code == 0 || code == 2), "{host}: {output:?}");
    }
}

#[test]
fn without_a_server_run_fails_within_seconds_and_names_two_ways_out() {
    let world = World::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let started = Instant::now();
    let said = world.agon(&["run", &example(SHORT), "--ollama", &free.to_string()]).code(69);
    assert!(started.elapsed() < Duration::from_secs(5));
    for wanted in [free.to_string().as_str(), "--rehearsal", "ollama pull"] {
        assert!(said.stderr.contains(wanted), "{wanted}: {said:?}");
    }
    assert!(!world.database().exists(), "nothing was begun");
}

#[test]
fn a_server_that_accepts_and_says_nothing_is_given_up_within_seconds() {
    let world = World::new();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let started = Instant::now();
    world.agon(&["run", "Tea?", "--ollama", &silent.local_addr().unwrap().to_string()]).code(69);
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[test]
fn a_model_that_is_not_there_is_told_with_those_that_are() {
    let world = World::new();
    let server = world.rehearsal(&["--models", "qwen3:8b,phi4:14b"]);
    let said = world.agon(&["run", "Tea?", "--model", "gone:1b", "--ollama", server.url()]).code(69);
    for wanted in ["gone:1b", "qwen3:8b", "phi4:14b", "ollama pull gone:1b"] {
        assert!(said.stderr.contains(wanted), "{wanted}: {said:?}");
    }
}

#[test]
fn the_rehearsal_server_ends_in_order_when_asked_to() {
    let world = World::new();
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let mut process = world.rehearsal(&[]).process;
        process.signal(signal).unwrap();
        assert_eq!(process.wait().unwrap().code(), Some(0), "{}", process.log());
    }
}

#[test]
fn a_cast_can_be_proposed_and_is_a_good_debate_file() {
    let world = World::new();
    let args = ["new", "--topic", "A four-day week?", "--cast", "3", "--rehearsal", "-o", "week.md"];
    world.agon(&args).ok();
    let said = world.agon(&["check", "week.md"]).ok();
    assert!(said.stdout.contains("3 personas"), "{said:?}");
    world.agon(&args).code(64);
}

#[test]
fn doctor_says_what_is_well_and_what_is_not() {
    let world = World::new();
    let server = world.rehearsal(&["--models", "qwen3:8b"]);
    let well = world.agon(&["doctor", "--ollama", server.url(), "--model", "qwen3:8b"]).ok();
    assert!(well.stdout.contains("answers to a schema"), "{well:?}");
    let lacking = world.agon(&["doctor", "--ollama", server.url(), "--model", "gone"]).code(1);
    assert!(lacking.stdout.contains("fail") && lacking.stdout.contains("ollama pull gone"), "{lacking:?}");
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let gone = world.command(&["doctor", "--json", "--ollama", &free]).output().unwrap();
    let findings: serde_json::Value = serde_json::from_slice(&gone.stdout).unwrap();
    assert!(findings.as_array().unwrap().iter().any(|finding| finding["level"] == "fail"), "{findings}");
}

#[test]
fn two_hosts_share_a_debate_by_the_models_they_have() {
    let world = World::new();
    let one = world.rehearsal(&["--models", "qwen3:8b"]);
    let two = world.rehearsal(&["--models", "llama3.1:8b,gemma3:12b"]);
    let hosts = format!(
        "[[hosts]]\nname = \"one\"\nurl = \"{}\"\n[[hosts]]\nname = \"two\"\nurl = \"{}\"\n",
        one.url(),
        two.url()
    );
    let settings = world.file("hosts.toml", &hosts);
    world.agon(&["run", &example(SHORT), "--config", &settings, "--quiet", "--no-reports"]).ok();
    let models = |server: &Rehearsal| server.stats().unwrap()["calls_by_model"].to_string();
    assert!(models(&one).contains("qwen3:8b") && !models(&one).contains("llama"), "{}", models(&one));
    assert!(models(&two).contains("llama3.1:8b") && models(&two).contains("gemma3:12b"), "{}", models(&two));
}

#[test]
fn sigterm_hands_a_run_over_as_ctrl_c_does() {
    let world = World::new();
    let args = ["run", &example(SHORT), "--rehearsal", "--jsonl", "--no-reports", "--token-interval", "2ms"];
    let running = RunningProgram::start(world.command(&args));
    running.read_until("speech_recorded", 1);
    running.signal(Signal::SIGTERM);
    let (status, told) = running.wait();
    assert_eq!(status.code(), Some(130), "{told}");
}
