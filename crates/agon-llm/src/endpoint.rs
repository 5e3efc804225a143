//! Where a model server is and which dialect it speaks.

use std::fmt;
use std::net::IpAddr;

use reqwest::Url;

const OLLAMA_PORT: u16 = 11434;
const LOCAL_SUFFIXES: [&str; 5] = [".local", ".lan", ".internal", ".home.arpa", ".localhost"];

/// The address and dialect of a model server; never holds a key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Endpoint {
    kind: EndpointKind,
    base: Url,
}

/// The dialect that a model server speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndpointKind {
    /// Ollama's native interface.
    Ollama,
    /// The interface of OpenAI, as many servers imitate it.
    OpenAi,
}

/// Why an address is not one of a model server.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// It cannot be read.
    #[error("`{0}` is not an address")]
    Unreadable(String),
    /// It is neither http nor https.
    #[error("the scheme `{0}` is neither http nor https")]
    Scheme(String),
    /// It carries credentials, which would end up in logs.
    #[error("an address must not carry a user name or password; give the key on its own")]
    Credentials,
    /// It carries a query or a fragment.
    #[error("an address must not carry a query or a fragment")]
    Query,
}

impl Endpoint {
    /// Reads an address; `host`, `host:port` and whole URLs are understood.
    ///
    /// Without a scheme it is http, and Ollama's port is then 11434. An OpenAI-compatible address without a path gets `/v1`.
    ///
    /// # Errors
    /// When the address cannot be read or carries what it must not.
    pub fn parse(kind: EndpointKind, address: &str) -> Result<Self, EndpointError> {
        let address = address.trim();
        let bare = !address.contains("://");
        let full = if bare { format!("http://{address}") } else { address.to_owned() };
        let mut base = Url::parse(&full).map_err(|_| EndpointError::Unreadable(without_credentials(address)))?;
        if !matches!(base.scheme(), "http" | "https") {
            return Err(EndpointError::Scheme(base.scheme().to_owned()));
        }
        if !base.username().is_empty() || base.password().is_some() {
            return Err(EndpointError::Credentials);
        }
        if base.query().is_some() || base.fragment().is_some() {
            return Err(EndpointError::Query);
        }
        if bare && kind == EndpointKind::Ollama && base.port().is_none() && !address.ends_with(":80") {
            // Setting a port fails only for addresses without a host, which http does not allow.
            let _ = base.set_port(Some(OLLAMA_PORT));
        }
        let path = base.path().trim_end_matches('/').to_owned();
        base.set_path(if path.is_empty() && kind == EndpointKind::OpenAi { "/v1" } else { &path });
        Ok(Self { kind, base })
    }

    /// Reads the address of an Ollama server.
    ///
    /// # Errors
    /// As [`Endpoint::parse`].
    pub fn ollama(address: &str) -> Result<Self, EndpointError> {
        Self::parse(EndpointKind::Ollama, address)
    }

    /// Reads the address of an OpenAI-compatible server.
    ///
    /// # Errors
    /// As [`Endpoint::parse`].
    pub fn open_ai(address: &str) -> Result<Self, EndpointError> {
        Self::parse(EndpointKind::OpenAi, address)
    }

    /// The dialect.
    #[must_use]
    pub fn kind(&self) -> EndpointKind {
        self.kind
    }

    /// The base address, without a slash at its end unless it is the root.
    #[must_use]
    pub fn base(&self) -> &str {
        self.base.as_str()
    }

    /// The host's name or address, without a port.
    pub fn host(&self) -> &str {
        self.base.host_str().unwrap_or_default()
    }

    /// The port, also where it is the scheme's own.
    pub fn port(&self) -> Option<u16> {
        self.base.port_or_known_default()
    }

    /// Whether the connection is encrypted.
    #[must_use]
    pub fn is_encrypted(&self) -> bool {
        self.base.scheme() == "https"
    }

    /// Whether the host is this machine or in its neighbourhood, where a proxy has no business.
    #[must_use]
    pub fn is_near(&self) -> bool {
        let Some(host) = self.base.host_str() else { return false };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        match host.parse::<IpAddr>() {
            Ok(address) => is_near(address),
            Err(_) => !host.contains('.') || LOCAL_SUFFIXES.iter().any(|suffix| host.ends_with(suffix)),
        }
    }

    /// The address of `path` below the base.
    pub(crate) fn join(&self, path: &str) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("{}{path}", self.base.path().trim_end_matches('/')));
        url
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.base.as_str().trim_end_matches('/'))
    }
}

fn is_near(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => {
            let [first, second, ..] = v4.octets();
            let shared = first == 100 && (64..128).contains(&second);
            v4.is_loopback() || v4.is_private() || v4.is_link_local() || v4.is_unspecified() || shared
        }
        IpAddr::V6(v6) => v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local() || v6.is_unspecified(),
    }
}

fn without_credentials(address: &str) -> String {
    address.rsplit('@').next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ollama(address: &str) -> Endpoint {
        Endpoint::ollama(address).unwrap()
    }

    #[test]
    fn a_bare_host_is_ollama_on_its_usual_port() {
        assert_eq!(ollama("gpu1").base(), "http://gpu1:11434/");
        assert_eq!(ollama("gpu1:8000").base(), "http://gpu1:8000/");
        assert_eq!(ollama("http://gpu1").base(), "http://gpu1/");
        assert_eq!(ollama("[::1]").base(), "http://[::1]:11434/");
    }

    #[test]
    fn an_openai_address_without_a_path_gets_the_usual_one() {
        let joined = |address| Endpoint::open_ai(address).unwrap().join("/models").to_string();

        assert_eq!(joined("http://a:1"), "http://a:1/v1/models");
        assert_eq!(joined("https://a/api/v1/"), "https://a/api/v1/models");
    }

    #[test]
    fn a_base_path_stays_before_the_call() {
        assert_eq!(ollama("https://a/ollama/").join("/api/chat").as_str(), "https://a/ollama/api/chat");
    }

    #[test]
    fn addresses_with_secrets_or_other_schemes_are_refused() {
        assert_eq!(Endpoint::ollama("http://me:pw@a"), Err(EndpointError::Credentials));
        assert_eq!(Endpoint::ollama("ftp://a"), Err(EndpointError::Scheme("ftp".into())));
        assert_eq!(Endpoint::ollama("http://a?key=1"), Err(EndpointError::Query));
        assert_eq!(Endpoint::ollama("http://me:pw@:x"), Err(EndpointError::Unreadable(":x".into())));
    }

    #[test]
    fn loopback_and_lan_are_near_and_the_rest_is_not() {
        for near in ["localhost", "127.0.0.1", "10.1.2.3", "192.168.0.9", "100.64.0.1", "[fd00::1]", "gpu1", "a.local"]
        {
            assert!(ollama(near).is_near(), "{near}");
        }
        for far in ["https://ollama.com", "8.8.8.8", "[2001:db8::1]"] {
            assert!(!ollama(far).is_near(), "{far}");
        }
    }
}
