//! Whether a process is well, as probes ask it, and what processes in containers must do without.
use crate::support::{PATIENCE, SHORT, TestCluster, World, address, example};
use agon_testkit::{http_get, until};
use nix::sys::signal::Signal;
use std::net::TcpListener;
use std::process::Command;

/// A folder where nobody can write, not even root.
const READ_ONLY: &str = "/proc";
/// What Kubernetes tells processes of services called `agon`, `agon-server` and `nats`.
const SERVICE_LINKS: [(&str, &str); 8] = [
    ("AGON_PORT", "tcp://10.96.0.10:50051"),
    ("AGON_SERVICE_HOST", "10.96.0.10"),
    ("AGON_SERVICE_PORT_GRPC", "50051"),
    ("AGON_PORT_50051_TCP_ADDR", "10.96.0.10"),
    ("AGON_SERVER_PORT", "tcp://10.96.0.11:50051"),
    ("AGON_SERVER_SERVICE_HOST", "10.96.0.11"),
    ("AGON_NATS_SERVICE_HOST", "10.96.0.12"),
    ("NATS_PORT", "tcp://10.96.0.12:4222"),
];

/// The command with no home, nowhere to write, and what Kubernetes adds.
fn bare(mut command: Command) -> Command {
    command.env_remove("HOME").env("TMPDIR", READ_ONLY).envs(SERVICE_LINKS).current_dir(READ_ONLY);
    command
}

fn nobody() -> String {
    format!("http://{}", TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap())
}

#[test]
fn a_server_that_is_ready_is_well_wherever_it_is_told_to_listen() {
    let mut cluster = TestCluster::start();
    let mut alone = cluster.launch("alone", &["--rehearsal"]);
    let admin = address(&mut alone, "admin");
    alone.wait_for(" is up: ").unwrap();
    let port = admin.rsplit(':').next().unwrap();

    let ask = |args: &[&str], listen: &str| {
        let mut command = bare(cluster.world.command(&[&["health"], args].concat()));
        let said = command.env("AGON__ADMIN__LISTEN", listen).output().unwrap();
        assert_eq!(said.status.code(), Some(0), "{args:?}: {said:?}");
        String::from_utf8(said.stdout).unwrap()
    };
    assert_eq!(ask(&["--url", &format!("http://{admin}/")], ""), "{\"ready\":true,\"reasons\":[]}\n");
    assert_eq!(ask(&[], &format!("0.0.0.0:{port}")), "{\"ready\":true,\"reasons\":[]}\n");
    assert_eq!(ask(&["--live"], &admin), "ok\n");
}

#[test]
fn a_server_that_is_not_there_or_does_not_answer_is_not_well() {
    let world = World::new();
    let gone = world.agon(&["health", "--url", &nobody()]).code(69);
    assert!(gone.stderr.contains("no connection"), "{gone:?}");
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", silent.local_addr().unwrap());
    let said = world.agon(&["health", "--url", &url, "--timeout", "200ms"]).code(69);
    assert!(said.stderr.contains("no answer within 200ms"), "{said:?}");
    for wrong in ["", "127.0.0.1:9090", "https://127.0.0.1:9090", "http://127.0.0.1:9090/readyz"] {
        let said = world.agon(&["health", "--url", wrong]).code(64);
        assert!(said.stderr.contains("http://127.0.0.1:9090"), "{wrong}: {said:?}");
    }
}

#[test]
fn a_gateway_without_nats_lives_and_is_not_ready_until_nats_is_back() {
    let mut cluster = TestCluster::start().nats().gateway();
    let url = format!("http://{}", cluster.address("admin"));
    cluster.nats_server().kill();
    let said = until("it is not ready", PATIENCE, || {
        let said = cluster.world.agon(&["health", "--url", &url]);
        Ok((said.code == Some(69)).then_some(said))
    });
    let said = said.unwrap();
    assert!(said.stdout.contains("\"ready\":false") && said.stdout.contains("the bus is unreachable"), "{said:?}");
    cluster.world.agon(&["health", "--url", &url, "--live"]).ok();

    cluster.nats_server().restart().unwrap();
    until("it is ready again", PATIENCE, || {
        Ok((cluster.world.agon(&["health", "--url", &url]).code == Some(0)).then_some(()))
    })
    .unwrap();
}

#[test]
fn every_idle_role_ends_in_order_while_nats_is_away() {
    let mut cluster = TestCluster::start().nats().gateway().coordinators(1).hosts(1);
    let url = format!("http://{}", cluster.address("admin"));
    cluster.nats_server().kill();
    until("NATS is missed", PATIENCE, || {
        Ok((cluster.world.agon(&["health", "--url", &url]).code == Some(69)).then_some(()))
    })
    .unwrap();
    for name in ["gateway", "coordinator-1", "host-1"] {
        let process = cluster.member(name);
        assert_eq!(process.terminate().unwrap().code(), Some(0), "{name}: {}", process.log());
    }
}

#[test]
fn a_server_that_ends_says_so_to_probes_and_lives_until_its_turns_are_over() {
    let mut cluster = TestCluster::start();
    let mut alone = cluster.launch("alone", &["--rehearsal", "--latency", "5s"]);
    alone.wait_for(" is up: ").unwrap();
    let (admin, server) = (address(&mut alone, "admin"), address(&mut alone, "gRPC"));
    cluster.world.agon(&["submit", &example(SHORT), "--rehearsal", "--server", &server]).ok();
    until("a turn is played", PATIENCE, || {
        let plays = |line: &str| line.starts_with("agon_permits_in_use") && !line.ends_with(" 0");
        Ok(http_get(&admin, "/metrics")?.lines().any(plays).then_some(()))
    })
    .unwrap();

    alone.signal(Signal::SIGTERM).unwrap();

    let url = format!("http://{admin}");
    let said = until("it is not ready", PATIENCE, || {
        let said = cluster.world.agon(&["health", "--url", &url]);
        Ok((said.code == Some(69)).then_some(said))
    });
    let said = said.unwrap();
    assert!(said.stdout.contains("the process is ending"), "{said:?}");
    cluster.world.agon(&["health", "--url", &url, "--live"]).ok();
    assert_eq!(alone.wait().unwrap().code(), Some(0));
}

#[test]
fn a_cluster_needs_no_home_nowhere_to_write_and_minds_no_service_links() {
    let cluster = TestCluster::start().nats();
    let mut cluster = cluster.bare(bare).gateway().coordinators(1).hosts(1);

    let said = cluster.agon(&["submit", &example(SHORT), "--rehearsal", "--wait", "--no-reports"]).ok();

    assert!(said.stdout.contains("Decided"), "{said:?}");
    for name in ["gateway", "coordinator-1", "host-1"] {
        assert_eq!(cluster.member(name).terminate().unwrap().code(), Some(0), "{name}");
    }
}

#[test]
fn service_links_are_no_settings_of_any_command() {
    let world = World::new();
    let said = |args: &[&str]| {
        let said = bare(world.command(args)).output().unwrap();
        assert_eq!(said.status.code(), Some(0), "{args:?}: {said:?}");
        String::from_utf8(said.stdout).unwrap()
    };
    let plain = world.agon(&["config", "show"]).ok().stdout;
    assert_eq!(said(&["config", "show"]), plain);
    said(&["check", &example(SHORT)]);
    said(&["schema"]);
    let store = world.path("debates.db");
    said(&[
        "run",
        &example(SHORT),
        "--rehearsal",
        "--quiet",
        "--no-reports",
        "--seed",
        "7",
        "--store",
        store.to_str().unwrap(),
    ]);
}
