//! Debate files that are small and unfold to very much, at every door: each is refused with its reason, and memory stays bounded.
use crate::support::{Cluster, World, address};
use std::io::{Read, Write};
use std::net::TcpStream;

/// How many files of each kind a door is given; a process of the command line costs more than a request.
const REQUESTS: usize = 100;
const PROCESSES: usize = 6;
/// The most memory of the server.
const MEMORY_KIB: u64 = 1024 * 1024;

/// Loops over labels, one inside the other.
fn expression(n: usize) -> String {
    let labels: String = (0..24 + n % 40).map(|label| format!("  l{label}: x\n")).collect();
    let loops = 4 + n % 4;
    let names: Vec<String> = (0..loops).map(|level| format!("v{level}")).collect();
    let kind = ["all", "exists", "map", "filter"][n % 4];
    let opened: String = names.iter().map(|name| format!("labels.{kind}({name}, ")).collect();
    format!("topic: Tea?\nmodel: m\nterminate_when: \"{opened}v0 == 'y'{}\"\nlabels:\n{labels}", ")".repeat(loops))
}

/// References that double at each level.
fn schema(n: usize) -> String {
    let keyword = ["allOf", "anyOf", "oneOf", "prefixItems"][n % 4];
    let levels = 14 + n % 18;
    let level = |at: usize| {
        let next = format!("{{$ref: '#/$defs/d{}'}}", at + 1);
        format!("      d{at}: {{{keyword}: [{next}, {next}]}}\n")
    };
    let levels_of: String = (0..levels).map(level).collect();
    let schema = format!("    $ref: '#/$defs/d0'\n    $defs:\n{levels_of}      d{levels}: {{type: string}}\n");
    format!("topic: Tea?\nmodel: m\nsynthesizer:\n  output_schema:\n{schema}")
}

/// A long text, used again and again.
fn alias(n: usize) -> String {
    let uses: String = (0..2_000 + n).map(|label| format!("  l{label}: *a\n")).collect();
    format!("topic: &a {}\nmodel: m\nlabels:\n{uses}", "x".repeat(500_000 + 1_000 * (n % 300)))
}

/// What makes the file with a number.
type Make = fn(usize) -> String;

/// What each kind is refused for.
const KINDS: [(&str, Make); 3] = [("bad-expression", expression), ("bad-schema", schema), ("too-complex", alias)];

/// The whole answer to a file that is sent over HTTP.
fn submitted(address: &str, file: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    let head = "POST /v1/debates?rehearsal=true HTTP/1.0\r\ncontent-type: application/yaml\r\n";
    write!(stream, "{head}host: {address}\r\ncontent-length: {}\r\n\r\n{file}", file.len()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn files_that_unfold_are_refused_over_http_and_grpc_and_the_server_stays_small() {
    let mut cluster = Cluster::start();
    let mut alone = cluster.launch("alone", &["--rehearsal"]);
    let (http, grpc) = (address(&mut alone, "HTTP"), address(&mut alone, "gRPC"));
    for (code, make) in KINDS {
        for n in 0..REQUESTS {
            let answer = submitted(&http, &make(n));
            assert!(answer.contains(" 400 ") && answer.contains(code), "{code} {n}: {answer}");
        }
        for n in 0..PROCESSES {
            let file = cluster.world.file("bomb.yaml", &make(n));
            let said = cluster.world.agon(&["submit", &file, "--rehearsal", "--server", &grpc]).code(64);
            assert!(said.stderr.contains(code), "{code} {n}: {said:?}");
        }
    }
    assert!(alone.peak_kib() < MEMORY_KIB, "{} KiB", alone.peak_kib());
    cluster.world.agon(&["list", "--server", &grpc]).ok();
}

#[test]
fn files_that_unfold_are_refused_by_the_command_line() {
    let world = World::new();
    for (code, make) in KINDS {
        for n in 0..PROCESSES {
            let file = world.file("bomb.yaml", &make(n));
            for command in ["check", "run"] {
                let said = world.agon(&[command, &file]).code(64);
                let told = format!("{}{}", said.stdout, said.stderr);
                assert!(told.contains(code) && told.contains("bomb.yaml:"), "{code} {n}: {said:?}");
            }
        }
    }
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
