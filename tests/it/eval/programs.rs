//! Programs of the user's own: methods that answer and a scorer, good ones and bad ones.
use crate::support::{PATIENCE, RunningProgram, World, root};
use agon_eval::{ArmResult, CellOutcome, EvalResult};
use agon_testkit::{free_port, until};
use nix::sys::signal::Signal;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::os::unix::fs::PermissionsExt as _;

const QUESTIONS: usize = 12;
/// Finds the number of a question, and prints it as the answer with what it used.
const ANSWER: &str = r#"sed 's/.*Repeat \([0-9]*\)\..*/{"answer": \1, "usage": {"prompt_tokens": 90, "generated_tokens": 10, "cached_tokens": 0}}/'"#;

/// A world with questions, a panel and an eval file that has these lines more.
fn world(more: &str) -> (World, String) {
    let world = World::new();
    world.file("panel.yaml", super::PANEL);
    let mut questions = "question,answer,kind\n".to_owned();
    for n in 0..QUESTIONS {
        writeln!(questions, "Repeat {n}.,{n},{}", if more.contains("scorer") { "command" } else { "number" }).unwrap();
    }
    world.file("questions.csv", &questions);
    let file = format!("questions: questions.csv\ndebates: [{{file: panel.yaml}}]\nseed: 3\n{more}");
    let file = world.file("eval.yaml", &file);
    (world, file)
}

/// Writes an executable script of the shell.
fn script(world: &World, name: &str, body: &str) {
    let path = world.file(name, &format!("#!/bin/sh\n{body}\n"));
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn run(world: &World, file: &str, id: &str) -> EvalResult {
    let said = world.agon(&["eval", "run", file, "--rehearsal", "--yes", "--programs", "-q", "--id", id]);
    assert!(matches!(said.code, Some(0 | 2)), "{said:?}");
    result(world, id)
}

fn result(world: &World, id: &str) -> EvalResult {
    serde_json::from_str(&world.agon(&["eval", "export", "result", id]).ok().stdout).unwrap()
}

fn arm<'a>(result: &'a EvalResult, id: &str) -> &'a ArmResult {
    result.arms.iter().find(|arm| arm.id == id).unwrap()
}

/// The numbers in a file, one a line; none while it is not there.
fn numbers(world: &World, name: &str) -> Vec<i32> {
    let text = std::fs::read_to_string(world.path(name)).unwrap_or_default();
    text.lines().filter_map(|line| line.trim().parse().ok()).collect()
}

/// Whether a process is gone, or nothing but an entry that nobody has read.
fn is_gone(pid: i32) -> bool {
    let Ok(status) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return true };
    status.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'))
}

fn until_gone(pids: &[i32]) {
    assert!(!pids.is_empty());
    until("the programs end", PATIENCE, || Ok(pids.iter().all(|pid| is_gone(*pid)).then_some(()))).unwrap();
}

const BAD: &str = "\
commands:
  - {name: good, run: [./good.sh]}
  - {name: silent, run: [./silent.sh]}
  - {name: exits, run: [./exits.sh, 'with words']}
  - {name: hangs, run: [./hangs.sh], timeout: 500ms}
  - {name: junk, run: [./junk.sh]}
  - {name: floods, run: [./floods.sh]}
  - {name: forks, run: [./forks.sh]}
  - {name: null_answer, run: [./null.sh]}
primary: [{arm: panel, rival: self_consistency}, {arm: good, rival: panel}]
";

