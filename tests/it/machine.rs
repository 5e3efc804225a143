//! Homes, settings, colours, completions: the program on somebody's machine.
use crate::support::{SHORT, Said, World, example};
use std::time::{Duration, Instant};

#[test]
fn without_a_home_the_error_names_the_option_that_helps() {
    let world = World::new();
    let without_home = |args: &[&str]| Said::of(&world.command(args).env_remove("HOME").output().unwrap());
    let said = without_home(&["run", &example(SHORT), "--rehearsal"]).code(64);
    assert!(said.stderr.contains("--store"), "{said:?}");
    without_home(&["run", &example(SHORT), "--rehearsal", "--store", "here.db", "--quiet", "--no-reports"]).ok();
}

#[test]
fn a_fresh_home_has_no_debates_and_looking_leaves_nothing_behind() {
    let world = World::new();
    world.agon(&["list"]).ok();
    assert_eq!(world.json(&["list", "--json"]), serde_json::json!([]));
    world.agon(&["resume"]).ok();
    assert!(!world.database().exists());
}

#[test]
fn colours_are_for_those_who_want_them() {
    let world = World::new();
    let args = |choice: &str| {
        let command = ["run", &example(SHORT), "--rehearsal", "--no-reports", "--color", choice];
        world.command(&command)
    };
    let escapes = |mut command: std::process::Command| {
        let said = Said::of(&command.output().unwrap()).ok();
        said.stdout.contains('\x1b') || said.stderr.contains('\x1b')
    };
    assert!(escapes(args("always")));
    assert!(!escapes(args("auto")));
    let mut plain = args("auto");
    plain.env("NO_COLOR", "1");
    assert!(!escapes(plain));
}

#[test]
fn where_there_is_no_terminal_there_are_plain_lines() {
    let world = World::new();
    let said = world.agon(&["run", &example(SHORT), "--rehearsal", "--no-reports"]).ok();
    assert!(said.stdout.lines().count() > 50);
    assert!(!said.stdout.contains('\x1b'));
}

#[test]
fn settings_are_shown_with_their_origin_and_without_keys() {
    let world = World::new();
    let hosts = "[[hosts]]\nname = \"gpu\"\nurl = \"http://gpu:1\"\napi_key = { env = \"GPU_KEY\" }\n[store]\nsync = \"normal\"\n";
    let file = world.file("mine.toml", hosts);
    let mut command = world.command(&["config", "show", "--origin", "--config", &file]);
    let output = command.env("AGON__RUNTIME__MAX_DEBATES", "9").env("GPU_KEY", "s3cret").output().unwrap();
    let said = Said::of(&output).ok();
    assert!(said.stdout.contains("sync = \"normal\" # ") && said.stdout.contains("mine.toml"), "{said:?}");
    assert!(said.stdout.contains("max_debates = 9 # the environment"), "{said:?}");
    assert!(said.stdout.contains("# default"), "{said:?}");
    assert!(!said.stdout.contains("s3cret") && said.stdout.contains("GPU_KEY"), "{said:?}");
}

#[test]
fn wrong_settings_are_named_with_their_source() {
    let world = World::new();
    let file = world.file("wrong.toml", "[store]\nsink = true\n");
    let said = world.agon(&["list", "--config", &file]).code(64);
    assert!(said.stderr.contains("wrong.toml") && said.stderr.contains("sink"), "{said:?}");
    world.agon(&["list", "--config", "gone.toml"]).code(64);
}

#[test]
fn wrong_usage_has_its_own_code_and_help_is_no_error() {
    let world = World::new();
    world.agon(&["run"]).code(64);
    world.agon(&["run", "Tea?", "--no-such-option"]).code(64);
    world.agon(&["fly"]).code(64);
    assert!(world.agon(&["run", "--help"]).ok().stdout.contains("--rehearsal"));
    world.agon(&["--version"]).ok();
}

#[test]
fn completions_are_printed_for_every_shell() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(world.agon(&["completions", shell]).ok().stdout.contains("rehearsal"), "{shell}");
    }
}

#[test]
fn help_comes_at_once() {
    let world = World::new();
    let fastest = (0..10).map(|_| {
        let started = Instant::now();
        world.agon(&["--help"]).ok();
        started.elapsed()
    });
    // A debug build on a busy machine is given some room; the release build is measured by `cargo xtask bench`.
    assert!(fastest.min().unwrap() < Duration::from_millis(100));
}
