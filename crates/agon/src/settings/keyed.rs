//! Tables of the settings whose entries need keys: each names their places, and is checked without them.
use super::KeySource;
use crate::environment::Environment;
use crate::exit::{Exit, Stop};
use agon_llm::SecretString;
use agon_tools::{FeedConfig, ToolConfig, VerifierConfig};
use anyhow::Context;
use std::collections::BTreeMap;
use std::convert::Infallible;

/// An entry of such a table.
pub trait KeyedEntry: Clone {
    /// The same with its keys.
    type Ready;
    /// What the table is called, and what an entry is.
    const NAMES: (&'static str, &'static str);
    /// The places of its keys, each with its setting.
    fn places(&self) -> Vec<(String, &KeySource)>;
    /// Reads its keys.
    fn ready<E>(self, read: impl FnMut(KeySource) -> Result<SecretString, E>) -> Result<Self::Ready, E>;
}

macro_rules! keyed {
    ($($config:ident is $names:expr;)+) => {
        $(impl KeyedEntry for $config<KeySource> {
            type Ready = $config;
            const NAMES: (&'static str, &'static str) = $names;
            fn places(&self) -> Vec<(String, &KeySource)> {
                self.keys()
            }
            fn ready<E>(self, read: impl FnMut(KeySource) -> Result<SecretString, E>) -> Result<$config, E> {
                self.with_keys(read)
            }
        })+
    };
}
keyed! {
    ToolConfig is ("tools", "tool");
    FeedConfig is ("feeds", "feed");
    VerifierConfig is ("verifiers", "verifier");
}

/// What is wrong with the places of keys, each with its setting.
pub(super) fn problems<T: KeyedEntry>(entries: &BTreeMap<String, T>) -> Vec<String> {
    let (table, _) = T::NAMES;
    let wrong = |(name, entry): (&String, &T)| -> Vec<String> {
        let keys = entry.places().into_iter().filter_map(|(setting, key)| Some((setting, key.problem()?)));
        keys.map(|(setting, problem)| format!("{table}.{name}.{setting}: {problem}")).collect()
    };
    entries.iter().flat_map(wrong).collect()
}

/// The entries with something in the places of their keys: what is checked here does not depend on them.
pub(super) fn without_keys<T: KeyedEntry>(entries: &BTreeMap<String, T>) -> BTreeMap<String, T::Ready> {
    let keyless = |(name, entry): (&String, &T)| {
        let Ok(entry) = entry.clone().ready(|_| Ok::<_, Infallible>(String::new().into()));
        (name.clone(), entry)
    };
    entries.iter().map(keyless).collect()
}

/// The entries with their keys.
pub fn with_keys<T: KeyedEntry>(
    entries: &BTreeMap<String, T>,
    environment: &Environment,
) -> Result<BTreeMap<String, T::Ready>, Stop> {
    let (_, one) = T::NAMES;
    let read = |(name, entry): (&String, &T)| {
        let entry = entry.clone().ready(|key| key.read(environment));
        let entry = entry.with_context(|| format!("a key of the {one} {name}"));
        Ok((name.clone(), entry.map_err(|error| Stop::new(Exit::Usage, error))?))
    };
    entries.iter().map(read).collect()
}
