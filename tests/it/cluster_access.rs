//! Who is let in, and what is said where something is missing or wrong.
use crate::support::{SHORT, TestCluster, address, example};
use agon_testkit::NatsOptions;
use serde_json::Value;
use std::net::TcpListener;

/// A port that is taken for as long as the listener lives.
fn taken() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    (listener, address)
}

/// A port that nobody listens on.
fn nobody() -> String {
    let (listener, address) = taken();
    drop(listener);
    address
}

#[test]
fn without_nats_one_process_serves_everything() {
    let mut cluster = TestCluster::start();
    let mut alone = cluster.launch("alone", &["--rehearsal"]);
    alone.wait_for(" is up: ").unwrap();
    let server = address(&mut alone, "gRPC");

    let args = ["submit", &example(SHORT), "--rehearsal", "--wait", "--server", &server, "--id", "alone-1"];
    let said = cluster.world.agon(&args).ok();

    assert!(said.stdout.contains("Decided"), "{said:?}");
    assert!(cluster.world.agon(&["list"]).ok().stdout.is_empty(), "the server keeps a store of its own");
    assert_eq!(alone.terminate().unwrap().code(), Some(0));
    let mut again = cluster.launch("again", &["--rehearsal"]);
    let server = address(&mut again, "gRPC");
    assert!(cluster.world.agon(&["get", "alone-1", "--server", &server]).ok().stdout.contains("Decided"));
}

#[test]
fn a_bad_file_is_told_with_line_and_key_and_nothing_is_submitted() {
    let mut cluster = TestCluster::start().nats().gateway_and_coordinator();
    let bad =
        cluster.world.file("bad.yaml", "topic: Tea?\nmax_rounds: 500\npersonas:\n  - name: Ada\n    stanze: yes\n");

    let said = cluster.agon(&["submit", &bad]).code(64);

    for wanted in ["bad.yaml:2", "max_rounds", "bad.yaml:5", "stanze", "stance"] {
        assert!(said.stderr.contains(wanted), "{wanted}: {said:?}");
    }
    assert!(cluster.agon(&["list"]).ok().stdout.is_empty());
}

#[test]
fn only_a_known_token_is_let_in_and_only_to_its_tenant() {
    let cluster = TestCluster::start();
    let token = |tenant: &str| {
        let said = cluster.world.agon(&["token", "ada", "--tenant", tenant, "--json"]).ok();
        let made: Value = serde_json::from_str(&said.stdout).unwrap();
        (made["token"].as_str().unwrap().to_owned(), made["line"].as_str().unwrap().to_owned())
    };
    let ((ours, line), (theirs, other)) = (token("research"), token("sales"));
    let file = cluster.world.file("tokens.txt", &format!("{line}\n{other}\n"));
    let mut cluster =
        cluster.setting("AGON__GATEWAY__AUTH__TOKENS_FILE", &file).nats().gateway_and_coordinator().hosts(1);
    let mut as_holder = |token: &str, args: &[&str]| {
        let file = cluster.world.file("token", token);
        crate::support::ProgramOutput::of(
            &cluster.client(args).env("AGON__CLIENT__TOKEN__FILE", file).output().unwrap(),
        )
    };

    as_holder(&ours, &["submit", "Tea?", "--rehearsal", "--rounds", "1", "--id", "ours"]).ok();

    assert!(as_holder(&ours, &["list"]).ok().stdout.contains("ours"));
    assert!(as_holder(&theirs, &["list"]).ok().stdout.is_empty());
    as_holder(&theirs, &["get", "ours"]).code(64);
    let wrong = as_holder("agon_wrong", &["list"]).code(64);
    assert!(wrong.stderr.contains("client.token"), "{wrong:?}");
    assert!(as_holder(&ours, &["hosts"]).code(64).stderr.contains("cluster:admin"));
    cluster.agon(&["list"]).code(64);
}

#[test]
fn whoever_would_be_open_to_everybody_does_not_start() {
    let mut cluster = TestCluster::start();
    let said = cluster.serve_in_vain(&["--rehearsal", "--grpc", "0.0.0.0:0"]).code(64);
    for wanted in ["0.0.0.0", "gateway.auth", "--insecure"] {
        assert!(said.stderr.contains(wanted), "{wanted}: {said:?}");
    }
}

#[test]
fn a_taken_port_is_named_with_the_flag_that_chooses_another() {
    let mut cluster = TestCluster::start();
    let (_listener, address) = taken();
    let said = cluster.serve_in_vain(&["--rehearsal", "--grpc", &address]).code(69);
    assert!(said.stderr.contains(&address) && said.stderr.contains("--grpc"), "{said:?}");
    let said = cluster.serve_in_vain(&["--rehearsal", "--admin", &address]).code(69);
    assert!(said.stderr.contains(&address) && said.stderr.contains("--admin"), "{said:?}");
}

#[test]
fn a_nats_that_is_not_there_is_named() {
    let mut cluster = TestCluster::start().setting("AGON__NATS__WAIT", "0");
    let url = format!("nats://{}", nobody());
    let said = cluster.serve_in_vain(&["--roles", "coordinator", "--nats", &url]).code(69);
    assert!(said.stderr.contains(&url), "{said:?}");
}

