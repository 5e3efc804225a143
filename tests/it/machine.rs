//! Homes, settings, colours, completions: the program on somebody's machine.
use crate::support::{ProgramOutput, SHORT, World, example};
use std::time::{Duration, Instant};

#[test]
fn without_a_home_the_error_names_the_option_that_helps() {
    let world = World::new();
    let without_home = |args: &[&str]| ProgramOutput::of(&world.command(args).env_remove("HOME").output().unwrap());
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
        let said = ProgramOutput::of(&command.output().unwrap()).ok();
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
    let said = ProgramOutput::of(&output).ok();
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

#[test]
fn help_lists_commands_in_groups_and_describes_each() {
    let world = World::new();
    let list = world.agon(&["--help"]).ok().stdout;
    for wanted in ["Debates:", "Servers and clusters:", "This machine:", "doctor", "--store", "Exit codes"] {
        assert!(list.contains(wanted), "{wanted}: {list}");
    }
    assert_eq!(world.agon(&["help"]).ok().stdout, list);
    assert!(world.agon(&["help", "run"]).ok().stdout.contains("--rehearsal"));
    assert!(world.agon(&["help", "nats", "config"]).ok().stdout.contains("--shards"));
    world.agon(&["help", "fly"]).code(64);
}

#[test]
fn settings_can_be_had_as_json() {
    let world = World::new();
    let mut command = world.command(&["config", "show", "--origin", "--json"]);
    let said = ProgramOutput::of(&command.env("AGON__RUNTIME__MAX_DEBATES", "9").output().unwrap()).ok();
    let shown: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(shown["settings"]["runtime"]["max_debates"], 9, "{shown}");
    assert!(shown["origins"]["runtime.max_debates"].as_str().unwrap().contains("environment"), "{shown}");
}

#[test]
fn a_topic_is_debated_by_the_largest_installed_model_that_fits() {
    let world = World::new();
    let server = crate::keys::models(&[("tiny:1b", 1 << 20), ("good:3b", 64 << 20), ("huge:900b", 900 << 30)]);
    let mut command = world.command(&["run", "Tea or coffee?", "--rounds", "1", "--no-reports"]);
    let said = ProgramOutput::of(&command.env("OLLAMA_HOST", server.address()).output().unwrap());
    assert!(said.stderr.contains("model good:3b: the largest installed model that fits"), "{said:?}");
    assert!(!said.stderr.contains("llama3.2"), "{said:?}");
    assert!(world.events("last")[0].to_string().contains("good:3b"));
}

#[test]
fn a_private_key_is_not_debated_and_other_files_only_with_their_syntax() {
    let world = World::new();
    let key = world.file("id.txt", "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n");
    for args in [&["run", &key, "--rehearsal"][..], &["check", &key], &["run", &key, "--rehearsal", "--as", "md"]] {
        let said = world.agon(args).code(64);
        assert!(said.stderr.contains("PEM") && !said.stderr.contains("abc"), "{said:?}");
    }
    let odd = world.file("debate.conf", "topic: Tea or coffee?\n");
    assert!(world.agon(&["check", &odd]).code(64).stderr.contains("--as yaml"));
    world.agon(&["check", "--as", "yaml", &odd]).ok();
    for name in ["a.txt", "b.markdown"] {
        world.agon(&["check", &world.file(name, "# Tea or coffee?\n")]).ok();
    }
}
