//! From which web sites calls are taken, and by which names of this machine: a page that somebody has open somewhere must
//! not reach a port that only this machine, or only those with credentials, may use.
use crate::error::Problem;
use http::request::Parts;
use http::uri::Authority;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use std::collections::BTreeSet;
use std::net::{IpAddr, SocketAddr};

/// What browsers say of where a request comes from.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");
/// Domains that nobody can register, so that no stranger's name leads here.
const UNREGISTRABLE: [&str; 4] = [".local", ".internal", ".home.arpa", ".svc"];

/// Names and sites that calls may come by, beside those that are always good.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SitePolicy {
    hosts: BTreeSet<String>,
    origins: BTreeSet<String>,
}

impl SitePolicy {
    /// Reads names (`agon.example.org`, `*.example.org`) and origins (`https://app.example.org`); every mistake at once.
    pub fn parse(hosts: &[String], origins: &[String]) -> Result<Self, Vec<String>> {
        let mut problems = Vec::new();
        let mut policy = Self::default();
        for host in hosts {
            match host_name(host) {
                Some(name) => drop(policy.hosts.insert(name)),
                None => problems.push(format!(
                    "allowed_hosts: {host:?} is not a name such as agon.example.org or *.example.org, without a port"
                )),
            }
        }
        for origin in origins {
            match WebOrigin::parse(origin) {
                Some(site) => drop(policy.origins.insert(site.to_string())),
                None => {
                    problems
                        .push(format!("allowed_origins: {origin:?} is not an origin such as https://app.example.org"));
                }
            }
        }
        if problems.is_empty() { Ok(policy) } else { Err(problems) }
    }

    fn names(&self, host: &str) -> bool {
        let wild = || host.split_once('.').is_some_and(|(_, domain)| self.hosts.contains(&format!("*.{domain}")));
        self.hosts.contains(host) || wild()
    }
}

fn host_name(text: &str) -> Option<String> {
    let text = text.trim();
    let name = text.strip_prefix("*.").unwrap_or(text);
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    let address = name.parse::<IpAddr>().is_ok();
    let named = name.bytes().all(plain) && !name.starts_with('.') && !name.ends_with('.');
    (!name.is_empty() && (address || named)).then(|| text.to_ascii_lowercase())
}

/// A web site as the header `Origin` names it.
struct WebOrigin {
    scheme: String,
    host: String,
    port: u16,
}

impl WebOrigin {
    fn parse(text: &str) -> Option<Self> {
        let uri: Uri = text.trim().parse().ok()?;
        let (scheme, authority) = (uri.scheme_str()?.to_ascii_lowercase(), uri.authority()?);
        let usual = usual_port(&scheme)?;
        let bare =
            uri.path().trim_matches('/').is_empty() && uri.query().is_none() && !authority.as_str().contains('@');
        let host = bare.then(|| plain_host(authority.host()))?;
        Some(Self { scheme, host, port: authority.port_u16().unwrap_or(usual) })
    }

    /// Whether its pages come from the address that is called. A proxy may have taken TLS away, so that the schemes may differ.
    fn is_own(&self, called: &Authority) -> bool {
        let usual = usual_port(&self.scheme);
        self.host == plain_host(called.host()) && called.port_u16().or(usual) == Some(self.port)
    }
}

impl std::fmt::Display for WebOrigin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}://{}:{}", self.scheme, self.host, self.port)
    }
}

fn usual_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}

/// A host without letter case, brackets and final dot.
fn plain_host(host: &str) -> String {
    let host = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()
}

/// By which names a listener may be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Names {
    /// By any: callers show credentials, which a strange page does not have.
    Any,
    /// By those of this machine alone, beside the allowed ones.
    Loopback,
    /// By addresses, and by names that no stranger can own.
    Network,
}

impl Names {
    /// Those of a listener.
    pub fn of(address: SocketAddr, asks_for_credentials: bool) -> Self {
        match asks_for_credentials {
            true => Self::Any,
            false if address.ip().is_loopback() => Self::Loopback,
            false => Self::Network,
        }
    }

    fn allow(self, host: &str) -> bool {
        let address = host.parse::<IpAddr>().ok().map(|address| address.to_canonical());
        let local = host == "localhost" || host.ends_with(".localhost") || address.is_some_and(|ip| ip.is_loopback());
        match self {
            Self::Any => true,
            Self::Loopback => local,
            Self::Network => {
                let unregistrable = !host.contains('.') || UNREGISTRABLE.iter().any(|end| host.ends_with(end));
                local || address.is_some() || (!host.is_empty() && unregistrable)
            }
        }
    }
}

/// What a listener asks of every request.
#[derive(Clone, Debug)]
pub(crate) struct SiteRules {
    /// Names and sites that are allowed.
    pub policy: SitePolicy,
    /// Names that are good anyway.
    pub names: Names,
    /// The settings that allow more: `gateway` or `admin`.
    pub section: &'static str,
}

