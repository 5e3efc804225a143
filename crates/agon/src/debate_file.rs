//! From what the user names (a file, a topic, standard input) to a debate.
use crate::cli::FileSyntax;
use crate::exit::{Exit, Stop};
use crate::output::OutputMode;
use crate::servers;
use crate::settings::{DefaultModels, Settings, USUAL_MODEL};
use agon_core::DebateSpec;
use agon_spec::{Code, Defaults, GateOverride, Overrides, Parsed, Severity, Source, Syntax};
use anyhow::Context;
use std::io::Read;
use std::path::Path;

/// What the names of debate files end with.
const ENDINGS: [&str; 6] = ["md", "markdown", "txt", "yaml", "yml", "json"];
/// How a certificate or key begins (PEM).
const PEM: &str = "-----BEGIN ";

/// What a debate file need not say, from the settings.
pub fn defaults(settings: &Settings) -> Defaults {
    let DefaultModels { model, judge_model, moderator_model } = settings.defaults.clone();
    let model = model.unwrap_or_else(|| USUAL_MODEL.to_owned());
    Defaults { model: Some(model), judge_model, moderator_model, limits: settings.limits, ..Defaults::default() }
}

/// Parses a debate. Who names no model for some role has chosen none, and is not warned that all are one and the same.
pub fn parse(source: &Source, defaults: &Defaults, overrides: &Overrides) -> Parsed {
    let mut parsed = agon_spec::parse_with(source, defaults, overrides);
    if overrides.model.is_none() && needs_model(source, defaults) {
        parsed.diagnostics.retain(|found| !matches!(found.code, Code::SingleModel | Code::JudgeSharesModel));
    }
    parsed
}

/// Whether a role of the debate has no model but the default one.
pub fn needs_model(source: &Source, defaults: &Defaults) -> bool {
    // No model has this name.
    const UNNAMED: &str = "(none)";
    let defaults = Defaults { model: Some(UNNAMED.to_owned()), ..defaults.clone() };
    let spec = agon_spec::parse(source, &defaults).spec;
    spec.is_some_and(|spec| servers::models_of(&spec).iter().any(|model| model.as_str() == UNNAMED))
}

/// What was named: a debate that somebody wrote, or no more than a topic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedDebate {
    /// A file, or standard input.
    Written(Source),
    /// A topic; all else is the defaults.
    Topic(Source),
}
impl NamedDebate {
    /// Reads `-`, a file, or else takes the text as a topic; `syntax` is how a file is written where its name does not tell.
    pub fn find(what: &str, syntax: Option<FileSyntax>) -> Result<Self, Stop> {
        let path = Path::new(what);
        if what == "-" || syntax.is_some() || path.is_file() || path.is_dir() || looks_like_a_file(what) {
            file_or_input(what, syntax).map(Self::Written)
        } else {
            topic(what).map(Self::Topic)
        }
    }
    /// A text as a topic, also where there is a file of that name.
    pub fn topic(text: &str) -> Result<Self, Stop> {
        topic(text).map(Self::Topic)
    }
    /// What is to be parsed.
    pub fn source(&self) -> &Source {
        match self {
            Self::Written(source) | Self::Topic(source) => source,
        }
    }
}

/// Reads `-` or a file.
pub fn file_or_input(name: &str, syntax: Option<FileSyntax>) -> Result<Source, Stop> {
    if name != "-" && syntax.is_none() && ending(name).is_none_or(|ending| !ENDINGS.contains(&ending.as_str())) {
        return Err(not_a_debate_file(name));
    }
    let source = if name == "-" { standard_input()? } else { file(name)? };
    if source.bytes.trim_ascii_start().starts_with(PEM.as_bytes()) {
        return Err(Stop::usage(format!("{name} is a key or certificate (PEM), not a debate; none of it was used")));
    }
    Ok(match syntax {
        Some(syntax) => source.with_syntax(syntax.into()),
        None => source,
    })
}

fn not_a_debate_file(name: &str) -> Stop {
    if Path::new(name).is_dir() {
        return Stop::usage(format!("cannot read {name}: it is a folder, not a file"));
    }
    if !Path::new(name).exists() {
        return Stop::usage(format!("cannot read {name}: there is no such file"));
    }
    Stop::usage(format!(
        "{name} is not a debate file: its name must end in .{}; for another name give the syntax: --as md, --as yaml or --as json",
        ENDINGS.join(", .")
    ))
}

fn ending(name: &str) -> Option<String> {
    Path::new(name).extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase)
}