#[test]
fn a_good_program_is_an_arm_and_a_bad_one_fails_with_a_reason_in_every_denominator() {
    let (world, file) = world(BAD);
    script(&world, "good.sh", &format!("cat > seen.txt; {ANSWER} < seen.txt"));
    script(&world, "silent.sh", "cat > /dev/null; echo '{\"answer\": 0}'");
    script(&world, "exits.sh", "echo \"boom $1\" >&2; exit 3");
    script(&world, "hangs.sh", "sleep 600");
    script(&world, "junk.sh", "echo no JSON");
    script(&world, "floods.sh", "yes");
    script(&world, "forks.sh", &format!("sleep 600 & echo $! >> children; {ANSWER}"));
    script(&world, "null.sh", "echo '{\"answer\": null, \"usage\": {\"calls\": 0}}'");
    let plan = world.agon(&["eval", "run", &file, "--rehearsal", "--plan"]).ok().stdout;
    assert!(plan.contains("program good: 12 runs") && plan.contains("cost is unknown"), "{plan}");
    assert!(!world.path("seen.txt").exists(), "a plan runs nothing");

    let result = run(&world, &file, "bad-programs");
    assert!(result.rehearsal);
    let right = |id: &str| arm(&result, id).right.unwrap();
    assert_eq!((right("good").value, right("forks").value), (1.0, 1.0));
    for (id, cause) in [
        ("exits", "program_failed"),
        ("hangs", "program_timeout"),
        ("junk", "program_output"),
        ("floods", "program_output_too_long"),
    ] {
        let own = arm(&result, id);
        assert_eq!((own.n, own.failed, own.causes.get(cause)), (12, 12, Some(&12)), "{own:?}");
        assert_eq!((right(id).value, right(id).n), (0.0, 12), "{id}");
    }
    assert_eq!((arm(&result, "null_answer").no_answer, right("null_answer").value), (12, 0.0));
    let seen = std::fs::read_to_string(world.path("seen.txt")).unwrap();
    let seen: Value = serde_json::from_str(&seen).unwrap();
    assert!(
        seen["budget"].as_u64().unwrap() > 0 && seen.get("gold").is_none() && seen.get("answer").is_none(),
        "{seen}"
    );
    let exits = result.cells.iter().find(|cell| cell.arm == "exits").unwrap();
    assert!(exits.reason.as_ref().unwrap().contains("exit status: 3; it says: boom with words"), "{exits:?}");
    assert!(exits.debates.is_empty());
    // spending that is told is compared, and spending that is not told is estimated and lets nothing be told
    assert_eq!(arm(&result, "good").costs[0].total, 1_200.0);
    assert!(arm(&result, "silent").costs[0].estimated.is_some());
    let primary = result.comparisons.iter().find(|pair| pair.arm == "good").unwrap();
    assert!(primary.counts[0].ratio.unwrap() > 0.0 && primary.counts[0].sentence.contains("program good"));
    until_gone(&numbers(&world, "children"));

    cells_without_a_debate_are_shown(&world);
}

/// What shows, checks and removes debates copes with cells that have none.
fn cells_without_a_debate_are_shown(world: &World) {
    let verified = world.agon(&["eval", "verify", "bad-programs"]).ok().stdout;
    let debates = world.sqlite("SELECT count(*) FROM (SELECT DISTINCT debate FROM debates WHERE debate LIKE 'ev%')");
    assert!(verified.contains(&format!("{debates} debates verified, 0 problems")), "{debates} {verified}");
    let report = world.path("report.html");
    world.agon(&["eval", "report", "bad-programs", "-o", report.to_str().unwrap(), "--debates"]).ok();
    assert_eq!(std::fs::read_dir(world.path("debates")).unwrap().count() as i64, debates);
    assert!(std::fs::read_to_string(&report).unwrap().contains("did not end within 0.5 s"));
    let text = world.agon(&["eval", "report", "bad-programs"]).ok().stdout;
    assert!(text.contains("null_answer") && text.contains("floods"), "{text}");
    let csv = world.agon(&["eval", "export", "cells", "bad-programs"]).ok().stdout;
    assert_eq!(csv.lines().filter(|line| line.contains(",exits,")).count(), QUESTIONS, "{csv}");
    assert_eq!(world.json(&["eval", "list", "--json"])[0]["state"], "complete");
    world.agon(&["eval", "delete", "bad-programs", "--debates"]).ok();
    assert_eq!(world.json(&["list", "--label", "eval", "--json"]), serde_json::json!([]));
}

/// Notes each answer that it is asked about; fails while a file `broken` is there; a right answer scores 0.75, another one 0.
const SCORE: &str = r#"
input=$(cat)
answer=$(printf '%s' "$input" | sed 's/.*"answer":"\([^"]*\)".*/\1/')
gold=$(printf '%s' "$input" | sed 's/.*"gold":\["\([^"]*\)"\].*/\1/')
printf '%s\n' "$gold: $answer" >> asked
if [ -e broken ]; then echo 'the scorer is broken' >&2; exit 1; fi
if [ "$answer" = "$gold" ]; then echo '{"score": 0.75}'; else echo '{"score": 0}'; fi
"#;
const SCORED: &str = "commands: [{name: mine, run: [./mine.sh]}]\nscorer: {command: [./score.sh]}\n";

