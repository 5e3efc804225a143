//! Verifying and replaying debates of a cluster, whose log is in NATS.
use crate::support::{SHORT, TestCluster, example};
use serde_json::Value;

fn cluster() -> TestCluster {
    TestCluster::start().nats().gateway().coordinators(1).hosts(1)
}

#[test]
fn a_debate_of_a_cluster_is_verified_and_replayed_as_its_server_reports_it() {
    let mut cluster = cluster();
    let submit = ["submit", &example(SHORT), "--rehearsal", "--seed", "7", "--id", "held", "--wait", "--quiet"];
    cluster.agon(&[&submit[..], &["--no-reports"]].concat()).ok();

    let found: Value = cluster.json(&["verify", "--json"]);
    assert_eq!((&found[0]["id"], &found[0]["state"]), (&"held".into(), &"whole".into()));
    for form in [&[][..], &["--json"]] {
        let replayed = cluster.agon(&[&["replay", "held"], form].concat()).ok();
        assert_eq!(replayed.stdout, cluster.agon(&[&["get", "held"], form].concat()).ok().stdout);
        assert!(replayed.stderr.ends_with("of held without a model\n"), "{replayed:?}");
    }
    let folder = cluster.world.path("again");
    cluster.agon(&["replay", "held", "--output-dir", folder.to_str().unwrap()]).ok();
    for (file, format) in [("result.json", "json"), ("debate.md", "markdown"), ("report.html", "html")] {
        let Ok(written) = std::fs::read_to_string(folder.join("held").join(file)) else {
            assert_ne!(file, "result.json");
            continue;
        };
        assert_eq!(written, cluster.agon(&["report", "held", "--format", format]).ok().stdout, "{file}");
    }
}

#[test]
fn a_debate_that_runs_or_was_cancelled_is_verified_and_replayed_as_far_as_it_is() {
    let mut cluster =
        TestCluster::start().nats().gateway().coordinators(1).hosts_with(1, &["--token-interval", "50ms"]);
    cluster.agon(&["submit", &example(SHORT), "--rehearsal", "--id", "slow"]).ok();
    cluster.running(&["watch", "slow", "--jsonl"]).read_until("turn_asked", 1);

    let said = cluster.agon(&["verify", "slow"]).ok();
    assert!(said.stdout.starts_with("slow: whole, "), "{said:?}");
    let said = cluster.agon(&["replay", "slow"]).ok();
    assert!(said.stderr.contains("of slow without a model; the debate is running and may continue"), "{said:?}");
    cluster.agon(&["cancel", "slow"]).ok();
    cluster.agon(&["watch", "slow", "--quiet"]).code(4);
    let said = cluster.agon(&["replay", "slow"]).ok();
    assert!(said.stderr.contains("of slow without a model; the debate was cancelled"), "{said:?}");
    assert_eq!(said.stdout, cluster.agon(&["get", "slow"]).ok().stdout);
}
