//! The alert rules and the dashboard ask for what processes export, and a real Prometheus answers them.
mod expression;
mod prometheus;

use crate::support::{PATIENCE, TestCluster, address, example, root, yaml};
use agon_testkit::{http_get, until};
use expression::{Selector, selectors};
use prometheus::Prometheus;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const RULES: &str = "helm/agon/files/alerts.yaml";
const DASHBOARD: &str = "helm/agon/files/dashboard.json";
const CASES: &str = "deploy/prometheus/alerts.test.yaml";
/// What Prometheus knows by itself.
const ITS_OWN: [&str; 2] = ["up", "ALERTS"];
/// What Prometheus adds to each series.
const ADDED: [&str; 3] = ["namespace", "job", "instance"];
/// Metrics that begin with something that does not happen in a debate that goes well.
const SOMETIMES: [&str; 4] = [
    "agon_turn_failures_total",
    "agon_turns_overtaken_total",
    "agon_debates_takeovers_total",
    "gen_ai_execute_tool_duration_seconds_count",
];
/// The label that a series has only where something failed.
const OF_FAILURES: &str = "error_type";
/// Rows and panels that may be empty while all is well.
const EMPTY_ROW: &str = "Failures";
const EMPTY_PANELS: [&str; 2] = ["Alerts that fire", "Not closed now"];
/// What a dashboard fills in by itself.
const FILLED: [(&str, &str); 5] = [
    ("$__rate_interval", "1m"),
    ("$__range", "10m"),
    ("$namespace", ".*"),
    ("$price_input", "1"),
    ("$price_output", "2"),
];

fn file(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap()
}

/// The rules of the file, alerts and others.
fn rules() -> Vec<Value> {
    let groups = yaml(&file(RULES)).remove(0)["groups"].take();
    let groups = groups.as_array().unwrap();
    groups.iter().flat_map(|group| group["rules"].as_array().unwrap().clone()).collect()
}

/// A query of the dashboard, ready for Prometheus.
struct PanelQuery {
    row: String,
    panel: String,
    expression: String,
}

/// An expression as Grafana sends it.
fn filled(expression: &Value) -> String {
    let asked = expression.as_str().unwrap().to_owned();
    FILLED.iter().fold(asked, |text, (name, value)| text.replace(name, value))
}

fn queries() -> Vec<PanelQuery> {
    let dashboard: Value = serde_json::from_str(&file(DASHBOARD)).unwrap();
    let (mut row, mut queries) = (String::new(), Vec::new());
    for panel in dashboard["panels"].as_array().unwrap() {
        let title = panel["title"].as_str().unwrap().to_owned();
        if panel["type"] == "row" {
            row = title;
            continue;
        }
        for target in panel["targets"].as_array().unwrap() {
            let expression = filled(&target["expr"]);
            queries.push(PanelQuery { row: row.clone(), panel: title.clone(), expression });
        }
    }
    queries
}

fn cluster() -> TestCluster {
    TestCluster::start().nats().gateway().coordinators(1).hosts(1)
}

/// The admin ports of all processes.
fn admin_ports(cluster: &mut TestCluster) -> Vec<String> {
    ["gateway", "coordinator-1", "host-1"].map(|name| address(cluster.member(name), "admin")).into()
}

fn debate(cluster: &mut TestCluster, seed: &str) {
    let file = example("city-diesel-ban.md");
    let said = cluster.agon(&["submit", &file, "--rehearsal", "--seed", seed, "--wait", "--no-reports"]);
    assert!(matches!(said.code, Some(0 | 2)), "decided or not: {said:?}");
}

/// The samples that all processes export together: each metric with its labels.
fn exported(ports: &[String]) -> BTreeMap<String, BTreeSet<String>> {
    let mut metrics: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for port in ports {
        for line in http_get(port, "/metrics").unwrap().lines().filter(|line| !line.starts_with('#')) {
            for Selector { metric, labels } in selectors(line.rsplit_once(' ').unwrap().0) {
                metrics.entry(metric).or_default().extend(labels);
            }
        }
    }
    metrics
}

