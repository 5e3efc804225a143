//! `agon doctor`: each fault that can be planted on one machine, and the remedy that has to be named.
use crate::support::{ProgramOutput, World};
use agon_testkit::{Duplex, HttpStub, StubAnswer, free_port};
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

/// A model server as it should be, of that release.
fn ollama(target: &str, release: &str, model: &Value) -> StubAnswer {
    let message = json!({"role": "assistant", "content": "{\"sky\": \"blue\"}"});
    StubAnswer::json(&match target {
        "/api/version" => json!({"version": release}),
        "/api/tags" => json!({"models": [model]}),
        "/api/ps" => json!({"models": []}),
        "/api/show" => json!({"capabilities": ["completion"]}),
        _ => json!({"message": message, "done": true, "done_reason": "stop"}),
    })
}

fn small() -> Value {
    json!({"name": "small:1b", "size": 1 << 20})
}

fn healthy() -> HttpStub {
    HttpStub::start(|target, _| ollama(target, "0.33.0", &small())).unwrap()
}

/// What the doctor found, with these variables.
fn findings(world: &World, args: &[&str], variables: &[(&str, &str)]) -> Vec<Value> {
    let mut command = world.command(&[&["doctor", "--json"], args].concat());
    found(&ProgramOutput::of(&command.envs(variables.iter().copied()).output().unwrap()))
}

fn found(said: &ProgramOutput) -> Vec<Value> {
    let found: Value = serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}: {said:?}"));
    let found = found.as_array().unwrap().clone();
    let fails = found.iter().any(|finding| finding["level"] == "fail");
    assert_eq!(said.code, Some(i32::from(fails)), "{found:?}");
    found
}

/// The finding of that level about `what` must say and advise these.
fn assert_found(findings: &[Value], level: &str, what: &str, said: &str, fix: &str) {
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let fits = |finding: &&Value| {
        finding["level"] == level
            && text(finding, "what").contains(what)
            && text(finding, "found").contains(said)
            && text(finding, "fix").contains(fix)
    };
    assert!(findings.iter().any(|finding| fits(&finding)), "no {level} of {what}: {said} -> {fix}\n{findings:#?}");
}

fn at(address: &str) -> [(&str, &str); 1] {
    [("OLLAMA_HOST", address)]
}

/// Settings with one more line or table for the host `it`.
fn host(world: &World, url: &str, more: &str) -> String {
    world.file("host.toml", &format!("[[hosts]]\nname = \"it\"\nurl = {url:?}\n{more}\n"))
}

#[test]
fn a_machine_in_order_has_nothing_to_correct() {
    let (world, stub) = (World::new(), healthy());
    let found = findings(&world, &[], &at(stub.address()));
    assert!(found.iter().all(|finding| finding["level"] == "ok"), "{found:#?}");
    assert_found(&found, "ok", "model small:1b", "answers to a schema", "");
}

/// An Ollama whose model has a context of 8192 tokens, and generates so: 16 pieces, each after a pause.
fn unhurried(pause: Duration) -> HttpStub {
    HttpStub::start_at(
        "127.0.0.1:0",
        move |stream| Box::new(Slow { stream, pause }),
        |target, _| match target {
            "/api/ps" => StubAnswer::json(&json!({"models": [{"name": "small:1b", "context_length": 8192}]})),
            "/api/chat" => StubAnswer::Raw(b"HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\n\r\n".to_vec()),
            _ => ollama(target, "0.33.0", &small()),
        },
    )
    .unwrap()
}

/// A connection on which an answer comes piece by piece behind the head of a stream.
struct Slow {
    stream: TcpStream,
    pause: Duration,
}
impl Read for Slow {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.stream.read(buffer)
    }
}
impl Write for Slow {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.stream.write_all(bytes)?;
        if bytes.ends_with(b"x-ndjson\r\n\r\n") {
            for _ in 0..16 {
                writeln!(self.stream, "{}", json!({"message": {"content": "one "}, "done": false}))?;
                std::thread::park_timeout(self.pause);
            }
            let last = json!({"message": {"content": ""}, "done": true, "done_reason": "stop", "eval_count": 16});
            writeln!(self.stream, "{last}")?;
        }
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        self.stream.flush()
    }
}

