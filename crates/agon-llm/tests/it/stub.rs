//! A server that writes exact bytes: chunk boundaries, pauses, FIN, RST, and notice of a client that leaves.

use std::sync::{Arc, Mutex};

use agon_llm::Endpoint;
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

/// What the stub does next on a connection.
#[derive(Clone)]
pub enum StubStep {
    /// Writes these bytes at once.
    Send(Vec<u8>),
    /// Waits until the client sees fit to say something, which it does only by leaving.
    AwaitDeparture,
    /// Says nothing for so long.
    Pause(std::time::Duration),
    /// Ends the connection in order.
    Fin,
    /// Tears the connection down.
    Rst,
}

/// A request as it arrived.
#[derive(Clone, Debug)]
pub struct StubRequest {
    /// Which request of its connection it is, from 1.
    pub nth: usize,
    pub line: String,
    pub headers: String,
    pub body: Vec<u8>,
}

impl StubRequest {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }
}

#[derive(Default)]
pub struct StubLog {
    pub connections: usize,
    pub requests: Vec<StubRequest>,
}

/// What became of a connection that the stub held open.
#[derive(Debug, PartialEq, Eq)]
pub enum ConnectionFate {
    Request,
    Departed,
}

pub struct Stub {
    pub address: String,
    pub log: Arc<Mutex<StubLog>>,
    pub seen: mpsc::UnboundedReceiver<ConnectionFate>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for Stub {
    fn drop(&mut self) {
        self.task.abort();
    }
}

type StubScript = dyn Fn(&StubRequest) -> Vec<StubStep> + Send + Sync;

impl Stub {
    /// Answers every request with the steps that `script` gives for it.
    pub async fn serve(script: impl Fn(&StubRequest) -> Vec<StubStep> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let log = Arc::new(Mutex::new(StubLog::default()));
        let (tell, seen) = mpsc::unbounded_channel();
        let script: Arc<StubScript> = Arc::new(script);
        let task = tokio::spawn(accept(listener, script, Arc::clone(&log), tell));
        Self { address, log, seen, task }
    }

    /// Answers every request with the same bytes.
    pub async fn always(bytes: impl Into<Vec<u8>>) -> Self {
        let bytes = bytes.into();
        Self::serve(move |_| vec![StubStep::Send(bytes.clone())]).await
    }

    pub fn ollama(&self) -> Endpoint {
        Endpoint::ollama(&format!("http://{}", self.address)).unwrap()
    }

    pub fn open_ai(&self) -> Endpoint {
        Endpoint::open_ai(&format!("http://{}", self.address)).unwrap()
    }

    pub fn requests(&self) -> Vec<StubRequest> {
        self.log.lock().unwrap().requests.clone()
    }

    pub fn connections(&self) -> usize {
        self.log.lock().unwrap().connections
    }
}

async fn accept(
    listener: TcpListener,
    script: Arc<StubScript>,
    log: Arc<Mutex<StubLog>>,
    tell: mpsc::UnboundedSender<ConnectionFate>,
) {
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((socket, _)) = listener.accept().await {
        log.lock().unwrap().connections += 1;
        connections.spawn(converse(socket, Arc::clone(&script), Arc::clone(&log), tell.clone()));
    }
}

async fn converse(
    mut socket: TcpStream,
    script: Arc<StubScript>,
    log: Arc<Mutex<StubLog>>,
    tell: mpsc::UnboundedSender<ConnectionFate>,
) -> Option<()> {
    socket.set_nodelay(true).ok()?;
    for nth in 1.. {
        let request = StubRequest { nth, ..receive(&mut socket).await? };
        log.lock().unwrap().requests.push(request.clone());
        tell.send(ConnectionFate::Request).ok();
        for step in script(&request) {
            match step {
                StubStep::Send(bytes) => socket.write_all(&bytes).await.ok()?,
                StubStep::Pause(pause) => tokio::time::sleep(pause).await,
                StubStep::AwaitDeparture => {
                    let left = socket.read(&mut [0; 16]).await;
                    assert!(matches!(left, Ok(0) | Err(_)), "the client spoke out of turn");
                    tell.send(ConnectionFate::Departed).ok();
                    return None;
                }
                StubStep::Fin => return socket.shutdown().await.ok(),
                StubStep::Rst => return socket.set_zero_linger().ok(),
            }
        }
    }
    None
}

async fn receive(socket: &mut TcpStream) -> Option<StubRequest> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if socket.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).unwrap();
    let (line, headers) = head.split_once("\r\n").unwrap();
    let headers = headers.to_lowercase();
    let length = headers.lines().find_map(|header| header.strip_prefix("content-length: "));
    let length: usize = length.map_or(0, |length| length.parse().unwrap());
    let mut body = bytes.split_off(head_end);
    while body.len() < length {
        if socket.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(StubRequest { nth: 0, line: line.to_owned(), headers, body })
}

/// A response of known length.
pub fn response(status: u16, content_type: &str, body: &str) -> Vec<u8> {
    let length = body.len();
    format!("HTTP/1.1 {status} X\r\nContent-Type: {content_type}\r\nContent-Length: {length}\r\n\r\n{body}")
        .into_bytes()
}

/// A JSON document.
pub fn json(body: &Value) -> Vec<u8> {
    response(200, "application/json", &body.to_string())
}

/// The head of a response that is sent in chunks.
pub fn chunked_head(content_type: &str) -> Vec<u8> {
    format!("HTTP/1.1 200 OK\r\nContent-Type: {content_type}\r\nTransfer-Encoding: chunked\r\n\r\n").into_bytes()
}

/// One chunk.
pub fn chunk(bytes: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}

/// The end of chunks.
pub const LAST_CHUNK: &[u8] = b"0\r\n\r\n";
