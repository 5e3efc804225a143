//! Commands that ask models: `run` and `new`.
use super::DebateArgs;
use crate::settings::Length;
use crate::shell::quoted;
use clap::{Args, ValueEnum};
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// `agon run`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  agon run debate.md --rehearsal              try it without a model
  agon run \"Should we rewrite it in Rust?\"    a plain topic, debated by a built-in cast
  agon run debate.md --model qwen3:8b --json > result.json
  OPENAI_API_KEY=... agon run debate.md --model openai/gpt-5-mini

The debate goes to stdout, progress goes to stderr. A terminal shows the debate as it happens; piped output is
plain text. Ctrl-C once stops and keeps the debate for `agon resume`; twice stops at once.")]
pub struct RunArgs {
    /// What is debated.
    #[command(flatten)]
    pub debate: DebateArgs,
    /// Which servers to ask.
    #[command(flatten)]
    pub server: ServerArgs,
    /// How fast and how badly a rehearsal goes.
    #[command(flatten)]
    pub pace: PaceArgs,
    /// Where and in which form the results go.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Which servers to ask.
#[derive(Clone, Debug, Default, Args)]
pub struct ServerArgs {
    /// Use scripted speakers instead of models; all output is marked as a rehearsal
    #[arg(long, help_heading = "Models")]
    pub rehearsal: bool,
    /// Use this Ollama server [default: the hosts of the settings, OLLAMA_HOST, or http://127.0.0.1:11434]
    #[arg(long, value_name = "URL", conflicts_with = "rehearsal", group = "model_server", help_heading = "Models")]
    pub ollama: Option<String>,
    /// Use only this OpenAI-compatible server, such as http://127.0.0.1:8000/v1
    #[arg(long, value_name = "URL", conflicts_with_all = ["rehearsal", "ollama"], group = "model_server", help_heading = "Models")]
    pub base_url: Option<String>,
    /// The environment variable with the key of the server that --ollama or --base-url names
    #[arg(
        long,
        value_name = "VARIABLE",
        conflicts_with = "rehearsal",
        requires = "model_server",
        help_heading = "Models"
    )]
    pub api_key_env: Option<String>,
}

impl ServerArgs {
    /// Whether any flag names a server.
    pub fn is_named(&self) -> bool {
        self.rehearsal || self.ollama.is_some() || self.base_url.is_some()
    }

    /// The flags that lead another command to the same servers; a rehearsal is known to be one without.
    pub fn again(&self) -> String {
        let flags = [("ollama", &self.ollama), ("base-url", &self.base_url), ("api-key-env", &self.api_key_env)];
        let given = flags.iter().filter_map(|(name, value)| Some((name, value.as_deref()?)));
        given.map(|(name, value)| format!(" --{name} {}", quoted(value))).collect()
    }
}

/// How fast and how badly a rehearsal goes.
#[derive(Clone, Debug, Default, Args)]
pub struct PaceArgs {
    /// Time between the tokens of a rehearsal [default: 4ms on a terminal, otherwise 0]
    #[arg(long, value_name = "TIME", requires = "rehearsal", help_heading = "Rehearsal")]
    pub token_interval: Option<Length>,
    /// Time before the first token of a rehearsal's answers
    #[arg(long, value_name = "TIME", requires = "rehearsal", help_heading = "Rehearsal")]
    pub latency: Option<Length>,
    /// Inject the failures described in this script (TOML or JSON)
    #[arg(long, value_name = "FILE", requires = "rehearsal", help_heading = "Rehearsal")]
    pub rehearsal_script: Option<PathBuf>,
}

/// In which form a debate is shown.
#[derive(Clone, Debug, Default, Args)]
pub struct ViewArgs {
    /// Print the result as one JSON object instead of the debate
    #[arg(long, conflicts_with = "jsonl", help_heading = "Output")]
    pub json: bool,
    /// Print the events as JSON lines, as they happen, instead of the debate
    #[arg(long, help_heading = "Output")]
    pub jsonl: bool,
    /// Print only the result and warnings; with --json or --jsonl, no progress
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
    /// What to print before the result
    #[arg(long, value_name = "WHAT", default_value = "all", conflicts_with_all = ["json", "jsonl", "quiet"], help_heading = "Output")]
    pub show: Show,
    /// Add figures to every turn: time, and how many prompt tokens were new
    #[arg(long, conflicts_with = "quiet", help_heading = "Output")]
    pub verbose: bool,
}

