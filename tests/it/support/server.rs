//! `agon rehearsal` as a process of its own.
use super::{PATIENCE, RunningProgram, World};
use serde_json::Value;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Instant;

/// A rehearsal server on a free port.
pub struct RehearsalServerProcess {
    pub running: RunningProgram,
    pub url: String,
}

impl RehearsalServerProcess {
    pub fn start(world: &World, options: &[&str]) -> Self {
        let running =
            RunningProgram::start(world.command(&[&["rehearsal", "--listen", "127.0.0.1:0"], options].concat()));
        let url = running.line().expect("the server prints its address");
        assert!(url.starts_with("http://127.0.0.1:"), "{url}");
        Self { running, url }
    }

    pub fn stats(&self) -> Value {
        serde_json::from_str(&self.ask("GET", "/rehearsal/stats")).unwrap()
    }

    pub fn count(&self, name: &str) -> u64 {
        self.stats()[name].as_u64().unwrap()
    }

    pub fn reset(&self) {
        self.ask("POST", "/rehearsal/reset");
    }

    /// Waits until the calls of a client that is gone have ended.
    pub fn until_idle(&self) {
        let deadline = Instant::now() + PATIENCE;
        while self.count("in_flight") > 0 {
            assert!(Instant::now() < deadline, "the server still works on calls of a dead client");
            std::thread::yield_now();
        }
    }

    fn ask(&self, method: &str, path: &str) -> String {
        let address = self.url.trim_start_matches("http://");
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "{method} {path} HTTP/1.0\r\nhost: {address}\r\ncontent-length: 0\r\n\r\n").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split_once("\r\n\r\n").unwrap().1.to_owned()
    }
}
