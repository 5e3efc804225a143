//! What a host says about a verifier.

use std::collections::BTreeMap;

use secrecy::SecretString;
use serde::{Deserialize, Serialize};

use crate::McpConfig;
use crate::config::problem;

const MAX_SECONDS: u64 = 300;
const MAX_OUTPUT_CHARS: usize = 4_000;
const MAX_PER_SPEECH: usize = 20;
const MAX_PER_DEBATE: usize = 1_000;

/// A verifier: a `command` that is started for each claim, or a `function` of the MCP server of a tool. `K` is how a key is given:
/// where to find it in settings, the key itself once it was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VerifierConfig<K = SecretString> {
    /// The program, which gets the claim on its standard input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The program's arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Variables that the program gets besides a few harmless ones of ours.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// Variables of the program that hold keys.
    #[serde(default = "BTreeMap::new", skip_serializing_if = "BTreeMap::is_empty")]
    pub secret_env: BTreeMap<String, K>,
    /// The tool whose MCP server has the function.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mcp: Option<String>,
    /// The function, by the server's own name. It gets the claim as its argument `claim`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// How many seconds one check may take.
    #[serde(default = "ten")]
    pub timeout_seconds: u64,
    /// The most characters of what it says besides its result that are kept.
    #[serde(default = "thousand")]
    pub max_output_chars: usize,
    /// The most claims of one speech that it checks.
    #[serde(default = "three")]
    pub max_per_speech: usize,
    /// The most claims of one debate that it checks.
    #[serde(default = "fifty")]
    pub max_per_debate: usize,
}

fn three() -> usize {
    3
}
fn ten() -> u64 {
    10
}
fn fifty() -> usize {
    50
}
fn thousand() -> usize {
    1_000
}

impl<K> VerifierConfig<K> {
    /// Reads the keys with `read`.
    ///
    /// # Errors
    /// The first that `read` gives.
    pub fn with_keys<T, E>(self, mut read: impl FnMut(K) -> Result<T, E>) -> Result<VerifierConfig<T>, E> {
        let secrets = self.secret_env.into_iter().map(|(name, key)| Ok((name, read(key)?)));
        Ok(VerifierConfig {
            command: self.command,
            args: self.args,
            env: self.env,
            secret_env: secrets.collect::<Result<_, E>>()?,
            mcp: self.mcp,
            function: self.function,
            timeout_seconds: self.timeout_seconds,
            max_output_chars: self.max_output_chars,
            max_per_speech: self.max_per_speech,
            max_per_debate: self.max_per_debate,
        })
    }

    /// The keys, each with its setting.
    pub fn keys(&self) -> Vec<(String, &K)> {
        self.secret_env.iter().map(|(name, key)| (format!("secret_env.{name}"), key)).collect()
    }

    /// What is wrong with it, one line each.
    #[must_use]
    pub fn problems(&self) -> Vec<String> {
        let range = |name: &str, value: usize, most: usize| {
            problem(value == 0 || value > most, &format!("{name}: {value}; give 1 to {most}"))
        };
        let beside = !self.args.is_empty() || !self.env.is_empty() || !self.secret_env.is_empty();
        let program = self.command.is_some() || beside;
        let function = self.mcp.is_some() || self.function.is_some();
        let means = match (program, function) {
            (true, true) | (false, false) => {
                vec!["give either a command to start or the mcp tool and function to call".to_owned()]
            }
            (true, false) => problem(self.command.as_ref().is_none_or(|name| name.trim().is_empty()), "command: empty"),
            (false, true) => problem(self.mcp.is_none() || self.function.is_none(), "mcp and function go together"),
        };
        let seconds = usize::try_from(self.timeout_seconds).unwrap_or(usize::MAX);
        [
            means,
            range("timeout_seconds", seconds, MAX_SECONDS as usize),
            range("max_output_chars", self.max_output_chars, MAX_OUTPUT_CHARS),
            range("max_per_speech", self.max_per_speech, MAX_PER_SPEECH),
            range("max_per_debate", self.max_per_debate, MAX_PER_DEBATE),
        ]
        .concat()
    }
}

impl VerifierConfig {
    /// The program, as programs are started here.
    pub(super) fn program(self) -> McpConfig {
        McpConfig {
            command: self.command,
            args: self.args,
            env: self.env,
            secret_env: self.secret_env,
            ..McpConfig::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn problems(value: Value) -> Vec<String> {
        serde_json::from_value::<VerifierConfig<String>>(value).unwrap().problems()
    }

    #[test]
    fn a_command_or_a_function_is_all_it_takes() {
        assert_eq!(problems(json!({"command": "z3", "args": ["-in"]})), Vec::<String>::new());
        assert_eq!(problems(json!({"mcp": "logic", "function": "prove"})), Vec::<String>::new());
    }

    #[test]
    fn neither_both_or_half_of_them_is_a_problem() {
        for wrong in [
            json!({}),
            json!({"command": " "}),
            json!({"args": ["-in"]}),
            json!({"env": {"A": "b"}}),
            json!({"mcp": "logic"}),
            json!({"function": "prove"}),
            json!({"command": "z3", "mcp": "logic", "function": "prove"}),
        ] {
            assert_eq!(problems(wrong.clone()).len(), 1, "{wrong}");
        }
    }

    #[test]
    fn limits_have_limits() {
        for (name, most) in
            [("timeout_seconds", 300), ("max_output_chars", 4_000), ("max_per_speech", 20), ("max_per_debate", 1_000)]
        {
            let with = |value: usize| problems(json!({"command": "z3", name: value}));
            assert_eq!((with(1).len(), with(most).len()), (0, 0));
            assert_eq!(with(0), [format!("{name}: 0; give 1 to {most}")]);
            assert_eq!(with(most + 1).len(), 1);
        }
    }

    #[test]
    fn keys_are_read_and_unknown_settings_refused() {
        let config = json!({"command": "a", "secret_env": {"TOKEN": "place"}});
        let config = serde_json::from_value::<VerifierConfig<String>>(config).unwrap();
        assert_eq!(config.keys(), [("secret_env.TOKEN".to_owned(), &"place".to_owned())]);
        let read = config.with_keys(|place| Ok::<_, ()>(SecretString::from(format!("key at {place}")))).unwrap();
        assert!(!format!("{read:?}").contains("key at place"));
        let unknown = serde_json::from_value::<VerifierConfig<String>>(json!({"comand": "a"})).unwrap_err();
        assert!(unknown.to_string().contains("comand"), "{unknown}");
    }
}
