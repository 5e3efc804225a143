//! What each user of the printed NATS configuration may do: its role's work, and nothing of another's.
mod bound;
mod keys;
mod printed;
mod tenants;
mod tls;
pub mod wire;

use crate::seat_example;
use crate::support::{Cluster, SHORT, example, nats_config, variables};
use agon_testkit::{NatsOptions, NatsServer};
use serde_json::Value;
use wire::Wire;

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

fn guarded_by(conf: String) -> Cluster {
    Cluster::start().nats_with(options(conf)).with_users(PASSWORD)
}

/// A gateway whose user lacks these permissions.
pub fn without(subjects: &[&str]) -> Cluster {
    let conf = guarded();
    let (before, mut rest) = conf.split_once("        user: \"gateway\"\n").map(|(a, b)| (a, b.to_owned())).unwrap();
    for subject in subjects {
        rest = rest.replacen(&format!("              \"{subject}\"\n"), "", 1);
    }
    let cluster = guarded_by(format!("{before}        user: \"gateway\"\n{rest}"));
    cluster.provision().ok();
    cluster.gateway()
}

/// What the server refused, the echo aside by which a connection is tested.
fn violations(server: &NatsServer) -> Vec<String> {
    let log = server.log();
    let refused = log.lines().filter(|line| line.contains("Violation") && !line.contains("agon.v1.echo."));
    refused.map(str::to_owned).collect()
}

fn user(server: &NatsServer, name: &str) -> Wire {
    Wire::connect(server.port(), Some((name, PASSWORD))).unwrap()
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
        (stream, state["messages"].as_u64().unwrap(), state["consumer_count"].as_u64().unwrap())
    });
    state.to_vec()
}

const ANY: &str = r#"{"stream_name":"AGON_LOG_0","config":{"ack_policy":"none","deliver_policy":"all"}}"#;
const NAMED: &str =
    r#"{"stream_name":"AGON_LOG_0","config":{"name":"spy","ack_policy":"none","deliver_policy":"all"}}"#;
const ONE: &str = r#"{"stream_name":"AGON_LOG_0","config":{"name":"own","ack_policy":"none","deliver_policy":"all","filter_subject":"agon.v1.log.0.default.spied"}}"#;

/// Who sends what that only others may, and what it would change.
const STORED: [(&str, &str, &str); 14] = [
    ("host", "agon.v1.log.0.default.forged", ""),
    ("host", "agon.v1.job.p1.0.default.forged", ""),
    ("host", "agon.v1.idx.default.forged", ""),
    ("host", "agon.v1.req.default.forged", ""),
    ("host", "agon.v1.cmd.default.forged.cancel", ""),
    ("host", "agon.v1.gen.model.p1.default.forged.r1-s0.1", ""),
    ("host", "$JS.API.CONSUMER.CREATE.AGON_LOG_0", ANY),
    ("host", "$JS.API.CONSUMER.CREATE.AGON_LOG_0.spy", NAMED),
    ("gateway", "agon.v1.res.default.forged.r1-s0.1", ""),
    ("gateway", "agon.v1.gen.other.p1.default.forged.r1-s0.1", ""),
    ("coordinator", "agon.v1.req.default.other", ""),
    ("coordinator", "agon.v1.cmd.default.other.cancel", ""),
    ("seat_example", "agon.v1.res.default.other.r1-s0.1", ""),
    ("seat_example", "$JS.API.CONSUMER.CREATE.AGON_LOG_0.own.agon.v1.log.0.default.spied", ONE),
];
/// Who says what that only others may, and who would hear it.
const SAID: [(&str, &str, &str); 3] = [
    ("gateway", "agon.v1.tok.default.some.r1-s0.1", "gateway"),
    ("coordinator", "agon.v1.hb.forged", "gateway"),
    ("seat_example", "agon.v1.node.forged", "coordinator"),
];
/// Who listens to what is meant for others, and who would be overheard.
const HEARD: [(&str, &str, &str, &str); 6] = [
    ("host", "agon.v1.>", "coordinator", "agon.v1.ready.p1"),
    ("host", "agon.v1.seat.default.*.outsider", "coordinator", "agon.v1.seat.default.some.outsider"),
    ("coordinator", "agon.v1.seat.default.*.outsider", "coordinator", "agon.v1.seat.default.some.outsider"),
    ("seat_example", "agon.v1.seat.default.*.other", "coordinator", "agon.v1.seat.default.some.other"),
    ("seat_example", "agon.v1.seat.other.*.outsider", "coordinator", "agon.v1.seat.other.some.outsider"),
    ("seat_example", "agon.v1.log.>", "gateway", "agon.v1.log.0.default.overheard"),
];
/// Who asks for what only others may know.
const ASKED: [(&str, &str); 2] =
    [("seat_example", "$JS.API.STREAM.MSG.GET.AGON_LOG_0"), ("host", "$JS.API.STREAM.MSG.GET.AGON_REQ")];

