//! How the user who started `agon ui` comes in, and nobody else: by links that are printed, each good for one browser.
use super::Herald;
use crate::commands::{Context, opener};
use agon_console::OneTimeCodes;
use agon_server::new_token;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;

/// The door of `agon ui`.
pub struct OwnDoor {
    codes: Arc<OneTimeCodes>,
    /// The hash of the token that the codes stand for. The token itself is only in the codes and in browsers.
    key: [u8; 32],
    opens: bool,
}

impl OwnDoor {
    /// A door with a new key; `opens`: the browser is opened as well.
    pub fn new(opens: bool) -> Self {
        let token = new_token();
        let key = blake3::hash(token.as_bytes()).into();
        Self { codes: Arc::new(OneTimeCodes::new(token)), key, opens }
    }

    /// The codes that let browsers in.
    pub fn codes(&self) -> Arc<OneTimeCodes> {
        self.codes.clone()
    }

    /// The hash of the token that every call has to carry.
    pub fn key(&self) -> [u8; 32] {
        self.key
    }

    /// Prints the first link.
    pub fn announce(&self, herald: &Herald, address: Option<SocketAddr>) {
        if let Some(address) = address {
            herald.tell(&format!("Open {}", self.link(address)));
        }
    }

    /// Opens the browser where that was asked for, and prints another link whenever one was used. Never returns.
    pub async fn keep(&self, context: &Context, herald: &Herald, address: Option<SocketAddr>) {
        let Some(address) = address else { return std::future::pending().await };
        tokio::join!(self.open(context, address), async {
            loop {
                self.codes.used().await;
                herald.tell(&format!("a browser was let in; for another one: {}", self.link(address)));
            }
        });
    }

    async fn open(&self, context: &Context, address: SocketAddr) {
        if !self.opens {
            return;
        }
        let command = opener(&context.environment, &PathBuf::from(self.link(address)));
        let opened = tokio::process::Command::from(command).status().await;
        if !opened.is_ok_and(|status| status.success()) {
            context.output.warn("the browser cannot be opened; follow the link above");
        }
    }

    fn link(&self, address: SocketAddr) -> String {
        format!("http://{address}/sign-in?code={}", self.codes.current())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_door_has_a_key_and_a_code_of_its_own() {
        let (one, two) = (OwnDoor::new(false), OwnDoor::new(false));
        assert_ne!(one.key(), two.key());
        let address: SocketAddr = "127.0.0.1:8765".parse().unwrap();
        let link = one.link(address);
        assert!(link.starts_with("http://127.0.0.1:8765/sign-in?code="), "{link}");
        assert_ne!(link, two.link(address));
    }
}
