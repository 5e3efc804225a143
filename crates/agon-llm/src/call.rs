//! One exchange with a server: send, watch the clock, decode, judge.

use std::time::Duration;

use agon_core::Usage;
use bytes::Bytes;
use reqwest::header::{
    ACCEPT_ENCODING, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, DATE, HeaderValue, LOCATION, RETRY_AFTER,
    WWW_AUTHENTICATE,
};
use reqwest::{Method, RequestBuilder, Response, Url};
use secrecy::ExposeSecret;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout_at};

use crate::classify::{RefusedCall, refusal, refused_within, retry_after};
use crate::connections::Ends;
use crate::corrections::{Correction, CorrectionMemory, RefusedParts, RequestShape};
use crate::counts::PromptCounts;
use crate::error::without_key;
use crate::http::Reuse;
use crate::meter::Meter;
use crate::transport::{transport_error, unanswered};
use crate::watch::{CallWatchdog, LoadCheck};
use crate::wire::millis;
use crate::{
    CallTimeouts, ChatAnswer, ChatError, ChatErrorKind, ChatFields, ClientConfig, Decoder, DeltaSink, Discard, Framing,
    MAX_LINE_BYTES, Pace, TimeoutPhase,
};

/// What a question carries.
pub(crate) const NO_BODY: Option<&()> = None;

const MAX_REFUSAL_BYTES: usize = 64 * 1024;
const MAX_EMBEDDING_BYTES: usize = 64 * 1024 * 1024;
const REFUSAL_LIMIT: Duration = Duration::from_secs(5);
// The end of the body follows the end of the answer at once; reading it keeps the connection for the next call.
const DRAIN_LIMIT: Duration = Duration::from_millis(100);
// How soon a server that is loading is asked again.
const LOADING_PAUSE: Duration = Duration::from_millis(500);

/// Sends an empty-handed or JSON-bearing request to one path of one server.
pub(crate) struct HttpSender<'a> {
    pub(crate) config: &'a ClientConfig,
}

