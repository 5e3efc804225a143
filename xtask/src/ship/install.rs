//! `cargo xtask ship --install`: gets every tool and schema that is not there yet, and leaves nothing else behind.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

use super::schemas::{self, SchemaModule};
use super::tools::{ShipTool, ToolSource};
use crate::steps::{Steps, quiet, said};
use crate::{needs, process};

/// The Go that the tools ask for.
const GO: (u32, u32) = (1, 25);

/// The module of Kubernetes. It names modules of the same release without a version, because they lie beside it where it is written.
const KUBERNETES: &str = "k8s.io/kubernetes";

/// Installs into `tools` what is missing of `wanted`, with the room that Go needs meanwhile in `scratch`; fails if something could not be
/// got, after trying the rest.
pub fn run(tools: &Path, scratch: &Path, wanted: &[ShipTool]) -> Result<()> {
    let mut steps = Steps::default();
    if wanted.iter().any(|tool| tool.source == ToolSource::Debian) {
        steps.run("install: packages of the system", needs::ensure_for_ship);
    }
    let go = Go { work: scratch.join("go-work") };
    for tool in wanted.iter().filter(|tool| tool.installed(tools).is_some_and(|path| !path.is_file())) {
        let Some(home) = tool.home(tools) else { continue };
        steps.run(&format!("install: {}", tool.program), || match tool.source {
            ToolSource::Go { package, version } => go.install(tool, package, version, &home),
            ToolSource::Python { package, version } => python(package, version, &home),
            ToolSource::Debian => Ok(()),
        });
    }
    for schemas in schemas::ALL.iter().filter(|schemas| !schemas.home(tools).is_dir()) {
        steps.run(&format!("install: schemas of {}", schemas.name), || go.fetch(schemas, tools));
    }
    drop(go);
    steps.finish("ship --install")
}

/// Go with caches of its own, which are gone when this is dropped: they are larger than the tools by far.
struct Go {
    work: PathBuf,
}

impl Drop for Go {
    fn drop(&mut self) {
        if self.work.exists()
            && let Err(error) = fs::remove_dir_all(&self.work)
        {
            println!("install: cannot delete {}: {error}", self.work.display());
        }
    }
}

/// What `go mod download -json` says about a module.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Module {
    dir: PathBuf,
    go_mod: PathBuf,
    sum: String,
}

impl Go {
    /// Builds `package` as a tool of a module made for it: `go install` refuses modules that exclude others.
    fn install(&self, tool: &ShipTool, package: &str, version: &str, home: &Path) -> Result<()> {
        let module = self.work.join(tool.program);
        fs::create_dir_all(&module)?;
        let go = |args: &[&str]| -> Result<()> {
            quiet(self.command()?.current_dir(&module).env("CGO_ENABLED", "0").args(args))
        };
        let built = module.join("built");
        let mut flags = "-ldflags=-s -w".to_owned();
        go(&["mod", "init", "tools.invalid/tool"])?;
        if package.starts_with(KUBERNETES) {
            for replace in replaced(&fs::read_to_string(self.download(KUBERNETES, version)?.go_mod)?, version) {
                go(&["mod", "edit", &format!("-replace={replace}")])?;
            }
            flags.push_str(&format!(" -X k8s.io/component-base/version.gitVersion={version}"));
        }
        go(&["get", "-tool", &format!("{package}@{version}")])?;
        go(&["build", "-trimpath", &flags, "-o", &built.to_string_lossy(), package])?;
        let program = home.join("bin").join(tool.program);
        fs::create_dir_all(home.join("bin"))?;
        // the tools may be on another disk, and another checkout may be installing them too
        let fresh = program.with_extension(format!("{}.new", std::process::id()));
        fs::copy(&built, &fresh).with_context(|| format!("go built no {}", program.display()))?;
        fs::rename(&fresh, &program).with_context(|| format!("cannot move {}", program.display()))
    }

