//! The command line: what can be asked for, as clap reads it. `docs/reference/cli.md` is made from this.
mod ask;
mod debate;
mod eval;
mod eval_input;
mod groups;
mod inspect;
mod list;
mod nats;
mod ratings;
mod rehearsal;
mod remote;
mod serve;
mod ui;

pub use ask::{NewArgs, OutputArgs, PaceArgs, RunArgs, ServerArgs, Show, Template, ViewArgs};
pub use debate::{DebateArgs, FileSyntax, Label};
pub use eval::{
    EvalAction, EvalArgs, EvalAtArgs, EvalCheckArgs, EvalDeleteArgs, EvalExport, EvalExportArgs, EvalFormat,
    EvalGateArgs, EvalLabelArgs, EvalListArgs, EvalNameArgs, EvalReportArgs, EvalRescoreArgs, EvalResumeArgs,
    EvalRetryArgs, EvalRunArgs, EvalShowArgs, EvalSubmitArgs, EvalViewArgs, EvalWatchArgs, Required,
};
pub use eval_input::{BuiltinKind, EvalInputArgs, NamedFile, is_arm_byte};
pub use groups::parse;
pub use inspect::{
    CancelArgs, CheckArgs, ConfigAction, ConfigArgs, DeleteArgs, DoctorArgs, Format, GetArgs, HealthArgs, OpenArgs,
    PauseArgs, ReplayArgs, ReportArgs, ResumeArgs, SchemaOf, VerifyArgs,
};
pub use list::{ListArgs, ListedState};
pub use nats::{NATS_ACCOUNT, NATS_ROLES, NatsAction, NatsArgs, NatsConfigArgs, NatsKeyArgs};
pub use ratings::{RatedBy, RatingsArgs};
pub use rehearsal::{CastArgs, RehearsalArgs};
pub use remote::{ApiArgs, HostsArgs, PlaceArgs, RejudgeArgs, SubmitArgs, TokenArgs, WatchArgs};
pub use serve::{ProcessRole, ProvisionArgs, ServeArgs};
pub use ui::UiArgs;

use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;
use std::sync::LazyLock;

const EXIT_CODES: &str = "\
Exit codes: 0 decided or ended as asked, 2 tie or inconclusive, 3 failed, 4 cancelled, 64 usage or bad file, 69 no server or model,
70 internal error, 130 interrupted, 141 output closed.";

/// The version, and the revision of the sources where the build was told it.
static VERSION: LazyLock<String> = LazyLock::new(|| version(agon_telemetry::REVISION));

fn version(revision: &str) -> String {
    let number = env!("CARGO_PKG_VERSION");
    if revision == "unknown" { number.to_owned() } else { format!("{number} ({revision})") }
}

/// Debates between language models, with a verdict and the evidence behind it.
#[derive(Debug, Parser)]
#[command(name = "agon", version = VERSION.as_str(), max_term_width = 100, after_help = EXIT_CODES)]
pub struct Cli {
    /// Options of every command.
    #[command(flatten)]
    pub global: GlobalArgs,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Options of every command.
#[derive(Clone, Debug, Default, Args)]
pub struct GlobalArgs {
    /// Also read settings from this file; it overrides the system's and the user's file
    #[arg(long, global = true, value_name = "FILE", help_heading = "Global options")]
    pub config: Option<PathBuf>,
    /// Keep debates in this database instead of the one in your data folder
    #[arg(long, global = true, value_name = "PATH", help_heading = "Global options")]
    pub store: Option<PathBuf>,
    /// When to use colours; NO_COLOR is respected
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Global options")]
    pub color: ColorChoice,
    /// Log to stderr: -v changes, -vv decisions, -vvv everything; AGON_LOG takes a filter instead
    #[arg(short = 'v', global = true, action = clap::ArgAction::Count, help_heading = "Global options")]
    pub log: u8,
}

/// When to use colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a debate and print it with its verdict
    Run(Box<RunArgs>),
    /// Show the debates of this machine in the browser, and begin new ones there
    Ui(Box<UiArgs>),
    /// Submit a debate to a server
    Submit(Box<SubmitArgs>),
    /// Follow a debate on a server while it runs
    Watch(WatchArgs),
    /// Check debate files and report every problem
    Check(CheckArgs),
    /// Write a new debate file
    New(Box<NewArgs>),
    /// List the stored debates
    List(ListArgs),
    /// Show one debate: its state, verdict and figures
    Get(GetArgs),
    /// Print a report of a debate
    Report(ReportArgs),
    /// Open the HTML report of a debate in the browser
    Open(OpenArgs),
    /// Rebuild the result from the log, without calling a model, and compare
    Replay(ReplayArgs),
    /// Verify the hash chain of a debate's log
    Verify(VerifyArgs),
    /// Continue paused or interrupted debates
    Resume(Box<ResumeArgs>),
    /// Pause a debate
    Pause(PauseArgs),
    /// Cancel a debate
    Cancel(CancelArgs),
    /// Delete an ended debate
    Delete(DeleteArgs),
    /// Ask another judge about an ended debate
    Rejudge(Box<RejudgeArgs>),
    /// Find out whether debating helps on your questions, at equal tokens
    Eval(Box<EvalArgs>),
    /// Show how personas and models did in ended debates
    Ratings(RatingsArgs),
    /// Show the hosts of a server's cluster: models, load, unreachable servers, breakers
    Hosts(HostsArgs),
    /// Serve debates over gRPC and HTTP, alone or as a part of a cluster
    Serve(Box<ServeArgs>),
    /// Create the NATS streams of a cluster, so that its processes need no permission to do so
    Provision(ProvisionArgs),
    /// Create configurations and keys for nats-server
    Nats(NatsArgs),
    /// Create a bearer token for a client of a server
    Token(TokenArgs),
    /// Ask the server of this machine whether it is ready, for probes
    Health(HealthArgs),
    /// Print the JSON Schema of debate files or of eval files
    Schema {
        /// Of which files
        #[arg(value_name = "FILES", default_value = "debate")]
        of: SchemaOf,
    },
    /// Serve scripted speakers over Ollama's interface, to try Agon without a model
    Rehearsal(Box<RehearsalArgs>),
    /// Find problems of settings, store, servers and models, and suggest fixes
    Doctor(DoctorArgs),
    /// Show the settings
    Config(ConfigArgs),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print this reference as Markdown
    #[command(hide = true)]
    Reference,
}

impl Command {
    /// Whether only the result is wanted.
    pub fn is_quiet(&self) -> bool {
        if let Self::Eval(args) = self {
            return args.action.is_quiet();
        }
        let view = match self {
            Self::Run(args) => Some(&args.output.view),
            Self::Submit(args) => Some(&args.output.view),
            Self::Resume(args) => Some(&args.output.view),
            Self::Rejudge(args) => Some(&args.view),
            Self::Watch(args) => Some(&args.view),
            _ => None,
        };
        view.is_some_and(|view| view.quiet)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        groups::command().debug_assert();
        Cli::command().debug_assert();
    }

    #[test]
    fn the_version_names_the_revision_where_the_build_was_told_it() {
        assert_eq!(version("unknown"), env!("CARGO_PKG_VERSION"));
        assert_eq!(version("0ff1ce"), concat!(env!("CARGO_PKG_VERSION"), " (0ff1ce)"));
    }
}
