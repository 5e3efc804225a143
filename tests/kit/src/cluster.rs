//! A cluster on this machine: nats-server, gateways, coordinators and hosts, each a process of its own.
use crate::nats::{NatsOptions, NatsServer};
use crate::port::free_port;
use crate::process::Process;
use crate::proxy::TcpProxy;
use crate::rehearsal::Rehearsal;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

/// The model that the hosts of a scenario serve.
pub const MODEL: &str = "scripted";

/// What a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeRole {
    /// Speaks with clients.
    Gateway,
    /// Leads debates.
    Coordinator,
    /// Plays turns.
    Host,
}
impl NodeRole {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gateway => "gateway",
            Self::Coordinator => "coordinator",
            Self::Host => "host",
        }
    }
}

/// How a cluster is to be.
#[derive(Clone, Debug)]
pub struct Scenario {
    agon: PathBuf,
    gateways: usize,
    coordinators: usize,
    hosts: usize,
    settings: String,
    rehearsal: Vec<String>,
    permits: u32,
    proxies: bool,
    own_rehearsals: bool,
    model_server: Option<String>,
    nats: NatsOptions,
}

impl Scenario {
    /// One gateway, one coordinator and one host, with one rehearsal server and default settings.
    pub fn new(agon: impl Into<PathBuf>) -> Self {
        Self {
            agon: agon.into(),
            gateways: 1,
            coordinators: 1,
            hosts: 1,
            settings: String::new(),
            rehearsal: Vec::new(),
            permits: 64,
            proxies: false,
            own_rehearsals: false,
            model_server: None,
            nats: NatsOptions::default(),
        }
    }
    /// So many gateways.
    #[must_use]
    pub fn gateways(mut self, count: usize) -> Self {
        self.gateways = count;
        self
    }
    /// So many coordinators.
    #[must_use]
    pub fn coordinators(mut self, count: usize) -> Self {
        self.coordinators = count;
        self
    }
    /// So many hosts.
    #[must_use]
    pub fn hosts(mut self, count: usize) -> Self {
        self.hosts = count;
        self
    }
    /// Settings of every process, as TOML tables.
    #[must_use]
    pub fn settings(mut self, toml: &str) -> Self {
        self.settings.push_str(toml);
        self.settings.push('\n');
        self
    }
    /// Options of the rehearsal servers.
    #[must_use]
    pub fn rehearsal(mut self, options: &[&str]) -> Self {
        self.rehearsal.extend(options.iter().map(|option| (*option).to_owned()));
        self
    }
    /// Calls at one time at each host.
    #[must_use]
    pub fn permits(mut self, count: u32) -> Self {
        self.permits = count;
        self
    }
    /// Each process reaches NATS over a line of its own, which can be cut.
    #[must_use]
    pub fn behind_proxies(mut self) -> Self {
        self.proxies = true;
        self
    }
    /// Each host has a rehearsal server of its own instead of a shared one, so that it can be told who asked.
    #[must_use]
    pub fn own_rehearsals(mut self) -> Self {
        self.own_rehearsals = true;
        self
    }
    /// The hosts ask this server, and none is started.
    #[must_use]
    pub fn model_server(mut self, url: &str) -> Self {
        self.model_server = Some(url.to_owned());
        self
    }
    /// How nats-server is started.
    #[must_use]
    pub fn nats(mut self, options: NatsOptions) -> Self {
        self.nats = options;
        self
    }

    /// Starts everything and waits until all are up.
    pub fn start(self) -> Result<Cluster> {
        let folder = tempfile::tempdir().context("no temporary folder")?;
        let nats = NatsServer::start_with(self.nats.clone())?;
        let servers = match (&self.model_server, self.own_rehearsals) {
            (Some(_), _) => 0,
            (None, true) => self.hosts,
            (None, false) => 1,
        };
        let rehearsals = (1..=servers)
            .map(|_| Rehearsal::start(&self.agon, folder.path(), &self.rehearsal))
            .collect::<Result<Vec<_>>>()?;
        let mut cluster = Cluster { members: Vec::new(), rehearsals, nats, folder, scenario: self };
        let roles = [
            (NodeRole::Gateway, cluster.scenario.gateways),
            (NodeRole::Coordinator, cluster.scenario.coordinators),
            (NodeRole::Host, cluster.scenario.hosts),
        ];
        for (role, count) in roles {
            for n in 1..=count {
                let member = cluster.new_member(role, n)?;
                cluster.members.push(member);
            }
        }
        // The first sets up the streams; then all others start at once.
        for member in &mut cluster.members {
            member.spawn(cluster.folder.path())?;
        }
        for member in &mut cluster.members {
            member.wait_until_up()?;
        }
        Ok(cluster)
    }
}

