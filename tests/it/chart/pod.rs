//! A pod: its containers as processes, started, probed and ended as a kubelet does it.
use super::network::{PodEndpoint, PortMap, free_ports, port_names, texts};
use super::places::{Places, program, settings};
use super::render::{list, only, text};
use super::site::Site;
use super::volumes::VolumeSources;
use crate::cluster_bench::PATIENCE;
use agon_testkit::{Process, http_get, until};
use nix::sys::signal::Signal;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// A pod that runs.
pub struct Pod {
    pub name: String,
    /// The pod's template or manifest.
    manifest: Value,
    pub ports: PortMap,
    folder: PathBuf,
    /// Sidecars first, in the order of their start.
    containers: Vec<Container>,
}

struct Container {
    spec: Value,
    process: Process,
}

/// Fields of a container. Those of the second line are not imitated.
const CONTAINER: &[&str] = &[
    "name",
    "image",
    "command",
    "args",
    "env",
    "ports",
    "volumeMounts",
    "startupProbe",
    "readinessProbe",
    "livenessProbe",
    "lifecycle",
    "restartPolicy",
    "imagePullPolicy",
    "resources",
    "securityContext",
    "terminationMessagePolicy",
];
/// Fields of a pod. Most say where it may run and as whom, which is not imitated.
const POD: &[&str] = &[
    "containers",
    "initContainers",
    "volumes",
    "terminationGracePeriodSeconds",
    "restartPolicy",
    "serviceAccountName",
    "automountServiceAccountToken",
    "enableServiceLinks",
    "securityContext",
    "topologySpreadConstraints",
    "nodeSelector",
    "tolerations",
    "affinity",
    "priorityClassName",
    "activeDeadlineSeconds",
    "imagePullSecrets",
];

impl Pod {
    /// Starts the pod, sidecars first, and does not wait until it is ready.
    pub fn start(site: &Site, name: &str, manifest: &Value, claims: &[String]) -> Self {
        let spec = &manifest["spec"];
        only(spec, POD);
        assert_eq!(spec["enableServiceLinks"], false, "variables of services would be missing in the test");
        let ports = site.network.ports_of(name).unwrap_or_else(|| free_ports(spec));
        let folder = site.pod_folder(name);
        let (name, manifest) = (name.to_owned(), manifest.clone());
        let mut pod = Self { name, manifest, ports, folder, containers: Vec::new() };
        for sidecar in pod.containers_of("/initContainers") {
            assert_eq!(sidecar["restartPolicy"], "Always", "only sidecars are understood");
            pod.launch(site, sidecar, claims);
            pod.probe("startupProbe");
        }
        for container in pod.containers_of("/containers") {
            pod.launch(site, container, claims);
        }
        pod
    }

    fn containers_of(&self, pointer: &str) -> Vec<Value> {
        list(&self.manifest["spec"], pointer).to_vec()
    }

    fn launch(&mut self, site: &Site, spec: Value, claims: &[String]) {
        let name = text(&spec, "/name").to_owned();
        let command = self.command(site, &spec, claims, None);
        let log = self.folder.join(format!("{name}.log"));
        let process = Process::start(&format!("{}/{name}", self.name), command, log).unwrap();
        self.containers.push(Container { spec, process });
    }