#[test]
fn a_debate_is_compared_with_the_speed_and_the_context_of_its_model() {
    let (world, stub) = (World::new(), unhurried(Duration::from_millis(60)));
    let long = world.file(
        "long.yaml",
        "topic: Tea?\nmax_rounds: 8\ntimeout_per_turn: 30s\nmodel: small:1b\npersonas:\n\
         - {name: Ada, stance: tea}\n- {name: Ben, stance: coffee}\n",
    );

    let found = findings(&world, &[&long], &at(stub.address()));

    assert_found(
        &found,
        "warn",
        "model small:1b",
        "an answer of 1500 (`max_tokens`) takes ",
        "raise `timeout_per_turn`",
    );
    assert_found(&found, "warn", "model small:1b", " tokens by `max_tokens`, and the context holds 8192", "`num_ctx`");
    let short = world.file(
        "short.yaml",
        "topic: Tea?\nmax_rounds: 2\ntimeout_per_turn: 10m\nmodel: small:1b\npersonas:\n\
         - {name: Ada, stance: tea}\n- {name: Ben, stance: coffee}\n",
    );
    let found = findings(&world, &[&short], &at(stub.address()));
    assert!(found.iter().all(|finding| finding["level"] != "fail"), "{found:#?}");
    assert_found(&found, "ok", "model small:1b", "generates about ", "");
    assert_found(&found, "ok", "model small:1b", "context of 8192 tokens", "");
}

#[test]
fn a_run_remembers_how_fast_a_model_was_and_the_next_one_warns() {
    let (world, stub) = (World::new(), unhurried(Duration::from_millis(60)));
    let file = world.file(
        "debate.yaml",
        "topic: Tea?\nmax_rounds: 1\ntimeout_per_turn: 30s\nmodel: small:1b\nballots: none\nconsensus_strategy: no_consensus\n\
         personas:\n- {name: Ada, stance: tea}\n- {name: Ben, stance: coffee}\n",
    );
    let hold = |id: &str| world.agon(&["run", &file, "--ollama", &stub.url(), "--id", id, "--no-reports"]);

    let first = hold("first");
    let second = hold("second");

    let warned = |said: &ProgramOutput| said.stderr.contains("the model may be too slow for this debate");
    assert!(!warned(&first) && warned(&second), "{first:?}\n{second:?}");
    assert!(second.stderr.contains("raise `timeout_per_turn`"), "{second:?}");
}

#[test]
fn no_server_is_to_be_started() {
    let address = format!("127.0.0.1:{}", free_port().unwrap());
    let found = findings(&World::new(), &[], &at(&address));
    assert_found(&found, "fail", "host ollama", "could not connect", "ollama serve");
}

#[test]
fn a_wrong_port_is_told_with_the_right_one() {
    // an address of its own, so that no Ollama of this machine is in the way
    let usual =
        HttpStub::start_at("127.0.0.77:11434", |line| Box::new(line), |target, _| ollama(target, "0.33.0", &small()));
    let _usual = usual.unwrap();
    let found = findings(&World::new(), &[], &at("http://127.0.0.77:11435"));
    assert_found(&found, "fail", "host ollama", "nothing listens on port 11435", "http://127.0.0.77:11434");
}

#[test]
fn a_port_of_another_program_is_told() {
    let other = HttpStub::start(|_, _| StubAnswer::Raw(b"INFO {\"server_id\":\"N\"}\r\n".to_vec())).unwrap();
    let found = findings(&World::new(), &[], &at(other.address()));
    assert_found(&found, "fail", "host ollama", "does not speak HTTP", "11434");
}