/// A running cluster. All its processes end with it.
pub struct Cluster {
    // dropped in this order: the processes before what they stand on
    members: Vec<Member>,
    /// The model servers, one for each host or one for all.
    pub rehearsals: Vec<Rehearsal>,
    /// The server.
    pub nats: NatsServer,
    folder: TempDir,
    scenario: Scenario,
}

/// A process of the cluster.
pub struct Member {
    /// Its name; its node's id is this and a few letters of the start.
    pub name: String,
    /// What it does.
    pub role: NodeRole,
    /// Its line to NATS, where there is one.
    pub proxy: Option<TcpProxy>,
    process: Option<Process>,
    program: PathBuf,
    starts: u32,
    args: Vec<String>,
    /// Where a gateway speaks gRPC.
    pub grpc: Option<u16>,
    /// Where a gateway speaks HTTP.
    pub http: Option<u16>,
}

impl Member {
    fn spawn(&mut self, folder: &Path) -> Result<()> {
        self.starts += 1;
        let mut command = Command::new(&self.program);
        command.env_clear().env("HOME", folder).current_dir(folder).args(&self.args);
        if let Some(filter) = std::env::var_os("AGON_LOG") {
            command.env("AGON_LOG", filter);
        }
        let log = folder.join(format!("{}.{}.log", self.name, self.starts));
        self.process = Some(Process::start(&self.name, command, log)?);
        Ok(())
    }

    fn wait_until_up(&mut self) -> Result<()> {
        self.process()?.wait_for(" is up: ").map(drop)
    }

    /// Its process.
    pub fn process(&mut self) -> Result<&mut Process> {
        self.process.as_mut().with_context(|| format!("{} does not run", self.name))
    }
    /// Whether it runs, stopped or not.
    pub fn runs(&mut self) -> bool {
        self.process.as_mut().is_some_and(Process::runs)
    }
    /// Whether a node's id is that of its present start.
    pub fn is_node(&mut self, node: &str) -> bool {
        let up = format!("node {node} is up");
        self.process.as_ref().is_some_and(|process| process.log().contains(&up))
    }
    /// Kills it at once and waits until it is gone.
    pub fn kill(&mut self) {
        if let Some(process) = &mut self.process {
            process.kill();
        }
    }
    /// Its line to NATS.
    pub fn line(&self) -> Result<&TcpProxy> {
        self.proxy.as_ref().with_context(|| format!("{} has no line of its own", self.name))
    }
}

impl Cluster {
    fn new_member(&self, role: NodeRole, n: usize) -> Result<Member> {
        let name = format!("{}-{n}", role.name());
        let proxy = if self.scenario.proxies { Some(TcpProxy::start(self.nats.port())?) } else { None };
        let nats = match &proxy {
            Some(proxy) => format!("nats://{}", proxy.address()),
            None => self.nats.url(),
        };
        let config = self.write_settings(&name, role, n)?;
        let mut args: Vec<String> = ["serve", "--roles", role.name(), "--name", &name, "--nats", &nats]
            .into_iter()
            .map(str::to_owned)
            .collect();
        args.extend(["--admin".to_owned(), "127.0.0.1:0".to_owned(), "--config".to_owned(), config]);
        let (grpc, http) = match role {
            NodeRole::Gateway => (Some(free_port()?), Some(free_port()?)),
            NodeRole::Coordinator | NodeRole::Host => (None, None),
        };
        for (flag, port) in [("--grpc", grpc), ("--http", http)] {
            args.extend(port.map(|port| [flag.to_owned(), format!("127.0.0.1:{port}")]).into_iter().flatten());
        }
        let program = self.scenario.agon.clone();
        Ok(Member { name, role, proxy, process: None, program, starts: 0, args, grpc, http })
    }

