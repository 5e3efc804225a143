//! Expressions as dear as they may be, after each round: everybody else is served meanwhile, and the debates can be stopped.
use crate::support::{PATIENCE, ProgramOutput, RunningProgram, TestCluster, World, address};
use agon_testkit::{http_get, until};
use nix::sys::signal::Signal;

/// As much as any setting allows, and one thread for everything.
const SETTINGS: [(&str, &str); 2] = [("AGON__LIMITS__EXPRESSION_STEPS", "1000000"), ("TOKIO_WORKER_THREADS", "1")];
/// Rounds of each debate; none ends by itself while it is looked at.
const ROUNDS: usize = 50;
const DEBATES: usize = 3;

/// A debate whose expression takes nearly all of a million steps, and is never true.
fn file() -> String {
    let labels: Vec<String> = (0..230).map(|n| format!("label{n}: x")).collect();
    let every_pair = "labels.all(a, labels.all(b, labels[a] == labels[b])) && turns > 1000";
    let head = format!("topic: Tea?\nmodel: m\nmax_rounds: {ROUNDS}\nballots: none\nterminate_when: \"{every_pair}\"");
    format!("{head}\nlabels: {{{}}}\n", labels.join(", "))
}

#[test]
fn ctrl_c_ends_a_run_whose_expression_is_as_dear_as_may_be() {
    let world = World::new();
    let file = world.file("tea.yaml", &file());
    let args = ["run", &file, "--rehearsal", "--jsonl", "--no-reports", "--id", "dear", "--token-interval", "1ms"];
    let mut command = world.command(&args);
    command.envs(SETTINGS);
    let running = RunningProgram::start(command);
    running.read_until("round_opened", 3);

    running.signal(Signal::SIGINT);

    let (status, told) = running.wait();
    assert_eq!(status.code(), Some(130), "{told}");
    assert_eq!(world.json(&["get", "dear", "--json"])["state"], "paused");
}

#[test]
fn debates_whose_expressions_are_as_dear_as_may_be_keep_nobody_waiting() {
    let mut cluster = SETTINGS.iter().fold(TestCluster::start(), |cluster, (name, value)| cluster.setting(name, value));
    let mut alone = cluster.launch("alone", &["--rehearsal", "--token-interval", "1ms"]);
    let (grpc, admin) = (address(&mut alone, "gRPC"), address(&mut alone, "admin"));
    let file = cluster.world.file("tea.yaml", &file());
    let ids: Vec<String> = (0..DEBATES).map(|n| format!("dear-{n}")).collect();
    for id in &ids {
        let mut submit = cluster.world.command(&["submit", &file, "--rehearsal", "--server", &grpc, "--id", id]);
        ProgramOutput::of(&submit.envs(SETTINGS).output().unwrap()).ok();
    }
    for id in &ids {
        let lines = || cluster.world.agon(&["report", id, "--format", "jsonl", "--server", &grpc]).ok().stdout;
        let begun = || Ok((lines().matches("round_opened").count() > 1).then_some(()));
        until("an expression was evaluated", PATIENCE, begun).unwrap();
    }

    for _ in 0..20 {
        assert_eq!(http_get(&admin, "/healthz").unwrap().trim(), "ok");
    }
    for id in &ids {
        cluster.world.agon(&["cancel", id, "--server", &grpc]).ok();
        let said = cluster.world.agon(&["watch", id, "--server", &grpc, "--quiet"]);
        assert_eq!(said.code, Some(4), "{said:?}");
    }
}
