//! A rehearsal server as a process of its own, and what it has counted.
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde::Deserialize;

/// The server process; stopped when dropped.
pub struct RehearsalProcess {
    process: Child,
    /// Its address, as `http://host:port`.
    pub url: String,
}

/// What the server has counted since the last reset.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct RehearsalStats {
    /// Chat calls that arrived.
    pub chat_calls: u64,
    /// Chat calls that were answered to their end.
    pub finished_calls: u64,
    /// Chat calls that are being answered.
    pub in_flight: u64,
    /// Prompt tokens without any cache.
    pub naive_prompt_tokens: u64,
    /// Prompt tokens that the modelled cache did not spare.
    pub evaluated_prompt_tokens: u64,
}

impl RehearsalProcess {
    /// Starts `agon rehearsal` on a free loopback port.
    pub fn start(agon: &Path, options: &[&str]) -> Result<Self> {
        let mut command = Command::new(agon);
        command
            .args(["rehearsal", "--listen", "127.0.0.1:0"])
            .args(options)
            .stdin(Stdio::null())
            .stdout(Stdio::piped());
        let mut process = command.spawn().context("cannot start the rehearsal server")?;
        let output = process.stdout.take().context("the rehearsal server has no stdout")?;
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).context("the rehearsal server printed nothing")?;
        let url = line.split_whitespace().find(|word| word.starts_with("http://")).map(str::to_owned);
        let Some(url) = url else {
            let _ = process.kill();
            bail!("the rehearsal server did not print its address but {line:?}");
        };
        Ok(Self { process, url: url.trim_end_matches('/').to_owned() })
    }

    /// What it has counted.
    pub fn stats(&self) -> Result<RehearsalStats> {
        let body = self.ask("GET", "/rehearsal/stats")?;
        serde_json::from_str(&body).context("the rehearsal server's counts are not as expected")
    }

    /// Counts from zero again, with an empty prompt cache.
    pub fn reset(&self) -> Result<()> {
        self.ask("POST", "/rehearsal/reset").map(|_| ())
    }

    fn ask(&self, method: &str, path: &str) -> Result<String> {
        let address = self.url.trim_start_matches("http://");
        let mut stream = TcpStream::connect(address).context("the rehearsal server is gone")?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        write!(stream, "{method} {path} HTTP/1.0\r\nhost: {address}\r\ncontent-length: 0\r\n\r\n")?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        let (head, body) = answer.split_once("\r\n\r\n").context("the rehearsal server did not answer in HTTP")?;
        if !head.contains(" 200 ") && !head.contains(" 204 ") {
            bail!("{path}: {}", head.lines().next().unwrap_or(head));
        }
        Ok(body.to_owned())
    }
}

impl Drop for RehearsalProcess {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
