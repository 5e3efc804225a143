//! A cluster as a user would start it by hand: nats-server, gateways, coordinators and hosts, each a process with a log of its own.
use super::{ProgramOutput, RunningProgram, SHORT, World, example};
use agon_testkit::{NatsOptions, NatsServer, Process};
use serde_json::Value;
use std::process::Command;

/// Processes around one nats-server, in one world. All end with it.
pub struct TestCluster {
    // dropped in this order: the processes before what they stand on
    members: Vec<ClusterMember>,
    nats: Option<NatsServer>,
    pub world: World,
    starts: usize,
    /// Settings of every process, by environment variable.
    settings: Vec<(String, String)>,
    /// How each process shows NATS that it is the user of its roles.
    login: Option<Login>,
    /// Another cluster's server, where there is none of its own.
    beside: Option<String>,
    /// What becomes of the command of every process.
    dressed: fn(Command) -> Command,
}

/// How the processes show NATS who they are.
enum Login {
    /// By this password; the users' names begin with this.
    Password { prefix: String, password: String },
    /// By the seeds in this folder of the world, each in a file that is named as the user.
    Keys(String),
}

/// A process of the cluster.
pub struct ClusterMember {
    /// Its name; the id of its node is this and a few letters of the start.
    pub name: String,
    pub process: Process,
}

/// What a process says once it serves.
const UP: &str = " is up: ";
/// A pace at which there is time to interfere.
pub const SLOW: [&str; 2] = ["--token-interval", "1ms"];

impl TestCluster {
    /// Nothing yet but a world.
    pub fn start() -> Self {
        Self {
            members: Vec::new(),
            nats: None,
            world: World::new(),
            starts: 0,
            settings: Vec::new(),
            login: None,
            beside: None,
            dressed: |command| command,
        }
    }

