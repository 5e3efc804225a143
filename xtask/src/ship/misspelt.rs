//! Values that the chart has to refuse, naming what is wrong.

use std::path::Path;

use anyhow::{Result, bail};

use super::ShipPaths;
use super::chart::{self, CHART, KUBERNETES};
use crate::steps::said;

/// Values with a mistake.
struct Misspelt {
    /// As `--set-json`, or several.
    values: &'static [&'static str],
    /// What the refusal has to say: each of these.
    named: &'static [&'static str],
}

const MISSPELT: &[Misspelt] = &[
    Misspelt { values: &[r#"gatway={"replicas":2}"#], named: &["gatway"] },
    Misspelt { values: &["gateway.replica=2"], named: &["gateway", "replica"] },
    Misspelt { values: &[r#"image.pullPolicy="Sometimes""#], named: &["pullPolicy"] },
    Misspelt { values: &[r#"gateway.replicas="two""#], named: &["replicas"] },
    Misspelt { values: &["gateway.auth.jwt.isuer=\"https://id.example\""], named: &["isuer"] },
    Misspelt { values: &["coordinator.keda.maxReplica=3"], named: &["keda", "maxReplica"] },
    Misspelt { values: &["streams.replicas=2"], named: &["streams", "replicas"] },
    Misspelt { values: &["streams.limits.logMib=1"], named: &["logMib"] },
    Misspelt { values: &[r#"hosts.pools.gpu={"mode":"statefulset"}"#], named: &["mode"] },
    Misspelt { values: &[r#"hosts.pools.gpu={"server":[]}"#], named: &["gpu", "server"] },
    Misspelt {
        values: &[r#"hosts.pools.gpu={"servers":[{"name":"a","url":"http://a:1","kind":"ollama","permit":1}]}"#],
        named: &["permit"],
    },
    Misspelt {
        values: &[r#"hosts.pools.gpu={"mode":"sidecar","ollama":{"model":["qwen3:8b"]}}"#],
        named: &["ollama", "model"],
    },
    Misspelt { values: &["hosts.defaults.keda.treshold=4"], named: &["treshold"] },
    Misspelt { values: &["nats.persistance.size=\"1Gi\""], named: &["persistance"] },
    Misspelt { values: &["nats.jetstream.maxFilestore=\"8GB\""], named: &["maxFilestore"] },
    Misspelt { values: &[r#"telemetry.sampling="often""#], named: &["sampling"] },
    Misspelt { values: &["networkPolicy.enabled=\"yes\""], named: &["networkPolicy", "enabled"] },
    Misspelt { values: &["gateway.settings.reflection=false"], named: &["settings", "reflection"] },
    Misspelt { values: &["image.tag=20261127"], named: &["image.tag", "--set-string"] },
    Misspelt { values: &["nats.image.tag=2.12"], named: &["nats.image.tag", "--set-string"] },
    Misspelt { values: &[r#"gateway.routes.http={"enabled":true,"host":"a"}"#], named: &["routes", "host"] },
    Misspelt { values: &[r#"gateway.service.externalTrafficPolicy="local""#], named: &["externalTrafficPolicy"] },
    // spelt well, and yet nothing that could run
    Misspelt { values: &["nats.enabled=false"], named: &["connection.urls"] },
    Misspelt {
        values: &["gateway.routes.grpc.enabled=true", "gateway.insecure=true"],
        named: &["gateway.routes.grpc.parentRefs"],
    },
    Misspelt {
        values: &[r#"gateway.routes.http={"enabled":true,"parentRefs":[{"name":"web"}]}"#],
        named: &["reached from outside"],
    },
    Misspelt { values: &["gateway.service.nodePorts.grpc=30051"], named: &["nodePorts", "NodePort"] },
    Misspelt {
        values: &[r#"gateway.service={"type":"NodePort","loadBalancerClass":"a"}"#, "gateway.insecure=true"],
        named: &["loadBalancerClass"],
    },
    Misspelt {
        values: &["coordinator.hpa.enabled=true", "coordinator.keda.enabled=true"],
        named: &["coordinator.hpa", "coordinator.keda"],
    },
];

/// What a command line may say: its words are no numbers of JSON, and null takes away what a file has.
const TAKEN: &[&[&str]] = &[
    &["--set", "telemetry.callSampling=0.07"],
    &["--set", "telemetry.sampling=1"],
    &["--set-string", "image.tag=20261127"],
    &["--set", "hosts.pools.gone=null"],
    &["--values", "helm/agon/examples/kind.yaml", "--set", "hosts.pools.rehearsal=null"],
    &["--set", "hosts.pools.slow.rehearsal=true,hosts.pools.slow.latency=200ms"],
];

/// Each of them is refused, and what only looks like a mistake is taken; all that are otherwise are named together.
pub fn check(place: &ShipPaths) -> Result<()> {
    let mut wrong = Vec::new();
    for words in TAKEN {
        if let Err(error) = said(chart::template(place, Path::new(CHART), KUBERNETES)?.args(*words)) {
            wrong.push(format!("{}: was refused:\n{error}", words.join(" ")));
        }
    }
    for Misspelt { values, named } in MISSPELT {
        let mut command = chart::template(place, Path::new(CHART), KUBERNETES)?;
        for value in *values {
            command.args(["--set-json", value]);
        }
        let shown = values.join(" ");
        match said(&mut command) {
            Ok(_) => wrong.push(format!("{shown}: was taken")),
            Err(error) => {
                let message = error.to_string();
                let silent: Vec<_> = named.iter().filter(|name| !message.contains(**name)).collect();
                if !silent.is_empty() {
                    wrong.push(format!("{shown}: the refusal does not say {silent:?}:\n{message}"));
                }
            }
        }
    }
    if wrong.is_empty() { Ok(()) } else { bail!("{}", wrong.join("\n")) }
}
