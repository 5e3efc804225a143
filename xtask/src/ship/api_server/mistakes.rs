//! Mistakes that only a server sees: a check that lets these pass checks nothing.

use std::fs;

use anyhow::{Context, Result, ensure};

use super::super::ShipPaths;
use super::super::planted::{self, Planted};
use super::renders::accepted;
use super::server::KubeApiServer;

/// A workload with nothing wrong.
const RIGHT: &str = "\
apiVersion: apps/v1
kind: Deployment
metadata: {name: right, namespace: agon}
spec:
  selector: {matchLabels: {app: right}}
  template:
    metadata: {labels: {app: right}}
    spec:
      securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
      containers:
        - name: agon
          image: agon
          ports: [{name: grpc, containerPort: 50051}]
          securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
";

/// What is wrong, what stands in the right one, what in its place, and what the refusal has to name.
const SLIPS: &[[&str; 4]] = &[
    ["a misspelt field", "image: agon", "imagge: agon", "imagge"],
    ["a text in place of a number", "containerPort: 50051", "containerPort: http", "containerPort"],
    ["a privileged container", "{allowPrivilegeEscalation: false,", "{privileged: true,", "privileged"],
    ["a container that may run as root", "runAsNonRoot: true", "runAsNonRoot: false", "runAsNonRoot"],
    ["a selector of other pods", "labels: {app: right}", "labels: {app: wrong}", "selector"],
    ["a name that no port may have", "name: grpc", "name: gRPC_port", "ports[0].name"],
    [
        "the same port twice, of which there is only a warning",
        "[{name: grpc, containerPort: 50051}]",
        "[{name: grpc, containerPort: 50051}, {name: more, containerPort: 50051}]",
        "duplicate",
    ],
    ["a name that no object may have", "name: right,", "name: Right_one,", "Right_one"],
    ["a kind that nobody described", "apiVersion: apps/v1", "apiVersion: example.org/v1", "example.org/v1"],
    ["another namespace, which is not there", "namespace: agon", "namespace: none", "none"],
];

/// A pod whose account nobody made.
const WITHOUT_ACCOUNT: &str = "\
apiVersion: v1
kind: Pod
metadata: {name: lost, namespace: agon}
spec:
  serviceAccountName: nobody-made-it
  securityContext: {runAsNonRoot: true, seccompProfile: {type: RuntimeDefault}}
  containers: [{name: agon, image: agon, securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}}]
";

/// Each of them is refused, and named.
pub fn are_refused(place: &ShipPaths, server: &KubeApiServer) -> Result<()> {
    let mut manifests = Vec::new();
    for [what, right, wrong, named] in SLIPS {
        let manifest = RIGHT.replacen(right, wrong, 1);
        ensure!(manifest != RIGHT, "{what} is not planted");
        manifests.push((what, manifest, named));
    }
    let mut wrong: Vec<Planted<'_>> =
        manifests.iter().map(|(what, manifest, named)| Planted { what, manifest, named }).collect();
    wrong.push(Planted { what: "a pod without its account", manifest: WITHOUT_ACCOUNT, named: "nobody-made-it" });
    let validate = |name: &str, manifest: &str| {
        let file = place.scratch.join(format!("{name}.yaml"));
        fs::write(&file, manifest)?;
        accepted(place, server, &file).map(drop)
    };
    planted::are_refused(RIGHT, &wrong, &validate).context("the check is not to be trusted")
}
