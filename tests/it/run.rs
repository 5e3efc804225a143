//! `agon run` from the user's side: what is printed, written and returned.
use crate::support::{RunningProgram, SHORT, World, example};
use nix::sys::signal::Signal;
use serde_json::Value;

#[test]
fn a_rehearsal_prints_a_whole_debate_with_its_verdict_and_writes_reports() {
    let world = World::new();
    let said = world.rehearse("first-one").ok();
    for wanted in ["Rehearsal", "== Opening statements ==", "== Round 1 ==", "== Result ==", "Decided"] {
        assert!(said.stdout.contains(wanted), "{wanted}: {}", said.stdout);
    }
    assert!(said.stderr.contains("seed 7"), "{}", said.stderr);
    let last = said.stdout.lines().last().unwrap();
    assert_eq!(last, "Report     agon-reports/first-one/report.html (agon open first-one)");
    assert_eq!(said.stdout.matches("== Result ==").count(), 1);
    for name in ["debate.md", "report.html", "events.jsonl", "result.json"] {
        let text = std::fs::read_to_string(world.path("agon-reports/first-one").join(name)).unwrap();
        assert!(text.contains("ehearsal") || text.contains("\"rehearsal\":true"), "{name} is not marked");
    }
}

#[test]
fn the_result_as_json_has_what_programs_need_and_nothing_else_is_on_standard_output() {
    let world = World::new();
    let result = world.json(&["run", &example(SHORT), "--rehearsal", "--seed", "7", "--json", "--no-reports"]);
    for name in ["id", "topic", "state", "outcome", "rounds", "transcript", "verdict", "ballots", "majority", "usage"] {
        assert!(!result[name].is_null(), "{name}: {result}");
    }
    assert_eq!(result["state"], "succeeded");
    assert_eq!(result["rehearsal"], true);
    assert_eq!(result["seed"], 7);
    let stances: Vec<&Value> = result["transcript"].as_array().unwrap().iter().map(|entry| &entry["stance"]).collect();
    assert!(stances.contains(&&result["verdict"]["winner"]), "{result}");
    assert!(!world.path("agon-reports").exists());
}

#[test]
fn quiet_silences_progress_and_no_warning() {
    let world = World::new();
    let personas = "personas:\n- {name: ada, stance: Run it}\n- {name: ben, stance: Stop it}\n";
    let file = world.file("ferry.md", &format!("---\nmodel: m\n{personas}---\n# Should the ferry run at night?\n"));
    let args = ["run", &file, "--rehearsal", "--rounds", "8", "--json", "--quiet", "--no-reports"];
    let said = world.agon(&args).ok();
    assert!(serde_json::from_str::<Value>(&said.stdout).is_ok(), "{}", said.stdout);
    let lines: Vec<&str> = said.stderr.lines().collect();
    assert!(lines.iter().any(|line| line.starts_with("warning: ") && line.contains("8 rounds")), "{lines:?}");
    assert!(lines.iter().all(|line| line.starts_with("warning: ")), "{lines:?}");
}

#[test]
fn the_same_seed_gives_the_same_debate() {
    let world = World::new();
    let transcript = |seed: &str| {
        let args = ["run", &example(SHORT), "--rehearsal", "--json", "--no-reports", "--seed", seed];
        world.json(&args)["transcript"].to_string()
    };
    assert_eq!(transcript("3"), transcript("3"));
    assert_ne!(transcript("3"), transcript("4"));
}

#[test]
fn events_come_as_json_lines_one_by_one_from_admission_to_end() {
    let world = World::new();
    let said = world.agon(&["run", &example(SHORT), "--rehearsal", "--jsonl", "--no-reports", "--id", "as-lines"]).ok();
    let events: Vec<Value> = said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(events.first().unwrap()["type"], "debate_admitted");
    assert_eq!(events.last().unwrap()["type"], "debate_ended");
    let numbers: Vec<u64> = events.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
    assert_eq!(events, world.events("as-lines"));
}

#[test]
fn a_plain_topic_is_argued_by_the_built_in_cast() {
    let world = World::new();
    let result =
        world.json(&["run", "Should cities ban cars?", "--rehearsal", "--rounds", "1", "--json", "--no-reports"]);
    assert_eq!(result["topic"], "Should cities ban cars?");
    assert_eq!(result["rounds"], 1);
}