#[test]
fn a_program_scores_each_answer_once_its_failure_is_no_0_and_a_retry_asks_it_again() {
    let (world, file) = world(SCORED);
    script(&world, "mine.sh", ANSWER);
    script(&world, "score.sh", SCORE);
    world.file("broken", "");
    let broken = run(&world, &file, "scored");
    assert!(broken.arms.iter().all(|arm| arm.right.is_none()), "{:?}", broken.arms);
    let mine = |result: &EvalResult| result.cells.iter().filter(|cell| cell.arm == "mine").cloned().collect::<Vec<_>>();
    for cell in mine(&broken) {
        assert_eq!((cell.outcome, cell.score), (CellOutcome::Ungraded, None), "{cell:?}");
        let reason = cell.reason.as_deref().unwrap();
        assert!(reason.contains("the scorer is broken") || reason == "not_scored", "{cell:?}");
    }
    assert!(broken.warnings.iter().any(|warning| warning.contains("the scorer is broken")), "{:?}", broken.warnings);
    let asked = |world: &World| std::fs::read_to_string(world.path("asked")).unwrap();
    let answers: BTreeSet<_> =
        broken.cells.iter().filter_map(|cell| Some((cell.question, cell.answer.clone()?))).collect();
    assert!(asked(&world).lines().count() < answers.len(), "a scorer that always fails is run no longer");

    std::fs::remove_file(world.path("broken")).unwrap();
    std::fs::remove_file(world.path("asked")).unwrap();
    let retried = world.agon(&["eval", "retry", "scored", "--rehearsal", "-q"]);
    assert!(matches!(retried.code, Some(0 | 2)), "{retried:?}");
    let well = result(&world, "scored");
    assert_eq!(arm(&well, "mine").right.unwrap().value, 0.75);
    assert!(mine(&well).iter().all(|cell| cell.outcome == CellOutcome::Partly && cell.reason.is_none()));
    assert!(well.warnings.iter().all(|warning| !warning.contains("The scorer failed")), "{:?}", well.warnings);
    // equal answers were scored once, in both rounds
    let mut told: Vec<String> = asked(&world).lines().map(str::to_owned).collect();
    told.sort();
    let count = told.len();
    told.dedup();
    assert_eq!(told.len(), count, "{told:?}");
    // nothing is asked again where nothing has failed
    world.agon(&["eval", "retry", "scored", "--rehearsal", "-q"]).code(64);
    // another eval of the same file runs every program again
    run(&world, &file, "again");
    assert_eq!(asked(&world).lines().count(), 2 * count);
}

#[test]
fn after_a_kill_of_the_driver_no_settled_run_is_repeated_and_none_is_lost() {
    let (world, file) = world("commands: [{name: mine, run: [./mine.sh]}]\nrepetitions: 2\n");
    // a program whose driver is killed before it has written to it reads nothing, and answers nothing
    let body = format!("read line || exit 1; printf '%s\\n' \"$line\" >> runs; printf '%s\\n' \"$line\" | {ANSWER}");
    script(&world, "mine.sh", &body);
    let start =
        ["eval", "run", &file, "--rehearsal", "--yes", "--programs", "--id", "killed", "--jsonl", "--concurrency", "2"];
    let driver = RunningProgram::start(world.command(&start));
    driver.read_until("\"kind\":\"command\"", 9);
    driver.crash();
    let settled = |world: &World| {
        let events = world.agon(&["eval", "watch", "killed", "--jsonl"]).stdout;
        events.lines().filter(|line| line.contains("cell_closed") && line.contains("\"kind\":\"command\"")).count()
    };
    let runs = |world: &World| std::fs::read_to_string(world.path("runs")).unwrap();
    let before = runs(&world).lines().count();
    let said = world.agon(&["eval", "resume", "killed", "--rehearsal", "-q"]);
    assert!(matches!(said.code, Some(0 | 2)), "{said:?}");
    assert_eq!(settled(&world), 2 * QUESTIONS);
    let mut times: BTreeMap<String, u32> = BTreeMap::new();
    for line in runs(&world).lines() {
        *times.entry(line.to_owned()).or_default() += 1;
    }
    assert_eq!(times.len(), 2 * QUESTIONS, "each run has a seed of its own, and the same one when it is repeated");
    let twice = times.values().filter(|times| **times > 1).count();
    assert!(before >= 1 && twice <= 2 && times.values().all(|times| *times <= 2), "{times:?}");
    assert_eq!(arm(&result(&world, "killed"), "mine").right.unwrap().value, 1.0);
    world.agon(&["eval", "verify", "killed"]).ok();
}

/// Notes its own process and a child's, and waits for both.
const HANG: &str = "sleep 600 & echo $! >> pids; echo $$ >> pids; wait";

