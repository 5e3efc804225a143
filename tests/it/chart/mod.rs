//! The chart as it is rendered, started on this machine: every process has exactly the arguments, the environment, the files and the
//! permissions that the render gives it. What had to differ is told in [`places`].
mod accounts;
mod crowd;
mod network;
mod places;
mod pod;
mod render;
mod secrets;
mod settings;
mod site;
mod volumes;

use crate::support::agon;
use agon_testkit::{OpenAiDoor, Rehearsal};
use crowd::{nothing_was_lost, while_debates_run};
use pod::Pod;
use render::Render;
use site::{Release, Site};
use std::collections::BTreeMap;

/// A debate that is submitted to the model servers of a render.
const DEBATE: &str = "topic: Should pods be replaced while debates run?\nmax_rounds: 6\npersonas:\n- {name: Ada, stance: yes}\n\
    - {name: Bo, stance: no}\n";
/// The rehearsed debate that the render's own test submits.
const REHEARSED: [&str; 2] = ["/etc/agon/debate.md", "--rehearsal"];

fn install(render: &str, left_out: &[&str]) -> Release {
    Release::install(Site::new(Render::golden(render), BTreeMap::new()), left_out)
}

#[test]
fn the_default_chart_holds_its_test_and_loses_nothing_when_every_pod_is_replaced() {
    let mut release = install("default", &[]);
    let site = release.site.clone();
    let said = site.helm_test_succeeds();
    assert!(said.contains("Decided"), "{said}");

    let caller = site.helm_test();
    let debates = while_debates_run(&site, &caller, &REHEARSED, |debates| {
        for (kind, name) in
            [("Deployment", "agon-coordinator"), ("Deployment", "agon-gateway"), ("StatefulSet", "agon-nats")]
        {
            release.roll(kind, name, |_| debates.more(1));
            debates.more(1);
        }
    });

    nothing_was_lost(&release, &debates, 0);
    caller.end(&site);
    release.uninstall();
}

#[test]
fn with_tls_users_and_tokens_it_does_too() {
    // its model server speaks TLS with a public certificate, which nothing here can have
    let mut release = install("tls-and-auth", &["agon-host-gpu"]);
    let site = release.site.clone();
    let said = site.helm_test_succeeds();
    assert!(said.contains("Decided"), "{said}");

    let caller = site.helm_test();
    let debates = while_debates_run(&site, &caller, &REHEARSED, |debates| {
        for name in ["agon-coordinator", "agon-gateway"] {
            release.roll("Deployment", name, |_| debates.more(1));
            debates.more(1);
        }
    });

    nothing_was_lost(&release, &debates, 0);
    caller.end(&site);
    release.uninstall();
}

#[test]
fn with_high_availability_debates_with_models_go_on_while_every_pod_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let rehearsal = Rehearsal::start(&agon(), folder.path(), &["--latency", "100ms"]).unwrap();
    let models = ["Qwen/Qwen3-8B", "meta-llama/Llama-3.1-8B-Instruct"];
    let door = OpenAiDoor::start(rehearsal.url().trim_start_matches("http://"), &models).unwrap();
    // nobody takes spans: what happens to debates must not depend on it
    let spans = agon_testkit::free_port().unwrap();
    let outside = [("vllm.models.svc:8000", door.port()), ("jaeger-collector.observability.svc:4317", spans)];
    let outside = outside.map(|(address, port)| (address.to_owned(), port)).into();
    let mut release = Release::install(Site::new(Render::golden("high-availability"), outside), &[]);
    let site = release.site.clone();
    site.helm_test_succeeds();
    let file = folder.path().join("debate.yaml");
    std::fs::write(&file, DEBATE).unwrap();

    let caller = site.helm_test();
    let debate = [file.to_str().unwrap(), "--model", models[0]];
    let debates = while_debates_run(&site, &caller, &debate, |debates| {
        release.roll("Deployment", "agon-host-models", |_| debates.more(1));
        release.roll("Deployment", "agon-coordinator", Pod::until_it_leads);
        release.roll("Deployment", "agon-gateway", |_| debates.more(1));
        release.roll("StatefulSet", "agon-nats", |_| debates.more(1));
    });

    nothing_was_lost(&release, &debates, 1);
    caller.end(&site);
    release.uninstall();
}

#[test]
#[should_panic(expected = "publish to agon.v1.req.")]
fn a_render_that_lacks_a_permission_does_not_start() {
    let golden = format!("{}/charts/golden/tls-and-auth.yaml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(golden).unwrap();
    // only gateways may write this subject
    let less = text.replace("\"agon.v1.req.>\"\n", "\"agon.v1.req.none\"\n");
    assert_ne!(less, text);
    Release::install(Site::new(Render::of(&less), BTreeMap::new()), &["agon-host-gpu", "agon-coordinator"]);
}

#[test]
#[should_panic(expected = "is not set before it is used")]
fn a_render_that_lacks_a_variable_does_not_start() {
    let golden = format!("{}/charts/golden/high-availability.yaml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(golden).unwrap();
    let less = text.replace("name: AGON_NATS_ROUTE_PASSWORD\n", "name: AGON_NATS_OTHER_PASSWORD\n");
    assert_ne!(less, text);
    Release::install(Site::new(Render::of(&less), BTreeMap::new()), &[]);
}
