//! The pages for browsers.
use serde::{Deserialize, Serialize};

/// The pages for browsers, at the gateway's HTTP address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ConsoleSettings {
    /// Whether there are any.
    pub enabled: bool,
    /// Where a trace can be looked at: an address with `{trace_id}` in it; absent: pages do not link to traces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace_url: Option<String>,
}
impl Default for ConsoleSettings {
    fn default() -> Self {
        Self { enabled: true, trace_url: None }
    }
}
