//! A host that may play one model, with nothing but its own user's permissions.
use super::{PASSWORD, options, violations};
use crate::support::{SHORT, TestCluster, example, nats_config};
use agon_testkit::Rehearsal;

const MODEL: &str = "qwen3:8b";

/// A cluster whose user `host` is bound to the model; a rehearsal's queues are those of `rehearsal MODEL`.
fn bound() -> (TestCluster, Rehearsal) {
    let user = format!("host=rehearsal {MODEL}");
    let conf = nats_config(&["--roles", "gateway,coordinator", "--bound-host", &user]);
    let cluster = TestCluster::start().nats_with(options(conf)).with_users(PASSWORD);
    cluster.provision().ok();
    let rehearsal = cluster.world.rehearsal(&[]);
    (cluster, rehearsal)
}

/// Settings of a host that plays this model alone.
fn settings(cluster: &TestCluster, rehearsal: &Rehearsal, model: &str) -> String {
    let url = rehearsal.url();
    cluster.world.file("host.toml", &format!("[[hosts]]\nname = \"gpu\"\nurl = {url:?}\nmodels = [{model:?}]\n"))
}

#[test]
fn a_host_bound_to_a_model_plays_its_turns() {
    let (cluster, rehearsal) = bound();
    let settings = settings(&cluster, &rehearsal, MODEL);
    let mut cluster = cluster.gateway().coordinators(1);
    let mut host = cluster.launch("host", &["--roles", "host", "--config", &settings]);
    host.wait_for(" is up: ").unwrap();
    let args = ["submit", &example(SHORT), "--model", MODEL, "--rehearsal", "--wait", "--id", "bound"];

    let said = cluster.agon(&args).ok();

    assert!(said.stdout.contains("Decided"), "{said:?}");
    let violations = violations(cluster.nats_server());
    assert!(violations.is_empty(), "{violations:#?}");
}

#[test]
fn a_host_bound_to_a_model_may_not_start_with_another() {
    let (mut cluster, rehearsal) = bound();
    let settings = settings(&cluster, &rehearsal, "llama3.3:70b");

    let refused = cluster.serve_in_vain(&["--roles", "host", "--config", &settings]).code(64);

    let lacks = "publish to agon.v1.js.CONSUMER.MSG.NEXT.AGON_GEN.gen-rehearsal-llama3-3-70b-";
    assert!(refused.stderr.contains(lacks), "{refused:?}");
}
