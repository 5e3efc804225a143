//! `agon rehearsal` as a process of its own: the model server of a host.
use crate::http::{http_ask, http_get};
use crate::patience::until;
use crate::process::{PATIENCE, Process};
use anyhow::{Context, Result};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// A rehearsal server that writes down each call that ends.
pub struct Rehearsal {
    /// Its process.
    pub process: Process,
    url: String,
    calls: Vec<PathBuf>,
    start: Start,
}

/// How it is started.
#[derive(Clone, Debug)]
struct Start {
    agon: PathBuf,
    folder: PathBuf,
    options: Vec<String>,
}

impl Start {
    /// Starts it at an address; its process and the file of its calls.
    fn at(&self, address: &str) -> Result<(Process, PathBuf)> {
        /// How many were started by this process: no two have the same files.
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let name = format!("rehearsal-{}", STARTED.fetch_add(1, Ordering::Relaxed) + 1);
        let calls = self.folder.join(format!("{name}.calls"));
        let mut command = Command::new(&self.agon);
        command.env_clear().env("HOME", &self.folder).current_dir(&self.folder);
        command.args(["rehearsal", "--listen", address, "--calls"]).arg(&calls).args(&self.options);
        Ok((Process::start(&name, command, self.folder.join(format!("{name}.log")))?, calls))
    }
}

/// A call to the server that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RehearsedCall {
    /// Hash of the request's body: the same for the same turn of the same debate.
    pub body: String,
    /// When it came, in milliseconds since the epoch.
    pub began: u64,
    /// When it ended.
    pub ended: u64,
    /// Whether it was answered to its end.
    pub finished: bool,
}

impl Rehearsal {
    /// Starts a server on a free port; its files go to `folder`.
    pub fn start(agon: &Path, folder: &Path, options: &[impl AsRef<str>]) -> Result<Self> {
        Self::start_at("127.0.0.1:0", agon, folder, options)
    }

    /// The same at this address.
    pub fn start_at(listen: &str, agon: &Path, folder: &Path, options: &[impl AsRef<str>]) -> Result<Self> {
        let options = options.iter().map(|option| option.as_ref().to_owned()).collect();
        let start = Start { agon: agon.to_path_buf(), folder: folder.to_path_buf(), options };
        let (mut process, calls) = start.at(listen)?;
        let url = process.wait_for("http://")?.trim().to_owned();
        Ok(Self { process, url, calls: vec![calls], start })
    }

    /// Starts it again at the same port, after it was killed, and waits until it is up.
    pub fn restart(&mut self) -> Result<()> {
        let (process, calls) = self.start.at(self.address())?;
        self.process = process;
        self.calls.push(calls);
        self.process.wait_for("http://").map(drop)
    }

    /// Its address, `http://host:port`.
    pub fn url(&self) -> &str {
        &self.url
    }
    fn address(&self) -> &str {
        self.url.trim_start_matches("http://")
    }

    /// What it has counted.
    pub fn stats(&self) -> Result<Value> {
        serde_json::from_str(&http_get(self.address(), "/rehearsal/stats")?).context("the counts are no JSON")
    }
    /// One of its counts.
    pub fn count(&self, name: &str) -> Result<u64> {
        self.stats()?.get(name).and_then(Value::as_u64).with_context(|| format!("no count {name:?}"))
    }
    /// Counts from zero again.
    pub fn reset(&self) -> Result<()> {
        http_ask("POST", self.address(), "/rehearsal/reset").map(drop)
    }

    /// Waits until the calls of a client that is gone have ended.
    pub fn until_idle(&self) -> Result<()> {
        until("the server has no call of a client that is gone", PATIENCE, || {
            Ok((self.count("in_flight")? == 0).then_some(()))
        })
    }

    /// The calls that have ended, in that order, those of its earlier lives included.
    pub fn calls(&self) -> Result<Vec<RehearsedCall>> {
        let texts = self.calls.iter().map(|calls| fs::read_to_string(calls).unwrap_or_default());
        let text: String = texts.collect();
        text.lines().filter(|line| line.ends_with('}')).map(call).collect()
    }
}

fn call(line: &str) -> Result<RehearsedCall> {
    let value: Value = serde_json::from_str(line).with_context(|| format!("not a call: {line}"))?;
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
    let time = |name: &str| value.get(name).and_then(Value::as_u64).unwrap_or_default();
    let finished = text("how") == "finished";
    Ok(RehearsedCall { body: text("body"), began: time("began_ms"), ended: time("ended_ms"), finished })
}