impl HttpSender<'_> {
    /// Exchanges one chat, decoding the answer with the decoder made for its framing.
    pub(crate) async fn chat<D: Decoder>(
        &self,
        url: &Url,
        chat: Chat<'_>,
        decoder: impl Fn(Framing) -> D + Send + Sync,
        sink: &mut dyn DeltaSink,
    ) -> Result<ChatAnswer, ChatError> {
        let mut watch = CallWatchdog::start(chat.timeouts, chat.check);
        let mut meter = Meter::new(sink, chat.max_tokens);
        let mut draft = RequestDraft::new(&chat, &self.config.fields)?;
        let outcome = loop {
            let outcome = match self.ask(url, &mut draft, &mut watch, &mut meter).await {
                Ok(response) => self.receive(response, &mut watch, &decoder, &mut meter).await,
                Err(error) => break Err(error),
            };
            let refused = outcome.as_ref().err().filter(|_| meter.tokens() == 0).and_then(refused_within);
            match refused {
                Some(objections) if draft.meet(&objections)? => {}
                Some(_) => break outcome,
                None => {
                    chat.memory.keep(&self.config.endpoint, chat.model, &draft.lasting);
                    break outcome;
                }
            }
        };
        let mut answer = outcome.map_err(|error| self.redacted(error))?;
        answer.timing.first_byte_ms = watch.first_byte().map(millis);
        answer.timing.total_ms = Some(millis(watch.elapsed()));
        chat.counts.judge(chat.model, chat.min_prompt_tokens, &mut answer)?;
        Ok(answer)
    }

    /// Sends a chat until it is accepted: what the server refuses by name is corrected, each part only once.
    async fn ask(
        &self,
        url: &Url,
        draft: &mut RequestDraft<'_>,
        watch: &mut CallWatchdog<'_>,
        sink: &mut dyn DeltaSink,
    ) -> Result<Response, ChatError> {
        loop {
            match self.begin(url, draft.body.clone(), watch, sink).await {
                Ok(response) => return Ok(response),
                Err(RefusedCall { error, objections }) if !draft.meet(&objections)? => return Err(error),
                Err(_) => {}
            }
        }
    }

    /// Sends a request until it is accepted: a server that says it loads the model is asked again until it has.
    async fn begin(
        &self,
        url: &Url,
        body: Bytes,
        watch: &mut CallWatchdog<'_>,
        sink: &mut dyn DeltaSink,
    ) -> Result<Response, RefusedCall> {
        loop {
            let reuse = self.config.http.connections().reuse(&self.config.endpoint);
            let sent = self.send(Method::POST, url, Some(body.clone()), reuse);
            let response = watch.guard(sent, sink).await.map_err(ChatError::timeout)??;
            if response.status().is_success() {
                return plain(response).map_err(RefusedCall::from);
            }
            let refused = self.refused(response).await;
            if refused.error.kind != ChatErrorKind::Loading {
                return Err(refused);
            }
            watch.loading();
            sink.loading();
            if watch.guard(tokio::time::sleep(LOADING_PAUSE), sink).await.is_err() {
                return Err(refused);
            }
        }
    }

    /// Has the server load a model: one JSON document for another, in which only silence without a load has a short limit.
    pub(crate) async fn load<T: DeserializeOwned>(
        &self,
        url: &Url,
        body: &(impl Serialize + Sync),
        timeouts: CallTimeouts,
        check: &dyn LoadCheck,
    ) -> Result<T, ChatError> {
        let mut watch = CallWatchdog::start(timeouts, Some(check));
        let load = async {
            let body = Bytes::from(serialise(body, 256)?);
            let response = self.begin(url, body, &mut watch, &mut Discard).await.map_err(|refusal| refusal.error)?;
            watch.guard(read_to_end(response, MAX_LINE_BYTES), &mut Discard).await.map_err(ChatError::timeout)?
        };
        let bytes = load.await.map_err(|error| self.redacted(error))?;
        serde_json::from_slice(&bytes).map_err(|error| ChatError::malformed(&error.to_string()))
    }

    async fn receive<D: Decoder>(
        &self,
        mut response: Response,
        watch: &mut CallWatchdog<'_>,
        decoder: &(impl Fn(Framing) -> D + Send + Sync),
        meter: &mut Meter<'_>,
    ) -> Result<ChatAnswer, ChatError> {
        let framing = framing(&response);
        let ends = Ends::of(response.extensions());
        let mut decoder = decoder(framing);
        loop {
            let chunk = match watch.guard(response.chunk(), meter).await {
                Ok(chunk) => chunk.map_err(transport_error)?,
                Err(phase) => return Err(late(phase, watch, meter)),
            };
            let Some(chunk) = chunk else { return finished(decoder, meter) };
            let progress = decoder.push(&chunk, meter)?;
            meter.check(Usage::default())?;
            if progress.advanced || framing == Framing::Whole {
                watch.progressed();
            }
            if progress.complete {
                drain(response).await;
                ends.into_iter().for_each(|ends| self.config.http.connections().answered(ends));
                return finished(decoder, meter);
            }
        }
    }

    /// Exchanges one JSON document for another within `limit`.
    pub(crate) async fn json<T: DeserializeOwned>(
        &self,
        url: &Url,
        body: Option<&(impl Serialize + Sync)>,
        limit: CallLimit,
    ) -> Result<T, ChatError> {
        let bytes = self.bytes(url, body, limit).await.map_err(|error| self.redacted(error))?;
        serde_json::from_slice(&bytes).map_err(|error| ChatError::malformed(&error.to_string()))
    }

    /// The date that the server puts on its answer, whatever it answers.
    pub(crate) async fn date(&self, url: &Url, limit: CallLimit) -> Result<Option<jiff::Timestamp>, ChatError> {
        let late = |_| ChatError::timeout(TimeoutPhase::FirstByte);
        let sent = self.send(Method::GET, url, None, Reuse::Allowed);
        let response = timeout_at(Instant::now() + limit.time, sent).await.map_err(late)??;
        let header = response.headers().get(DATE).and_then(|value| value.to_str().ok());
        Ok(header.and_then(|date| jiff::fmt::rfc2822::parse(date).ok()).map(|date| date.timestamp()))
    }

    async fn bytes(
        &self,
        url: &Url,
        body: Option<&(impl Serialize + Sync)>,
        limit: CallLimit,
    ) -> Result<Vec<u8>, ChatError> {
        let body = body.map(|body| serialise(body, 256)).transpose()?.map(Bytes::from);
        let method = if body.is_some() { Method::POST } else { Method::GET };
        let until = Instant::now() + limit.time;
        let late = |_| ChatError::timeout(TimeoutPhase::FirstByte);
        let sent = self.send(method, url, body, Reuse::Allowed);
        let response = timeout_at(until, sent).await.map_err(late)??;
        if !response.status().is_success() {
            return Err(self.refused(response).await.error);
        }
        let response = plain(response)?;
        let read = read_to_end(response, limit.bytes);
        timeout_at(until, read).await.map_err(|_| ChatError::timeout(TimeoutPhase::Idle))?
    }

    /// Sends a request. Where it went out on a connection that the server was closing already, nothing of it was done:
    /// it is sent once more, on a fresh one.
    async fn send(&self, method: Method, url: &Url, body: Option<Bytes>, reuse: Reuse) -> Result<Response, ChatError> {
        let connections = self.config.http.connections();
        let sent = match self.request(&method, url, body.clone(), reuse)?.send().await {
            Err(error) if connections.was_stale(&self.config.endpoint, &error) => {
                self.request(&method, url, body, Reuse::Never)?.send().await
            }
            sent => sent,
        };
        let response = sent.map_err(unanswered)?;
        Ends::of(response.extensions()).into_iter().for_each(|ends| connections.answered(ends));
        Ok(response)
    }

    fn request(
        &self,
        method: &Method,
        url: &Url,
        body: Option<Bytes>,
        reuse: Reuse,
    ) -> Result<RequestBuilder, ChatError> {
        let client = self.config.http.client(&self.config.endpoint, reuse)?;
        // a proxy that compresses a stream would hold it back
        let mut request = client.request(method.clone(), url.clone()).header(ACCEPT_ENCODING, "identity");
        if let Some(body) = body {
            request = request.header(CONTENT_TYPE, "application/json").body(body);
        }
        for (name, value) in &self.config.headers {
            request = request.header(name, secret_header(value.expose_secret())?);
        }
        let Some(key) = self.config.api_key.as_ref().map(ExposeSecret::expose_secret) else { return Ok(request) };
        Ok(match &self.config.user {
            Some(user) => request.basic_auth(user, Some(key)),
            None if key.contains(' ') => request.header(AUTHORIZATION, secret_header(key)?),
            None => request.header(AUTHORIZATION, secret_header(&format!("Bearer {key}"))?),
        })
    }

    async fn refused(&self, mut response: Response) -> RefusedCall {
        let status = response.status().as_u16();
        let header = response.headers().get(RETRY_AFTER).and_then(|value| value.to_str().ok());
        let wait = header.and_then(|header| retry_after(header, jiff::Timestamp::now()));
        if let Some(words) = told_by_headers(&response) {
            return refusal(status, &words, wait);
        }
        let until = Instant::now() + REFUSAL_LIMIT;
        let mut body = Vec::new();
        while let Ok(Ok(Some(chunk))) = timeout_at(until, response.chunk()).await {
            body.extend_from_slice(&chunk);
            if body.len() > MAX_REFUSAL_BYTES {
                break;
            }
        }
        let body = String::from_utf8_lossy(&body).into_owned();
        // Before the text is shortened, which might leave half a key.
        let body = self.secrets().fold(body, |body, secret| without_key(&body, secret));
        refusal(status, &body, wait)
    }

    fn redacted(&self, error: ChatError) -> ChatError {
        self.secrets().fold(error, ChatError::redact)
    }

    /// What no text may repeat.
    fn secrets(&self) -> impl Iterator<Item = &str> {
        let headers = self.config.headers.iter().map(|(_, value)| value);
        self.config.api_key.iter().chain(headers).map(ExposeSecret::expose_secret)
    }
}

