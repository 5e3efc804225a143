//! From what the user names (a file, a topic, standard input) to a debate.
use crate::exit::{Exit, Stop};
use crate::output::Output;
use crate::settings::{DefaultModels, Settings};
use agon_core::DebateSpec;
use agon_spec::{Code, Defaults, Diagnostic, Parsed, Severity, Source, Syntax};
use anyhow::Context;
use std::io::Read;
use std::path::Path;

const ENDINGS: [&str; 4] = ["md", "yaml", "yml", "json"];

/// What a debate file need not say, from the settings.
pub fn defaults(settings: &Settings) -> Defaults {
    let DefaultModels { model, judge_model, moderator_model } = settings.defaults.clone();
    Defaults { model: Some(model), judge_model, moderator_model, ..Defaults::default() }
}

/// What was named: a debate that somebody wrote, or no more than a topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// A file, or standard input.
    Written(Source),
    /// A topic; all else is the defaults.
    Topic(Source),
}
impl Named {
    /// Reads `-`, a file, or else takes the text as a topic.
    pub fn find(what: &str) -> Result<Self, Stop> {
        if what == "-" {
            return standard_input().map(Self::Written);
        }
        let path = Path::new(what);
        if path.is_file() || looks_like_a_file(what) {
            file(what).map(Self::Written)
        } else {
            topic(what).map(Self::Topic)
        }
    }
    /// What is to be parsed.
    pub fn source(&self) -> &Source {
        match self {
            Self::Written(source) | Self::Topic(source) => source,
        }
    }
    /// Whether the user is told of a finding. Who names only a topic has chosen no models: that all are one and the same is
    /// how the defaults are.
    fn concerns(&self, found: &Diagnostic) -> bool {
        match self {
            Self::Written(_) => true,
            Self::Topic(_) => !matches!(found.code, Code::SingleModel | Code::JudgeSharesModel),
        }
    }
}

/// Reads `-` or a file.
pub fn file_or_input(name: &str) -> Result<Source, Stop> {
    if name == "-" { standard_input() } else { file(name) }
}

/// Reads the debate; warnings are told, errors end the program.
pub fn load(named: &Named, defaults: &Defaults, output: &Output) -> Result<DebateSpec, Stop> {
    let Parsed { spec, diagnostics } = agon_spec::parse(named.source(), defaults);
    if let Some(spec) = spec {
        for warning in diagnostics.iter().filter(|found| named.concerns(found)) {
            output.note(&format!("warning: {}:{}: {}", warning.file, warning.place.line, warning.message));
        }
        return Ok(spec);
    }
    eprint!("{}", agon_spec::render(&diagnostics));
    let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error).count();
    let s = if errors == 1 { "" } else { "s" };
    Err(Stop::usage(format!("{} has {errors} error{s}", agon_report::one_line(&named.source().name))))
}

/// Whether a text that names no file is yet meant as one: better "no such file" than a debate about a mistyped name.
fn looks_like_a_file(what: &str) -> bool {
    let ending = Path::new(what).extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    let known = ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()));
    let path = !what.contains(char::is_whitespace) && what.contains('/');
    known || path
}

fn file(name: &str) -> Result<Source, Stop> {
    let bytes = std::fs::read(name).with_context(|| format!("cannot read {name}"));
    Ok(Source::new(name, bytes.map_err(|error| Stop::new(Exit::Usage, error))?))
}

fn standard_input() -> Result<Source, Stop> {
    let mut bytes = Vec::new();
    // One byte more than is allowed, so that too long an input is reported as such and not cut.
    let most = u64::try_from(agon_spec::MAX_BYTES).unwrap_or(u64::MAX).saturating_add(1);
    std::io::stdin().take(most).read_to_end(&mut bytes).context("cannot read standard input")?;
    Ok(Source::new("-", bytes))
}

fn topic(text: &str) -> Result<Source, Stop> {
    if text.trim().is_empty() {
        return Err(Stop::usage("the topic is empty; name a file, a topic, or - for standard input"));
    }
    // As the only line of its own it is the topic, whatever characters it begins with.
    Ok(Source::new("topic", format!("topic: {}\n", serde_json::Value::from(text.trim()))).with_syntax(Syntax::Yaml))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec_of(what: &str) -> DebateSpec {
        let parsed = agon_spec::parse(Named::find(what).unwrap().source(), &defaults(&Settings::default()));
        parsed.spec.unwrap_or_else(|| panic!("{:?}", parsed.diagnostics))
    }

    #[test]
    fn a_text_that_names_no_file_is_a_topic_as_it_stands() {
        for topic in ["Tea or coffee?", "# not a heading: \"quoted\"", "mode: what is it?", "- a dash"] {
            assert_eq!(spec_of(topic).topic, topic);
        }
    }

    #[test]
    fn a_mistyped_file_is_not_debated() {
        for name in ["no/such/thing", "gone.md", "gone.YAML"] {
            let stop = Named::find(name).unwrap_err();
            assert_eq!(stop.exit, Exit::Usage);
            assert!(format!("{:#}", stop.error.unwrap()).contains(name));
        }
        assert!(!looks_like_a_file("Should we use and/or rules?"));
    }

    #[test]
    fn every_role_has_a_model_without_any_setting() {
        let spec = spec_of("Tea or coffee?");
        assert!(spec.personas.iter().all(|persona| !persona.voice.model.as_str().is_empty()));
    }

    fn told(named: &Named) -> Vec<Code> {
        let parsed = agon_spec::parse(named.source(), &defaults(&Settings::default()));
        parsed.diagnostics.iter().filter(|found| named.concerns(found)).map(|found| found.code).collect()
    }

    #[test]
    fn a_plain_topic_is_not_warned_of_the_one_model_of_the_defaults_but_a_file_is() {
        assert_eq!(told(&Named::find("Tea or coffee?").unwrap()), []);
        let file = Source::new("tea.yaml", "topic: Tea or coffee?\n");
        assert_eq!(told(&Named::Written(file)), [Code::JudgeSharesModel, Code::SingleModel]);
    }
}
