//! What the shipped `agon` is made of, as cargo resolves it for the platforms of a release.
//!
//! Asked of `cargo tree`, not of `cargo metadata`: that one unites the features which all members of the workspace
//! ask for, tests included, and so names crates that no release contains.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result};

use crate::process;
use crate::steps::said;

/// The platforms that a release has binaries and images for.
pub const TARGETS: [&str; 2] = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"];

/// A crate's name and its version.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Id {
    /// As registries know it.
    pub name: String,
    /// Without a `v`.
    pub version: String,
}

/// A crate that takes part in a build of `agon`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Component {
    /// An SPDX expression; the old `A/B` is written as `A OR B`.
    pub licence: String,
    /// Where its source is developed; empty where its manifest does not say.
    pub repository: String,
    /// Whether it is a member of this workspace.
    pub ours: bool,
    /// Whether its code is in the program; the others are macros and parts of build scripts.
    pub linked: bool,
    /// What it depends on.
    pub needs: BTreeSet<Id>,
}

/// All crates that take part in a build of `agon`, itself included.
pub type Components = BTreeMap<Id, Component>;

/// Asks cargo for the crates of `agon` on all [`TARGETS`].
pub fn components() -> Result<Components> {
    let mut all = parse(&tree("normal,build")?)?;
    let linked = parse(&tree("no-dev,no-build,no-proc-macro")?)?;
    for (id, component) in &mut all {
        component.linked = linked.contains_key(id);
    }
    Ok(all)
}

fn tree(edges: &str) -> Result<String> {
    let mut command = process::cargo();
    command.args(["tree", "--locked", "--package", "agon", "--prefix", "depth", "--format", "{p}|{l}|{r}"]);
    command.args(["--edges", edges]).args(TARGETS.iter().flat_map(|target| ["--target", target]));
    said(&mut command).context("cargo tree failed")
}

/// Reads the lines of `cargo tree --prefix depth`. What was shown before is shown again without its children.
fn parse(text: &str) -> Result<Components> {
    let mut all = Components::new();
    let mut path: Vec<Id> = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let (depth, id, component) = node(line).with_context(|| format!("cargo tree wrote `{line}`"))?;
        path.truncate(depth);
        if let Some(parent) = path.last().and_then(|parent| all.get_mut(parent)) {
            parent.needs.insert(id.clone());
        }
        path.push(id.clone());
        all.entry(id).or_insert(component);
    }
    Ok(all)
}

fn node(line: &str) -> Option<(usize, Id, Component)> {
    let name_at = line.find(|c: char| !c.is_ascii_digit())?;
    let (depth, rest) = line.split_at_checked(name_at)?;
    let mut fields = rest.trim_end_matches(" (*)").split('|');
    let (package, licence, repository) = (fields.next()?, fields.next()?, fields.next()?);
    let mut words = package.split(' ');
    let id = Id { name: words.next()?.to_owned(), version: words.next()?.strip_prefix('v')?.to_owned() };
    let component = Component {
        licence: licence.split('/').map(str::trim).collect::<Vec<_>>().join(" OR "),
        repository: repository.to_owned(),
        ours: words.next().is_some_and(|word| word.starts_with("(/")),
        linked: false,
        needs: BTreeSet::new(),
    };
    Some((depth.parse().ok()?, id, component))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TREE: &str = "\
0agon v0.1.0 (/src/crates/agon)|Apache-2.0|
1core v0.1.0 (/src/crates/core)|Apache-2.0|
2derive v1.0.0 (proc-macro)|MIT/Apache-2.0|https://example.org/derive
3quote v2.1.0+x|MIT|https://example.org/quote
1quote v2.1.0+x|MIT|https://example.org/quote (*)
";

    fn id(name: &str, version: &str) -> Id {
        Id { name: name.to_owned(), version: version.to_owned() }
    }

    #[test]
    fn crates_are_read_once_with_what_they_need() {
        let all = parse(TREE).unwrap();

        assert_eq!(all.keys().map(|id| id.name.as_str()).collect::<Vec<_>>(), ["agon", "core", "derive", "quote"]);
        let needs = |name, version| all[&id(name, version)].needs.iter().map(|id| &*id.name).collect::<Vec<_>>();
        assert_eq!(needs("agon", "0.1.0"), ["core", "quote"]);
        assert_eq!(needs("derive", "1.0.0"), ["quote"]);
        assert!(all[&id("core", "0.1.0")].ours && !all[&id("derive", "1.0.0")].ours);
    }

    #[test]
    fn licences_and_repositories_are_kept() {
        let all = parse(TREE).unwrap();

        assert_eq!(all[&id("derive", "1.0.0")].licence, "MIT OR Apache-2.0");
        assert_eq!(all[&id("quote", "2.1.0+x")].repository, "https://example.org/quote");
    }

    #[test]
    fn a_line_that_is_no_crate_is_an_error() {
        assert!(parse("0agon|MIT|").is_err());
        assert!(parse("agon v1.0.0|MIT|").is_err());
    }

    #[test]
    fn what_only_tests_need_is_not_shipped() {
        let all = components().unwrap();

        let named = |name: &str| all.iter().find(|(id, _)| id.name == name).map(|(_, component)| component.linked);
        assert_eq!((named("tokio"), named("serde_derive"), named("proptest")), (Some(true), Some(false), None));
    }
}