/// Tries one crossing: whether the server spoke against it by this subject, and whether it had its effect.
fn crossed(refusals: &[String], subject: &str, effect: bool) -> (bool, bool) {
    let refused = refusals.iter().any(|line| line.contains("Permissions Violation") && line.contains(subject));
    assert_eq!(refused, !refusals.is_empty(), "{refusals:?}");
    (refused, effect)
}

/// Every crossing, with what became of it.
fn try_all(server: &NatsServer) -> Vec<(String, (bool, bool))> {
    let mut tried = Vec::new();
    for (who, subject, body) in STORED {
        let before = stored(server);
        let refusals = user(server, who).publish(subject, body);
        tried.push((format!("{who} sends to {subject}"), crossed(&refusals, subject, stored(server) != before)));
    }
    for (who, subject, witness) in SAID {
        let mut witness = user(server, witness);
        assert!(witness.listen(subject).is_empty());
        let refusals = user(server, who).publish(subject, "");
        witness.settle();
        tried.push((format!("{who} says {subject}"), crossed(&refusals, subject, !witness.heard.is_empty())));
    }
    for (who, pattern, speaker, subject) in HEARD {
        let mut listener = user(server, who);
        let refusals = listener.listen(pattern);
        assert!(user(server, speaker).publish(subject, "").is_empty());
        listener.settle();
        tried.push((format!("{who} listens to {pattern}"), crossed(&refusals, pattern, !listener.heard.is_empty())));
    }
    for (who, subject) in ASKED {
        let mut asker = user(server, who);
        assert!(asker.listen(&format!("_INBOX_{who}.>")).is_empty());
        let refusals = asker.ask(subject, &format!("_INBOX_{who}.here"), r#"{"seq":1}"#);
        let answered = refusals.is_empty() && asker.hear().1.contains("io.nats.jetstream.api");
        tried.push((format!("{who} asks {subject}"), crossed(&refusals, subject, answered)));
    }
    tried
}

#[test]
fn nobody_crosses_into_anothers_part_and_the_server_says_so() {
    let mut cluster = guarded_by(guarded());
    cluster.provision().ok();

    for (what, outcome) in try_all(cluster.nats_server()) {
        assert_eq!(outcome, (true, false), "{what}: refused, with an effect");
    }
}

#[test]
fn without_the_permissions_the_same_crossings_succeed() {
    let mut cluster = guarded_by(unguarded());
    cluster.provision().ok();

    for (what, outcome) in try_all(cluster.nats_server()) {
        assert_eq!(outcome, (false, true), "{what}: refused, with an effect");
    }
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
        let refused = Wire::connect(server.port(), user).err();
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

    let said = cluster.agon(&["submit", &example(SHORT), "--rehearsal", "--wait", "--id", "guarded"]).ok();

    assert!(said.stdout.contains("Decided"), "{said:?}");
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
fn a_role_that_lacks_one_permission_does_not_start_and_names_it() {
    let lacks = [
        ("host", "agon.v1.res.>", "publish to agon.v1.res."),
        ("host", "agon.v1.ctl.*.*", "subscribe to agon.v1.ctl."),
        ("coordinator", "$JS.API.CONSUMER.MSG.NEXT.AGON_JOB.*", "publish to $JS.API.CONSUMER.MSG.NEXT.AGON_JOB."),
        ("gateway", "agon.v1.req.>", "publish to agon.v1.req."),
    ];
    for (role, subject, named) in lacks {
        let conf = guarded();
        let user = format!("        user: \"{role}\"\n");
        let (before, rest) = conf.split_once(&user).unwrap();
        let less = rest.replacen(&format!("              \"{subject}\"\n"), "", 1);
        let mut cluster = guarded_by(format!("{before}{user}{less}"));
        cluster.provision().ok();
        let rehearsal: &[&str] = if role == "host" { &["--rehearsal"] } else { &[] };

        let said = cluster.serve_in_vain(&[&["--roles", role], rehearsal].concat()).code(64);

        assert!(said.stderr.contains(named), "{role}: {said:?}");
    }
}
