//! `deploy/compose.yaml`: its processes, started here as it describes them, and what it promises about all of its containers.
use crate::support::{PATIENCE, ProgramOutput, World, agon, example, root, yaml};
use agon_testkit::{NatsOptions, NatsServer, Process, free_port, until};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

const GUIDE: &str = "docs/guide/compose.md";
const OURS: &str = "/usr/local/bin/agon";

/// A file of `deploy`.
fn deploy(name: &str) -> Value {
    let text = std::fs::read_to_string(root().join("deploy").join(name)).unwrap();
    yaml(&text).remove(0)
}

fn texts(value: &Value) -> Vec<&str> {
    value.as_array().map(|list| list.iter().map(|item| item.as_str().unwrap()).collect()).unwrap_or_default()
}

/// The file with passwords, made by the guide's own commands.
fn passwords(world: &World) -> BTreeMap<String, String> {
    let guide = std::fs::read_to_string(root().join(GUIDE)).unwrap();
    let blocks = guide.split("```sh\n").skip(1).map(|block| block.split("```").next().unwrap());
    let block = blocks.into_iter().find(|block| block.contains("deploy/.env")).expect("the guide makes deploy/.env");
    std::fs::create_dir(world.path("deploy")).unwrap();
    let made = Command::new("sh").args(["-ec", block]).current_dir(world.path("")).output().unwrap();
    ProgramOutput::of(&made).ok();
    let file = std::fs::read_to_string(world.path("deploy/.env")).unwrap();
    file.lines().map(|line| line.split_once('=').unwrap()).map(|(name, value)| (name.into(), value.into())).collect()
}

/// Compose's variables: `${NAME}`, `${NAME:-default}`, `${NAME:?what to do}`.
fn variable(text: &str) -> Option<&str> {
    let inner = text.strip_prefix("${")?.strip_suffix('}')?;
    inner.split(':').next()
}

/// The cluster of the compose file on this machine's loopback.
struct Composed {
    file: Value,
    world: World,
    passwords: BTreeMap<String, String>,
    nats: NatsServer,
    ports: BTreeMap<String, u16>,
}

impl Composed {
    fn start() -> Self {
        let (file, world) = (deploy("compose.yaml"), World::new());
        let passwords = passwords(&world);
        let service = &file["services"]["nats"];
        let conf = texts(&service["volumes"]).iter().find_map(|volume| volume.strip_suffix(":/etc/nats/agon.conf:ro"));
        assert_eq!(texts(&service["command"]), ["-c", "/etc/nats/agon.conf"]);
        let shipped = std::fs::read_to_string(root().join("deploy").join(conf.unwrap())).unwrap();
        let environment = environment(service, &passwords).into_iter().collect();
        let options = NatsOptions { shipped: Some(shipped), environment, ..NatsOptions::default() };
        Self { file, world, passwords, nats: NatsServer::start_with(options).unwrap(), ports: BTreeMap::new() }
    }

    /// A service's command with its own settings; addresses of containers become those of this machine.
    fn command(&mut self, service: &str) -> Command {
        let described = self.file["services"][service].clone();
        let mut command = self.world.command(&texts(&described["command"]));
        for (name, value) in environment(&described, &self.passwords) {
            let here = match (value.as_str(), value.strip_prefix("0.0.0.0:")) {
                ("nats://nats:4222", _) => self.nats.url(),
                // nobody listens there: a collector that is away must not matter
                ("http://jaeger:4317", _) => format!("http://127.0.0.1:{}", free_port().unwrap()),
                (_, Some(port)) => format!("127.0.0.1:{}", self.port(service, port)),
                (_, None) => value,
            };
            assert!(!here.contains("//nats") && !here.contains("//jaeger"), "{name}={here} is not of this machine");
            command.env(name, here);
        }
        command
    }

    /// The port of this machine in place of a container's.
    fn port(&mut self, service: &str, port: &str) -> u16 {
        *self.ports.entry(format!("{service}:{port}")).or_insert_with(|| free_port().unwrap())
    }

    /// Starts a service and waits until its own health check is content.
    fn serve(&mut self, service: &str) -> Process {
        let command = self.command(service);
        let log = self.world.path(&format!("{service}.log"));
        let mut process = Process::start(service, command, log).unwrap();
        let admin = format!("http://127.0.0.1:{}", self.port(service, "9090"));
        let check = self.file["services"][service]["healthcheck"]["test"].clone();
        let check = texts(&check);
        assert_eq!(check[..2], ["CMD", OURS]);
        let healthy = || {
            assert!(process.runs(), "{service} ended:\n{}", process.log());
            let mut asked = Command::new(agon());
            let said = asked.env_clear().args(&check[2..]).args(["--url", &admin]).output()?;
            Ok(said.status.success().then_some(()))
        };
        until(&format!("{service} is healthy"), PATIENCE, healthy).unwrap();
        process
    }
}

