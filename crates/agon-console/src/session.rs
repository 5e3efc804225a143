//! What a browser keeps: the token of whoever signed in, and what forms are known by.
//!
//! A session is a cookie that holds the token itself, so that every gateway knows it, also after a restart, and a token that is
//! taken back is so at once. It ends after [`SESSION`], which the cookie says under a code that only the token's owner can make.
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use http::{HeaderMap, HeaderValue, header};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How long one stays signed in.
pub(crate) const SESSION: Duration = Duration::from_secs(12 * 60 * 60);
/// Bytes of a token that fit into a cookie, which browsers cut at 4096.
pub(crate) const MOST_TOKEN: usize = 2_500;
/// What the end of a session is sealed for.
const CONTEXT: &str = "agon console 2026 end of a session";
const SESSION_NAME: &str = "agon-session";
const FORMS_NAME: &str = "agon-forms";

/// The cookies of one site. Browsers do not keep those of different ports apart, so that the port is in their names.
#[derive(Clone, Debug)]
pub(crate) struct Cookies {
    port: String,
    secure: bool,
}

impl Cookies {
    /// Those of the address that is called; `tls` is whether this process speaks TLS itself.
    pub fn of(headers: &HeaderMap, authority: Option<&http::uri::Authority>, tls: bool) -> Self {
        let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let host = text(header::HOST).and_then(|host| host.parse::<http::uri::Authority>().ok());
        let port = host.as_ref().or(authority).and_then(http::uri::Authority::port_u16);
        let proxied = text(header::HeaderName::from_static("x-forwarded-proto")).is_some_and(|proto| proto == "https");
        Self { port: port.map(|port| format!("-{port}")).unwrap_or_default(), secure: tls || proxied }
    }

    /// The token of whoever signed in, unless the session is over.
    pub fn token(&self, headers: &HeaderMap) -> Option<String> {
        unseal(&self.read(headers, SESSION_NAME)?, now())
    }

    /// What the forms of this browser are known by.
    pub fn forms(&self, headers: &HeaderMap) -> Option<String> {
        self.read(headers, FORMS_NAME).filter(|text| text.len() == random_text().len())
    }

    /// Keeps the token for as long as a session lasts.
    pub fn keep_token(&self, token: &str) -> HeaderValue {
        self.cookie(SESSION_NAME, &seal(token, now() + SESSION.as_secs()), SESSION)
    }

    /// Forgets the token.
    pub fn forget_token(&self) -> HeaderValue {
        self.cookie(SESSION_NAME, "", Duration::ZERO)
    }

    /// Keeps what forms are known by.
    pub fn keep_forms(&self, text: &str) -> HeaderValue {
        self.cookie(FORMS_NAME, text, SESSION)
    }

    fn read(&self, headers: &HeaderMap, name: &str) -> Option<String> {
        let name = self.name(name);
        let pairs = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = pairs.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(key, _)| *key == name).map(|(_, value)| value.to_owned())
    }

    /// Over TLS nobody but this host can set it: browsers refuse the prefix with a `Domain`, another path or without `Secure`.
    fn name(&self, name: &str) -> String {
        let prefix = if self.secure { "__Host-" } else { "" };
        format!("{prefix}{name}{}", self.port)
    }

    fn cookie(&self, name: &str, value: &str, age: Duration) -> HeaderValue {
        let secure = if self.secure { "; Secure" } else { "" };
        let (name, age) = (self.name(name), age.as_secs());
        let text = format!("{name}={value}; Path=/; Max-Age={age}; HttpOnly; SameSite=Strict{secure}");
        // names and values are made here of letters, digits, dashes, dots and underscores
        HeaderValue::try_from(text).unwrap_or_else(|_| HeaderValue::from_static(""))
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

fn seal(token: &str, until: u64) -> String {
    format!("{until}.{}.{}", BASE64_URL_SAFE_NO_PAD.encode(token), proof(token, until).to_hex())
}

fn unseal(text: &str, now: u64) -> Option<String> {
    let mut pieces = text.splitn(3, '.');
    let (until, token, proven) = (pieces.next()?, pieces.next()?, pieces.next()?);
    let until: u64 = until.parse().ok()?;
    let token = String::from_utf8(BASE64_URL_SAFE_NO_PAD.decode(token).ok()?).ok()?;
    let proven = blake3::Hash::from_hex(proven).ok()?;
    (now < until && proven == proof(&token, until)).then_some(token)
}

fn proof(token: &str, until: u64) -> blake3::Hash {
    blake3::keyed_hash(&blake3::derive_key(CONTEXT, token.as_bytes()), &until.to_be_bytes())
}

/// 128 random bits as text.
pub(crate) fn random_text() -> String {
    let bytes: [u8; 16] = rand::random();
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_gives_its_token_back_until_its_end() {
        let sealed = seal("agon_x.y", 100);
        assert_eq!(unseal(&sealed, 99).as_deref(), Some("agon_x.y"));
        assert_eq!(unseal(&sealed, 100), None);
    }

    #[test]
    fn a_later_end_cannot_be_written_into_a_session() {
        let sealed = seal("agon_x", 100);
        let later = sealed.replacen("100", "900", 1);
        assert_eq!(unseal(&later, 99), None);
        for odd in ["", ".", "1.2.3", "100..", "x.YQ.00"] {
            assert_eq!(unseal(odd, 0), None, "{odd}");
        }
    }

    #[test]
    fn cookies_of_two_ports_do_not_meet_and_are_out_of_reach_of_scripts_and_other_sites() {
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, HeaderValue::from_static("localhost:8080"));
        let cookies = Cookies::of(&headers, None, false);
        let kept = cookies.keep_token("t").to_str().unwrap().to_owned();
        assert!(kept.starts_with("agon-session-8080=") && kept.contains("HttpOnly; SameSite=Strict"), "{kept}");
        assert!(!kept.contains("Secure"));
        headers.insert(header::COOKIE, HeaderValue::try_from(kept.split(';').next().unwrap()).unwrap());
        assert_eq!(cookies.token(&headers).as_deref(), Some("t"));
        let over_tls = Cookies { secure: true, ..cookies.clone() };
        let kept = over_tls.keep_token("t").to_str().unwrap().to_owned();
        assert!(
            kept.starts_with("__Host-agon-session-8080=") && kept.contains("; Path=/; ") && !kept.contains("Domain")
        );
        assert!(over_tls.keep_forms("x").to_str().unwrap().starts_with("__Host-agon-forms-8080="));
        assert_eq!(over_tls.token(&headers), None, "a neighbour can set a cookie without the prefix");
        let other = Cookies { port: "-9090".to_owned(), secure: true };
        assert_eq!(other.token(&headers), None);
        assert!(other.keep_forms("x").to_str().unwrap().ends_with("; Secure"));
    }
}
