//! A server that speaks Ollama's protocol and misbehaves in one way.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::{Value, json};

/// What a server does with calls; lists and versions it always gives, except where the name says otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misbehaviour {
    Well,
    NeverAnswers,
    NeverAnswersAnything,
    Refuses,
    Fails,
    Busy,
    HeadersAlone,
    HalfAnAnswer,
    Trickles,
    Malformed,
    Empty,
    Endless,
    Closes,
    ModelGone,
    DeadEmbeddings,
    SlowLoad,
}

impl Misbehaviour {
    /// The well one first.
    pub const ALL: [Self; 16] = [
        Self::Well,
        Self::NeverAnswers,
        Self::NeverAnswersAnything,
        Self::Refuses,
        Self::Fails,
        Self::Busy,
        Self::HeadersAlone,
        Self::HalfAnAnswer,
        Self::Trickles,
        Self::Malformed,
        Self::Empty,
        Self::Endless,
        Self::Closes,
        Self::ModelGone,
        Self::DeadEmbeddings,
        Self::SlowLoad,
    ];

    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::Well => "answers as it should",
            Self::NeverAnswers => "accepts calls and never answers them",
            Self::NeverAnswersAnything => "from the first call on accepts connections and never answers anything",
            Self::Refuses => "is gone from the first call on: connections are refused",
            Self::Fails => "500 to every call",
            Self::Busy => "503 to every call",
            Self::HeadersAlone => "headers, then silence",
            Self::HalfAnAnswer => "half an answer, then silence",
            Self::Trickles => "a word every 1.5 s, where 1 s is allowed",
            Self::Malformed => "JSON that breaks off in a line",
            Self::Empty => "empty answers",
            Self::Endless => "an answer without end",
            Self::Closes => "closes the connection in the middle of an answer",
            Self::ModelGone => "404 from the second call on: the model was removed",
            Self::DeadEmbeddings => "the embedding model never answers",
            Self::SlowLoad => "loads the model for 5 s, then answers",
        }
    }
}

/// How long a well server takes for an answer.
const ANSWER: Duration = Duration::from_millis(150);
const LOAD: Duration = Duration::from_secs(5);
/// How long a client may take for its request.
const PATIENCE: Duration = Duration::from_secs(10);
/// A connection that is held open ends with its client, and after this at the latest.
const HELD: Duration = Duration::from_secs(120);

/// A listener on a free loopback port. Ends when dropped.
pub struct MisbehavingServer {
    port: u16,
    state: Arc<State>,
}

struct State {
    kind: Misbehaviour,
    model: String,
    calls: AtomicU64,
    /// Nothing more is accepted.
    closed: AtomicBool,
    /// When the first call came.
    first: Mutex<Option<Instant>>,
}

impl MisbehavingServer {
    /// Starts a server that has one model.
    pub fn start(kind: Misbehaviour, model: &str) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port for a server")?;
        let port = listener.local_addr()?.port();
        let (calls, closed) = (AtomicU64::new(0), AtomicBool::new(false));
        let state = Arc::new(State { kind, model: model.to_owned(), calls, closed, first: Mutex::default() });
        let serving = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if serving.closed.load(Ordering::SeqCst) {
                    return;
                }
                let state = Arc::clone(&serving);
                // a client that hangs up early wanted nothing
                std::thread::spawn(move || stream.map_err(Into::into).and_then(|stream| state.answer(stream, port)));
            }
        });
        Ok(Self { port, state })
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for MisbehavingServer {
    fn drop(&mut self) {
        self.state.close(self.port);
    }
}

