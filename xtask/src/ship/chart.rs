//! The chart as Helm sees it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::{ShipPaths, blocks, tools};
use crate::steps::{quiet, said};

/// Where the chart is.
pub const CHART: &str = "helm/agon";
/// Values that show one way of installing it each.
pub const EXAMPLES: &str = "helm/agon/examples";
/// Values that switch on, or off, what no example does.
pub const OPTIONS: &str = "tests/charts/values";
/// The name of the render without any values.
pub const DEFAULT: &str = "default";
/// What the chart is rendered for where nothing else is said.
pub const KUBERNETES: &str = "1.34.0";

/// The custom resources that are taken to be there.
const API_VERSIONS: &[&str] = &[
    "keda.sh/v1alpha1",
    "keda.sh/v1alpha1/ScaledObject",
    "monitoring.coreos.com/v1",
    "monitoring.coreos.com/v1/PrometheusRule",
    "monitoring.coreos.com/v1/ServiceMonitor",
];

/// One way of installing the chart.
pub struct ChartCase {
    /// What its render is called.
    pub name: String,
    /// The values, or none for the chart's own.
    pub values: Option<PathBuf>,
}

/// The chart's own values, and each example.
pub fn cases(place: &ShipPaths) -> Result<Vec<ChartCase>> {
    let mut cases = vec![ChartCase { name: DEFAULT.to_owned(), values: None }];
    cases.extend(cases_of(place, EXAMPLES)?);
    Ok(cases)
}

/// The same, and each set of values with every option, or none.
pub fn all_cases(place: &ShipPaths) -> Result<Vec<ChartCase>> {
    let mut cases = cases(place)?;
    cases.extend(cases_of(place, OPTIONS)?);
    Ok(cases)
}

fn cases_of(place: &ShipPaths, folder: &str) -> Result<Vec<ChartCase>> {
    let case = |values: PathBuf| {
        let name = values.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        ChartCase { name, values: Some(values) }
    };
    Ok(place.files(folder, ".yaml")?.into_iter().map(case).collect())
}

/// A call of `helm template` for release `agon` in namespace `agon`.
pub fn template(place: &ShipPaths, chart: &Path, kubernetes: &str) -> Result<Command> {
    let mut command = place.command(&tools::HELM)?;
    command.args(["template", "agon"]).arg(chart).args(["--namespace", "agon", "--kube-version", kubernetes]);
    for version in API_VERSIONS {
        command.args(["--api-versions", version]);
    }
    Ok(command)
}

/// What `case` renders for that Kubernetes.
pub fn render(place: &ShipPaths, case: &ChartCase, kubernetes: &str) -> Result<String> {
    let mut command = template(place, Path::new(CHART), kubernetes)?;
    if let Some(values) = &case.values {
        command.arg("--values").arg(values);
    }
    said(&mut command).with_context(|| format!("{} does not render for Kubernetes {kubernetes}", case.name))
}

/// `helm lint --strict` with each set of values.
pub fn lint(place: &ShipPaths) -> Result<()> {
    for case in all_cases(place)? {
        let mut command = place.command(&tools::HELM)?;
        command.args(["lint", "--strict", "--quiet", "--kube-version", KUBERNETES, CHART]);
        if let Some(values) = &case.values {
            command.arg("--values").arg(values);
        }
        quiet(&mut command).with_context(|| format!("with the values of {}", case.name))?;
    }
    Ok(())
}

/// The script that packages the chart for a release, from the root.
const PACKAGE: &str = "deploy/package-chart.sh";
/// The alerts, as the chart installs them on request.
const ALERTS: &str = "monitoring.prometheusRule.enabled=true";

