//! `agon serve`: a process with any mix of roles.
use super::{PaceArgs, ServerArgs};
use clap::{Args, ValueEnum};
use std::net::SocketAddr;

/// `agon serve`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  agon serve                                              all roles in this process, debates in its store
  agon serve --roles gateway,coordinator --nats nats://127.0.0.1:4222
  agon serve --roles host --nats nats://127.0.0.1:4222 --ollama http://127.0.0.1:11434

Every address goes to stderr when it is ready. After one SIGTERM or Ctrl-C, the process takes no more work, hands over
what runs, and ends; after a second one it ends at once. Finished work is never lost.")]
pub struct ServeArgs {
    /// The roles of this process, comma-separated [default: `node.roles` of the settings, or all]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub roles: Vec<ProcessRole>,
    /// The NATS servers of the cluster, comma-separated [default: `nats.urls`; without any, this process works alone]
    #[arg(long, value_name = "URLS", value_delimiter = ',', help_heading = "Addresses")]
    pub nats: Vec<String>,
    /// The address of gRPC; port 0 takes a free one [default: `gateway.grpc`]
    #[arg(long, value_name = "ADDR", help_heading = "Addresses")]
    pub grpc: Option<SocketAddr>,
    /// The address of pages, REST, event streams and reports [default: `gateway.http`]
    #[arg(long, value_name = "ADDR", help_heading = "Addresses")]
    pub http: Option<SocketAddr>,
    /// The address of health and metrics, for operators only [default: `admin.listen`]
    #[arg(long, value_name = "ADDR", help_heading = "Addresses")]
    pub admin: Option<SocketAddr>,
    /// Listen on public addresses even without authentication
    #[arg(long, help_heading = "Addresses")]
    pub insecure: bool,
    /// The name of this process in logs and events; each start adds a few letters [default: `node.name`]
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Write the log as JSON lines [default: `telemetry.log_format`]
    #[arg(long)]
    pub json_logs: bool,
    /// Which model servers this host uses.
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

Credentials, copies, shards and limits are those of [nats] in the settings. The command prints what happened to each stream
and consumer: created, as asked, or grown. It never makes anything smaller. A second run changes nothing.

Exit codes: 0 everything is as asked, 64 something exists with other settings or this user may not, 69 no NATS or no JetStream.")]
pub struct ProvisionArgs {
    /// The NATS servers of the cluster, comma-separated [default: `nats.urls`]
    #[arg(long, value_name = "URLS", value_delimiter = ',')]
    pub nats: Vec<String>,
    /// Print one JSON array
    #[arg(long)]
    pub json: bool,
}

/// What a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ProcessRole {
    /// Accepts debates from clients and shows them
    Gateway,
    /// Leads debates
    Coordinator,
    /// Plays turns at model servers
    Host,
}

impl ProcessRole {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gateway => "gateway",
            Self::Coordinator => "coordinator",
            Self::Host => "host",
        }
    }
}
