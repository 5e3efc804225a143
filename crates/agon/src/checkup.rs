//! What `agon doctor` looks at.
pub mod cluster;
pub mod feeds;
pub mod hosts;
pub mod machine;
mod model;
pub mod nats;
pub mod place;
mod reach;

use serde::Serialize;

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Whether it is well.
    pub level: Level,
    /// What was looked at.
    pub what: String,
    /// What was found.
    pub found: String,
    /// How to mend it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

/// How well a thing is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// As it should be.
    Ok,
    /// Debates will run, but read this.
    Warn,
    /// Debates will not run.
    Fail,
}

impl Finding {
    /// It is as it should be.
    pub fn ok(what: impl Into<String>, found: impl Into<String>) -> Self {
        Self { level: Level::Ok, what: what.into(), found: found.into(), fix: None }
    }
    /// Debates will run, but there is something to know.
    pub fn warn(what: impl Into<String>, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { level: Level::Warn, what: what.into(), found: found.into(), fix: Some(fix.into()) }
    }
    /// Debates will not run.
    pub fn fail(what: impl Into<String>, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { level: Level::Fail, what: what.into(), found: found.into(), fix: Some(fix.into()) }
    }

    /// The finding for a person, with the remedy on a line of its own.
    pub fn line(&self, color: bool) -> String {
        let (word, code) = match self.level {
            Level::Ok => ("ok  ", "32"),
            Level::Warn => ("warn", "33"),
            Level::Fail => ("fail", "31"),
        };
        let word = if color { format!("\x1b[{code}m{word}\x1b[0m") } else { word.to_owned() };
        let lines = |text: &str| text.lines().map(agon_report::one_line).collect::<Vec<_>>();
        let mut text = format!("{word}  {}: {}\n", self.what, lines(&self.found).join("\n      "));
        if let Some(fix) = &self.fix {
            text.push_str(&format!("      -> {}\n", lines(fix).join("\n         ")));
        }
        text
    }
}