/// What a request that may pass is to be answered with.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum CorsAnswer {
    /// Nothing more.
    Plain,
    /// The page of another site may read the answer.
    Shared(HeaderValue),
    /// A browser asks whether that page may send what it wants to.
    Preflight(HeaderValue),
}

impl SiteRules {
    /// Refuses what a page of another site may have sent; `media` is what a POST may carry.
    pub fn check(&self, request: &Parts, media: &[&str]) -> Result<CorsAnswer, Problem> {
        let called = authority(request)?;
        self.check_name(called.as_ref())?;
        let shared = self.check_origin(&request.headers, called.as_ref())?;
        if shared.is_none() && from_elsewhere(request) {
            let text = "a page of another site may not call this address".to_owned();
            return Err(Problem::CrossSite(text));
        }
        check_media(request, media)?;
        let asks =
            request.method == Method::OPTIONS && request.headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
        Ok(match shared {
            Some(origin) if asks => CorsAnswer::Preflight(origin),
            Some(origin) => CorsAnswer::Shared(origin),
            None => CorsAnswer::Plain,
        })
    }

    fn check_name(&self, called: Option<&Authority>) -> Result<(), Problem> {
        let host = called.map(|called| plain_host(called.host())).unwrap_or_default();
        if self.names.allow(&host) || self.policy.names(&host) {
            return Ok(());
        }
        let section = self.section;
        Err(Problem::Host(format!(
            "calls to {host:?} are rejected here: call a loopback address, or add the name to {section}.allowed_hosts"
        )))
    }

    /// The origin, where it is another site's that is allowed.
    fn check_origin(&self, headers: &HeaderMap, called: Option<&Authority>) -> Result<Option<HeaderValue>, Problem> {
        let mut origins = headers.get_all(header::ORIGIN).iter();
        let Some(origin) = origins.next() else { return Ok(None) };
        let site = origin.to_str().ok().and_then(WebOrigin::parse).filter(|_| origins.next().is_none());
        match site {
            Some(site) if called.is_some_and(|called| site.is_own(called)) => Ok(None),
            Some(site) if self.policy.origins.contains(&site.to_string()) => Ok(Some(origin.clone())),
            Some(_) | None => {
                let (origin, section) = (String::from_utf8_lossy(origin.as_bytes()), self.section);
                Err(Problem::CrossSite(format!(
                    "pages of {origin} may not call this address; {section}.allowed_origins lists the allowed ones"
                )))
            }
        }
    }
}

fn check_media(request: &Parts, allowed: &[&str]) -> Result<(), Problem> {
    if request.method != Method::POST {
        return Ok(());
    }
    match media_type(&request.headers) {
        Some(media) if allowed.contains(&media.as_str()) => Ok(()),
        Some(_) | None => Err(Problem::MediaType(allowed.join(", "))),
    }
}

/// The media type of the body, without its parameters; none where there is none, or more than one.
pub(crate) fn media_type(headers: &HeaderMap) -> Option<String> {
    let mut types = headers.get_all(header::CONTENT_TYPE).iter();
    let (first, None) = (types.next()?, types.next()) else { return None };
    Some(first.to_str().ok()?.split(';').next()?.trim().to_ascii_lowercase())
}

/// The one address that the caller means. HTTP/2 has it in the request's URI, HTTP/1 in a header, a proxy's request in both.
fn authority(request: &Parts) -> Result<Option<Authority>, Problem> {
    let odd = || Problem::Host("the request names no single host".to_owned());
    let mut found: Option<Authority> = request.uri.authority().cloned();
    for (count, value) in request.headers.get_all(header::HOST).iter().enumerate() {
        let host: Authority = value.to_str().ok().and_then(|text| text.parse().ok()).ok_or_else(odd)?;
        let same = found.as_ref().is_none_or(|found| found.as_str().eq_ignore_ascii_case(host.as_str()));
        if count > 0 || !same {
            return Err(odd());
        }
        found = Some(host);
    }
    match found {
        Some(found) if found.as_str().contains('@') => Err(odd()),
        found => Ok(found),
    }
}

/// Whether a browser says that another site's page is behind the request, and it is no link that somebody followed.
fn from_elsewhere(request: &Parts) -> bool {
    let said = |name: &HeaderName| request.headers.get(name).map(HeaderValue::as_bytes);
    let elsewhere =
        request.headers.get_all(FETCH_SITE).iter().any(|site| !matches!(site.as_bytes(), b"same-origin" | b"none"));
    let followed = request.method == Method::GET
        && said(&FETCH_MODE) == Some(b"navigate")
        && said(&FETCH_DEST) == Some(b"document");
    elsewhere && !followed
}

#[cfg(test)]
#[path = "sites_tests.rs"]
mod tests;
