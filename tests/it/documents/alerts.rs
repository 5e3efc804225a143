//! Whoever is woken by an alert finds it in the operations guide.
use super::page::text;
use crate::support::root;
use std::collections::BTreeSet;

const RULES: &str = "helm/agon/files/alerts.yaml";
const GUIDE: &str = "docs/guide/operations.md";
/// What the guide says about each of them.
const SAYS: [&str; 4] = ["**Means:**", "**Users see:**", "**Check:**", "**Do:**"];

/// The names of the alerts.
fn alerts() -> BTreeSet<String> {
    let text = std::fs::read_to_string(root().join(RULES)).unwrap();
    let name =
        |line: &str| line.trim().trim_start_matches("- ").strip_prefix("alert:").map(|name| name.trim().to_owned());
    text.lines().filter_map(name).collect()
}

#[test]
fn each_alert_has_a_section_in_the_operations_guide_and_no_section_is_left_over() {
    let alerts = alerts();
    assert!(alerts.len() > 5, "{alerts:?}");
    let guide = text(GUIDE);
    let (_, of_alerts) = guide.split_once("\n## Alerts\n").expect("the guide has a section of alerts");
    let of_alerts = of_alerts.split("\n## ").next().unwrap();
    let sections: Vec<&str> = of_alerts.split("\n### ").skip(1).collect();
    let named: BTreeSet<String> = sections.iter().map(|section| section.lines().next().unwrap().to_owned()).collect();
    assert_eq!(named, alerts.iter().map(|name| name.to_lowercase()).collect());
    for section in sections {
        let missing: Vec<&str> = SAYS.into_iter().filter(|said| !section.contains(said)).collect();
        assert!(missing.is_empty(), "{missing:?} in {}", section.lines().next().unwrap());
    }
}
