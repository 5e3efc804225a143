//! What nats-server has to know of a cluster's users.
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// Shards that a configuration can be printed for; every user's list grows with them.
const MOST_SHARDS: i64 = 1024;
/// The processes of a cluster unless told otherwise.
pub const NATS_ROLES: &str = "gateway,coordinator,host";
/// The account whose users are named as their roles are.
pub const NATS_ACCOUNT: &str = "AGON";

/// `agon nats`
#[derive(Clone, Debug, Args)]
pub struct NatsArgs {
    /// What to make.
    #[command(subcommand)]
    pub action: NatsAction,
}

/// What to make for NATS.
#[derive(Clone, Debug, Subcommand)]
pub enum NatsAction {
    /// Print a configuration of nats-server with a least-privilege user for each process
    Config(Box<NatsConfigArgs>),
    /// Create a user's key: the seed goes to a file, the public key for the configuration to stdout
    Key(NatsKeyArgs),
}

/// `agon nats config`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  agon nats config > nats.conf                            users provisioner, gateway, coordinator, host and sys
  agon nats config --roles gateway+coordinator,host --shards 4
  agon nats config --bound-host qwen=qwen3:8b --seat outsider=research/outsider
  agon nats config --account ACME --account GLOBEX        two clusters that share only the server
  agon nats config --nkey gateway=$(agon nats key gateway.nk)

A user without a key has a password, which nats-server reads from its environment: AGON_NATS_GATEWAY_PASSWORD for the user
gateway. In accounts other than AGON, the account's name comes first: acme_gateway, AGON_NATS_ACME_GATEWAY_PASSWORD.")]
pub struct NatsConfigArgs {
    /// The processes, comma-separated; join the roles of one process with +: gateway+coordinator
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = NATS_ROLES)]
    pub roles: Vec<String>,
    /// A host that plays only these models, comma-separated; repeatable
    #[arg(long, value_name = "USER=MODELS")]
    pub bound_host: Vec<String>,
    /// An external participant: the seats of this name in a tenant's debates, or all of its seats; repeatable
    #[arg(long, value_name = "USER=TENANT[/NAME]")]
    pub seat: Vec<String>,
    /// An account with all of these users and its own streams; repeatable
    #[arg(long, value_name = "NAME", default_value = NATS_ACCOUNT)]
    pub account: Vec<String>,
    /// The number of streams that share the logs, as in `nats.shards` of the settings
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=MOST_SHARDS))]
    pub shards: u32,
    /// This user has a key instead of a password; repeatable
    #[arg(long, value_name = "USER=KEY")]
    pub nkey: Vec<String>,
    /// Require TLS and client certificates: tls.crt, tls.key and ca.crt of this folder
    #[arg(long, value_name = "DIR")]
    pub tls: Option<PathBuf>,
    /// Print only the accounts, to include in the `accounts` of your own configuration
    #[arg(long, conflicts_with = "tls")]
    pub accounts_only: bool,
}

/// `agon nats key`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Example:
  agon nats config --nkey host=$(agon nats key host.nk) > nats.conf

The program that connects as this user reads the file named by `nats.nkey` of the settings. Only its owner may read the file.")]
pub struct NatsKeyArgs {
    /// The new file for the seed
    pub file: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}
