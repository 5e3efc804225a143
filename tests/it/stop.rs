//! Stop means stop: a debate that was stopped or whose process died is played again by `agon resume` alone.
mod given_up;
mod locked;
mod paused;
mod sequence;
mod sequences;
pub(crate) mod served;

use crate::support::{ProgramOutput, RunningProgram, SHORT, World, example};
use nix::sys::signal::Signal;
use serde_json::Value;

/// A rehearsal of several seconds, which there is time to stop.
fn slow_run(world: &World, id: &str) -> RunningProgram {
    let interval = ["--token-interval", "2ms"];
    let args = ["run", &example(SHORT), "--rehearsal", "--seed", "7", "--jsonl", "--no-reports", "--id", id];
    let running = RunningProgram::start(world.command(&[&args[..], &interval].concat()));
    running.read_until("speech_recorded", 2);
    running
}

/// Stops a debate in its midst with Ctrl-C.
fn paused(world: &World, id: &str) {
    let running = slow_run(world, id);
    running.signal(Signal::SIGINT);
    let (status, told) = running.wait();
    assert_eq!(status.code(), Some(130), "{told}");
}

/// Kills the process of a debate in its midst.
fn interrupted(world: &World, id: &str) {
    slow_run(world, id).crash();
}

fn resume(world: &World, args: &[&str]) -> ProgramOutput {
    world.agon(&[&["resume", "--quiet", "--no-reports"], args].concat())
}

fn ended(world: &World, id: &str) -> bool {
    world.events(id).last().unwrap()["type"] == "debate_ended"
}

fn state(world: &World, id: &str) -> Value {
    world.json(&["get", id, "--json"])["state"].clone()
}

#[test]
fn a_debate_stopped_with_ctrl_c_is_not_continued_by_the_next_run() {
    let world = World::new();
    paused(&world, "stopped-one");
    let left = world.events("stopped-one");

    let said = world.rehearse("another-one").ok();

    assert!(said.stderr.contains("not finished in this store: 1 paused; agon resume continues them"), "{said:?}");
    assert_eq!(world.events("stopped-one"), left);
    resume(&world, &["stopped-one"]).ok();
    assert!(ended(&world, "stopped-one"));
}

#[test]
fn a_stopped_debate_is_paused_and_one_whose_process_died_is_interrupted_wherever_it_is_shown() {
    let world = World::new();
    paused(&world, "stopped1");
    interrupted(&world, "crashed1");
    for (id, word) in [("stopped1", "paused"), ("crashed1", "interrupted")] {
        assert_eq!(state(&world, id), word);
        let listed = world.json(&["list", "--state", word, "--json"]);
        let ids: Vec<&Value> = listed.as_array().unwrap().iter().map(|row| &row["id"]).collect();
        assert_eq!(ids, [id]);
        let lines = world.agon(&["list"]).ok().stdout;
        assert!(lines.lines().any(|line| line.contains(id) && line.contains(word)), "{lines}");
        for format in ["summary", "markdown", "html"] {
            let text = world.agon(&["report", id, "--format", format]).ok().stdout;
            assert!(text.contains(&format!("The debate is {word}")), "{format}: {text}");
        }
    }
}

#[test]
fn a_run_whose_store_is_deleted_ends_and_says_so() {
    let world = World::new();
    let running = slow_run(&world, "without-a-store");
    std::fs::remove_file(world.database()).unwrap();

    let (status, told) = running.wait();

    assert_eq!(status.code(), Some(70), "{told}");
    assert!(told.contains("was deleted or moved while it was in use"), "{told}");
    assert!(!told.contains("what was said is kept"), "{told}");
}

