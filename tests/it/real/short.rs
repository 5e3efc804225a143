//! What every change is tried with.
use super::{MODEL, ModelHost, short_debate};
use crate::live::{LONG, check, ended, written};
use crate::support::{RunningProgram, World};
use agon_llm::contract::{ContractOutcome, run};
use agon_llm::{ChatErrorKind, ChatMessage, ChatRequest, Discard, Endpoint, EndpointKind, Http, connect};
use agon_testkit::until;
use nix::sys::signal::Signal;

/// What llama.cpp's interface does not have or tell, or this model.
const NOT_THERE: [&str; 5] = [
    "the version can be read",
    "preloading puts the model in memory",
    "a tool can be offered",
    "a prompt that is too long is refused and not cut",
    "vectors come one for each input",
];

#[test]
fn the_server_keeps_the_contract() {
    let world = World::new();
    let server = ModelHost::start(&world, 2, 4096);
    let client = connect(&Endpoint::parse(EndpointKind::OpenAi, &server.url()).unwrap(), None, &Http::default());
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();

    let report = runtime.block_on(run(client.as_ref(), MODEL));

    let passed = |name: &str, outcome: &ContractOutcome| match outcome {
        ContractOutcome::Passed => true,
        ContractOutcome::NotApplicable(_) => NOT_THERE.contains(&name),
        ContractOutcome::Failed(_) => false,
    };
    assert!(report.checks.iter().all(|(name, outcome)| passed(name, outcome)), "{report}");

    let long = ChatRequest::new(MODEL, vec![ChatMessage::user("tea or coffee ".repeat(2048))]);
    let refused = runtime.block_on(client.chat(&long, &mut Discard)).unwrap_err();
    assert!(matches!(refused.kind, ChatErrorKind::ContextOverflow { .. }), "{refused}");
}

#[test]
fn a_debate_is_paused_and_resumed() {
    let world = World::new();
    let server = ModelHost::start(&world, 1, 4096);
    let file = world.file("paused.yaml", &short_debate());
    let url = server.url();
    let run = ["run", &file, "--base-url", &url, "--model", MODEL, "--id", "paused", "--jsonl", "--no-reports"];
    let running = RunningProgram::start(world.command(&run));
    running.read_until("speech_recorded", 1);
    running.signal(Signal::SIGINT);
    let (status, told) = running.wait();
    assert_eq!(status.code(), Some(130), "{told}");
    let before = world.events("paused");

    let code = ended(server.live().start(&world, &["resume", "paused", "--no-reports"], "resumed")).code();

    assert!(matches!(code, Some(0 | 2)), "{code:?}: {}", written(&world, "resumed", "out"));
    assert_eq!(world.events("paused").get(..before.len()), Some(before.as_slice()), "what was said is kept");
    check(&world, "paused");
}

#[test]
fn a_server_that_is_killed_in_a_speech_and_started_again_costs_no_seat() {
    let world = World::new();
    let mut server = ModelHost::start(&world, 1, 4096);
    let file = world.file("restarted.yaml", &short_debate());
    let args = ["run", &file, "--model", MODEL, "--id", "restarted", "--no-reports"];
    let mut running = server.live().start(&world, &args, "restarted");
    until("somebody speaks", LONG, || Ok(server.is_answering().then_some(()))).unwrap();
    assert_eq!(running.try_wait().unwrap(), None, "{}", written(&world, "restarted", "out"));

    server.restart(&world);

    let code = ended(running).code();
    assert!(matches!(code, Some(0 | 2)), "{code:?}: {}", written(&world, "restarted", "out"));
    check(&world, "restarted");
    let result = world.json(&["get", "restarted", "--json"]);
    assert_eq!(result["missing_seats"].as_array().unwrap().len(), 0, "{result}");
}