fn finished(decoder: impl Decoder, meter: &mut Meter<'_>) -> Result<ChatAnswer, ChatError> {
    let answer = decoder.finish(meter)?;
    meter.check(answer.usage)?;
    meter.check_end(&answer)?;
    Ok(answer)
}

/// What an answer is that did not end in time: one that came steadily would take too long again.
fn late(phase: TimeoutPhase, watch: &CallWatchdog<'_>, meter: &Meter<'_>) -> ChatError {
    let error = ChatError::timeout(phase);
    let (Some((generating, silent)), Some(limit)) = (watch.generated(), watch.turn()) else { return error };
    let millis = |duration: Duration| u32::try_from(duration.as_millis()).unwrap_or(u32::MAX);
    let tokens = u32::try_from(meter.tokens()).unwrap_or(u32::MAX);
    let (generating_ms, limit_ms) = (millis(generating.saturating_sub(silent)), millis(limit));
    let pace = Pace { tokens, generating_ms, max_tokens: meter.max_tokens(), limit_ms };
    match phase {
        TimeoutPhase::Turn if pace.is_too_slow(silent) => ChatError::new(ChatErrorKind::Slow(pace), ""),
        TimeoutPhase::Turn if tokens > 0 => ChatError::new(error.kind, &pace.to_string()),
        TimeoutPhase::Connect | TimeoutPhase::FirstByte | TimeoutPhase::Idle | TimeoutPhase::Turn => error,
    }
}

