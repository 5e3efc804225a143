//! Addresses: services and pods have names in a cluster, and free ports here.
use super::render::{Render, list, text};
use agon_testkit::{TcpProxy, free_port};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// The ports of a pod: what the render calls it, and what it is here.
pub type PortMap = BTreeMap<u16, u16>;

/// The services of a render, each a line that leads to the pods that are ready, and who has a name of its own.
pub struct Network {
    namespace: String,
    services: Vec<Service>,
    /// Ports of the pods of stateful sets, by their names within the namespace, such as `agon-nats-0.agon-nats-headless`.
    named: BTreeMap<String, PortMap>,
    /// Servers outside the render, by `host:port`.
    outside: BTreeMap<String, u16>,
    /// Ready pods: labels, ports, and the names of ports.
    ready: Mutex<BTreeMap<String, PodEndpoint>>,
}

struct Service {
    name: String,
    selector: BTreeMap<String, String>,
    port: u16,
    target: Value,
    line: TcpProxy,
}

/// Where a ready pod can be reached.
#[derive(Clone)]
pub struct PodEndpoint {
    pub labels: BTreeMap<String, String>,
    pub ports: PortMap,
    /// Ports of the render by their names.
    pub names: BTreeMap<String, u16>,
}

impl Network {
    pub fn new(render: &Render, outside: BTreeMap<String, u16>) -> Self {
        let services = render.of_kind("Service").flat_map(|service| {
            list(service, "/spec/ports").iter().map(|port| Service {
                name: text(service, "/metadata/name").to_owned(),
                selector: texts(&service["spec"]["selector"]),
                port: number(&port["port"]),
                target: port["targetPort"].clone(),
                // it leads nowhere until a pod is ready
                line: closed(),
            })
        });
        let mut named = BTreeMap::new();
        for set in render.of_kind("StatefulSet") {
            for at in 0..set["spec"]["replicas"].as_u64().unwrap() {
                let name = format!("{}-{at}", text(set, "/metadata/name"));
                let full = format!("{name}.{}", text(set, "/spec/serviceName"));
                named.insert(full, free_ports(&set["spec"]["template"]["spec"]));
            }
        }
        let namespace = "agon".to_owned();
        Self { namespace, services: services.collect(), named, outside, ready: Mutex::default() }
    }

    /// The ports that were put aside for a pod of a stateful set.
    pub fn ports_of(&self, pod: &str) -> Option<PortMap> {
        let full = self.named.iter().find(|(name, _)| name.split('.').next() == Some(pod));
        full.map(|(_, ports)| ports.clone())
    }

    /// The port here of a service of the render.
    pub fn service(&self, name: &str, port: u16) -> u16 {
        let service = self.services.iter().find(|service| service.name == name && service.port == port);
        service.unwrap_or_else(|| panic!("the render has no service {name} with the port {port}")).line.port()
    }

    /// The port here of an address of the render; `own` are the ports of the pod that uses it.
    fn port(&self, host: &str, port: u16, own: &PortMap) -> u16 {
        if matches!(host, "0.0.0.0" | "127.0.0.1") {
            return *own.get(&port).unwrap_or_else(|| panic!("no container of the pod has the port {port}"));
        }
        if let Some(port) = self.outside.get(&format!("{host}:{port}")) {
            return *port;
        }
        let inside = host.strip_suffix(".svc").and_then(|host| host.strip_suffix(&format!(".{}", self.namespace)));
        let inside = inside.unwrap_or_else(|| panic!("{host}:{port} is neither in the render nor known to the test"));
        match self.named.get(inside) {
            Some(ports) => ports[&port],
            None => self.service(inside, port),
        }
    }

    /// A text of the render with the addresses of this machine.
    pub fn here(&self, text: &str, own: &PortMap) -> String {
        let mut here = String::new();
        let mut done = 0;
        for (colon, _) in text.match_indices(':') {
            let Some((begin, end, port)) = address(text, colon) else { continue };
            let port = self.port(&text[begin..colon], port, own);
            here.push_str(&text[done..begin]);
            here.push_str(&format!("127.0.0.1:{port}"));
            done = end;
        }
        here.push_str(&text[done..]);
        let unknown = here.split("://").skip(1).map(|rest| rest.rsplit_once('@').map_or(rest, |(_, host)| host));
        for rest in unknown {
            assert!(rest.starts_with("127.0.0.1:"), "an address without a port: {rest}");
        }
        here
    }

    /// A pod is ready from here on, and services lead to it; or it is about to go.
    pub fn set_ready(&self, pod: &str, endpoint: Option<PodEndpoint>) {
        let mut ready = self.ready.lock().unwrap();
        match endpoint {
            Some(endpoint) => drop(ready.insert(pod.to_owned(), endpoint)),
            None => drop(ready.remove(pod)),
        }
        for service in &self.services {
            let selected =
                |endpoint: &&PodEndpoint| service.selector.iter().all(|(k, v)| endpoint.labels.get(k) == Some(v));
            let target = |endpoint: &PodEndpoint| match &service.target {
                Value::String(name) => endpoint.names.get(name).copied(),
                other => Some(number(other)),
            };
            let ports = ready.values().filter(selected).filter_map(|endpoint| endpoint.ports.get(&target(endpoint)?));
            service.line.lead_to_any(&ports.copied().collect::<Vec<_>>());
        }
    }
}

/// An address around this colon: where it begins and ends, and its port. Other things with a colon are none.
fn address(text: &str, colon: usize) -> Option<(usize, usize, u16)> {
    let after = &text[colon + 1..];
    let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    let port = after[..digits].parse().ok()?;
    let ends = !after[digits..].starts_with(|c: char| c.is_alphanumeric() || c == '.');
    let part = |c: char| c.is_ascii_alphanumeric() || ".-_".contains(c);
    let begin = text[..colon].rfind(|c| !part(c)).map_or(0, |at| at + 1);
    let host = &text[begin..colon];
    let named = text[..begin].ends_with("//") || text[..begin].ends_with('@');
    let is = ends && !host.is_empty() && (named || host == "0.0.0.0" || host == "127.0.0.1");
    is.then_some((begin, colon + 1 + digits, port))
}

fn closed() -> TcpProxy {
    let line = TcpProxy::start(0).unwrap();
    line.lead_to_any(&[]);
    line
}

/// A free port for each port of the containers.
pub fn free_ports(spec: &Value) -> PortMap {
    let containers = list(spec, "/initContainers").iter().chain(list(spec, "/containers"));
    let ports = containers.flat_map(|container| list(container, "/ports"));
    ports.map(|port| (number(&port["containerPort"]), free_port().unwrap())).collect()
}

/// The names of the ports of the containers.
pub fn port_names(spec: &Value) -> BTreeMap<String, u16> {
    let containers = list(spec, "/initContainers").iter().chain(list(spec, "/containers"));
    let ports = containers.flat_map(|container| list(container, "/ports"));
    ports.map(|port| (text(port, "/name").to_owned(), number(&port["containerPort"]))).collect()
}

/// A port.
pub fn number(value: &Value) -> u16 {
    value.as_u64().and_then(|number| u16::try_from(number).ok()).unwrap_or_else(|| panic!("{value} is no port"))
}

/// A mapping of texts.
pub fn texts(value: &Value) -> BTreeMap<String, String> {
    let pairs = value.as_object().into_iter().flatten();
    pairs.map(|(key, value)| (key.clone(), value.as_str().unwrap().to_owned())).collect()
}
