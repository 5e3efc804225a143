//! Debates at a model server that somebody names (`cargo xtask test --live URL --model NAME`), and at rehearsal servers with the same
//! interfaces: whole ones, those of an eval, and one whose process is killed and resumed. What the model says does not matter; what becomes of it does.
use crate::support::{World, answered};
use agon_testkit::{OpenAiDoor, Rehearsal, until};
use serde_json::Value;
use std::fs::File;
use std::process::{Child, ExitStatus};
use std::time::Duration;

/// A server of small models on a processor may take so long for a debate.
pub(crate) const LONG: Duration = Duration::from_secs(20 * 60);

/// Two debates that ask for every kind of answer: speeches and a judgement; proposals, critiques, revisions, ballots and votes.
const DEBATES: [(&str, &str); 2] = [
    (
        "judged",
        "topic: Is tea better than coffee?\nmax_rounds: 2\ntimeout_per_turn: 4m\nballots: none\nconsensus_strategy: judge\n\
         judge: {max_tokens: 800, orders: 1}\nmoderator: {closes: true, max_tokens: 300}\nsynthesizer: false\npersonas:\n\
         - {name: Ada, stance: tea is better, max_tokens: 200}\n- {name: Ben, stance: coffee is better, max_tokens: 200}\n",
    ),
    (
        "voted",
        "topic: What should the office drink?\nmode: deliberative\ndebate_format: critique_revision\nmax_rounds: 1\ntimeout_per_turn: 4m\n\
         ballots: final_only\nconsensus_strategy: vote\nvoting: {rule: majority}\npersonas:\n\
         - {name: Ada, role: A tea merchant., max_tokens: 300}\n- {name: Ben, role: A barista., max_tokens: 300}\n\
         - {name: Cora, role: A doctor., max_tokens: 300}\n",
    ),
];

/// The debate of an eval: two who speak once and vote.
const PANEL: &str = "topic: Any question\nmode: deliberative\nmax_rounds: 1\ntimeout_per_turn: 4m\nballots: both\n\
    phases: {opening_statements: false, final_statements: false}\nconsensus_strategy: vote\nvoting: {rule: plurality}\n\
    personas:\n- {name: Ada, max_tokens: MOST}\n- {name: Ben, max_tokens: MOST}\n";
const EVAL: &str = "live-eval";
/// So many questions, and tokens of an answer.
const ASKED: (u32, u32) = (3, 300);

/// A server to hold debates at.
pub(crate) struct LiveServer {
    pub url: String,
    pub openai: bool,
    pub model: String,
    pub key: Option<String>,
}

impl LiveServer {
    /// The one that the environment names.
    fn named() -> Option<Self> {
        let read = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let (url, model) = (read("AGON_LIVE_URL")?, read("AGON_LIVE_MODEL")?);
        let openai = read("AGON_LIVE_KIND").as_deref() == Some("openai");
        Some(Self { url, openai, model, key: read("AGON_LIVE_KEY") })
    }

    pub fn start(&self, world: &World, args: &[&str], name: &str) -> Child {
        let server = if self.openai { "--base-url" } else { "--ollama" };
        let key: &[&str] = if self.openai && self.key.is_some() { &["--api-key-env", "LIVE_KEY"] } else { &[] };
        let mut command = world.command(&[args, &[server, &self.url], key].concat());
        command.envs(self.key.iter().map(|key| ("LIVE_KEY", key)));
        let output = |end: &str| File::create(world.path(&format!("{name}.{end}"))).unwrap();
        command.stdout(output("out")).stderr(output("err")).spawn().unwrap()
    }

    /// Holds both debates to their ends, whatever these are.
    fn holds_whole_debates(&self) {
        let world = World::new();
        for (name, text) in DEBATES {
            let file = world.file(&format!("{name}.yaml"), text);
            let child = self.start(&world, &["run", &file, "--model", &self.model, "--id", name, "--no-reports"], name);
            let code = ended(child).code();
            assert!(matches!(code, Some(0..=2)), "{code:?}: {}", written(&world, name, "err"));
            check(&world, name);
        }
    }

    /// Holds an eval of so many questions to its end: debates and polls, of which every cell is over and every log whole.
    pub fn holds_an_eval(&self, (asked, most): (u32, u32)) {
        let world = World::new();
        let panel = world.file("panel.yaml", &PANEL.replace("MOST", &most.to_string()));
        let file = world.file("eval.yaml", &format!("questions: {{builtin: arithmetic, count: {asked}}}\nmax_samples: 4\ndebates: [{{name: panel, file: {panel:?}}}]\n"));
        let args = ["eval", "run", &file, "--model", &self.model, "--id", EVAL, "--yes", "--concurrency", "1"];
        let code = ended(self.start(&world, &args, EVAL)).code();
        // three questions tell nothing; failures of a small model are results too
        assert_eq!(code, Some(2), "{}", written(&world, EVAL, "err"));
        world.agon(&["eval", "verify", EVAL]).ok();
        let result = world.json(&["eval", "export", "result", EVAL]);
        assert_eq!((&result["state"], &result["setup"]["covered"]), (&"complete".into(), &asked.into()), "{result}");
        for arm in result["arms"].as_array().unwrap() {
            assert_eq!(arm["n"], asked, "{arm}");
            println!("{}: {} of {asked} answered, {} calls", arm["id"], arm["answered"], arm["calls"]);
        }
    }

