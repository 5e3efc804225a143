//! Refuses what the page of a web site may have sent: only programs call a rehearsal server.

use std::net::IpAddr;

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderName, StatusCode, header, uri::Authority},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use serde_json::json;

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Lets programs pass. Browsers say that a page is behind a request, or call by a name that a stranger owns.
pub async fn refuse_foreign(request: Request, next: Next) -> Response {
    let called = request.uri().authority().cloned();
    match foreign(request.headers(), called) {
        None => next.run(request).await,
        Some(why) => (StatusCode::FORBIDDEN, axum::Json(json!({ "error": why }))).into_response(),
    }
}

fn foreign(headers: &HeaderMap, called: Option<Authority>) -> Option<&'static str> {
    if headers.contains_key(header::ORIGIN) {
        return Some("pages of web sites may not call a rehearsal server");
    }
    if headers.get_all(FETCH_SITE).iter().any(|site| site != "none") {
        return Some("other sites may not call a rehearsal server");
    }
    let hosts = headers.get_all(header::HOST).iter().map(|host| host.to_str().ok()?.parse().ok());
    let named: Vec<Option<Authority>> = hosts.chain(called.map(Some)).collect();
    let own = |host: &Option<Authority>| host.as_ref().is_some_and(|host| is_own(host.host()));
    if named.is_empty() || !named.iter().all(own) {
        return Some("a rehearsal server is called by its address, or by a name without a dot");
    }
    None
}

/// Whether no stranger can own the name.
fn is_own(host: &str) -> bool {
    let host = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.');
    let name = !host.is_empty() && !host.contains('.');
    name || host.ends_with(".localhost")
        || host.ends_with(".local")
        || host.ends_with(".svc")
        || host.parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(headers: &[(&str, &str)]) -> bool {
        let name = |text: &str| HeaderName::try_from(text).unwrap();
        let headers = headers.iter().map(|(key, value)| (name(key), value.parse().unwrap())).collect();
        foreign(&headers, None).is_some()
    }

    #[test]
    fn programs_pass_and_pages_and_strange_names_do_not() {
        for host in [
            "127.0.0.1:11434",
            "[::1]:1",
            "localhost",
            "rehearsal:11434",
            "10.0.0.7",
            "a.b.svc.cluster.local",
            "a.b.svc",
        ] {
            assert!(!refused(&[("host", host)]), "{host}");
            assert!(refused(&[("host", host), ("origin", "http://localhost")]), "{host}");
            assert!(refused(&[("host", host), ("sec-fetch-site", "cross-site")]), "{host}");
            assert!(refused(&[("host", host), ("host", "evil.example")]), "{host}");
        }
        for host in ["evil.example", "127.0.0.1.evil.example", ""] {
            assert!(refused(&[("host", host)]), "{host}");
        }
        assert!(refused(&[]));
    }
}
