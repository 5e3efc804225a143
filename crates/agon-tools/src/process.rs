//! A program that was started, which never outlives what it was started for.

use std::process::{ExitStatus, Stdio};
use std::sync::Mutex;
use std::time::Duration;

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use secrecy::ExposeSecret as _;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::JoinSet;
use tokio::time::timeout;
use tracing::debug;

use crate::text::one_line;
use crate::{McpConfig, ToolError};

/// What a program needs to run at all; the rest of our environment, keys above all, is none of its business.
const INHERITED: [&str; 10] = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "LANG", "LC_ALL", "TMPDIR", "TZ"];
const GRACE: Duration = Duration::from_secs(2);
const MAX_LOGGED_BYTES: u64 = 4096;
const MAX_LOGGED_CHARS: usize = 400;

/// A process and all that it started, as one group.
pub(crate) struct ProcessGroup {
    child: Mutex<Child>,
    group: Option<Pid>,
    /// Owns the task that reads what the process complains about.
    complaints: JoinSet<()>,
}

/// The standard streams of a process.
pub(crate) struct StandardStreams {
    pub output: ChildStdout,
    pub input: ChildStdin,
    pub complaints: ChildStderr,
}

impl ProcessGroup {
    /// Starts the program of `config` in a process group of its own.
    pub(crate) fn start(tool: &str, config: &McpConfig) -> Result<(Self, ChildStdout, ChildStdin), ToolError> {
        let (mut process, streams) = Self::of(command(config)).map_err(|error| {
            ToolError::unavailable(tool, format!("its program cannot be started: {}", error.kind()))
        })?;
        process.complaints.spawn(log(tool.to_owned(), streams.complaints));
        Ok((process, streams.output, streams.input))
    }

    /// Starts a command in a process group of its own.
    pub(crate) fn of(mut command: Command) -> std::io::Result<(Self, StandardStreams)> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.process_group(0).kill_on_drop(true).spawn()?;
        let (Some(output), Some(input), Some(complaints)) =
            (child.stdout.take(), child.stdin.take(), child.stderr.take())
        else {
            return Err(std::io::Error::other("no standard streams"));
        };
        let group = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
        let process = Self { child: Mutex::new(child), group, complaints: JoinSet::new() };
        Ok((process, StandardStreams { output, input, complaints }))
    }

    /// Ends the whole group at once.
    pub(crate) fn kill(&self) {
        if let Some(group) = self.group {
            // Fails where nobody of the group is left, which is what was wanted.
            let _ = killpg(group, Signal::SIGKILL);
        }
    }

    /// Lets the process end by itself, which it should once its input is closed, and then ends what is left. Whether it ended well.
    pub(crate) async fn finish(&self) -> bool {
        let ended = timeout(GRACE, self.ended()).await;
        self.kill();
        ended.ok().flatten().is_some_and(|status| status.success())
    }

    /// Waits for the end of the program; its status, where that can be known.
    pub(crate) async fn ended(&self) -> Option<ExitStatus> {
        std::future::poll_fn(|cx| self.poll_end(cx)).await
    }

    fn poll_end(&self, cx: &mut std::task::Context<'_>) -> std::task::Poll<Option<ExitStatus>> {
        let Ok(mut child) = self.child.lock() else { return std::task::Poll::Ready(None) };
        let wait = std::pin::pin!(child.wait());
        wait.poll(cx).map(Result::ok)
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill();
    }
}

fn command(config: &McpConfig) -> Command {
    let mut command = Command::new(config.command.as_deref().unwrap_or_default());
    command.args(&config.args).env_clear();
    for name in INHERITED {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command.envs(&config.env);
    command.envs(config.secret_env.iter().map(|(name, key)| (name, key.expose_secret())));
    command
}

/// Hands on what a process complains about, so that its pipe never fills; every piece is bounded.
async fn log(tool: String, complaints: ChildStderr) {
    let mut reader = BufReader::new(complaints);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut reader).take(MAX_LOGGED_BYTES).read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {
                debug!(tool, said = %one_line(&String::from_utf8_lossy(&line), MAX_LOGGED_CHARS), "a program complains")
            }
        }
    }
}
