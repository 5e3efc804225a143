//! `agon serve`: a process with any mix of roles.
use super::{PaceArgs, ServerArgs};
use clap::{Args, ValueEnum};
use std::net::SocketAddr;

/// `agon serve`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  agon serve                                              everything in this process, debates in its store
  agon serve --roles gateway,coordinator --nats nats://127.0.0.1:4222
  agon serve --roles host --nats nats://127.0.0.1:4222 --ollama http://127.0.0.1:11434

Every address is told on standard error once it answers. SIGTERM or Ctrl-C once: no more work is taken, what runs is
handed over, and the process ends; twice: it ends at once. What was finished is never lost.")]
pub struct ServeArgs {
    /// What this process does, apart by commas [default: `node.roles` of the settings, else all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub roles: Vec<Role>,
    /// The NATS servers of the cluster, apart by commas [default: `nats.urls`; without any, all is in this process]
    #[arg(long, value_name = "URLS", value_delimiter = ',', help_heading = "Addresses")]
    pub nats: Vec<String>,
    /// Where gRPC listens; port 0 takes a free one [default: `gateway.grpc`]
    #[arg(long, value_name = "ADDR", help_heading = "Addresses")]
    pub grpc: Option<SocketAddr>,
    /// Where REST, event streams and reports are served [default: `gateway.http`]
    #[arg(long, value_name = "ADDR", help_heading = "Addresses")]
    pub http: Option<SocketAddr>,
    /// Where health and metrics listen; for operators only [default: `admin.listen`]
    #[arg(long, value_name = "ADDR", help_heading = "Addresses")]
    pub admin: Option<SocketAddr>,
    /// Listen on addresses that others can reach although nobody has to prove who they are
    #[arg(long, help_heading = "Addresses")]
    pub insecure: bool,
    /// Name this process in logs and events; each start adds a few letters of its own [default: `node.name`]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Write the log as JSON lines [default: `telemetry.log_format`]
    #[arg(long)]
    pub json_logs: bool,
    /// Which model servers this host plays at.
    #[command(flatten)]
    pub server: ServerArgs,
    /// How fast and how badly a rehearsal goes.
    #[command(flatten)]
    pub pace: PaceArgs,
}

/// `agon provision`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Example:
  AGON__NATS__USER=provisioner AGON__NATS__PASSWORD__FILE=secret agon provision --nats nats://127.0.0.1:4222

Credentials, copies, shards and limits are those of [nats] in the settings. Each stream and consumer is told with what was
done: created, as asked, or grown. Nothing is ever made smaller. Doing it twice changes nothing.

Exit codes: 0 everything is as asked, 64 something exists otherwise or this user may not, 69 no NATS or no JetStream.")]
pub struct ProvisionArgs {
    /// The NATS servers of the cluster, apart by commas [default: `nats.urls`]
    #[arg(long, value_name = "URLS", value_delimiter = ',')]
    pub nats: Vec<String>,
    /// Print one JSON array
    #[arg(long)]
    pub json: bool,
}

/// What a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Takes debates from clients and shows them
    Gateway,
    /// Leads debates
    Coordinator,
    /// Plays turns at model servers
    Host,
}

impl Role {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gateway => "gateway",
            Self::Coordinator => "coordinator",
            Self::Host => "host",
        }
    }
}
