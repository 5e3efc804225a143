//! `agon eval`: whether debating helps, on the user's own questions.
use super::ask::{PaceArgs, ServerArgs};
use super::eval_input::EvalInputArgs;
use super::remote::{ApiArgs, PlaceArgs};
use crate::settings::Length;
use clap::{Args, Subcommand, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// `agon eval`
#[derive(Clone, Debug, Args)]
pub struct EvalArgs {
    /// What to do.
    #[command(subcommand)]
    pub action: EvalAction,
}

/// What to do with evals.
#[derive(Clone, Debug, Subcommand)]
pub enum EvalAction {
    /// Compare debates with simpler methods on your questions, at equal tokens
    Run(Box<EvalRunArgs>),
    /// Hand an eval to a server, whose hosts hold it
    Submit(Box<EvalSubmitArgs>),
    /// Find every problem of files of questions and eval files, and show what is read from where
    Check(EvalCheckArgs),
    /// Continue an eval that was stopped
    Resume(Box<EvalResumeArgs>),
    /// Repeat the failed cells of all arms of an ended eval
    Retry(Box<EvalRetryArgs>),
    /// Grade the answers of an ended eval again, without holding a debate
    Rescore(Box<EvalRescoreArgs>),
    /// Say of graded answers whether they are right, which corrects the graders' rates
    Label(EvalLabelArgs),
    /// End an eval; its figures cover whole blocks of questions
    Cancel(EvalAtArgs),
    /// List the stored evals
    List(EvalListArgs),
    /// Show one eval: its state, progress and plan
    Get(EvalAtArgs),
    /// Follow an eval that another process or a server runs
    Watch(EvalWatchArgs),
    /// Print a report of an eval
    Report(EvalReportArgs),
    /// Learn from an ended eval which debates are worth their tokens
    Gate(EvalGateArgs),
    /// Export the cells, the result or the calibration of an eval
    Export(EvalExportArgs),
    /// Verify the hash chain of an eval's log, and the debates that it names
    Verify(EvalNameArgs),
    /// Delete an ended eval; its debates stay, unless --debates
    Delete(EvalDeleteArgs),
}

impl EvalAction {
    /// Whether only the result is wanted.
    pub fn is_quiet(&self) -> bool {
        match self {
            Self::Run(args) => args.view.show.quiet,
            Self::Submit(args) => args.show.quiet,
            Self::Resume(args) => args.view.show.quiet,
            Self::Retry(args) => args.resume.view.show.quiet,
            Self::Rescore(args) => args.resume.view.show.quiet,
            Self::Label(_)
            | Self::Check(_)
            | Self::Cancel(_)
            | Self::List(_)
            | Self::Get(_)
            | Self::Watch(_)
            | Self::Report(_)
            | Self::Gate(_)
            | Self::Export(_)
            | Self::Verify(_)
            | Self::Delete(_) => false,
        }
    }
}

/// `agon eval run`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  agon eval run --builtin arithmetic --debate panel.md --rehearsal     try it without a model
  agon eval run questions.jsonl --debate panel.md --model qwen3:8b --plan
  agon eval run questions.csv --debate panel.md --debate wide=wide.md --yes --json > result.json
  agon eval run eval.yaml --require no_harm --yes                      in CI

The result goes to stdout, progress goes to stderr. Ctrl-C stops and keeps the eval for `agon eval resume`.
Exit codes: 0 done, 1 --require is not met, 2 no primary comparison could be told, 3 failed, 4 cancelled.")]
pub struct EvalRunArgs {
    /// What is asked of whom.
    #[command(flatten)]
    pub inputs: EvalInputArgs,
    /// The id of the eval [default: a new one]
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// Only print what the eval would take
    #[arg(long)]
    pub plan: bool,
    /// Do not ask before an eval of more than 1,000,000 tokens
    #[arg(long, short)]
    pub yes: bool,
    /// Run the programs that the eval file names, without asking; --yes does not allow them
    #[arg(long)]
    pub programs: bool,
    /// Hold all cells again, even those that an earlier eval held
    #[arg(long)]
    pub fresh: bool,
    /// Minds of a rehearsal's speakers (TOML) [default: made from the right answers]
    #[arg(long, value_name = "FILE", requires = "rehearsal", help_heading = "Rehearsal")]
    pub minds: Option<PathBuf>,
    /// How it is held and shown.
    #[command(flatten)]
    pub view: EvalViewArgs,
    /// Which servers to ask.
    #[command(flatten)]
    pub server: ServerArgs,
    /// How fast and how badly a rehearsal goes.
    #[command(flatten)]
    pub pace: PaceArgs,
}

/// `agon eval submit`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  agon eval submit questions.csv --debate panel.md --server gateway:50051     prints the eval's id
  agon eval submit eval.yaml --wait --json > result.json                      shows it as `agon eval run` does; same exit codes
  agon eval submit eval.yaml --validate-only                                  what it would take

Ctrl-C during --wait leaves the eval running: `agon eval watch ID` follows it again, `agon eval cancel ID` ends it.")]
pub struct EvalSubmitArgs {
    /// What is asked of whom.
    #[command(flatten)]
    pub inputs: EvalInputArgs,
    /// The id of the eval [default: a new one]
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// Use scripted speakers instead of models: only hosts that rehearse take its turns
    #[arg(long, help_heading = "Models")]
    pub rehearsal: bool,
    /// Show the eval to its end, and print its result
    #[arg(long)]
    pub wait: bool,
    /// Only check, and print what the eval would take
    #[arg(long, visible_alias = "plan", conflicts_with_all = ["wait", "jsonl"])]
    pub validate_only: bool,
    /// Do not ask before an eval of more than 1,000,000 tokens
    #[arg(long, short)]
    pub yes: bool,
    /// Hold all cells again, even those that an earlier eval held
    #[arg(long)]
    pub fresh: bool,
    /// Submit with this key: submitting again with the same key and eval returns the first eval [default: a new key]
    #[arg(long, value_name = "KEY")]
    pub request_id: Option<String>,
    /// How it is shown.
    #[command(flatten)]
    pub show: EvalShowArgs,
    /// How long --wait waits for a server or store that is unreachable or full [default: `client.patience` of the settings]
    #[arg(long, value_name = "TIME", help_heading = "Server")]
    pub patience: Option<Length>,
    /// Which server to speak to.
    #[command(flatten)]
    pub api: ApiArgs,
}

/// `agon eval check`
#[derive(Clone, Debug, Args)]
pub struct EvalCheckArgs {
    /// Files of questions or eval files, or - for questions on stdin
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<String>,
    /// Print one JSON array
    #[arg(long)]
    pub json: bool,
}

/// How an eval is held and shown.
#[derive(Clone, Debug, Default, Args)]
pub struct EvalViewArgs {
    /// Hold so many debates and polls at once [default: `eval.concurrency` of the settings]
    #[arg(long, value_name = "N")]
    pub concurrency: Option<NonZeroUsize>,
    /// Show the comparisons after each block of a fixed design; the test is then the sequential one, which needs more questions
    #[arg(long)]
    pub peek: bool,
    /// How it is shown.
    #[command(flatten)]
    pub show: EvalShowArgs,
}

/// How an eval is shown.
#[derive(Clone, Debug, Default, Args)]
pub struct EvalShowArgs {
    /// End with code 1 unless every primary comparison says this (`no_harm`: a loss of `worth` or more is ruled out)
    #[arg(long, value_name = "WHAT")]
    pub require: Option<Required>,
    /// Print the result as one JSON object
    #[arg(long, conflicts_with = "jsonl", help_heading = "Output")]
    pub json: bool,
    /// Print the events as JSON lines, as they happen, instead of the result
    #[arg(long, help_heading = "Output")]
    pub jsonl: bool,
    /// Print only the result and warnings
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
}

/// What `--require` may want of every primary comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum Required {
    /// The verdict is `helped`
    Helped,
    /// A loss of `worth` or more is ruled out: the interval of the difference begins above minus `worth`
    NoHarm,
}

