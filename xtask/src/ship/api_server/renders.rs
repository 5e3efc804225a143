//! Every render, applied without being kept.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::super::chart::{self, ChartCase, KUBERNETES};
use super::super::{ShipPaths, blocks};
use super::NAMESPACE;
use super::server::KubeApiServer;
use crate::steps::{quiet, said};

/// What a pod gets beside its own volumes where it may call the server.
const TOKEN: &str = "kube-api-access";

/// Applies a file as the server would take it in earnest, keeps nothing, and gives what would be there. An unknown field is an error, and
/// so is a warning.
pub fn accepted(place: &ShipPaths, server: &KubeApiServer, file: &Path) -> Result<String> {
    let mut apply = server.kubectl(place)?;
    apply.args(["apply", "--server-side", "--dry-run=server", "--validate=strict", "--warnings-as-errors"]);
    said(apply.args(["--output", "json"]).arg("--filename").arg(file))
}

/// Every render is accepted, and so are the pods of its workloads, which the server sees only when a controller makes them.
pub fn are_accepted(place: &ShipPaths, server: &KubeApiServer) -> Result<()> {
    for case in chart::all_cases(place)? {
        is_accepted(place, server, &case).with_context(|| format!("the render of {}", case.name))?;
    }
    Ok(())
}

fn is_accepted(place: &ShipPaths, server: &KubeApiServer, case: &ChartCase) -> Result<()> {
    let render = chart::render(place, case, KUBERNETES)?;
    // pods are refused where their accounts are not really there
    let accounts: Vec<&str> = blocks::of_kind(&render, "ServiceAccount").collect();
    let accounts = write(place, &format!("{}-accounts", case.name), &accounts.join("\n---\n"))?;
    let file = write(place, &case.name, &render)?;
    quiet(server.kubectl(place)?.args(["apply", "--server-side", "--filename"]).arg(&accounts))?;
    let outcome = with_pods(place, server, case, &file);
    quiet(server.kubectl(place)?.args(["delete", "--filename"]).arg(&accounts))?;
    outcome
}

fn with_pods(place: &ShipPaths, server: &KubeApiServer, case: &ChartCase, file: &Path) -> Result<()> {
    let there: Value = serde_json::from_str(&accepted(place, server, file)?).context("kubectl wrote no JSON")?;
    let pods = pods(&there)?;
    let count = pods.len();
    let pods = write(
        place,
        &format!("{}-pods", case.name),
        &json!({ "apiVersion": "v1", "kind": "List", "items": pods }).to_string(),
    )?;
    let pods = accepted(place, server, &pods).context("its pods")?;
    ensure!(!pods.contains(TOKEN), "a pod gets a token of the Kubernetes API");
    ensure!(count > 2, "there are only {count} pods");
    Ok(())
}

/// The pods among the objects, and one of each workload.
fn pods(there: &Value) -> Result<Vec<Value>> {
    let objects = there.pointer("/items").and_then(Value::as_array).context("a render of one object")?;
    let mut pods = Vec::new();
    for object in objects {
        let kind = text(object, "/kind")?;
        let pod = if kind == "Pod" { Some(object) } else { object.pointer("/spec/template") };
        let Some(mut spec) = pod.and_then(|pod| pod.get("spec")).cloned() else { continue };
        if let Some(volumes) = spec.pointer_mut("/volumes").and_then(Value::as_array_mut) {
            volumes.extend(claimed(object));
        }
        let metadata = json!({
            "name": format!("{}-{}", text(object, "/metadata/name")?, kind.to_lowercase()),
            "namespace": NAMESPACE,
            "labels": pod.and_then(|pod| pod.pointer("/metadata/labels")),
            "annotations": pod.and_then(|pod| pod.pointer("/metadata/annotations")),
        });
        pods.push(json!({ "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec }));
    }
    Ok(pods)
}

/// The volumes that a StatefulSet claims for each of its pods.
fn claimed(object: &Value) -> impl Iterator<Item = Value> {
    let claims = object.pointer("/spec/volumeClaimTemplates").and_then(Value::as_array);
    let names = claims.into_iter().flatten().filter_map(|claim| claim.pointer("/metadata/name"));
    names.map(|name| json!({ "name": name, "persistentVolumeClaim": { "claimName": name } }))
}

fn text<'a>(value: &'a Value, pointer: &str) -> Result<&'a str> {
    value.pointer(pointer).and_then(Value::as_str).with_context(|| format!("no text at {pointer} of {value}"))
}

/// No account of any render may do more at the server than one that nobody knows: the program asks it nothing.
pub fn accounts_may_nothing(place: &ShipPaths, server: &KubeApiServer) -> Result<()> {
    let rights = |account: &str| {
        let who = format!("system:serviceaccount:{NAMESPACE}:{account}");
        said(server.kubectl(place)?.args(["auth", "can-i", "--list", "--as", &who]))
    };
    let least = rights("nobody-made-it")?;
    let mut accounts = BTreeSet::new();
    for case in chart::all_cases(place)? {
        let render = chart::render(place, &case, KUBERNETES)?;
        for kind in ["Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"] {
            ensure!(
                blocks::of_kind(&render, kind).next().is_none(),
                "{} has a {kind}: say here what it is for",
                case.name
            );
        }
        let name = |account: &str| account.lines().find_map(|line| line.strip_prefix("  name: ")).map(str::to_owned);
        accounts.extend(blocks::of_kind(&render, "ServiceAccount").filter_map(name));
    }
    ensure!(accounts.len() > 5, "the renders have only {accounts:?}");
    for account in accounts {
        let has = rights(&account)?;
        ensure!(has == least, "the account {account} may do this at the Kubernetes API:\n{has}");
    }
    Ok(())
}

fn write(place: &ShipPaths, name: &str, text: &str) -> Result<PathBuf> {
    let file = place.scratch.join(format!("{name}.yaml"));
    fs::write(&file, text)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pod_is_made_of_each_template() {
        let deployment = json!({ "kind": "Deployment", "metadata": { "name": "a" },
            "spec": { "template": { "metadata": { "labels": { "l": "1" } }, "spec": { "containers": [] } } } });
        let set = json!({ "kind": "StatefulSet", "metadata": { "name": "s" }, "spec": {
            "volumeClaimTemplates": [{ "metadata": { "name": "data" } }], "template": { "spec": { "volumes": [] } } } });
        let service = json!({ "kind": "Service", "metadata": { "name": "a" }, "spec": {} });
        let pod = json!({ "kind": "Pod", "metadata": { "name": "b", "uid": "1" }, "spec": { "containers": [1] } });
        let pods = pods(&json!({ "items": [deployment, service, pod, set] })).unwrap();
        assert_eq!(pods.len(), 3);
        let names = pods.iter().map(|pod| text(pod, "/metadata/name").unwrap());
        assert_eq!(names.collect::<Vec<_>>(), ["a-deployment", "b-pod", "s-statefulset"]);
        assert_eq!(pods[0]["metadata"]["labels"], json!({ "l": "1" }));
        assert_eq!(pods[2]["spec"]["volumes"][0]["persistentVolumeClaim"]["claimName"], "data");
        assert_eq!(pods[1]["spec"], json!({ "containers": [1] }));
    }
}
