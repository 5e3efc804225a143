//! Services that a key is enough for: what their models are called, where they are, and which variable holds the key.
use super::KeySource;
use super::hosts::{HostSettings, Origin, TokenLimit};
use crate::environment::Environment;
use agon_core::ModelName;
use agon_llm::OptionalField;
use std::num::NonZeroUsize;

/// A service with an OpenAI-compatible interface.
#[derive(Debug, PartialEq, Eq)]
pub struct Provider {
    /// What the names of its models begin with, before a slash; also the name of the host.
    pub prefix: &'static str,
    /// The variable that holds the key.
    pub key: &'static str,
    /// The variable that may name another address.
    base_url: &'static str,
    url: &'static str,
    token_limit: TokenLimit,
    omit: &'static [OptionalField],
    /// Whether it lists its models to a caller with this key.
    pub lists_models: bool,
}

/// The services that are recognised.
pub const PROVIDERS: [Provider; 4] = [
    Provider {
        prefix: "openai",
        key: "OPENAI_API_KEY",
        base_url: "OPENAI_BASE_URL",
        url: "https://api.openai.com/v1",
        // Its newer models refuse `max_tokens`.
        token_limit: TokenLimit::MaxCompletionTokens,
        omit: &[],
        lists_models: true,
    },
    Provider {
        prefix: "openrouter",
        key: "OPENROUTER_API_KEY",
        base_url: "OPENROUTER_BASE_URL",
        url: "https://openrouter.ai/api/v1",
        token_limit: TokenLimit::MaxTokens,
        omit: &[],
        lists_models: true,
    },
    Provider {
        prefix: "anthropic",
        key: "ANTHROPIC_API_KEY",
        base_url: "ANTHROPIC_BASE_URL",
        url: "https://api.anthropic.com/v1",
        token_limit: TokenLimit::MaxTokens,
        omit: &[],
        // Its list belongs to another interface, with other headers.
        lists_models: false,
    },
    Provider {
        prefix: "google",
        key: "GEMINI_API_KEY",
        base_url: "GEMINI_BASE_URL",
        url: "https://generativelanguage.googleapis.com/v1beta/openai",
        token_limit: TokenLimit::MaxTokens,
        // It refuses fields that it does not know.
        omit: &[OptionalField::Seed],
        lists_models: true,
    },
];

/// Calls at one time per model: these services serve many callers at once.
const PERMITS: NonZeroUsize = match NonZeroUsize::new(4) {
    Some(permits) => permits,
    None => NonZeroUsize::MIN,
};

impl Provider {
    /// The provider whose prefix the model's name has.
    pub fn of(model: &str) -> Option<&'static Self> {
        PROVIDERS.iter().find(|provider| has_prefix(model, provider.prefix))
    }

    /// The host that calls go to; nothing where the key's variable is not set.
    fn host(&'static self, environment: &Environment) -> Option<HostSettings> {
        environment.get(self.key)?;
        let url = environment.get(self.base_url).unwrap_or(self.url);
        let key = KeySource { env: Some(self.key.to_owned()), file: None };
        let host = HostSettings { permits: PERMITS, ..HostSettings::openai(self.prefix, url, Some(key)) };
        Some(HostSettings {
            prefix: Some(self.prefix.to_owned()),
            token_limit: self.token_limit,
            omit: self.omit.to_vec(),
            origin: Origin::Provider(self),
            ..host
        })
    }

    /// The provider that has this address.
    pub fn at(url: &str) -> Option<&'static Self> {
        let host =
            |url: &str| url.split_once("://").and_then(|(_, rest)| rest.split(['/', ':']).next().map(str::to_owned));
        PROVIDERS.iter().find(|provider| host(provider.url) == host(url))
    }

    /// Sets what its interface needs.
    pub fn adapt(&self, host: &mut HostSettings) {
        host.token_limit = self.token_limit;
        host.omit = self.omit.to_vec();
    }
}

/// Whether a model's name begins with this prefix and a slash.
pub fn has_prefix(model: &str, prefix: &str) -> bool {
    model.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('/'))
}

