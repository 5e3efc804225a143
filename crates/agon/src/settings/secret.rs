//! Where a secret is, never the secret itself: settings are printed, logged and committed.
use crate::environment::Environment;
use anyhow::{Context, bail};
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::fmt;
use std::path::PathBuf;

/// Names exactly one place to read a key from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct KeySource {
    /// An environment variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub env: Option<String>,
    /// A file; white space around the key is dropped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
}

/// [`KeySource`] as settings write it.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct KeySourceFields {
    env: Option<String>,
    file: Option<PathBuf>,
}

/// What is no table is a key that was written where its place belongs: it must not be shown.
impl<'de> Deserialize<'de> for KeySource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(KeySourceVisitor)
    }
}

struct KeySourceVisitor;

impl KeySourceVisitor {
    fn refused<E: de::Error>() -> E {
        E::custom("a key itself is not accepted here; name its source: { env = \"VARIABLE\" } or { file = \"PATH\" }")
    }
}

impl<'de> Visitor<'de> for KeySourceVisitor {
    type Value = KeySource;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{ env = \"VARIABLE\" } or { file = \"PATH\" }")
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<KeySource, A::Error> {
        let KeySourceFields { env, file } = KeySourceFields::deserialize(MapAccessDeserializer::new(map))?;
        Ok(KeySource { env, file })
    }
    fn visit_str<E: de::Error>(self, _: &str) -> Result<KeySource, E> {
        Err(Self::refused())
    }
    fn visit_bool<E: de::Error>(self, _: bool) -> Result<KeySource, E> {
        Err(Self::refused())
    }
    fn visit_i64<E: de::Error>(self, _: i64) -> Result<KeySource, E> {
        Err(Self::refused())
    }
    fn visit_u64<E: de::Error>(self, _: u64) -> Result<KeySource, E> {
        Err(Self::refused())
    }
    fn visit_f64<E: de::Error>(self, _: f64) -> Result<KeySource, E> {
        Err(Self::refused())
    }
}

impl KeySource {
    /// Whether the form is right: one place, not none and not two.
    pub fn problem(&self) -> Option<&'static str> {
        match (&self.env, &self.file) {
            (Some(_), None) | (None, Some(_)) => None,
            (None, None) | (Some(_), Some(_)) => Some("give either { env = \"VARIABLE\" } or { file = \"PATH\" }"),
        }
    }
    /// Reads the key.
    pub fn read(&self, environment: &Environment) -> anyhow::Result<agon_llm::SecretString> {
        let text = match (&self.env, &self.file) {
            (Some(name), None) => {
                environment.get(name).with_context(|| format!("the environment variable {name} is not set"))?.to_owned()
            }
            (None, Some(path)) => {
                agon_files::read_text(path).with_context(|| format!("cannot read the key from {}", path.display()))?
            }
            (None, None) | (Some(_), Some(_)) => bail!("the key has no single source"),
        };
        let key = text.trim();
        if key.is_empty() {
            bail!("the key is empty");
        }
        Ok(key.to_owned().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_exactly_one_source() {
        let both = KeySource { env: Some("A".into()), file: Some("/b".into()) };
        assert!(KeySource::default().problem().is_some());
        assert!(both.problem().is_some());
        assert_eq!(KeySource { env: Some("A".into()), file: None }.problem(), None);
    }

    #[test]
    fn a_variable_that_is_not_set_is_named() {
        let source = KeySource { env: Some("MY_KEY".into()), file: None };
        assert!(source.read(&Environment::default()).unwrap_err().to_string().contains("MY_KEY"));
        assert!(source.read(&Environment::from([("MY_KEY", " k ")])).is_ok());
    }
}
