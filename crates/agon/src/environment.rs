//! The process environment, read once and passed on, so that nothing below depends on the machine it is tested on.
use crate::exit::Stop;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The variables of the process. Values that are empty or not UTF-8 count as unset.
#[derive(Clone, Debug, Default)]
pub struct Environment(BTreeMap<String, String>);

impl Environment {
    /// The variables that this process was started with.
    pub fn of_process() -> Self {
        let pairs =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        Self(pairs.filter(|(_, value)| !value.is_empty()).collect())
    }
    /// The variable's value.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
    /// Variables whose names begin with `prefix`.
    pub fn with_prefix<'a>(&'a self, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.0
            .iter()
            .filter(move |(name, _)| name.starts_with(prefix))
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }
    /// Where Agon keeps debates unless it is told otherwise.
    pub fn data_dir(&self) -> Result<PathBuf, Stop> {
        self.folder("XDG_DATA_HOME", ".local/share").ok_or_else(|| {
            Stop::usage("there is no place for the debates: neither HOME nor XDG_DATA_HOME is set; name a file with --store PATH")
        })
    }
    /// Where the user's settings are; nothing where there is no home.
    pub fn config_dir(&self) -> Option<PathBuf> {
        self.folder("XDG_CONFIG_HOME", ".config")
    }

    /// Agon's own folder below an XDG base folder; relative bases are ignored, as the XDG specification demands.
    fn folder(&self, variable: &str, below_home: &str) -> Option<PathBuf> {
        let absolute = |name: &str| self.get(name).map(Path::new).filter(|path| path.is_absolute());
        let base = absolute(variable).map(Path::to_path_buf);
        Some(base.or_else(|| absolute("HOME").map(|home| home.join(below_home)))?.join("agon"))
    }
}

impl<const N: usize> From<[(&str, &str); N]> for Environment {
    fn from(pairs: [(&str, &str); N]) -> Self {
        Self(pairs.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_folder_follows_the_xdg_specification() {
        let dir = |pairs: [(&str, &str); 2]| Environment::from(pairs).data_dir().unwrap();
        assert_eq!(dir([("HOME", "/h"), ("XDG_DATA_HOME", "/d")]), Path::new("/d/agon"));
        assert_eq!(dir([("HOME", "/h"), ("XDG_DATA_HOME", "relative")]), Path::new("/h/.local/share/agon"));
    }

    #[test]
    fn without_a_home_the_error_names_the_option_that_helps() {
        let stop = Environment::default().data_dir().unwrap_err();
        assert!(stop.error.unwrap().to_string().contains("--store"));
        assert_eq!(Environment::default().config_dir(), None);
    }
}
