//! Debate files that are small and unfold to very much, at every door: each is refused with its reason, and memory stays bounded.
mod entry_points;
mod evaluated;
mod generator;
mod stored;

use crate::support::{ProgramOutput, TestCluster, World, address};
use entry_points::{BombShare, MEMORY_KIB};
use generator::KINDS;

/// How many files of each kind a command is given that takes one at a time.
const PROCESSES: usize = 4;

/// `cargo xtask bombs` runs this with 10,000 files of each kind.
#[test]
fn files_that_unfold_are_refused_at_every_door_and_memory_stays_bounded() {
    let share = BombShare::from_environment();
    let mut cluster = TestCluster::start();
    let mut alone = cluster.launch("alone", &["--rehearsal"]);
    let (http, grpc) = (address(&mut alone, "HTTP"), address(&mut alone, "gRPC"));
    let mut slow = Vec::new();
    if entry_points::is_open("rest") {
        slow.extend(entry_points::rest(share, &http));
    }
    if entry_points::is_open("grpc") {
        slow.extend(entry_points::grpc(share, &grpc));
    }
    println!("the server had {} MiB at most", alone.peak_kib() / 1024);
    assert!(alone.peak_kib() < MEMORY_KIB, "{} KiB", alone.peak_kib());
    if entry_points::is_open("check") {
        slow.extend(entry_points::check(share, &cluster.world));
    }
    cluster.world.agon(&["list", "--server", &grpc]).ok();
    assert!(slow.is_empty(), "{slow:?}");
}

#[test]
fn files_that_unfold_are_refused_by_every_command_that_takes_one() {
    let mut cluster = TestCluster::start();
    let mut alone = cluster.launch("alone", &["--rehearsal"]);
    let grpc = address(&mut alone, "gRPC");
    for kind in &KINDS {
        for number in 0..PROCESSES {
            let file = kind.file(2, number);
            let name = format!("bomb.{}", entry_points::ending(&file));
            let path = cluster.world.file(&name, &file.text);
            for args in [&["check"][..], &["run", "--rehearsal"], &["submit", "--rehearsal", "--server", &grpc]] {
                let said = cluster.world.agon(&[args, &[&path]].concat()).code(64);
                let told = format!("{}{}", said.stdout, said.stderr);
                assert!(told.contains(kind.code) && told.contains(&format!("{name}:")), "{number}: {said:?}");
            }
        }
    }
}

#[test]
fn the_limits_of_the_settings_hold_at_every_door() {
    let mut cluster = TestCluster::start().setting("AGON__LIMITS__EXPRESSION_STEPS", "5");
    let mut alone = cluster.launch("alone", &["--rehearsal"]);
    let grpc = address(&mut alone, "gRPC");
    let file = cluster.world.file("tea.yaml", "topic: Tea?\nmodel: m\nterminate_when: round > 1 && turns > 8\n");
    let settings = cluster.world.file("agon.toml", "[limits]\nexpression_steps = 5\n");
    let here = ["--config", &settings];
    let lines: [&[&str]; 3] =
        [&["check", &file], &["run", &file, "--rehearsal"], &["submit", &file, "--server", &grpc]];
    for args in lines {
        let said = cluster.world.agon(&[args, &here[..if args[0] == "submit" { 0 } else { 2 }]].concat()).code(64);
        assert!(format!("{}{}", said.stdout, said.stderr).contains("at most 5 are allowed"), "{said:?}");
        cluster.world.agon(&["check", &file]).ok();
    }
    let wrong = cluster.world.file("wrong.toml", "[limits]\nvariables = 1001\n");
    let said = cluster.world.agon(&["check", &file, "--config", &wrong]).code(64);
    assert!(said.stderr.contains("limits.variables: 1001; from 1 to 1000 is allowed"), "{said:?}");
}

#[test]
fn what_is_no_file_is_refused_as_a_debate_and_as_settings() {
    let world = World::new();
    let sparse = world.path("sparse.yaml");
    std::fs::File::create(&sparse).unwrap().set_len(10_000_000_000).unwrap();
    let sparse = sparse.display().to_string();
    for (what, why) in [("/dev/zero", "a device"), ("/tmp", "a folder"), (sparse.as_str(), "longer than")] {
        for args in [&["check", what, "--as", "yaml"][..], &["config", "show", "--config", what]] {
            let said = world.agon(args).code(64);
            assert!(said.stderr.contains(why), "{args:?}: {said:?}");
        }
    }
}

#[test]
fn what_is_no_file_is_refused_wherever_a_gateway_reads_one() {
    let world = World::new();
    let pipe = world.path("pipe").display().to_string();
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let store = world.path("served.db").display().to_string();
    let key = world.file("key.pem", &rcgen::KeyPair::generate().unwrap().serialize_pem());
    for setting in ["TLS__CERT", "AUTH__TOKENS_FILE", "AUTH__JWT__JWKS_FILE"] {
        for (what, why) in [("/dev/zero", "a device"), (pipe.as_str(), "a named pipe")] {
            let mut command = world.command(&["serve", "--rehearsal", "--store", &store]);
            let mut set = |name: &str, value: &str| {
                command.env(format!("AGON__{name}"), value);
            };
            for name in ["GATEWAY__GRPC", "GATEWAY__HTTP", "ADMIN__LISTEN"] {
                set(name, "127.0.0.1:0");
            }
            match setting {
                "TLS__CERT" => set("GATEWAY__TLS__KEY", &key),
                "AUTH__JWT__JWKS_FILE" => {
                    set("GATEWAY__AUTH__JWT__ISSUER", "i");
                    set("GATEWAY__AUTH__JWT__AUDIENCE", "a");
                }
                _ => {}
            }
            set(&format!("GATEWAY__{setting}"), what);
            let said = ProgramOutput::of(&command.output().unwrap());
            assert!(said.code != Some(0) && said.stderr.contains(why), "{setting} {what}: {said:?}");
        }
    }
}