#[test]
fn a_web_page_is_no_model_server() {
    let page = |_: &str, _: &str| {
        StubAnswer::Reply("200 OK", "content-type: text/html\r\n".to_owned(), "<!doctype html><p>hello".to_owned())
    };
    let found = findings(&World::new(), &[], &at(HttpStub::start(page).unwrap().address()));
    assert_found(&found, "fail", "host ollama", "a web page", "this is not Ollama");
}

#[test]
fn a_missing_model_is_to_be_pulled() {
    let stub = healthy();
    let missing = |target: &str, _: &str| match target {
        "/api/show" => {
            StubAnswer::Reply("404 Not Found", String::new(), "{\"error\":\"model 'x' not found\"}".to_owned())
        }
        _ => ollama(target, "0.33.0", &small()),
    };
    drop(stub);
    let stub = HttpStub::start(missing).unwrap();
    let found = findings(&World::new(), &["--model", "qwen3:8b"], &at(stub.address()));
    assert_found(&found, "fail", "model qwen3:8b", "small:1b", "ollama pull qwen3:8b");
}

fn locked(target: &str, head: &str) -> StubAnswer {
    match head.contains("authorization: bearer right") {
        true => ollama(target, "0.33.0", &small()),
        false => StubAnswer::Reply("401 Unauthorized", String::new(), "{\"error\":\"unauthorized\"}".to_owned()),
    }
}

#[test]
fn keys_that_are_missing_unset_or_wrong_are_told_apart() {
    let (world, stub) = (World::new(), HttpStub::start(locked).unwrap());
    let missing = findings(&world, &["--config", &host(&world, &stub.url(), "")], &[]);
    assert_found(&missing, "fail", "host it", "refused access", "api_key = { env = ");
    let keyed = host(&world, &stub.url(), "api_key = { env = \"MY_KEY\" }");
    let wrong = findings(&world, &["--config", &keyed], &[("MY_KEY", "wrong")]);
    assert_found(&wrong, "fail", "host it", "refused access", "the environment variable MY_KEY");
    let unset = findings(&world, &["--config", &keyed], &[]);
    assert_found(&unset, "fail", "host it", "MY_KEY is not set", "export MY_KEY=");
    let right = findings(&world, &["--config", &keyed], &[("MY_KEY", "right")]);
    assert_found(&right, "ok", "host it", "reached", "");
}

#[test]
fn a_key_that_is_unset_keeps_nobody_from_the_other_checks() {
    let (world, stub) = (World::new(), healthy());
    let hosts = format!(
        "[[hosts]]\nname = \"one\"\nurl = \"http://127.0.0.1:1\"\napi_key = {{ env = \"UNSET\" }}\n[[hosts]]\nname = \"two\"\nurl = {:?}\n",
        stub.url()
    );
    let found = findings(&world, &["--config", &world.file("two.toml", &hosts)], &[]);
    assert_found(&found, "fail", "host one", "UNSET", "export UNSET");
    assert_found(&found, "ok", "host two", "reached", "");
    assert_found(&found, "ok", "store", "", "");
}

/// The doctor with a file system of its own at `folder`: `options` are those of `mount` for a tmpfs.
fn mounted(world: &World, folder: &str, options: &str, args: &[&str], address: &str) -> Vec<Value> {
    let agon = crate::support::agon();
    let script =
        format!("mount -t tmpfs -o {options} tmpfs \"$0\" && exec {} doctor --json {}", agon.display(), args.join(" "));
    std::fs::create_dir_all(world.path(folder)).unwrap();
    let mut command = Command::new("unshare");
    command.args(["--map-root-user", "--mount", "sh", "-c", &script]).arg(world.path(folder));
    command.env("HOME", world.path("")).env("OLLAMA_HOST", address).current_dir(world.path(""));
    command.env_remove("XDG_DATA_HOME").env_remove("XDG_CONFIG_HOME");
    found(&ProgramOutput::of(&command.output().unwrap()))
}

#[test]
fn a_store_on_a_read_only_disk_is_told() {
    let (world, stub) = (World::new(), healthy());
    let found = mounted(&world, "disk", "ro", &["--store", "disk/agon.db"], stub.address());
    assert_found(&found, "fail", "store", "Read-only file system", "--store PATH");
}

