//! Alert rules, the configuration of Prometheus and the dashboard, by promtool.

use std::collections::BTreeSet;
use std::fs;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::{ShipPaths, blocks, golden, tools};
use crate::steps::quiet;

const FOLDER: &str = "deploy/prometheus";
const CONFIG: &str = "deploy/prometheus/prometheus.yaml";
const ALERTS: &str = "helm/agon/files/alerts.yaml";
const DASHBOARD: &str = "helm/agon/files/dashboard.json";

/// The rules, their tests, the rules as the chart renders them, and the configuration.
pub fn rules(place: &ShipPaths) -> Result<()> {
    let promtool = |args: &[&str]| -> Result<()> { quiet(place.command(&tools::PROMTOOL)?.args(args)) };
    promtool(&["check", "rules", ALERTS])?;
    promtool(&["check", "config", "--syntax-only", CONFIG])?;
    for test in place.files(FOLDER, ".test.yaml")? {
        promtool(&["test", "rules", &test.to_string_lossy()])?;
    }
    let mut rendered = 0;
    for file in place.files(golden::FOLDER, ".yaml")? {
        let render = fs::read_to_string(&file)?;
        for document in blocks::of_kind(&render, "PrometheusRule") {
            rendered += 1;
            let rules = blocks::below(document, "spec").context("a PrometheusRule without spec")?;
            let path = place.scratch.join(format!("rules-{rendered}.yaml"));
            fs::write(&path, rules)?;
            promtool(&["check", "rules", &path.to_string_lossy()]).with_context(|| file.display().to_string())?;
        }
    }
    ensure!(rendered > 0, "no example of the chart has a PrometheusRule");
    Ok(())
}

/// Every query of the dashboard is one that Prometheus can read: promtool sees them as recording rules.
pub fn dashboard(place: &ShipPaths) -> Result<()> {
    let text = fs::read_to_string(place.root.join(DASHBOARD)).with_context(|| format!("cannot read {DASHBOARD}"))?;
    let dashboard: Value = serde_json::from_str(&text).with_context(|| format!("{DASHBOARD} is no JSON"))?;
    let mut queries = BTreeSet::new();
    collect(&dashboard, &mut queries);
    ensure!(!queries.is_empty(), "{DASHBOARD} asks nothing");
    let rule = |(at, query): (usize, &&str)| json!({ "record": format!("panel:query:{at}"), "expr": without_variables(query) });
    let rules: Vec<Value> = queries.iter().enumerate().map(rule).collect();
    let path = place.scratch.join("dashboard.yaml");
    // JSON is YAML
    fs::write(&path, json!({ "groups": [{ "name": "dashboard", "rules": rules }] }).to_string())?;
    quiet(place.command(&tools::PROMTOOL)?.args(["check", "rules"]).arg(&path))
}

/// Every value under a key `expr`, wherever it stands.
fn collect<'a>(value: &'a Value, queries: &mut BTreeSet<&'a str>) {
    if let Some(object) = value.as_object() {
        queries.extend(object.get("expr").and_then(Value::as_str));
        object.values().for_each(|inner| collect(inner, queries));
    } else if let Some(list) = value.as_array() {
        list.iter().for_each(|inner| collect(inner, queries));
    }
}

/// The query with a time span for Grafana's own variables, which begin with two underlines, and a word for all others.
fn without_variables(query: &str) -> String {
    let mut parts = query.split('$');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = match part.strip_prefix('{').and_then(|part| part.split_once('}')) {
            Some((name, rest)) => (name, rest),
            None => part.split_at(part.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(part.len())),
        };
        plain.push_str(if name.starts_with("__") { "5m" } else { "word" });
        plain.push_str(rest);
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn queries_are_found_at_any_depth_and_once() {
        let dashboard = json!({"panels": [
            {"targets": [{"expr": "a"}, {"expr": "b"}]},
            {"panels": [{"targets": [{"expr": "a"}, {"format": "table"}]}]},
        ]});
        let mut queries = BTreeSet::new();
        collect(&dashboard, &mut queries);
        assert_eq!(queries, BTreeSet::from(["a", "b"]));
    }

    #[test]
    fn variables_of_grafana_become_what_promtool_can_read() {
        let query = r#"rate(a{m=~"$model",n="${namespace:regex}"}[$__rate_interval]) + b[${__range}]"#;
        assert_eq!(without_variables(query), r#"rate(a{m=~"word",n="word"}[5m]) + b[5m]"#);
        assert_eq!(without_variables("up"), "up");
    }
}
