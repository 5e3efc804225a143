//! Hosts take orders from coordinators and gateways alone, and turns alone from the server.
use super::wire::NatsWire;
use super::{PASSWORD, options, user};
use crate::support::{PATIENCE, TestCluster, nats_config};
use agon_bus::subject::Token;
use agon_testkit::{NatsServer, until};

/// A host of any model, and one that is bound to one.
const HOSTS: [&str; 2] = ["host", "qwen"];
const MODEL: &str = "qwen3:8b";

fn cluster() -> TestCluster {
    let conf = nats_config(&["--bound-host", &format!("qwen={MODEL}")]);
    let cluster = TestCluster::start().nats_with(options(conf)).with_users(PASSWORD);
    cluster.provision().ok();
    cluster
}

/// A job, and turns of two models whose consumers the coordinator has made.
fn prepare(server: &NatsServer) {
    assert!(user(server, "gateway").publish("agon.v1.job.p1.0.default.kept", "a job").is_empty());
    let mut coordinator = user(server, "coordinator");
    for model in [MODEL, "other"].map(Token::model) {
        let (consumer, turns) = (format!("gen-{model}-p1"), format!("agon.v1.gen.{model}.p1.>"));
        let config = format!(
            r#""durable_name":"{consumer}","name":"{consumer}","ack_policy":"explicit","filter_subject":"{turns}""#
        );
        let body = format!(r#"{{"stream_name":"AGON_GEN","config":{{{config}}}}}"#);
        let subject = format!("$JS.API.CONSUMER.CREATE.AGON_GEN.{consumer}.{turns}");
        assert!(coordinator.publish(&subject, &body).is_empty());
        assert!(coordinator.publish(&format!("agon.v1.gen.{model}.p1.default.kept.r1-s0.1"), "a turn").is_empty());
    }
}

#[test]
fn no_host_pulls_from_another_consumer_by_what_looks_like_an_acknowledgement() {
    let mut cluster = cluster();
    let server = cluster.nats_server();
    prepare(server);
    let (own, other) = (Token::model(MODEL), Token::model("other"));
    let next = r#"+NXT {"batch":1,"no_wait":true}"#;
    for who in HOSTS {
        let mut host = user(server, who);
        assert!(host.listen("_INBOX_host.>").is_empty());
        for subject in [
            "$JS.ACK.AGON_JOB.job-p1-0.AGON_GEN.1.1.1.1".to_owned(),
            format!("$JS.ACK.AGON_JOB.job-p1-0.AGON_GEN.gen-{own}-p1.1.1.1"),
            format!("$JS.ACK.AGON_GEN.gen-{own}-p1.AGON_JOB.job-p1-0.1.1.1.1.1"),
        ] {
            assert!(!host.ask(&subject, "_INBOX_host.taken", next).is_empty(), "{who}: {subject}");
        }
        if who == "qwen" {
            let subject = format!("$JS.ACK.AGON_GEN.gen-{other}-p1.AGON_GEN.gen-{own}-p1.1.1.1");
            assert!(!host.ask(&subject, "_INBOX_host.taken", next).is_empty(), "{subject}");
        }
        // the server has handled the rest by then
        assert!(host.ask("agon.v1.res.default.mine.r1-s0.1", "_INBOX_host.last", who).is_empty());
        assert_eq!(host.hear().0, "_INBOX_host.last");
        // its own turns, in the same way
        let subject = format!("$JS.ACK.AGON_GEN.gen-{own}-p1.1.1.1.1.0");
        assert!(host.ask(&subject, "_INBOX_host.taken", next).is_empty());
    }
}

/// Has the server answer into the subjects of a host's orders.
fn attack(attacker: &mut NatsWire, host: &str) {
    let asked = [
        ("agon.v1.js.STREAM.INFO.AGON_GEN", ""),
        ("agon.v1.js.STREAM.MSG.GET.AGON_RES", r#"{"seq":77}"#),
        ("agon.v1.js.CONSUMER.MSG.NEXT.AGON_GEN.gen-none-p1", r#"{"batch":1,"no_wait":true}"#),
    ];
    for (subject, body) in asked {
        for verb in ["drain", "offer", "learn"] {
            attacker.ask(subject, &format!("agon.v1.host.{host}.{verb}"), body);
        }
    }
}

#[test]
fn no_host_has_the_server_order_another_to_drain() {
    let mut cluster = cluster().gateway().coordinators(1);
    let mut victim = cluster.launch("victim", &["--roles", "host", "--rehearsal"]);
    victim.wait_for(" is up: ").unwrap();
    let port = cluster.nats_server().port();
    for who in HOSTS {
        let mut attacker = NatsWire::connect(port, Some((who, PASSWORD))).unwrap();
        assert!(attacker.listen("agon.v1.hb.*").is_empty());
        let (heartbeat, _) = attacker.hear();
        let name = heartbeat.rsplit('.').next().unwrap().to_owned();
        let refused = victim.log().matches("does not know the host's key").count();
        until("the host passes orders over", PATIENCE, || {
            attack(&mut attacker, &name);
            Ok((victim.log().matches("does not know the host's key").count() > refused).then_some(()))
        })
        .unwrap();
        for pattern in ["agon.v1.key.*", "agon.v1.key.>"] {
            assert!(!attacker.listen(pattern).is_empty(), "{who} hears keys");
        }
    }
    let hosts = cluster.agon(&["hosts", "--json"]).ok().stdout;
    assert!(hosts.contains("\"draining\":false") || hosts.contains("\"draining\": false"), "{hosts}");
    cluster.decides("after");
    // who may order it does
    let log = victim.log();
    assert!(!log.contains("drain=true"), "{log}");
}
