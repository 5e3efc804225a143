//! `cargo xtask notes`: what a release says of itself, once everything that names its version agrees.

use std::fs;

use anyhow::{Context, Result, bail, ensure};

use crate::process;

const CHANGELOG: &str = "CHANGELOG.md";
const CHARTS: [&str; 2] = ["helm/agon/Chart.yaml", "helm/agon/charts/nats/Chart.yaml"];

/// The command line of `notes`.
#[derive(clap::Args)]
pub struct Args {
    /// The tag of the release, `v` and the version; without it, the version that the workspace has
    #[arg(long)]
    tag: Option<String>,
}

/// Prints what the changelog says of the version of the workspace; fails where tag, chart or changelog say another.
pub fn run(args: &Args) -> Result<()> {
    let version = version()?;
    if let Some(tag) = &args.tag {
        ensure!(*tag == format!("v{version}"), "the tag is {tag}, and the workspace has version {version}");
    }
    let [chart, nats] = CHARTS.map(read);
    for (field, text) in [("version", &chart), ("appVersion", &chart), ("version", &nats)] {
        let said = field_of(text.as_deref().unwrap_or_default(), field).unwrap_or_default().to_owned();
        ensure!(said == version, "a chart below helm/ has {field} `{said}`, and the workspace has {version}");
    }
    println!("{}", section(&read(CHANGELOG)?, &version)?);
    Ok(())
}

fn read(file: &str) -> Result<String> {
    fs::read_to_string(process::root().join(file)).with_context(|| format!("cannot read {file}"))
}

fn version() -> Result<String> {
    let metadata = process::metadata()?;
    let agon = metadata.workspace_packages().into_iter().find(|package| package.name.as_str() == "agon");
    Ok(agon.context("the workspace has no package agon")?.version.to_string())
}

/// The value of a key at the left margin of a chart's `Chart.yaml`.
fn field_of<'a>(text: &'a str, field: &str) -> Option<&'a str> {
    let value = text.lines().find_map(|line| line.strip_prefix(field)?.strip_prefix(':'))?;
    Some(value.trim().trim_matches('"'))
}

/// What `changelog` says below `## [version] - YYYY-MM-DD`.
fn section(changelog: &str, version: &str) -> Result<String> {
    let heading = format!("## [{version}] - ");
    let mut lines = changelog.lines().skip_while(|line| !line.starts_with(&heading));
    let Some(date) = lines.next().and_then(|line| line.strip_prefix(&heading)) else {
        bail!("{CHANGELOG} has no section `{heading}YYYY-MM-DD`");
    };
    ensure!(is_date(date), "{CHANGELOG} dates {version} `{date}`: write YYYY-MM-DD");
    let text = lines.take_while(|line| !line.starts_with("## ")).collect::<Vec<_>>().join("\n");
    ensure!(!text.trim().is_empty(), "{CHANGELOG} says nothing of {version}");
    Ok(text.trim().to_owned())
}

fn is_date(text: &str) -> bool {
    let parts = text.split('-').collect::<Vec<_>>();
    let lengths = parts.iter().map(|part| part.len()).collect::<Vec<_>>();
    lengths == [4, 2, 2] && parts.iter().all(|part| part.chars().all(|c| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str =
        "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2027-01-02\n\n- new\n\n## [0.1.0] - 2026-11\n\n- old\n";

    #[test]
    fn notes_are_the_dated_section_of_the_version_alone() {
        assert_eq!(section(LOG, "0.2.0").unwrap(), "- new");
    }

    #[test]
    fn a_version_without_a_date_or_a_section_cannot_be_released() {
        assert!(section(LOG, "0.1.0").unwrap_err().to_string().contains("`2026-11`"));
        assert!(section(LOG, "0.3.0").unwrap_err().to_string().contains("no section"));
        assert!(section("## [0.2.0] - 2027-01-02\n\n## [0.1.0]", "0.2.0").is_err());
    }

    #[test]
    fn fields_of_a_chart_are_read_at_the_margin() {
        let chart = "apiVersion: v2\nversion: 0.1.0\nappVersion: \"0.1.1\"\ndependencies:\n  - version: 9\n";
        assert_eq!((field_of(chart, "version"), field_of(chart, "appVersion")), (Some("0.1.0"), Some("0.1.1")));
        assert_eq!(field_of(chart, "name"), None);
    }

    #[test]
    fn workspace_charts_and_changelog_name_one_version() {
        run(&Args { tag: None }).unwrap();
    }

    #[test]
    fn another_tag_is_refused() {
        let said = run(&Args { tag: Some("v99.0.0".to_owned()) }).unwrap_err().to_string();
        assert!(said.starts_with("the tag is v99.0.0"), "{said}");
    }
}
