//! A door with OpenAI's interface in front of a rehearsal server, as vLLM and others have it.
use crate::http::http_send;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a client may take for its request.
const PATIENCE: Duration = Duration::from_secs(30);

/// A request as it came to a door.
#[derive(Clone, Debug, PartialEq)]
pub struct DoorCall {
    /// The path.
    pub target: String,
    /// The header lines, with their names in lower case.
    pub headers: Vec<String>,
    /// The body; null where there is none.
    pub body: Value,
}

impl DoorCall {
    /// The key that came with it.
    pub fn key(&self) -> Option<&str> {
        self.headers.iter().find_map(|line| line.strip_prefix("authorization: Bearer "))
    }
}

/// What a door does with a request.
#[derive(Clone, Debug)]
enum DoorPolicy {
    /// Passes it on to the rehearsal server at `host:port`.
    Pass(String),
    /// Refuses it, repeating the key.
    Refuse,
    /// Sends the client elsewhere.
    Redirect(String),
}

struct DoorState {
    habit: DoorPolicy,
    models: String,
    calls: Mutex<Vec<DoorCall>>,
}

/// A listener on a free loopback port. Ends when dropped.
pub struct OpenAiDoor {
    port: u16,
    behind: Arc<DoorState>,
    ended: Arc<AtomicBool>,
    serving: Option<JoinHandle<()>>,
}

impl OpenAiDoor {
    /// Starts to pass calls of these models on to the rehearsal server at `host:port`.
    pub fn start(rehearsal: &str, models: &[&str]) -> Result<Self> {
        Self::with(DoorPolicy::Pass(rehearsal.to_owned()), models)
    }
    /// Starts to refuse every call, repeating the key that came with it.
    pub fn refusing() -> Result<Self> {
        Self::with(DoorPolicy::Refuse, &[])
    }
    /// Starts to send every client to another address.
    pub fn redirecting(to: &str) -> Result<Self> {
        Self::with(DoorPolicy::Redirect(to.to_owned()), &[])
    }

    fn with(habit: DoorPolicy, models: &[&str]) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port for the door")?;
        let port = listener.local_addr()?.port();
        let models: Vec<Value> = models.iter().map(|model| json!({"id": model})).collect();
        let behind =
            Arc::new(DoorState { habit, models: json!({"data": models}).to_string(), calls: Mutex::default() });
        let ended = Arc::<AtomicBool>::default();
        let serving = Some(std::thread::spawn({
            let (ended, behind) = (Arc::clone(&ended), Arc::clone(&behind));
            move || {
                for stream in listener.incoming().map_while(|stream| (!ended.load(Ordering::Relaxed)).then_some(stream))
                {
                    let behind = Arc::clone(&behind);
                    // a client that hangs up wants no answer any more
                    std::thread::spawn(move || {
                        stream.map_err(Into::into).and_then(|stream| answer(stream, &behind)).ok()
                    });
                }
            }
        }));
        Ok(Self { port, behind, ended, serving })
    }

    /// Where it listens.
    pub fn port(&self) -> u16 {
        self.port
    }
    /// Its address.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }
    /// What came in.
    pub fn calls(&self) -> Vec<DoorCall> {
        self.behind.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for OpenAiDoor {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
        // wakes the listener, which looks at the flag; where it is gone already there is nothing to wake
        TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).ok();
        if let Some(serving) = self.serving.take() {
            serving.join().ok();
        }
    }
}

fn answer(mut stream: TcpStream, behind: &DoorState) -> Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let (call, length) = head(&mut reader)?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let call = DoorCall { body: serde_json::from_slice(&body).unwrap_or_default(), ..call };
    behind.calls.lock().unwrap_or_else(PoisonError::into_inner).push(call.clone());
    let (status, more, said) = match (&behind.habit, call.target.as_str()) {
        (DoorPolicy::Refuse, _) => {
            let message = format!("Incorrect API key provided: {}", call.key().unwrap_or_default());
            ("401 Unauthorized", String::new(), json!({"error": {"message": message}}).to_string())
        }
        (DoorPolicy::Redirect(to), target) => {
            ("307 Temporary Redirect", format!("location: {to}{target}\r\n"), String::new())
        }
        (DoorPolicy::Pass(_), "/v1/models") => ("200 OK", String::new(), behind.models.clone()),
        (DoorPolicy::Pass(rehearsal), "/v1/chat/completions") => {
            ("200 OK", String::new(), chat(rehearsal, &call.body)?)
        }
        (DoorPolicy::Pass(_), other) => bail!("{other} is not served"),
    };
    let head = format!("HTTP/1.1 {status}\r\ncontent-type: application/json\r\nconnection: close\r\n{more}");
    write!(stream, "{head}content-length: {}\r\n\r\n{said}", said.len())?;
    Ok(())
}

/// A request without its body, whose length it says.
fn head(reader: &mut impl BufRead) -> Result<(DoorCall, usize)> {
    let mut lines = reader.lines();
    let first = lines.next().context("no request")??;
    let target = first.split(' ').nth(1).context("no target")?.to_owned();
    let (mut length, mut headers) = (0, Vec::new());
    while let Some(line) = lines.next().transpose()?.filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once(':').context("no header")?;
        let name = name.to_ascii_lowercase();
        if name == "content-length" {
            length = value.trim().parse().with_context(|| format!("{name} is no number"))?;
        }
        headers.push(format!("{name}: {}", value.trim()));
    }
    Ok((DoorCall { target, headers, body: Value::Null }, length))
}

/// One call in one document, which clients take in place of a stream.
fn chat(rehearsal: &str, asked: &Value) -> Result<String> {
    let asks = |key: &str| field(asked, key);
    let limit = if asks("max_tokens").is_null() { asks("max_completion_tokens") } else { asks("max_tokens") };
    let options = json!({"num_predict": limit, "seed": asks("seed"), "temperature": asks("temperature")});
    let format = asked.pointer("/response_format/json_schema/schema").cloned().unwrap_or_default();
    let body = json!({
        "model": asks("model"), "messages": asks("messages"), "format": format, "stream": false, "options": options,
    });
    let said: Value = serde_json::from_str(&http_send("POST", rehearsal, "/api/chat", &body.to_string())?)?;
    let says = |key: &str| field(&said, key);
    let usage = json!({"prompt_tokens": says("prompt_eval_count"), "completion_tokens": says("eval_count")});
    let choice = json!({"index": 0, "message": says("message"), "finish_reason": says("done_reason")});
    Ok(json!({"model": says("model"), "choices": [choice], "usage": usage}).to_string())
}

fn field(value: &Value, key: &str) -> Value {
    value.get(key).cloned().unwrap_or_default()
}
