//! What the console's door refuses, asked as a program asks: without the tokens of forms, from other sites, under other names.
use super::ConsoleServer;
use crate::support::TestCluster;
use std::io::{Read, Write};
use std::net::TcpStream;

/// An answer: its status, and everything that came.
struct DoorAnswer {
    status: u16,
    whole: String,
}

impl DoorAnswer {
    fn header(&self, name: &str) -> Option<String> {
        let (head, _) = self.whole.split_once("\r\n\r\n")?;
        let named = head.lines().filter_map(|line| line.split_once(": ")).find(|(key, _)| *key == name);
        named.map(|(_, value)| value.to_owned())
    }
    /// The first cookie, as a browser gives it back.
    fn cookie(&self) -> String {
        self.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
    }
}

fn ask(server: &ConsoleServer, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> DoorAnswer {
    let address = server.http.trim_start_matches("http://");
    let mut stream = TcpStream::connect(address).unwrap();
    let mut head = format!("{method} {path} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n", body.len());
    if headers.iter().all(|(name, _)| *name != "host") {
        head.push_str(&format!("host: {address}\r\n"));
    }
    headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
    write!(stream, "{head}\r\n{body}").unwrap();
    let mut whole = String::new();
    stream.read_to_string(&mut whole).unwrap();
    let status = whole.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap();
    DoorAnswer { status, whole }
}

fn get(server: &ConsoleServer, path: &str, headers: &[(&str, &str)]) -> DoorAnswer {
    ask(server, "GET", path, headers, "")
}

const FORM: (&str, &str) = ("content-type", "application/x-www-form-urlencoded");

#[test]
fn a_form_is_taken_only_with_the_token_of_its_browser() {
    let server = ConsoleServer::start(&["--rehearsal"]);
    let cookie = get(&server, "/", &[]).cookie();
    let token = cookie.split_once('=').unwrap().1.to_owned();
    let cancel = |headers: &[(&str, &str)], body: &str| {
        ask(&server, "POST", "/debates/nothing/cancel", &[headers, &[FORM]].concat(), body)
    };
    let good = cancel(&[("cookie", &cookie)], &format!("forms={token}"));
    assert_eq!(good.status, 404, "let in, and there is no such debate: {}", good.whole);
    for (headers, body) in [
        (vec![], format!("forms={token}")),
        (vec![("cookie", cookie.as_str())], String::new()),
        (vec![("cookie", cookie.as_str())], "forms=AAAAAAAAAAAAAAAAAAAAAA".to_owned()),
        (vec![("cookie", "agon-forms=x")], "forms=x".to_owned()),
    ] {
        let refused = cancel(&headers, &body);
        assert_eq!(refused.status, 403, "{headers:?} {body}: {}", refused.whole);
    }
}

#[test]
fn pages_of_other_sites_and_other_names_of_this_address_are_refused() {
    let server = ConsoleServer::start(&["--rehearsal"]);
    let cookie = get(&server, "/", &[]).cookie();
    let token = cookie.split_once('=').unwrap().1.to_owned();
    let form = format!("forms={token}");
    let post = |headers: &[(&str, &str)]| {
        let with = [headers, &[FORM, ("cookie", cookie.as_str())]].concat();
        ask(&server, "POST", "/debates/nothing/cancel", &with, &form).status
    };
    assert_eq!(post(&[]), 404);
    assert_eq!(post(&[("origin", "https://evil.example")]), 403);
    assert_eq!(post(&[("sec-fetch-site", "cross-site")]), 403);
    assert_eq!(get(&server, "/", &[("host", "evil.example")]).status, 403, "a name that leads here from elsewhere");
    assert_eq!(get(&server, "/", &[("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "no-cors")]).status, 403);
    let plain = [("cookie", cookie.as_str()), ("content-type", "text/plain")];
    let refused = ask(&server, "POST", "/debates/nothing/cancel", &plain, &form);
    assert_eq!(refused.status, 415, "{}", refused.whole);
    let api = ask(&server, "POST", "/v1/debates/nothing:cancel", &[FORM], "reason=x");
    assert_eq!(api.status, 415, "no form reaches the API: {}", api.whole);
}

#[test]
fn every_page_says_what_it_may_do_and_nothing_of_it_is_kept() {
    let server = ConsoleServer::start(&["--rehearsal"]);
    for path in ["/", "/new", "/hosts", "/ratings", "/evals", "/help", "/debates/nothing", "/nowhere", "/sign-in"] {
        let answer = get(&server, path, &[]);
        let policy = answer.header("content-security-policy").unwrap();
        let nonce = policy.split("'nonce-").nth(1).unwrap().split('\'').next().unwrap();
        assert!(
            policy.starts_with("default-src 'none'") && policy.contains("frame-ancestors 'none'"),
            "{path}: {policy}"
        );
        assert!(!policy.contains("unsafe") && !policy.contains('*'), "{path}: {policy}");
        assert_eq!(answer.whole.matches("<script").count(), answer.whole.matches(nonce).count() - 1, "{path}");
        assert!(!answer.whole.contains(" style=\"") && !answer.whole.contains(" onclick="), "{path}");
        assert_eq!(answer.header("cache-control").as_deref(), Some("no-store"), "{path}");
        assert_eq!(answer.header("x-content-type-options").as_deref(), Some("nosniff"), "{path}");
    }
    let nonce = |answer: DoorAnswer| answer.header("content-security-policy").unwrap();
    assert_ne!(nonce(get(&server, "/", &[])), nonce(get(&server, "/", &[])), "a nonce is used once");
}

#[test]
fn one_address_serves_pages_rest_events_and_grpc() {
    let server = ConsoleServer::start(&["--rehearsal"]);
    assert!(get(&server, "/", &[]).whole.contains("<!doctype html>"));
    assert_eq!(get(&server, "/v1/debates", &[]).header("content-type").as_deref(), Some("application/json"));
    assert_eq!(get(&server, "/v1/nothing", &[]).header("content-type").as_deref(), Some("application/json"));
    let address = server.http.trim_start_matches("http://");
    let said = server.cluster.world.agon(&["hosts", "--server", address]).ok();
    assert!(said.stdout.contains("rehearsal"), "{said:?}");
}

#[test]
fn without_the_console_there_is_only_the_api() {
    let cluster = TestCluster::start().setting("AGON__CONSOLE__ENABLED", "false");
    let server = ConsoleServer::of(cluster, &["--rehearsal"]);
    let answer = get(&server, "/", &[]);
    assert_eq!((answer.status, answer.header("content-type").as_deref()), (404, Some("application/json")));
    assert!(!server.process.log().contains("Open http"), "{}", server.process.log());
}

#[test]
fn who_has_no_token_gets_no_piece_of_a_page_no_stream_and_no_document() {
    let cluster = TestCluster::start();
    let file = cluster.world.file("tokens.txt", "# nobody\n");
    let server = ConsoleServer::of(cluster.setting("AGON__GATEWAY__AUTH__TOKENS_FILE", &file), &["--rehearsal"]);
    for path in [
        "/",
        "/new",
        "/hosts",
        "/ratings",
        "/evals",
        "/compare",
        "/debates/x",
        "/debates/x/live",
        "/debates/x/report.md",
    ] {
        let answer = get(&server, path, &[]);
        assert_eq!(answer.status, 303, "{path}: {}", answer.whole);
        assert!(answer.header("location").unwrap().starts_with("/sign-in?to=%2F"), "{path}");
        let piece = get(&server, path, &[("hx-request", "true")]);
        assert_eq!(piece.status, 401, "{path}: {}", piece.whole);
    }
    let forged = "agon-session=9999999999.YWdvbl94.0000000000000000000000000000000000000000000000000000000000000000";
    assert_eq!(get(&server, "/", &[("cookie", forged)]).status, 303);
    let assets = get(&server, "/sign-in", &[]);
    let style = assets.whole.split("href=\"/assets/").nth(1).unwrap().split('"').next().unwrap().to_owned();
    assert_eq!(get(&server, &format!("/assets/{style}"), &[]).status, 200, "its own style needs no token");
}

#[test]
fn a_reader_is_refused_the_questions_before_orders_as_the_orders_are() {
    let cluster = TestCluster::start();
    let made = cluster.world.json(&["token", "reader", "--scopes", "debates:read", "--json"]);
    let file = cluster.world.file("tokens.txt", &format!("{}\n", made["line"].as_str().unwrap()));
    let server = ConsoleServer::of(cluster.setting("AGON__GATEWAY__AUTH__TOKENS_FILE", &file), &["--rehearsal"]);
    let forms = get(&server, "/sign-in", &[]).cookie();
    let (known, token) = (forms.split_once('=').unwrap().1, made["token"].as_str().unwrap());
    let signed_in =
        ask(&server, "POST", "/sign-in", &[FORM, ("cookie", &forms)], &format!("forms={known}&to=/&token={token}"));
    let cookies = format!("{forms}; {}", signed_in.cookie());
    assert_eq!(get(&server, "/", &[("cookie", &cookies)]).status, 200);
    for order in ["debates/nothing/cancel", "debates/nothing/delete", "debates/nothing/rejudge", "evals/nothing/delete"]
    {
        let path = format!("/{order}");
        let (asked, ordered) = (
            get(&server, &path, &[("cookie", &cookies)]),
            ask(&server, "POST", &path, &[FORM, ("cookie", &cookies)], &format!("forms={known}")),
        );
        assert_eq!((asked.status, ordered.status), (403, 403), "{path}: {}", asked.whole);
    }
    assert_eq!(get(&server, "/new", &[("cookie", &cookies)]).status, 403);
}

#[test]
fn a_file_that_is_too_large_is_a_finding_that_says_the_limit() {
    let server = ConsoleServer::start(&["--rehearsal"]);
    let cookie = get(&server, "/", &[]).cookie();
    let form = format!("forms={}&with=file&text={}", cookie.split_once('=').unwrap().1, "a".repeat(2 * 1024 * 1024));
    let headers = [FORM, ("cookie", cookie.as_str()), ("hx-request", "true")];
    let answer = ask(&server, "POST", "/new/check", &headers, &form);
    assert!(answer.status == 200 && answer.whole.contains("a debate file has at most"), "{}", answer.whole);
}
