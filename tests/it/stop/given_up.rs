//! Debates that servers gave up for now.
use super::served::{ServeServer, submit};
use super::{ended, paused};
use crate::support::{PATIENCE, World};
use agon_core::{Debate, DebateId, Input, Position, Reason, ReasonCode};
use agon_store::{Journal as _, SqliteOptions, SqliteStore};
use agon_testkit::until;
use tokio::runtime::Builder;

/// A server whose debate of this name another one gave up in its midst.
fn given_up(world: &World, id: &str) -> ServeServer {
    halted(world, id, Reason::with(ReasonCode::Poison, "5 claims in a row brought nothing"))
}

/// The same for this reason.
fn halted(world: &World, id: &str, reason: Reason) -> ServeServer {
    let mut served = ServeServer::start(world, "first", &["--token-interval", "5ms"]);
    submit(world, &served, id, &[]);
    let spoken = || Ok(world.events(id).iter().any(|event| event["type"] == "speech_recorded").then_some(()));
    until("somebody has spoken", PATIENCE, spoken).unwrap();
    served.process.terminate().unwrap();
    interrupt(world, id, reason);
    ServeServer::start(world, "second", &[])
}

/// What a coordinator writes that gives up.
fn interrupt(world: &World, id: &str, reason: Reason) {
    let store = SqliteStore::open(&world.database(), SqliteOptions::default()).unwrap();
    let id = DebateId::parse(id).unwrap();
    Builder::new_current_thread().enable_all().build().unwrap().block_on(async {
        let log = store.read(&id, Position(0)).await.unwrap();
        let debate = Debate::fold(log.iter().map(AsRef::as_ref)).unwrap();
        let at = log.last().unwrap().at;
        let events = debate.decide(at, Input::Interrupt { reason }).unwrap();
        store.append(&id, debate.record(at, 7, events)).await.unwrap();
    });
}

#[test]
fn a_debate_that_servers_gave_up_is_interrupted_everywhere_until_agon_resume_continues_it() {
    let world = World::new();
    let served = given_up(&world, "given-up");
    let server = ["--server", &served.address];
    let said_there = |args: &[&str]| world.agon(&[args, &server[..]].concat());

    for options in [&server[..], &[]] {
        let list = [&["list", "--state", "interrupted", "--json"][..], options].concat();
        let listed =
            until("it is listed", PATIENCE, || Ok(Some(world.json(&list)).filter(|list| list[0]["id"] == "given-up")));
        assert_eq!(listed.unwrap()[0]["state"], "interrupted");
        let result = world.json(&[&["get", "given-up", "--json"][..], options].concat());
        assert_eq!((&result["state"], &result["reason"]["code"]), (&"interrupted".into(), &"poison".into()));
    }
    let said = said_there(&["watch", "given-up"]).code(130);
    let why =
        "debate given-up is interrupted: its coordinator failed again and again (5 claims in a row brought nothing)";
    let way = format!("continue it with: agon resume given-up --server {}", served.address);
    assert!(said.stderr.contains(why) && said.stderr.contains(&way), "{said:?}");
    let said = world.agon(&["resume", "given-up"]).code(64);
    assert!(said.stderr.contains("agon resume given-up --server"), "{said:?}");
    let before = world.events("given-up");

    let said = said_there(&["resume", "--no-reports"]).ok();
    assert!(said.stdout.contains("Said so far") && said.stdout.contains("== Result =="), "{said:?}");

    assert!(ended(&world, "given-up"));
    let after = world.events("given-up");
    assert_eq!(after[..before.len()], before[..], "nothing is said again");
    assert_eq!(after.iter().filter(|event| event["type"] == "debate_resumed").count(), 1);
    let said = said_there(&["resume", "given-up"]).code(64);
    assert!(said.stderr.contains("only a paused or interrupted debate can be resumed"), "{said:?}");
    let said = said_there(&["resume", "given-up", "--rehearsal"]).code(64);
    assert!(said.stderr.contains("--local"), "{said:?}");
    assert!(said_there(&["resume"]).ok().stderr.contains("no debate is paused or interrupted"));
}

#[test]
fn a_debate_that_waits_for_a_model_server_is_paused_wherever_a_server_shows_it() {
    let world = World::new();
    let served = halted(&world, "waiting", Reason::with(ReasonCode::ServerAway, "gpu1: no connection since 600 s"));
    let server = ["--server", &served.address];
    let json = |args: &[&str]| world.json(&[args, &["--json"], &server[..]].concat());

    let listed = || Ok(Some(json(&["list", "--state", "paused"])).filter(|list| list[0]["id"] == "waiting"));
    assert_eq!(until("it is listed", PATIENCE, listed).unwrap()[0]["state"], "paused");
    assert_eq!(json(&["list"])[0]["state"], "paused");
    assert_eq!(json(&["list", "--state", "interrupted"]), serde_json::json!([]));
    let result = json(&["get", "waiting"]);
    assert_eq!((&result["state"], &result["reason"]["code"]), (&"paused".into(), &"server_away".into()));
    let said = world.agon(&["resume", "waiting"]).code(64);
    assert!(said.stderr.contains("is paused there"), "{said:?}");

    world.agon(&[&["resume", "--quiet", "--no-reports"], &server[..]].concat()).ok();
    assert!(ended(&world, "waiting"));
}

#[test]
fn a_debate_that_servers_gave_up_is_cancelled_here_and_there() {
    let world = World::new();
    let served = given_up(&world, "given-up");
    world.agon(&["cancel", "given-up"]).ok();
    let said = world.agon(&["watch", "given-up", "--quiet", "--server", &served.address]);
    assert_eq!(said.code, Some(4), "{said:?}");
}

#[test]
fn watching_a_debate_that_its_own_process_left_ends_at_once_and_says_how_it_goes_on() {
    let world = World::new();
    paused(&world, "kept-here");
    let served = ServeServer::start(&world, "beside", &[]);
    let said = world.agon(&["watch", "kept-here", "--server", &served.address]).code(130);
    let way = "debate kept-here is paused\n  continue it on its machine with: agon resume kept-here";
    assert!(said.stderr.contains(way) && said.stdout.contains("== Opening statements =="), "{said:?}");
}

#[test]
fn a_server_verifies_the_logs_that_it_keeps_and_names_damage() {
    let world = World::new();
    let served = ServeServer::start(&world, "checks", &[]);
    submit(&world, &served, "proven", &["--wait", "--quiet", "--no-reports"]);
    let here = world.json(&["verify", "--json"]);
    let there = world.json(&["verify", "proven", "--json", "--server", &served.address]);
    assert_eq!((&here, &here[0]["state"]), (&there, &"whole".into()));
    assert_eq!(world.json(&["verify", "--json", "--server", &served.address]), here);

    world.sqlite("UPDATE records SET body = zeroblob(length(body)) WHERE first = 2 RETURNING 1");
    let said = world.agon(&["verify", "proven", "--server", &served.address]).code(3);
    assert!(said.stdout.contains("proven: DAMAGED at event 2"), "{said:?}");
}
