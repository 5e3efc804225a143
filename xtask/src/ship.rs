//! `cargo xtask ship`: what is shipped beside the program, each checked by the tool that will read it in earnest.

mod api_server;
mod blocks;
mod chart;
mod containers;
mod golden;
mod install;
mod kubernetes;
mod misspelt;
mod monitoring;
mod nats;
mod planted;
mod schemas;
mod tools;
#[cfg(test)]
mod values;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::process;
use crate::steps::Steps;
use tools::ShipTool;

/// The command that gets what is missing, and the one for the check by an API server.
const INSTALL: &str = "cargo xtask ship --install";
const INSTALL_API_SERVER: &str = "cargo xtask ship --install --api-server";

/// The command line of `ship`.
#[derive(clap::Args)]
pub struct Args {
    /// Get the tools and schemas that are missing, into `~/.cache/agon-tools`, in place of checking
    #[arg(long)]
    install: bool,
    /// Take what the chart renders now for right: rewrite `tests/charts/golden`
    #[arg(long, conflicts_with = "install")]
    accept: bool,
    /// Apply every render to a Kubernetes API server that is started for it, in place of the other checks; with `--install`, build
    /// etcd, the server, kubectl and helm into `~/.cache/agon-tools`, which takes some minutes
    #[arg(long, conflicts_with = "accept")]
    api_server: bool,
}

/// What a missing tool means for the check as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenMissing {
    /// It fails.
    Fails,
    /// What was not checked is said, and no more.
    IsTold,
}

/// Where everything is.
struct ShipPaths {
    root: PathBuf,
    tools: PathBuf,
    /// For what steps write on their way; emptied at each start.
    scratch: PathBuf,
    /// Whether new renders replace the golden ones.
    accept: bool,
}

/// One thing that is checked.
struct ShipStep {
    name: &'static str,
    tools: &'static [ShipTool],
    /// Whether it reads the schemas of Kubernetes and of custom resources.
    schemas: bool,
    action: fn(&ShipPaths) -> Result<()>,
}

const STEPS: &[ShipStep] = &[
    ShipStep { name: "chart: lint", tools: &[tools::HELM], schemas: false, action: chart::lint },
    ShipStep { name: "chart: golden renders", tools: &[tools::HELM], schemas: false, action: golden::check },
    ShipStep { name: "chart: misspelt values", tools: &[tools::HELM], schemas: false, action: misspelt::check },
    ShipStep { name: "chart: package", tools: &[tools::HELM], schemas: false, action: chart::package },
    ShipStep { name: "chart: notes", tools: &[tools::HELM], schemas: false, action: chart::notes },
    ShipStep {
        name: "chart: provisioning again",
        tools: &[tools::HELM],
        schemas: false,
        action: chart::provisions_again,
    },
    ShipStep {
        name: "chart: schemas of Kubernetes",
        tools: &[tools::HELM, tools::KUBECTL_VALIDATE],
        schemas: true,
        action: kubernetes::check,
    },
    ShipStep { name: "image: Dockerfile", tools: &[tools::HADOLINT], schemas: false, action: containers::dockerfile },
    ShipStep { name: "compose", tools: &[tools::COMPOSE], schemas: false, action: containers::compose },
    ShipStep { name: "monitoring: rules", tools: &[tools::PROMTOOL], schemas: false, action: monitoring::rules },
    ShipStep {
        name: "monitoring: dashboard",
        tools: &[tools::PROMTOOL],
        schemas: false,
        action: monitoring::dashboard,
    },
    ShipStep {
        name: "nats",
        tools: &[tools::HELM, tools::NATS_SERVER, tools::NATS_OF_THE_CHART],
        schemas: false,
        action: nats::check,
    },
    ShipStep { name: "workflows", tools: &[tools::ACTIONLINT], schemas: false, action: containers::workflows },
];

/// Where tools of others are kept.
pub fn tools_folder(target: &Path) -> PathBuf {
    tools::folder(|name| std::env::var_os(name), target)
}

/// Checks everything, or installs what that takes; whoever asks for this wants no part of it left out.
pub fn run(args: &Args) -> Result<()> {
    if args.install {
        let wanted = if args.api_server { tools::OF_API_SERVER } else { tools::ALL };
        let place = ShipPaths::new(false)?;
        return install::run(&place.tools, &place.scratch, wanted);
    }
    if args.api_server {
        return api_server::run(&ShipPaths::new(false)?);
    }
    let mut steps = Steps::default();
    all(&mut steps, WhenMissing::Fails, args.accept);
    steps.finish("ship")
}

/// The same as steps of a larger check.
pub fn check(steps: &mut Steps, missing: WhenMissing) {
    all(steps, missing, false);
}

fn all(steps: &mut Steps, on_missing: WhenMissing, accept: bool) {
    let place = match ShipPaths::new(accept) {
        Ok(place) => place,
        Err(error) => return steps.run("ship", || Err(error)),
    };
    for ShipStep { name, tools, schemas, action } in STEPS {
        let name = format!("ship, {name}");
        let missing = place.missing(tools, *schemas);
        if missing.is_empty() {
            steps.run(&name, || action(&place));
        } else {
            println!("{name}: not run, this was not checked; get {} with `{INSTALL}`", missing.join(" and "));
            match on_missing {
                WhenMissing::Fails => steps.fail(&name),
                WhenMissing::IsTold => {}
            }
        }
    }
}

impl ShipPaths {
    fn new(accept: bool) -> Result<Self> {
        let root = process::root();
        let target = process::metadata()?.target_directory.into_std_path_buf();
        let scratch = target.join("ship");
        let _ = fs::remove_dir_all(&scratch);
        fs::create_dir_all(&scratch).with_context(|| format!("cannot make {}", scratch.display()))?;
        let tools = tools_folder(&target);
        Ok(Self { root, tools, scratch, accept })
    }

    fn missing(&self, tools: &[ShipTool], schemas: bool) -> Vec<String> {
        let mut missing: Vec<String> = tools
            .iter()
            .filter(|tool| tool.find(&self.tools).is_none())
            .map(|tool| format!("`{}`", tool.program))
            .collect();
        if schemas && schemas::ALL.iter().any(|schemas| !schemas.home(&self.tools).is_dir()) {
            missing.push("the schemas".to_owned());
        }
        missing
    }

    /// A call of `tool` from the root of the workspace that sees no cluster and no settings of the user.
    fn command(&self, tool: &ShipTool) -> Result<Command> {
        let program = tool.find(&self.tools).with_context(|| format!("`{}` is gone", tool.program))?;
        let mut command = Command::new(program);
        command.current_dir(&self.root).env("KUBECONFIG", "/dev/null").env_remove("KUBERNETES_SERVICE_HOST");
        for of_helm in ["HELM_CACHE_HOME", "HELM_CONFIG_HOME", "HELM_DATA_HOME"] {
            command.env(of_helm, self.scratch.join("helm"));
        }
        Ok(command)
    }

    /// The files in `folder` (from the root) whose names end with `ending`, sorted; none is an error.
    fn files(&self, folder: &str, ending: &str) -> Result<Vec<PathBuf>> {
        let entries = fs::read_dir(self.root.join(folder)).with_context(|| format!("cannot list {folder}"))?;
        let paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
        let mut files: Vec<PathBuf> =
            paths.into_iter().filter(|path| path.is_file() && path.to_string_lossy().ends_with(ending)).collect();
        files.sort();
        anyhow::ensure!(!files.is_empty(), "{folder} holds no file that ends with {ending}");
        Ok(files)
    }
}