#[test]
fn a_nats_without_jetstream_is_told_how_to_be_started() {
    let mut cluster = TestCluster::start().nats_with(NatsOptions { no_jetstream: true, ..NatsOptions::default() });
    let said = cluster.serve_in_vain(&["--roles", "coordinator"]).code(69);
    assert!(said.stderr.contains("nats-server -js"), "{said:?}");
}

#[test]
fn wrong_credentials_of_nats_are_told_without_the_secret() {
    let config = "authorization { user: agon, password: right }".to_owned();
    let cluster = TestCluster::start().nats_with(NatsOptions { config, ..NatsOptions::default() });
    let password = cluster.world.file("password", "wr0ng-secret");
    let mut cluster = cluster.setting("AGON__NATS__USER", "agon").setting("AGON__NATS__PASSWORD__FILE", &password);
    let said = cluster.serve_in_vain(&["--roles", "coordinator"]).code(64);
    assert!(said.stderr.contains("agon") && said.stderr.contains("refuses"), "{said:?}");
    assert!(!said.stderr.contains("wr0ng-secret"), "{said:?}");
}

#[test]
fn a_nats_user_who_may_too_little_is_told_what_it_lacks() {
    let config = "authorization { users: [{ user: agon, password: p, permissions: { publish: { deny: [\"agon.v1.res.>\"] } } }] }";
    let cluster = TestCluster::start().nats_with(NatsOptions { config: config.to_owned(), ..NatsOptions::default() });
    let password = cluster.world.file("password", "p");
    let mut cluster = cluster.setting("AGON__NATS__USER", "agon").setting("AGON__NATS__PASSWORD__FILE", &password);
    let said = cluster.serve_in_vain(&["--roles", "host", "--rehearsal"]).code(64);
    assert!(said.stderr.contains("publish to agon.v1.res."), "{said:?}");
}

#[test]
fn a_server_that_is_not_there_is_named_within_seconds() {
    let cluster = TestCluster::start();
    let server = nobody();
    for args in [vec!["list"], vec!["submit", "Tea?"], vec!["hosts"]] {
        let said = cluster.world.agon(&[args, vec!["--server", &server]].concat()).code(69);
        assert!(said.stderr.contains(&server) && said.stderr.contains("agon serve"), "{said:?}");
    }
    for args in
        [vec!["watch", "some-debate"], vec!["submit", "Tea?", "--wait"], vec!["rejudge", "some-debate", "--wait"]]
    {
        let said = cluster.world.agon(&[args, vec!["--patience", "1s", "--server", &server]].concat()).code(69);
        assert!(said.stderr.contains(&server) && said.stderr.contains("agon serve"), "{said:?}");
        assert!(said.stderr.contains("Waiting for 0 s: the server"), "it is waited for: {said:?}");
    }
}

#[test]
fn without_any_server_the_commands_that_need_one_say_how_to_name_it() {
    let cluster = TestCluster::start();
    for args in [["submit", "Tea?"], ["watch", "some-debate"]] {
        let said = cluster.world.agon(&args).code(64);
        assert!(said.stderr.contains("--server") && said.stderr.contains("AGON_SERVER"), "{said:?}");
    }
}

#[test]
fn doctor_looks_at_nats_and_the_server_too() {
    let mut cluster = TestCluster::start().nats().gateway_and_coordinator().hosts(1);
    let nats = cluster.nats_server().url();

    let well = cluster.client(&["doctor", "--rehearsal"]).env("AGON__NATS__URLS", &nats).output().unwrap();
    let gone = cluster.client(&["doctor", "--rehearsal", "--server", &nobody()]).output().unwrap();

    let well = String::from_utf8(well.stdout).unwrap();
    assert!(well.contains("streams set up") && well.contains("answers"), "{well}");
    assert_eq!(gone.status.code(), Some(1));
}

#[test]
fn json_logs_are_json_from_the_first_line_to_the_last() {
    let mut cluster = TestCluster::start();
    let mut alone = cluster.launch("alone", &["--rehearsal", "--json-logs"]);
    alone.wait_for(" is up: ").unwrap();
    alone.terminate().unwrap();
    let log = alone.log();
    assert!(log.lines().count() >= 4, "{log}");
    for line in log.lines() {
        assert!(serde_json::from_str::<Value>(line).is_ok(), "{line}");
    }
}

#[test]
fn a_process_that_is_told_to_end_says_first_that_it_is_not_ready() {
    let mut cluster = TestCluster::start().nats().gateway_and_coordinator();
    let admin = cluster.address("admin");
    assert!(agon_testkit::http_get(&admin, "/readyz").unwrap().contains("true"));
    cluster.nats_server().kill();
    let unready = || agon_testkit::http_get(&admin, "/readyz").is_err().then_some(());
    agon_testkit::until("the process is not ready", crate::support::PATIENCE, || Ok(unready())).unwrap();
    cluster.nats_server().restart().unwrap();
    let ready = || agon_testkit::http_get(&admin, "/readyz").ok();
    agon_testkit::until("the process is ready again", crate::support::PATIENCE, || Ok(ready())).unwrap();
}
