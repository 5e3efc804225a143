//! `agon pause` from another terminal, and at a server.
use crate::support::{RunningProgram, TestCluster, World, address, example};

#[test]
fn a_debate_of_another_terminal_is_paused_and_its_process_says_so() {
    let world = World::new();
    let file = example("city-diesel-ban.md");
    let start = ["run", &file, "--id", "lunch", "--rehearsal", "--token-interval", "4ms", "--jsonl", "--no-reports"];
    let player = RunningProgram::start(world.command(&start));
    player.read_until("speech_recorded", 2);

    let said = world.agon(&["pause", "lunch", "--reason", "lunch time"]).ok();
    assert!(said.stderr.contains("lunch is paused") && said.stderr.contains("agon resume lunch"), "{said:?}");
    let (status, told) = player.wait();
    assert_eq!(status.code(), Some(130), "{told}");
    assert!(told.contains("paused") && told.contains("lunch time"), "{told}");
    assert_eq!(world.json(&["get", "lunch", "--json"])["state"], "paused");
    world.agon(&["pause", "lunch"]).ok();

    let said = world.agon(&["resume", "lunch", "--rehearsal", "--quiet", "--no-reports"]);
    assert!(matches!(said.code, Some(0 | 2)), "{said:?}");
    let got = world.json(&["get", "lunch", "--json"]);
    assert_eq!((&got["state"], got["failures"].as_array().unwrap().len()), (&"succeeded".into(), 0), "{got}");
    let refused = world.agon(&["pause", "lunch"]).code(64);
    assert!(refused.stderr.contains("already ended"), "{refused:?}");
    assert!(world.agon(&["pause", "nobody"]).code(64).stderr.contains("nobody"));
}

#[test]
fn a_debate_of_a_server_is_paused_and_goes_on_there() {
    let mut cluster = TestCluster::start();
    let mut server = cluster.launch("paused", &["--rehearsal", "--token-interval", "4ms"]);
    let grpc = address(&mut server, "gRPC");
    server.wait_for(" is up: ").unwrap();
    let world = &cluster.world;
    let submit = ["submit", &example("city-diesel-ban.md"), "--id", "lunch", "--rehearsal", "--server", &grpc];
    world.agon(&submit).ok();
    let said = world.json(&["pause", "lunch", "--json", "--server", &grpc]);
    assert_eq!((&said["id"], &said["state"]), (&"lunch".into(), &"paused".into()), "{said}");
    let said = world.agon(&["pause", "lunch", "--server", &grpc]).ok();
    assert!(said.stderr.contains(&format!("agon resume lunch --server {grpc}")), "{said:?}");
    let said = world.agon(&["resume", "lunch", "--server", &grpc, "--quiet", "--no-reports"]);
    assert!(matches!(said.code, Some(0 | 2)), "{said:?}");
}
