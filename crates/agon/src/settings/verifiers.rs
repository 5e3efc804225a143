//! Verifiers that debates may use where this process plays turns.
use super::tools::ToolSettings;
use super::{KeySource, keyed};
use agon_tools::{Toolbox, VerifierConfig, Verifiers, no_models};
use std::collections::BTreeMap;

/// One verifier, with the places of its keys.
pub type VerifierSettings = VerifierConfig<KeySource>;

/// What is wrong with the verifiers, each with its setting.
pub fn problems(verifiers: &BTreeMap<String, VerifierSettings>, tools: &BTreeMap<String, ToolSettings>) -> Vec<String> {
    let problems = keyed::problems(verifiers);
    // what is wrong with the tools is told with them
    let Ok(toolbox) = Toolbox::new(keyed::without_keys(tools), no_models()) else { return problems };
    let wrong = Verifiers::new(keyed::without_keys(verifiers), toolbox).err().map(|found| found.0);
    [problems, wrong.unwrap_or_default()].concat()
}

#[cfg(test)]
mod tests {
    use crate::environment::Environment;
    use crate::settings::{Settings, with_keys};

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
