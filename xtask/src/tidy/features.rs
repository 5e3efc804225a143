//! Builds share what they have in common only where they ask for the same features.

use std::collections::BTreeSet;

use anyhow::Result;

use super::finding::Finding;
use crate::{process, steps};

/// A build, and one that has to find everything in place that the first has built.
struct BuildPair {
    first: &'static [&'static str],
    then: &'static [&'static str],
    /// Where the features belong.
    place: &'static str,
}

const PAIRS: &[BuildPair] = &[
    BuildPair {
        first: &["--package", "agon", "--edges", "normal,build"],
        then: &["--package", "agon", "--package", "agon-bench", "--package", "agon-chaos", "--edges", "normal,build"],
        place: "crates/agon/Cargo.toml",
    },
    BuildPair {
        first: &["--workspace", "--edges", "normal,build"],
        then: &["--workspace", "--edges", "normal,build,dev"],
        place: "tests/Cargo.toml",
    },
];

/// Names every package that a later build would build once more.
pub fn check() -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for pair in PAIRS {
        let (first, then) = (tree(pair.first)?, tree(pair.then)?);
        findings.extend(first.difference(&then).map(|package| {
            let what =
                format!("`{package}` has more features in a build of `{}`: ask for them here", pair.then.join(" "));
            Finding::fail(pair.place, what)
        }));
    }
    Ok(findings)
}

/// Every package of a build with its features.
fn tree(selection: &[&str]) -> Result<BTreeSet<String>> {
    let mut command = process::cargo();
    command.args(["tree", "--locked", "--prefix", "none", "--format", "{p} {f}"]).args(selection);
    Ok(packages(&steps::said(&mut command)?))
}

fn packages(tree: &str) -> BTreeSet<String> {
    tree.lines().map(|line| line.trim_end_matches(" (*)").to_owned()).filter(|line| !line.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_package_with_other_features_is_another_one() {
        let first = packages("rustix v1.1.6 std,termios\nlibc v0.2.191 std\nlibc v0.2.191 std (*)\n\n");
        let then = packages("rustix v1.1.6 fs,std,termios\nlibc v0.2.191 std\n");
        assert_eq!(first.difference(&then).collect::<Vec<_>>(), ["rustix v1.1.6 std,termios"]);
    }

    #[test]
    fn what_measurements_and_tests_need_is_not_built_once_more() {
        assert_eq!(check().unwrap(), []);
    }
}
