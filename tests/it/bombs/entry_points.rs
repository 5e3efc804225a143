//! The ways in which a debate file comes to Agon, and how long each took to refuse one.
use super::generator::{BombFile, BombKind, BombSyntax, KINDS};
use crate::support::{World, agon};
use agon_testkit::DynamicClient;
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The most memory of a process.
pub const MEMORY_KIB: u64 = 1024 * 1024;
/// How many files one process of the command line is given.
const BATCH: usize = 200;

/// How many files of each kind go through each door, and what they follow from.
#[derive(Clone, Copy)]
pub struct BombShare {
    pub files: usize,
    pub seed: u64,
    /// The longest that an answer may take; none where no time is looked at.
    pub limit: Option<Duration>,
}

impl BombShare {
    /// A few, or as many as `cargo xtask bombs` asks for, which also looks at the time of each.
    pub fn from_environment() -> Self {
        let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().unwrap());
        let asked = number("AGON_BOMBS");
        Self {
            files: asked.map_or(40, |files| usize::try_from(files).unwrap()),
            seed: number("AGON_BOMBS_SEED").unwrap_or(1),
            limit: asked.map(|_| Duration::from_secs(1)),
        }
    }

    /// Gives every file of every kind to a door, which says how long each took; gives those that took too long.
    fn feed(self, door: &str, mut give: impl FnMut(&BombKind, usize) -> Duration) -> Vec<String> {
        let mut slow = Vec::new();
        for kind in &KINDS {
            let took: Vec<Duration> = (0..self.files).map(|number| give(kind, number)).collect();
            slow.extend(self.report(door, kind, &took));
        }
        slow
    }

    fn report(self, door: &str, kind: &BombKind, took: &[Duration]) -> Vec<String> {
        let (at, slowest) = took.iter().enumerate().max_by_key(|(_, took)| **took).unwrap();
        let mean = took.iter().sum::<Duration>() / u32::try_from(took.len()).unwrap();
        let (code, count) = (kind.code, took.len());
        println!("{door:<5} {code:<15} {count:>6} refused, mean {mean:>7.1?}, slowest {slowest:>7.1?} (number {at})");
        let slow = took.iter().enumerate().filter(|(_, took)| self.limit.is_some_and(|limit| **took >= limit));
        slow.map(|(at, took)| format!("{door}: {code} {at} took {took:.1?}")).collect()
    }
}

/// Whether files are to go through this door.
pub fn is_open(door: &str) -> bool {
    std::env::var("AGON_BOMBS_DOOR").map_or(true, |only| only == door)
}

/// Over HTTP/1, each with a connection of its own.
pub fn rest(share: BombShare, address: &str) -> Vec<String> {
    share.feed("REST", |kind, number| {
        let file = kind.file(share.seed, number);
        let (path, media, body) = posted(&file);
        let begun = Instant::now();
        let mut stream = TcpStream::connect(address).unwrap();
        let head = format!("POST {path} HTTP/1.0\r\nhost: {address}\r\ncontent-type: {media}\r\n");
        write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let took = begun.elapsed();
        assert!(answer.contains(" 400 ") && answer.contains(kind.code), "{} {number}: {answer}", kind.code);
        took
    })
}

fn posted(file: &BombFile) -> (&'static str, &'static str, String) {
    let files = "/v1/debates?rehearsal=true";
    match file.syntax {
        BombSyntax::Yaml => (files, "application/yaml", file.text.clone()),
        BombSyntax::Markdown => (files, "text/markdown", file.text.clone()),
        BombSyntax::Json => ("/v1/debates", "application/json", message(file).to_string()),
    }
}

/// The request of the API.
fn message(file: &BombFile) -> Value {
    let format = match file.syntax {
        BombSyntax::Yaml => "FILE_FORMAT_YAML",
        BombSyntax::Markdown => "FILE_FORMAT_MARKDOWN",
        BombSyntax::Json => "FILE_FORMAT_JSON",
    };
    json!({"file": {"text": file.text, "format": format}, "rehearsal": true})
}

/// Over gRPC, all over one connection.
pub fn grpc(share: BombShare, address: &str) -> Vec<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let client = runtime.block_on(DynamicClient::connect(&format!("http://{address}"))).unwrap();
    share.feed("gRPC", |kind, number| {
        let request = message(&kind.file(share.seed, number));
        let begun = Instant::now();
        let refused = runtime.block_on(client.call("agon.v1.DebateService/CreateDebate", request)).unwrap_err();
        let took = begun.elapsed();
        // what is wrong stands in the details, of which only the bytes are known here
        let told = String::from_utf8_lossy(refused.details());
        assert!(told.contains(kind.code), "{} {number}: {refused:?}", kind.code);
        took
    })
}

/// By `agon check`, which is given many files at once and answers one after the other.
pub fn check(share: BombShare, world: &World) -> Vec<String> {
    let mut slow = Vec::new();
    for kind in &KINDS {
        let mut took = Vec::with_capacity(share.files);
        for first in (0..share.files).step_by(BATCH) {
            let last = share.files.min(first + BATCH);
            let paths: Vec<String> = (first..last)
                .map(|number| {
                    let file = kind.file(share.seed, number);
                    world.file(&format!("{}-{}.{}", kind.code, number % BATCH, ending(&file)), &file.text)
                })
                .collect();
            took.extend(checked(world, &paths, kind.code));
            paths.iter().for_each(|path| std::fs::remove_file(path).unwrap());
        }
        slow.extend(share.report("check", kind, &took));
    }
    slow
}

pub fn ending(file: &BombFile) -> &'static str {
    match file.syntax {
        BombSyntax::Yaml => "yaml",
        BombSyntax::Markdown => "md",
        BombSyntax::Json => "json",
    }
}

/// How long `agon check` took for each of these files, under a limit of memory that the system holds.
fn checked(world: &World, paths: &[String], code: &str) -> Vec<Duration> {
    let limited = format!("ulimit -v {MEMORY_KIB} && exec \"$0\" check \"$@\"");
    let mut command = Command::new("sh");
    command.env_clear().env("HOME", world.path("")).arg("-c").arg(limited).arg(agon()).args(paths);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut begun = Instant::now();
    let took = paths.iter().map(|path| {
        let mut told = String::new();
        let last = format!("{path}: ");
        // a file's last line sums it up
        while !told.lines().last().is_some_and(|line| line.starts_with(&last) && line.contains(" error")) {
            told += &lines.next().unwrap_or_else(|| panic!("it ended before {path}: {told}"));
            told.push('\n');
        }
        assert!(told.contains(code), "{told}");
        std::mem::replace(&mut begun, Instant::now()).elapsed()
    });
    let took = took.collect();
    assert_eq!(child.wait().unwrap().code(), Some(64));
    took
}