#[test]
fn ctrl_c_cancel_and_the_limit_of_seconds_end_programs_with_all_that_they_started() {
    let (world, file) = world("commands: [{name: mine, run: [./mine.sh]}]\n");
    script(&world, "mine.sh", HANG);
    let started = || {
        let pids = || Some(numbers(&world, "pids")).filter(|pids| pids.len() >= 2);
        until("a program runs", PATIENCE, || Ok(pids())).unwrap()
    };
    let start = ["eval", "run", &file, "--rehearsal", "--yes", "--programs", "--id", "hangs", "-q"];
    let driver = RunningProgram::start(world.command(&start));
    started();
    driver.signal(Signal::SIGINT);
    let (status, told) = driver.wait();
    assert_eq!(status.code(), Some(130), "{told}");
    until_gone(&numbers(&world, "pids"));

    std::fs::remove_file(world.path("pids")).unwrap();
    let driver = RunningProgram::start(world.command(&["eval", "resume", "hangs", "--rehearsal", "-q"]));
    started();
    world.agon(&["eval", "cancel", "hangs"]).ok();
    let (status, told) = driver.wait();
    assert_eq!(status.code(), Some(4), "{told}");
    until_gone(&numbers(&world, "pids"));

    std::fs::remove_file(world.path("pids")).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    let file = world.file("short.yaml", &format!("{text}limits: {{seconds: 3}}\n"));
    world.agon(&["eval", "run", &file, "--rehearsal", "--yes", "--programs", "--id", "short", "-q"]).code(2);
    let got = world.json(&["eval", "get", "short", "--json"]);
    assert_eq!((&got["state"], &got["stopped"]), (&"stopped".into(), &"limit_seconds".into()), "{got}");
    until_gone(&numbers(&world, "pids"));
}

#[test]
fn programs_are_looked_for_before_anything_runs_and_servers_get_none() {
    let (world, file) = world("commands: [{name: mine, run: [./mine.sh]}, {name: gone, run: [no-such-program]}]\n");
    let plain = world.file("mine.sh", "#!/bin/sh\n");
    let check = world.agon(&["eval", "check", &file]).code(64).stdout;
    for wanted in ["commands[0].run", "mine.sh is not executable", "commands[1].run", "no-such-program in PATH"] {
        assert!(check.contains(wanted), "{wanted} {check}");
    }
    for command in [&["eval", "run", &file, "--rehearsal", "--plan"][..], &["eval", "run", &file, "--rehearsal"]] {
        let refused = world.agon(command).code(64);
        assert!(refused.stderr.contains("not executable"), "{refused:?}");
    }
    std::fs::remove_file(plain).unwrap();
    assert!(world.agon(&["eval", "check", &file]).code(64).stdout.contains("there is no program"));
    script(&world, "mine.sh", ANSWER);
    let text = std::fs::read_to_string(&file).unwrap().replace("[no-such-program]", "[sh, '-c', 'exit 1']");
    let file = world.file("eval.yaml", &text);
    let path = |command: &mut std::process::Command| {
        let said = command.env("PATH", "/usr/bin:/bin").output().unwrap();
        String::from_utf8(said.stdout).unwrap()
    };
    let good = path(&mut world.command(&["eval", "check", &file]));
    assert!(good.contains("command gone: ") && good.contains("/sh -c exit 1"), "{good}");

    let nobody = format!("127.0.0.1:{}", free_port().unwrap());
    let mut submit = world.command(&["eval", "submit", &file, "--rehearsal", "--server", &nobody]);
    let refused = submit.env("PATH", "/usr/bin:/bin").output().unwrap();
    let told = String::from_utf8(refused.stderr).unwrap();
    assert!(refused.status.code() == Some(64) && told.contains("`commands[0].run`"), "{told}");
}

#[test]
fn programs_of_an_eval_file_run_only_where_somebody_allows_them() {
    let (world, file) = world("commands: [{name: mine, run: [./mine.sh]}]\nscorer: {command: [./score.sh]}\n");
    script(&world, "mine.sh", &format!("touch ran\n{ANSWER}"));
    script(&world, "score.sh", "touch ran\necho '{\"score\": 1}'");
    for more in [&[][..], &["--yes"], &["--rehearsal"], &["--rehearsal", "--yes", "--json"]] {
        let refused = world.agon(&[&["eval", "run", &file][..], more].concat()).code(64);
        for wanted in ["commands[0].run: ", "mine.sh", "scorer.command: ", "score.sh", "--programs"] {
            assert!(refused.stderr.contains(wanted), "{more:?}: {wanted}: {refused:?}");
        }
    }
    world.agon(&["eval", "run", &file, "--rehearsal", "--plan"]).ok();
    assert!(!world.path("ran").exists() && world.agon(&["eval", "list", "--json"]).ok().stdout.trim() == "[]");
    run(&world, &file, "allowed");
    assert!(world.path("ran").exists());
    let again = world.agon(&["eval", "resume", "allowed", "-q"]);
    assert!(matches!(again.code, Some(0 | 2)), "what was allowed once is not asked again: {again:?}");
}

#[test]
fn the_guide_shows_the_examples_as_they_are() {
    let guide = std::fs::read_to_string(root().join("docs/guide/evaluation.md")).unwrap();
    for example in ["method.py", "score.py"] {
        let text = std::fs::read_to_string(root().join("examples/eval").join(example)).unwrap();
        assert!(guide.contains(&text), "{example}");
    }
}
