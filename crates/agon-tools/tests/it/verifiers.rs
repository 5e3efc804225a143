//! Verifiers as real programs and functions of an MCP server, good ones and bad ones.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use agon_core::{CLAIM_CHARS, Check, CheckFailure, CheckResult};
use agon_llm::SecretString;
use agon_tools::{Toolbox, VerifierConfig, Verifiers};
use serde_json::{Value, json};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

use crate::kit::{soon, toolbox};

const PLENTY: Duration = Duration::from_secs(60);
const SHORT: Duration = Duration::from_millis(300);
const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/server.py");

fn configured(config: Value) -> BTreeMap<String, VerifierConfig> {
    let read = serde_json::from_value::<BTreeMap<String, VerifierConfig<String>>>(config).unwrap();
    let keyed =
        |verifier: VerifierConfig<String>| verifier.with_keys(|key| Ok::<_, ()>(SecretString::from(key))).unwrap();
    read.into_iter().map(|(name, verifier)| (name, keyed(verifier))).collect()
}

fn verifiers(config: Value) -> Verifiers {
    Verifiers::new(configured(config), Toolbox::default()).unwrap()
}

/// What the shell script says of a claim.
async fn script(script: &str, claim: &str) -> Check {
    script_within(script, claim, PLENTY).await
}

async fn script_within(script: &str, claim: &str, time: Duration) -> Check {
    verifiers(json!({"v": {"command": "sh", "args": ["-c", script]}})).check("v", claim, time).await
}

fn failed(cause: CheckFailure) -> CheckResult {
    CheckResult::Failed { cause }
}

#[tokio::test]
async fn the_word_on_the_first_line_is_the_result() {
    const SOLVER: &str =
        "case $(cat) in 1+1=2) echo holds;; 1+1=3) printf 'refuted\\nit is 2\\n';; *) echo unknown;; esac";

    let holds = script(SOLVER, "1+1=2").await;
    let refuted = script(SOLVER, "1+1=3").await;
    let unknown = script(SOLVER, "P=NP").await;

    assert_eq!((holds.result, holds.output.as_str()), (CheckResult::Holds, ""));
    assert_eq!((refuted.result, refuted.output.as_str()), (CheckResult::Refuted, "it is 2"));
    assert_eq!(unknown.result, CheckResult::Unknown);
    assert_eq!((refuted.verifier.as_str(), refuted.claim.as_str()), ("v", "1+1=3"));
}

#[tokio::test]
async fn a_program_that_breaks_refutes_nothing() {
    for broken in ["exit 1", "echo refuted; exit 1", "echo refuted; kill -9 $$", "echo holds; exit 2"] {
        assert_eq!(script(broken, "x").await.result, failed(CheckFailure::Died), "{broken}");
    }
    assert!(script("exit 7", "x").await.output.contains('7'));
    for talk in ["true", "echo sat", "echo 'it is refuted'"] {
        assert_eq!(script(talk, "x").await.result, failed(CheckFailure::Malformed), "{talk}");
    }
}

#[tokio::test]
async fn a_program_that_hangs_is_cut_off() {
    let started = Instant::now();

    let check = script_within("echo holds; sleep 600", "x", SHORT).await;

    assert_eq!(check.result, failed(CheckFailure::TimedOut));
    assert!(started.elapsed() < Duration::from_secs(30) && check.output.contains("0.3 s"), "{check:?}");
}

#[tokio::test]
async fn a_check_that_is_given_up_leaves_neither_the_program_nor_what_it_started() {
    const WAIT: &str =
        "import socket, sys, time; s = socket.create_connection(('127.0.0.1', int(sys.argv[1]))); time.sleep(600)";
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let both = "python3 -c \"$0\" $1 & python3 -c \"$0\" $1";
    let verifiers = verifiers(json!({"v": {"command": "sh", "args": ["-c", both, WAIT, port]}}));

    let mut lines = tokio::select! {
        check = verifiers.check("v", "x", PLENTY) => panic!("{check:?}"),
        lines = async { [soon(listener.accept()).await, soon(listener.accept()).await] } => lines,
    };

    for line in &mut lines {
        // a killed process may leave a reset instead of an end
        let read = soon(line.as_mut().unwrap().0.read(&mut [0])).await;
        assert!(matches!(read, Ok(0) | Err(_)), "{read:?}");
    }
}

