//! Releases that Helm really makes, as one who administers the namespace and nothing else.

use anyhow::{Context, Result, bail, ensure};

use super::super::ShipPaths;
use super::super::chart::{self, CHART, ChartCase};
use super::server::KubeApiServer;
use crate::steps::{quiet, said};

const RELEASE: &str = "agon";
/// Volumes of a StatefulSet are fixed by its first installation, as the guide says, so all cases have the same here.
const VOLUMES: &str = "--set-json=nats.persistence={\"size\": \"10Gi\", \"storageClassName\": \"fast\", \"annotations\": {\"example.org/backup\": \"nightly\"}}";
/// A case whose gateways are scaled by load.
const SCALED: &str = "high-availability";
const GATEWAY: &str = "deployment/agon-gateway";

/// Installs `case`, or upgrades to it.
fn upgrade(place: &ShipPaths, server: &KubeApiServer, case: &ChartCase, more: &[&str]) -> Result<()> {
    let mut helm = server.helm(place)?;
    helm.args(["upgrade", "--install", RELEASE, CHART]).arg(VOLUMES).args(more);
    if let Some(values) = &case.values {
        helm.arg("--values").arg(values);
    }
    quiet(&mut helm).with_context(|| case.name.clone())
}

/// Whatever the values were, each case can be upgraded to, in both directions; the same values once more change no workload.
pub fn go_from_one_to_the_next(place: &ShipPaths, server: &KubeApiServer) -> Result<()> {
    let cases = chart::all_cases(place)?;
    let mut before = "nothing";
    for case in cases.iter().chain(cases.iter().rev()) {
        upgrade(place, server, case, &[]).with_context(|| format!("from {before}"))?;
        if before == case.name {
            continue;
        }
        let first = generations(place, server)?;
        upgrade(place, server, case, &[])?;
        let again = generations(place, server)?;
        ensure!(first == again, "{}: the same values once more changed {first} to {again}", case.name);
        before = &case.name;
    }
    Ok(())
}

/// How often what is asked of each workload was changed.
fn generations(place: &ShipPaths, server: &KubeApiServer) -> Result<String> {
    let path = "jsonpath={range .items[*]}{.kind}/{.metadata.name} {.metadata.generation}{'\\n'}{end}";
    let all = said(server.kubectl(place)?.args(["get", "deployments,statefulsets,daemonsets", "--output", path]))?;
    ensure!(all.contains("Deployment/"), "there are no workloads: {all}");
    Ok(all)
}

/// An upgrade keeps the number of pods that an autoscaler has set.
pub fn leave_what_an_autoscaler_set(place: &ShipPaths, server: &KubeApiServer) -> Result<()> {
    let case = chart::cases(place)?.into_iter().find(|case| case.name == SCALED).context("no such example")?;
    upgrade(place, server, &case, &[])?;
    quiet(server.kubectl(place)?.args(["scale", GATEWAY, "--replicas=5"]))?;
    upgrade(place, server, &case, &["--set", "gateway.maxQueued=77"])?;
    let replicas = said(server.kubectl(place)?.args(["get", GATEWAY, "--output", "jsonpath={.spec.replicas}"]))?;
    ensure!(replicas == "5", "an upgrade scaled {GATEWAY} from 5 to {replicas} pods");
    Ok(())
}

/// Other volumes are refused as the guide says, and the release goes on afterwards.
pub fn with_another_volume_are_refused(place: &ShipPaths, server: &KubeApiServer) -> Result<()> {
    let case = ChartCase { name: chart::DEFAULT.to_owned(), values: None };
    upgrade(place, server, &case, &[])?;
    match upgrade(place, server, &case, &["--set=nats.persistence.size=11Gi"]) {
        Ok(()) => bail!("the volumes of a StatefulSet were changed, which the guide says cannot be"),
        Err(error) => ensure!(
            format!("{error:#}").contains("updates to statefulset spec"),
            "refused for something else: {error:#}"
        ),
    }
    upgrade(place, server, &case, &[])
}

/// After `helm uninstall` nothing is there that was not there before the installation.
pub fn leave_nothing(place: &ShipPaths, server: &KubeApiServer) -> Result<()> {
    let uninstall = || quiet(server.helm(place)?.args(["uninstall", RELEASE]));
    uninstall()?;
    let before = objects(place, server)?;
    for case in chart::all_cases(place)? {
        upgrade(place, server, &case, &[])?;
        ensure!(objects(place, server)? != before, "{} installed nothing", case.name);
        uninstall().with_context(|| case.name.clone())?;
        let left = objects(place, server)?;
        ensure!(left == before, "{} leaves something behind; of\n{left}\nthere was before\n{before}", case.name);
    }
    for kind in ["deployment", "service", "configmap", "secret", "job", "networkpolicy"] {
        ensure!(
            !before.contains(&format!("{kind}/")) && !before.contains(&format!("{kind}.")),
            "there is still\n{before}"
        );
    }
    Ok(())
}

/// The names of all objects of the namespace.
fn objects(place: &ShipPaths, server: &KubeApiServer) -> Result<String> {
    let kinds = ["api-resources", "--namespaced", "--verbs", "list,create", "--output", "name"];
    let kinds = said(server.kubectl(place)?.args(kinds))?;
    let kinds: Vec<&str> = kinds.lines().filter(|kind| !kind.starts_with("events")).collect();
    said(server.kubectl(place)?.args(["get", &kinds.join(","), "--output", "name"]))
}
