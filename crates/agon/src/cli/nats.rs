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
    /// Print a configuration of nats-server with a user for each process, each with the least that it needs
    Config(Box<NatsConfigArgs>),
    /// Make a user's key: the seed goes to a file, the public key for the configuration to standard output
    Key(NatsKeyArgs),
}

/// `agon nats config`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  agon nats config > nats.conf                            users provisioner, gateway, coordinator, host and sys
  agon nats config --roles gateway+coordinator,host --shards 4
  agon nats config --bound-host qwen=qwen3:8b --seat outsider=research/outsider
  agon nats config --account ACME --account GLOBEX        two clusters that share nothing but the server
  agon nats config --nkey gateway=$(agon nats key gateway.nk)

A user without a key has a password, which nats-server takes from its environment: AGON_NATS_GATEWAY_PASSWORD for the user
gateway. In any other account than AGON the account's name comes first: acme_gateway, AGON_NATS_ACME_GATEWAY_PASSWORD.")]
pub struct NatsConfigArgs {
    /// Which processes there are, apart by commas; the roles of one process are joined: gateway+coordinator
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = NATS_ROLES)]
    pub roles: Vec<String>,
    /// A host that plays these models alone, apart by commas; may be given more than once
    #[arg(long, value_name = "USER=MODELS")]
    pub bound_host: Vec<String>,
    /// An external participant: the seats of this name in a tenant's debates, or all of its seats; may be given more than once
    #[arg(long, value_name = "USER=TENANT[/NAME]")]
    pub seat: Vec<String>,
    /// An account with all of these users and streams of its own; may be given more than once
    #[arg(long, value_name = "NAME", default_value = NATS_ACCOUNT)]
    pub account: Vec<String>,
    /// Streams that the logs are spread over, as `nats.shards` of the settings says
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=MOST_SHARDS))]
    pub shards: u32,
    /// This user has a key instead of a password; may be given more than once
    #[arg(long, value_name = "USER=KEY")]
    pub nkey: Vec<String>,
    /// Speak TLS only, and with clients only that have a certificate: tls.crt, tls.key and ca.crt of this folder
    #[arg(long, value_name = "DIR")]
    pub tls: Option<PathBuf>,
    /// Print only the accounts, to be included in the `accounts` of a configuration of your own
    #[arg(long, conflicts_with = "tls")]
    pub accounts_only: bool,
}

/// `agon nats key`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Example:
  agon nats config --nkey host=$(agon nats key host.nk) > nats.conf

The program that is to be this user gets the file by `nats.nkey` of the settings. Only its owner may read the file.")]
pub struct NatsKeyArgs {
    /// Where the seed goes; the file must not exist
    pub file: PathBuf,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}