impl State {
    fn close(&self, port: u16) {
        self.closed.store(true, Ordering::SeqCst);
        // wakes the listener, which looks at the flag; where it is gone already there is nothing to wake
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, port));
    }

    fn answer(&self, mut stream: TcpStream, port: u16) -> Result<()> {
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        let (path, body) = request(&mut stream)?;
        let called = self.calls.load(Ordering::SeqCst) > 0;
        if self.kind == Misbehaviour::NeverAnswersAnything && called {
            return hold(&mut stream);
        }
        let details = json!({"name": self.model, "model": self.model, "digest": "d1", "size": 1, "details": {}});
        match path.as_str() {
            "/api/version" => whole(&mut stream, 200, &json!({"version": "0.34.1"})),
            "/api/tags" => whole(&mut stream, 200, &json!({"models": [details]})),
            "/api/ps" => {
                std::thread::sleep(self.left_to_load());
                whole(&mut stream, 200, &json!({"models": [details]}))
            }
            "/api/show" => whole(&mut stream, 200, &json!({"capabilities": ["completion"], "model_info": {}})),
            "/api/embed" => hold(&mut stream),
            "/api/chat" if body.get("messages").and_then(Value::as_array).is_some_and(Vec::is_empty) => {
                std::thread::sleep(self.left_to_load());
                whole(&mut stream, 200, &json!({"model": self.model, "done": true, "done_reason": "load"}))
            }
            "/api/chat" => self.chat(stream, port),
            _ => whole(&mut stream, 404, &json!({"error": "404 page not found"})),
        }
    }

    /// How much of the load is to come; it begins with the first call that wants the model.
    fn left_to_load(&self) -> Duration {
        if self.kind != Misbehaviour::SlowLoad {
            return Duration::ZERO;
        }
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        LOAD.saturating_sub(first.get_or_insert_with(Instant::now).elapsed())
    }

    fn chat(&self, mut stream: TcpStream, port: u16) -> Result<()> {
        let call = self.calls.fetch_add(1, Ordering::SeqCst);
        match self.kind {
            Misbehaviour::Well | Misbehaviour::DeadEmbeddings => self.speak(&mut stream, call),
            Misbehaviour::NeverAnswers | Misbehaviour::NeverAnswersAnything => hold(&mut stream),
            Misbehaviour::Refuses => {
                self.close(port);
                Ok(())
            }
            Misbehaviour::Fails => whole(&mut stream, 500, &json!({"error": "something broke"})),
            Misbehaviour::Busy => whole(&mut stream, 503, &json!({"error": "server busy, please try again"})),
            Misbehaviour::HeadersAlone => {
                head(&mut stream)?;
                hold(&mut stream)
            }
            Misbehaviour::HalfAnAnswer => {
                head(&mut stream)?;
                self.say(&mut stream, "The bridge")?;
                hold(&mut stream)
            }
            Misbehaviour::Trickles => self.say_on(&mut stream, Duration::from_millis(1_500)),
            Misbehaviour::Endless => self.say_on(&mut stream, Duration::from_millis(50)),
            Misbehaviour::Malformed => {
                head(&mut stream)?;
                chunk(&mut stream, "{\"message\":{\"content\":\n")?;
                Ok(stream.write_all(b"0\r\n\r\n")?)
            }
            Misbehaviour::Empty => {
                head(&mut stream)?;
                self.end(&mut stream)
            }
            Misbehaviour::Closes => {
                head(&mut stream)?;
                self.say(&mut stream, "The bridge")
                // closed without the last chunk
            }
            Misbehaviour::ModelGone if call > 0 => {
                whole(&mut stream, 404, &json!({"error": format!("model '{}' not found", self.model)}))
            }
            Misbehaviour::ModelGone => self.speak(&mut stream, call),
            Misbehaviour::SlowLoad => {
                std::thread::sleep(self.left_to_load());
                self.speak(&mut stream, call)
            }
        }
    }

    /// A speech of words that no other speech has.
    fn speak(&self, stream: &mut TcpStream, call: u64) -> Result<()> {
        std::thread::sleep(ANSWER);
        head(stream)?;
        for n in 0..12 {
            let word = (call + 1).wrapping_mul(7_919).wrapping_add(n * 104_729).wrapping_mul(2_654_435_761);
            self.say(stream, &format!("w{}{:x} ", self.model.len(), word % 0xff_ffff))?;
        }
        self.end(stream)
    }

    fn say_on(&self, stream: &mut TcpStream, pause: Duration) -> Result<()> {
        head(stream)?;
        let until = Instant::now() + HELD;
        while Instant::now() < until {
            self.say(stream, "and ")?;
            std::thread::sleep(pause);
        }
        Ok(())
    }

    fn say(&self, stream: &mut TcpStream, text: &str) -> Result<()> {
        let message = json!({"role": "assistant", "content": text});
        chunk(stream, &format!("{}\n", json!({"model": self.model, "message": message, "done": false})))
    }

    fn end(&self, stream: &mut TcpStream) -> Result<()> {
        let message = json!({"role": "assistant", "content": ""});
        let last = json!({"model": self.model, "message": message, "done": true, "done_reason": "stop"});
        chunk(stream, &format!("{last}\n"))?;
        Ok(stream.write_all(b"0\r\n\r\n")?)
    }
}

/// The path and the body of a request.
fn request(stream: &mut TcpStream) -> Result<(String, Value)> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
            });
            if body.len() >= length.unwrap_or(0) {
                let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
                return Ok((path, serde_json::from_str(body).unwrap_or_default()));
            }
        }
        let read = stream.read(&mut buffer)?;
        anyhow::ensure!(read > 0, "the client hung up");
        bytes.extend_from_slice(buffer.get(..read).unwrap_or_default());
    }
}

/// Keeps a connection open until its client leaves.
fn hold(stream: &mut TcpStream) -> Result<()> {
    stream.set_read_timeout(Some(HELD))?;
    // whatever comes, or the end of it
    let _ = stream.read(&mut [0; 1]);
    Ok(())
}

fn whole(stream: &mut TcpStream, status: u16, body: &Value) -> Result<()> {
    let body = body.to_string();
    let head = format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nconnection: close\r\n");
    Ok(write!(stream, "{head}content-length: {}\r\n\r\n{body}", body.len())?)
}

fn head(stream: &mut TcpStream) -> Result<()> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\nconnection: close\r\n";
    Ok(write!(stream, "{head}transfer-encoding: chunked\r\n\r\n")?)
}

fn chunk(stream: &mut TcpStream, text: &str) -> Result<()> {
    Ok(write!(stream, "{:x}\r\n{text}\r\n", text.len())?)
}
