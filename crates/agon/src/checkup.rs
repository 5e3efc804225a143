//! What `agon doctor` looks at.
pub mod cluster;
pub mod feeds;
pub mod gates;
pub mod hosts;
pub mod machine;
mod model;
pub mod nats;
pub mod place;
mod reach;

use serde::Serialize;

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CheckupFinding {
    /// Whether it is well.
    pub level: CheckupLevel,
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
pub enum CheckupLevel {
    /// As it should be.
    Ok,
    /// Debates will run, but read this.
    Warn,
    /// Debates will not run.
    Fail,
}

impl CheckupFinding {
    /// It is as it should be.
    pub fn ok(what: impl Into<String>, found: impl Into<String>) -> Self {
        Self { level: CheckupLevel::Ok, what: what.into(), found: found.into(), fix: None }
    }
    /// Debates will run, but there is something to know.
    pub fn warn(what: impl Into<String>, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { level: CheckupLevel::Warn, what: what.into(), found: found.into(), fix: Some(fix.into()) }
    }
    /// Debates will not run.
    pub fn fail(what: impl Into<String>, found: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { level: CheckupLevel::Fail, what: what.into(), found: found.into(), fix: Some(fix.into()) }
    }

    /// The finding for a person, with the remedy on a line of its own.
    pub fn line(&self, color: bool) -> String {
        let (word, code) = match self.level {
            CheckupLevel::Ok => ("ok  ", "32"),
            CheckupLevel::Warn => ("warn", "33"),
            CheckupLevel::Fail => ("fail", "31"),
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
