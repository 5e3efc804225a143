//! Which crate may depend on which.

use cargo_metadata::{DependencyKind, Metadata};

use super::finding::Finding;

/// Crates of the workspace, and the ones each may depend on. Development dependencies are free.
const ALLOWED: &[(&str, Allowed)] = &[
    ("agon-core", Allowed::Only(&[])),
    ("agon-archive", Allowed::Only(&["agon-core"])),
    ("agon-files", Allowed::Only(&[])),
    ("agon-schema", Allowed::Only(&[])),
    ("agon-spec", Allowed::Only(&["agon-core", "agon-schema"])),
    ("agon-prompt", Allowed::Only(&["agon-core", "agon-schema"])),
    ("agon-eval", Allowed::Only(&["agon-core", "agon-spec"])),
    ("agon-report", Allowed::Only(&["agon-core", "agon-eval"])),
    ("agon-proto", Allowed::Only(&["agon-archive", "agon-core"])),
    ("agon-llm", Allowed::Only(&["agon-core"])),
    ("agon-rehearsal", Allowed::Only(&["agon-schema"])),
    ("agon-bus", Allowed::Only(&["agon-core", "agon-files", "agon-proto"])),
    ("agon-telemetry", Allowed::Only(&["agon-core"])),
    ("agon-store", Allowed::Only(&["agon-archive", "agon-bus", "agon-core", "agon-proto"])),
    ("agon-tools", Allowed::Only(&["agon-core", "agon-llm", "agon-schema"])),
    (
        "agon-runtime",
        Allowed::Only(&[
            "agon-archive",
            "agon-bus",
            "agon-core",
            "agon-eval",
            "agon-llm",
            "agon-prompt",
            "agon-proto",
            "agon-store",
            "agon-telemetry",
            "agon-tools",
        ]),
    ),
    (
        "agon-server",
        Allowed::AllBut(&[
            "agon",
            "agon-bench",
            "agon-chaos",
            "agon-console",
            "agon-fuzz",
            "agon-rehearsal",
            "agon-sim",
            "agon-tests",
            "agon-testkit",
            "xtask",
        ]),
    ),
    (
        "agon-console",
        Allowed::Only(&["agon-core", "agon-files", "agon-proto", "agon-report", "agon-server", "agon-spec"]),
    ),
    ("agon-testkit", Allowed::Only(&[])),
    ("agon-fuzz", Allowed::AllBut(&["agon", "agon-bench", "agon-chaos", "agon-sim", "agon-tests", "xtask"])),
    ("agon-chaos", Allowed::AllBut(&["agon", "agon-bench", "agon-sim", "agon-tests", "xtask"])),
    ("agon-sim", Allowed::AllBut(&["agon", "agon-bench", "agon-tests", "xtask"])),
    ("agon", Allowed::AllBut(&["agon-bench", "agon-chaos", "agon-fuzz", "agon-sim", "agon-tests", "xtask"])),
    ("agon-bench", Allowed::AllBut(&["agon", "agon-sim", "agon-tests", "xtask"])),
    ("agon-tests", Allowed::AllBut(&["agon-bench", "agon-sim", "xtask"])),
    ("xtask", Allowed::AllBut(&["agon-bench", "agon-sim", "agon-tests"])),
];

/// External crates that one crate wraps for all others.
const WRAPPED: &[(&str, &[&str])] = &[
    ("jsonschema", &["agon-schema"]),
    ("async-nats", &["agon-bus", "agon-store"]),
    ("ractor", &["agon-runtime"]),
    ("rusqlite", &["agon-store", "agon-tools"]),
    ("reqwest", &["agon-llm", "agon-server", "agon-tools"]),
];

/// Packages that nobody ships: they may reach around the wrappers to measure or to break things.
const UNSHIPPED: &[&str] =
    &["agon-bench", "agon-chaos", "agon-fuzz", "agon-sim", "agon-tests", "agon-testkit", "xtask"];

/// Crates without IO, and what would bring IO into them.
const PURE: &[&str] =
    &["agon-archive", "agon-core", "agon-eval", "agon-schema", "agon-spec", "agon-prompt", "agon-report"];
const IMPURE: &[&str] = &["tokio", "tracing", "reqwest", "rusqlite", "ractor", "axum"];

enum Allowed {
    Only(&'static [&'static str]),
    AllBut(&'static [&'static str]),
}

impl Allowed {
    fn permits(&self, name: &str) -> bool {
        match self {
            Self::Only(names) => names.contains(&name),
            Self::AllBut(names) => !names.contains(&name),
        }
    }
}

