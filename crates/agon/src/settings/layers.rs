//! Where settings come from: defaults, two files, a file on request, the environment, flags; later ones win.
use super::{Settings, masked, places};
use crate::environment::Environment;
use crate::exit::{Exit, Stop};
use anyhow::Context;
use config::{Config, ConfigError, File, FileFormat, Map, Value, ValueKind};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

const SYSTEM_FILE: &str = "/etc/agon/agon.toml";
const FILE_NAME: &str = "agon.toml";
/// Two underscores: `AGON_PORT`, which Kubernetes sets for a service called agon, is no setting.
const PREFIX: &str = "AGON__";

/// Variables with names of their own, and what they set.
pub const KNOWN: [(&str, &str, &str); 2] =
    [("AGON_SERVER", "client", "server"), ("OTEL_EXPORTER_OTLP_ENDPOINT", "telemetry", "otlp_endpoint")];

/// One source of settings.
#[derive(Clone, Debug)]
pub struct Layer {
    /// What it is called in messages and in `agon config show --origin`.
    pub name: String,
    values: Map<String, Value>,
    /// The text of a file, to find the line of a mistake.
    text: Option<String>,
    /// The variables of the environment, to find the one that is wrong.
    variables: Vec<(String, String)>,
}

/// The sources, weakest first.
#[derive(Clone, Debug, Default)]
pub struct Layers(Vec<Layer>);

impl Layers {
    /// Reads every source there is. A file that was asked for by name has to exist.
    pub fn read(environment: &Environment, explicit: Option<&Path>) -> Result<Self, Stop> {
        let user = environment.config_dir().map(|dir| dir.join(FILE_NAME));
        let optional = [Some(PathBuf::from(SYSTEM_FILE)), user].into_iter().flatten();
        let mut layers = Vec::new();
        for path in optional.filter(|path| path.exists()) {
            layers.push(Layer::of_file(&path)?);
        }
        if let Some(path) = explicit {
            layers.push(Layer::of_file(path)?);
        }
        layers.extend(KNOWN.iter().filter_map(|known| Layer::of_variable(environment, known)));
        layers.push(Layer::of_environment(environment)?);
        Ok(Self(layers))
    }

    /// The settings that all sources together make; every mistake is named with its source.
    pub fn settings(&self) -> Result<Settings, Stop> {
        let (settings, problems) = self.read_and_judged()?;
        if problems.is_empty() {
            return Ok(settings);
        }
        Err(Stop::usage(masked(&format!("the settings are wrong:\n  {}", problems.join("\n  ")))))
    }

    /// The settings where they can be read, and what is wrong with them, each with its place.
    pub fn read_and_judged(&self) -> Result<(Settings, Vec<String>), Stop> {
        let mut wrong = String::new();
        for layer in &self.0 {
            if let Err(error) = deserialize::<Settings>(&layer.values) {
                let _ = write!(wrong, "\n  {}", layer.mistake(&error));
            }
        }
        if !wrong.is_empty() {
            return Err(Stop::usage(format!("the settings are wrong:{}", masked(&wrong))));
        }
        let mut all = Map::new();
        self.0.iter().for_each(|layer| merge(&mut all, &layer.values));
        let settings: Settings =
            deserialize(&all).map_err(|error| Stop::usage(masked(&format!("the settings are wrong: {error}"))))?;
        let problems = settings.problems().iter().map(|problem| self.placed(problem)).collect();
        Ok((settings, problems))
    }

    /// The problem, which begins with the path of a setting, behind the place of that setting.
    fn placed(&self, problem: &str) -> String {
        let path = problem.split([':', ',', ' ']).next().unwrap_or_default();
        match self.0.iter().rev().find_map(|layer| layer.place_of(path)) {
            Some(place) => format!("{place}: {problem}"),
            None => problem.to_owned(),
        }
    }

    /// The names of the sources, weakest first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|layer| !layer.values.is_empty()).map(|layer| layer.name.as_str())
    }

    /// The source that decided each value, by its path such as `store.sync`.
    pub fn origins(&self) -> BTreeMap<String, String> {
        let mut origins = BTreeMap::new();
        for layer in &self.0 {
            paths(&layer.values, "", &mut |path| {
                origins.insert(path, layer.name.clone());
            });
        }
        origins
    }
}