/// The environment of a service with the variables filled in.
fn environment(service: &Value, passwords: &BTreeMap<String, String>) -> BTreeMap<String, String> {
    let listed = service["environment"].as_object().unwrap();
    let filled = |value: &Value| {
        let text = value.as_str().expect("compose wants texts, so that nothing is read as something else");
        variable(text).map_or_else(|| text.to_owned(), |name| passwords[name].clone())
    };
    listed.iter().map(|(name, value)| (name.clone(), filled(value))).collect()
}

#[test]
fn the_processes_that_compose_describes_hold_a_rehearsed_debate() {
    let mut composed = Composed::start();
    let provisioned = composed.command("provision").output().unwrap();
    ProgramOutput::of(&provisioned).ok();
    let mut processes: Vec<Process> =
        ["gateway", "coordinator", "host"].into_iter().map(|service| composed.serve(service)).collect();

    let server = format!("127.0.0.1:{}", composed.port("gateway", "50051"));
    let args =
        ["submit", &example("city-diesel-ban.md"), "--rehearsal", "--server", &server, "--id", "composed", "--wait"];
    let said = composed.world.agon(&[&args[..], &["--seed", "7", "--no-reports"]].concat());

    assert!(matches!(said.code, Some(0 | 2)), "decided or not: {said:?}");
    let listed = composed.world.agon(&["list", "--server", &server]).ok();
    assert!(listed.stdout.contains("composed"), "{listed:?}");
    for process in &mut processes {
        assert_eq!(process.terminate().unwrap().code(), Some(0), "{}", process.log());
    }
}

#[test]
fn a_gateway_that_asks_for_tokens_lets_nobody_else_in() {
    let mut composed = Composed::start();
    ProgramOutput::of(&composed.command("provision").output().unwrap()).ok();
    let tokens = composed.world.agon(&["token", "ada"]).ok();
    let file = composed.world.file("tokens.txt", &tokens.stdout);
    let over = deploy("compose.auth.yaml");
    let settings = over["services"]["gateway"]["environment"].as_object().unwrap();
    let mounted = over["services"]["gateway"]["volumes"][0]["target"].as_str().unwrap();
    let gateway = composed.file["services"]["gateway"]["environment"].as_object_mut().unwrap();
    for (name, value) in settings {
        let here = value.as_str().unwrap().replace(mounted, &file);
        gateway.insert(name.clone(), Value::String(here));
    }
    let _gateway = composed.serve("gateway");

    let server = format!("127.0.0.1:{}", composed.port("gateway", "50051"));
    let said = composed.world.agon(&["list", "--server", &server]);

    assert_ne!(said.code, Some(0), "{said:?}");
    assert!(said.stderr.contains("token"), "{said:?}");
}

#[test]
fn the_guide_makes_every_password_that_compose_asks_for() {
    let text = std::fs::read_to_string(root().join("deploy/compose.yaml")).unwrap();
    let asked: BTreeSet<&str> =
        text.split("${").skip(1).filter_map(|rest| rest.split_once(":?")).map(|(name, _)| name).collect();
    let made = passwords(&World::new());
    assert_eq!(asked, made.keys().map(String::as_str).collect());
    let distinct: BTreeSet<&String> = made.values().collect();
    assert_eq!(distinct.len(), made.len(), "each has a password of its own");
}

#[test]
fn containers_may_do_little_and_are_reached_from_this_machine_alone() {
    let file = deploy("compose.yaml");
    let mut published = BTreeSet::new();
    for (name, service) in file["services"].as_object().unwrap() {
        assert_eq!(service["read_only"], true, "{name}");
        assert_eq!(texts(&service["cap_drop"]), ["ALL"], "{name}");
        assert_eq!(texts(&service["security_opt"]), ["no-new-privileges:true"], "{name}");
        assert!(service["privileged"].is_null() && service["network_mode"].is_null(), "{name}");
        let image = service["image"].as_str().unwrap();
        assert!(image.contains(':') && !image.ends_with(":latest"), "{name} has no version: {image}");
        for port in texts(&service["ports"]) {
            assert!(port.starts_with("127.0.0.1:"), "{name}: {port}");
            published.insert(format!("{name} {}", port.rsplit(':').next().unwrap()));
        }
        if image.contains("agon:") {
            assert_eq!(service["user"], "65532:65532", "{name}");
        }
    }
    let wanted = ["gateway 50051", "gateway 8080", "grafana 3000", "jaeger 16686", "prometheus 9090"];
    assert_eq!(published, wanted.map(str::to_owned).into());
    for network in ["bus", "watch"] {
        assert_eq!(file["networks"][network]["internal"], true, "{network}");
    }
}

#[test]
fn what_compose_mounts_is_there() {
    let file = deploy("compose.yaml");
    let services = file["services"].as_object().unwrap();
    let mounted = services.values().flat_map(|service| texts(&service["volumes"]));
    let mut files = 0;
    for (source, _) in mounted.filter_map(|volume| volume.split_once(':')) {
        if source.starts_with('.') {
            files += 1;
            assert!(root().join("deploy").join(source).exists(), "{source}");
        } else {
            assert!(file["volumes"].as_object().unwrap().contains_key(source), "no volume {source}");
        }
    }
    assert!(files >= 5, "{files}");
}