/// Reads the debate, with what flags put in place of its own values; `warns` prints warnings, also where silence is wanted,
/// and errors end the program.
pub fn load(
    named: &NamedDebate,
    defaults: &Defaults,
    overrides: &Overrides,
    warns: Option<&OutputMode>,
) -> Result<DebateSpec, Stop> {
    let Parsed { spec, diagnostics } = parse(named.source(), defaults, overrides);
    let flags = flags(overrides);
    if let Some(spec) = spec {
        for warning in &diagnostics {
            let place = format!("{}:{}{flags}", warning.file, warning.place.line);
            warns.into_iter().for_each(|output| output.warn(&format!("{place}: {}", warning.message)));
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
    let gate = overrides.gate.as_ref().map(|gate| match gate {
        GateOverride::Rule(_) => " --gate".to_owned(),
        GateOverride::Off => " --no-gate".to_owned(),
    });
    let flags: String = rounds.into_iter().chain(model).chain(gate).collect();
    if flags.is_empty() { flags } else { format!(" with{flags}") }
}

/// Whether a text that names no file is yet meant as one: better "no such file" than a debate about a mistyped name.
fn looks_like_a_file(what: &str) -> bool {
    let known = ending(what).is_some_and(|ending| ENDINGS.contains(&ending.as_str()));
    let one_word = !what.contains(char::is_whitespace);
    known || one_word && (what.contains('/') || ending(what).is_some())
}

fn file(name: &str) -> Result<Source, Stop> {
    let bytes = agon_files::read(Path::new(name), agon_spec::MAX_BYTES).with_context(|| format!("cannot read {name}"));
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
        let parsed = agon_spec::parse(NamedDebate::find(what, None).unwrap().source(), &defaults(&Settings::default()));
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
            let stop = NamedDebate::find(name, None).unwrap_err();
            assert_eq!(stop.exit, Exit::Usage);
            assert!(format!("{:#}", stop.error.unwrap()).contains(name));
        }
        assert!(looks_like_a_file("debate.toml") && looks_like_a_file("my-debate.yml.txtt"));
        assert!(!looks_like_a_file("Should we use and/or rules?"));
        assert!(!looks_like_a_file("Node.js or Deno?"));
    }

    #[test]
    fn a_folder_is_no_topic() {
        let folder = std::env::temp_dir().join(format!("agon a folder {}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for name in [folder.to_str().unwrap(), "."] {
            let stop = NamedDebate::find(name, None).unwrap_err();
            assert_eq!(stop.exit, Exit::Usage);
            assert!(stop.error.unwrap().to_string().contains("it is a folder"), "{name}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn every_role_has_a_model_without_any_setting() {
        let spec = spec_of("Tea or coffee?");
        assert!(spec.personas.iter().all(|persona| !persona.voice.model.as_str().is_empty()));
    }

    fn told(named: &NamedDebate, overrides: &Overrides) -> Vec<Code> {
        let parsed = parse(named.source(), &defaults(&Settings::default()), overrides);
        parsed.diagnostics.iter().map(|found| found.code).collect()
    }

    #[test]
    fn flags_are_checked_like_the_file() {
        let file = |text: &str| NamedDebate::Written(Source::new("tea.yaml", text));
        let people = |model: &str| {
            format!(
                "topic: Tea?\nmax_rounds: 2\njudge: {{model: z, panel: 2, panel_models: [y]}}\npersonas:\n  \
                 - {{name: Ann, stance: s, model: {model}, reflection: true}}\n  - {{name: Bo, stance: t, model: n}}\n"
            )
        };
        let rounds = |max_rounds| Overrides { max_rounds: Some(max_rounds), ..Overrides::default() };
        let model = Overrides { model: Some("x".into()), ..Overrides::default() };
        assert_eq!(told(&file(&people("m")), &Overrides::default()), []);
        assert_eq!(told(&file(&people("m")), &rounds(8)), [Code::ManyRounds]);
        assert_eq!(told(&file(&people("m")), &rounds(1)), [Code::Combination]);
        assert_eq!(told(&file(&people("m")), &model), [Code::JudgeSharesModel, Code::SingleModel, Code::SingleFamily]);
        assert_eq!(
            told(&NamedDebate::find("Tea?", None).unwrap(), &model),
            [Code::JudgeSharesModel, Code::SingleModel]
        );
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

    #[test]
    fn who_names_no_model_is_not_warned_that_all_are_the_same() {
        let of = |text: &str| told(&NamedDebate::Written(Source::new("tea.yaml", text)), &Overrides::default());
        assert_eq!(of("topic: Tea or coffee?\n"), []);
        assert_eq!(of("topic: Tea or coffee?\nmodel: m\n"), [Code::JudgeSharesModel, Code::SingleModel]);
        assert_eq!(told(&NamedDebate::find("Tea or coffee?", None).unwrap(), &Overrides::default()), []);
    }

    #[test]
    fn a_role_without_a_model_needs_the_default_one() {
        let needs = |source: &Source| needs_model(source, &defaults(&Settings::default()));
        assert!(needs(NamedDebate::find("Tea or coffee?", None).unwrap().source()));
        assert!(needs(&Source::new("tea.yaml", "topic: Tea?\n")));
        assert!(!needs(&Source::new("tea.yaml", "topic: Tea?\nmodel: m\n")));
    }

    #[test]
    fn a_key_is_not_debated_and_a_file_of_another_kind_only_on_request() {
        let folder = std::env::temp_dir().join(format!("agon-endings-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).unwrap();
            path.to_str().unwrap().to_owned()
        };
        let refused = |name: &str, syntax| {
            let stop = NamedDebate::find(name, syntax).unwrap_err();
            assert_eq!(stop.exit, Exit::Usage);
            stop.error.unwrap().to_string()
        };
        let (key, other) = (write("id.md", "-----BEGIN PRIVATE KEY-----\n"), write("debate.conf", "topic: Tea?\n"));
        assert!(refused(&key, None).contains("PEM"));
        assert!(refused(&key, Some(FileSyntax::Md)).contains("PEM"));
        assert!(refused(&other, None).contains("--as"));
        let source = file_or_input(&other, Some(FileSyntax::Yaml)).unwrap();
        assert_eq!(source.syntax, Syntax::Yaml);
        std::fs::remove_dir_all(folder).unwrap();
    }
}