#[test]
fn a_debate_is_read_from_standard_input() {
    let world = World::new();
    let file = std::fs::File::open(example(SHORT)).unwrap();
    let output = world.command(&["run", "-", "--rehearsal", "--json", "--no-reports"]).stdin(file).output().unwrap();
    let result: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(result["topic"].as_str().unwrap().contains("Natrion"));
}

#[test]
fn one_model_for_every_role_overrules_the_file() {
    let world = World::new();
    let args = ["run", &example(SHORT), "--rehearsal", "--model", "mine:1b", "--jsonl", "--no-reports"];
    let said = world.agon(&args).ok();
    let asked = said.stdout.lines().filter(|line| line.contains("\"type\":\"turn_asked\""));
    let other = asked.filter(|line| !line.contains("\"model\":\"mine:1b\"")).count();
    assert_eq!(other, 0);
}

#[test]
fn quiet_prints_the_result_and_nothing_else() {
    let world = World::new();
    let said = world.agon(&["run", &example(SHORT), "--rehearsal", "--quiet", "--no-reports", "--id", "hushed"]).ok();
    assert!(said.stdout.starts_with("\n== Result ==\n"), "{}", said.stdout);
    assert!(said.stdout.ends_with("\nReport     agon open hushed\n"), "{}", said.stdout);
    assert_eq!(said.stderr, "");
}

#[test]
fn what_is_shown_before_the_result_can_be_picked() {
    let world = World::new();
    let run = |id: &str, show: &str| {
        let args = ["run", &example(SHORT), "--rehearsal", "--seed", "7", "--no-reports", "--id", id, "--show", show];
        world.agon(&args).ok().stdout
    };
    let (all, speeches, verdict) =
        (run("all-of-it", "all"), run("said-only", "speeches"), run("in-the-end", "verdict"));
    for wanted in ["\nbull, argument\n", "initial ballot", "Judge, order 1", "== Result =="] {
        assert!(all.contains(wanted), "{wanted}: {all}");
    }
    assert!(speeches.contains("\nbull, argument\n") && speeches.contains("== Result =="), "{speeches}");
    assert!(!speeches.contains("initial ballot") && !speeches.contains("Judge, order 1"), "{speeches}");
    assert!(verdict.starts_with("\n== Result =="), "{verdict}");
}

#[test]
fn no_line_of_a_run_is_wider_than_a_hundred_columns() {
    let world = World::new();
    let said = world.rehearse("narrow").ok();
    let longest = said.stdout.lines().map(|line| line.chars().count()).max().unwrap();
    assert!((60..=100).contains(&longest), "{longest}");
}

#[test]
fn a_debate_that_ends_without_a_decision_as_its_file_asks_ends_well() {
    let world = World::new();
    for strategy in ["agent_closing", "no_consensus"] {
        let text = format!(
            "---\nmodel: m\nmax_rounds: 1\nconsensus_strategy: {strategy}\npersonas:\n  - {{name: ada, stance: Move it}}\n  \
             - {{name: bo, stance: Leave it}}\n---\n# Where should the depot stand?\n"
        );
        let file = world.file(&format!("{strategy}.md"), &text);
        let said = world.agon(&["run", &file, "--rehearsal", "--quiet", "--no-reports"]).ok();
        assert!(said.stdout.contains("No decision was wanted"), "{}", said.stdout);
    }
}

#[test]
fn the_report_of_a_debate_is_written_anew_and_opens_in_the_browser() {
    let world = World::new();
    let id = "0198c0de-0000-7000-8000-0000deadbeef";
    let said = world.agon(&["run", &example(SHORT), "--rehearsal", "--no-reports", "--quiet", "--id", id]).ok();
    assert!(said.stdout.ends_with("\nReport     agon open deadbeef\n"), "{}", said.stdout);
    let browser = world.file("browser.sh", "#!/bin/sh\necho \"$1\" > opened.txt\n");
    let open = |browser: &str| world.command(&["open", "deadbeef"]).env("BROWSER", browser).output().unwrap();
    assert!(open(&format!("sh {browser} %s")).status.success());
    let page = std::fs::read_to_string(world.path("opened.txt")).unwrap();
    assert!(page.trim().ends_with(&format!("/agon-reports/{id}/report.html")), "{page}");
    assert!(std::fs::read_to_string(page.trim()).unwrap().contains("<!doctype html>"));
    // What stands there may be another debate's, or older than the log.
    std::fs::write(page.trim(), "another").unwrap();
    let printed = open("/there/is/no/browser");
    assert_eq!(String::from_utf8(printed.stdout).unwrap(), page);
    assert!(std::fs::read_to_string(page.trim()).unwrap().contains("<!doctype html>"));
}

