//! Streams that NATS loses while processes run.
use super::{PASSWORD, guarded, guarded_by, user};
use crate::support::{Cluster, PATIENCE, SHORT, example};
use agon_testkit::until;

/// Somebody who may do anything in the account of the streams.
fn with_root(conf: &str) -> String {
    conf.replacen("users: [\n", &format!("users: [\n      {{ user: root, password: {PASSWORD} }}\n"), 1)
}

fn delete(cluster: &mut Cluster, who: Option<&str>, streams: &[&str]) {
    let server = cluster.nats_server();
    let mut wire = match who {
        Some(name) => user(server, name),
        None => super::wire::Wire::connect(server.port(), None).unwrap(),
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
    let mut cluster = Cluster::start().nats().gateway().coordinators(1).hosts(1);
    delete(&mut cluster, None, &["AGON_LOG_0", "AGON_RES", "AGON_JOB", "AGON_IDX", "AGON_GEN"]);

    until("a debate is admitted again", PATIENCE, || {
        let said = cluster.agon(&["submit", &example(SHORT), "--rehearsal"]);
        Ok((said.code == Some(0)).then_some(()))
    })
    .unwrap();
    let said = cluster.agon(&["submit", &example(SHORT), "--rehearsal", "--wait", "--id", "after"]).ok();
    assert!(said.stdout.contains("Decided"), "{said:?}");
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
    let mut first = Cluster::start().nats().setting("AGON__CLUSTER__NAME", "first").gateway();
    for name in ["second", ""] {
        let mut other = Cluster::start().beside(&first.nats_server().url());
        if !name.is_empty() {
            other = other.setting("AGON__CLUSTER__NAME", name);
        }
        let refused = other.serve_in_vain(&["--roles", "gateway"]).code(64).stderr;
        assert!(refused.contains("cluster \"first\"") && refused.contains("cluster.name"), "{name}: {refused}");
    }
    let alike = Cluster::start().beside(&first.nats_server().url()).setting("AGON__CLUSTER__NAME", "first");
    assert!(alike.provision().ok().stdout.contains("AGON_LOG_0     as asked"));
}

#[test]
fn a_cluster_without_a_name_takes_the_first_one_that_it_is_given() {
    let mut nameless = Cluster::start().nats().gateway();
    let url = nameless.nats_server().url();
    Cluster::start().beside(&url).setting("AGON__CLUSTER__NAME", "first").provision().ok();
    let refused = Cluster::start().beside(&url).setting("AGON__CLUSTER__NAME", "second").provision().code(64);
    assert!(refused.stderr.contains("cluster \"first\""), "{refused:?}");
    // who runs already goes on, and a debate is admitted
    nameless.agon(&["submit", &example(SHORT), "--rehearsal"]).ok();
}
