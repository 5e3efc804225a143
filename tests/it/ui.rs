//! `agon ui`: the debates of this machine in the browser of whoever started it, and of nobody else.
use crate::support::{PATIENCE, RunningProgram, SHORT, World, example};
use agon_testkit::{Process, until};
use nix::sys::signal::Signal;
use std::io::{Read, Write};
use std::net::TcpStream;

/// `agon ui` without any model server.
struct Ui {
    process: Process,
    address: String,
    link: String,
}

impl Ui {
    fn start(world: &World, name: &str, options: &[&str]) -> Self {
        let mut command = world.command(&[&["ui"], options].concat());
        // nobody listens there
        command.env("OLLAMA_HOST", "127.0.0.1:9");
        let mut process = Process::start(name, command, world.path(&format!("{name}.log"))).unwrap();
        let line = process.wait_for("Open http://").unwrap();
        let (address, link) = place(&line);
        Self { process, address, link }
    }

    /// The link after the first.
    fn next_link(&mut self) -> String {
        place(&self.process.wait_for("for another one: ").unwrap()).1
    }

    fn get(&self, path: &str, headers: &[(&str, &str)]) -> UiAnswer {
        self.ask("GET", path, headers, "")
    }

    fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> UiAnswer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let (host, length) = (&self.address, body.len());
        let mut head =
            format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {length}\r\n");
        headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
        write!(stream, "{head}\r\n{body}").unwrap();
        let mut whole = String::new();
        stream.read_to_string(&mut whole).unwrap();
        UiAnswer(whole)
    }

    /// Posts an order for a debate.
    fn order(&self, order: &str, bearer: &str) -> UiAnswer {
        let headers = [("authorization", bearer), ("content-type", "application/json")];
        self.ask("POST", &format!("/v1/debates/{order}"), &headers, "{}")
    }

    /// Follows the link; the cookie and the token in it.
    fn sign_in(&self) -> (String, String) {
        let welcome = self.get(&self.link, &[]);
        let cookie = welcome.session().unwrap();
        let token = cookie.split('.').nth(1).unwrap();
        let token = String::from_utf8(unbase64(token)).unwrap();
        (cookie, token)
    }

    /// Ends it with Ctrl-C.
    fn interrupt(mut self) -> Option<i32> {
        self.process.signal(Signal::SIGINT).unwrap();
        self.process.wait().unwrap().code()
    }
}

/// The address and the path of the link in a line.
fn place(line: &str) -> (String, String) {
    let (address, path) = line.split_once("http://").unwrap().1.trim().split_once('/').unwrap();
    (address.to_owned(), format!("/{path}"))
}

struct UiAnswer(String);

impl UiAnswer {
    fn status(&self) -> u16 {
        self.0.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap()
    }
    fn has(&self, text: &str) -> bool {
        self.0.contains(text)
    }
    /// The cookie that keeps the token.
    fn session(&self) -> Option<String> {
        let cookies = self.0.lines().filter_map(|line| line.strip_prefix("set-cookie: agon-session"));
        cookies.map(|rest| format!("agon-session{}", rest.split(';').next().unwrap())).next()
    }
}

/// The bytes of a text in the alphabet for addresses.
fn unbase64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let (mut bits, mut count, mut bytes) = (0u32, 0, Vec::new());
    for byte in text.bytes() {
        bits = bits << 6 | ALPHABET.iter().position(|known| *known == byte).unwrap() as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count & 0xff) as u8);
        }
    }
    bytes
}

#[test]
fn a_link_lets_one_browser_in_to_the_debates_of_this_machine() {
    let world = World::new();
    world.rehearse("held-before").ok();
    let mut ui = Ui::start(&world, "ui", &[]);
    assert!(ui.address.starts_with("127.0.0.1:"), "{}", ui.address);
    assert!(ui.process.log().contains("no model server answers"), "{}", ui.process.log());
    for secret in ["gRPC", "admin"] {
        assert!(!ui.process.log().contains(secret), "{secret} has a port: {}", ui.process.log());
    }
    assert_eq!(ui.get("/", &[]).status(), 303, "nobody is let in without a link");
    assert_eq!(ui.get("/v1/debates", &[]).status(), 401);
    assert_eq!(ui.get("/sign-in?code=AAAAAAAAAAAAAAAAAAAAAA", &[]).status(), 401);

    // what a browser or a program asks in advance leaves the link as it is
    let early: [(&str, &[(&str, &str)]); 4] = [
        ("HEAD", &[]),
        ("GET", &[("sec-purpose", "prefetch;prerender")]),
        ("GET", &[("purpose", "prefetch")]),
        ("GET", &[("sec-fetch-mode", "no-cors")]),
    ];
    for (method, headers) in early {
        let answer = ui.ask(method, &ui.link, headers, "");
        assert_eq!((answer.status(), answer.session()), (503, None), "{method} {headers:?}: {}", answer.0);
    }

    // from another site, as from a terminal in a browser
    let from = [("sec-fetch-site", "cross-site"), ("sec-fetch-mode", "navigate"), ("sec-fetch-dest", "document")];
    let welcome = ui.get(&ui.link, &from);

    assert_eq!(welcome.status(), 200, "{}", welcome.0);
    assert!(welcome.has("http-equiv=\"refresh\" content=\"0; url=/\"") && welcome.has("href=\"/\""), "{}", welcome.0);
    let cookie = welcome.session().unwrap();
    let page = ui.get("/", &[("cookie", &cookie)]);
    assert!(page.status() == 200 && page.has("/debates/held-before"), "{}", page.0);
    let again = ui.get(&ui.link, &[]);
    assert_eq!((again.status(), again.session()), (401, None), "{}", again.0);
    let next = ui.next_link();
    assert_ne!(next, ui.link);
    assert!(ui.get(&next, &[]).session().is_some());
    assert_eq!(ui.interrupt(), Some(0));
}

