//! Schemas of Kubernetes and of the custom resources that the chart makes, fetched as Go modules and not kept in the repository.

use std::path::{Path, PathBuf};

/// Some files of a Go module.
#[derive(Debug)]
pub struct SchemaModule {
    /// What they are of; the folder below the tools in which they lie.
    pub name: &'static str,
    /// The module.
    pub module: &'static str,
    /// Its version, with its `v`.
    pub version: &'static str,
    /// The module's checksum, as the Go checksum database states it.
    pub sum: &'static str,
    /// The folder of the module that holds them.
    folder: &'static str,
    /// Which of its files are copied, and under which name.
    pick: fn(&str) -> Option<PathBuf>,
}

/// The newest Kubernetes that the chart is checked against; what it takes is read by `kubectl-validate` from files.
pub const NEWEST: SchemaModule = SchemaModule {
    name: "kubernetes",
    module: "k8s.io/kubernetes",
    version: "v1.34.4",
    sum: "h1:Yy6R4QB8C9kJPp25GFqEvX5XQwY5qzKeqD0Xx6oAcmk=",
    folder: "api/openapi-spec/v3",
    pick: group_version,
};

/// The resources of KEDA, which scales coordinators and hosts.
pub const KEDA: SchemaModule = SchemaModule {
    name: "keda",
    module: "github.com/kedacore/keda/v2",
    version: "v2.16.1",
    sum: "h1:LfYsxfSX8DjetLW8q9qnriImH936POrQJvE+caRoScI=",
    folder: "config/crd/bases",
    pick: yaml,
};

/// The resources of the Prometheus operator, which scrapes and alerts.
pub const PROMETHEUS_OPERATOR: SchemaModule = SchemaModule {
    name: "prometheus-operator",
    module: "github.com/prometheus-operator/prometheus-operator",
    version: "v0.85.0",
    sum: "h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=",
    folder: "example/prometheus-operator-crd",
    pick: yaml,
};

/// The routes of the Gateway API, which lead clients to gateways.
pub const GATEWAY_API: SchemaModule = SchemaModule {
    name: "gateway-api",
    module: "sigs.k8s.io/gateway-api",
    version: "v1.4.1",
    sum: "h1:NPxFutNkKNa8UfLd2CMlEuhIPMQgDQ6DXNKG9sHbJU8=",
    folder: "config/crd/standard",
    pick: yaml,
};

/// Those of custom resources.
pub const CUSTOM: &[&SchemaModule] = &[&KEDA, &PROMETHEUS_OPERATOR, &GATEWAY_API];

/// All of them.
pub const ALL: &[&SchemaModule] = &[&NEWEST, &KEDA, &PROMETHEUS_OPERATOR, &GATEWAY_API];

impl SchemaModule {
    /// Where they lie below `tools`; another version is another folder.
    pub fn home(&self, tools: &Path) -> PathBuf {
        tools.join("schemas").join(format!("{}-{}", self.name, self.version.trim_start_matches('v')))
    }

    /// Copies them from the unpacked module at `module` to where they belong below `tools`.
    pub fn copy(&self, module: &Path, tools: &Path) -> anyhow::Result<()> {
        let fresh = self.home(tools).with_extension("new");
        let _ = std::fs::remove_dir_all(&fresh);
        let mut copied = 0;
        for entry in std::fs::read_dir(module.join(self.folder))? {
            let from = entry?.path();
            let name = from.file_name().unwrap_or_default().to_string_lossy();
            let Some(to) = (self.pick)(&name).map(|to| fresh.join(to)) else { continue };
            to.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            std::fs::write(to, std::fs::read(&from)?)?;
            copied += 1;
        }
        anyhow::ensure!(copied > 0, "{}@{} has no schemas in {}", self.module, self.version, self.folder);
        std::fs::rename(fresh, self.home(tools))?;
        Ok(())
    }
}

fn yaml(file: &str) -> Option<PathBuf> {
    file.ends_with(".yaml").then(|| PathBuf::from(file))
}

/// `apis__apps__v1_openapi.json` as `apis/apps/v1.json`, and `api__v1_openapi.json` as `api/v1.json`: a group without a
/// version describes no resource.
fn group_version(file: &str) -> Option<PathBuf> {
    let parts: Vec<&str> = file.strip_suffix("_openapi.json")?.split("__").collect();
    match parts.as_slice() {
        ["api", version] => Some(PathBuf::from(format!("api/{version}.json"))),
        ["apis", group, version] => Some(PathBuf::from(format!("apis/{group}/{version}.json"))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_by_group_and_version() {
        assert_eq!(group_version("apis__apps__v1_openapi.json"), Some(PathBuf::from("apis/apps/v1.json")));
        assert_eq!(group_version("api__v1_openapi.json"), Some(PathBuf::from("api/v1.json")));
        assert_eq!(group_version("apis__apps_openapi.json"), None);
        assert_eq!(group_version("version_openapi.json"), None);
        assert_eq!(group_version("README.md"), None);
    }

    #[test]
    fn each_version_has_a_folder_of_its_own() {
        assert_eq!(KEDA.home(Path::new("/t")), PathBuf::from("/t/schemas/keda-2.16.1"));
    }
}