/// One line of a manifest's dependency tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The crate that depends.
    pub from: String,
    /// The crate that is depended on.
    pub to: String,
    /// Whether only the tests of `from` use it.
    pub dev: bool,
}

/// The direct dependencies of every crate of the workspace.
pub fn edges(metadata: &Metadata) -> Vec<Edge> {
    let members = metadata.workspace_packages();
    let of = |package: &cargo_metadata::Package| {
        let from = package.name.to_string();
        package
            .dependencies
            .iter()
            .map(|to| Edge { from: from.clone(), to: to.name.clone(), dev: to.kind == DependencyKind::Development })
            .collect::<Vec<_>>()
    };
    members.into_iter().flat_map(of).collect()
}

/// Everything wrong with `edges` among the crates `members`.
pub fn check(members: &[String], edges: &[Edge]) -> Vec<Finding> {
    let unknown = members
        .iter()
        .filter(|member| rule(member).is_none())
        .map(|member| Finding::fail(member, "has no row in xtask/src/tidy/edges.rs"));
    unknown.chain(edges.iter().filter_map(|edge| broken(members, edge))).collect()
}

fn rule(member: &str) -> Option<&'static Allowed> {
    ALLOWED.iter().find(|(name, _)| *name == member).map(|(_, allowed)| allowed)
}

fn broken(members: &[String], edge: &Edge) -> Option<Finding> {
    let Edge { from, to, dev } = edge;
    let internal = members.contains(to) && from != to;
    if internal && !dev && rule(from).is_some_and(|allowed| !allowed.permits(to)) {
        return Some(Finding::fail(from, format!("may not depend on {to} (allowed edges: xtask/src/tidy/edges.rs)")));
    }
    if from == "agon-core" && internal {
        return Some(Finding::fail(from, format!("knows no other crate, not even in tests, yet names {to}")));
    }
    let shipped = !dev && !UNSHIPPED.contains(&from.as_str());
    if shipped && PURE.contains(&from.as_str()) && IMPURE.contains(&to.as_str()) {
        return Some(Finding::fail(from, format!("is pure and may not depend on {to}")));
    }
    let owners = WRAPPED.iter().find(|(name, _)| name == to).map(|(_, owners)| *owners)?;
    (shipped && !owners.contains(&from.as_str()))
        .then(|| Finding::fail(from, format!("may not depend on {to}, only {} may", owners.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(from: &str, to: &str, dev: bool) -> usize {
        let members = ALLOWED.iter().map(|(name, _)| (*name).to_owned()).collect::<Vec<_>>();
        check(&members, &[Edge { from: from.into(), to: to.into(), dev }]).len()
    }

    #[test]
    fn allowed_edges_pass() {
        assert_eq!(verdict("agon-runtime", "agon-store", false), 0);
        assert_eq!(verdict("agon", "agon-report", false), 0);
        assert_eq!(verdict("agon-spec", "serde", false), 0);
        assert_eq!(verdict("agon-bus", "agon-proto", false), 0);
    }

    #[test]
    fn other_internal_edges_fail_unless_they_are_for_tests() {
        assert_eq!(verdict("agon-llm", "agon-prompt", false), 1);
        assert_eq!(verdict("agon-llm", "agon-rehearsal", true), 0);
        assert_eq!(verdict("agon", "agon-tests", false), 1);
    }

    #[test]
    fn core_knows_nobody_even_in_tests() {
        assert_eq!(verdict("agon-core", "agon-spec", true), 1);
        assert_eq!(verdict("agon-core", "tokio", false), 1);
        assert_eq!(verdict("agon-core", "tracing", false), 1);
    }

    #[test]
    fn wrapped_crates_have_one_owner() {
        assert_eq!(verdict("agon-runtime", "ractor", false), 0);
        assert_eq!(verdict("agon", "ractor", false), 1);
        assert_eq!(verdict("agon", "rusqlite", false), 1);
        assert_eq!(verdict("agon-rehearsal", "reqwest", true), 0);
        assert_eq!(verdict("agon-rehearsal", "reqwest", false), 1);
        assert_eq!(verdict("agon-tests", "reqwest", false), 0);
        assert_eq!(verdict("agon-spec", "jsonschema", false), 1);
    }

    #[test]
    fn a_crate_without_a_row_is_reported() {
        assert_eq!(check(&["agon-new".to_owned()], &[]).len(), 1);
    }
}
