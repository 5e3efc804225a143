//! Commands that look at files, stored debates and the machine.
use super::FileSyntax;
use super::ask::{OutputArgs, PaceArgs, ServerArgs};
use super::remote::{ApiArgs, PlaceArgs};
use crate::settings::Length;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// `agon check`
#[derive(Clone, Debug, Args)]
pub struct CheckArgs {
    /// Debate files, or - for stdin
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// The syntax of the files, if their names do not show it
    #[arg(long = "as", value_name = "SYNTAX")]
    pub syntax: Option<FileSyntax>,
    /// Print each valid file with every default filled in
    #[arg(long)]
    pub normalized: bool,
    /// Print the problems as JSON
    #[arg(long, conflicts_with = "normalized")]
    pub json: bool,
}

/// The files that a schema is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum SchemaOf {
    /// Debate files
    Debate,
    /// Eval files
    Eval,
}

/// `agon delete`
#[derive(Clone, Debug, Args)]
pub struct DeleteArgs {
    /// The debate: its id, the beginning or end of its id, or `last`
    pub id: String,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Where to find it.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// `agon get`
#[derive(Clone, Debug, Args)]
pub struct GetArgs {
    /// The debate: its id, the beginning or end of its id, or `last`
    #[arg(default_value = "last")]
    pub id: String,
    /// Print the whole result as JSON
    #[arg(long)]
    pub json: bool,
    /// Where to find it.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// `agon report`
#[derive(Clone, Debug, Args)]
pub struct ReportArgs {
    /// The debate: its id, the beginning or end of its id, or `last`
    #[arg(default_value = "last")]
    pub id: String,
    /// The form of the report
    #[arg(long, value_name = "FORMAT", default_value = "markdown")]
    pub format: Format,
    /// Write to this file instead of stdout
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Where to find it.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// The form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// The whole debate
    Markdown,
    /// Verdict and figures
    Summary,
    /// The whole debate with placements, failures, times and tokens of every turn
    Verbose,
    /// A self-contained page
    Html,
    /// The result as one JSON object
    Json,
    /// The event log as JSON lines
    Jsonl,
}

/// `agon open`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
BROWSER names the command to use; the default is xdg-open, on macOS open. If none works, the path is printed.
The report is first written again from the log.")]
pub struct OpenArgs {
    /// The debate: its id, the beginning or end of its id, or `last`
    #[arg(default_value = "last")]
    pub id: String,
    /// The parent folder of reports [default: ./agon-reports]
    #[arg(long, value_name = "DIR")]
    pub output_dir: Option<PathBuf>,
    /// Where to find it.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// `agon replay`
#[derive(Clone, Debug, Args)]
pub struct ReplayArgs {
    /// The debate: its id, the beginning or end of its id, or `last`
    #[arg(default_value = "last")]
    pub id: String,
    /// Write the reports again below this folder
    #[arg(long, value_name = "DIR")]
    pub output_dir: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    pub json: bool,
    /// Where to find it.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// `agon verify`
#[derive(Clone, Debug, Args)]
pub struct VerifyArgs {
    /// The debates: ids, their beginnings, or `last` [default: all]
    pub ids: Vec<String>,
    /// Print one JSON array
    #[arg(long)]
    pub json: bool,
    /// Where to find it.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// `agon resume`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  agon resume                    the one debate that waits; if there are several, choose one
  agon resume 3f9c 81aa          these, one after the other
  agon resume --all              every paused or interrupted debate
  agon resume 3f9c --server gateway:50051

A debate is paused if Ctrl-C or SIGTERM stopped its process. It is interrupted if its process died, or if the servers
gave it up after five crashes. Only this command continues it. A debate that is running is rejected.
On a server, Ctrl-C stops following; the debate continues.")]
pub struct ResumeArgs {
    /// The debates: ids, their beginnings or ends, or `last`
    #[arg(value_name = "ID")]
    pub ids: Vec<String>,
    /// Continue every paused or interrupted debate, one after the other
    #[arg(long, conflicts_with = "ids")]
    pub all: bool,
    /// Where to find it.
    #[command(flatten)]
    pub place: PlaceArgs,
    /// Which model servers to ask, for a debate of this machine.
    #[command(flatten)]
    pub server: ServerArgs,
    /// How fast and how badly a rehearsal goes.
    #[command(flatten)]
    pub pace: PaceArgs,
    /// Where and in which form the results go.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `agon cancel`
#[derive(Clone, Debug, Args)]
pub struct CancelArgs {
    /// The debate: its id, the beginning or end of its id, or `last`
    pub id: String,
    /// The reason, for the log
    #[arg(long, value_name = "TEXT", default_value = "cancelled on the command line")]
    pub reason: String,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Where to find it.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// `agon pause`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Nothing more is asked of anybody. A turn that a host has is played to its end, and counts once `agon resume` continues the debate.
The time of the pause counts for no time limit. `agon run` stops with exit code 130, as after Ctrl-C.")]
pub struct PauseArgs {
    /// The debate: its id, the beginning or end of its id, or `last`
    pub id: String,
    /// The reason, for the log
    #[arg(long, value_name = "TEXT", default_value = "paused on the command line")]
    pub reason: String,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
    /// Where to find it.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// `agon doctor`
#[derive(Clone, Debug, Args)]
pub struct DoctorArgs {
    /// A debate file: its models are tried, and compared with its requirements
    #[arg(value_name = "FILE|-")]
    pub file: Option<String>,
    /// Which servers to check.
    #[command(flatten)]
    pub server: ServerArgs,
    /// The model to try [default: that of the settings, or the largest installed one that fits into memory]
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Which Agon server to check.
    #[command(flatten)]
    pub api: ApiArgs,
    /// Print one JSON array
    #[arg(long)]
    pub json: bool,
}

/// `agon health`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  agon health                                             asks the server of this machine or container
  agon health --live --timeout 1s

For probes in containers without a shell or curl. Prints the answer of the server.

Exit codes: 0 ready, 64 a wrong address or wrong settings, 69 not ready, or no answer in time.")]
pub struct HealthArgs {
    /// The server's admin port [default: `admin.listen`, on this machine, or http://127.0.0.1:9090]
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// Ask whether the process lives, not whether it is ready
    #[arg(long)]
    pub live: bool,
    /// How long to wait for the answer
    #[arg(long, value_name = "TIME", default_value = "3s")]
    pub timeout: Length,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// `agon config`
#[derive(Clone, Copy, Debug, Args)]
pub struct ConfigArgs {
    /// What to do with the settings.
    #[command(subcommand)]
    pub action: ConfigAction,
    /// Print the source of each value after it
    #[arg(long, global = true)]
    pub origin: bool,
    /// Print one JSON object; with --origin, {"settings": ..., "origins": ...}
    #[arg(long, global = true)]
    pub json: bool,
}

/// What to do with the settings.
#[derive(Clone, Copy, Debug, Subcommand)]
pub enum ConfigAction {
    /// Print the effective settings as TOML; keys of servers are never shown
    Show,
}