/// What varies between two chats with one server.
pub(crate) struct Chat<'a> {
    pub(crate) model: &'a str,
    /// Writes the request in the shape that the model takes.
    pub(crate) write: &'a (dyn Fn(&RequestShape) -> Result<Vec<u8>, ChatError> + Sync),
    /// What is known of that shape.
    pub(crate) memory: &'a CorrectionMemory,
    pub(crate) timeouts: CallTimeouts,
    pub(crate) min_prompt_tokens: Option<u64>,
    /// How the server has counted prompts so far.
    pub(crate) counts: &'a PromptCounts,
    /// Asks a silent server whether it loads the model, where there is a way to ask.
    pub(crate) check: Option<&'a dyn LoadCheck>,
    /// What the server was told to generate at most.
    pub(crate) max_tokens: u32,
}

/// A request that is corrected until the server takes it.
struct RequestDraft<'a> {
    chat: &'a Chat<'a>,
    fields: &'a ChatFields,
    corrections: Vec<Correction>,
    /// Those that hold for later calls as well.
    lasting: Vec<Correction>,
    body: Bytes,
}

impl<'a> RequestDraft<'a> {
    fn new(chat: &'a Chat<'a>, fields: &'a ChatFields) -> Result<Self, ChatError> {
        let known = chat.memory.of(chat.model);
        let mut draft = Self { chat, fields, corrections: known.clone(), lasting: known, body: Bytes::new() };
        draft.body = draft.written()?;
        Ok(draft)
    }

    fn written(&self) -> Result<Bytes, ChatError> {
        (self.chat.write)(&RequestShape::new(self.fields, &self.corrections)).map(Bytes::from)
    }

