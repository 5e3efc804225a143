//! A server that answers as a test says: badly, late, or never.
use anyhow::{Context, Result};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a client may take for its request.
const PATIENCE: Duration = Duration::from_secs(30);

/// What a stub does with a request.
#[derive(Clone, Debug)]
pub enum StubAnswer {
    /// Answers with this status (`200 OK`), these header lines (each ended by `\r\n`) and this body.
    Reply(&'static str, String, String),
    /// Writes these bytes, which need not be HTTP.
    Raw(Vec<u8>),
    /// Keeps the connection, and says nothing.
    Silence,
}

impl StubAnswer {
    /// A document of JSON.
    pub fn json(body: &serde_json::Value) -> Self {
        Self::Reply("200 OK", "content-type: application/json\r\n".to_owned(), body.to_string())
    }
}

/// Both ends of a connection.
pub trait Duplex: Read + Write + Send {}
impl<T: Read + Write + Send> Duplex for T {}

type Wrap = dyn Fn(TcpStream) -> Box<dyn Duplex> + Send + Sync;
type AnswerScript = dyn Fn(&str, &str) -> StubAnswer + Send + Sync;

/// A listener. Ends when dropped.
pub struct HttpStub {
    address: String,
    ended: Arc<AtomicBool>,
    serving: Option<JoinHandle<()>>,
}

impl HttpStub {
    /// Listens on a free loopback port; `script` gets the target and the header lines of each request.
    pub fn start(script: impl Fn(&str, &str) -> StubAnswer + Send + Sync + 'static) -> Result<Self> {
        Self::start_at("127.0.0.1:0", |stream| Box::new(stream), script)
    }

    /// The same at an address of the test's choice, over what `wrap` makes of each connection.
    pub fn start_at(
        address: impl ToSocketAddrs,
        wrap: impl Fn(TcpStream) -> Box<dyn Duplex> + Send + Sync + 'static,
        script: impl Fn(&str, &str) -> StubAnswer + Send + Sync + 'static,
    ) -> Result<Self> {
        let listener = TcpListener::bind(address).context("no port for the stub")?;
        let address = listener.local_addr()?.to_string();
        let ended = Arc::<AtomicBool>::default();
        let (wrap, script): (Arc<Wrap>, Arc<AnswerScript>) = (Arc::new(wrap), Arc::new(script));
        let serving = Some(std::thread::spawn({
            let ended = Arc::clone(&ended);
            move || {
                let mut silent = Vec::new();
                for stream in listener.incoming().map_while(|stream| (!ended.load(Ordering::Relaxed)).then_some(stream))
                {
                    let Ok(stream) = stream else { continue };
                    // one after another is enough: a client that is left without an answer is kept aside
                    silent.extend(converse(wrap(patiently(stream)), script.as_ref()).ok().flatten());
                }
            }
        }));
        Ok(Self { address, ended, serving })
    }

    /// `host:port`
    pub fn address(&self) -> &str {
        &self.address
    }
    /// `http://host:port`
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for HttpStub {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        // wakes the listener, which looks at the flag; where it is gone already there is nothing to wake
        TcpStream::connect(&self.address).ok();
        if let Some(serving) = self.serving.take() {
            serving.join().ok();
        }
    }
}

/// Answers one request; gives the connection back where nothing is to be said.
fn converse(line: Box<dyn Duplex>, script: &AnswerScript) -> Result<Option<Box<dyn Duplex>>> {
    let mut reader = BufReader::new(line);
    let (mut head, mut length) = (String::new(), 0_usize);
    loop {
        let mut one = String::new();
        if reader.read_line(&mut one)? == 0 {
            return Ok(None);
        }
        if one.trim().is_empty() {
            break;
        }
        let lower = one.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse()?;
        }
        head.push_str(&lower);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let target = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let mut line = reader.into_inner();
    match script(&target, &head) {
        StubAnswer::Reply(status, headers, body) => {
            let size = body.len();
            write!(line, "HTTP/1.1 {status}\r\n{headers}content-length: {size}\r\nconnection: close\r\n\r\n{body}")?;
        }
        StubAnswer::Raw(bytes) => line.write_all(&bytes)?,
        StubAnswer::Silence => return Ok(Some(line)),
    }
    line.flush()?;
    Ok(None)
}

fn patiently(stream: TcpStream) -> TcpStream {
    stream.set_read_timeout(Some(PATIENCE)).ok();
    stream
}
