//! Users with keys instead of passwords, made and used by the program's own commands.
use super::{options, violations};
use crate::support::{PATIENCE, TestCluster, nats_config};
use agon_testkit::{NatsServer, until};
use nix::sys::signal::Signal;

const USERS: [&str; 3] = ["provisioner", "gateway_coordinator", "host"];

#[test]
fn a_debate_runs_by_keys_that_the_program_made_and_a_stranger_stays_outside() {
    let cluster = TestCluster::start().with_keys("keys");
    std::fs::create_dir(cluster.world.path("keys")).unwrap();
    let mut line =
        vec!["--roles".to_owned(), "gateway+coordinator,host".to_owned(), "--shards".to_owned(), "2".to_owned()];
    for user in USERS {
        let key = cluster.world.agon(&["nats", "key", &format!("keys/{user}")]).ok().stdout;
        line.extend(["--nkey".to_owned(), format!("{user}={}", key.trim())]);
    }
    let conf = nats_config(&line.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(!conf.contains("AGON_NATS_HOST_PASSWORD") && conf.contains("AGON_NATS_SYS_PASSWORD"), "{conf}");
    let cluster = cluster.setting("AGON__NATS__SHARDS", "2").nats_with(options(conf));
    cluster.provision().ok();

    let mut cluster = cluster.gateway_and_coordinator().hosts(1);
    cluster.decides("by-keys");
    cluster.agon(&["delete", "by-keys"]).ok();
    let violations = violations(cluster.nats_server());
    assert!(violations.is_empty(), "{violations:#?}");
    let path = cluster.world.path("keys/host");
    std::fs::remove_file(&path).unwrap();
    cluster.world.agon(&["nats", "key", path.to_str().unwrap()]).ok();
    let stranger = cluster.serve_in_vain(&["--roles", "host", "--rehearsal"]).code(64);
    assert!(stranger.stderr.contains("check the credentials"), "{stranger:?}");
}

/// The cluster's server, told of another configuration without being ended.
fn reload(server: &NatsServer, change: impl Fn(&str) -> String) {
    let path = server.folder().join("nats.conf");
    let conf = std::fs::read_to_string(&path).unwrap();
    let changed = change(&conf);
    assert_ne!(conf, changed);
    std::fs::write(&path, changed).unwrap();
    server.signal(Signal::SIGHUP).unwrap();
}

#[test]
fn a_key_is_replaced_without_a_restart_of_anybody() {
    let cluster = TestCluster::start().with_keys("keys");
    let made = |file: &str| cluster.world.agon(&["nats", "key", file]).ok().stdout.trim().to_owned();
    std::fs::create_dir(cluster.world.path("keys")).unwrap();
    let old = made("keys/host");
    let keys = ["provisioner", "gateway_coordinator"].map(|user| format!("{user}={}", made(&format!("keys/{user}"))));
    let host = format!("host={old}");
    let new = made("new");
    let conf =
        nats_config(&["--roles", "gateway+coordinator,host", "--nkey", &keys[0], "--nkey", &keys[1], "--nkey", &host]);
    let cluster = cluster.nats_with(options(conf));
    cluster.provision().ok();
    let mut cluster = cluster.gateway_and_coordinator().hosts(1);

    std::fs::rename(cluster.world.path("new"), cluster.world.path("keys/host")).unwrap();
    reload(cluster.nats_server(), |conf| conf.replace(&old, &new));

    // the host alone plays turns, so the debate ends only if it has come back
    cluster.decides("renewed");
    assert!(cluster.nats_server().log().contains("Reloaded: accounts"), "{}", cluster.nats_server().log());
}

#[test]
fn a_user_that_was_taken_away_is_put_out_at_the_reload() {
    let cluster = TestCluster::start().with_keys("keys");
    std::fs::create_dir(cluster.world.path("keys")).unwrap();
    let made = |file: &str| cluster.world.agon(&["nats", "key", file]).ok().stdout.trim().to_owned();
    let (key, other) = (made("keys/provisioner"), made("other"));
    let conf = nats_config(&["--roles", "host", "--nkey", &format!("provisioner={key}")]);
    let mut cluster = cluster.nats_with(options(conf));
    cluster.provision().ok();

    reload(cluster.nats_server(), |conf| conf.replace(&key, &other));
    until("the old key is refused", PATIENCE, || Ok((cluster.provision().code == Some(64)).then_some(()))).unwrap();
}
