//! A store that another process keeps locked: for a moment, and for longer than Agon waits.
use super::{ended, paused, slow_run};
use crate::support::{ProgramOutput, SHORT, World, example};
use agon_testkit::until;
use rusqlite::Connection;
use std::time::{Duration, Instant};

/// Keeps the store to itself, readers out included, as a backup tool or a database browser may.
fn lock(world: &World) -> Connection {
    let connection = Connection::open(world.database()).unwrap();
    connection.busy_timeout(Duration::from_secs(30)).unwrap();
    connection
        .execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; SELECT count(*) FROM records;")
        .unwrap();
    connection
}

fn moment() {
    let began = Instant::now();
    let over = || Ok((began.elapsed() >= Duration::from_secs(3)).then_some(()));
    until("3 s have passed", Duration::from_secs(30), over).unwrap();
}

/// What `list`, `run` and `resume` say that begin while the store is locked; `held` says for how long it stays so.
fn said(world: &World, held: impl FnOnce(&dyn Fn() -> bool)) -> [ProgramOutput; 3] {
    let new = example(SHORT);
    let quiet = ["--rehearsal", "--quiet", "--no-reports"];
    let run = [&["run", new.as_str(), "--id", "begun-here"][..], &quiet].concat();
    let commands: [Vec<&str>; 3] =
        [vec!["list", "--json"], run, vec!["resume", "left-here", "--quiet", "--no-reports"]];
    let locked = lock(world);
    std::thread::scope(|scope| {
        let running = commands.map(|args| scope.spawn(move || world.agon(&args)));
        held(&|| running.iter().all(|one| one.is_finished()));
        drop(locked);
        running.map(|one| one.join().unwrap())
    })
}

#[test]
fn a_store_that_is_locked_for_a_moment_is_waited_for() {
    let world = World::new();
    paused(&world, "left-here");

    let [list, run, resume] = said(&world, |_| moment());

    let list: serde_json::Value = serde_json::from_str(&list.ok().stdout).unwrap();
    assert!(list.as_array().unwrap().iter().any(|debate| debate["id"] == "left-here"), "{list}");
    run.ok();
    resume.ok();
    assert!(ended(&world, "begun-here") && ended(&world, "left-here"));
}

#[test]
fn a_store_that_stays_locked_is_named_with_what_to_do_and_nothing_is_lost() {
    let world = World::new();
    paused(&world, "left-here");
    let left = world.events("left-here");

    let all = said(&world, |over| {
        until("nobody waits any more", Duration::from_secs(60), || Ok(over().then_some(()))).unwrap();
    });

    for said in all {
        let said = said.code(70);
        let (path, why) = (world.database(), "another process has kept it locked for too long; end that process");
        assert!(said.stderr.contains(why) && said.stderr.contains(path.to_str().unwrap()), "{said:?}");
        assert!(!said.stderr.contains("panicked") && said.stdout.is_empty(), "{said:?}");
    }
    assert_eq!(world.events("left-here"), left);
    world.agon(&["resume", "left-here", "--quiet", "--no-reports"]).ok();
    assert!(ended(&world, "left-here"));
    world.agon(&["verify"]).ok();
}

#[test]
fn a_store_that_is_locked_in_the_midst_of_a_debate_holds_it_up_and_costs_nothing() {
    let world = World::new();
    let running = slow_run(&world, "held-up");
    let writer = Connection::open(world.database()).unwrap();
    writer.busy_timeout(Duration::from_secs(30)).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();

    moment();
    writer.execute_batch("ROLLBACK").unwrap();

    let (status, told) = running.wait();
    assert!(status.success(), "{told}");
    assert!(ended(&world, "held-up"));
    world.agon(&["verify", "held-up"]).ok();
}
