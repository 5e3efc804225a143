//! Commands against one server without NATS: its ports, its models, and what can be done with its debates.
use crate::support::{PATIENCE, SHORT, TestCluster, address, example};
use agon_testkit::{HttpStub, StubAnswer, until};
use serde_json::json;

#[test]
fn the_http_port_serves_grpc_too() {
    let mut cluster = TestCluster::start();
    let mut alone = cluster.launch("alone", &["--rehearsal"]);
    let http = address(&mut alone, "HTTP");
    for args in [&["list"][..], &["hosts"], &["submit", &example(SHORT), "--rehearsal"]] {
        cluster.world.agon(&[args, &["--server", &http]].concat()).ok();
    }
}

#[test]
fn a_server_without_debates_names_the_command_that_brings_it_one() {
    let mut cluster = TestCluster::start();
    let mut alone = cluster.launch("alone", &["--rehearsal"]);
    let grpc = address(&mut alone, "gRPC");
    let said = cluster.world.agon(&["list", "--server", &grpc]).ok();
    assert!(said.stderr.contains("agon submit FILE") && !said.stderr.contains("agon run"), "{said:?}");
    let said = cluster.world.agon(&["list"]).ok();
    assert!(said.stderr.contains("agon run FILE"), "{said:?}");
}

#[test]
fn an_admin_port_beyond_loopback_is_warned_of() {
    let mut cluster = TestCluster::start();
    let mut open = cluster.launch("open", &["--rehearsal", "--admin", "0.0.0.0:0"]);
    open.wait_for(" is up: ").unwrap();
    let warns = "the admin port has no authentication";
    assert!(open.log().contains(warns), "{}", open.log());
    let mut closed = cluster.launch("closed", &["--rehearsal", "--store", "closed.db"]);
    closed.wait_for(" is up: ").unwrap();
    assert!(!closed.log().contains(warns), "{}", closed.log());
}

#[test]
fn a_debate_of_a_server_is_replayed_and_judged_again_like_one_of_this_machine() {
    let mut cluster = TestCluster::start();
    let mut alone = cluster.launch("alone", &["--rehearsal"]);
    let grpc = address(&mut alone, "gRPC");
    let agon = |args: &[&str]| cluster.world.agon(&[args, &["--server", &grpc]].concat());
    let held =
        agon(&["submit", &example(SHORT), "--id", "held", "--seed", "7", "--rehearsal", "--wait", "--no-reports"]);
    assert!(matches!(held.code, Some(0 | 2)), "{held:?}");
    let replayed = agon(&["replay", "held"]).ok();
    assert!(replayed.stderr.contains("without a model") && replayed.stdout.len() > 200, "{replayed:?}");
    let judged = agon(&["rejudge", "held", "--id", "again", "--wait", "--quiet"]);
    assert!(matches!(judged.code, Some(0 | 2)), "{judged:?}");
    assert!(agon(&["report", "again", "--format", "jsonl"]).ok().stdout.contains("\"rejudges\""));
    agon(&["rejudge", "held", "--rehearsal"]).code(64);
}

#[test]
fn a_debate_without_a_model_is_submitted_for_the_one_that_most_hosts_serve() {
    let mut cluster = TestCluster::start();
    let stub = HttpStub::start(|target, _| match target {
        "/api/version" => StubAnswer::json(&json!({"version": "0.33.0"})),
        "/api/tags" => StubAnswer::json(&json!({"models": [{"name": "nomic-embed-text:latest"}, {"name": "tiny:1b"}]})),
        _ => StubAnswer::json(&json!({"models": []})),
    });
    let stub = stub.unwrap();
    let mut alone = cluster.launch("alone", &["--ollama", &format!("http://{}", stub.address())]);
    let grpc = address(&mut alone, "gRPC");
    let submit = |more: &[&str]| {
        let args = ["submit", "Tea or coffee?", "--validate-only", "--server", &grpc];
        cluster.world.agon(&[&args[..], more].concat()).ok()
    };
    let listed =
        || Ok(Some(cluster.world.agon(&["hosts", "--server", &grpc]).stdout).filter(|said| said.contains("tiny")));
    until("the host has listed its models", PATIENCE, listed).unwrap();
    let said = submit(&[]);
    let told = "model tiny:1b: served by 1 of 1 host; choose another with --model NAME";
    assert!(said.stderr.contains(told) && said.stdout.contains("model tiny:1b:"), "{said:?}");
    let named = submit(&["--model", "named:1b"]);
    assert!(!named.stderr.contains("choose another") && named.stdout.contains("model named:1b:"), "{named:?}");
}

#[test]
fn a_model_that_no_host_serves_is_told_when_a_debate_is_submitted() {
    let mut cluster = TestCluster::start();
    let rehearsal = cluster.world.rehearsal(&["--models", "here:1b"]);
    let settings = format!("[[hosts]]\nname = \"small\"\nurl = \"{}\"\nmodels = [\"here:1b\"]\n", rehearsal.url());
    let settings = cluster.world.file("small.toml", &settings);
    let mut alone = cluster.launch("alone", &["--config", &settings]);
    let grpc = address(&mut alone, "gRPC");
    let submit = |model: &str, id: &str| {
        let args = ["submit", &example(SHORT), "--model", model, "--id", id, "--rehearsal", "--server", &grpc];
        cluster.world.agon(&args).ok().stderr
    };
    let warned = submit("gone:1b", "none-serves");
    assert!(warned.contains("no live rehearsing host serves gone:1b (served: here:1b)"), "{warned}");
    assert!(!submit("here:1b", "one-serves").contains("no live"));
}

#[test]
fn a_store_has_one_server_and_the_next_one_goes_on_at_once_with_what_a_killed_one_has_left() {
    let mut cluster = TestCluster::start();
    let mut first = cluster.launch("first", &["--rehearsal", "--latency", "300ms"]);
    let grpc = address(&mut first, "gRPC");
    cluster.world.agon(&["submit", &example(SHORT), "--id", "left", "--rehearsal", "--server", &grpc]).ok();
    until("the debate runs", PATIENCE, || {
        let listed = cluster.world.agon(&["list", "--server", &grpc, "--json"]).ok();
        Ok(listed.stdout.contains("\"running\"").then_some(()))
    })
    .unwrap();
    let refused = cluster.serve_in_vain(&["--rehearsal"]);
    assert!(refused.code == Some(64) && refused.stderr.contains("another server"), "{refused:?}");

    first.kill();
    let mut second = cluster.launch("second", &["--rehearsal"]);

    second.wait_for("debates of an earlier process that go on now: 1").unwrap();
    let grpc = address(&mut second, "gRPC");
    let watched = cluster.world.agon(&["watch", "left", "--server", &grpc]);
    assert!(matches!(watched.code, Some(0 | 2)), "{watched:?}");
}