    fn fetch(&self, schemas: &SchemaModule, tools: &Path) -> Result<()> {
        let SchemaModule { module, version, sum, .. } = schemas;
        let got = self.download(module, version)?;
        ensure!(got.sum == *sum, "{module}@{version} has the checksum {}, and not {sum}", got.sum);
        schemas.copy(&got.dir, tools)
    }

    fn download(&self, module: &str, version: &str) -> Result<Module> {
        let mut command = self.command()?;
        let answer = said(command.args(["mod", "download", "-json"]).arg(format!("{module}@{version}")))?;
        serde_json::from_str(&answer).context("`go mod download -json` wrote something else")
    }

    fn command(&self) -> Result<Command> {
        let (major, minor) = GO;
        let need = format!("Go {major}.{minor} or newer is needed (https://go.dev/dl)");
        let go = process::find_on_path("go").with_context(|| need.clone())?;
        let version = said(Command::new(&go).arg("version"))?;
        ensure!(parse_version(&version).is_some_and(|found| found >= GO), "{need}; there is {}", version.trim());
        fs::create_dir_all(&self.work)?;
        let mut command = Command::new(go);
        command.current_dir(&self.work).env("GOFLAGS", "-modcacherw").env("GO111MODULE", "on").env("GOWORK", "off");
        command.env("GOCACHE", self.work.join("build")).env("GOMODCACHE", self.work.join("mod"));
        command.env_remove("GOOS").env_remove("GOARCH");
        Ok(command)
    }
}

/// `NAME=NAME@VERSION` for each module that the `go.mod` of Kubernetes names without a version: v1.34.4 is made with v0.34.4 of them.
fn replaced(go_mod: &str, version: &str) -> Vec<String> {
    let beside = version.replacen("v1.", "v0.", 1);
    let named = go_mod.lines().filter_map(|line| line.split("//").next()?.trim().strip_suffix(" v0.0.0"));
    named.map(|name| format!("{name}={name}@{beside}")).collect()
}

/// Major and minor number of `go version go1.26.8 linux/amd64`.
fn parse_version(said: &str) -> Option<(u32, u32)> {
    let number = said.split_whitespace().find_map(|word| word.strip_prefix("go").filter(|rest| !rest.is_empty()))?;
    let mut parts = number.split(['.', 'r', 'b', '-']);
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// A Python environment that holds this one package, without what it would like to have beside it.
fn python(package: &str, version: &str, home: &Path) -> Result<()> {
    let python = process::find_on_path("python3").context("python3 with its module venv is needed")?;
    quiet(Command::new(python).args(["-m", "venv"]).arg(home))?;
    let pip = ["install", "--quiet", "--no-deps", "--no-cache-dir", "--disable-pip-version-check"];
    quiet(Command::new(home.join("bin/pip")).args(pip).arg(format!("{package}=={version}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_go_is_read_and_compared_as_numbers() {
        assert_eq!(parse_version("go version go1.26.8 linux/amd64\n"), Some((1, 26)));
        assert_eq!(parse_version("go version go1.27rc1 linux/amd64\n"), Some((1, 27)));
        assert_eq!(parse_version("go version devel +abc linux/amd64"), None);
        assert!(parse_version("go version go1.9 linux/amd64") < Some(GO));
    }

    #[test]
    fn modules_beside_kubernetes_are_those_of_its_release() {
        let go_mod = "require (\n\tk8s.io/api v0.0.0\n\tk8s.io/utils v0.0.0-20250604170112-4c0f3b243397\n\tk8s.io/kms v0.0.0 // indirect\n)\n";
        let found = replaced(go_mod, "v1.34.4");
        assert_eq!(found, ["k8s.io/api=k8s.io/api@v0.34.4", "k8s.io/kms=k8s.io/kms@v0.34.4"]);
    }

    #[test]
    fn caches_are_gone_when_go_is_done() {
        let work = std::env::temp_dir().join(format!("agon-xtask-go-{}", std::process::id()));
        let go = Go { work: work.clone() };
        fs::create_dir_all(work.join("mod")).unwrap();
        drop(go);
        assert!(!work.exists());
    }
}