#[test]
fn a_disk_that_is_nearly_full_is_told_with_the_threshold() {
    let (world, stub) = (World::new(), healthy());
    let found = mounted(&world, "disk", "size=64m", &["--store", "disk/agon.db"], stub.address());
    assert_found(&found, "warn", "store", "less than 512 MiB", "free some space");
    let found = mounted(&world, "disk", "size=4m", &["--store", "disk/agon.db"], stub.address());
    assert_found(&found, "fail", "store", "less than 32 MiB", "free some space");
}

#[test]
fn a_store_that_is_a_folder_is_told() {
    let (world, stub) = (World::new(), healthy());
    let folder = world.path("");
    let found = findings(&world, &["--store", folder.to_str().unwrap()], &at(stub.address()));
    assert_found(&found, "fail", "store", "is a folder", "agon.db");
}

#[test]
fn a_reports_folder_that_cannot_be_written_is_told() {
    let (world, stub) = (World::new(), healthy());
    let found = mounted(&world, "agon-reports", "ro", &[], stub.address());
    assert_found(&found, "fail", "reports", "Read-only file system", "--output-dir");
    let settings = world.file("out.toml", &format!("[output]\ndir = {:?}\n", world.file("taken", "a file")));
    let found = findings(&world, &["--config", &settings], &at(stub.address()));
    assert_found(&found, "fail", "reports", "is no folder", "[output] dir");
}

#[test]
fn a_bad_key_of_the_settings_is_told_with_line_and_the_name_that_was_meant() {
    let world = World::new();
    let settings = world.file("bad.toml", "[store]\nsync = \"full\"\n\n[runtime]\nmax_debats = 3\n");
    let found = findings(&world, &["--config", &settings], &[]);
    assert_found(&found, "fail", "settings", "bad.toml:5: unknown field `max_debats`", "");
    assert_found(&found, "fail", "settings", "did you mean `max_debates`?", "configuration.md");
}

#[test]
fn variables_that_are_wrong_or_unknown_are_named() {
    let (world, stub) = (World::new(), healthy());
    let bad = [("AGON__STORE__SYNC", "full"), ("AGON__STORE__PAHT", "a.db")];
    let found = findings(&world, &[], &bad);
    assert_found(&found, "fail", "settings", "AGON__STORE__PAHT: ", "");
    assert_found(&found, "fail", "settings", "did you mean `path`?", "");
    let unknown = [("OLLAMA_HOST", stub.address()), ("AGON_STORE_PATH", "a.db")];
    assert_found(&findings(&world, &[], &unknown), "warn", "environment", "AGON_STORE_PATH", "AGON__STORE__PATH");
}

#[test]
fn a_server_that_is_too_old_is_to_be_updated() {
    let stub = HttpStub::start(|target, _| ollama(target, "0.11.4", &small())).unwrap();
    let found = findings(&World::new(), &[], &at(stub.address()));
    assert_found(&found, "warn", "host ollama", "version 0.11.4", "update Ollama to 0.12.6");
}