    /// Kills a run after its first speech, and resumes it.
    fn holds_a_debate_that_is_killed(&self) {
        let world = World::new();
        let (name, text) = DEBATES[0];
        let file = world.file("killed.yaml", text);
        let args = ["run", &file, "--model", &self.model, "--id", name, "--jsonl", "--no-reports"];
        let mut child = self.start(&world, &args, "killed");
        let spoken = || {
            let ended = child.try_wait()?.is_some();
            let spoken = written(&world, "killed", "out").contains("\"turn_failed\"")
                || written(&world, "killed", "out").contains("\"speech_recorded\"");
            Ok((ended || spoken).then_some(()))
        };
        until("somebody has spoken", LONG, spoken).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let before = world.events(name);

        let code = ended(self.start(&world, &["resume", name, "--no-reports"], "resumed")).code();

        assert!(matches!(code, Some(0..=2)), "{code:?}: {}", written(&world, "resumed", "err"));
        assert_eq!(world.events(name).get(..before.len()), Some(before.as_slice()), "what was said is kept");
        check(&world, name);
    }
}

pub(crate) fn written(world: &World, name: &str, end: &str) -> String {
    std::fs::read_to_string(world.path(&format!("{name}.{end}"))).unwrap()
}

pub(crate) fn ended(mut child: Child) -> ExitStatus {
    let status = until("the run ends", LONG, || Ok(child.try_wait()?));
    if status.is_err() {
        child.kill().unwrap();
    }
    status.unwrap()
}

/// A debate that is over, by decision or for failures that are told, and whose log is whole.
pub(crate) fn check(world: &World, id: &str) {
    world.agon(&["verify", id]).ok();
    world.agon(&["replay", id]).ok();
    let (events, result) = (world.events(id), world.json(&["get", id, "--json"]));
    let turns = answered(&events);
    assert!(turns.values().all(|times| *times == 1), "{id}: a turn was answered twice: {turns:?}");
    let of = |kind: &str| events.iter().filter(|event| event["type"] == kind).collect::<Vec<_>>();
    for failed in of("turn_failed") {
        let told = |member: &str| failed["failure"][member].as_str().is_some_and(|text| !text.is_empty());
        assert!(told("cause") && told("detail"), "{id}: {failed}");
    }
    for speech in of("speech_recorded") {
        assert!(speech["text"].as_str().is_some_and(|text| !text.trim().is_empty()), "{id}: {speech}");
        let tokens = |member: &str| speech["call"]["usage"][member].as_u64();
        assert!(tokens("cached_tokens") <= tokens("prompt_tokens"), "{id}: {speech}");
    }
    match result["state"].as_str() {
        Some("succeeded") => assert!(!of("speech_recorded").is_empty(), "{id}: nobody spoke"),
        Some("failed") => assert!(!of("turn_failed").is_empty(), "{id}: {result}"),
        _ => panic!("{id}: {result}"),
    }
    let calls = events.iter().filter(|event| event["call"]["host"].is_string()).count();
    let counted = events.iter().filter(|event| event["call"]["usage"]["completion_tokens"].is_u64()).count();
    println!("{id}: {}, {calls} calls, of which {counted} counted their tokens", result["state"]);
}

/// The named host; says plainly, past the test harness, where there is none.
fn named() -> Option<LiveServer> {
    let host = LiveServer::named();
    if host.is_none() {
        use std::io::Write;
        let told = "live: not run against a live host (AGON_LIVE_URL and AGON_LIVE_MODEL are not set)";
        writeln!(std::io::stderr(), "{told}").unwrap();
    }
    host
}

#[test]
fn a_live_host_holds_two_whole_debates_when_one_is_named() {
    named().iter().for_each(LiveServer::holds_whole_debates);
}

#[test]
fn a_live_host_holds_a_debate_that_is_killed_and_resumed_when_one_is_named() {
    named().iter().for_each(LiveServer::holds_a_debate_that_is_killed);
}

#[test]
fn a_live_host_holds_an_eval_when_one_is_named() {
    named().iter().for_each(|host| host.holds_an_eval(ASKED));
}

const MODEL: &str = "tea:1b";

fn rehearsal(world: &World) -> Rehearsal {
    world.rehearsal(&["--latency", "20ms", "--token-interval", "1ms"])
}

#[test]
fn the_checks_of_a_live_host_hold_of_a_rehearsal_server() {
    let world = World::new();
    let server = rehearsal(&world);
    let host = LiveServer { url: server.url().to_owned(), openai: false, model: MODEL.to_owned(), key: None };

    host.holds_whole_debates();
    host.holds_an_eval(ASKED);
    host.holds_a_debate_that_is_killed();
}

#[test]
fn the_checks_of_a_live_host_hold_of_a_server_with_the_interface_of_openai() {
    let world = World::new();
    let server = rehearsal(&world);
    let door = OpenAiDoor::start(server.url().trim_start_matches("http://"), &[MODEL]).unwrap();
    let key = "sk-live".to_owned();
    let host = LiveServer { url: door.url(), openai: true, model: MODEL.to_owned(), key: Some(key.clone()) };

    host.holds_whole_debates();
    host.holds_an_eval(ASKED);
    host.holds_a_debate_that_is_killed();

    assert!(door.calls().iter().all(|call| call.key() == Some(&key)));
}

/// The members of an event that say what a call cost are where the checks look for them.
#[test]
fn the_checks_see_the_calls_of_a_debate() {
    let world = World::new();
    world.rehearse("seen").ok();
    let events: Vec<Value> = world.events("seen");
    assert!(events.iter().any(|event| event["call"]["usage"]["completion_tokens"].is_u64()));
    check(&world, "seen");
}
