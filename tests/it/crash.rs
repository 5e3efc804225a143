//! `kill -9` in the middle of a debate, then `agon resume`.
use crate::support::{RunningProgram, SHORT, World, answered, example};
use std::io::{Read, Write};
use std::net::TcpListener;

#[test]
fn after_a_kill_the_debate_ends_with_no_turn_lost_doubled_or_asked_again() {
    let world = World::new();
    let server = world.rehearsal(&["--latency", "10ms"]);
    for speeches in [1, 4, 8] {
        let id = format!("killed-{speeches}");
        let args =
            ["run", &example(SHORT), "--ollama", server.url(), "--seed", "7", "--id", &id, "--jsonl", "--no-reports"];
        let running = RunningProgram::start(world.command(&args));
        running.read_until("speech_recorded", speeches);
        running.crash();
        server.until_idle().unwrap();
        let before = answered(&world.events(&id));
        server.reset().unwrap();

        world.agon(&["resume", &id, "--ollama", server.url(), "--quiet", "--no-reports"]).ok();

        let after = world.events(&id);
        assert_eq!(after.last().unwrap()["type"], "debate_ended");
        let turns = answered(&after);
        assert!(turns.values().all(|times| *times == 1), "doubled: {turns:?}");
        let new = (turns.len() - before.len()) as u64;
        let calls = server.count("chat_calls").unwrap();
        assert!(calls <= new, "{calls} calls for {new} open turns");
        world.agon(&["verify", &id]).ok();
    }
}

#[test]
fn a_debate_that_nobody_wants_any_more_can_be_cancelled() {
    let world = World::new();
    let args = [
        "run",
        &example(SHORT),
        "--rehearsal",
        "--id",
        "unwanted",
        "--jsonl",
        "--no-reports",
        "--token-interval",
        "1ms",
    ];
    let running = RunningProgram::start(world.command(&args));
    running.read_until("ballot_cast", 1);
    running.crash();
    world.agon(&["cancel", "unwanted", "--reason", "not needed"]).ok();
    let result = world.json(&["get", "unwanted", "--json"]);
    assert_eq!(result["state"], "cancelled");
    world.agon(&["resume", "unwanted", "--quiet"]).code(4);
}

#[test]
fn models_do_not_go_on_with_what_scripted_speakers_began() {
    let world = World::new();
    let server = world.rehearsal(&["--token-interval", "1ms"]);
    let args = ["run", &example(SHORT), "--ollama", server.url(), "--id", "scripted", "--jsonl", "--no-reports"];
    let running = RunningProgram::start(world.command(&args));
    running.read_until("ballot_cast", 1);
    running.crash();
    let before = world.events("scripted").len();

    let ollama = claims_to_be_ollama();
    let said = world.agon(&["resume", "scripted", "--ollama", &ollama]).code(64);

    assert!(said.stderr.contains("rehearsal"), "{said:?}");
    assert_eq!(world.events("scripted").len(), before);
}

/// A server that has every model and is no rehearsal, as far as it says.
fn claims_to_be_ollama() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            let body = r#"{"version":"0.33.0","models":[]}"#;
            let _ =
                write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n{body}", body.len());
        }
    });
    address
}