    /// The line of a container with all that it finds around it; other arguments in place of its own where some are given.
    pub fn command(&self, site: &Site, spec: &Value, claims: &[String], args: Option<&[&str]>) -> Command {
        only(spec, CONTAINER);
        let root = self.folder.join(text(spec, "/name"));
        let mut mounts: Vec<String> =
            list(spec, "/volumeMounts").iter().map(|mount| text(mount, "/mountPath").to_owned()).collect();
        mounts.sort_by_key(|mount| std::cmp::Reverse(mount.len()));
        let places = Places { network: &site.network, ports: &self.ports, root: root.clone(), mounts };
        if !root.exists() {
            let claimed = site.claims_folder(&self.name);
            let sources =
                VolumeSources { render: &site.render, secrets: &site.secrets, pod: &self.folder, claims: &claimed };
            sources.lay_out(&self.manifest["spec"], claims, spec, &places);
            std::fs::create_dir_all(root.join("cwd")).unwrap();
        }
        let environment = self.environment(site, spec);
        let words = |pointer| list(spec, pointer).iter().map(|word| word.as_str().unwrap().to_owned());
        let expanded = |word: String| places.here(&expand(&word, &environment));
        let own: Vec<String> = words("/args").map(expanded).collect();
        let args = args.map_or(own, |args| args.iter().map(|arg| places.here(arg)).collect());
        let mut line = program(text(spec, "/image"), &words("/command").map(expanded).collect::<Vec<_>>(), &args);
        line.env_clear().current_dir(root.join("cwd")).env(settings(&root).0, settings(&root).1);
        line.envs(environment.iter().map(|(name, value)| (name, places.here(value))));
        line
    }

    /// The environment, in its order: a value may refer to those before it.
    fn environment(&self, site: &Site, spec: &Value) -> Vec<(String, String)> {
        let mut environment = Vec::new();
        for variable in list(spec, "/env") {
            only(variable, &["name", "value", "valueFrom"]);
            let value = match variable.get("value") {
                Some(value) => expand(value.as_str().unwrap(), &environment),
                None => self.value_from(site, &variable["valueFrom"]),
            };
            environment.push((text(variable, "/name").to_owned(), value));
        }
        environment
    }

    fn value_from(&self, site: &Site, from: &Value) -> String {
        only(from, &["secretKeyRef", "fieldRef"]);
        if let Some(secret) = from.get("secretKeyRef") {
            only(secret, &["name", "key"]);
            return String::from_utf8(site.secrets.value(text(secret, "/name"), text(secret, "/key"))).unwrap();
        }
        match text(from, "/fieldRef/fieldPath") {
            "metadata.name" => self.name.clone(),
            "status.hostIP" | "status.podIP" => "127.0.0.1".to_owned(),
            other => panic!("the tests do not know the field {other}"),
        }
    }

    /// Waits until the probe of the container that was started last is answered, as long as the render grants.
    fn probe(&mut self, which: &str) {
        let container = self.containers.last_mut().unwrap();
        let probe = container.spec[which].clone();
        if probe.is_null() {
            return;
        }
        only(&probe, &["httpGet", "periodSeconds", "timeoutSeconds", "failureThreshold"]);
        let names = port_names(&self.manifest["spec"]);
        let (port, path) = (self.ports[&names[text(&probe, "/httpGet/port")]], text(&probe, "/httpGet/path"));
        let limit = probe["periodSeconds"].as_u64().unwrap() * probe["failureThreshold"].as_u64().unwrap();
        // only the start has a limit of its own; a pod that is not ready is left alone
        let limit = Duration::from_secs(if which == "startupProbe" { limit } else { 60 });
        let answered = until(&format!("the {which} of {} is answered", self.name), limit, || {
            assert!(container.process.runs(), "{} has ended:\n{}", self.name, container.process.log());
            Ok(http_get(&format!("127.0.0.1:{port}"), path).ok())
        });
        assert!(answered.is_ok(), "{answered:?}\n{}", container.process.log());
    }

    /// Waits until every probe of the pod has been answered, and lets services lead to it.
    pub fn until_ready(&mut self, site: &Site) {
        for which in ["startupProbe", "livenessProbe", "readinessProbe"] {
            self.probe(which);
        }
        let labels = texts(&self.manifest["metadata"]["labels"]);
        let endpoint = PodEndpoint { labels, ports: self.ports.clone(), names: port_names(&self.manifest["spec"]) };
        site.network.set_ready(&self.name, Some(endpoint));
    }

    /// Waits for the end of its only container, and gives its code and what it said.
    pub fn until_over(&mut self) -> (Option<i32>, String) {
        let main = self.containers.last_mut().unwrap();
        let code = main.process.wait().unwrap().code();
        (code, main.process.log())
    }

