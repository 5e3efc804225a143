//! A golden render of the chart, and a strict look at it: what is not understood fails.
use crate::support::yaml;
use serde_json::Value;
use std::path::PathBuf;

/// The objects of a render.
pub struct Render {
    objects: Vec<Value>,
}

/// The golden renders that `cargo xtask ship` keeps the same as the chart.
pub const RENDERS: [&str; 7] =
    ["default", "kind", "gpu-pool", "high-availability", "tls-and-auth", "multi-tenant", "settings"];

/// Objects that say how the others are to be looked after, for which there is nothing to start.
const CARE: [&str; 11] = [
    "ServiceAccount",
    "NetworkPolicy",
    "PodDisruptionBudget",
    "HorizontalPodAutoscaler",
    "ScaledObject",
    "ServiceMonitor",
    "PrometheusRule",
    "Ingress",
    "HTTPRoute",
    "GRPCRoute",
    "Secret",
];
/// Objects that the tests make something of.
const USED: [&str; 7] = ["ConfigMap", "Service", "StatefulSet", "Deployment", "DaemonSet", "Job", "Pod"];

impl Render {
    /// Reads a golden render.
    pub fn golden(name: &str) -> Self {
        let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("charts/golden");
        let path = folder.join(format!("{name}.yaml"));
        let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        Self::of(&text)
    }

    /// Reads a render; fails on a kind that the tests do not know.
    pub fn of(text: &str) -> Self {
        let objects = yaml(text);
        for object in &objects {
            let kind = object["kind"].as_str().unwrap();
            assert!(CARE.contains(&kind) || USED.contains(&kind), "the tests know no {kind}");
        }
        Self { objects }
    }

    /// The objects of a kind.
    pub fn of_kind(&self, kind: &str) -> impl Iterator<Item = &Value> {
        self.objects.iter().filter(move |object| object["kind"] == kind)
    }

    /// An object.
    pub fn object(&self, kind: &str, name: &str) -> &Value {
        let object = self.of_kind(kind).find(|object| object["metadata"]["name"] == name);
        object.unwrap_or_else(|| panic!("the render has no {kind} {name}"))
    }

    /// The files of a ConfigMap.
    pub fn files(&self, config_map: &str) -> Vec<(String, String)> {
        let data = self.object("ConfigMap", config_map)["data"].as_object().unwrap();
        data.iter().map(|(key, value)| (key.clone(), value.as_str().unwrap().to_owned())).collect()
    }

    /// All files of that name in the ConfigMaps, with the ConfigMap's name.
    pub fn files_named(&self, file: &str) -> Vec<(String, String)> {
        let maps = self.of_kind("ConfigMap").map(|map| text(map, "/metadata/name").to_owned());
        let found = maps.flat_map(|map| self.files(&map).into_iter().map(move |(key, text)| (map.clone(), key, text)));
        found.filter(|(_, key, _)| key == file).map(|(map, _, text)| (map, text)).collect()
    }

    /// How many pods of a workload there are at first: what it says, or the fewest of what scales it.
    pub fn replicas(&self, workload: &Value) -> u64 {
        if workload["kind"] == "DaemonSet" {
            return 1;
        }
        let scales = |object: &&Value| object["spec"]["scaleTargetRef"]["name"] == workload["metadata"]["name"];
        let scaled = |kind, key: &str| self.of_kind(kind).find(scales).map(|object| object["spec"][key].clone());
        let says = workload["spec"].get("replicas").cloned();
        let says = says.or_else(|| scaled("HorizontalPodAutoscaler", "minReplicas"));
        says.or_else(|| scaled("ScaledObject", "minReplicaCount")).and_then(|count| count.as_u64()).unwrap()
    }
}

/// A text that has to be there.
pub fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_else(|| panic!("no text at {pointer} of {value}"))
}

/// A list, which is empty where it is absent.
pub fn list<'a>(value: &'a Value, pointer: &str) -> &'a [Value] {
    let list = value.pointer(pointer).filter(|list| !list.is_null());
    list.map_or(&[], |list| list.as_array().unwrap_or_else(|| panic!("no list at {pointer} of {value}")))
}

/// Fails where a mapping has another key than these: it would be ignored, and the test would prove too much.
pub fn only(value: &Value, known: &[&str]) {
    for key in value.as_object().unwrap().keys() {
        assert!(known.contains(&key.as_str()), "the tests do not understand {key:?} of {value}");
    }
}
