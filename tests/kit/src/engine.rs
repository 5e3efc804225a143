//! A search engine that gives one answer to everything, and remembers what it was asked.
use anyhow::{Context, Result};
use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

/// How long a client may take for its request.
const PATIENCE: Duration = Duration::from_secs(30);

/// A listener on a free loopback port that answers every request with the same JSON. Ends when dropped.
pub struct SearchEngine {
    port: u16,
    shared: Arc<EngineState>,
    serving: Option<JoinHandle<()>>,
}

struct EngineState {
    answer: String,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    asked: Vec<String>,
    ended: bool,
}

impl SearchEngine {
    /// Starts to answer with `answer`.
    pub fn start(answer: &str) -> Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port for the search engine")?;
        let port = listener.local_addr()?.port();
        let shared = Arc::new(EngineState { answer: answer.to_owned(), state: Mutex::default() });
        let serving = Some(std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || shared.serve(&listener)
        }));
        Ok(Self { port, shared, serving })
    }

    /// Its address, with the path.
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}/search", self.port)
    }
    /// The targets of the requests so far, such as `/search?q=...`.
    pub fn asked(&self) -> Vec<String> {
        self.shared.lock().asked.clone()
    }
}

impl Drop for SearchEngine {
    fn drop(&mut self) {
        self.shared.lock().ended = true;
        // wakes the listener, which looks at the flag; where it is gone already there is nothing to wake
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
        if let Some(serving) = self.serving.take() {
            serving.join().ok();
        }
    }
}

impl EngineState {
    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn serve(&self, listener: &TcpListener) {
        for stream in listener.incoming() {
            if self.lock().ended {
                return;
            }
            // a client that hangs up early asked nothing
            stream.map_err(Into::into).and_then(|stream| self.answer(stream)).ok();
        }
    }

    fn answer(&self, mut stream: TcpStream) -> Result<()> {
        stream.set_read_timeout(Some(PATIENCE))?;
        let mut lines = BufReader::new(stream.try_clone()?).lines();
        let first = lines.next().context("no request")??;
        while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
        let target = first.split(' ').nth(1).context("no target")?;
        self.lock().asked.push(target.to_owned());
        let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\n";
        write!(stream, "{head}content-length: {}\r\n\r\n{}", self.answer.len(), self.answer)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::http_get;

    #[test]
    fn every_request_gets_the_answer_and_is_remembered() {
        let engine = SearchEngine::start("{}").unwrap();
        let address = engine.url().trim_start_matches("http://").trim_end_matches("/search").to_owned();
        assert_eq!(http_get(&address, "/search?q=a").unwrap(), "{}");
        assert_eq!(http_get(&address, "/search?q=b").unwrap(), "{}");
        assert_eq!(engine.asked(), ["/search?q=a", "/search?q=b"]);
    }
}
