//! A client of NATS that speaks its protocol by hand, so that every refusal is seen as the server says it.
use crate::support::PATIENCE;
use serde_json::json;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;

/// A connection.
pub struct NatsWire {
    stream: BufReader<TcpStream>,
    /// Subjects of messages that came, and what they say.
    pub heard: Vec<(String, String)>,
    listeners: usize,
}

impl NatsWire {
    /// Connects as a user, or as nobody; the error is the server's.
    pub fn connect(port: u16, user: Option<(&str, &str)>) -> Result<Self, String> {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut wire = Self { stream: BufReader::new(stream), heard: Vec::new(), listeners: 0 };
        let mut options = json!({"verbose": false, "pedantic": false, "lang": "test", "version": "1", "headers": true, "no_responders": true});
        if let Some((user, password)) = user {
            options["user"] = user.into();
            options["pass"] = password.into();
        }
        let refusals = wire.send(&format!("CONNECT {options}\r\n"));
        match refusals.into_iter().next() {
            Some(refusal) => Err(refusal),
            None => Ok(wire),
        }
    }

    /// Sends to a subject; what the server says against it.
    pub fn publish(&mut self, subject: &str, body: &str) -> Vec<String> {
        self.send(&format!("PUB {subject} {}\r\n{body}\r\n", body.len()))
    }
    /// The same, with a subject for the answer.
    pub fn ask(&mut self, subject: &str, reply: &str, body: &str) -> Vec<String> {
        self.send(&format!("PUB {subject} {reply} {}\r\n{body}\r\n", body.len()))
    }
    /// Listens to a subject; what the server says against it.
    pub fn listen(&mut self, subject: &str) -> Vec<String> {
        self.listeners += 1;
        let id = self.listeners;
        self.send(&format!("SUB {subject} {id}\r\n"))
    }
    /// Waits until the server has handled and sent everything up to now.
    pub fn settle(&mut self) {
        self.send("");
    }
    /// Waits for a message.
    pub fn hear(&mut self) -> (String, String) {
        while self.heard.is_empty() {
            let line = self.line();
            self.take(&line);
        }
        self.heard.remove(0)
    }

    fn send(&mut self, what: &str) -> Vec<String> {
        // a server that refuses has closed the connection by then
        self.stream.get_mut().write_all(format!("{what}PING\r\n").as_bytes()).ok();
        let mut refusals = Vec::new();
        loop {
            let line = self.line();
            match line.split_whitespace().next() {
                Some("PONG") | None => return refusals,
                Some("-ERR") => refusals.push(line),
                Some(_) => self.take(&line),
            }
        }
    }

    fn take(&mut self, line: &str) {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            ["PING"] => self.stream.get_mut().write_all(b"PONG\r\n").unwrap(),
            ["MSG" | "HMSG", subject, .., bytes] => {
                let mut body = vec![0; bytes.parse::<usize>().unwrap() + 2];
                self.stream.read_exact(&mut body).unwrap();
                self.heard.push(((*subject).to_owned(), String::from_utf8_lossy(&body).trim_end().to_owned()));
            }
            _ => {}
        }
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        // an end without a line is that of a connection which was closed
        self.stream.read_line(&mut line).unwrap_or_default();
        line.trim_end().to_owned()
    }
}