#[test]
fn rules_and_dashboard_ask_for_metrics_and_labels_that_processes_export() {
    let mut cluster = cluster();
    debate(&mut cluster, "1");
    let ports = admin_ports(&mut cluster);
    let figures = ["agon_turns_queued", "agon_stream_bytes", "agon_stream_messages"];
    let looked = || {
        let metrics = exported(&ports);
        Ok(figures.iter().all(|name| metrics.contains_key(*name)).then_some(()))
    };
    until("the gateway has looked at queues and streams", PATIENCE, looked).unwrap();
    let metrics = exported(&ports);
    let documented = file("docs/guide/tracing.md");
    let rules = rules();
    let recorded: BTreeSet<&str> = rules.iter().filter_map(|rule| rule["record"].as_str()).collect();
    let mut asked: Vec<String> = rules.iter().map(|rule| rule["expr"].as_str().unwrap().to_owned()).collect();
    asked.extend(queries().into_iter().map(|query| query.expression));

    let mut seen = BTreeSet::new();
    for Selector { metric, labels } in asked.iter().flat_map(|expression| selectors(expression)) {
        seen.insert(metric.clone());
        if ITS_OWN.contains(&metric.as_str()) || recorded.contains(metric.as_str()) {
            continue;
        }
        if SOMETIMES.contains(&metric.as_str()) {
            assert!(
                documented.contains(&format!("`{}`", metric.trim_end_matches("_count"))),
                "{metric} is not documented"
            );
            continue;
        }
        let has = metrics.get(&metric).unwrap_or_else(|| panic!("nobody exports {metric}, only {:?}", metrics.keys()));
        for label in labels.iter().filter(|label| !ADDED.contains(&label.as_str()) && *label != OF_FAILURES) {
            assert!(has.contains(label), "{metric} has no label {label}, only {has:?}");
        }
    }
    assert!(seen.len() > 20, "{seen:?}");
    assert!(SOMETIMES.iter().all(|metric| seen.contains(*metric)), "an exception that nothing needs: {seen:?}");
}

#[test]
fn a_real_prometheus_answers_every_panel_after_some_debates() {
    let mut cluster = cluster();
    let ports = admin_ports(&mut cluster);
    let prometheus = Prometheus::start(&cluster.world.path("prometheus"), &ports);
    // a rate wants two looks at a counter, and a counter begins with its first event
    debate(&mut cluster, "1");
    let ended = "sum(agon_debates_completed_total)";
    until("the first debate is scraped", PATIENCE, || Ok(prometheus.ask(ended)?.into_iter().next())).unwrap();
    debate(&mut cluster, "2");
    for PanelQuery { row, panel, expression } in queries() {
        if row == EMPTY_ROW || EMPTY_PANELS.contains(&panel.as_str()) {
            prometheus.ask(&expression).unwrap();
        } else {
            let figure = || Ok(prometheus.ask(&expression)?.into_iter().find(|figure| !figure.is_nan()));
            until(&format!("{panel} has a figure: {expression}"), PATIENCE, figure).unwrap();
        }
    }
    let rules = prometheus.rules();
    assert!(rules.len() > 20, "{rules:?}");
    assert_eq!(rules.iter().filter(|(_, health)| health != "ok").count(), 0, "{rules:?}");
}

#[test]
fn every_alert_is_whole_and_has_a_case_in_which_it_fires_and_one_in_which_it_is_silent() {
    let rules = rules();
    let alerts: Vec<&Value> = rules.iter().filter(|rule| rule["alert"].is_string()).collect();
    assert!(alerts.len() > 10);
    let tests = yaml(&file(CASES)).remove(0)["tests"].take();
    let cases: Vec<&Value> =
        tests.as_array().unwrap().iter().flat_map(|test| test["alert_rule_test"].as_array().unwrap()).collect();
    for alert in alerts {
        let name = alert["alert"].as_str().unwrap();
        let severity = alert["labels"]["severity"].as_str().unwrap();
        assert!(["critical", "warning"].contains(&severity), "{name}: {severity}");
        for said in ["summary", "description"] {
            assert!(alert["annotations"][said].as_str().is_some_and(|text| !text.is_empty()), "{name} has no {said}");
        }
        let page = format!("docs/guide/operations.md#{}", name.to_lowercase());
        assert_eq!(alert["annotations"]["runbook_url"], page.as_str());
        let own = cases.iter().filter(|case| case["alertname"] == name);
        let (fires, silent): (Vec<&&Value>, Vec<&&Value>) =
            own.partition(|case| case["exp_alerts"].as_array().is_some_and(|alerts| !alerts.is_empty()));
        assert!(!fires.is_empty() && !silent.is_empty(), "{name}: {} and {}", fires.len(), silent.len());
    }
}

#[test]
fn the_dashboard_takes_its_data_source_and_namespace_from_what_is_chosen() {
    let dashboard: Value = serde_json::from_str(&file(DASHBOARD)).unwrap();
    let mut ids = BTreeSet::new();
    for panel in dashboard["panels"].as_array().unwrap() {
        let title = &panel["title"];
        assert!(ids.insert(panel["id"].as_u64().unwrap()), "{title}: its number is taken");
        if panel["type"] == "row" {
            continue;
        }
        assert!(panel["description"].as_str().is_some_and(|text| !text.is_empty()), "{title} says not what it shows");
        for target in panel["targets"].as_array().unwrap() {
            assert_eq!(target["datasource"]["uid"], "${datasource}", "{title}");
            let expression = filled(&target["expr"]);
            let chosen = |selector: &Selector| {
                selector.labels.contains("namespace") || selector.labels.contains("service_namespace")
            };
            assert!(selectors(&expression).iter().all(chosen), "{title} shows all namespaces: {expression}");
        }
    }
    let asked: Vec<&Value> =
        dashboard["templating"]["list"].as_array().unwrap().iter().map(|one| &one["name"]).collect();
    assert_eq!(asked, ["datasource", "namespace", "price_input", "price_output"]);
}
