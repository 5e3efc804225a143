//! A real nats-server process.
use crate::port::free_port;
use anyhow::{Context, Result, bail};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How long a server may take to listen.
const START: Duration = Duration::from_secs(20);

/// The servers to test against: `AGON_NATS_SERVERS`, paths parted by `:`, else `nats-server` of the search path.
pub fn nats_servers() -> Vec<PathBuf> {
    match std::env::var_os("AGON_NATS_SERVERS") {
        Some(paths) => std::env::split_paths(&paths).collect(),
        None => vec![PathBuf::from("nats-server")],
    }
}

/// How to start it.
#[derive(Clone, Debug, Default)]
pub struct NatsOptions {
    /// The program; `nats-server` of the search path by default.
    pub program: Option<PathBuf>,
    /// More lines for its configuration file.
    pub config: String,
    /// Without JetStream.
    pub no_jetstream: bool,
    /// A whole configuration instead, as it is shipped: only address, port and the folder of its streams are replaced.
    pub shipped: Option<String>,
    /// What it finds in its environment.
    pub environment: Vec<(String, String)>,
}

/// A running nats-server with JetStream in a folder of its own. Killed when dropped.
pub struct NatsServer {
    folder: TempDir,
    program: PathBuf,
    environment: Vec<(String, String)>,
    port: u16,
    child: Option<Child>,
}

impl NatsServer {
    /// Starts a server with default options.
    pub fn start() -> Result<Self> {
        Self::start_with(NatsOptions::default())
    }

    /// Starts a server.
    pub fn start_with(options: NatsOptions) -> Result<Self> {
        let folder = tempfile::tempdir().context("no temporary folder")?;
        let port = free_port()?;
        let store = folder.path().join("js");
        let jetstream = if options.no_jetstream {
            String::new()
        } else {
            format!("jetstream {{ store_dir: {:?}, max_file_store: 4GB, max_memory_store: 1GB }}\n", store)
        };
        let text = match options.shipped {
            Some(shipped) => of_this_machine(&shipped, port, &store),
            None => format!("host: \"127.0.0.1\"\nport: {port}\n{jetstream}{}\n", options.config),
        };
        fs::write(folder.path().join("nats.conf"), text)?;
        let program = options.program.unwrap_or_else(|| PathBuf::from("nats-server"));
        let environment = options.environment;
        let mut server = Self { folder, program, environment, port, child: None };
        server.restart()?;
        Ok(server)
    }

    /// Starts it again on the same port with the same store; does nothing while it runs.
    pub fn restart(&mut self) -> Result<()> {
        if self.child.is_some() {
            return Ok(());
        }
        let log = fs::OpenOptions::new().create(true).append(true).open(self.log_file())?;
        let mut command = Command::new(&self.program);
        command.arg("-c").arg(self.folder.path().join("nats.conf"));
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
        let child = command.spawn().with_context(|| {
            format!("cannot start {}; `apt-get install nats-server` installs it on Debian", self.program.display())
        })?;
        self.child = Some(child);
        self.wait_until_it_listens()
    }

    fn wait_until_it_listens(&mut self) -> Result<()> {
        let until = Instant::now() + START;
        while TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            let ended = self.child.as_mut().and_then(|child| child.try_wait().ok().flatten());
            if let Some(status) = ended {
                self.child = None;
                bail!("nats-server ended with {status}: {}", self.log());
            }
            if Instant::now() > until {
                bail!("nats-server does not listen: {}", self.log());
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    /// Its address as clients want it.
    pub fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }
    /// Its process id, while it runs.
    pub fn id(&self) -> Option<u32> {
        self.child.as_ref().map(Child::id)
    }
    /// Its port.
    pub fn port(&self) -> u16 {
        self.port
    }
    /// Its folder, with its configuration, store and log.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
    fn log_file(&self) -> PathBuf {
        self.folder.path().join("nats.log")
    }
    /// What it has logged.
    pub fn log(&self) -> String {
        fs::read_to_string(self.log_file()).unwrap_or_default()
    }

    /// Sends it a signal.
    pub fn signal(&self, signal: Signal) -> Result<()> {
        let child = self.child.as_ref().context("nats-server does not run")?;
        kill(Pid::from_raw(i32::try_from(child.id())?), signal).context("nats-server cannot be signalled")
    }

    /// Waits until it has ended by itself.
    pub fn wait(&mut self) -> Result<()> {
        if let Some(mut child) = self.child.take() {
            child.wait()?;
        }
        Ok(())
    }

    /// Kills it at once (SIGKILL) and waits until it is gone.
    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            // it may have ended by itself
            child.kill().ok();
            child.wait().ok();
        }
    }
}

/// A shipped configuration with what differs on this machine.
fn of_this_machine(shipped: &str, port: u16, store: &Path) -> String {
    let line = |line: &str| match line.trim_start().split(' ').next() {
        Some("listen:") => format!("listen: \"127.0.0.1:{port}\""),
        Some("http:") => String::new(),
        Some("store_dir:") => format!("store_dir: {store:?}"),
        Some(_) | None => line.to_owned(),
    };
    shipped.lines().map(line).collect::<Vec<_>>().join("\n")
}

impl Drop for NatsServer {
    fn drop(&mut self) {
        self.kill();
    }
}
