//! What cannot be on this machine as it is in a cluster, all in one place. Everything else is used as it is rendered.
//!
//! - **Paths**: what is mounted at `/etc/agon` or `/run/secrets/agon` lies below a folder of the container, and so these paths are
//!   written in files, arguments and the environment. `agon` finds its settings below `XDG_CONFIG_HOME` in place of `/etc`.
//! - **Addresses**: names of services and pods, and ports to listen on, become `127.0.0.1` and a free port each (see [`Network`]).
//! - **Older servers**: nats-server before 2.10 does not know `sync_interval`, so that line is left out for it.
//! - **Images**: `agon` is the program under test, which is the image's entry point; `nats-server` is that of the search path.
//! - **A look from outside**: a configuration of nats-server with users gets one more, who reads the logs when all is over.
//!
//! What is not imitated at all: limits of CPU and memory, network policies, users and capabilities of the system.
use super::network::{Network, PortMap};
use crate::support::agon;
use agon_testkit::nats_servers;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The user who reads the logs when all is over, and its password.
pub const CHECKER: &str = "checker";

/// Where a container's things are.
pub struct Places<'a> {
    pub network: &'a Network,
    pub ports: &'a PortMap,
    /// The folder that stands for the container's root.
    pub root: PathBuf,
    /// What is mounted, longest first.
    pub mounts: Vec<String>,
}

impl Places<'_> {
    /// A text of the render as it has to be here.
    pub fn here(&self, text: &str) -> String {
        let mut text = self.network.here(text, self.ports);
        for mount in &self.mounts {
            text = moved(&text, mount, &self.path(mount).to_string_lossy());
        }
        text
    }
    /// Where a path of the container is.
    pub fn path(&self, path: &str) -> PathBuf {
        self.root.join(path.trim_start_matches('/'))
    }
    /// A file of a ConfigMap as it has to be here.
    pub fn file(&self, name: &str, text: &str) -> String {
        let text = self.here(text);
        if name == "nats.conf" { nats_conf(&text) } else { text }
    }
}

/// The text with a path moved, where it stands as a path of its own or begins one. Not within what was moved already.
fn moved(text: &str, path: &str, to: &str) -> String {
    let mut moved = String::new();
    let mut done = 0;
    for (at, _) in text.match_indices(path) {
        let (before, after) = (&text[..at], &text[at + path.len()..]);
        let part = |c: char| c.is_alphanumeric() || "._-/".contains(c);
        if before.ends_with(part) || after.starts_with(|c| part(c) && c != '/') {
            continue;
        }
        moved.push_str(&text[done..at]);
        moved.push_str(to);
        done = at + path.len();
    }
    moved + &text[done..]
}

fn nats_conf(text: &str) -> String {
    let old = nats_version() < (2, 10);
    let kept = text.lines().filter(|line| !(old && line.trim_start().starts_with("sync_interval:")));
    let text = kept.collect::<Vec<_>>().join("\n");
    let user = format!("users: [\n      {{ user: {CHECKER}, password: {CHECKER} }}");
    text.replacen("users: [", &user, 1)
}

/// Of the nats-server that is installed.
fn nats_version() -> (u32, u32) {
    let output = Command::new(nats_server()).arg("-v").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let numbers = text.trim().rsplit('v').next().unwrap().split('.').map(|number| number.parse().unwrap());
    match numbers.take(2).collect::<Vec<_>>()[..] {
        [major, minor] => (major, minor),
        _ => panic!("nats-server has the version {text:?}"),
    }
}

/// Its whole path: containers do not share the search path of the test.
fn nats_server() -> PathBuf {
    let named = nats_servers().into_iter().next().unwrap();
    let path = std::env::var_os("PATH").unwrap();
    // where Debian puts servers, which a plain user's path leaves out
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin")]);
    let found = folders.map(|folder| folder.join(&named)).find(|program| program.is_file());
    found.expect("nats-server is installed")
}

/// The program and the arguments of a container.
pub fn program(image: &str, command: &[String], args: &[String]) -> Command {
    let repository = image.split([':', '@']).next().unwrap();
    let (program, first) = match (repository, command.first().map(String::as_str)) {
        ("agon", None) => (agon(), 0),
        ("nats", Some("nats-server")) => (nats_server(), 1),
        (image, command) => panic!("the tests do not know what {command:?} of the image {image} is"),
    };
    let mut line = Command::new(program);
    line.args(&command[first..]).args(args);
    line
}

/// Where `agon` finds the settings of its container.
pub fn settings(root: &Path) -> (String, String) {
    ("XDG_CONFIG_HOME".to_owned(), root.join("etc").to_string_lossy().into_owned())
}

#[test]
fn only_whole_paths_are_moved() {
    let text = "a = \"/data\" b=/data/x /database /run/data \"/etc/data\" /data";
    assert_eq!(moved(text, "/data", "/T"), "a = \"/T\" b=/T/x /database /run/data \"/etc/data\" /T");
}
