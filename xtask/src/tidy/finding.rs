//! What a tidy rule has to say about a place in the workspace.

use std::fmt;

/// How much a finding weighs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Printed; the command still succeeds.
    Warn,
    /// Printed; the command fails.
    Fail,
}

/// One broken rule at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Whether the command fails because of it.
    pub level: Level,
    /// A path relative to the workspace, with `:line` where there is one, or a crate's name.
    pub place: String,
    /// What is wrong and what to do instead.
    pub what: String,
}

impl Finding {
    /// A finding that fails the command.
    pub fn fail(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { level: Level::Fail, place: place.into(), what: what.into() }
    }

    /// A finding that is only printed.
    pub fn warn(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self { level: Level::Warn, place: place.into(), what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let level = match self.level {
            Level::Warn => "warning",
            Level::Fail => "error",
        };
        write!(f, "{level}: {}: {}", self.place, self.what)
    }
}
