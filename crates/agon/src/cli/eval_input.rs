//! What an eval asks, and whom.
use clap::{Args, ValueEnum};

/// What an eval asks, and whom.
#[derive(Clone, Debug, Default, Args)]
pub struct EvalInputArgs {
    /// A file of questions (JSONL, CSV, YAML, JSON), or an eval file
    #[arg(value_name = "FILE")]
    pub what: Option<String>,
    /// A debate file to compare, as FILE or NAME=FILE; repeatable
    #[arg(long = "debate", value_name = "[NAME=]FILE")]
    pub debates: Vec<NamedFile>,
    /// Ask fresh questions of this kind instead of those of a file
    #[arg(long, value_name = "KIND", conflicts_with = "what")]
    pub builtin: Option<BuiltinKind>,
    /// Use so many questions: the first ones of a file, or so many fresh ones [default: all of a file; 40 fresh ones]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub questions: Option<u32>,
    /// Hold a pilot on so many questions, of a file drawn by the seed; it tells how many a verdict needs
    #[arg(long, value_name = "N", conflicts_with = "questions", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub pilot: Option<u32>,
    /// The model of all roles that the debate files leave open
    #[arg(long, value_name = "NAME")]
    pub model: Option<String>,
    /// The model that grades answers that no pattern can score; repeat it for a panel of 3 or 5 [default: as the eval file has it, else
    /// `eval.grader_model` of the settings]
    #[arg(long = "grader", value_name = "MODEL")]
    pub grader: Vec<String>,
    /// Allow a grader of the family of a model that is tested; marks each verdict
    #[arg(long, requires = "grader")]
    pub same_family: bool,
    /// Every random choice derives from this number
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
}

/// Fresh questions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum BuiltinKind {
    /// Sums, products and words about them
    Arithmetic,
    /// Conclusions from premises
    Logic,
    /// Days and dates
    Dates,
}

/// A file, and the name that it is to have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedFile {
    /// The name, where one is given.
    pub name: Option<String>,
    /// The file.
    pub file: String,
}

impl std::str::FromStr for NamedFile {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let arm = |name: &str| !name.is_empty() && name.bytes().all(is_arm_byte);
        let (name, file) = match text.split_once('=') {
            Some((name, file)) if arm(name) => (Some(name.to_owned()), file),
            Some((name, _)) if !name.contains('/') => {
                return Err(format!(
                    "{name:?} is no name of a debate: one is made of a-z, 0-9, _ and -; write a file whose name holds `=` as ./FILE"
                ));
            }
            Some(_) | None => (None, text),
        };
        if file.is_empty() {
            return Err("name a debate file, as FILE or NAME=FILE".to_owned());
        }
        Ok(Self { name, file: file.to_owned() })
    }
}

/// A character of an arm's name.
pub fn is_arm_byte(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_' || byte == b'-'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_before_a_file_is_one_of_an_arm_or_refused() {
        let named = |text: &str| text.parse::<NamedFile>().map(|named| (named.name, named.file));
        assert_eq!(named("wide=panel.md"), Ok((Some("wide".to_owned()), "panel.md".to_owned())));
        assert_eq!(named("./Wide=panel.md"), Ok((None, "./Wide=panel.md".to_owned())));
        let refused = named("Wide Panel=panel.md").unwrap_err();
        assert!(refused.starts_with("\"Wide Panel\" is no name of a debate: one is made of a-z"), "{refused}");
    }
}
