//! Tools that debates may use where this process plays turns.
use super::{KeySource, keyed};
use agon_tools::{ToolConfig, Toolbox, no_models};
use std::collections::BTreeMap;

/// One tool, with the places of its keys.
pub type ToolSettings = ToolConfig<KeySource>;

/// What is wrong with the tools, each with its setting.
pub fn problems(tools: &BTreeMap<String, ToolSettings>) -> Vec<String> {
    let wrong = Toolbox::new(keyed::without_keys(tools), no_models()).err().map(|found| found.0);
    [keyed::problems(tools), wrong.unwrap_or_default()].concat()
}

#[cfg(test)]
mod tests {
    use crate::environment::Environment;
    use crate::settings::{Settings, with_keys};

    fn settings(text: &str) -> Settings {
        toml::from_str(text).unwrap()
    }

    #[test]
    fn the_mistakes_of_all_tools_are_told_with_their_settings() {
        let settings = settings(
            "[tools.search]\nkind = \"search\"\nurl = \"ftp://a\"\napi_key = {}\n[tools.\"A B\"]\nkind = \"scorer\"\nmodel = \"m\"",
        );

        let said = settings.problems().join("\n");

        for wanted in ["tools.search.api_key", "tools.search: url", "A B"] {
            assert!(said.contains(wanted), "{wanted}: {said}");
        }
    }

    #[test]
    fn a_tool_that_has_no_such_setting_or_kind_is_refused() {
        let read = |text: &str| toml::from_str::<Settings>(text).unwrap_err().to_string();

        assert!(read("[tools.a]\nkind = \"scorer\"\nmodel = \"m\"\nmodle = \"n\"").contains("modle"));
        assert!(read("[tools.a]\nkind = \"browser\"").contains("scorer"));
    }

    #[test]
    fn keys_are_read_and_never_printed() {
        let settings = settings("[tools.a]\nkind = \"search\"\nurl = \"http://a/s\"\napi_key = { env = \"KEY\" }");
        let environment = Environment::from([("KEY", "of gold")]);

        assert!(settings.problems().is_empty());
        let read = with_keys(&settings.tools, &environment).unwrap();
        assert!(!format!("{read:?}").contains("gold"));
        assert!(toml::to_string(&settings).unwrap().contains("env = \"KEY\""));
        let missing = with_keys(&settings.tools, &Environment::default()).err().unwrap();
        assert!(format!("{:#}", missing.error.unwrap()).contains("KEY"));
    }
}
