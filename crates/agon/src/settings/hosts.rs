//! Model servers, as settings and the environment name them.
use super::credentials::carries;
use super::ollama_host::connectable;
use super::providers::{Provider, has_prefix, recognised};
use super::service_models::known_models;
use super::{KeySource, Length};
use crate::cli::ServerArgs;
use crate::environment::Environment;
use agon_core::ModelName;
use agon_llm::{ChatFields, Endpoint, EndpointKind, OptionalField, WellKnownModels};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::path::PathBuf;

/// One model server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HostSettings {
    /// What logs and reports call it.
    pub name: String,
    /// Its address.
    pub url: String,
    /// The dialect that it speaks.
    #[serde(default)]
    pub kind: HostKind,
    /// Where its key is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub api_key: Option<KeySource>,
    /// Whose password the key is, where the server asks for both.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<String>,
    /// More headers of every request, and where their values are.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub headers: BTreeMap<String, KeySource>,
    /// The only authorities (PEM) that may have signed the server's certificate, or that certificate itself; absent: those of the
    /// system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ca_file: Option<PathBuf>,
    /// The certificate (PEM) that the server asks its clients for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cert_file: Option<PathBuf>,
    /// The key (PEM) of `cert_file`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_file: Option<PathBuf>,
    /// What debates write before the names of its models, with a slash between: `gateway/MODEL`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prefix: Option<String>,
    /// The models to use it for; empty is all that it has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<String>,
    /// Calls at one time, per model; should equal the server's `OLLAMA_NUM_PARALLEL`.
    #[serde(default = "one")]
    pub permits: NonZeroUsize,
    /// Whose call is next.
    #[serde(default)]
    pub scheduling: HostScheduling,
    /// Models read what is said while others speak, where a permit is free.
    #[serde(default)]
    pub read_ahead: bool,
    /// Context length that models are launched with; absent leaves it to the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub num_ctx: Option<u32>,
    /// Longest wait for the first byte while the server loads the model; without a load the debate's `timeout_per_turn` counts.
    #[serde(default = "first_byte")]
    pub first_byte_timeout: Length,
    /// Longest silence inside an answer.
    #[serde(default = "idle")]
    pub idle_timeout: Length,
    /// Whether answers are asked for piece by piece; without, a turn is shown once it is whole.
    #[serde(default = "yes")]
    pub stream: bool,
    /// The field that a call's token limit is sent in; `openai` alone.
    #[serde(default)]
    pub token_limit: TokenLimit,
    /// Fields of a call that the server refuses and that are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub omit: Vec<OptionalField>,
    /// Who named it.
    #[serde(skip)]
    pub origin: Origin,
}

/// Whose call is next at a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostScheduling {
    /// That of the debates whose prompts the server still holds.
    #[default]
    CacheAware,
    /// Each debate's in turn.
    Fair,
    /// That of whoever came first.
    Fifo,
}
impl From<HostScheduling> for agon_runtime::Scheduling {
    fn from(scheduling: HostScheduling) -> Self {
        match scheduling {
            HostScheduling::CacheAware => Self::CacheAware,
            HostScheduling::Fair => Self::Fair,
            HostScheduling::Fifo => Self::Fifo,
        }
    }
}

/// The field that a call's token limit is sent in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TokenLimit {
    /// That of most servers.
    #[default]
    MaxTokens,
    /// That of OpenAI's newer models.
    MaxCompletionTokens,
}

/// Who named a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// `[[hosts]]`.
    #[default]
    Settings,
    /// A flag.
    Flag,
    /// `OLLAMA_HOST`.
    Variable,
    /// Nobody: it is where Ollama usually is.
    Usual,
    /// The prefix of a model's name.
    Provider(&'static Provider),
}

/// The dialect that a server speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HostKind {
    /// Ollama's own.
    #[default]
    Ollama,
    /// OpenAI's, as many servers imitate it.
    Openai,
}

/// Where Ollama listens unless told otherwise.
pub const DEFAULT_OLLAMA: &str = "http://127.0.0.1:11434";

fn one() -> NonZeroUsize {
    NonZeroUsize::MIN
}
fn first_byte() -> Length {
    Length(agon_llm::CallTimeouts::default().first_byte)
}
fn yes() -> bool {
    true
}
fn idle() -> Length {
    Length(agon_llm::CallTimeouts::default().idle)
}