    /// Ends the pod: services lead elsewhere, the container is told by `preStop` and SIGTERM, and must end in order within the grace
    /// period. The time that `preStop` only waits is for load balancers, which know at once here, so it is only counted.
    pub fn end(mut self, site: &Site) {
        site.network.set_ready(&self.name, None);
        let grace = self.manifest["spec"]["terminationGracePeriodSeconds"].as_u64().unwrap();
        let began = Instant::now();
        let mut waited = 0;
        // sidecars go last
        for at in (0..self.containers.len()).rev() {
            let spec = self.containers[at].spec.clone();
            waited += self.pre_stop(site, &spec);
            let process = &mut self.containers[at].process;
            if process.runs() {
                process.signal(Signal::SIGTERM).unwrap();
            }
            let status = process.wait().unwrap();
            // nats-server calls SIGTERM a failure, which no kubelet minds
            let well = status.success() || text(&spec, "/name") == "nats";
            assert!(well, "{} ended with {status}:\n{}", self.name, process.log());
        }
        let took = began.elapsed() + Duration::from_secs(waited);
        assert!(took <= Duration::from_secs(grace), "{} took {took:?} to end, and would have been killed", self.name);
        self.wrote_nothing();
    }

    fn pre_stop(&self, site: &Site, spec: &Value) -> u64 {
        let hook = &spec["lifecycle"]["preStop"];
        if hook.is_null() {
            return 0;
        }
        only(hook, &["sleep", "exec"]);
        if let Some(exec) = hook.get("exec") {
            let mut inside = spec.clone();
            let words = list(exec, "/command");
            inside["command"] = Value::Array(words[..1].to_vec());
            inside["args"] = Value::Array(words[1..].to_vec());
            let output = self.command(site, &inside, &[], None).output().unwrap();
            assert!(output.status.success(), "{exec}: {}", String::from_utf8_lossy(&output.stderr));
        }
        hook["sleep"]["seconds"].as_u64().unwrap_or_default()
    }

    /// The root of containers can only be read: what a process writes has to go into its volumes.
    fn wrote_nothing(&self) {
        for container in &self.containers {
            let folder = self.folder.join(text(&container.spec, "/name")).join("cwd");
            let left: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
            assert!(left.is_empty(), "{} wrote {left:?} where it may not", self.name);
        }
    }

    /// Where its containers lie.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
    /// The container that a pod is there for.
    pub fn main(&self) -> &Value {
        &self.containers.last().unwrap().spec
    }
    /// Figures of the pod, where it has some.
    pub fn metrics(&self) -> Option<String> {
        let port = self.ports.get(&9090)?;
        Some(http_get(&format!("127.0.0.1:{port}"), "/metrics").unwrap())
    }
    /// Waits until it leads a debate, so that its end makes one change its owner.
    pub fn until_it_leads(&self) {
        let leads = |line: &str| line.starts_with("agon_debates_active") && !line.ends_with(" 0");
        let look = || Ok(self.metrics().unwrap_or_default().lines().any(leads).then_some(()));
        until(&format!("{} leads a debate", self.name), PATIENCE, look).unwrap();
    }
}

/// `$(NAME)` becomes the value of that variable, as Kubernetes does it. One that is not there would stay as it is, and is refused.
fn expand(text: &str, environment: &[(String, String)]) -> String {
    let known: BTreeMap<_, _> = environment.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let mut parts = text.split("$(");
    let mut expanded = parts.next().unwrap().to_owned();
    for part in parts {
        assert!(!expanded.ends_with('$'), "an escaped reference is not understood: {text}");
        let (name, rest) = part.split_once(')').unwrap_or_else(|| panic!("a reference without its end: {text}"));
        expanded.push_str(known.get(name).unwrap_or_else(|| panic!("{name} is not set before it is used: {text}")));
        expanded.push_str(rest);
    }
    expanded
}