/// An authority, and a server's certificate that it signed, with its key.
fn authority() -> (String, Arc<rustls::ServerConfig>) {
    let mut params = CertificateParams::default();
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = KeyPair::generate().unwrap();
    let pem = params.self_signed(&key).unwrap().pem();
    let issuer = Issuer::new(params, key);
    let own = KeyPair::generate().unwrap();
    let signed = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap().signed_by(&own, &issuer).unwrap();
    let chain: Vec<CertificateDer<'static>> = vec![signed.der().clone()];
    let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(own.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
    (pem, Arc::new(config.with_no_client_auth().with_single_cert(chain, key).unwrap()))
}

#[test]
fn a_private_authority_is_to_be_named_and_then_works() {
    let (world, (pem, config)) = (World::new(), authority());
    let wrap = move |line| -> Box<dyn Duplex> {
        Box::new(rustls::StreamOwned::new(rustls::ServerConnection::new(Arc::clone(&config)).unwrap(), line))
    };
    let stub = HttpStub::start_at("127.0.0.1:0", wrap, |target, _| ollama(target, "0.33.0", &small())).unwrap();
    let url = format!("https://{}", stub.address());
    let without = findings(&world, &["--config", &host(&world, &url, "")], &[]);
    assert_found(&without, "fail", "host it", "certificate", "ca_file");
    let ca = world.file("ca.pem", &pem);
    let with = findings(&world, &["--config", &host(&world, &url, &format!("ca_file = {ca:?}"))], &[]);
    assert_found(&with, "ok", "host it", "reached", "");
    assert_found(&with, "ok", "model small:1b", "answers", "");
    let bad = findings(&world, &["--config", &host(&world, &url, "ca_file = \"gone.pem\"")], &[]);
    assert_found(&bad, "fail", "host it", "gone.pem", "");
}

#[test]
fn a_proxy_that_is_in_the_way_is_named() {
    let variables =
        [("OLLAMA_HOST", "http://models.example.org:11434"), ("HTTP_PROXY", "http://me:secret@127.0.0.1:9")];
    let found = findings(&World::new(), &[], &variables);
    assert_found(&found, "fail", "host ollama", "could not connect", "proxy 127.0.0.1:9 (HTTP_PROXY)");
    assert_found(&found, "fail", "host ollama", "", "NO_PROXY=models.example.org");
    assert!(!format!("{found:?}").contains("secret"));
}

#[test]
fn a_model_that_is_too_large_for_memory_is_told_with_one_that_fits() {
    let stub = HttpStub::start(|target, _| match target {
        "/api/tags" => StubAnswer::json(&json!({"models": [small(), {"name": "huge:900b", "size": 900_u64 << 30}]})),
        "/api/chat" => StubAnswer::Reply(
            "500 Internal Server Error",
            String::new(),
            "{\"error\":\"model requires more system memory (900.0 GiB) than is available (8.0 GiB)\"}".to_owned(),
        ),
        _ => ollama(target, "0.33.0", &small()),
    })
    .unwrap();
    let found = findings(&World::new(), &["--model", "huge:900b"], &at(stub.address()));
    assert_found(&found, "fail", "model huge:900b", "it needs 900.0 GiB", "--model small:1b");
}

#[test]
fn a_silent_server_is_told_within_seconds() {
    let stub = HttpStub::start(|_, _| StubAnswer::Silence).unwrap();
    let started = std::time::Instant::now();
    let found = findings(&World::new(), &[], &at(stub.address()));
    assert_found(&found, "fail", "host ollama", "accepts connections, but does not answer", "restart it");
    assert!(started.elapsed() < std::time::Duration::from_secs(30), "{:?}", started.elapsed());
}

#[test]
fn a_cluster_and_a_server_that_are_absent_are_told() {
    let (world, stub) = (World::new(), healthy());
    let (nats, agon) = (free_port().unwrap(), free_port().unwrap());
    let urls = format!("nats://127.0.0.1:{nats}");
    let server = format!("127.0.0.1:{agon}");
    let found = findings(
        &world,
        &[],
        &[("OLLAMA_HOST", stub.address()), ("AGON__NATS__URLS", &urls), ("AGON_SERVER", &server)],
    );
    assert_found(&found, "fail", "NATS", "", "nats-server -js");
    assert_found(&found, "fail", &format!("server {server}"), "cannot be reached", "agon serve");
}

#[test]
fn a_clock_that_is_off_is_told() {
    let late = |target: &str, _: &str| match ollama(target, "0.33.0", &small()) {
        StubAnswer::Reply(status, headers, body) => {
            StubAnswer::Reply(status, format!("{headers}date: Thu, 01 Jan 2026 00:00:00 GMT\r\n"), body)
        }
        other => other,
    };
    let stub = HttpStub::start(late).unwrap();
    let found = findings(&World::new(), &[], &at(stub.address()));
    assert_found(&found, "warn", "clock", "s ahead of host ollama", "NTP");
}