impl HostSettings {
    /// An Ollama server with everything else by default.
    pub fn ollama(name: &str, url: &str) -> Self {
        Self {
            name: name.to_owned(),
            url: url.to_owned(),
            kind: HostKind::Ollama,
            api_key: None,
            user: None,
            headers: BTreeMap::new(),
            ca_file: None,
            cert_file: None,
            key_file: None,
            prefix: None,
            models: Vec::new(),
            permits: one(),
            scheduling: HostScheduling::default(),
            read_ahead: false,
            num_ctx: None,
            first_byte_timeout: first_byte(),
            idle_timeout: idle(),
            stream: true,
            token_limit: TokenLimit::default(),
            omit: Vec::new(),
            origin: Origin::default(),
        }
    }
    /// An OpenAI-compatible server with everything else by default.
    pub fn openai(name: &str, url: &str, api_key: Option<KeySource>) -> Self {
        Self { kind: HostKind::Openai, api_key, ..Self::ollama(name, url) }
    }
    /// What the user knows it by: the flag or variable that names it, else its name.
    pub fn known_by(&self) -> String {
        match (self.origin, self.kind) {
            (Origin::Flag, HostKind::Ollama) => "--ollama".to_owned(),
            (Origin::Flag, HostKind::Openai) => "--base-url".to_owned(),
            (Origin::Variable, _) => "OLLAMA_HOST".to_owned(),
            (Origin::Settings | Origin::Usual | Origin::Provider(_), _) => format!("host {}", self.name),
        }
    }
    /// What names the place of its key.
    pub fn key_setting(&self) -> &'static str {
        if self.origin == Origin::Flag { "--api-key-env" } else { "api_key" }
    }
    /// What helps where it cannot be prepared; nothing where the error says enough.
    pub fn remedy(&self, environment: &Environment) -> Option<String> {
        if carries(&self.url, true) {
            return Some(
                "omit the user and the password; give them as user = \"NAME\" and api_key = { env = \"VARIABLE\" } of a host in \
                 [[hosts]], or name a key by --api-key-env VARIABLE with --ollama or --base-url"
                    .to_owned(),
            );
        }
        let name = self.api_key.as_ref().and_then(|key| key.env.as_deref())?;
        let unset = environment.get(name).is_none();
        unset.then(|| match self.origin {
            Origin::Flag => format!("export {name}=..., or name another variable with --api-key-env"),
            _ => format!("export {name}=..., or change api_key of this host"),
        })
    }
    /// Whether the server may be asked for its models.
    pub fn lists_models(&self) -> bool {
        match self.origin {
            Origin::Provider(provider) => provider.lists_models,
            Origin::Settings | Origin::Flag | Origin::Variable | Origin::Usual => true,
        }
    }
    /// Where it departs from the usual fields of a call.
    pub fn fields(&self) -> ChatFields {
        ChatFields { completion_limit: self.token_limit == TokenLimit::MaxCompletionTokens, omit: self.omit.clone() }
    }
    /// What is known of its models without asking: where it is a well-known service.
    pub fn known(&self) -> WellKnownModels {
        let provider = match self.origin {
            Origin::Provider(provider) => Some(provider),
            Origin::Settings | Origin::Flag | Origin::Variable | Origin::Usual => Provider::at(&self.url),
        };
        provider.map(|provider| known_models(provider.prefix)).unwrap_or_default()
    }
    /// The server's address, checked.
    pub fn endpoint(&self) -> Result<Endpoint, agon_llm::EndpointError> {
        match self.kind {
            HostKind::Ollama => {
                Endpoint::parse(EndpointKind::Ollama, &connectable(&self.url, self.origin == Origin::Variable))
            }
            HostKind::Openai => Endpoint::parse(EndpointKind::OpenAi, &self.url),
        }
    }
    /// The variable that its address names and that is not set, where [`chosen`] left one.
    pub fn unset_variable(&self) -> Option<&str> {
        let (_, rest) = self.url.split_once(VARIABLE.0)?;
        rest.split_once(VARIABLE.1).map(|(name, _)| name)
    }
    /// What is wrong with it, each with its field.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if self.name.trim().is_empty() {
            problems.push("name: empty".to_owned());
        }
        // whatever a variable holds on each machine, "1" can stand where it does, as a host and as a port
        let anywhere = Self { url: filled(&self.url, &|_| Some("1".to_owned())), ..self.clone() };
        if let Err(error) = anywhere.endpoint() {
            problems.push(format!("url: {error}"));
        }
        if let Some(problem) = self.api_key.as_ref().and_then(KeySource::problem) {
            problems.push(format!("api_key: {problem}"));
        }
        problems.extend(self.access_problems());
        if self.prefix.as_ref().is_some_and(|prefix| prefix.is_empty() || prefix.contains(['/', ' '])) {
            problems.push("prefix: one word without a slash".to_owned());
        }
        if self.kind == HostKind::Ollama && self.token_limit != TokenLimit::default() {
            problems.push("token_limit: for kind = \"openai\" only".to_owned());
        }
        problems
    }
    /// What is wrong with how it is accessed, each with its field.
    fn access_problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for (name, source) in &self.headers {
            if !agon_llm::is_header(name) {
                problems.push(format!("headers: {name:?} is no name of a header"));
            }
            problems.extend(source.problem().map(|problem| format!("headers.{name}: {problem}")));
        }
        let authorized = self.headers.keys().any(|name| name.eq_ignore_ascii_case("authorization"));
        if authorized && self.api_key.is_some() {
            problems.push(
                "headers.authorization, api_key: give only one, because both are sent as Authorization".to_owned(),
            );
        }
        if self.user.is_some() && self.api_key.is_none() {
            problems.push("user: its password is missing; set api_key = { env = \"VARIABLE\" }".to_owned());
        }
        if self.user.as_ref().is_some_and(|user| user.contains(':')) {
            problems.push("user: a colon is not allowed".to_owned());
        }
        if self.cert_file.is_some() != self.key_file.is_some() {
            problems.push("cert_file, key_file: give both or neither".to_owned());
        }
        problems
    }
}

