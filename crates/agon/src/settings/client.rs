//! Which Agon server the commands speak to, and how.
use super::{KeySource, Length};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// Which Agon server the commands speak to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ClientSettings {
    /// Its address, `HOST:PORT` or with a scheme; absent: commands look into the store of this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// Where the bearer token is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<KeySource>,
    /// Certificates of the authorities that may have signed the server's; absent: those of the system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_ca: Option<PathBuf>,
    /// The client's own certificate, where the server wants one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_cert: Option<PathBuf>,
    /// Its key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls_key: Option<PathBuf>,
    /// How long one question may take.
    pub timeout: Length,
    /// How long a watch waits for a connection or a store that is away or full.
    pub patience: Length,
}
impl Default for ClientSettings {
    fn default() -> Self {
        Self {
            server: None,
            token: None,
            tls_ca: None,
            tls_cert: None,
            tls_key: None,
            timeout: Length::seconds(30),
            patience: Length::seconds(300),
        }
    }
}

impl ClientSettings {
    /// What is wrong with it, each with its field.
    pub fn problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        if let Some(problem) = self.token.as_ref().and_then(KeySource::problem) {
            problems.push(format!("token: {problem}"));
        }
        if self.tls_cert.is_some() != self.tls_key.is_some() {
            problems.push("tls_cert, tls_key: give both or neither".to_owned());
        }
        if self.timeout == Length::default() {
            problems.push("timeout: must be longer than 0".to_owned());
        }
        if let Some(Err(error)) = self.server.as_deref().map(crate::client::address) {
            problems.push(format!("server: {error}"));
        }
        problems
    }
}
