//! Verifiers that debates may use where this process plays turns.
use super::KeySource;
use super::tools::{ToolSettings, without_keys};
use crate::environment::Environment;
use crate::exit::{Exit, Stop};
use agon_tools::{Toolbox, VerifierConfig, Verifiers, no_models};
use anyhow::Context;
use std::collections::BTreeMap;
use std::convert::Infallible;

/// One verifier, with the places of its keys.
pub type VerifierSettings = VerifierConfig<KeySource>;

/// What is wrong with the verifiers, each with its setting.
pub fn problems(verifiers: &BTreeMap<String, VerifierSettings>, tools: &BTreeMap<String, ToolSettings>) -> Vec<String> {
    let mut problems = Vec::new();
    for (name, verifier) in verifiers {
        let keys = verifier.keys().into_iter().filter_map(|(setting, key)| Some((setting, key.problem()?)));
        problems.extend(keys.map(|(setting, problem)| format!("verifiers.{name}.{setting}: {problem}")));
    }
    let tools = tools.iter().map(|(name, tool)| (name.clone(), without_keys(tool))).collect();
    // what is wrong with the tools is told with them
    let Ok(toolbox) = Toolbox::new(tools, no_models()) else { return problems };
    let keyless = verifiers.iter().map(|(name, verifier)| {
        let Ok(verifier) = verifier.clone().with_keys(|_| Ok::<_, Infallible>(String::new().into()));
        (name.clone(), verifier)
    });
    problems.extend(Verifiers::new(keyless.collect(), toolbox).err().map(|found| found.0).unwrap_or_default());
    problems
}

/// The verifiers with their keys.
pub fn with_keys(
    verifiers: &BTreeMap<String, VerifierSettings>,
    environment: &Environment,
) -> Result<BTreeMap<String, VerifierConfig>, Stop> {
    let read = |(name, verifier): (&String, &VerifierSettings)| {
        let verifier = verifier.clone().with_keys(|key| key.read(environment));
        let verifier = verifier.with_context(|| format!("a key of the verifier {name}"));
        Ok((name.clone(), verifier.map_err(|error| Stop::new(Exit::Usage, error))?))
    };
    verifiers.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;

    #[test]
    fn mistakes_are_told_with_their_settings() {
        let text = "[verifiers.smt]\ncommand = \"z3\"\nargs = [\"-in\"]\ntimeout_seconds = 0\nsecret_env = { A = {} }\n\
                    [verifiers.law]\nmcp = \"logic\"\nfunction = \"prove\"";
        let settings: Settings = toml::from_str(text).unwrap();

        let said = settings.problems().join("\n");

        for wanted in
            ["verifiers.smt.secret_env.A", "verifiers.smt: timeout_seconds", "verifiers.law: mcp: there is no"]
        {
            assert!(said.contains(wanted), "{wanted}: {said}");
        }
        assert!(
            toml::from_str::<Settings>("[verifiers.a]\ncomand = \"a\"").unwrap_err().to_string().contains("comand")
        );
    }

    #[test]
    fn keys_are_read_and_never_printed() {
        let text = "[verifiers.smt]\ncommand = \"z3\"\nsecret_env = { TOKEN = { env = \"KEY\" } }";
        let settings: Settings = toml::from_str(text).unwrap();

        assert!(settings.problems().is_empty());
        let read = with_keys(&settings.verifiers, &Environment::from([("KEY", "of gold")])).unwrap();
        assert!(!format!("{read:?}").contains("gold"));
        let missing = with_keys(&settings.verifiers, &Environment::default()).err().unwrap();
        assert!(format!("{:#}", missing.error.unwrap()).contains("KEY"));
    }
}