/// The chart packs, and the package of a release renders what the folder does, but for its image and its addresses.
pub fn package(place: &ShipPaths) -> Result<()> {
    let folder = place.scratch.join("package");
    let (image, digest) = ("registry.example/o/agon", format!("sha256:{}", "0123456789abcdef".repeat(4)));
    let source = "https://forge.example/o/agon";
    let helm = tools::HELM.find(&place.tools).context("`helm` is gone")?;
    let path = helm.parent().map(|bin| format!("{}:{}", bin.display(), std::env::var("PATH").unwrap_or_default()));
    let mut script = Command::new(place.root.join(PACKAGE));
    script.args([image, &digest, source, "v9.8.7"]).arg(&folder).env("PATH", path.unwrap_or_default());
    quiet(&mut script)?;
    let mut packed = fs::read_dir(&folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    let packed = packed.pop().context("helm packed nothing")?;
    let released = said(template(place, &packed, KUBERNETES)?.args(["--set", ALERTS]))?;
    let runbooks = format!("--set=monitoring.prometheusRule.runbookBaseUrl={source}/blob/v9.8.7");
    let tag = format!("--set=image.repository={image},image.tag=9.8.7@{digest}");
    let checkout = said(template(place, Path::new(CHART), KUBERNETES)?.args(["--set", ALERTS, &runbooks, &tag]))?;
    ensure!(released == checkout, "the packed chart renders something else: does .helmignore leave out too much?");
    ensure!(released.contains(&format!("image: {image}:9.8.7@{digest}\n")), "the released chart names another image");
    let about = said(place.command(&tools::HELM)?.args(["show", "all"]).arg(&packed))?;
    ensure!(about.contains(&format!("home: {source}\n")) && about.contains("# Agon\n"), "no home, or no README");
    Ok(())
}

/// The notes that an installation ends with, for each set of values: helm shows them only where there is a cluster, so a
/// copy of the chart renders them as a manifest.
pub fn notes(place: &ShipPaths) -> Result<()> {
    let copy = place.scratch.join("notes");
    copy_folder(&place.root.join(CHART), &copy)?;
    fs::rename(copy.join("templates/NOTES.txt"), copy.join("notes-of-the-chart"))?;
    let manifest = "notes: {{ tpl (.Files.Get \"notes-of-the-chart\") . | toJson }}\n";
    fs::write(copy.join("templates/notes-of-the-chart.yaml"), manifest)?;
    for case in all_cases(place)? {
        let mut command = template(place, &copy, KUBERNETES)?;
        command.args(["--show-only", "templates/notes-of-the-chart.yaml"]);
        if let Some(values) = &case.values {
            command.arg("--values").arg(values);
        }
        let notes = text_of(&said(&mut command)?).with_context(|| format!("the notes of {} are no text", case.name))?;
        let name = &case.name;
        ensure!(notes.contains("agon "), "the notes of {name} show no command:\n{notes}");
        ensure!(!notes.contains("<no value>"), "the notes of {name} speak of a value that is not there:\n{notes}");
    }
    Ok(())
}

/// The job that sets up the streams cannot be changed, so whatever it sets up, or a wish to do so again, makes another one.
pub fn provisions_again(place: &ShipPaths) -> Result<()> {
    let job = |set: &str| -> Result<String> {
        let render = said(template(place, Path::new(CHART), KUBERNETES)?.args(["--set", set]))?;
        let job =
            blocks::of_kind(&render, "Job").find_map(|job| job.lines().find_map(|line| line.strip_prefix("  name: ")));
        job.map(str::to_owned).context("the chart has no job")
    };
    let plain = job("gateway.maxQueued=7")?;
    ensure!(plain == job("gateway.replicas=2")?, "the job {plain} is another one though it does the same");
    for set in ["provision.revision=2", "streams.limits.logsMib=2048", "image.tag=other", "cluster.name=other"] {
        ensure!(plain != job(set)?, "--set {set} does not provision again: the job is still {plain}");
    }
    Ok(())
}

/// The text in the manifest that `notes` makes.
fn text_of(manifest: &str) -> Option<String> {
    let json = manifest.lines().find_map(|line| line.strip_prefix("notes: "))?;
    serde_json::from_str(json).ok()
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot list {}", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::write(target, fs::read(entry.path())?)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_read_out_of_their_manifest() {
        let manifest = "---\n# Source: agon/templates/notes-of-the-chart.yaml\nnotes: \"one\\ntwo\"\n";
        assert_eq!(text_of(manifest).as_deref(), Some("one\ntwo"));
        assert_eq!(text_of("---\n"), None);
    }
}
