//! A small HTTP/1.1 client that hides nothing: a cut body is a cut body.

use std::{io, net::SocketAddr};

use serde_json::Value;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

/// What came back.
#[derive(Debug)]
pub struct HttpReply {
    pub status: u16,
    pub head: String,
    pub body: String,
    /// Whether the body came to its proper end.
    pub complete: bool,
    /// What the socket said after the last byte, other than a plain end.
    pub error: Option<io::ErrorKind>,
}

impl HttpReply {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    pub fn lines(&self) -> Vec<Value> {
        self.body.lines().map(|line| serde_json::from_str(line).unwrap_or(Value::Null)).collect()
    }

    /// The text of all lines.
    pub fn text(&self) -> String {
        self.lines().iter().filter_map(|line| line["message"]["content"].as_str()).collect()
    }

    pub fn last(&self) -> Value {
        self.lines().pop().unwrap_or(Value::Null)
    }
}

pub async fn post(addr: SocketAddr, path: &str, body: &Value) -> io::Result<HttpReply> {
    call(addr, "POST", path, &body.to_string()).await
}

pub async fn get(addr: SocketAddr, path: &str) -> HttpReply {
    call(addr, "GET", path, "").await.unwrap()
}

/// Sends a request and leaves the connection open.
pub async fn send(addr: SocketAddr, method: &str, path: &str, body: &str) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(addr).await?;
    let head =
        format!("{method} {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
    stream.write_all((head + body).as_bytes()).await?;
    Ok(stream)
}

pub async fn call(addr: SocketAddr, method: &str, path: &str, body: &str) -> io::Result<HttpReply> {
    let mut stream = send(addr, method, path, body).await?;
    let mut bytes = Vec::new();
    let error = stream.read_to_end(&mut bytes).await.err().map(|error| error.kind());
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let Some((head, rest)) = text.split_once("\r\n\r\n") else {
        return Err(error.unwrap_or(io::ErrorKind::UnexpectedEof).into());
    };
    let head = head.to_lowercase();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let (body, complete) = if head.contains("transfer-encoding: chunked") {
        dechunk(rest)
    } else {
        let length = head.split("content-length: ").nth(1).map_or(0, |n| n.lines().next().unwrap().parse().unwrap());
        (rest.to_owned(), method == "HEAD" || rest.len() == length)
    };
    Ok(HttpReply { status, head, body, complete, error })
}

fn dechunk(mut rest: &str) -> (String, bool) {
    let mut body = String::new();
    while let Some((size, after)) = rest.split_once("\r\n") {
        let size = usize::from_str_radix(size, 16).unwrap();
        if size == 0 {
            return (body, true);
        }
        let Some(data) = after.get(..size) else {
            body.push_str(after);
            return (body, false);
        };
        body.push_str(data);
        rest = after.get(size + 2..).unwrap_or_default();
    }
    (body, false)
}