/// `agon eval resume`
#[derive(Clone, Debug, Args)]
pub struct EvalResumeArgs {
    /// The eval: its id, the beginning or end of its id, or `last`
    #[arg(default_value = "last")]
    pub id: String,
    /// Minds of a rehearsal's speakers (TOML), as they were given to `agon eval run`
    #[arg(long, value_name = "FILE", help_heading = "Rehearsal")]
    pub minds: Option<PathBuf>,
    /// How it is held and shown.
    #[command(flatten)]
    pub view: EvalViewArgs,
    /// Which servers to ask.
    #[command(flatten)]
    pub server: ServerArgs,
    /// How fast and how badly a rehearsal goes.
    #[command(flatten)]
    pub pace: PaceArgs,
}

/// `agon eval retry`
#[derive(Clone, Debug, Args)]
pub struct EvalRetryArgs {
    /// Which eval, and how it goes on.
    #[command(flatten)]
    pub resume: EvalResumeArgs,
    /// Where it is.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// `agon eval rescore`
#[derive(Clone, Debug, Args)]
pub struct EvalRescoreArgs {
    /// Which eval, and how it goes on.
    #[command(flatten)]
    pub resume: EvalResumeArgs,
    /// The model that grades; repeat it for a panel of 3 or 5 [default: the graders as before]
    #[arg(long = "grader", value_name = "MODEL")]
    pub grader: Vec<String>,
    /// Allow a grader of the family of a model that is tested; marks each verdict
    #[arg(long, requires = "grader")]
    pub same_family: bool,
}

/// `agon eval label`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  agon eval label                         asks y, n, s or q for each answer; what was said is kept
  agon eval label --csv sheet.csv         a sheet for a spreadsheet
  agon eval label --from sheet.csv        takes it back")]
pub struct EvalLabelArgs {
    /// The eval: its id, the beginning or end of its id, or `last`
    #[arg(default_value = "last")]
    pub id: String,
    /// Draw so many answers, as evenly from each arm and each grade as there are some [default: 100]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub count: Option<u32>,
    /// Write the sheet to this file instead of asking
    #[arg(long, value_name = "FILE", conflicts_with = "from")]
    pub csv: Option<PathBuf>,
    /// Take the labels of this sheet
    #[arg(long, value_name = "FILE", conflicts_with = "count")]
    pub from: Option<PathBuf>,
    /// Print one JSON object
    #[arg(long, conflicts_with = "csv")]
    pub json: bool,
}

/// `agon eval delete`
#[derive(Clone, Debug, Args)]
pub struct EvalDeleteArgs {
    /// Which.
    #[command(flatten)]
    pub eval: EvalNameArgs,
    /// Delete its debates too, but for those that another eval of this store uses
    #[arg(long)]
    pub debates: bool,
    /// Where it is.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// Commands about one eval, here or at a server.
#[derive(Clone, Debug, Args)]
pub struct EvalAtArgs {
    /// Which.
    #[command(flatten)]
    pub eval: EvalNameArgs,
    /// Where it is.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// Commands about one eval.
#[derive(Clone, Debug, Args)]
pub struct EvalNameArgs {
    /// The eval: its id, the beginning or end of its id, or `last`
    #[arg(default_value = "last")]
    pub id: String,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

/// `agon eval list`
#[derive(Clone, Debug, Args)]
pub struct EvalListArgs {
    /// Print one JSON array
    #[arg(long)]
    pub json: bool,
    /// Show at most this many, newest first
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub limit: u32,
    /// Where it is.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// `agon eval watch`
#[derive(Clone, Debug, Args)]
pub struct EvalWatchArgs {
    /// The eval: its id, the beginning or end of its id, or `last`
    #[arg(default_value = "last")]
    pub id: String,
    /// Print one JSON object once the eval has ended
    #[arg(long, conflicts_with = "jsonl")]
    pub json: bool,
    /// Print the events as JSON lines
    #[arg(long)]
    pub jsonl: bool,
    /// Where it is.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// `agon eval report`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  agon eval report                             the newest eval, for the terminal
  agon eval report -o result.html              the form follows from the ending: .html, .md, .json, .txt
  agon eval report -o out/result.html --debates   with the report of every debate beside it")]
pub struct EvalReportArgs {
    /// The eval: its id, the beginning or end of its id, or `last`
    #[arg(default_value = "last")]
    pub id: String,
    /// The form of the report [default: by the ending of -o, else text]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<EvalFormat>,
    /// Write to this file instead of stdout
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Also write the HTML report of every debate, into the folder `debates` beside the file; an HTML report then links them
    #[arg(long, requires = "output")]
    pub debates: bool,
    /// Where it is.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// The form of a report of an eval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EvalFormat {
    /// For a terminal
    Text,
    /// Markdown
    Markdown,
    /// One page with all figures
    Html,
    /// All figures
    Json,
}

/// `agon eval gate`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  agon eval gate -o gate.json                  from the newest eval
  agon eval gate --debate panel --price 2 -o gate.json
  agon run panel.md --gate gate.json           debates only what the gate finds worth it")]
pub struct EvalGateArgs {
    /// The eval: its id, the beginning or end of its id, or `last`
    #[arg(default_value = "last")]
    pub id: String,
    /// The debate that the gate is for [default: the only one of the eval]
    #[arg(long, value_name = "NAME")]
    pub debate: Option<String>,
    /// What a million tokens for a question are worth, in points of accuracy [default: `eval.gate_price` of the settings; without either the
    /// fewest tokens at the accuracy of the better of always and never debating]
    #[arg(long, value_name = "POINTS_PER_MILLION")]
    pub price: Option<f64>,
    /// Write the gate to this file and its figures to stdout, instead of the gate to stdout
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Where it is.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// `agon eval export`
#[derive(Clone, Debug, Args)]
pub struct EvalExportArgs {
    /// What to export
    #[arg(value_name = "WHAT")]
    pub what: EvalExport,
    /// The eval: its id, the beginning or end of its id, or `last`
    #[arg(default_value = "last")]
    pub id: String,
    /// Write to this file instead of stdout
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Where it is.
    #[command(flatten)]
    pub place: PlaceArgs,
}

/// What is exported of an eval.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EvalExport {
    /// A row for each question, arm and repetition (CSV)
    Cells,
    /// A row for each pair of answers that graders compared, with what they found in both orders (CSV)
    Pairs,
    /// All figures (JSON)
    Result,
    /// How well each persona and model judges its own certainty, for `calibration` in debate files (JSON)
    Calibration,
}
