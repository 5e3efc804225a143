//! The part of `deny.toml` that needs no download: licences, banned crates, duplicate versions, sources.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};
use cargo_metadata::Metadata;
use serde::Deserialize;

use super::finding::Finding;
use super::licence;

/// The keys of `deny.toml` that are checked here; the others are for cargo-deny.
#[derive(Debug, Deserialize)]
pub struct Policy {
    licenses: Licences,
    bans: Bans,
    sources: Sources,
}

#[derive(Debug, Deserialize)]
struct Licences {
    allow: BTreeSet<String>,
    #[serde(default)]
    exceptions: Vec<Exception>,
}

#[derive(Debug, Deserialize)]
struct Exception {
    #[serde(rename = "crate")]
    name: String,
    allow: BTreeSet<String>,
}

#[derive(Debug, Deserialize)]
struct Bans {
    deny: Vec<Ban>,
    #[serde(default)]
    skip: Vec<Skip>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Ban {
    #[serde(rename = "crate")]
    name: String,
    reason: String,
    #[serde(default)]
    deny_multiple_versions: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Skip {
    /// `name@version`.
    #[serde(rename = "crate")]
    name: String,
    /// Required, though unused here: an exception without a reason does not parse.
    #[serde(rename = "reason")]
    _reason: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct Sources {
    allow_registry: Vec<String>,
}

/// A package that is built into something here.
#[derive(Debug, Clone)]
pub struct Package {
    name: String,
    version: String,
    licence: Option<String>,
    source: Option<String>,
}

/// Reads the text of `deny.toml`.
pub fn parse(text: &str) -> Result<Policy> {
    toml::from_str(text).context("deny.toml")
}

/// All packages that `metadata` resolved.
pub fn packages(metadata: &Metadata) -> Vec<Package> {
    let convert = |package: &cargo_metadata::Package| Package {
        name: package.name.to_string(),
        version: package.version.to_string(),
        licence: package.license.clone(),
        source: package.source.as_ref().map(|source| source.repr.clone()),
    };
    metadata.packages.iter().map(convert).collect()
}

/// Everything about `packages` that `policy` does not allow.
pub fn check(policy: &Policy, packages: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages {
        findings.extend(licence(policy, package));
        findings.extend(banned(policy, package));
        findings.extend(foreign_source(policy, package));
    }
    findings.extend(duplicates(policy, packages));
    findings
}

fn licence(policy: &Policy, package: &Package) -> Option<Finding> {
    let exception = policy.licenses.exceptions.iter().find(|exception| exception.name == package.name);
    let allowed = |id: &str| policy.licenses.allow.contains(id) || exception.is_some_and(|e| e.allow.contains(id));
    let Some(expression) = &package.licence else {
        return Some(Finding::fail(&package.name, "names no licence"));
    };
    match licence::satisfied(expression, &allowed) {
        Some(true) => None,
        Some(false) => {
            Some(Finding::fail(&package.name, format!("licence `{expression}` is not allowed by deny.toml")))
        }
        None => Some(Finding::fail(&package.name, format!("licence `{expression}` cannot be read"))),
    }
}

fn banned(policy: &Policy, package: &Package) -> Option<Finding> {
    let ban = policy.bans.deny.iter().find(|ban| ban.name == package.name && !ban.deny_multiple_versions)?;
    Some(Finding::fail(&package.name, format!("is banned: {}", ban.reason)))
}

fn foreign_source(policy: &Policy, package: &Package) -> Option<Finding> {
    let source = package.source.as_deref()?;
    let known = policy.sources.allow_registry.iter().any(|registry| source == format!("registry+{registry}"));
    (!known).then(|| Finding::fail(&package.name, format!("comes from {source}, which deny.toml does not allow")))
}

fn duplicates(policy: &Policy, packages: &[Package]) -> Vec<Finding> {
    let mut skipped = policy.bans.skip.iter().map(|skip| skip.name.clone()).collect::<BTreeSet<_>>();
    let mut versions = BTreeMap::<&str, BTreeSet<&str>>::new();
    for package in packages {
        if !skipped.remove(&format!("{}@{}", package.name, package.version)) {
            versions.entry(&package.name).or_default().insert(&package.version);
        }
    }
    let stale = skipped.iter().map(|skip| Finding::warn("deny.toml", format!("skips {skip}, which is not used")));
    let double = versions.iter().filter(|(_, versions)| versions.len() > 1).map(|(name, versions)| {
        let list = versions.iter().copied().collect::<Vec<_>>().join(", ");
        match policy.bans.deny.iter().find(|ban| ban.deny_multiple_versions && ban.name == *name) {
            Some(ban) => Finding::fail(*name, format!("stands in several versions ({list}): {}", ban.reason)),
            None => Finding::warn(*name, format!("stands in several versions ({list}); skip one with a reason")),
        }
    });
    stale.chain(double).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::finding::Level;

    const POLICY: &str = r#"
        [licenses]
        allow = ["MIT"]
        exceptions = [{ crate = "odd", allow = ["MPL-2.0"] }]
        [bans]
        deny = [
            { crate = "openssl", reason = "rustls only" },
            { crate = "tokio", deny-multiple-versions = true, reason = "one runtime" },
        ]
        skip = [{ crate = "syn@2.0.0", reason = "old derive macros" }]
        [sources]
        allow-registry = ["https://example.org/index"]
    "#;

    fn package(name: &str, version: &str, licence: &str) -> Package {
        let source = Some("registry+https://example.org/index".to_owned());
        Package { name: name.into(), version: version.into(), licence: Some(licence.into()), source }
    }

    fn levels(packages: &[Package]) -> Vec<Level> {
        let mut used = vec![package("syn", "2.0.0", "MIT")];
        used.extend_from_slice(packages);
        check(&parse(POLICY).unwrap(), &used).iter().map(|finding| finding.level).collect()
    }

    #[test]
    fn licences_must_be_listed_or_excepted_by_crate() {
        assert_eq!(levels(&[package("a", "1.0.0", "MIT OR GPL-3.0-only")]), []);
        assert_eq!(levels(&[package("odd", "1.0.0", "MPL-2.0")]), []);
        assert_eq!(levels(&[package("a", "1.0.0", "MPL-2.0")]), [Level::Fail]);
        assert_eq!(levels(&[package("a", "1.0.0", "MIT AND")]), [Level::Fail]);
        assert_eq!(levels(&[Package { licence: None, ..package("a", "1.0.0", "") }]), [Level::Fail]);
    }

    #[test]
    fn banned_crates_and_foreign_sources_fail() {
        assert_eq!(levels(&[package("openssl", "1.0.0", "MIT")]), [Level::Fail]);
        let foreign = Package { source: Some("git+https://example.org/a".into()), ..package("a", "1.0.0", "MIT") };
        assert_eq!(levels(&[foreign]), [Level::Fail]);
        assert_eq!(levels(&[Package { source: None, ..package("a", "1.0.0", "MIT") }]), []);
    }

    #[test]
    fn duplicates_warn_unless_one_version_is_demanded_or_skipped() {
        assert_eq!(levels(&[package("a", "1.0.0", "MIT"), package("a", "2.0.0", "MIT")]), [Level::Warn]);
        assert_eq!(levels(&[package("tokio", "0.3.0", "MIT"), package("tokio", "1.0.0", "MIT")]), [Level::Fail]);
        assert_eq!(levels(&[package("syn", "3.0.0", "MIT")]), []);
    }

    #[test]
    fn a_skip_that_skips_nothing_is_reported() {
        let found = check(&parse(POLICY).unwrap(), &[]);
        assert_eq!(found.iter().map(|finding| finding.place.as_str()).collect::<Vec<_>>(), ["deny.toml"]);
    }

    #[test]
    fn an_exception_without_a_reason_does_not_parse() {
        assert!(parse(&POLICY.replace(", reason = \"old derive macros\"", "")).is_err());
    }
}
