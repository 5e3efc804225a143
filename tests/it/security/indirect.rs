//! What the server would do for somebody who may not do it: it sends its answers, and what consumers deliver, wherever it is told to.
use super::{guarded, guarded_by, options, stored, unguarded, user};
use crate::support::PATIENCE;
use agon_testkit::{NatsServer, until};

/// Where a host might have an answer sent: what only others may send to, in both names of the API.
const TARGETS: [&str; 9] = [
    "agon.v1.log.0.default.forged",
    "agon.v1.job.p1.0.default.forged",
    "agon.v1.cmd.default.forged.cancel",
    "agon.v1.idx.default.forged",
    "agon.v1.gen.model.p1.default.forged.r1-s0.1",
    "$JS.API.STREAM.PURGE.AGON_LOG_0",
    "agon.v1.js.STREAM.PURGE.AGON_LOG_0",
    "agon.v1.ctl.default.forged",
    "_INBOX_gateway.node.forged",
];
/// What it may send that is answered, and what it says.
const ASKED: [(&str, &str); 6] = [
    ("agon.v1.res.default.mine.r1-s0.1", "a result"),
    ("agon.v1.big.default.mine.hash.0", "a part"),
    ("agon.v1.js.STREAM.INFO.AGON_RES", ""),
    ("agon.v1.js.STREAM.MSG.GET.AGON_RES", r#"{"seq":1}"#),
    ("agon.v1.js.CONSUMER.INFO.AGON_GEN.gen-model-p1", ""),
    ("agon.v1.js.CONSUMER.MSG.NEXT.AGON_GEN.gen-model-p1", ""),
];
/// What it says that others hear, who must not answer it.
const SAID: [&str; 4] =
    ["agon.v1.hb.mine", "agon.v1.node.some", "agon.v1.tok.default.mine.r1-s0.1", "_INBOX_coordinator.$app.node.some"];

/// All streams but those that a host may write to.
fn of_others(server: &NatsServer) -> Vec<(String, u64, u64)> {
    stored(server).into_iter().filter(|(stream, ..)| stream != "AGON_RES" && stream != "AGON_BIG").collect()
}

/// A consumer with work, as a coordinator makes it, and a record to lose.
fn prepare(server: &NatsServer) {
    let mut coordinator = user(server, "coordinator");
    let consumer = r#"{"stream_name":"AGON_GEN","config":{"durable_name":"gen-model-p1","name":"gen-model-p1","ack_policy":"explicit","filter_subject":"agon.v1.gen.model.p1.>"}}"#;
    let subject = "$JS.API.CONSUMER.CREATE.AGON_GEN.gen-model-p1.agon.v1.gen.model.p1.>";
    assert!(coordinator.publish(subject, consumer).is_empty());
    assert!(coordinator.publish("agon.v1.log.0.default.kept", "").is_empty());
    assert!(coordinator.publish("agon.v1.gen.model.p1.default.kept.r1-s0.1", "a turn").is_empty());
}

#[test]
fn no_answer_and_no_delivery_for_a_host_reaches_what_it_may_not_send_to() {
    // also without any permission: the account is what keeps hosts apart
    for conf in [guarded(), unguarded()] {
        let mut cluster = guarded_by(conf);
        cluster.provision().ok();
        let server = cluster.nats_server();
        prepare(server);
        let mut gateway = user(server, "gateway");
        for pattern in ["_INBOX_gateway.>", "agon.v1.ctl.*.*"] {
            assert!(gateway.listen(pattern).is_empty());
        }
        let before = of_others(server);
        let mut host = user(server, "host");
        for target in TARGETS {
            for (subject, body) in ASKED {
                assert!(host.ask(subject, target, body).is_empty(), "{subject}");
            }
            for subject in SAID {
                assert!(host.ask(subject, target, "{}").is_empty(), "{subject}");
            }
        }
        // the answers come in order: this one is the last
        assert!(host.listen("_INBOX_host.>").is_empty());
        assert!(host.ask("agon.v1.res.default.mine.r1-s0.2", "_INBOX_host.last", "a result").is_empty());
        host.hear();
        assert_eq!(of_others(server), before);
        gateway.settle();
        assert_eq!(gateway.heard, []);
    }
}

#[test]
fn a_user_in_the_streams_account_would_get_through() {
    let inside =
        "users: [\n      { user: inside, password: right, permissions: { publish: { allow: [\"agon.v1.res.>\"] } } }\n";
    let conf = guarded().replacen("users: [\n", inside, 1);
    let mut cluster = guarded_by(conf);
    cluster.provision().ok();
    let server = cluster.nats_server();
    let mut inside = user(server, "inside");

    for target in
        ["agon.v1.log.0.default.forged", "agon.v1.job.p1.0.default.forged", "agon.v1.cmd.default.forged.cancel"]
    {
        let before = of_others(server);
        assert!(!inside.publish(target, "").is_empty());
        assert!(inside.ask("agon.v1.res.default.mine.r1-s0.1", target, "a result").is_empty());
        let stored = || Ok((of_others(server) != before).then_some(()));
        until("the server's answer is stored, so that the test above could fail", PATIENCE, stored).unwrap();
    }
}

#[test]
fn no_user_of_a_host_makes_a_consumer_that_delivers_anywhere() {
    let mut cluster = guarded_by(unguarded());
    cluster.provision().ok();
    let server = cluster.nats_server();
    prepare(server);
    let before = of_others(server);
    let mut host = user(server, "host");
    for api in ["$JS.API", "agon.v1.js"] {
        for stream in ["AGON_LOG_0", "AGON_GEN", "AGON_RES"] {
            let config = r#""name":"spy","durable_name":"spy","ack_policy":"none","deliver_subject":"agon.v1.job.p1.0.default.forged""#;
            let body = format!(r#"{{"stream_name":"{stream}","config":{{{config}}}}}"#);
            for call in
                [format!("CREATE.{stream}"), format!("CREATE.{stream}.spy"), format!("DURABLE.CREATE.{stream}.spy")]
            {
                assert!(host.publish(&format!("{api}.CONSUMER.{call}"), &body).is_empty());
            }
        }
    }
    host.settle();
    assert_eq!(of_others(server), before);
}

#[test]
fn a_seat_answers_once_where_it_was_asked_to_and_nowhere_else() {
    let server = NatsServer::start_with(options(guarded())).unwrap();
    let mut seat = user(&server, "seat_example");
    assert!(seat.listen("agon.v1.seat.default.*.outsider").is_empty());
    let mut coordinator = user(&server, "coordinator");
    assert!(coordinator.listen("_INBOX_coordinator.>").is_empty());
    let answer = "_INBOX_coordinator.$app.node.one";
    assert!(coordinator.ask("agon.v1.seat.default.some.outsider", answer, "").is_empty());
    seat.hear();

    let elsewhere = ["_INBOX_coordinator.$app.node.two", "agon.v1.log.0.default.forged"];
    assert!(elsewhere.iter().all(|subject| !seat.publish(subject, "").is_empty()));
    assert!(seat.publish(answer, "said").is_empty());
    assert!(!seat.publish(answer, "said again").is_empty());

    assert_eq!(coordinator.hear(), (answer.to_owned(), "said".to_owned()));
}
