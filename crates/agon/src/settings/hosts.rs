//! Model servers, as settings and the environment name them.
use super::{KeySource, Length};
use crate::environment::Environment;
use agon_llm::{Endpoint, EndpointKind};
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;

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
    /// The models to use it for; empty is all that it has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<String>,
    /// Calls at one time, per model; should equal the server's `OLLAMA_NUM_PARALLEL`.
    #[serde(default = "one")]
    pub permits: NonZeroUsize,
    /// Context length that models are launched with; absent leaves it to the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub num_ctx: Option<u32>,
    /// Longest wait for the first byte while the server loads the model; without a load the debate's `timeout_per_turn` counts.
    #[serde(default = "first_byte")]
    pub first_byte_timeout: Length,
    /// Longest silence inside an answer.
    #[serde(default = "idle")]
    pub idle_timeout: Length,
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
            models: Vec::new(),
            permits: one(),
            num_ctx: None,
            first_byte_timeout: first_byte(),
            idle_timeout: idle(),
        }
    }
    /// The server's address, checked.
    pub fn endpoint(&self) -> Result<Endpoint, agon_llm::EndpointError> {
        match self.kind {
            HostKind::Ollama => Endpoint::parse(EndpointKind::Ollama, &connectable(&self.url)),
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
        problems
    }
}

/// The servers to use: a flag before the settings, these before Ollama's own variable, and at last Ollama's usual place.
pub fn chosen(flag: Option<&str>, configured: &[HostSettings], environment: &Environment) -> Vec<HostSettings> {
    match (flag, configured, environment.get("OLLAMA_HOST")) {
        (Some(url), _, _) => vec![HostSettings::ollama("ollama", url)],
        (None, [_, ..], _) => {
            let value = |name: &str| environment.get(name).map(str::to_owned);
            let here = |host: &HostSettings| HostSettings { url: filled(&host.url, &value), ..host.clone() };
            configured.iter().map(here).collect()
        }
        (None, [], Some(url)) => vec![HostSettings::ollama("ollama", url)],
        (None, [], None) => vec![HostSettings::ollama("ollama", DEFAULT_OLLAMA)],
    }
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

/// `OLLAMA_HOST` is first of all where the server listens: "every address" is no place to connect to, and a port alone is enough.
fn connectable(address: &str) -> String {
    let address = address.trim();
    let (scheme, rest) = match address.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), address),
    };
    let local = ["0.0.0.0", "[::]"].into_iter().find_map(|any| rest.strip_prefix(any));
    match (local, rest.starts_with(':')) {
        (Some(port), _) if port.is_empty() || port.starts_with([':', '/']) => format!("{scheme}127.0.0.1{port}"),
        (_, true) => format!("{scheme}127.0.0.1{rest}"),
        (_, false) => address.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn base(url: &str) -> String {
        HostSettings::ollama("a", url).endpoint().unwrap().base().to_owned()
    }

    #[test]
    fn every_form_of_ollama_host_can_be_connected_to() {
        for (given, base_url) in [
            ("0.0.0.0:11434", "http://127.0.0.1:11434/"),
            ("0.0.0.0", "http://127.0.0.1:11434/"),
            ("http://0.0.0.0:8080", "http://127.0.0.1:8080/"),
            ("[::]:11434", "http://127.0.0.1:11434/"),
            (":9000", "http://127.0.0.1:9000/"),
            ("gpu1", "http://gpu1:11434/"),
            ("gpu1:8000", "http://gpu1:8000/"),
            ("https://gpu1.example.org/ollama/", "https://gpu1.example.org/ollama"),
        ] {
            assert_eq!(base(given), base_url, "{given}");
        }
    }

    #[test]
    fn a_flag_wins_over_settings_and_these_over_ollamas_variable() {
        let configured = [HostSettings::ollama("gpu", "http://gpu:1")];
        let environment = Environment::from([("OLLAMA_HOST", "elsewhere")]);
        let url = |flag, configured: &[HostSettings], environment: &Environment| {
            chosen(flag, configured, environment).first().unwrap().url.clone()
        };
        assert_eq!(url(Some("flag"), &configured, &environment), "flag");
        assert_eq!(url(None, &configured, &environment), "http://gpu:1");
        assert_eq!(url(None, &[], &environment), "elsewhere");
        assert_eq!(url(None, &[], &Environment::default()), DEFAULT_OLLAMA);
    }

    #[test]
    fn an_address_may_name_variables_and_says_which_one_is_not_set() {
        let configured = [HostSettings::ollama("node", "http://$(HOST_IP):$(PORT)/a")];
        let url = |pairs: [(&str, &str); 2]| chosen(None, &configured, &Environment::from(pairs)).remove(0);
        let both = url([("HOST_IP", "10.0.0.7"), ("PORT", "8000")]);
        assert_eq!((both.url.as_str(), both.unset_variable()), ("http://10.0.0.7:8000/a", None));
        let one = url([("HOST_IP", "10.0.0.7"), ("OTHER", "1")]);
        assert_eq!((one.url.as_str(), one.unset_variable()), ("http://10.0.0.7:$(PORT)/a", Some("PORT")));
        assert!(configured.first().unwrap().problems().is_empty());
    }
}
