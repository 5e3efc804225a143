//! What each user of the printed NATS configuration may do: its role's work, and nothing of another's.
mod bound;
mod crossings;
mod indirect;
mod keys;
mod lost;
mod orders;
mod printed;
mod tenants;
mod tls;
pub mod wire;

use crate::seat_example;
use crate::support::{TestCluster, nats_config, variables};
use agon_testkit::{NatsOptions, NatsServer};
use serde_json::Value;
use wire::NatsWire;

const PASSWORD: &str = "right";

/// The shipped users, and one external participant.
fn guarded() -> String {
    nats_config(&["--seat", "seat_example=default/outsider"])
}

/// The same without permissions.
fn unguarded() -> String {
    let mut inside = false;
    let mut kept = Vec::new();
    for line in guarded().lines() {
        inside |= line == "        permissions: {";
        if !inside {
            kept.push(line.to_owned());
        }
        inside &= line != "        }";
    }
    kept.join("\n")
}

fn options(conf: String) -> NatsOptions {
    let environment = variables(&conf, PASSWORD);
    NatsOptions { shipped: Some(conf), environment, ..NatsOptions::default() }
}

fn guarded_by(conf: String) -> TestCluster {
    TestCluster::start().nats_with(options(conf)).with_users(PASSWORD)
}

/// A cluster by this configuration, less these permissions of a user.
fn lacking(conf: &str, name: &str, subjects: &[&str]) -> TestCluster {
    let user = format!("        user: \"{name}\"\n");
    let (before, rest) = conf.split_once(&user).unwrap();
    let rest = subjects.iter().fold(rest.to_owned(), |rest, subject| {
        let less = rest.replacen(&format!("              \"{subject}\"\n"), "", 1);
        assert_ne!(less, rest, "{name} has no permission for {subject}");
        less
    });
    guarded_by(format!("{before}{user}{rest}"))
}

/// A gateway whose user lacks these permissions.
pub fn without(subjects: &[&str]) -> TestCluster {
    let cluster = lacking(&guarded(), "gateway", subjects);
    cluster.provision().ok();
    cluster.gateway()
}

/// What the server refused, the echo aside by which a connection is tested.
fn violations(server: &NatsServer) -> Vec<String> {
    let log = server.log();
    let refused = log.lines().filter(|line| line.contains("Violation") && !line.contains("agon.v1.echo."));
    refused.map(str::to_owned).collect()
}

fn user(server: &NatsServer, name: &str) -> NatsWire {
    NatsWire::connect(server.port(), Some((name, PASSWORD))).unwrap()
}

/// Messages and consumers of every stream.
fn stored(server: &NatsServer) -> Vec<(String, u64, u64)> {
    stored_as(server, "provisioner")
}

/// The same, as this user sees it.
fn stored_as(server: &NatsServer, name: &str) -> Vec<(String, u64, u64)> {
    let mut wire = user(server, name);
    assert!(wire.listen("_INBOX_provisioner.>").is_empty());
    let streams = ["LOG_0", "JOB", "RES", "CMD", "REQ", "IDX", "BIG", "GEN", "BLOB"].map(|name| format!("AGON_{name}"));
    let state = streams.map(|stream| {
        wire.ask(&format!("$JS.API.STREAM.INFO.{stream}"), "_INBOX_provisioner.here", "");
        let (_, answer) = wire.hear();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let state = &answer["state"];
        assert!(state.is_object(), "{stream}: {answer}");
        (stream, state["messages"].as_u64().unwrap(), state["consumer_count"].as_u64().unwrap())
    });
    state.to_vec()
}

#[test]
fn answers_for_one_role_are_heard_by_no_other() {
    let mut cluster = guarded_by(guarded());
    cluster.provision().ok();
    let server = cluster.nats_server();
    for (who, other) in
        [("host", "gateway"), ("gateway", "coordinator"), ("coordinator", "host"), ("seat_example", "host")]
    {
        let refusals = user(server, who).listen(&format!("_INBOX_{other}.>"));
        assert!(refusals.iter().any(|line| line.contains("Permissions Violation")), "{who}: {refusals:?}");
    }
}

#[test]
fn nobody_connects_without_credentials_or_with_wrong_ones() {
    let server = NatsServer::start_with(options(guarded())).unwrap();
    for user in [None, Some(("host", "wrong")), Some(("nobody", PASSWORD))] {
        let refused = NatsWire::connect(server.port(), user).err();
        assert!(refused.as_ref().is_some_and(|why| why.contains("Authorization Violation")), "{user:?}: {refused:?}");
    }
}

#[test]
fn streams_are_set_up_once_and_nobody_else_has_to() {
    let mut cluster = guarded_by(guarded());
    let early = cluster.serve_in_vain(&["--roles", "host", "--rehearsal"]).code(64);
    assert!(early.stderr.contains("agon provision") && early.stderr.contains("AGON_GEN"), "{early:?}");

    let first = cluster.provision().ok().stdout;
    let second = cluster.provision().ok().stdout;

    let all = |text: &str, what: &str| text.lines().count() >= 9 && text.lines().all(|line| line.ends_with(what));
    assert!(all(&first, " created") && all(&second, " as asked"), "{first}{second}");
}

#[test]
fn a_debate_runs_with_exactly_the_permissions_of_each_role() {
    let cluster = guarded_by(guarded());
    cluster.provision().ok();
    let mut cluster = cluster.gateway().coordinators(1).hosts(1);

    cluster.decides("guarded");
    cluster.agon(&["delete", "guarded"]).ok();
    let login = ["--user", "seat_example", "--password", PASSWORD, "--inbox", "_INBOX_seat_example"];
    let _seat = seat_example::start(&mut cluster, "outsider", &login);
    seat_example::submit(&mut cluster, "with-a-seat");
    let (texts, result) = seat_example::outcome(&mut cluster, "with-a-seat");
    assert_eq!(result["state"], "succeeded", "{result}");
    assert!(texts.iter().any(|text| text.contains(seat_example::SENTENCE)), "{texts:#?}");
    let violations = violations(cluster.nats_server());
    assert!(violations.is_empty(), "{violations:#?}");
}

#[test]
fn processes_run_with_the_users_of_an_older_configuration() {
    let cluster = guarded_by(include_str!("security/older.conf").to_owned());
    cluster.provision().ok();
    let mut cluster = cluster.gateway().coordinators(1).hosts(1);

    cluster.decides("older");
}

#[test]
fn a_role_that_lacks_one_permission_does_not_start_and_names_it() {
    let lacks = [
        ("host", "agon.v1.res.>", "publish to agon.v1.res."),
        ("host", "agon.v1.ctl.*.*", "subscribe to agon.v1.ctl."),
        ("coordinator", "$JS.API.CONSUMER.MSG.NEXT.AGON_JOB.*", "publish to $JS.API.CONSUMER.MSG.NEXT.AGON_JOB."),
        ("gateway", "agon.v1.req.>", "publish to agon.v1.req."),
    ];
    for (role, subject, named) in lacks {
        let mut cluster = lacking(&guarded(), role, &[subject]);
        cluster.provision().ok();
        let rehearsal: &[&str] = if role == "host" { &["--rehearsal"] } else { &[] };

        let said = cluster.serve_in_vain(&[&["--roles", role], rehearsal].concat()).code(64);

        assert!(said.stderr.contains(named), "{role}: {said:?}");
    }
}
