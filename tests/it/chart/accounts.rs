//! Users of NATS are switched on and off in a release that runs: the streams stay, because they are in the same account.
use super::render::Render;
use crate::support::{TestCluster, variables};
use agon_testkit::NatsOptions;

/// The password of every user.
const PASSWORD: &str = "right";

/// A rendered configuration, without what the pod has and this machine has not.
fn rendered(name: &str) -> String {
    let (_, conf) = Render::golden(name).files_named("nats.conf").remove(0);
    let known = |line: &&str| {
        !["sync_interval:", "pid_file:", "server_name:"].iter().any(|key| line.trim_start().starts_with(key))
    };
    conf.lines().filter(known).map(|line| format!("{line}\n")).collect()
}

/// The part that says who may connect, and the rest.
fn split(conf: &str) -> (&str, &str) {
    conf.split_at(conf.find("\naccounts {").unwrap())
}

/// Starts the server with other users over the same streams.
fn switch(cluster: &mut TestCluster, to: &str) {
    let server = cluster.nats_server();
    let path = server.folder().join("nats.conf");
    let conf = std::fs::read_to_string(&path).unwrap();
    server.kill();
    std::fs::write(&path, format!("{}{}", split(&conf).0, split(to).1)).unwrap();
    server.restart().unwrap();
}

/// The debates of before are there, and another one is held.
fn goes_on(cluster: TestCluster, before: &[&str], id: &str) {
    let mut cluster = cluster.gateway().coordinators(1).hosts(1);
    for old in before {
        let said = cluster.agon(&["get", old]).ok();
        assert!(said.stdout.contains("Decided"), "{old}: {said:?}");
    }
    cluster.decides(id);
}

#[test]
fn users_are_switched_on_and_off_and_every_debate_is_kept() {
    let (open, guarded) = (rendered("default"), rendered("tls-and-auth"));
    let options = NatsOptions {
        shipped: Some(open.clone()),
        environment: variables(&guarded, PASSWORD),
        ..NatsOptions::default()
    };
    let mut release = TestCluster::start().nats_with(options);
    let url = release.nats_server().url();
    let beside = || TestCluster::start().beside(&url);
    goes_on(beside(), &[], "without-users");

    switch(&mut release, &guarded);
    let provisioned = beside().with_users(PASSWORD).provision().ok().stdout;
    assert!(
        provisioned.lines().all(|line| line.ends_with("as asked") || line.starts_with("AGON_BLOB")),
        "{provisioned}"
    );
    goes_on(beside().with_users(PASSWORD), &["without-users"], "with-users");

    switch(&mut release, &open);
    goes_on(beside(), &["without-users", "with-users"], "without-again");
}