/// The servers to use: a flag before the settings, these before Ollama's own variable, and at last Ollama's usual place. To these come
/// the providers that `models` name by their prefix, unless `--base-url` names the only server.
pub fn chosen(
    flags: &ServerArgs,
    configured: &[HostSettings],
    environment: &Environment,
    models: &[ModelName],
) -> Vec<HostSettings> {
    if let Some(url) = &flags.base_url {
        return vec![flagged(url, flag_key(flags))];
    }
    let ollama = |url: &str, origin| vec![HostSettings { origin, ..HostSettings::ollama("ollama", url) }];
    let flagged_ollama = |url: &str| -> Vec<HostSettings> {
        ollama(url, Origin::Flag).into_iter().map(|host| HostSettings { api_key: flag_key(flags), ..host }).collect()
    };
    let mut hosts = match (flags.ollama.as_deref(), configured, environment.get("OLLAMA_HOST")) {
        (Some(url), _, _) => flagged_ollama(url),
        (None, [_, ..], _) => {
            let value = |name: &str| environment.get(name).map(str::to_owned);
            let here = |host: &HostSettings| HostSettings { url: filled(&host.url, &value), ..host.clone() };
            configured.iter().map(here).collect()
        }
        (None, [], Some(url)) => ollama(url, Origin::Variable),
        (None, [], None) => ollama(DEFAULT_OLLAMA, Origin::Usual),
    };
    hosts.extend(recognised(models, configured, environment));
    hosts
}

/// Where the key of the server is that flags name.
fn flag_key(flags: &ServerArgs) -> Option<KeySource> {
    flags.api_key_env.as_ref().map(|name| KeySource { env: Some(name.clone()), file: None })
}

/// The server of `--base-url`.
fn flagged(url: &str, key: Option<KeySource>) -> HostSettings {
    let mut host = HostSettings { origin: Origin::Flag, ..HostSettings::openai("openai", url, key) };
    if let Some(provider) = Provider::at(url) {
        provider.adapt(&mut host);
    }
    host
}

/// Whether another of the servers claims the model by its prefix.
pub fn claimed_elsewhere(host: &HostSettings, others: &[String], model: &str) -> bool {
    let own = host.prefix.as_deref().is_some_and(|prefix| has_prefix(model, prefix));
    !own && others.iter().any(|prefix| has_prefix(model, prefix))
}

const VARIABLE: (&str, char) = ("$(", ')');

