//! Streams that NATS loses while processes run.
use super::{PASSWORD, guarded, guarded_by, user};
use crate::support::{PATIENCE, SHORT, TestCluster, address, example};
use agon_testkit::until;

/// Somebody who may do anything in the account of the streams.
fn with_root(conf: &str) -> String {
    conf.replacen("users: [\n", &format!("users: [\n      {{ user: root, password: {PASSWORD} }}\n"), 1)
}

fn delete(cluster: &mut TestCluster, who: Option<&str>, streams: &[&str]) {
    let server = cluster.nats_server();
    let mut wire = match who {
        Some(name) => user(server, name),
        None => super::wire::NatsWire::connect(server.port(), None).unwrap(),
    };
    assert!(wire.listen("_INBOX_root.>").is_empty());
    for stream in streams {
        assert!(wire.ask(&format!("$JS.API.STREAM.DELETE.{stream}"), "_INBOX_root.here", "").is_empty());
        let (_, answer) = wire.hear();
        assert!(answer.contains("\"success\":true"), "{answer}");
    }
}

#[test]
fn a_role_that_may_set_up_streams_does_so_when_they_are_lost() {
    let mut cluster = TestCluster::start().nats().gateway().coordinators(1).hosts(1);
    delete(&mut cluster, None, &["AGON_LOG_0", "AGON_RES", "AGON_JOB", "AGON_IDX", "AGON_GEN"]);

    until("a debate is admitted again", PATIENCE, || {
        let said = cluster.agon(&["submit", &example(SHORT), "--rehearsal"]);
        Ok((said.code == Some(0)).then_some(()))
    })
    .unwrap();
    cluster.decides("after");
}

#[test]
fn the_list_of_debates_is_made_anew_from_the_logs_while_everything_runs_on() {
    let mut cluster =
        TestCluster::start().setting("AGON__COORDINATOR__SWEEP", "1s").nats().gateway().coordinators(1).hosts(1);
    cluster.agon(&["submit", &example(SHORT), "--rehearsal", "--wait", "--id", "over"]).ok();
    // nobody serves its model: it runs and waits
    cluster.agon(&["submit", &example(SHORT), "--model", "nobodys", "--id", "waits"]).ok();
    let ours = cluster.address("gRPC");
    let owned = [("over".to_owned(), "succeeded".to_owned()), ("waits".to_owned(), "running".to_owned())];
    until("both are listed", PATIENCE, || Ok((listed(&cluster, &ours) == owned).then_some(()))).unwrap();
    let mut wire = super::wire::NatsWire::connect(cluster.nats_server().port(), None).unwrap();
    assert!(wire.listen("_INBOX_root.>").is_empty());
    assert!(wire.publish("agon.v1.log.0.default.damaged", "no record").is_empty());

    delete(&mut cluster, None, &["AGON_IDX"]);
    until("the stream is set up again", PATIENCE, || {
        wire.ask("$JS.API.STREAM.INFO.AGON_IDX", "_INBOX_root.here", "");
        Ok((!wire.hear().1.contains("\"error\"")).then_some(()))
    })
    .unwrap();

    // one that has never heard of any debate
    let mut late = cluster.launch("late", &["--roles", "gateway"]);
    let late = address(&mut late, "gRPC");
    until("all are listed again", PATIENCE, || Ok((listed(&cluster, &late) == owned).then_some(()))).unwrap();
    cluster.agon(&["cancel", "waits"]).ok();
    until("its end is noted", PATIENCE, || Ok((listed(&cluster, &late)[1].1 == "cancelled").then_some(()))).unwrap();
}

/// Ids and states of the debates that a gateway lists, by id.
fn listed(cluster: &TestCluster, gateway: &str) -> Vec<(String, String)> {
    let said = cluster.world.agon(&["list", "--json", "--server", gateway]).ok();
    let debates: Vec<serde_json::Value> = serde_json::from_str(&said.stdout).unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let mut debates: Vec<_> = debates.iter().map(|debate| (text(&debate["id"]), text(&debate["state"]))).collect();
    debates.sort_unstable();
    debates
}

#[test]
fn a_role_that_may_not_ends_with_64_and_says_what_to_run() {
    let mut cluster = guarded_by(with_root(&guarded()));
    cluster.provision().ok();
    let mut host = cluster.launch("host", &["--roles", "host", "--rehearsal"]);
    host.wait_for(" is up: ").unwrap();

    delete(&mut cluster, Some("root"), &["AGON_RES"]);

    host.wait_for("agon provision").unwrap();
    assert_eq!(host.wait().unwrap().code(), Some(64));
}

#[test]
fn a_second_cluster_on_the_same_account_is_refused_and_told_whose_streams_these_are() {
    let mut first = TestCluster::start().nats().setting("AGON__CLUSTER__NAME", "first").gateway();
    for name in ["second", ""] {
        let mut other = TestCluster::start().beside(&first.nats_server().url());
        if !name.is_empty() {
            other = other.setting("AGON__CLUSTER__NAME", name);
        }
        let refused = other.serve_in_vain(&["--roles", "gateway"]).code(64).stderr;
        assert!(refused.contains("cluster \"first\"") && refused.contains("cluster.name"), "{name}: {refused}");
    }
    let alike = TestCluster::start().beside(&first.nats_server().url()).setting("AGON__CLUSTER__NAME", "first");
    assert!(alike.provision().ok().stdout.contains("AGON_LOG_0     as asked"));
}

#[test]
fn a_cluster_without_a_name_takes_the_first_one_that_it_is_given() {
    let mut nameless = TestCluster::start().nats().gateway();
    let url = nameless.nats_server().url();
    TestCluster::start().beside(&url).setting("AGON__CLUSTER__NAME", "first").provision().ok();
    let refused = TestCluster::start().beside(&url).setting("AGON__CLUSTER__NAME", "second").provision().code(64);
    assert!(refused.stderr.contains("cluster \"first\""), "{refused:?}");
    // who runs already goes on, and a debate is admitted
    nameless.agon(&["submit", &example(SHORT), "--rehearsal"]).ok();
}