#[test]
fn an_id_is_taken_once() {
    let world = World::new();
    world.rehearse("taken-once").ok();
    let said = world.rehearse("taken-once").code(64);
    assert!(said.stderr.contains("agon resume taken-once"), "{said:?}");
}

#[test]
fn ctrl_c_keeps_the_debate_and_says_how_to_go_on() {
    let world = World::new();
    let args = [
        "run",
        &example(SHORT),
        "--rehearsal",
        "--jsonl",
        "--no-reports",
        "--id",
        "stopped",
        "--token-interval",
        "2ms",
    ];
    let running = RunningProgram::start(world.command(&args));
    running.read_until("speech_recorded", 2);
    running.signal(Signal::SIGINT);
    let (status, told) = running.wait();
    assert_eq!(status.code(), Some(130), "{told}");
    assert!(told.contains("agon resume stopped"), "{told}");
    let before = world.events("stopped").len();
    world.agon(&["resume", "stopped", "--no-reports", "--quiet"]).ok();
    let events = world.events("stopped");
    assert!(events.len() > before);
    assert_eq!(events.last().unwrap()["type"], "debate_ended");
}

#[test]
fn a_reader_that_leaves_is_no_panic() {
    let world = World::new();
    let args = ["run", &example(SHORT), "--rehearsal", "--no-reports", "--token-interval", "1ms"];
    let mut child =
        world.command(&args).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(141), "{told}");
    assert!(!told.contains("panicked") && told.contains("agon resume"), "{told}");
}

#[test]
fn a_folder_that_cannot_take_reports_is_named_before_any_model_is_asked() {
    let world = World::new();
    world.file("taken", "a file");
    let said =
        world.agon(&["run", &example(SHORT), "--rehearsal", "--output-dir", "taken", "--id", "homeless"]).code(64);
    assert!(
        said.stderr.contains("reports cannot be written to taken") && said.stderr.contains("--output-dir"),
        "{said:?}"
    );
    world.agon(&["get", "homeless"]).code(64);
}

#[test]
fn a_list_fits_eighty_columns_and_its_short_ids_name_debates() {
    let world = World::new();
    world.agon(&["run", &example(SHORT), "--rehearsal", "--no-reports", "--quiet"]).ok();
    let listed = world.agon(&["list"]).ok().stdout;
    assert!(listed.chars().count() <= 81, "{listed}");
    let (short, _) = listed.split_once(' ').unwrap();
    assert_eq!(short.len(), 8, "{listed}");
    assert!(world.agon(&["get", short]).ok().stdout.contains("Natrion"));
}

#[test]
fn whatever_a_run_creates_is_for_its_owner_alone_and_what_was_there_stays_as_it_was() {
    use std::os::unix::fs::PermissionsExt as _;
    let world = World::new();
    let before = world.file("before.txt", "mine");
    std::fs::set_permissions(&before, std::fs::Permissions::from_mode(0o644)).unwrap();
    world.agon(&["run", &example(SHORT), "--rehearsal", "--seed", "7"]).ok();
    let mut todo = vec![world.path("")];
    let mut seen = 0;
    while let Some(folder) = todo.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().map(Result::unwrap) {
            let (path, mode) = (entry.path(), entry.metadata().unwrap().permissions().mode() & 0o777);
            if path.ends_with("before.txt") {
                assert_eq!(mode, 0o644);
                continue;
            }
            seen += 1;
            let wanted = if path.is_dir() { 0o700 } else { 0o600 };
            assert_eq!(mode, wanted, "{}: {mode:o}", path.display());
            if path.is_dir() {
                todo.push(path);
            }
        }
    }
    assert!(seen > 4, "store and reports: {seen}");
}