impl Layer {
    fn of_file(path: &Path) -> Result<Self, Stop> {
        let name = path.display().to_string();
        let text = agon_files::read_text(path).with_context(|| format!("cannot read the settings {name}"));
        let text = text.map_err(|error| Stop::new(Exit::Usage, error))?;
        let config = Config::builder().add_source(File::from_str(&text, FileFormat::Toml)).build();
        let values = config
            .and_then(table)
            .map_err(|error| Stop::usage(masked(&format!("the settings {name} cannot be read: {error}"))))?;
        Ok(Self { name, values, text: Some(text), variables: Vec::new() })
    }

    fn of_variable(environment: &Environment, (name, section, key): &(&str, &str, &str)) -> Option<Self> {
        let text = Value::new(None, ValueKind::String(environment.get(name)?.to_owned()));
        let table = Value::new(None, ValueKind::Table(Map::from_iter([((*key).to_owned(), text)])));
        let values = Map::from_iter([((*section).to_owned(), table)]);
        Some(Self { name: (*name).to_owned(), values, text: None, variables: Vec::new() })
    }

    fn of_environment(environment: &Environment) -> Result<Self, Stop> {
        let name = "the environment (AGON__...)".to_owned();
        let pairs = environment.with_prefix(PREFIX).map(|(name, value)| (name.to_owned(), value.to_owned()));
        let variables: Vec<(String, String)> = pairs.collect();
        let values = of_variables(&variables).map_err(|error| Stop::usage(format!("{name}: {error}")))?;
        Ok(Self { values, name, text: None, variables })
    }

    /// Where it sets the value of this path, such as `hosts[0].url`; nothing where it does not.
    fn place_of(&self, path: &str) -> Option<String> {
        let steps = places::steps(path);
        if !places::is_set(&self.values, &steps) {
            return None;
        }
        let keys: Vec<String> = steps.iter().map(|(key, _)| key.to_uppercase()).collect();
        let variable = format!("{PREFIX}{}", keys.join("__"));
        if let Some((name, _)) = self.variables.iter().find(|(name, _)| *name == variable) {
            return Some(format!("the environment variable {name}"));
        }
        let line = self.text.as_deref().and_then(|text| places::line_of(text, &steps));
        Some(line.map_or_else(|| self.name.clone(), |line| format!("{}:{line}", self.name)))
    }

    /// What is wrong with it, as precisely as it can be said.
    fn mistake(&self, error: &ConfigError) -> String {
        if let Some(text) = &self.text
            && let Err(wrong) = toml::from_str::<Settings>(text)
        {
            let before = wrong.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            return format!("{}:{}: {}", self.name, before.matches('\n').count() + 1, with_guess(wrong.message()));
        }
        let alone = |(name, value): &(String, String)| {
            let wrong = variable_mistake(name, value)?;
            Some(format!("the environment variable {name}: {}", with_guess(&wrong)))
        };
        let wrong: Vec<String> = self.variables.iter().filter_map(alone).collect();
        if wrong.is_empty() { format!("{}: {}", self.name, with_guess(&error.to_string())) } else { wrong.join("\n  ") }
    }
}

/// What is wrong with one variable by itself.
pub fn variable_mistake(name: &str, value: &str) -> Option<String> {
    let values = of_variables(&[(name.to_owned(), value.to_owned())]);
    values
        .and_then(|values| deserialize::<Settings>(&values))
        .err()
        .map(|error| masked(&error.to_string()).into_owned())
}

fn of_variables(variables: &[(String, String)]) -> Result<Map<String, Value>, ConfigError> {
    // Without `try_parsing`, which would turn a key like "1e5" into a number; numbers are read where one is wanted.
    let source = config::Environment::with_prefix("AGON")
        .prefix_separator("__")
        .separator("__")
        .ignore_empty(true)
        .source(Some(variables.iter().cloned().collect()));
    Config::builder().add_source(source).build().and_then(table)
}