/// Hosts of every provider whose key is set, unless a host of the settings has its prefix: for a server, which does not know the
/// models of debates to come.
pub fn offered(configured: &[HostSettings], environment: &Environment) -> Vec<HostSettings> {
    let free = |provider: &&Provider| {
        !configured.iter().any(|host| host.prefix.as_deref() == Some(provider.prefix) || host.name == provider.prefix)
    };
    PROVIDERS.iter().filter(free).filter_map(|provider| provider.host(environment)).collect()
}

/// Hosts for those of the models that name a provider by their prefix, unless a host of the settings claims them.
pub fn recognised(models: &[ModelName], configured: &[HostSettings], environment: &Environment) -> Vec<HostSettings> {
    let claimed = |model: &ModelName| {
        configured.iter().any(|host| {
            host.prefix.as_deref().is_some_and(|prefix| has_prefix(model.as_str(), prefix))
                || host.models.iter().any(|named| named == model.as_str())
        })
    };
    let wanted = |provider: &&Provider| {
        models.iter().any(|model| has_prefix(model.as_str(), provider.prefix) && !claimed(model))
    };
    PROVIDERS.iter().filter(wanted).filter_map(|provider| provider.host(environment)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::{HostKind, Length};
    use super::*;

    fn models(names: &[&str]) -> Vec<ModelName> {
        names.iter().map(|name| ModelName::from(*name)).collect()
    }

    #[test]
    fn a_provider_is_asked_only_where_a_model_names_it_and_its_key_is_set() {
        let environment = Environment::from([("OPENAI_API_KEY", "k"), ("GEMINI_API_KEY", "k")]);
        let names = |wanted: &[&str]| -> Vec<String> {
            recognised(&models(wanted), &[], &environment).into_iter().map(|host| host.name).collect()
        };
        assert_eq!(names(&["openai/gpt-5-mini", "qwen3:8b"]), ["openai"]);
        assert_eq!(names(&["google/gemini-3-flash", "anthropic/claude"]), ["google"]);
        assert!(names(&["qwen3:8b", "openai-like", "openrouter/openai/gpt"]).is_empty());
    }

    #[test]
    fn a_host_of_the_settings_that_claims_a_model_keeps_it() {
        let environment = Environment::from([("OPENAI_API_KEY", "k")]);
        let named = HostSettings { models: vec!["openai/gpt".into()], ..HostSettings::ollama("gateway", "http://g:1") };
        assert!(recognised(&models(&["openai/gpt"]), std::slice::from_ref(&named), &environment).is_empty());
        assert_eq!(recognised(&models(&["openai/other"]), &[named], &environment).len(), 1);
    }

    #[test]
    fn a_server_offers_every_provider_whose_key_is_set_and_whose_prefix_is_free() {
        let environment = Environment::from([("OPENAI_API_KEY", "k"), ("ANTHROPIC_API_KEY", "k")]);
        let names = |configured: &[HostSettings]| -> Vec<String> {
            offered(configured, &environment).into_iter().map(|host| host.name).collect()
        };
        assert_eq!(names(&[]), ["openai", "anthropic"]);
        let own = HostSettings { prefix: Some("openai".into()), ..HostSettings::ollama("gateway", "http://g:1") };
        assert_eq!(names(&[own]), ["anthropic"]);
    }

    #[test]
    fn the_address_of_a_provider_can_be_another_one() {
        let environment = Environment::from([("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")]);
        let hosts = recognised(&models(&["openai/gpt"]), &[], &environment);
        let host = hosts.first().unwrap();
        assert_eq!(host.url, "http://127.0.0.1:9/v1");
        assert_eq!((host.kind, host.first_byte_timeout > Length::seconds(1)), (HostKind::Openai, true));
        assert_eq!(Provider::at("https://api.openai.com/v1").map(|provider| provider.prefix), Some("openai"));
        assert_eq!(Provider::at("https://example.org/v1"), None);
    }
}
