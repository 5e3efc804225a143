//! The renders against the schemas of the oldest and the newest Kubernetes that the chart supports, and of custom resources.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::{ShipPaths, chart, planted, schemas, tools};
use crate::steps::said;

/// A version of Kubernetes that renders are checked against.
struct Kubernetes {
    version: &'static str,
    /// Whether the tool knows its schemas only from files.
    from_files: bool,
}

/// The newest that the tool brings schemas of.
const OLDEST: Kubernetes = Kubernetes { version: "1.30.0", from_files: false };
const NEWEST: Kubernetes = Kubernetes { version: chart::KUBERNETES, from_files: true };
/// Which of its own schemas the tool takes.
const BROUGHT: &str = "1.30";

/// Checks the check by planted mistakes, then every render.
pub fn check(place: &ShipPaths) -> Result<()> {
    let folder = place.scratch.join("manifests");
    fs::create_dir_all(&folder)?;
    for kubernetes in [OLDEST, NEWEST] {
        let version = kubernetes.version;
        let validate = |name: &str, manifest: &str| {
            let file = folder.join(format!("{name}-{version}.yaml"));
            fs::write(&file, manifest)?;
            run(place, &kubernetes, &[file])
        };
        planted::are_refused(planted::RIGHT, planted::WRONG, &validate)
            .with_context(|| format!("the check for {version} is not to be trusted"))?;
        let new = validate("new", planted::NEW.manifest);
        ensure!(new.is_ok() == kubernetes.from_files, "{}: Kubernetes {version} says {new:?}", planted::NEW.what);
        let renders = renders(place, version, &folder)?;
        // all at once is faster, and one by one says which
        if let Err(together) = run(place, &kubernetes, &renders) {
            for render in renders {
                run(place, &kubernetes, std::slice::from_ref(&render))
                    .with_context(|| format!("{} is not right for Kubernetes {version}", render.display()))?;
            }
            return Err(together);
        }
    }
    Ok(())
}

/// Files with what each set of values renders for `version`.
fn renders(place: &ShipPaths, version: &str, folder: &Path) -> Result<Vec<PathBuf>> {
    let render = |case: chart::ChartCase| {
        let render = chart::render(place, &case, version)?;
        ensure!(render.contains("\nkind: "), "{} renders no resource", case.name);
        let file = folder.join(format!("{}-{version}.yaml", case.name));
        fs::write(&file, render)?;
        Ok(file)
    };
    chart::all_cases(place)?.into_iter().map(render).collect()
}

fn run(place: &ShipPaths, kubernetes: &Kubernetes, files: &[PathBuf]) -> Result<()> {
    let mut command = place.command(&tools::KUBECTL_VALIDATE)?;
    command.args(files).args(["--version", BROUGHT]);
    for resources in schemas::CUSTOM {
        command.arg("--local-crds").arg(resources.home(&place.tools));
    }
    if kubernetes.from_files {
        command.arg("--local-schemas").arg(schemas::NEWEST.home(&place.tools));
    }
    said(&mut command).map(drop)
}
