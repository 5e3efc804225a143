//! Which requests pass, by their headers alone.
use super::*;
use http::Request;

fn rules(names: Names) -> SiteRules {
    let texts = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let policy = SitePolicy::parse(
        &texts(&["agon.example.org", "*.debates.example"]),
        &texts(&["https://app.example.org", "http://localhost:3000"]),
    );
    SiteRules { policy: policy.unwrap(), names, section: "gateway" }
}

fn request(method: &str, headers: &[(&str, &str)]) -> Parts {
    let mut request = Request::builder().method(method).uri("/v1/debates");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(()).unwrap().into_parts().0
}

fn passes(names: Names, method: &str, headers: &[(&str, &str)]) -> bool {
    rules(names).check(&request(method, headers), &["application/json"]).is_ok()
}

#[test]
fn on_loopback_only_names_of_this_machine_and_allowed_ones_are_taken() {
    let good = [
        "127.0.0.1:8080",
        "localhost:8080",
        "LOCALHOST",
        "localhost.",
        "127.1.2.3",
        "[::1]:8080",
        "agon.localhost:1",
        "[::ffff:127.0.0.1]",
        "agon.example.org:8080",
        "one.debates.example",
    ];
    for host in good {
        assert!(passes(Names::Loopback, "GET", &[("host", host)]), "{host}");
    }
    let bad = [
        "evil.example",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "192.168.0.7",
        "0.0.0.0:8080",
        "gateway",
        "two.one.debates.example",
        "debates.example",
        "",
        "a b",
        "localhost@evil.example",
        "evil.example@localhost",
    ];
    for host in bad {
        assert!(!passes(Names::Loopback, "GET", &[("host", host)]), "{host}");
        assert!(!passes(Names::Loopback, "GET", &[("host", "localhost"), ("host", host)]), "{host} beside another");
    }
    assert!(!passes(Names::Loopback, "GET", &[]), "no name at all");
}

#[test]
fn in_a_network_addresses_are_taken_and_names_that_nobody_can_register() {
    for host in [
        "10.1.2.3:8080",
        "[fd00::1]",
        "gateway:8080",
        "agon.example.org",
        "a.b.svc.cluster.local",
        "a.b.svc",
        "x.internal",
    ] {
        assert!(passes(Names::Network, "GET", &[("host", host)]), "{host}");
    }
    for host in ["evil.example", "gateway.evil.example:8080", "", "local.example"] {
        assert!(!passes(Names::Network, "GET", &[("host", host)]), "{host}");
    }
    assert!(passes(Names::Any, "GET", &[("host", "evil.example")]), "callers with credentials may use any name");
}

#[test]
fn an_authority_that_differs_from_the_host_is_refused() {
    let both = |uri: &str, host: &str| {
        let (parts, ()) = Request::builder().uri(uri).header("host", host).body(()).unwrap().into_parts();
        rules(Names::Loopback).check(&parts, &["application/json"]).is_ok()
    };
    assert!(both("http://localhost:8080/v1/debates", "localhost:8080"));
    assert!(!both("http://evil.example/v1/debates", "localhost:8080"));
    assert!(!both("http://localhost:8080/v1/debates", "evil.example"));
}

#[test]
fn pages_of_other_sites_are_refused_also_where_callers_show_credentials() {
    for names in [Names::Any, Names::Loopback, Names::Network] {
        let from = |origin: &str| passes(names, "GET", &[("host", "localhost:8080"), ("origin", origin)]);
        for own in
            ["http://localhost:8080", "https://localhost:8080", "https://app.example.org", "http://localhost:3000"]
        {
            assert!(from(own), "{own}");
        }
        let others = [
            "http://localhost",
            "http://localhost:3001",
            "http://127.0.0.1:8080",
            "https://evil.example",
            "null",
            "",
            "http://localhost:8080.evil.example",
            "file://",
            "http://app.example.org",
            "https://app.example.org:444",
        ];
        for other in others {
            assert!(!from(other), "{other}");
        }
        let twice = [("host", "localhost"), ("origin", "http://localhost"), ("origin", "http://evil.example")];
        assert!(!passes(names, "GET", &twice));
    }
}

#[test]
fn what_a_browser_says_of_another_site_is_heeded_and_links_may_be_followed() {
    let sent = |method: &str, more: &[(&str, &str)]| {
        let headers: Vec<_> = [("host", "localhost")].into_iter().chain(more.iter().copied()).collect();
        passes(Names::Loopback, method, &headers)
    };
    for own in ["none", "same-origin"] {
        assert!(sent("GET", &[("sec-fetch-site", own)]), "{own}");
    }
    for other in ["cross-site", "same-site", "later-invention"] {
        assert!(!sent("GET", &[("sec-fetch-site", other)]), "{other}");
        assert!(!sent("GET", &[("sec-fetch-site", other), ("sec-fetch-mode", "no-cors")]), "{other}");
        let frame = [("sec-fetch-site", other), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "iframe")];
        assert!(!sent("GET", &frame), "{other}");
        let link = [("sec-fetch-site", other), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")];
        assert!(sent("GET", &link), "{other}");
        assert!(!sent("DELETE", &link) && !sent("POST", &link), "{other}");
    }
    assert!(sent("GET", &[("sec-fetch-site", "cross-site"), ("origin", "https://app.example.org")]));
}

#[test]
fn a_post_says_what_it_carries_in_a_way_that_no_form_can() {
    let posted = |more: &[(&str, &str)]| {
        let headers: Vec<_> = [("host", "localhost")].into_iter().chain(more.iter().copied()).collect();
        passes(Names::Loopback, "POST", &headers)
    };
    assert!(posted(&[("content-type", "application/json")]));
    assert!(posted(&[("content-type", "Application/JSON; charset=utf-8")]));
    for simple in ["text/plain", "multipart/form-data; boundary=x", "application/x-www-form-urlencoded", "", "json"] {
        assert!(!posted(&[("content-type", simple)]), "{simple}");
    }
    assert!(!posted(&[]));
    assert!(!posted(&[("content-type", "text/plain"), ("content-type", "application/json")]));
}

#[test]
fn a_preflight_of_an_allowed_site_is_told_from_other_requests() {
    let headers =
        [("host", "localhost"), ("origin", "http://localhost:3000"), ("access-control-request-method", "POST")];
    let origin = HeaderValue::from_static("http://localhost:3000");
    let rules = rules(Names::Loopback);
    assert_eq!(rules.check(&request("OPTIONS", &headers), &[]), Ok(CorsAnswer::Preflight(origin.clone())));
    assert_eq!(rules.check(&request("GET", &headers[..2]), &[]), Ok(CorsAnswer::Shared(origin)));
    assert_eq!(rules.check(&request("GET", &headers[..1]), &[]), Ok(CorsAnswer::Plain));
}

#[test]
fn names_and_origins_with_mistakes_are_all_named() {
    let texts = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let bad = SitePolicy::parse(
        &texts(&["http://a", "a:80", "*", "", "a/b"]),
        &texts(&["a.example", "null", "*", "ftp://a", "https://a.example/path"]),
    );
    assert_eq!(bad.unwrap_err().len(), 10);
    assert!(SitePolicy::parse(&texts(&["Agon.Example.org", "10.0.0.1"]), &texts(&["https://a.example/"])).is_ok());
}
