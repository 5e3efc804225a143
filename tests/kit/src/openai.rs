//! A door with OpenAI's interface in front of a rehearsal server, as vLLM and others have it.
use crate::http::http_send;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a client may take for its request.
const PATIENCE: Duration = Duration::from_secs(30);

/// A listener on a free loopback port. Ends when dropped.
pub struct OpenAiDoor {
    port: u16,
    ended: Arc<AtomicBool>,
    serving: Option<JoinHandle<()>>,
}

impl OpenAiDoor {
    /// Starts to pass calls of these models on to the rehearsal server at `host:port`.
    pub fn start(rehearsal: &str, models: &[&str]) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port for the door")?;
        let port = listener.local_addr()?.port();
        let models: Vec<Value> = models.iter().map(|model| json!({"id": model})).collect();
        let behind = Arc::new((rehearsal.to_owned(), json!({"data": models}).to_string()));
        let ended = Arc::<AtomicBool>::default();
        let serving = Some(std::thread::spawn({
            let ended = Arc::clone(&ended);
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
        Ok(Self { port, ended, serving })
    }

    /// Where it listens.
    pub fn port(&self) -> u16 {
        self.port
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

fn answer(mut stream: TcpStream, (rehearsal, models): &(String, String)) -> Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream.try_clone()?);
    let (target, length) = head(&mut reader)?;
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let said = match target.as_str() {
        "/v1/models" => models.clone(),
        "/v1/chat/completions" => chat(rehearsal, &serde_json::from_slice(&body)?)?,
        other => bail!("{other} is not served"),
    };
    let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
    write!(stream, "{head}content-length: {}\r\n\r\n{said}", said.len())?;
    Ok(())
}

/// The target of a request, and the length of its body.
fn head(reader: &mut impl BufRead) -> Result<(String, usize)> {
    let mut lines = reader.lines();
    let first = lines.next().context("no request")??;
    let target = first.split(' ').nth(1).context("no target")?.to_owned();
    let mut length = 0;
    while let Some(line) = lines.next().transpose()?.filter(|line| !line.is_empty()) {
        if let Some((name, value)) =
            line.split_once(':').filter(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        {
            length = value.trim().parse().with_context(|| format!("{name} is no number"))?;
        }
    }
    Ok((target, length))
}

/// One call in one document, which clients take in place of a stream.
fn chat(rehearsal: &str, asked: &Value) -> Result<String> {
    let asks = |key: &str| field(asked, key);
    let options = json!({"num_predict": asks("max_tokens"), "seed": asks("seed"), "temperature": asks("temperature")});
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