#[test]
fn a_debate_that_is_given_up_is_continued_by_the_next_ui_and_those_of_run_are_left_alone() {
    let world = World::new();
    let args = ["run", &example(SHORT), "--rehearsal", "--jsonl", "--no-reports", "--id", "of-run"];
    let run = RunningProgram::start(world.command(&[&args[..], &["--token-interval", "4ms"]].concat()));
    run.read_until("speech_recorded", 1);
    let ui = Ui::start(&world, "first", &["--rehearsal", "--token-interval", "20ms"]);
    let (cookie, token) = ui.sign_in();
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str()), ("content-type", "text/markdown")];
    let file = std::fs::read_to_string(example(SHORT)).unwrap();

    let begun = ui.ask("POST", "/v1/debates?rehearsal=true&debate_id=of-ui", &headers, &file);
    assert!(begun.status() < 300, "{}", begun.0);
    let seen = |id: &str, text: &str| {
        let page = || Ok(Some(ui.get(&format!("/debates/{id}"), &[("cookie", &cookie)])).filter(|page| page.has(text)));
        until("the page shows a speech", PATIENCE, page).unwrap();
    };
    seen("of-run", "article class=\"speech");
    seen("of-ui", "article class=\"speech");
    let resumed = ui.order("of-run:resume", &bearer);
    assert!(resumed.status() == 400 && resumed.has("is played by process"), "{}", resumed.0);
    let second = world.agon(&["ui"]).code(64);
    assert!(second.stderr.contains("already open on this store: process "), "{second:?}");
    assert_eq!(ui.interrupt(), Some(0));
    assert_ne!(world.events("of-ui").last().unwrap()["type"], "debate_ended");

    let next = Ui::start(&world, "next", &["--rehearsal", "--token-interval", "0ms"]);
    let ended = |id: &str| {
        let over = || Ok(Some(()).filter(|()| world.events(id).last().unwrap()["type"] == "debate_ended"));
        until("the debate ends", PATIENCE, over).unwrap();
    };
    ended("of-ui");
    ended("of-run");
    assert_eq!(next.interrupt(), Some(0));
    let claims = |id: &str| world.events(id).iter().filter(|event| event["type"] == "claimed").count();
    assert_eq!((claims("of-run"), claims("of-ui")), (1, 2));
}

/// A rehearsal of `agon run` that goes on for as long as a test looks at it, once somebody has spoken.
fn slow_run(world: &World, id: &str) -> RunningProgram {
    let args = ["run", &example(SHORT), "--rehearsal", "--jsonl", "--no-reports", "--id", id];
    let run = RunningProgram::start(world.command(&[&args[..], &["--token-interval", "10ms"]].concat()));
    run.read_until("speech_recorded", 1);
    run
}

#[test]
fn a_debate_whose_run_was_killed_stands_still_and_is_resumed_or_cancelled_here() {
    let world = World::new();
    for id in ["to-resume", "to-cancel"] {
        slow_run(&world, id).crash();
    }
    let running = slow_run(&world, "running");
    let ui = Ui::start(&world, "ui", &["--rehearsal", "--token-interval", "0ms"]);
    let (cookie, token) = ui.sign_in();
    let bearer = format!("Bearer {token}");

    let list = ui.get("/v1/debates", &[("authorization", &bearer)]);
    let listed: serde_json::Value = serde_json::from_str(list.0.split_once("\r\n\r\n").unwrap().1).unwrap();
    for debate in listed["debates"].as_array().unwrap() {
        let state = if debate["id"] == "running" { "STATE_RUNNING" } else { "STATE_INTERRUPTED" };
        assert_eq!(debate["state"], state, "{debate}");
        assert!(debate["usage"]["completionTokens"].is_string(), "{debate}");
    }
    let page = ui.get("/debates/to-resume", &[("cookie", &cookie)]);
    assert!(page.has("class=\"state interrupted\"") && page.has("/debates/to-resume/resume"), "{}", page.0);
    assert!(!page.has("class=\"turn\"") && !page.has("article id=\"run-"), "nobody speaks: {}", page.0);
    assert!(ui.get("/debates/running", &[("cookie", &cookie)]).has("article id=\"run-"));

    assert_eq!(ui.order("to-resume:resume", &bearer).status(), 200);
    for id in ["to-cancel", "running"] {
        assert_eq!(ui.order(&format!("{id}:cancel"), &bearer).status(), 200, "{id}");
    }

    let end = |id: &str| {
        let last = || Ok(world.events(id).pop().filter(|event| event["type"] == "debate_ended"));
        until("the debate ends", PATIENCE, last).unwrap()["state"].clone()
    };
    assert_eq!((end("to-resume"), end("to-cancel")), ("succeeded".into(), "cancelled".into()));
    assert_eq!(end("running"), "cancelled");
    let (status, _) = running.wait();
    assert!(!status.success());
    let resumptions = world.events("to-resume").into_iter().filter(|event| event["type"] == "debate_resumed").count();
    assert_eq!(resumptions, 1);
    assert_eq!(ui.interrupt(), Some(0));
}
