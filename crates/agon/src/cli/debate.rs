//! What describes a debate, wherever it is held: shared by `run` and `submit`.
use agon_core::Priority;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::str::FromStr;

/// What describes a debate.
#[derive(Clone, Debug, Args)]
pub struct DebateArgs {
    /// A debate file (.md, .markdown, .txt, .yaml, .yml, .json), a plain topic, or - for stdin
    #[arg(value_name = "FILE|TOPIC|-")]
    pub what: String,
    /// The syntax of the file, if its name does not show it
    #[arg(long = "as", value_name = "SYNTAX")]
    pub syntax: Option<FileSyntax>,
    /// Let this model play every role; overrides the file
    #[arg(long, value_name = "NAME", help_heading = "Models")]
    pub model: Option<String>,
    /// Run at most this many rounds; overrides the file
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100))]
    pub rounds: Option<u32>,
    /// Hold the debate only if this learned gate says so; overrides the file
    #[arg(long, value_name = "FILE", conflicts_with = "no_gate")]
    pub gate: Option<PathBuf>,
    /// Hold the debate whatever its first ballots say; overrides the file
    #[arg(long)]
    pub no_gate: bool,
    /// Derive every random choice from this number
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Name the debate: 4 to 63 characters of a-z, 0-9 and -
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// Label the debate, for `agon list --label`; repeatable
    #[arg(long = "label", value_name = "KEY=VALUE")]
    pub labels: Vec<Label>,
    /// Its priority among the debates that wait
    #[arg(long, value_name = "NAME", default_value = "normal")]
    pub priority: Urgency,
}

/// How a debate file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FileSyntax {
    /// Markdown or plain text
    #[value(alias = "markdown")]
    Md,
    /// YAML
    Yaml,
    /// JSON
    Json,
}

impl From<FileSyntax> for agon_spec::Syntax {
    fn from(syntax: FileSyntax) -> Self {
        match syntax {
            FileSyntax::Md => Self::Markdown,
            FileSyntax::Yaml => Self::Yaml,
            FileSyntax::Json => Self::Json,
        }
    }
}

/// A mark of a debate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Its name.
    pub key: String,
    /// What it says; in a filter an empty one stands for any.
    pub value: String,
}

/// The longest key of a label, in bytes.
const LONGEST_KEY: usize = 63;
/// The longest value of a label, in bytes.
const LONGEST_VALUE: usize = 256;

impl FromStr for Label {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (key, value) = text.split_once('=').unwrap_or((text, ""));
        let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._/-".contains(&byte);
        if key.is_empty() || key.len() > LONGEST_KEY || !key.bytes().all(fits) {
            return Err(format!("the key of a label is 1 to {LONGEST_KEY} characters of a-z, 0-9 and . _ / -"));
        }
        if value.len() > LONGEST_VALUE {
            return Err(format!("the value of a label is at most {LONGEST_VALUE} bytes long"));
        }
        Ok(Self { key: key.to_owned(), value: value.to_owned() })
    }
}

/// How urgent a debate is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Urgency {
    /// Someone waits for the result
    Interactive,
    /// The default
    #[default]
    Normal,
    /// In bulk
    Batch,
}

impl From<Urgency> for Priority {
    fn from(urgency: Urgency) -> Self {
        match urgency {
            Urgency::Interactive => Self::Interactive,
            Urgency::Normal => Self::Normal,
            Urgency::Batch => Self::Batch,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_is_a_key_and_a_value_that_may_be_empty_or_hold_the_sign() {
        let label = |text: &str| text.parse::<Label>().map(|label| (label.key, label.value));
        assert_eq!(label("team=a=b"), Ok(("team".into(), "a=b".into())));
        assert_eq!(label("team"), Ok(("team".into(), String::new())));
    }

    #[test]
    fn a_label_that_the_server_would_refuse_is_refused_here() {
        for text in ["", "=a", "Team=a", "a b=c", &format!("{}=a", "k".repeat(64)), &format!("k={}", "v".repeat(257))] {
            assert!(text.parse::<Label>().is_err(), "{text}");
        }
    }
}
