//! The pages for browsers.
use hyper::Uri;
use serde::{Deserialize, Serialize};

/// What stands for a trace in the address of its page.
const TRACE_ID: &str = "{trace_id}";
/// An id as it may stand there, to try the address with.
const SOME_ID: &str = "0af7651916cd43dd8448eb211c80319c";

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

impl ConsoleSettings {
    /// What is wrong with it, each with its field.
    pub fn problems(&self) -> Vec<String> {
        let wrong = self.trace_url.as_deref().and_then(wrong_with_trace_url);
        wrong.map(|wrong| format!("trace_url: {wrong}")).into_iter().collect()
    }
}

/// A link of pages leads there, so that it must not be anything but an address of the web.
fn wrong_with_trace_url(url: &str) -> Option<String> {
    let usual = "such as \"https://grafana.example/trace/{trace_id}\"";
    if !url.contains(TRACE_ID) {
        return Some(format!("{TRACE_ID} is missing, which stands for the id of the trace; give an address {usual}"));
    }
    let filled = url.replace(TRACE_ID, SOME_ID);
    let address: Option<Uri> = filled.parse().ok();
    let of_web = |address: &Uri| matches!(address.scheme_str(), Some("http" | "https")) && address.host().is_some();
    // braces and spaces are left where a placeholder was misspelt
    let whole = !filled.contains(['{', '}']) && filled.is_ascii();
    let fits = whole && address.is_some_and(|address| of_web(&address));
    (!fits).then(|| format!("not an http or https address with {TRACE_ID} as its only placeholder; give one {usual}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problems(url: &str) -> Vec<String> {
        ConsoleSettings { trace_url: Some(url.to_owned()), ..ConsoleSettings::default() }.problems()
    }

    #[test]
    fn an_address_of_traces_is_one_of_the_web_and_has_the_place_of_the_id() {
        assert!(ConsoleSettings::default().problems().is_empty());
        for good in ["http://127.0.0.1:16686/trace/{trace_id}", "https://t.example/?q=%22{trace_id}%22&to={trace_id}"] {
            assert_eq!(problems(good), Vec::<String>::new(), "{good}");
        }
        for without in ["https://t.example/trace/", "https://t.example/{traceid}", ""] {
            assert!(problems(without).concat().contains("{trace_id} is missing"), "{without}");
        }
        for odd in [
            "javascript:alert({trace_id})",
            "ftp://t.example/{trace_id}",
            "t.example/{trace_id}",
            "/trace/{trace_id}",
            "https://t.example/{org}/{trace_id}",
            "https://t.example/a b/{trace_id}",
        ] {
            assert!(problems(odd).concat().starts_with("trace_url: not an http or https address"), "{odd}");
        }
    }
}
