//! Commands that speak to a server, and where commands look.
use super::{DebateArgs, OutputArgs, PaceArgs, ServerArgs, ViewArgs};
use crate::settings::Length;
use clap::Args;

/// Which server to speak to.
#[derive(Clone, Debug, Default, Args)]
pub struct ApiArgs {
    /// Use this Agon server (HOST:PORT, or https://HOST:PORT) [default: AGON_SERVER or `client.server` of the settings]
    #[arg(long, value_name = "ADDR", help_heading = "Server")]
    pub server: Option<String>,
}

/// Where a command looks for debates.
#[derive(Clone, Debug, Default, Args)]
pub struct PlaceArgs {
    /// Which server to speak to.
    #[command(flatten)]
    pub api: ApiArgs,
    /// Use the store of this machine, even if a server is set
    #[arg(long, conflicts_with = "server", help_heading = "Server")]
    pub local: bool,
}

/// `agon submit`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  agon submit debate.md --server gateway:50051            prints the debate's id
  agon submit debate.md --wait                            shows it as `agon run` does; same exit codes
  agon submit debate.md --validate-only                   what it would take, and which hosts serve its models

Ctrl-C during --wait leaves the debate running: `agon watch ID` follows it again, `agon cancel ID` ends it.")]
pub struct SubmitArgs {
    /// What is debated.
    #[command(flatten)]
    pub debate: DebateArgs,
    /// Use scripted speakers instead of models: only hosts that rehearse take its turns
    #[arg(long, help_heading = "Models")]
    pub rehearsal: bool,
    /// Show the debate to its end, and write its reports
    #[arg(long)]
    pub wait: bool,
    /// Submit with this key: submitting again with the same key and debate returns the first debate [default: a new key]
    #[arg(long, value_name = "KEY")]
    pub request_id: Option<String>,
    /// Only check, and print what the debate would need
    #[arg(long, conflicts_with_all = ["wait", "jsonl"])]
    pub validate_only: bool,
    /// How long --wait waits for a server or store that is unreachable or full [default: `client.patience` of the settings]
    #[arg(long, value_name = "TIME", help_heading = "Server")]
    pub patience: Option<Length>,
    /// Which server to speak to.
    #[command(flatten)]
    pub api: ApiArgs,
    /// Where and in which form the results go.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `agon rejudge`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
The new debate refers to the old one and contains its speeches; only a judge is asked.

Examples:
  agon rejudge last --judge gemma3:12b                    another judge reads the same transcript
  agon rejudge last --server gateway:50051 --wait         the same of a debate at a server")]
pub struct RejudgeArgs {
    /// The ended debate: its id, the beginning or end of its id, or `last`
    #[arg(default_value = "last")]
    pub id: String,
    /// The judge's model [default: the old judge's]
    #[arg(long, value_name = "MODEL")]
    pub judge: Option<String>,
    /// The new debate's id: 4 to 63 characters of a-z, 0-9 and - [default: a new one]
    #[arg(long = "id", value_name = "ID")]
    pub new_id: Option<String>,
    /// Show a debate on a server to its end; a debate of this machine is always shown
    #[arg(long)]
    pub wait: bool,
    /// How long --wait waits for a server or store that is unreachable or full [default: `client.patience` of the settings]
    #[arg(long, value_name = "TIME", help_heading = "Server")]
    pub patience: Option<Length>,
    /// Where to find it.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Which model servers to ask, for a debate of this machine.
    #[command(flatten)]
    pub server: ServerArgs,
    /// How fast and how badly a rehearsal goes.
    #[command(flatten)]
    pub pace: PaceArgs,
    /// In which form it is shown.
    #[command(flatten)]
    pub view: ViewArgs,
}

/// `agon watch`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
A broken connection continues where it broke, for as long as `client.patience` allows. The command waits equally long for a
store that is unreachable or full. While nothing happens, a line every 10 seconds reports the reason.
Ctrl-C stops following; the debate continues.")]
pub struct WatchArgs {
    /// The debate: its id, the beginning or end of its id, or `last`
    #[arg(default_value = "last")]
    pub id: String,
    /// Show only what follows this event
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub after: u64,
    /// How long to wait for a server or store that is unreachable or full [default: `client.patience` of the settings]
    #[arg(long, value_name = "TIME", help_heading = "Server")]
    pub patience: Option<Length>,
    /// Which server to speak to.
    #[command(flatten)]
    pub api: ApiArgs,
    /// In which form it is shown.
    #[command(flatten)]
    pub view: ViewArgs,
}

/// `agon hosts`
#[derive(Clone, Debug, Args)]
pub struct HostsArgs {
    /// Print one JSON array
    #[arg(long)]
    pub json: bool,
    /// Which server to speak to.
    #[command(flatten)]
    pub api: ApiArgs,
}

/// `agon token`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Example:
  agon token ada --tenant research --scopes debates:read,debates:write >> tokens.txt

The line for the server's file goes to stdout, the token itself to stderr. The file holds only its hash.")]
pub struct TokenArgs {
    /// The holder, as debates name their creator
    pub principal: String,
    /// The tenant with the debates that the holder sees
    #[arg(long, value_name = "NAME", default_value = "default")]
    pub tenant: String,
    /// What the holder may do, comma-separated: debates:read, debates:write, cluster:admin
    #[arg(long, value_name = "NAMES", value_delimiter = ',', default_value = "debates:read,debates:write")]
    pub scopes: Vec<String>,
    /// Print token and line as one JSON object
    #[arg(long)]
    pub json: bool,
}