    /// Makes the first correction of each choice that changes anything; false where none does.
    fn meet(&mut self, objections: &RefusedParts) -> Result<bool, ChatError> {
        let refused = self.body.clone();
        for choice in objections.choices() {
            for correction in choice {
                self.corrections.push(*correction);
                let corrected = self.written()?;
                if corrected != self.body {
                    self.body = corrected;
                    self.lasting.extend(objections.lasts(*correction).then_some(*correction));
                    break;
                }
                self.corrections.pop();
            }
        }
        Ok(self.body != refused)
    }
}

/// The bounds of a call that is not a chat.
#[derive(Clone, Copy)]
pub(crate) struct CallLimit {
    pub(crate) time: Duration,
    pub(crate) bytes: usize,
}

impl CallLimit {
    /// A bound on time, with the usual bound on size.
    pub(crate) fn within(time: Duration) -> Self {
        Self { time, bytes: MAX_LINE_BYTES }
    }

    /// A bound on time, with one on size that vectors need.
    pub(crate) fn of_vectors(time: Duration) -> Self {
        Self { time, bytes: MAX_EMBEDDING_BYTES }
    }
}

/// Writes a request once, into one buffer.
pub(crate) fn serialise(body: &impl Serialize, expected_bytes: usize) -> Result<Vec<u8>, ChatError> {
    let mut buffer = Vec::with_capacity(expected_bytes);
    serde_json::to_writer(&mut buffer, body)
        .map_err(|error| ChatError::new(ChatErrorKind::BadRequest, &error.to_string()))?;
    Ok(buffer)
}

fn secret_header(value: &str) -> Result<HeaderValue, ChatError> {
    let mut header = HeaderValue::try_from(value)
        .map_err(|_| ChatError::new(ChatErrorKind::BadRequest, "the key holds characters that no header may"))?;
    header.set_sensitive(true);
    Ok(header)
}

/// The reply, unless it is a web page, or compressed although nobody asked for that.
fn plain(response: Response) -> Result<Response, ChatError> {
    if content_type(&response).starts_with("text/html") {
        return Err(ChatError::malformed("a web page"));
    }
    match compression(&response) {
        Some(words) => Err(ChatError::malformed(&words)),
        None => Ok(response),
    }
}

fn compression(response: &Response) -> Option<String> {
    let coding = response.headers().get(CONTENT_ENCODING)?.to_str().ok()?.trim();
    let is_plain = coding.is_empty() || coding.eq_ignore_ascii_case("identity");
    let why = "although the call accepts none: switch compression off in the gateway before the model server";
    (!is_plain).then(|| format!("the reply is compressed (Content-Encoding: {coding}), {why}"))
}

/// What the headers of a refusal say better than its body.
fn told_by_headers(response: &Response) -> Option<String> {
    let text = |name| response.headers().get(name).and_then(|value: &HeaderValue| value.to_str().ok());
    if response.status().is_redirection() {
        let mut target = response.url().join(text(LOCATION)?).ok()?;
        target.set_query(None);
        target.set_fragment(None);
        // an address with credentials is not repeated; http and https have a place for them
        let _ = target.set_username("").and_then(|()| target.set_password(None));
        return Some(format!("the server redirects to {target}; give its final address"));
    }
    let scheme = text(WWW_AUTHENTICATE).and_then(|value| value.split(' ').next()).unwrap_or_default();
    if response.status() == 401 && scheme.eq_ignore_ascii_case("basic") {
        return Some("it requires a user and a password (Basic authentication)".to_owned());
    }
    compression(response)
}

fn content_type(response: &Response) -> &str {
    response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

fn framing(response: &Response) -> Framing {
    if content_type(response).starts_with("application/json") { Framing::Whole } else { Framing::Streamed }
}

async fn drain(mut response: Response) {
    let until = Instant::now() + DRAIN_LIMIT;
    while let Ok(Ok(Some(_))) = timeout_at(until, response.chunk()).await {}
}

async fn read_to_end(mut response: Response, limit: usize) -> Result<Vec<u8>, ChatError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(transport_error)? {
        if bytes.len() + chunk.len() > limit {
            return Err(ChatError::malformed("the reply is too long"));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}
