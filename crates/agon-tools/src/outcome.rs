//! What a call may cost, and what came of it.

use std::time::Duration;

use crate::ToolError;
use crate::text::clip;

/// What one call may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ToolCallLimits {
    /// How long it may take, starting the tool included.
    pub timeout: Duration,
    /// How long its text may be, in characters.
    pub max_result_chars: usize,
}

impl Default for ToolCallLimits {
    fn default() -> Self {
        Self { timeout: Duration::from_secs(20), max_result_chars: 6000 }
    }
}

/// What came of a call; there is always a text for the model to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolOutcome {
    /// The result, or in plain words why there is none; text of a stranger in either case.
    pub text: String,
    /// Whether the text was cut, which its end then says.
    pub truncated: bool,
    /// How long it took.
    pub duration: Duration,
    /// Why there is no result.
    pub failure: Option<ToolError>,
}

impl ToolOutcome {
    /// Whether the call failed.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.failure.is_some()
    }

    pub(crate) fn new(result: Result<String, ToolError>, duration: Duration, max_chars: usize) -> Self {
        let (text, failure) = match result {
            Ok(text) => (text, None),
            Err(failure) => (failure.to_string(), Some(failure)),
        };
        let (text, truncated) = clip(&text, max_chars);
        Self { text, truncated, duration, failure }
    }
}
