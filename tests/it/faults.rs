//! What scripted faults do to the outcome and to the exit code.
use crate::support::{SHORT, Said, World, example};
use serde_json::Value;

fn with_script(world: &World, script: &str) -> (Said, Value) {
    let script = world.file("faults.toml", script);
    // Waits between tries are for real servers.
    let settings = world.file("quick.toml", "[retry]\nbase_delay = \"1ms\"\nmax_delay = \"2ms\"\n");
    let args =
        ["run", &example(SHORT), "--rehearsal", "--rehearsal-script", &script, "--json", "--no-reports", "--seed", "7"];
    let said = world.agon(&[&args[..], &["--config", &settings]].concat());
    let result = serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}: {said:?}"));
    (said, result)
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
fn a_busy_server_is_asked_again_and_the_outcome_is_as_good() {
    let world = World::new();
    let (said, result) = with_script(&world, "[[rules]]\nwhen = { task = \"argument\", call = 2 }\nfault = \"busy\"\n");
    said.ok();
    assert_eq!(result["outcome"], "decided");
    assert_eq!(result["failures"][0]["cause"], "busy");
    assert_eq!(result["failures"][0]["will_retry"], true);
}

#[test]
fn a_seat_that_stays_empty_is_named_and_the_debate_decided_all_the_same() {
    let world = World::new();
    let script = "[[rules]]\nwhen = { task = \"argument\", speaker = \"bear\" }\nfault = \"not_found\"\n";
    let (said, result) = with_script(&world, script);
    assert_eq!(result["outcome"], "degraded");
    assert_eq!(result["missing_seats"][0]["participant"], "bear");
    let said = said.ok();
    assert!(said.stderr.contains("missing seats"), "{said:?}");
}

#[test]
fn no_answer_that_was_cut_stands_in_the_transcript() {
    for (fault, after) in [
        ("cut", "after = 5\n"),
        ("error_line", "after = 5\n"),
        ("drop", "after = 5\n"),
        ("truncated", "after = 5\n"),
        ("empty", ""),
        ("thinking_only", ""),
    ] {
        let world = World::new();
        let script = format!("[[rules]]\nwhen = {{ task = \"argument\", call = 1 }}\nfault = \"{fault}\"\n{after}");
        let (_, result) = with_script(&world, &script);
        assert!(!result["failures"].as_array().unwrap().is_empty(), "{fault}: {result}");
        let texts = result["transcript"].as_array().unwrap().iter().map(|entry| entry["text"].as_str().unwrap());
        assert!(texts.map(str::len).all(|length| length > 200), "{fault}: {result}");
    }
}

#[test]
fn a_wrong_script_is_wrong_usage() {
    let world = World::new();
    let script = world.file("bad.toml", "[[rules]]\nfault = \"explode\"\n");
    let said = world.agon(&["run", "Tea?", "--rehearsal", "--rehearsal-script", &script]).code(64);
    assert!(said.stderr.contains("bad.toml"), "{said:?}");
}