    fn write_settings(&self, name: &str, role: NodeRole, n: usize) -> Result<String> {
        let mut text = self.scenario.settings.clone();
        if role == NodeRole::Host {
            let server = self.rehearsals.get(n - 1).or_else(|| self.rehearsals.first()).map(Rehearsal::url);
            let url = self.scenario.model_server.as_deref().or(server).context("the host has no model server")?;
            let permits = self.scenario.permits;
            text.push_str(&format!(
                "[[hosts]]\nname = \"scripted\"\nurl = \"{url}\"\npermits = {permits}\nmodels = [\"{MODEL}\"]\n"
            ));
        }
        let path = self.folder.path().join(format!("{name}.toml"));
        fs::write(&path, text)?;
        Ok(path.to_string_lossy().into_owned())
    }

    /// Its folder: the logs of its processes are there.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
    /// Keeps its folder for people to look into, and says where it is.
    pub fn keep_folder(&mut self) -> PathBuf {
        self.folder.disable_cleanup(true);
        self.folder.path().to_path_buf()
    }

    /// All processes.
    pub fn members(&mut self) -> &mut [Member] {
        &mut self.members
    }
    /// A process by its name, such as `coordinator-1`.
    pub fn member(&mut self, name: &str) -> Result<&mut Member> {
        self.members.iter_mut().find(|member| member.name == name).with_context(|| format!("no {name}"))
    }
    /// The names of all processes of a role.
    pub fn names(&self, role: NodeRole) -> Vec<String> {
        self.members.iter().filter(|member| member.role == role).map(|member| member.name.clone()).collect()
    }
    /// The process whose present start has that node id. Hosts are named after their node, so their names will do too.
    pub fn member_of(&mut self, node: &str) -> Option<String> {
        let node = node.strip_prefix("scripted-").unwrap_or(node).to_owned();
        self.members.iter_mut().find_map(|member| member.is_node(&node).then(|| member.name.clone()))
    }

    /// Starts a process that was killed or has ended, and waits until it is up.
    pub fn restart(&mut self, name: &str) -> Result<()> {
        self.spawn_again(name)?;
        self.member(name)?.wait_until_up()
    }
    /// Starts a process that was killed or has ended.
    pub fn spawn_again(&mut self, name: &str) -> Result<()> {
        let folder = self.folder.path().to_path_buf();
        let member = self.member(name)?;
        if member.runs() {
            bail!("{name} still runs");
        }
        member.spawn(&folder)
    }
    /// Starts a process that has ended as another version of the program, which it stays, and waits until it is up.
    pub fn restart_as(&mut self, name: &str, program: &Path) -> Result<()> {
        self.member(name)?.program = program.to_path_buf();
        self.restart(name)
    }

    /// Where the nth gateway speaks gRPC, from 0.
    pub fn grpc(&self, n: usize) -> Result<String> {
        let mut ports = self.members.iter().filter_map(|member| member.grpc);
        Ok(format!("127.0.0.1:{}", ports.nth(n).context("no such gateway")?))
    }

    /// The program with nothing of this machine's settings.
    pub fn agon(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.scenario.agon);
        command.env_clear().env("HOME", self.folder.path()).current_dir(self.folder.path());
        command.args(args).stdin(Stdio::null());
        command
    }

    /// Submits a debate file to the first gateway under an id; gives what the program said.
    pub fn submit(&self, file: &str, id: &str) -> Result<Output> {
        let path = self.folder.path().join(format!("{id}.yaml"));
        fs::write(&path, file)?;
        let (path, server) = (path.to_string_lossy().into_owned(), self.grpc(0)?);
        let args = ["submit", &path, "--id", id, "--server", &server, "--rehearsal", "--seed", "7", "--model", MODEL];
        let output = self.agon(&args).output()?;
        if !output.status.success() {
            bail!("submit {id}: {}: {}", output.status, String::from_utf8_lossy(&output.stderr));
        }
        Ok(output)
    }
}
