//! Two clusters in two accounts of one nats-server: neither knows of the other.
use super::{PASSWORD, options, stored_as, user, violations};
use crate::support::{TestCluster, nats_config};
use agon_testkit::NatsServer;
use serde_json::Value;

const ACCOUNTS: [&str; 4] = ["--account", "ACME", "--account", "GLOBEX"];

/// Messages in the logs of an account.
fn logged(server: &NatsServer, tenant: &str) -> u64 {
    let stored = stored_as(server, &format!("{tenant}_provisioner"));
    stored.iter().find(|(stream, ..)| stream == "AGON_LOG_0").unwrap().1
}

fn ids(cluster: &mut TestCluster) -> Vec<String> {
    let listed: Value = cluster.json(&["list", "--json"]);
    listed.as_array().unwrap().iter().map(|debate| debate["id"].as_str().unwrap().to_owned()).collect()
}

fn debate(cluster: &mut TestCluster, id: &str) {
    cluster.decides(id);
}

#[test]
fn two_accounts_hold_a_debate_each_and_see_nothing_of_the_other() {
    let acme = TestCluster::start().nats_with(options(nats_config(&ACCOUNTS))).with_users_of("acme_", PASSWORD);
    acme.provision().ok();
    let mut acme = acme.gateway().coordinators(1).hosts(1);
    let mut globex = TestCluster::start().beside(&acme.nats_server().url()).with_users_of("globex_", PASSWORD);
    let early = globex.serve_in_vain(&["--roles", "gateway"]).code(64);
    assert!(early.stderr.contains("agon provision"), "the streams of the other account count for it: {early:?}");
    globex.provision().ok();
    let mut globex = globex.gateway().coordinators(1).hosts(1);

    debate(&mut acme, "acme-one");
    let before = logged(acme.nats_server(), "acme");
    assert!(before > 0);
    assert_eq!(logged(acme.nats_server(), "globex"), 0);
    debate(&mut globex, "globex-one");

    assert_eq!(logged(acme.nats_server(), "acme"), before);
    assert!(logged(acme.nats_server(), "globex") > 0);
    assert_eq!(ids(&mut acme), ["acme-one"]);
    assert_eq!(ids(&mut globex), ["globex-one"]);
    // beside those of the start in vain
    let refused = violations(acme.nats_server());
    assert!(refused.iter().all(|line| line.contains("$JS.API.STREAM.CREATE.AGON_LOG_0")), "{refused:#?}");
}

/// Who says what, and who of its own account hears it by which pattern.
const SAID: [(&str, &str, &str, &str); 4] = [
    ("coordinator", "agon.v1.ctl.default.some", "gateway", "agon.v1.ctl.*.*"),
    ("coordinator", "agon.v1.seat.default.some.outsider", "seats", "agon.v1.seat.default.>"),
    ("host", "agon.v1.tok.default.some.r1-s0.1", "gateway", "agon.v1.tok.>"),
    ("gateway", "agon.v1.host.some.drain", "host", "agon.v1.host.*.*"),
];

#[test]
fn what_is_said_in_one_account_is_heard_in_it_and_not_in_the_other() {
    let server =
        NatsServer::start_with(options(nats_config(&[&ACCOUNTS[..], &["--seat", "seats=default"]].concat()))).unwrap();
    for (speaker, subject, listener, pattern) in SAID {
        let mut listeners = ["acme", "globex"].map(|account| user(&server, &format!("{account}_{listener}")));
        for listener in &mut listeners {
            assert!(listener.listen(pattern).is_empty(), "{pattern}");
        }
        assert!(user(&server, &format!("globex_{speaker}")).publish(subject, "").is_empty(), "{subject}");
        let heard = listeners.map(|mut listener| {
            listener.settle();
            listener.heard.len()
        });
        assert_eq!(heard, [0, 1], "{speaker} says {subject}");
    }
}
