//! What the tests share: a world with an empty home, the program, and servers.
mod cluster;
mod nats_conf;
mod process;
mod recorded;
mod yaml;

pub use agon_testkit::answered;
pub use cluster::{SLOW, TestCluster, address};
pub use nats_conf::{assert_valid, nats_config, nats_users, variables};
pub use process::{ProgramOutput, RunningProgram};
pub use recorded::{Recorded, Recording};
pub use yaml::yaml;

use agon_testkit::Rehearsal;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Longest time that anything here may take.
pub const PATIENCE: std::time::Duration = std::time::Duration::from_secs(60);

/// An empty home, and the program with nothing else in its environment.
pub struct World {
    home: TempDir,
}

impl World {
    pub fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.home.path().join(name)
    }

    /// Writes a file into the world and gives its path as text.
    pub fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// The program, ready to be started in this world.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(agon());
        command.env_clear().env("HOME", self.home.path()).current_dir(self.home.path());
        command.args(args).stdin(Stdio::null());
        command
    }

    /// Runs the program to its end.
    pub fn agon(&self, args: &[&str]) -> ProgramOutput {
        ProgramOutput::of(&self.command(args).output().unwrap())
    }

    /// Runs the program, whose words must be JSON.
    pub fn json(&self, args: &[&str]) -> Value {
        let said = self.agon(args);
        serde_json::from_str(&said.stdout).unwrap_or_else(|error| panic!("{error}: {said:?}"))
    }

    /// A rehearsal server in a process of its own.
    pub fn rehearsal(&self, options: &[&str]) -> Rehearsal {
        Rehearsal::start(&agon(), self.home.path(), options).unwrap()
    }

    /// A short rehearsal with that id, held to its end.
    pub fn rehearse(&self, id: &str) -> ProgramOutput {
        self.agon(&["run", &example(SHORT), "--rehearsal", "--seed", "7", "--id", id])
    }

    /// The log as events.
    pub fn events(&self, id: &str) -> Vec<Value> {
        let said = self.agon(&["report", id, "--format", "jsonl"]).ok();
        said.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// A number from the database.
    pub fn sqlite(&self, sql: &str) -> i64 {
        let database = rusqlite::Connection::open(self.database()).unwrap();
        database.busy_timeout(PATIENCE).unwrap();
        database.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    /// The database that the program uses here unless told otherwise.
    pub fn database(&self) -> PathBuf {
        self.path(".local/share/agon/agon.db")
    }
}

/// The example that most tests run.
pub const SHORT: &str = "invest-in-battery-startup.md";

/// The folder of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// A debate file that users are shown.
pub fn example(name: &str) -> String {
    let path = root().join("examples").join(name);
    assert!(path.is_file(), "{} is missing", path.display());
    path.to_str().unwrap().to_owned()
}

/// The program under test: `AGON_BIN`, which `cargo xtask test` sets, or what cargo built beside this test.
pub fn agon() -> PathBuf {
    if let Some(path) = std::env::var_os("AGON_BIN") {
        return PathBuf::from(path);
    }
    let test = std::env::current_exe().unwrap();
    let built = test.parent().and_then(Path::parent).unwrap().join("agon");
    assert!(built.is_file(), "{} is missing; build it with: cargo build -p agon", built.display());
    built
}

/// The script of a public MCP server: `AGON_MCP_SERVER`, which `cargo xtask test` sets, or where that has put it before.
pub fn mcp_server() -> String {
    let package = "npm/2026.8.31/node_modules/@modelcontextprotocol/server-everything/dist/index.js";
    fetched("AGON_MCP_SERVER", package)
}

/// The script that looks for barriers in pages: `AGON_AXE`, or where `cargo xtask test` has put it before.
pub fn axe() -> String {
    std::fs::read_to_string(fetched("AGON_AXE", "npm/4.14.1/node_modules/axe-core/axe.min.js")).unwrap()
}

fn fetched(variable: &str, package: &str) -> String {
    let usual = || std::env::current_exe().unwrap().ancestors().nth(3).unwrap().join(package);
    let path = std::env::var_os(variable).map_or_else(usual, PathBuf::from);
    assert!(path.is_file(), "{} is missing; cargo xtask test fetches it", path.display());
    path.to_str().unwrap().to_owned()
}
