//! `cargo xtask ship --api-server`: every render is applied to a Kubernetes API server, and releases are installed, upgraded and
//! uninstalled by Helm. Server and etcd run here; there are no nodes and no controllers behind them, so that nothing is started.

mod mistakes;
mod releases;
mod renders;
mod server;

use std::fs;

use anyhow::{Context, Result, bail};

use super::{INSTALL_API_SERVER, ShipPaths, schemas, tools};
use crate::steps::{Steps, quiet};
use server::KubeApiServer;

/// The namespace of every render.
const NAMESPACE: &str = "agon";
/// Who installs: an administrator of the namespace and of nothing else.
const DEPLOYER: &str = "deployer";

/// What has to be there before a release, beside the secrets that the chart never makes. A node's runtime is named by an example.
const BEFORE: &str = "\
apiVersion: v1
kind: Namespace
metadata:
  name: agon
  labels:
    pod-security.kubernetes.io/enforce: restricted
    pod-security.kubernetes.io/warn: restricted
---
apiVersion: node.k8s.io/v1
kind: RuntimeClass
metadata: {name: nvidia}
handler: nvidia
---
# whoever makes no accounts names one
apiVersion: v1
kind: ServiceAccount
metadata: {name: given, namespace: agon}
---
# KEDA, the Prometheus operator and the Gateway API leave it to the cluster who may make theirs
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: custom}
rules:
  - {apiGroups: [keda.sh], resources: [scaledobjects], verbs: [\"*\"]}
  - {apiGroups: [monitoring.coreos.com], resources: [servicemonitors, prometheusrules], verbs: [\"*\"]}
  - {apiGroups: [gateway.networking.k8s.io], resources: [httproutes, grpcroutes], verbs: [\"*\"]}
";

/// What the role `admin` of a namespace is put together of by a controller, which is not here, and the one above.
const ROLES: &[&str] = &["system:aggregate-to-admin", "system:aggregate-to-edit", "system:aggregate-to-view", "custom"];

/// One thing that is tried.
type ClusterCheck = (&'static str, fn(&ShipPaths, &KubeApiServer) -> Result<()>);

const CHECKS: &[ClusterCheck] = &[
    ("custom resources and namespace", prepare),
    ("planted mistakes", mistakes::are_refused),
    ("every render", renders::are_accepted),
    ("rights of the service accounts", renders::accounts_may_nothing),
    ("releases", releases::go_from_one_to_the_next),
    ("autoscaled replicas", releases::leave_what_an_autoscaler_set),
    ("volumes", releases::with_another_volume_are_refused),
    ("uninstall", releases::leave_nothing),
];

/// Starts the server, tries everything, and stops it.
pub fn run(place: &ShipPaths) -> Result<()> {
    let missing = place.missing(tools::OF_API_SERVER, true);
    if !missing.is_empty() {
        bail!("{} missing; get them with `{INSTALL_API_SERVER}`", missing.join(" and "));
    }
    let mut steps = Steps::default();
    let mut server = None;
    steps.run("api server, start", || {
        server = Some(KubeApiServer::start(place)?);
        Ok(())
    });
    if let Some(server) = &server {
        for (name, check) in CHECKS {
            steps.run(&format!("api server, {name}"), || check(place, server));
        }
    }
    steps.finish("ship --api-server")
}

/// Makes what has to be there before a release.
fn prepare(place: &ShipPaths, server: &KubeApiServer) -> Result<()> {
    let before = place.scratch.join("before.yaml");
    fs::write(&before, BEFORE)?;
    let mut apply = server.kubectl(place)?;
    apply.args(["apply", "--server-side"]).arg("--filename").arg(before);
    for resources in schemas::CUSTOM {
        apply.arg("--filename").arg(resources.home(&place.tools));
    }
    quiet(&mut apply)?;
    for (at, role) in ROLES.iter().enumerate() {
        let binding = format!("{DEPLOYER}-{at}");
        let create = ["create", "rolebinding", &binding, "--clusterrole", role, "--user", DEPLOYER];
        quiet(server.kubectl(place)?.args(create))?;
    }
    let established = ["wait", "--for", "condition=Established", "customresourcedefinitions", "--all"];
    quiet(server.kubectl(place)?.args(established)).context("custom resources are not served")
}