/// The message of a deserializer, with the valid name that was most likely meant: the names stand in it in backquotes or quotes.
fn with_guess(message: &str) -> String {
    let mut names = message.split('`').skip(1).step_by(2);
    let guess = names.next().filter(|_| message.contains("unknown")).and_then(|wrong| agon_spec::nearest(wrong, names));
    match guess {
        Some(name) => format!("{message}; did you mean `{name}`?"),
        None => message.to_owned(),
    }
}

fn table(config: Config) -> Result<Map<String, Value>, ConfigError> {
    config.cache.into_table()
}

fn deserialize<T: serde::de::DeserializeOwned>(values: &Map<String, Value>) -> Result<T, ConfigError> {
    Value::new(None, ValueKind::Table(values.clone())).try_deserialize()
}

/// Tables merge key by key; everything else, lists included, replaces what was there.
fn merge(into: &mut Map<String, Value>, from: &Map<String, Value>) {
    for (key, value) in from {
        match (into.get_mut(key).map(|there| &mut there.kind), &value.kind) {
            (Some(ValueKind::Table(there)), ValueKind::Table(here)) => merge(there, here),
            _ => drop(into.insert(key.clone(), value.clone())),
        }
    }
}

fn paths(values: &Map<String, Value>, prefix: &str, found: &mut impl FnMut(String)) {
    for (key, value) in values {
        let path = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
        match &value.kind {
            ValueKind::Table(table) => paths(table, &path, found),
            _ => found(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::ProcessRole;
    use crate::settings::{HostKind, Length};
    use agon_store::SyncMode;

    fn file(text: &str) -> Layer {
        let config = Config::builder().add_source(File::from_str(text, FileFormat::Toml)).build().unwrap();
        Layer { name: "a.toml".into(), values: table(config).unwrap(), text: Some(text.into()), variables: Vec::new() }
    }
    fn environment(pairs: [(&str, &str); 2]) -> Layer {
        Layer::of_environment(&Environment::from(pairs)).unwrap()
    }
    fn message(layers: Layers) -> String {
        layers.settings().unwrap_err().error.unwrap().to_string()
    }

    #[test]
    fn a_value_that_is_no_good_is_named_with_its_place() {
        let text = "[nats]\n# a\nurls = [\"nats://u:hush@h:4222\"]\n\n[[hosts]]\nname = \"a\"\nurl = \"http://a\"\n\
                    [[hosts]]\nname = \"b\"\nurl = \"http://u:hush@b\"\n";
        let told = message(Layers(vec![file(text)]));
        for wanted in ["a.toml:3: nats.urls[0]: ", "a.toml:10: hosts[1].url: ", "nats.user and nats.password"] {
            assert!(told.contains(wanted), "{told}");
        }
        let told = message(Layers(vec![
            file("nats = { urls = [] }"),
            environment([("AGON__NATS__URLS", "nats://u:hush@h:4222"), ("AGON__NATS__REPLICAS", "2")]),
        ]));
        for wanted in ["variable AGON__NATS__URLS: nats.urls[0]: ", "variable AGON__NATS__REPLICAS: nats.replicas: 2"] {
            assert!(told.contains(wanted), "{told}");
        }
        assert!(!told.contains("hush"), "{told}");
        let known = Environment::from([("AGON_SERVER", "u:hush@h:1")]);
        let told = message(Layers(vec![Layer::of_variable(&known, &KNOWN[0]).unwrap()]));
        assert!(told.contains("AGON_SERVER: client.server: "), "{told}");
    }

    #[test]
    fn without_any_source_there_are_defaults() {
        assert_eq!(Layers::default().settings().unwrap(), Settings::default());
    }

    #[test]
    fn later_sources_win_value_by_value_and_numbers_may_be_text() {
        let layers = Layers(vec![
            file("[store]\nsync = \"normal\"\npath = \"/a\"\n[runtime]\nmax_debates = 3"),
            environment([("AGON__RUNTIME__MAX_DEBATES", "7"), ("AGON__RUNTIME__WAIT_LIMIT", "90s")]),
        ]);
        let settings = layers.settings().unwrap();
        assert_eq!(settings.store.sync, SyncMode::Normal);
        assert_eq!(settings.runtime.max_debates.get(), 7);
        assert_eq!(settings.runtime.wait_limit, Length::seconds(90));
        assert_eq!(layers.origins()["runtime.max_debates"], "the environment (AGON__...)");
        assert_eq!(layers.origins()["store.sync"], "a.toml");
    }

    #[test]
    fn text_that_looks_like_a_number_stays_text() {
        let layers =
            Layers(vec![environment([("AGON__DEFAULTS__MODEL", "00123"), ("AGON__DEFAULTS__JUDGE_MODEL", "1e5")])]);
        let defaults = layers.settings().unwrap().defaults;
        assert_eq!(defaults.model.as_deref(), Some("00123"));
        assert_eq!(defaults.judge_model.as_deref(), Some("1e5"));
    }

    #[test]
    fn variables_that_kubernetes_sets_for_a_service_are_no_settings() {
        let layers = Layers(vec![environment([("AGON_PORT", "tcp://10.0.0.1:80"), ("AGON_SERVICE_HOST", "10.0.0.1")])]);
        assert_eq!(layers.settings().unwrap(), Settings::default());
    }

    #[test]
    fn unknown_keys_are_refused_with_their_source_and_what_is_known() {
        let said = message(Layers(vec![
            file("[store]\nsink = \"full\""),
            environment([("AGON__STOR__PATH", "/a"), ("A", "b")]),
        ]));
        assert!(said.contains("a.toml") && said.contains("sink") && said.contains("sync"), "{said}");
        assert!(said.contains("AGON__STOR__PATH") && said.contains("did you mean `store`?"), "{said}");
    }

    #[test]
    fn a_mistake_in_a_file_is_told_with_its_line_and_the_nearest_name() {
        let said = message(Layers(vec![file("[store]\n\nsnyc = \"full\"")]));
        assert!(said.contains("a.toml:3: ") && said.contains("did you mean `sync`?"), "{said}");
        let value = message(Layers(vec![file("# one\n[store]\nsync = \"ful\"")]));
        assert!(value.contains("a.toml:3: ") && value.contains("did you mean `full`?"), "{value}");
    }

    #[test]
    fn of_several_variables_the_wrong_one_is_named() {
        let said = message(Layers(vec![environment([
            ("AGON__STORE__SYNC", "normal"),
            ("AGON__RUNTIME__MAX_DEBATES", "many"),
        ])]));
        assert!(said.contains("AGON__RUNTIME__MAX_DEBATES") && !said.contains("AGON__STORE__SYNC"), "{said}");
    }

    #[test]
    fn variables_with_names_of_their_own_are_weaker_than_those_that_name_the_key() {
        let pairs = [("AGON_SERVER", "a:1"), ("AGON__TELEMETRY__OTLP_ENDPOINT", "http://b:2")];
        let given = Environment::from([pairs[0], pairs[1], ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:3")]);
        let layers = Layers::read(&given, None).unwrap();
        let settings = layers.settings().unwrap();
        assert_eq!(settings.client.server.as_deref(), Some("a:1"));
        assert_eq!(settings.telemetry.otlp_endpoint.as_deref(), Some("http://b:2"));
        assert_eq!(layers.origins()["client.server"], "AGON_SERVER");
    }

    #[test]
    fn a_list_may_be_one_text_with_commas() {
        let layers = Layers(vec![environment([
            ("AGON__NATS__URLS", "nats://a:4222, nats://b:4222"),
            ("AGON__NODE__ROLES", "host,gateway"),
        ])]);
        let settings = layers.settings().unwrap();
        assert_eq!(settings.nats.urls, ["nats://a:4222", "nats://b:4222"]);
        assert_eq!(settings.node.roles, [ProcessRole::Host, ProcessRole::Gateway]);
        let wrong = Layers(vec![environment([("AGON__NODE__ROLES", "hosts"), ("A", "b")])]);
        assert!(message(wrong).contains("gateway"));
    }

    #[test]
    fn every_section_tells_its_mistakes_with_its_name() {
        let said = message(Layers(vec![file(
            "[nats]\nreplicas = 2\n[node]\nname = \"A B\"\n[coordinator]\nnode_silent = \"1s\"\n[host]\ndiscovery = 0\n\
             [gateway.auth.certificates]\nscopes = [\"all\"]\n[telemetry]\nsampling = 2.0\n[client]\nserver = \"ftp://a\"",
        )]));
        for wanted in [
            "nats.replicas",
            "node.name",
            "coordinator.node_silent",
            "host.discovery",
            "gateway.auth.certificates",
            "telemetry.sampling",
            "client.server",
        ] {
            assert!(said.contains(wanted), "{wanted}: {said}");
        }
    }

    #[test]
    fn every_key_that_the_reference_shows_exists_and_every_key_with_a_default_is_shown() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/reference/configuration.md");
        let document = std::fs::read_to_string(path).unwrap();
        let blocks: Vec<&str> =
            document.split("```toml\n").skip(1).map(|rest| rest.split("```").next().unwrap()).collect();
        assert!(blocks.len() >= 2);
        let mut shown = std::collections::BTreeSet::new();
        for block in blocks {
            let layer = file(block);
            deserialize::<Settings>(&layer.values).unwrap_or_else(|error| panic!("{error}\n{block}"));
            paths(&layer.values, "", &mut |path| {
                shown.insert(path);
            });
        }
        let defaults = file(&toml::to_string(&Settings::default()).unwrap());
        paths(&defaults.values, "", &mut |path| assert!(shown.contains(&path), "{path} is not in {document}"));
    }

    #[test]
    fn what_is_printed_of_the_settings_reads_back() {
        let text = toml::to_string(&Settings::default()).unwrap();
        assert_eq!(Layers(vec![file(&text)]).settings().unwrap(), Settings::default());
    }

    #[test]
    fn hosts_are_read_with_their_keys_and_model_names_kept_as_they_are() {
        let text = r#"
            [[hosts]]
            name = "gpu"
            url = "https://gpu.example.org"
            kind = "openai"
            api_key = { env = "GPU_KEY" }
            models = ["Qwen/Qwen3-8B", "llama3.1:8b"]
            permits = 4
            first_byte_timeout = 120
        "#;
        let hosts = Layers(vec![file(text)]).settings().unwrap().hosts;
        let host = hosts.first().unwrap();
        assert_eq!(host.kind, HostKind::Openai);
        assert_eq!(host.models, ["Qwen/Qwen3-8B", "llama3.1:8b"]);
        assert_eq!(host.api_key.as_ref().unwrap().env.as_deref(), Some("GPU_KEY"));
        assert_eq!(host.first_byte_timeout, Length::seconds(120));
    }

    #[test]
    fn prices_keep_the_names_of_their_models_and_are_checked() {
        let text = "[prices.\"Qwen/Qwen3-8B\"]\nprompt = 0.2\ngenerated = 1\ncurrency = \"EUR\"";
        let prices = Layers(vec![file(text)]).settings().unwrap().prices();
        let price = prices.get(&agon_core::ModelName::from("Qwen/Qwen3-8B")).unwrap();
        assert_eq!((price.prompt, price.generated, price.currency.as_str()), (0.2, 1.0, "EUR"));
        let said = message(Layers(vec![file(&text.replace("0.2", "-1").replace("EUR", ""))]));
        assert!(said.contains("prompt: -1 is no price") && said.contains("currency: empty"), "{said}");
    }

    #[test]
    fn all_mistakes_in_well_formed_values_are_named_at_once() {
        let said = message(Layers(vec![file(
            "[[hosts]]\nname = \"a\"\nurl = \"ftp://a\"\n[[hosts]]\nname = \"a\"\nurl = \"b\"\napi_key = {}",
        )]));
        assert!(said.contains("hosts[0].url"), "{said}");
        assert!(said.contains("hosts[1].api_key"), "{said}");
        assert!(said.contains("hosts[1].name"), "{said}");
    }
}
