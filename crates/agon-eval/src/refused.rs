//! Why an eval is refused before its first call.

/// Why an eval is refused before its first call, and by which key of its eval file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct EvalRefused {
    /// The key of the eval file that is refused; empty where none is to blame.
    pub key: &'static str,
    /// What is wrong, and what is allowed.
    pub message: String,
}

impl EvalRefused {
    pub(crate) fn at(key: &'static str, message: impl ToString) -> Self {
        Self { key, message: message.to_string() }
    }
}

impl From<String> for EvalRefused {
    fn from(message: String) -> Self {
        Self { key: "", message }
    }
}