/// What is printed of a debate before its result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Show {
    /// Everything that happens
    #[default]
    All,
    /// The speeches
    Speeches,
    /// Nothing
    Verdict,
}

/// Where and in which form a debate's results go.
#[derive(Clone, Debug, Default, Args)]
pub struct OutputArgs {
    /// In which form it is shown.
    #[command(flatten)]
    pub view: ViewArgs,
    /// Write reports to a folder named after the debate, below this one [default: ./agon-reports]
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub output_dir: Option<PathBuf>,
    /// Write no reports
    #[arg(long, conflicts_with = "output_dir", help_heading = "Output")]
    pub no_reports: bool,
}

/// `agon new`
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  agon new > debate.md                          a commented template
  agon new --template panel -o plan.md
  agon new --topic \"Four-day week?\" --cast 3 --model qwen3:8b -o week.md
  agon new --topic \"Four-day week?\" --from-ratings -o again.md")]
pub struct NewArgs {
    /// Which template to start from
    #[arg(long, value_name = "NAME", default_value = "pro-con", conflicts_with_all = ["cast", "from_ratings"])]
    pub template: Template,
    /// What is debated
    #[arg(long, value_name = "TEXT")]
    pub topic: Option<String>,
    /// Use the personas with the most debates in the store of this machine, and put their record into their instructions;
    /// as many as --cast says, otherwise at most 3
    #[arg(long, conflicts_with = "model")]
    pub from_ratings: bool,
    /// Ask a model for this many personas with different stances
    #[arg(long, value_name = "N", requires = "topic", value_parser = cast_size)]
    pub cast: Option<NonZeroUsize>,
    /// Which servers to ask for a cast.
    #[command(flatten)]
    pub server: ServerArgs,
    /// The model that proposes the personas; the file names it too [default: that of the settings]
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// Write to this new file instead of stdout
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

fn cast_size(text: &str) -> Result<NonZeroUsize, String> {
    let size = text.parse::<NonZeroUsize>().map_err(|error| error.to_string())?;
    if (2..=16).contains(&size.get()) { Ok(size) } else { Err("a cast has 2 to 16 personas".to_owned()) }
}

/// A template for a debate file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Template {
    /// Two sides and a judge
    #[default]
    ProCon,
    /// Several experts who search for an answer and vote
    Panel,
    /// Options against each other, a moderator and a judge
    Decision,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::{Cli, Command};
    use clap::Parser as _;

    fn servers(flags: &[&str]) -> Result<ServerArgs, String> {
        let words = ["agon", "run", "m.md"].iter().chain(flags);
        match Cli::try_parse_from(words).map_err(|error| error.to_string())?.command {
            Command::Run(args) => Ok(args.server),
            _ => Err("another command".to_owned()),
        }
    }

    #[test]
    fn a_key_goes_with_a_server_that_is_named_and_with_no_other() {
        for (flag, url) in [("--ollama", "http://gpu:1"), ("--base-url", "http://gpu:1/v1")] {
            assert_eq!(servers(&[flag, url, "--api-key-env", "K"]).unwrap().api_key_env.as_deref(), Some("K"));
        }
        assert!(servers(&["--api-key-env", "K"]).unwrap_err().contains("--ollama <URL>|--base-url <URL>"));
        assert!(servers(&["--rehearsal", "--api-key-env", "K"]).is_err());
        assert!(servers(&["--ollama", "http://a", "--base-url", "http://b"]).is_err());
    }

    #[test]
    fn the_flags_are_written_again_as_a_shell_reads_them() {
        let again = |flags: &[&str]| servers(flags).unwrap().again();
        assert_eq!(
            again(&["--ollama", "http://gpu:1", "--api-key-env", "K"]),
            " --ollama http://gpu:1 --api-key-env K"
        );
        assert_eq!(again(&["--base-url", "http://gpu/a b"]), " --base-url 'http://gpu/a b'");
        assert_eq!(again(&["--rehearsal"]), "");
    }
}