#[tokio::test]
async fn of_megabytes_the_beginning_is_kept_and_an_endless_answer_is_a_hang() {
    let long = script("echo holds; head -c 5000000 /dev/zero | tr '\\0' x", "x").await;
    let endless = script_within("echo holds; yes", "x", SHORT).await;

    assert_eq!((long.result, long.truncated), (CheckResult::Holds, true));
    assert!(long.output.len() < 1_100 && long.output.contains("[cut here"), "{}", long.output.len());
    assert_eq!(endless.result, failed(CheckFailure::TimedOut));
}

#[tokio::test]
async fn a_program_that_is_not_there_is_unavailable_and_its_path_stays_untold() {
    let check = verifiers(json!({"v": {"command": "/no/such/solver"}})).check("v", "x", PLENTY).await;

    assert_eq!(check.result, failed(CheckFailure::Unavailable));
    assert!(check.output.contains("the verifier `v`") && !check.output.contains("/no/such"), "{}", check.output);
}

#[tokio::test]
async fn a_claim_reaches_the_program_as_it_is_and_no_shell_reads_it() {
    let hostile = "$(touch /tmp/owned) `id` \"; exit 1 #\n--help ä\u{1f600}";

    let check = script("echo holds; exec cat", hostile).await;

    assert_eq!(check.output, hostile);
}

#[tokio::test]
async fn a_program_need_not_read_its_claim() {
    let check = script("exec 0<&-; echo holds", &"x".repeat(CLAIM_CHARS)).await;

    assert_eq!(check.result, CheckResult::Holds);
}

#[tokio::test]
async fn the_environment_is_clean_but_for_what_the_settings_give() {
    let env = json!({"v": {
        "command": "sh", "args": ["-c", "echo holds; echo ${CARGO_MANIFEST_DIR:-none} $MODE $TOKEN"],
        "env": {"MODE": "strict"}, "secret_env": {"TOKEN": "key"},
    }});

    let check = verifiers(env).check("v", "x", PLENTY).await;

    assert_eq!(check.output, "none strict key");
}

#[tokio::test]
async fn a_claim_that_is_too_long_is_not_checked() {
    let long = "x".repeat(CLAIM_CHARS + 1);

    let check = script("echo refuted", &long).await;

    assert_eq!((check.result, check.claim.len()), (failed(CheckFailure::TooLarge), CLAIM_CHARS));
}

#[tokio::test]
async fn a_function_of_an_mcp_server_answers_in_the_same_form() {
    let server = toolbox(json!({"logic": {"kind": "mcp", "command": "python3", "args": [SERVER]}}));
    let prove = json!({"law": {"mcp": "logic", "function": "prove"}, "hang": {"mcp": "logic", "function": "hang"}, "gone": {"mcp": "logic", "function": "gone"}});
    let verifiers = Verifiers::new(configured(prove), server).unwrap();
    let results = async |name: &str, claim: &str| soon(verifiers.check(name, claim, PLENTY)).await;

    let holds = results("law", "true").await;
    assert_eq!((holds.result, holds.output.as_str()), (CheckResult::Holds, "by law"));
    assert_eq!(results("law", "false").await.result, CheckResult::Refuted);
    assert_eq!(results("law", "maybe").await.result, failed(CheckFailure::Malformed));
    assert_eq!(results("gone", "true").await.result, failed(CheckFailure::Unavailable));
    assert_eq!(verifiers.check("hang", "true", SHORT).await.result, failed(CheckFailure::TimedOut));
}

#[test]
fn what_is_wrong_with_the_settings_is_said_at_once() {
    let wrong = json!({"V!": {"command": "a"}, "none": {}, "law": {"mcp": "logic", "function": "prove"}});

    let problems = Verifiers::new(configured(wrong), Toolbox::default()).unwrap_err().to_string();

    for wanted in ["a verifier's name", "verifiers.none: give either", "verifiers.law: mcp: there is no [tools.logic]"]
    {
        assert!(problems.contains(wanted), "{wanted}: {problems}");
    }
}
