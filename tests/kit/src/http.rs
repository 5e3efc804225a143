//! One plain HTTP request, as much as tests need.
use anyhow::{Context, Result, bail};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(30);

/// The body of the answer to `GET path` at `host:port`.
pub fn http_get(address: &str, path: &str) -> Result<String> {
    http_ask("GET", address, path)
}

/// The body of the answer to any method without a body.
pub(crate) fn http_ask(method: &str, address: &str, path: &str) -> Result<String> {
    http_send(method, address, path, "")
}

/// The body of the answer to any method.
pub(crate) fn http_send(method: &str, address: &str, path: &str, body: &str) -> Result<String> {
    let mut stream = TcpStream::connect(address).with_context(|| format!("nobody listens at {address}"))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    write!(stream, "{method} {path} HTTP/1.0\r\nhost: {address}\r\ncontent-length: {}\r\n\r\n{body}", body.len())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (head, body) = answer.split_once("\r\n\r\n").context("the answer is no HTTP")?;
    if !head.contains(" 200 ") && !head.contains(" 204 ") {
        bail!("{path}: {}", head.lines().next().unwrap_or(head));
    }
    Ok(body.to_owned())
}