#[test]
fn sigterm_pauses_as_ctrl_c_does_and_a_second_ctrl_c_says_how_to_continue() {
    let world = World::new();
    let running = slow_run(&world, "terminated");
    running.signal(Signal::SIGTERM);
    let (status, told) = running.wait();
    assert_eq!(status.code(), Some(130), "{told}");
    assert_eq!(state(&world, "terminated"), "paused");

    // a call that takes long holds the drain up
    let args =
        ["run", &example(SHORT), "--rehearsal", "--latency", "60s", "--jsonl", "--no-reports", "--id", "twice-told"];
    let running = RunningProgram::start(world.command(&args));
    running.read_until("turn_asked", 1);
    running.signal(Signal::SIGINT);
    while world.sqlite("SELECT paused FROM local_debates WHERE debate = 'twice-told'") != 1 {
        std::thread::yield_now();
    }
    running.signal(Signal::SIGINT);
    let (status, told) = running.wait();
    assert_eq!(status.code(), Some(130), "{told}");
    assert!(told.contains("what was said is kept; continue with: agon resume twice-told"), "{told}");
    assert_eq!(state(&world, "twice-told"), "paused");
}

#[test]
fn resume_without_a_name_takes_the_only_candidate_and_asks_where_there_are_several() {
    let world = World::new();
    assert!(resume_told(&world, &[]).stderr.contains("no debate is paused or interrupted"));
    paused(&world, "left-one");
    interrupted(&world, "left-two");
    let said = resume_told(&world, &[]).code(64);
    assert!(said.stderr.contains("left-one") && said.stderr.contains("left-two"), "{said:?}");
    assert!(!ended(&world, "left-one") && !ended(&world, "left-two"));

    resume(&world, &["left-two"]).ok();
    let said = resume_told(&world, &[]).ok();
    assert!(said.stdout.starts_with("== Said so far: "), "{said:?}");
    assert!(said.stdout.lines().nth(1).unwrap().contains(": "), "{said:?}");
    assert!(ended(&world, "left-one") && ended(&world, "left-two"));
}

fn resume_told(world: &World, args: &[&str]) -> ProgramOutput {
    world.agon(&[&["resume", "--no-reports"], args].concat())
}

#[test]
fn resume_takes_several_names_or_all_and_plays_one_after_the_other() {
    let world = World::new();
    for id in ["all-one", "all-two", "all-three", "all-four"] {
        interrupted(&world, id);
    }
    let said = resume_told(&world, &["all-three", "all-one"]).ok();
    let at = |id: &str| said.stderr.find(&format!("resuming debate {id}")).unwrap();
    assert!(at("all-three") < at("all-one"));
    assert!(ended(&world, "all-three") && ended(&world, "all-one") && !ended(&world, "all-two"));
    resume(&world, &["--all"]).ok();
    assert!(ended(&world, "all-two") && ended(&world, "all-four"));
}

#[test]
fn a_debate_that_another_process_plays_is_refused_with_its_process() {
    let world = World::new();
    let running = slow_run(&world, "played-now");
    for args in [&["played-now"][..], &["played-now", "--json"]] {
        let said = resume(&world, args).code(64);
        assert!(said.stderr.contains(&format!("is played by process {}", running.id())), "{said:?}");
        assert!(said.stderr.contains("started 20"), "{said:?}");
    }
    // nor is it a candidate
    assert!(resume_told(&world, &[]).ok().stderr.contains("no debate is paused or interrupted"));
    let claims = world.events("played-now").iter().filter(|event| event["type"] == "claimed").count();
    assert_eq!(claims, 1);
}

#[test]
fn cancel_ends_running_paused_and_interrupted_debates() {
    let world = World::new();
    let running = slow_run(&world, "is-running");
    world.agon(&["cancel", "is-running", "--reason", "not needed"]).ok();
    assert_eq!(running.wait().0.code(), Some(4));
    paused(&world, "is-paused");
    interrupted(&world, "is-interrupted");
    for id in ["is-paused", "is-interrupted"] {
        let said = world.agon(&["cancel", id]).ok();
        assert!(said.stderr.contains("is cancelled"), "{said:?}");
    }
    for id in ["is-running", "is-paused", "is-interrupted"] {
        assert_eq!(state(&world, id), "cancelled", "{id}");
        assert!(world.agon(&["cancel", id]).ok().stderr.contains("has already ended"));
    }
}
