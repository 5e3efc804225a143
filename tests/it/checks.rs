//! Claims that rehearsed speakers mark, from the settings to the reports.
use crate::support::{Recording, TestCluster, World};
use serde_json::{Value, json};

/// Recomputes `A + B = C`.
const SUM: &str = "read a plus b equals c\n\
    if [ $((a + b)) -eq \"$c\" ]; then echo holds; else echo refuted; echo \"it is $((a + b))\"; fi\n";

fn file(more: &str) -> String {
    format!(
        "---\nmodel: m\nmax_rounds: 3\n{more}personas:\n  - {{name: ada, stance: Run it}}\n  - {{name: ben, stance: Stop it}}\n\
         outputs: [full_markdown, html]\n---\n# Should the ferry run at night?\n"
    )
}

/// Settings with the verifier `sum`.
fn settings(world: &World, script: &str) -> String {
    let script = world.file("sum.sh", script);
    world.file("sum.toml", &format!("[verifiers.sum]\ncommand = \"sh\"\nargs = [\"{script}\"]\ntimeout_seconds = 30\n"))
}

/// All checks of a log.
fn checks(events: &[Value]) -> Vec<&Value> {
    events.iter().filter_map(|event| event["call"]["checks"].as_array()).flatten().collect()
}

#[test]
fn claims_are_checked_once_and_told_to_speakers_judges_and_readers() {
    let world = World::new();
    let (settings, path) = (settings(&world, SUM), world.file("ferry.md", &file("verifiers: [sum]\n")));
    let recording = Recording::of(&world, &path, &[], &["--config", &settings, "--id", "ferry", "--no-reports"]);

    let checks = checks(&recording.events);
    let with = |result: &str| checks.iter().filter(|check| check["result"] == result).count();
    assert!(with("holds") > 0 && with("refuted") > 0, "{checks:?}");
    assert_eq!(with("holds") + with("refuted"), checks.len(), "{checks:?}");
    let refuted = checks.iter().find(|check| check["result"] == "refuted").unwrap();
    assert!(refuted["output"].as_str().unwrap().starts_with("it is "), "{refuted}");
    let judge = recording.by("judge").next().unwrap();
    assert_eq!(judge.shown().matches("\n### Check by sum: ").count(), checks.len(), "{}", judge.shown());
    assert!(judge.system().contains("\"### Check by NAME: RESULT\""));
    assert!(recording.by("ada").last().unwrap().shown().contains("### Check by sum: "));

    // without the verifier, from the log alone
    let plain = world.agon(&["report", "ferry"]).ok().stdout;
    assert!(plain.contains("## Checked claims") && plain.contains("| refuted | it is "), "{plain}");
    let result = world.json(&["report", "ferry", "--format", "json"]);
    assert_eq!(result["checks"].as_array().map(Vec::len), Some(checks.len()), "{result}");
    world.agon(&["replay", "ferry"]).ok();
}

#[test]
fn the_terminal_shows_each_result_below_its_speech() {
    let world = World::new();
    let (settings, path) = (settings(&world, SUM), world.file("ferry.md", &file("verifiers: [sum]\n")));

    let said = world.agon(&["run", &path, "--rehearsal", "--seed", "7", "--config", &settings, "--no-reports"]);

    assert!(said.stdout.contains("(check by sum: holds)"), "{said:?}");
    assert!(said.stdout.contains("(check by sum: refuted: it is "), "{said:?}");
}

#[test]
fn a_verifier_that_breaks_refutes_nothing_and_costs_no_speech() {
    let world = World::new();
    let (settings, path) =
        (settings(&world, "echo refuted\nexit 1\n"), world.file("ferry.md", &file("verifiers: [sum]\n")));
    let recording = Recording::of(&world, &path, &[], &["--config", &settings, "--no-reports"]);

    let checks = checks(&recording.events);

    assert!(!checks.is_empty());
    for check in checks {
        assert_eq!((&check["result"], &check["cause"]), (&json!("failed"), &json!("died")), "{check}");
    }
    assert_eq!(recording.of_type("turn_failed").count(), 0);
}

#[test]
fn nothing_is_marked_or_checked_unless_the_file_asks_for_it() {
    let world = World::new();
    let (settings, path) = (settings(&world, SUM), world.file("ferry.md", &file("")));
    let recording = Recording::of(&world, &path, &[], &["--config", &settings, "--no-reports"]);

    assert_eq!(checks(&recording.events), Vec::<&Value>::new());
    assert!(
        recording.calls.iter().all(|call| !call.system().contains("```check") && !call.system().contains("### Check"))
    );
}

#[test]
fn a_verifier_that_is_not_set_up_is_refused_with_those_that_are() {
    let world = World::new();
    let (settings, path) = (settings(&world, SUM), world.file("ferry.md", &file("verifiers: [smt]\n")));

    let unknown = world.agon(&["run", &path, "--rehearsal", "--config", &settings]).code(64);
    let none = world.agon(&["run", &path, "--rehearsal"]).code(64);

    assert!(unknown.stderr.contains("the verifier \"smt\", which is not set up here (set up: sum)"), "{unknown:?}");
    assert!(none.stderr.contains("(no verifier is set up); add [verifiers.smt] to agon.toml"), "{none:?}");
    let wrong = world.file("wrong.toml", "[verifiers.sum]\nmcp = \"logic\"\n");
    let wrong = world.agon(&["run", &path, "--rehearsal", "--config", &wrong]);
    assert!(wrong.stderr.contains("verifiers.sum: mcp and function go together"), "{wrong:?}");
}

#[test]
fn a_cluster_checks_where_the_host_has_the_verifier_and_speaks_nowhere_else() {
    let mut cluster = TestCluster::start().nats().gateway_and_coordinator();
    let settings = settings(&cluster.world, SUM);
    let path = cluster.world.file("ferry.md", &file("verifiers: [sum]\n"));
    cluster = cluster.hosts_with(1, &["--config", &settings]);

    let events = submitted(&mut cluster, &path);

    assert!(!checks(&events).is_empty(), "{events:?}");
    let mut bare = TestCluster::start().nats().gateway_and_coordinator();
    // nobody lives yet who could say what there is
    let said = bare.agon(&["submit", &path, "--rehearsal", "--seed", "7", "--id", "ferry"]).ok();
    assert!(said.stderr.contains("no live host could have the verifier \"sum\""), "{said:?}");
    let mut bare = bare.hosts(1);
    bare.agon(&["watch", "ferry", "--jsonl"]);
    let events = bare.events("ferry");
    let failed: Vec<&Value> = events.iter().filter(|event| event["type"] == "turn_failed").collect();
    assert!(!failed.is_empty() && failed.iter().all(|event| event["failure"]["cause"] == "tool_missing"), "{events:?}");
    assert!(events.iter().all(|event| event["type"] != "speech_recorded"));
    let refused = bare.agon(&["submit", &path, "--rehearsal", "--id", "again"]).code(64);
    assert!(refused.stderr.contains("no live host has the verifier \"sum\""), "{refused:?}");
}

fn submitted(cluster: &mut TestCluster, path: &str) -> Vec<Value> {
    cluster.agon(&["submit", path, "--rehearsal", "--seed", "7", "--id", "ferry"]).ok();
    cluster.agon(&["watch", "ferry", "--jsonl"]);
    cluster.events("ferry")
}
