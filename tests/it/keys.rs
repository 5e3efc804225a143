//! Services that a key is enough for: what reaches them, what does not, and that a key is left nowhere.
use crate::stop::served::ServeServer;
use crate::support::{ProgramOutput, SHORT, World, example};
use agon_testkit::{DoorCall, HttpStub, OpenAiDoor, OtlpSink, Rehearsal, StubAnswer};
use serde_json::{Value, json};
use std::path::Path;

const KEY: &str = "sk-gold-4711-do-not-tell";

/// The prefix of a service's models, the variable of its key, and that of its address.
const SERVICES: [[&str; 3]; 4] = [
    ["openai", "OPENAI_API_KEY", "OPENAI_BASE_URL"],
    ["openrouter", "OPENROUTER_API_KEY", "OPENROUTER_BASE_URL"],
    ["anthropic", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"],
    ["google", "GEMINI_API_KEY", "GEMINI_BASE_URL"],
];

fn door(world: &World, models: &[&str]) -> (Rehearsal, OpenAiDoor) {
    let rehearsal = world.rehearsal(&[]);
    let door = OpenAiDoor::start(rehearsal.url().trim_start_matches("http://"), models).unwrap();
    (rehearsal, door)
}

fn run(world: &World, more: &[&str], variables: &[(&str, &str)]) -> ProgramOutput {
    let file = example(SHORT);
    let mut command = world.command(&[&["run", &file, "--seed", "7"], more].concat());
    ProgramOutput::of(&command.envs(variables.iter().copied()).output().unwrap())
}

fn chats(door: &OpenAiDoor) -> Vec<DoorCall> {
    let mut calls = door.calls();
    calls.retain(|call| call.target == "/v1/chat/completions");
    calls
}

#[test]
fn a_key_and_the_prefix_of_a_model_are_enough_to_run_a_debate() {
    for [prefix, key, url] in SERVICES {
        let world = World::new();
        let (_rehearsal, door) = door(&world, &["small"]);
        let model = format!("{prefix}/small");
        let said = run(&world, &["--model", &model, "--no-reports"], &[(key, KEY), (url, &door.url())]).ok();
        assert!(!said.stderr.contains("left out"), "{prefix}: {said:?}");
        let calls = chats(&door);
        assert!(!calls.is_empty(), "{prefix}");
        assert!(door.calls().iter().all(|call| call.key() == Some(KEY)), "{prefix}");
        for call in calls {
            assert_eq!(call.body["model"], "small", "{prefix}");
            assert_eq!(call.body["max_completion_tokens"].is_u64(), prefix == "openai", "{prefix}: {}", call.body);
            assert_eq!(call.body["seed"].is_null(), prefix == "google", "{prefix}: {}", call.body);
        }
    }
}

#[test]
fn a_prefix_whose_key_is_not_set_names_the_variable() {
    let world = World::new();
    let said = run(&world, &["--model", "openai/small"], &[("OLLAMA_HOST", "127.0.0.1:1")]).code(69);
    assert!(said.stderr.contains("OPENAI_API_KEY") && !said.stderr.contains("ollama pull openai"), "{said:?}");
}

#[test]
fn a_key_that_is_refused_is_named_by_its_variable_and_not_repeated() {
    let world = World::new();
    let door = OpenAiDoor::refusing().unwrap();
    let variables = [("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", &door.url()), ("OLLAMA_HOST", "127.0.0.1:1")];
    let said = run(&world, &["--model", "openai/small"], &variables).code(69);
    assert!(said.stderr.contains("environment variable OPENAI_API_KEY") && !said.stderr.contains(KEY), "{said:?}");
}

#[test]
fn doctor_needs_no_ollama_where_a_service_plays() {
    let world = World::new();
    let (rehearsal, door) = door(&world, &["small"]);
    let doctor = |more: &[(&str, &str)]| {
        let mut command = world.command(&["doctor", "--model", "openai/small"]);
        command.env("OPENAI_API_KEY", KEY).env("OPENAI_BASE_URL", door.url()).envs(more.iter().copied());
        ProgramOutput::of(&command.output().unwrap()).ok()
    };
    for said in [doctor(&[]), doctor(&[("OLLAMA_HOST", rehearsal.url())])] {
        assert!(said.stdout.contains("model openai/small: answers to a schema"), "{said:?}");
    }
}

#[test]
fn a_base_url_and_the_variable_of_a_key_need_no_settings() {
    let world = World::new();
    let (_rehearsal, door) = door(&world, &["small"]);
    let flags = ["--base-url", &door.url(), "--model", "small", "--no-reports"];
    run(&world, &flags, &[("OPENAI_API_KEY", "another")]).ok();
    assert!(door.calls().iter().all(|call| call.key().is_none()), "a key that nobody named was sent");
    run(&world, &[&flags[..], &["--api-key-env", "MINE"]].concat(), &[("MINE", KEY)]).ok();
    assert!(door.calls().iter().any(|call| call.key() == Some(KEY)));
    let unset = run(&world, &[&flags[..], &["--api-key-env", "MINE"]].concat(), &[]).code(64);
    assert!(unset.stderr.contains("MINE"), "{unset:?}");
}

#[test]
fn a_key_goes_to_its_own_host_only() {
    let world = World::new();
    let (_rehearsal, other) = door(&world, &["small"]);
    let door = OpenAiDoor::redirecting(&format!("http://127.0.0.1:{}", other.port())).unwrap();
    let variables = [("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", &door.url()), ("OLLAMA_HOST", "127.0.0.1:1")];
    let said = run(&world, &["--model", "openai/small"], &variables).code(69);
    assert!(said.stderr.contains("redirect"), "{said:?}");
    assert!(door.calls().iter().any(|call| call.key() == Some(KEY)));
    assert_eq!(other.calls(), [], "the key went on to another host");
}

#[test]
fn a_server_with_a_key_plays_the_models_of_that_service_and_asks_it_only_for_turns() {
    let world = World::new();
    let (_rehearsal, door) = door(&world, &["small"]);
    let variables = [("ANTHROPIC_API_KEY", KEY), ("ANTHROPIC_BASE_URL", &*door.url())];
    let served = ServeServer::start_with(&world, "keyed", &[], &variables);
    assert_eq!(door.calls(), [], "a service is not asked before somebody wants it");
    let hosts = world.json(&["hosts", "--json", "--server", &served.address]);
    assert_eq!(hosts[0]["serves_prefix"], "anthropic", "{hosts}");
    let submit = |model: &str, more: &[&str]| {
        let args = ["submit", &example(SHORT), "--seed", "7", "--model", model, "--server", &served.address];
        world.agon(&[&args[..], more].concat())
    };

    let said = submit("anthropic/small", &["--wait", "--no-reports"]).ok();

    assert!(!said.stderr.contains("no live host"), "{said:?}");
    assert!(!chats(&door).is_empty() && chats(&door).iter().all(|call| call.body["model"] == "small"));
    assert!(door.calls().iter().all(|call| call.key() == Some(KEY)));
    let other = submit("openai/small", &["--validate-only"]).ok();
    assert!(other.stdout.contains("no live host serves openai/small"), "{other:?}");
    assert!(!served.process.log().contains(KEY));
}

#[test]
fn a_service_is_not_asked_unless_a_model_names_it() {
    let world = World::new();
    let (rehearsal, door) = door(&world, &["small"]);
    let variables = [("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", &door.url())];
    run(&world, &["--ollama", rehearsal.url(), "--model", "qwen3:8b", "--no-reports"], &variables).ok();
    assert_eq!(door.calls(), []);
}

#[test]
fn nothing_that_a_run_leaves_behind_holds_the_key() {
    let world = World::new();
    let (_rehearsal, door) = door(&world, &["small"]);
    let sink = OtlpSink::start().unwrap();
    let variables = [
        ("OPENAI_API_KEY", KEY),
        ("OPENAI_BASE_URL", &door.url()),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", &sink.endpoint()),
        ("AGON__TELEMETRY__CAPTURE_CONTENT", "true"),
        ("AGON__TELEMETRY__CALL_SAMPLING", "1.0"),
    ];
    let said = run(&world, &["--model", "openai/small", "-vvv", "--id", "golden"], &variables).ok();
    assert!(said.stderr.len() > 2000, "there are no logs to look at: {said:?}");
    assert!(!said.stdout.contains(KEY) && !said.stderr.contains(KEY));
    let wrong = OpenAiDoor::refusing().unwrap();
    let refused = [("OPENAI_API_KEY", KEY), ("OPENAI_BASE_URL", &wrong.url())];
    let refused = run(&world, &["--model", "openai/small", "-vvv"], &refused).code(69);
    assert!(!refused.stdout.contains(KEY) && !refused.stderr.contains(KEY));
    let spans = sink.spans();
    assert!(!spans.is_empty() && !format!("{spans:?}").contains(KEY));
    assert!(files_without(&world.path(""), KEY) > 5, "there are no files to look at");
    let shown = run_config(&world);
    assert!(!shown.stdout.contains(KEY) && !shown.stderr.contains(KEY), "{shown:?}");
}

fn run_config(world: &World) -> ProgramOutput {
    let file =
        world.file("mine.toml", "[[hosts]]\nname = \"a\"\nurl = \"b\"\napi_key = { env = \"OPENAI_API_KEY\" }\n");
    let mut command = world.command(&["config", "show", "--origin", "--config", &file]);
    ProgramOutput::of(&command.env("OPENAI_API_KEY", KEY).output().unwrap()).ok()
}

#[test]
fn a_key_that_stands_where_its_place_belongs_is_refused_and_not_shown() {
    let world = World::new();
    let host = |key: &str| format!("[[hosts]]\nname = \"a\"\nurl = \"http://127.0.0.1:1\"\napi_key = {key}\n");
    let files = [
        host(&format!("{KEY:?}")),
        host("47114711"),
        format!("[nats]\nurls = [\"nats://127.0.0.1:1\"]\npassword = {KEY:?}\n"),
        format!("[nats]\nurls = [\"nats://127.0.0.1:1\"]\ntoken = {KEY:?}\n"),
        format!("[client]\ntoken = {KEY:?}\n"),
        format!("[telemetry]\notlp_headers = {{ key = {KEY:?} }}\n"),
        format!("[tools.a]\nkind = \"search\"\nurl = \"http://127.0.0.1:1\"\napi_key = {KEY:?}\n"),
        format!("[feeds.a]\nurl = \"http://127.0.0.1:1\"\nbearer_token = {KEY:?}\n"),
    ];
    let refused = |said: &ProgramOutput| {
        let told = format!("{}{}", said.stdout, said.stderr);
        assert!(!told.contains(KEY) && !told.contains("47114711") && told.contains("{ env = "), "{told}");
    };
    for text in files {
        let file = world.file("told.toml", &text);
        for (command, code) in
            [(&["config", "show"][..], 64), (&["doctor"], 1), (&["run", "A topic", "--rehearsal"], 64)]
        {
            refused(&world.agon(&[command, &["--config", &file]].concat()).code(code));
        }
    }
    for name in ["AGON__NATS__PASSWORD", "AGON__NATS__TOKEN", "AGON__CLIENT__TOKEN"] {
        let mut command = world.command(&["config", "show"]);
        refused(&ProgramOutput::of(&command.env(name, KEY).output().unwrap()).code(64));
    }
}

/// How many files there are below the folder, none of which may hold the word.
fn files_without(folder: &Path, word: &str) -> usize {
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            count += files_without(&path, word);
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let found = bytes.windows(word.len()).any(|window| window == word.as_bytes());
        assert!(!found, "{} holds the key", path.display());
        count += 1;
    }
    count
}

