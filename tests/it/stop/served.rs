//! A server beside `agon run` on one store: neither touches the debates of the other.
use super::{ended, paused, resume};
use crate::support::{SHORT, World, example};
use agon_testkit::Process;

/// A server that rehearses on the store that `agon run` uses.
pub(crate) struct ServeServer {
    pub(crate) process: Process,
    pub(crate) address: String,
}

impl ServeServer {
    pub(super) fn start(world: &World, name: &str, options: &[&str]) -> Self {
        Self::start_with(world, name, &[&["--rehearsal"], options].concat(), &[])
    }

    /// The same with the model servers that options and variables name.
    pub(crate) fn start_with(world: &World, name: &str, options: &[&str], variables: &[(&str, &str)]) -> Self {
        let database = world.database();
        std::fs::create_dir_all(database.parent().unwrap()).unwrap();
        let any = "127.0.0.1:0";
        let args = ["serve", "--store", database.to_str().unwrap(), "--name", name];
        let doors = ["--grpc", any, "--http", any, "--admin", any];
        let mut command = world.command(&[&args[..], &doors, options].concat());
        command.envs(variables.iter().copied());
        let mut process = Process::start(name, command, world.path(&format!("{name}.log"))).unwrap();
        let line = process.wait_for("gRPC").unwrap();
        process.wait_for("is up").unwrap();
        let address = line.split("://").nth(1).unwrap().trim().to_owned();
        Self { process, address }
    }
}

pub(super) fn submit(world: &World, served: &ServeServer, id: &str, options: &[&str]) {
    let args = ["submit", &example(SHORT), "--rehearsal", "--seed", "7", "--server", &served.address, "--id", id];
    world.agon(&[&args[..], options].concat()).ok();
}

#[test]
fn a_server_plays_what_was_submitted_to_it_and_shows_the_rest_as_it_stands() {
    let world = World::new();
    paused(&world, "kept-here");
    let left = world.events("kept-here");
    let served = ServeServer::start(&world, "beside", &[]);

    submit(&world, &served, "submitted", &["--wait", "--quiet", "--no-reports"]);

    assert!(ended(&world, "submitted"));
    assert_eq!(world.events("kept-here"), left);
    let listed = world.json(&["list", "--state", "paused", "--server", &served.address, "--json"]);
    assert_eq!(listed[0]["id"], "kept-here");
    assert_eq!(listed.as_array().unwrap().len(), 1);
    let result = world.json(&["get", "kept-here", "--json", "--server", &served.address]);
    assert_eq!(result["state"], "paused");

    world.agon(&["resume", "kept-here", "--server", &served.address, "--quiet", "--no-reports"]).ok();
    assert!(ended(&world, "kept-here"), "the server has taken it over");
}

#[test]
fn what_was_submitted_to_a_server_is_neither_a_candidate_nor_played_by_resume() {
    let world = World::new();
    let mut served = ServeServer::start(&world, "first", &["--token-interval", "50ms"]);
    submit(&world, &served, "submitted", &[]);
    served.process.kill();
    let left = world.events("submitted");

    let said = resume(&world, &["submitted"]).code(64);
    assert!(said.stderr.contains("was submitted to a server"), "{said:?}");
    resume(&world, &["--all"]).ok();
    world.rehearse("another-one").ok();
    assert_eq!(world.events("submitted"), left);

    world.agon(&["cancel", "submitted"]).ok();
    // the lease of the server that died has to run out first
    let next = ServeServer::start(&world, "second", &[]);
    let said = world.agon(&["watch", "submitted", "--server", &next.address, "--quiet"]);
    assert_eq!(said.code, Some(4), "{said:?}");
}
