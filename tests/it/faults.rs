//! What scripted faults do to the outcome and to the exit code.
use crate::support::{ProgramOutput, SHORT, World, example};
use serde_json::Value;

fn with_script(world: &World, script: &str) -> (ProgramOutput, Value) {
    let said = said_with_script(world, script);
    let result = serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}: {said:?}"));
    (said, result)
}

fn said_with_script(world: &World, script: &str) -> ProgramOutput {
    let script = world.file("faults.toml", script);
    // Waits between tries and for a server's recovery are for real servers.
    let settings = world.file("quick.toml", "[retry]\nbase_delay = \"20ms\"\nmax_delay = \"40ms\"\n[breaker]\nopen_for = \"50ms\"\nopen_at_most = \"100ms\"\n[runtime]\nwait_limit = \"3s\"\n");
    let args =
        ["run", &example(SHORT), "--rehearsal", "--rehearsal-script", &script, "--json", "--no-reports", "--seed", "7"];
    world.agon(&[&args[..], &["--config", &settings]].concat())
}

#[test]
fn a_judge_who_prefers_the_first_speaker_makes_the_debate_inconclusive() {
    let world = World::new();
    let (said, result) = with_script(&world, "[[rules]]\nwhen = { task = \"judge\" }\nfault = \"order_biased\"\n");
    said.code(2);
    assert_eq!(result["outcome"], "inconclusive");
    assert_eq!(result["reason"]["code"], "order_sensitive");
}

#[test]
fn a_debate_without_a_quorum_fails() {
    let world = World::new();
    let (said, result) = with_script(&world, "[[rules]]\nwhen = { task = \"argument\" }\nfault = \"not_found\"\n");
    said.code(3);
    assert_eq!(result["state"], "failed");
    assert_eq!(result["reason"]["code"], "quorum");
}

#[test]
fn a_server_that_is_busy_or_starts_again_is_waited_for_at_the_cost_of_no_try() {
    for fault in ["\"busy\"", "\"crash\"\nfor = \"10ms\""] {
        let world = World::new();
        let script = format!("[[rules]]\nwhen = {{ task = \"argument\", call = 2 }}\nfault = {fault}\n");
        let (said, result) = with_script(&world, &script);
        said.ok();
        assert_eq!(result["outcome"], "decided");
        assert_eq!(result["failures"].as_array().map_or(0, Vec::len), 0, "{result}");
    }
}

#[test]
fn a_seat_that_stays_empty_is_named_and_the_debate_decided_all_the_same() {
    let world = World::new();
    let script = "[[rules]]\nwhen = { task = \"argument\", speaker = \"bear\" }\nfault = \"not_found\"\n";
    let (said, result) = with_script(&world, script);
    assert_eq!(result["outcome"], "degraded");
    assert_eq!(result["missing_seats"][0]["participant"], "bear");
    let said = said.ok();
    assert!(said.stderr.contains("decided with missing seats: bear;"), "{said:?}");
}

/// Every fault of a call: its script, and the cause that the log must name.
const FAULTS: [(&str, &str, &str); 9] = [
    ("not_found", "", "not_found"),
    ("runner_died", "", "server_error"),
    ("error_line", "after = 5\n", "server_error"),
    ("cut", "after = 5\n", "transport"),
    ("drop", "after = 5\n", "transport"),
    ("truncated", "after = 5\n", "truncated"),
    ("malformed", "", "malformed"),
    ("empty", "", "malformed"),
    ("thinking_only", "", "truncated"),
];

/// The speeches of a result that are too short to be whole ones of the cast.
fn fragments(result: &Value) -> Vec<&str> {
    let texts = result["transcript"].as_array().unwrap().iter().map(|entry| entry["text"].as_str().unwrap());
    texts.filter(|text| text.len() < 200).collect()
}

#[test]
fn a_fault_that_passes_is_named_in_the_log_and_leaves_the_outcome_as_good_as_before() {
    for (fault, more, cause) in FAULTS {
        let world = World::new();
        // A schema goes with ballots, and only there can an answer be no JSON.
        let task = if fault == "malformed" { "ballot_initial" } else { "argument" };
        let script = format!("[[rules]]\nwhen = {{ task = \"{task}\", call = 1 }}\nfault = \"{fault}\"\n{more}");
        let (_, result) = with_script(&world, &script);
        assert_eq!(result["failures"][0]["cause"], cause, "{fault}: {result}");
        assert_eq!(fragments(&result), Vec::<&str>::new(), "{fault}");
        // An unknown model is not asked for twice; its seat is lost, and the outcome says so.
        let lost = fault == "not_found";
        assert_eq!(result["outcome"], if lost { "degraded" } else { "decided" }, "{fault}: {result}");
        assert_eq!(result["failures"][0]["will_retry"], !lost, "{fault}");
    }
}