/// The address with variables in place of each `$(NAME)`: what runs once on every machine learns only in this way which machine it is
/// on. One that is not set stays as it is.
fn filled(url: &str, value: &dyn Fn(&str) -> Option<String>) -> String {
    let Some((before, rest)) = url.split_once(VARIABLE.0) else { return url.to_owned() };
    let Some((name, after)) = rest.split_once(VARIABLE.1) else { return url.to_owned() };
    let unset = || format!("{}{name}{}", VARIABLE.0, VARIABLE.1);
    format!("{before}{}{}", value(name).unwrap_or_else(unset), filled(after, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_access_that_do_not_fit_together_are_named() {
        let key = || KeySource { env: Some("K".into()), file: None };
        let host = |change: &dyn Fn(&mut HostSettings)| {
            let mut host = HostSettings::ollama("a", "http://a:1");
            change(&mut host);
            host.problems().join("; ")
        };
        let headers = |name: &str, source: KeySource| BTreeMap::from([(name.to_owned(), source)]);
        assert_eq!(host(&|_| {}), "");
        assert_eq!(host(&|host| host.headers = headers("X-Api-Key", key())), "");
        assert!(host(&|host| host.headers = headers("a b", key())).starts_with("headers: \"a b\""));
        assert!(host(&|host| host.headers = headers("a", KeySource::default())).starts_with("headers.a: "));
        let twice = |host: &mut HostSettings| {
            host.headers = headers("Authorization", key());
            host.api_key = Some(key());
        };
        assert!(host(&twice).starts_with("headers.authorization, api_key"));
        assert!(host(&|host| host.user = Some("ada".into())).starts_with("user: its password"));
        assert!(host(&|host| host.cert_file = Some("a.pem".into())).starts_with("cert_file, key_file"));
    }

    #[test]
    fn a_flag_wins_over_settings_and_these_over_ollamas_variable() {
        let configured = [HostSettings::ollama("gpu", "http://gpu:1")];
        let environment = Environment::from([("OLLAMA_HOST", "elsewhere")]);
        let url = |flag: Option<&str>, configured: &[HostSettings], environment: &Environment| {
            let flags = ServerArgs { ollama: flag.map(str::to_owned), ..ServerArgs::default() };
            chosen(&flags, configured, environment, &[]).first().unwrap().url.clone()
        };
        assert_eq!(url(Some("flag"), &configured, &environment), "flag");
        let keyed = ServerArgs { ollama: Some("a".into()), api_key_env: Some("K".into()), ..ServerArgs::default() };
        let keyed = chosen(&keyed, &configured, &environment, &[]).remove(0);
        assert_eq!(keyed.api_key.as_ref().and_then(|key| key.env.as_deref()), Some("K"));
        assert_eq!((keyed.known_by().as_str(), keyed.key_setting()), ("--ollama", "--api-key-env"));
        assert!(keyed.remedy(&Environment::default()).unwrap().contains("export K=..."));
        assert_eq!(url(None, &configured, &environment), "http://gpu:1");
        assert_eq!(url(None, &[], &environment), "elsewhere");
        assert_eq!(url(None, &[], &Environment::default()), DEFAULT_OLLAMA);
    }

    #[test]
    fn an_address_may_name_variables_and_says_which_one_is_not_set() {
        let configured = [HostSettings::ollama("node", "http://$(HOST_IP):$(PORT)/a")];
        let url = |pairs: [(&str, &str); 2]| {
            chosen(&ServerArgs::default(), &configured, &Environment::from(pairs), &[]).remove(0)
        };
        let both = url([("HOST_IP", "10.0.0.7"), ("PORT", "8000")]);
        assert_eq!((both.url.as_str(), both.unset_variable()), ("http://10.0.0.7:8000/a", None));
        let one = url([("HOST_IP", "10.0.0.7"), ("OTHER", "1")]);
        assert_eq!((one.url.as_str(), one.unset_variable()), ("http://10.0.0.7:$(PORT)/a", Some("PORT")));
        assert!(configured.first().unwrap().problems().is_empty());
    }

    #[test]
    fn a_base_url_names_the_only_server_and_gets_no_key_that_was_not_named() {
        let environment = Environment::from([("OPENAI_API_KEY", "k")]);
        let models = [ModelName::from("openai/gpt")];
        let flags = |key: Option<&str>| ServerArgs {
            base_url: Some("https://api.openai.com/v1".into()),
            api_key_env: key.map(str::to_owned),
            ..ServerArgs::default()
        };
        let hosts = chosen(&flags(None), &[], &environment, &models);
        assert_eq!((hosts.len(), hosts[0].api_key.as_ref()), (1, None));
        assert!(hosts[0].fields().completion_limit);
        let keyed = chosen(&flags(Some("MINE")), &[], &environment, &models).remove(0);
        assert_eq!(keyed.api_key.unwrap().env.as_deref(), Some("MINE"));
    }
}
