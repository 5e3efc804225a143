//! Why a tool gave no result.

use std::time::Duration;

/// A call, or a question for a tool's functions, that failed.
///
/// `Display` is for the log of the debate and for models alike: it names tools and functions, never commands, paths or keys.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ToolError {
    /// The host has no tool of that name.
    #[error("there is no tool `{tool}` here; there is {}", listed(.known))]
    UnknownTool {
        /// What was asked for.
        tool: String,
        /// What there is.
        known: Vec<String>,
    },
    /// The tool has no function of that name.
    #[error("there is no function `{function}`; there is {}", listed(.known))]
    UnknownFunction {
        /// What was called.
        function: String,
        /// What there is.
        known: Vec<String>,
    },
    /// The arguments do not fit the function's schema.
    #[error("the arguments of `{function}` are wrong: {}", .problems.join("; "))]
    BadArguments {
        /// What was called.
        function: String,
        /// What is wrong, in words that help to do better.
        problems: Vec<String>,
    },
    /// The tool could not be started or reached.
    #[error("the tool `{tool}` is not available: {reason}")]
    Unavailable {
        /// Its name in the settings.
        tool: String,
        /// Why.
        reason: String,
    },
    /// The tool took too long.
    #[error("the tool `{tool}` gave no result within {} s", .after.as_secs_f32())]
    TimedOut {
        /// Its name in the settings.
        tool: String,
        /// The limit of this call.
        after: Duration,
    },
    /// The tool's connection ended in the middle of the call.
    #[error("the tool `{tool}` ended in the middle of the call")]
    Died {
        /// Its name in the settings.
        tool: String,
    },
    /// The tool sent more than anybody will read.
    #[error("the tool `{tool}` sent more than {limit} bytes at once, which were not read")]
    TooLarge {
        /// Its name in the settings.
        tool: String,
        /// In bytes.
        limit: usize,
    },
    /// The tool sent something that is not its protocol.
    #[error("the tool `{tool}` sent something that cannot be understood: {reason}")]
    Malformed {
        /// Its name in the settings.
        tool: String,
        /// What it was.
        reason: String,
    },
    /// The tool itself said that the call failed.
    #[error("the tool `{tool}` refused: {reason}")]
    Refused {
        /// Its name in the settings.
        tool: String,
        /// What it said, cut short.
        reason: String,
    },
}

impl ToolError {
    /// A stable word for logs and counters.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::UnknownTool { .. } => "unknown_tool",
            Self::UnknownFunction { .. } => "unknown_function",
            Self::BadArguments { .. } => "bad_arguments",
            Self::Unavailable { .. } => "unavailable",
            Self::TimedOut { .. } => "timed_out",
            Self::Died { .. } => "died",
            Self::TooLarge { .. } => "too_large",
            Self::Malformed { .. } => "malformed",
            Self::Refused { .. } => "refused",
        }
    }

    pub(crate) fn unavailable(tool: &str, reason: impl Into<String>) -> Self {
        Self::Unavailable { tool: tool.to_owned(), reason: reason.into() }
    }

    pub(crate) fn malformed(tool: &str, reason: impl Into<String>) -> Self {
        Self::Malformed { tool: tool.to_owned(), reason: reason.into() }
    }
}

fn listed(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