#[test]
fn a_fault_that_stays_costs_the_seat_and_never_speaks_for_it() {
    for (fault, more, cause) in FAULTS {
        if fault == "malformed" {
            continue; // ballots are no speeches
        }
        let world = World::new();
        let script =
            format!("[[rules]]\nwhen = {{ task = \"argument\", speaker = \"bear\" }}\nfault = \"{fault}\"\n{more}");
        let (_, result) = with_script(&world, &script);
        assert_eq!(result["outcome"], "degraded", "{fault}: {result}");
        let missing = result["missing_seats"].as_array().unwrap();
        // The breaker that the failures open refuses the later turns.
        let named = |seat: &serde_json::Value| seat["cause"] == cause || seat["cause"] == "breaker_open";
        assert_eq!(missing[0]["cause"], cause, "{fault}: {missing:?}");
        assert!(missing.iter().all(|seat| seat["participant"] == "bear" && named(seat)), "{fault}: {missing:?}");
        let spoken = result["transcript"].as_array().unwrap().iter();
        let argued = spoken.filter(|entry| entry["speaker"] == "bear" && entry["kind"] == "argument").count();
        assert_eq!((argued, fragments(&result).len()), (0, 0), "{fault}");
    }
}

#[test]
fn a_call_that_gets_no_answer_is_given_up_and_made_again() {
    let world = World::new();
    let script = world.file("hang.toml", "[[rules]]\nwhen = { task = \"argument\", call = 1 }\nfault = \"hang\"\n");
    let server = world.rehearsal(&["--script", &script]);
    let host = format!("[[hosts]]\nname = \"slow\"\nurl = \"{}\"\nfirst_byte_timeout = \"2s\"\n", server.url());
    let settings = world.file("slow.toml", &host);
    let result = world.json(&["run", &example(SHORT), "--json", "--no-reports", "--config", &settings]);
    assert_eq!(result["failures"][0]["cause"], "timeout", "{result}");
    assert_eq!(result["outcome"], "decided", "{result}");
}

#[test]
fn a_server_that_is_gone_for_longer_than_the_limit_pauses_the_debate() {
    let world = World::new();
    let script = "[[rules]]\nwhen = { task = \"argument\" }\nfault = \"crash\"\nfor = \"60s\"\n";
    let said = said_with_script(&world, script).code(69);
    assert!(said.stderr.contains("continue with: agon resume"), "{said:?}");
    assert_eq!(world.json(&["list", "--json"])[0]["state"], "paused");
}

#[test]
fn a_wrong_script_is_wrong_usage() {
    let world = World::new();
    let script = world.file("bad.toml", "[[rules]]\nfault = \"explode\"\n");
    let said = world.agon(&["run", "Tea?", "--rehearsal", "--rehearsal-script", &script]).code(64);
    assert!(said.stderr.contains("bad.toml"), "{said:?}");
}

#[test]
fn without_a_terminal_lines_on_standard_error_say_what_is_waited_for_and_when_that_is_over() {
    let script = "[[rules]]\nwhen = { task = \"argument\", call = 2 }\nfault = \"crash\"\nfor = \"3s\"\n";
    for view in ["--json", "--jsonl", "--quiet", "--color=never"] {
        let world = World::new();
        let script = world.file("away.toml", script);
        let run = ["run", &example(SHORT), "--rehearsal", "--rehearsal-script", &script, "--no-reports", "--seed", "7"];
        let said = world.agon(&[&run[..], &[view]].concat()).ok();
        let (begins, over) = ("Waiting for rehearsal: no connection since ", "No longer waiting for rehearsal, after ");
        let at = |words: &str| said.stderr.find(words).unwrap_or_else(|| panic!("{view}: {words}: {said:?}"));
        assert!(at(begins) < at(over), "{view}: {said:?}");
        assert_eq!(said.stderr.matches(begins).count(), 1, "{view}: {said:?}");
        assert!(!said.stdout.contains(begins), "{view}: {said:?}");
        match view {
            "--json" => assert!(serde_json::from_str::<Value>(&said.stdout).is_ok(), "{said:?}"),
            "--jsonl" => said.stdout.lines().for_each(|line| drop(serde_json::from_str::<Value>(line).unwrap())),
            _ => {}
        }
    }
}
