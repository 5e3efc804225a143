//! Users with keys instead of passwords, made and used by the program's own commands.
use super::{options, violations};
use crate::support::{Cluster, SHORT, example, nats_config};

const USERS: [&str; 3] = ["provisioner", "gateway_coordinator", "host"];

#[test]
fn a_debate_runs_by_keys_that_the_program_made_and_a_stranger_stays_outside() {
    let cluster = Cluster::start().with_keys("keys");
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
    let said = cluster.agon(&["submit", &example(SHORT), "--rehearsal", "--wait", "--id", "by-keys"]).ok();

    assert!(said.stdout.contains("Decided"), "{said:?}");
    cluster.agon(&["delete", "by-keys"]).ok();
    let violations = violations(cluster.nats_server());
    assert!(violations.is_empty(), "{violations:#?}");
    let path = cluster.world.path("keys/host");
    std::fs::remove_file(&path).unwrap();
    cluster.world.agon(&["nats", "key", path.to_str().unwrap()]).ok();
    let stranger = cluster.serve_in_vain(&["--roles", "host", "--rehearsal"]).code(64);
    assert!(stranger.stderr.contains("check the credentials"), "{stranger:?}");
}
