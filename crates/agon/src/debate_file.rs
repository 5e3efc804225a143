//! From what the user names (a file, a topic, standard input) to a debate.
use crate::exit::{Exit, Stop};
use crate::output::Output;
use crate::settings::{DefaultModels, Settings};
use agon_core::DebateSpec;
use agon_spec::{Code, Defaults, Diagnostic, Overrides, Parsed, Severity, Source, Syntax};
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
    fn concerns(&self, found: &Diagnostic, overrides: &Overrides) -> bool {
        match self {
            Self::Written(_) => true,
            Self::Topic(_) if overrides.model.is_some() => true,
            Self::Topic(_) => !matches!(found.code, Code::SingleModel | Code::JudgeSharesModel),
        }
    }
}

/// Reads `-` or a file.
pub fn file_or_input(name: &str) -> Result<Source, Stop> {
    if name == "-" { standard_input() } else { file(name) }
}

/// Reads the debate, with what flags put in place of its own values; warnings are printed, errors end the program.
pub fn load(named: &Named, defaults: &Defaults, overrides: &Overrides, output: &Output) -> Result<DebateSpec, Stop> {
    let Parsed { spec, diagnostics } = agon_spec::parse_with(named.source(), defaults, overrides);
    let flags = flags(overrides);
    if let Some(spec) = spec {
        for warning in diagnostics.iter().filter(|found| named.concerns(found, overrides)) {
            let place = format!("{}:{}{flags}", warning.file, warning.place.line);
            output.note(&format!("warning: {place}: {}", warning.message));
        }
        return Ok(spec);
    }
    eprint!("{}", agon_spec::render(&diagnostics));
    let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error).count();
    let s = if errors == 1 { "" } else { "s" };
    Err(Stop::usage(format!("{}{flags} has {errors} error{s}", agon_report::one_line(&named.source().name))))
}

/// The flags that stand in place of the file's values, as they are named beside it; a seed changes nothing that is checked.
fn flags(overrides: &Overrides) -> String {
    let rounds = overrides.max_rounds.map(|rounds| format!(" --rounds {rounds}"));
    let model = overrides.model.as_deref().map(|model| format!(" --model {}", agon_report::one_line(model)));
    let flags: String = rounds.into_iter().chain(model).collect();
    if flags.is_empty() { flags } else { format!(" with{flags}") }
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

    fn told(named: &Named, overrides: &Overrides) -> Vec<Code> {
        let parsed = agon_spec::parse_with(named.source(), &defaults(&Settings::default()), overrides);
        parsed.diagnostics.iter().filter(|found| named.concerns(found, overrides)).map(|found| found.code).collect()
    }

    #[test]
    fn a_plain_topic_is_not_warned_of_the_one_model_of_the_defaults_but_a_file_is() {
        let none = Overrides::default();
        assert_eq!(told(&Named::find("Tea or coffee?").unwrap(), &none), []);
        let file = Source::new("tea.yaml", "topic: Tea or coffee?\n");
        assert_eq!(told(&Named::Written(file), &none), [Code::JudgeSharesModel, Code::SingleModel]);
    }

    #[test]
    fn flags_are_checked_like_the_file() {
        let file = |text: &str| Named::Written(Source::new("tea.yaml", text));
        let people = |model: &str| {
            format!(
                "topic: Tea?\nmax_rounds: 2\njudge: {{model: z, panel: 2, panel_models: [y]}}\npersonas:\n  \
                 - {{name: a, stance: s, model: {model}, reflection: true}}\n  - {{name: b, stance: t, model: n}}\n"
            )
        };
        let rounds = |max_rounds| Overrides { max_rounds: Some(max_rounds), ..Overrides::default() };
        let model = Overrides { model: Some("x".into()), ..Overrides::default() };
        assert_eq!(told(&file(&people("m")), &Overrides::default()), []);
        assert_eq!(told(&file(&people("m")), &rounds(8)), [Code::ManyRounds]);
        assert_eq!(told(&file(&people("m")), &rounds(1)), [Code::Combination]);
        assert_eq!(told(&file(&people("m")), &model), [Code::JudgeSharesModel, Code::SingleModel, Code::SingleFamily]);
        assert_eq!(told(&Named::find("Tea?").unwrap(), &model), [Code::JudgeSharesModel, Code::SingleModel]);
    }

    #[test]
    fn a_model_that_is_named_plays_every_role() {
        let text = "topic: Tea?\ncontext_scope: summary_only\nmoderator: {model: a}\njudge: {model: b, panel: 3, panel_models: [c]}\n\
                    summarizer: {model: d}\nsynthesizer: {model: e}\npersonas:\n  - {name: a, stance: s, endpoint: nats}\n  \
                    - {name: b, stance: t, model: f, fallback_models: [g]}\n";
        let defaults =
            Defaults { judge_model: Some("h".into()), moderator_model: Some("i".into()), ..Defaults::default() };
        let overrides = Overrides { model: Some("x".into()), seed: Some(7), ..Overrides::default() };
        let spec = agon_spec::parse_with(&Source::new("a.yaml", text), &defaults, &overrides).spec.unwrap();
        assert_eq!(spec.seed, Some(7));
        let staff = ["moderator", "judge", "judge-2", "judge-3", "summarizer", "synthesizer", "a", "b"];
        for name in staff {
            let role = spec.role(&name.into()).unwrap_or_else(|| panic!("no {name}"));
            assert_eq!(role.models(), [&agon_core::ModelName::from("x")], "{name}");
        }
    }
}