    /// A setting of every process that is started from here on, such as `AGON__NATS__REPLICAS`.
    pub fn setting(mut self, name: &str, value: &str) -> Self {
        self.settings.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Every process that is started from here on is the user of NATS that is named as its roles.
    pub fn with_users(self, password: &str) -> Self {
        self.with_users_of("", password)
    }
    /// The same, where the names of users begin with something.
    pub fn with_users_of(mut self, prefix: &str, password: &str) -> Self {
        self.login = Some(Login::Password { prefix: prefix.to_owned(), password: password.to_owned() });
        self
    }
    /// The same, by keys in files of this folder of the world that are named as the users.
    pub fn with_keys(mut self, folder: &str) -> Self {
        self.login = Some(Login::Keys(folder.to_owned()));
        self
    }

    /// The nats-server of another cluster.
    pub fn beside(mut self, url: &str) -> Self {
        self.beside = Some(url.to_owned());
        self
    }
    /// Every command that is made from here on is changed so.
    pub fn bare(mut self, dressed: fn(Command) -> Command) -> Self {
        self.dressed = dressed;
        self
    }

    /// A nats-server with JetStream.
    pub fn nats(self) -> Self {
        self.nats_with(NatsOptions::default())
    }
    /// A nats-server with other options.
    pub fn nats_with(mut self, options: NatsOptions) -> Self {
        self.nats = Some(NatsServer::start_with(options).unwrap());
        self
    }

    /// A gateway.
    pub fn gateway(mut self) -> Self {
        self.add("gateway", "gateway", &[]);
        self
    }
    /// A process that is gateway and coordinator.
    pub fn gateway_and_coordinator(mut self) -> Self {
        self.add("gateway", "gateway,coordinator", &[]);
        self
    }
    /// So many coordinators, `coordinator-1` and on.
    pub fn coordinators(mut self, count: usize) -> Self {
        for n in 1..=count {
            self.add(&format!("coordinator-{n}"), "coordinator", &[]);
        }
        self
    }
    /// So many hosts with scripted speakers, `host-1` and on.
    pub fn hosts(self, count: usize) -> Self {
        self.hosts_with(count, &[])
    }
    /// The same, with more options for each.
    pub fn hosts_with(mut self, count: usize, options: &[&str]) -> Self {
        for n in 1..=count {
            self.add(&format!("host-{n}"), "host", &[&["--rehearsal"], options].concat());
        }
        self
    }

    fn add(&mut self, name: &str, roles: &str, options: &[&str]) {
        let mut process = self.launch(name, &[&["--roles", roles, "--name", name], options].concat());
        process.wait_for(UP).unwrap();
        self.members.push(ClusterMember { name: name.to_owned(), process });
    }

    /// Starts `agon serve` on free ports, with the cluster's NATS where there is one, and does not wait for it.
    pub fn launch(&mut self, name: &str, args: &[&str]) -> Process {
        self.starts += 1;
        let log = self.world.path(&format!("{name}.{}.log", self.starts));
        Process::start(name, self.serve(args), log).unwrap()
    }

    /// Runs `agon serve` to its end, which has to come by itself.
    pub fn serve_in_vain(&mut self, args: &[&str]) -> ProgramOutput {
        let mut process = self.launch("in-vain", args);
        let code = process.wait().unwrap().code();
        ProgramOutput { code, stdout: String::new(), stderr: process.log() }
    }

    fn serve(&self, args: &[&str]) -> Command {
        let free = [["--grpc", "127.0.0.1:0"], ["--http", "127.0.0.1:0"], ["--admin", "127.0.0.1:0"]];
        let mut line = vec!["serve"];
        line.extend(free.iter().filter(|[flag, _]| !args.contains(flag)).flatten());
        line.extend(args);
        let mut command = self.world.command(&line);
        let roles = args.iter().skip_while(|arg| **arg != "--roles").nth(1);
        self.prepare(&mut command, roles.map(|roles| roles.replace(',', "_")));
        if let Some(filter) = std::env::var_os("AGON_LOG") {
            command.env("AGON_LOG", filter);
        }
        (self.dressed)(command)
    }

    /// Settings, the server, and which user of it the program is.
    fn prepare(&self, command: &mut Command, user: Option<String>) {
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        match (&self.login, user) {
            (Some(Login::Password { prefix, password }), Some(user)) => {
                command.env("AGON__NATS__USER", format!("{prefix}{user}"));
                command.env("AGON__NATS__PASSWORD__ENV", "NATS_PASSWORD").env("NATS_PASSWORD", password);
            }
            (Some(Login::Keys(folder)), Some(user)) => {
                command.env("AGON__NATS__NKEY", self.world.path(folder).join(user));
            }
            (_, None) | (None, Some(_)) => {}
        }
        let own = self.nats.as_ref().map(NatsServer::url);
        if let Some(url) = own.or_else(|| self.beside.clone()) {
            command.env("AGON__NATS__URLS", url);
        }
    }

    /// Runs `agon provision`.
    pub fn provision(&self) -> ProgramOutput {
        let mut command = self.world.command(&["provision"]);
        self.prepare(&mut command, Some("provisioner".to_owned()));
        ProgramOutput::of(&command.output().unwrap())
    }

    /// A process by its name.
    pub fn member(&mut self, name: &str) -> &mut Process {
        let member = self.members.iter_mut().find(|member| member.name == name);
        &mut member.unwrap_or_else(|| panic!("there is no process {name}")).process
    }
    /// The name of the process whose node has this id.
    pub fn member_of(&self, node: &str) -> String {
        let up = format!("node {node}{UP}");
        let member = self.members.iter().find(|member| member.process.log().contains(&up));
        member.unwrap_or_else(|| panic!("no process is node {node}")).name.clone()
    }
    /// The server.
    pub fn nats_server(&mut self) -> &mut NatsServer {
        self.nats.as_mut().expect("the cluster has a nats-server")
    }

    /// Where the gateway listens: `gRPC`, `HTTP` or `admin`.
    pub fn address(&mut self, what: &str) -> String {
        address(self.member("gateway"), what)
    }

    /// The program as a client of the gateway, ready to be started.
    pub fn client(&mut self, args: &[&str]) -> Command {
        let server = self.address("gRPC");
        let mut command = self.world.command(args);
        command.env("AGON_SERVER", server);
        command
    }
    /// The same, run to its end.
    pub fn agon(&mut self, args: &[&str]) -> ProgramOutput {
        ProgramOutput::of(&self.client(args).output().unwrap())
    }
    /// The same, whose words must be JSON.
    pub fn json(&mut self, args: &[&str]) -> Value {
        serde_json::from_str(&self.agon(args).ok().stdout).unwrap()
    }
    /// Submits the usual example under this id, and waits for its decision.
    pub fn decides(&mut self, id: &str) {
        let said = self.agon(&["submit", &example(SHORT), "--rehearsal", "--wait", "--id", id]).ok();
        assert!(said.stdout.contains("Decided"), "{said:?}");
    }
    /// The same, while it runs.
    pub fn running(&mut self, args: &[&str]) -> RunningProgram {
        RunningProgram::start(self.client(args))
    }
    /// The events that the server keeps of a debate.
    pub fn events(&mut self, id: &str) -> Vec<Value> {
        let said = self.agon(&["report", id, "--format", "jsonl"]).ok();
        said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// Where a process says that it listens: `gRPC`, `HTTP` or `admin`.
pub fn address(process: &mut Process, what: &str) -> String {
    let line = process.wait_for(what).unwrap();
    line.rsplit("//").next().unwrap().trim().to_owned()
}