#[test]
fn a_host_that_cannot_stream_is_asked_for_whole_answers() {
    let world = World::new();
    let (rehearsal, door) = door(&world, &["small"]);
    let record = world.path("asked");
    let ollama = world.rehearsal(&["--record", record.to_str().unwrap()]);
    for (kind, url) in [("openai", door.url()), ("ollama", ollama.url().to_owned())] {
        let host = format!("[[hosts]]\nname = \"a\"\nurl = {url:?}\nkind = {kind:?}\nstream = false\n");
        let settings = world.file("whole.toml", &host);
        run(&world, &["--model", "small", "--no-reports", "--config", &settings], &[]).ok();
    }
    drop(rehearsal);
    let calls = chats(&door);
    assert!(!calls.is_empty() && calls.iter().all(|call| call.body["stream"] == false), "{calls:?}");
    let bodies: Vec<String> = std::fs::read_dir(&record)
        .unwrap()
        .map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap())
        .collect();
    assert!(!bodies.is_empty() && bodies.iter().all(|body| body.contains("\"stream\":false")), "{bodies:?}");
}

/// A server with models of these sizes in bytes, whose every answer is one sentence.
pub fn models(sizes: &[(&str, u64)]) -> HttpStub {
    let models: Vec<Value> = sizes.iter().map(|(name, size)| json!({"name": name, "size": size})).collect();
    HttpStub::start(move |target, _| {
        StubAnswer::json(&match target {
            "/api/version" => json!({"version": "0.33.0"}),
            "/api/tags" => json!({"models": models}),
            "/api/ps" => json!({"models": []}),
            "/api/show" => json!({"capabilities": ["completion"]}),
            _ => json!({"message": {"role": "assistant", "content": "Tea."}, "done": true, "done_reason": "stop"}),
        })
    })
    .unwrap()
}
