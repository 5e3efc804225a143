//! What the console is told at its start.
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::Notify;

/// The settings of the console.
#[derive(Clone, Default)]
pub struct ConsoleConfig {
    /// Where a trace can be looked at: an address with `{trace_id}` in it.
    pub trace_url: Option<String>,
    /// Who may come in by a code that was printed; nobody else may then, unless the gateway knows their credentials.
    pub codes: Option<Arc<OneTimeCodes>>,
}

impl ConsoleConfig {
    /// Whether it shows the debates of one machine to the person who started it (`agon ui`).
    pub(crate) fn is_own(&self) -> bool {
        self.codes.is_some()
    }
}

/// Codes that let one browser in each: what a program prints for the person who started it.
pub struct OneTimeCodes {
    token: String,
    current: Mutex<String>,
    used: Notify,
}

impl OneTimeCodes {
    /// Codes that stand for this token of the gateway.
    pub fn new(token: String) -> Self {
        Self { token, current: Mutex::new(code()), used: Notify::new() }
    }

    /// The code that is good now.
    pub fn current(&self) -> String {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until a code was used; then there is another one.
    pub async fn used(&self) {
        self.used.notified().await;
    }

    /// The token, for the code that is good now. It is not good a second time.
    pub(crate) fn redeem(&self, code_given: &str) -> Option<String> {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        // hashes are compared in constant time
        if blake3::hash(current.as_bytes()) != blake3::hash(code_given.as_bytes()) {
            return None;
        }
        *current = code();
        self.used.notify_one();
        Some(self.token.clone())
    }
}

fn code() -> String {
    crate::session::random_text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_good_once() {
        let codes = OneTimeCodes::new("token".to_owned());
        let code = codes.current();
        assert_eq!(codes.redeem("other"), None);
        assert_eq!(codes.redeem(&code).as_deref(), Some("token"));
        assert_eq!(codes.redeem(&code), None);
        assert_ne!(codes.current(), code);
    }
}
