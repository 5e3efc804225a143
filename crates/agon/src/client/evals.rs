//! Evals at a server: the questions about them, and following one.
use super::connect::{AuthChannel, Client};
use super::refusal;
use crate::exit::{Exit, Stop};
use crate::store::{self, LAST};
use agon_core::DebateId;
use agon_eval::EvalEvent;
use agon_proto::pb::v1 as pb;
use agon_proto::pb::v1::eval::State;
use agon_proto::pb::v1::eval_service_client::EvalServiceClient;
use agon_proto::pb::v1::watch_eval_response::Kind;
use anyhow::Context as _;
use std::time::Duration;
use tokio::time::Instant;
use tonic::{Code, Status, Streaming};

/// Evals on a page of a list.
const PAGE: i32 = 500;
/// So many of the newest evals are looked through for one whose id begins or ends so.
const LOOKED_THROUGH: usize = 1_000;
/// A stream that is silent for longer than this is dead: the server sends a sign of life every 15 s.
const SILENCE: Duration = Duration::from_secs(45);
/// The first pause before a broken stream is opened again; doubles each time.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

type Evals = EvalServiceClient<AuthChannel>;

impl Client {
    /// Submits an eval, or asks what it would take. Harmless to repeat, because it carries a request id.
    pub async fn create_eval(&self, request: pb::CreateEvalRequest) -> Result<pb::Eval, Stop> {
        let send = |mut to: Evals, request| async move { to.create_eval(request).await };
        self.ask_at(&self.evals, "eval submit", request, send).await
    }

    /// The evals, newest first, at most so many.
    pub async fn list_evals(&self, limit: usize) -> Result<Vec<pb::Eval>, Stop> {
        let (mut evals, mut page_token) = (Vec::new(), String::new());
        loop {
            let rest = i32::try_from(limit.saturating_sub(evals.len())).unwrap_or(PAGE);
            let request = pb::ListEvalsRequest { page_size: rest.min(PAGE), page_token };
            let send = |mut to: Evals, request| async move { to.list_evals(request).await };
            let page = self.ask_at(&self.evals, "eval list", request, send).await?;
            evals.extend(page.evals);
            page_token = page.next_page_token;
            if page_token.is_empty() || evals.len() >= limit {
                return Ok(evals);
            }
        }
    }

    /// The id of the eval that `name` means: an id, the beginning or the end of one, or `last`.
    pub async fn find_eval(&self, name: &str) -> Result<String, Stop> {
        let looked = if name == LAST { 1 } else { LOOKED_THROUGH };
        let newest = self.list_evals(looked).await?;
        let ids: Vec<DebateId> = newest.iter().filter_map(|eval| DebateId::parse(&eval.id).ok()).collect();
        match store::pick_of(("eval", "agon eval list"), name, &ids) {
            Ok(id) => Ok(id.name().to_owned()),
            // an older one is meant by its whole id
            Err(_) if newest.len() == looked && name != LAST && DebateId::parse(name).is_ok() => Ok(name.to_owned()),
            Err(stop) => Err(stop),
        }
    }

    /// Ends an eval.
    pub async fn cancel_eval(&self, id: &str) -> Result<pb::Eval, Stop> {
        let request = pb::CancelEvalRequest { name: id.to_owned(), reason: String::new() };
        let send = |mut to: Evals, request| async move { to.cancel_eval(request).await };
        let eval = self.ask_at(&self.evals, "eval cancel", request, send).await?;
        match eval.state() {
            State::Complete | State::Stopped | State::Failed => {
                Err(Stop::usage(format!("eval {id} has already ended; agon eval get {id} says how")))
            }
            State::Unspecified | State::Queued | State::Running | State::Paused | State::Cancelled => Ok(eval),
        }
    }

    /// Has the failed cells of an ended eval held again.
    pub async fn retry_eval(&self, id: &str) -> Result<pb::Eval, Stop> {
        let request = pb::RetryEvalRequest { name: id.to_owned() };
        let send = |mut to: Evals, request| async move { to.retry_eval(request).await };
        self.ask_at(&self.evals, "eval retry", request, send).await
    }

    /// Removes an eval that is over.
    pub async fn delete_eval(&self, id: &str) -> Result<(), Stop> {
        let request = pb::DeleteEvalRequest { name: id.to_owned() };
        let send = |mut to: Evals, request| async move { to.delete_eval(request).await };
        self.ask_at(&self.evals, "eval delete", request, send).await
    }

    /// Learns a gate from an ended eval; gives the gate file.
    pub async fn learn_gate(&self, request: pb::LearnGateRequest) -> Result<String, Stop> {
        let send = |mut to: Evals, request| async move { to.learn_gate(request).await };
        Ok(self.ask_at(&self.evals, "eval gate", request, send).await?.gate_file)
    }

    /// An eval as it is now, with all its events.
    pub async fn eval_log(&self, id: &str) -> Result<(pb::Eval, Vec<(u64, EvalEvent)>), Stop> {
        let mut follower = RemoteEvalFollower::new(self, id);
        let (mut events, mut shown) = (Vec::new(), None::<pb::Eval>);
        loop {
            if let Some(eval) = shown.take_if(|eval| follower.seen >= eval.sequence()) {
                return Ok((eval, events));
            }
            match follower.next().await? {
                // what may be shown of the events has changed between two streams
                EvalNews::Snapshot(eval) if shown.as_ref().is_some_and(|before| before.withheld != eval.withheld) => {
                    (follower, events, shown) = (RemoteEvalFollower::new(self, id), Vec::new(), None);
                }
                EvalNews::Snapshot(eval) => shown = Some(*eval),
                EvalNews::Event(event) => events.push(parsed(&event)?),
                EvalNews::Progress(_) | EvalNews::Quiet(_) | EvalNews::Over => {}
            }
        }
    }
}

/// An event of a log, with the time of its record.
fn parsed(event: &pb::EvalEvent) -> Result<(u64, EvalEvent), Stop> {
    let mut value: serde_json::Value =
        serde_json::from_str(&event.json).context("the server sent an event that is not JSON")?;
    let at = value.as_object_mut().and_then(|members| members.remove("at_ms")).and_then(|at| at.as_u64());
    let at = at.unwrap_or_default();
    let event = serde_json::from_value(value)
        .with_context(|| format!("this version of Agon cannot read the server's event `{}`", event.r#type))?;
    Ok((at, event))
}

/// What a follower hears.
pub enum EvalNews {
    /// The eval as it is, whenever a stream begins.
    Snapshot(Box<pb::Eval>),
    /// The next event; each comes once.
    Event(pb::EvalEvent),
    /// How far it is.
    Progress(pb::EvalProgress),
    /// Nothing happened for a while; what is known to keep the eval.
    Quiet(Option<String>),
    /// It is over, and all of it was heard.
    Over,
}

/// Follows an eval, however often the connection breaks.
pub struct RemoteEvalFollower {
    client: Client,
    id: String,
    /// The last event that was heard.
    seen: u64,
    stream: Option<Streaming<pb::WatchEvalResponse>>,
    /// The sequence at which it ended, where it has.
    end: Option<u64>,
    /// Since when nothing is heard.
    silent: Instant,
    pause: Duration,
}

impl RemoteEvalFollower {
    /// From the first event on.
    pub fn new(client: &Client, id: &str) -> Self {
        let (client, id, silent) = (client.clone(), id.to_owned(), Instant::now());
        Self { client, id, seen: 0, stream: None, end: None, silent, pause: SHORTEST_PAUSE }
    }

    /// What comes next. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Result<EvalNews, Stop> {
        loop {
            if self.end.is_some_and(|end| self.seen >= end) {
                return Ok(EvalNews::Over);
            }
            let Some(stream) = &mut self.stream else {
                match self.open().await {
                    Ok(stream) => self.stream = Some(stream),
                    Err(status) => self.broke(&status).await?,
                }
                continue;
            };
            let heard = tokio::time::timeout(SILENCE, stream.message()).await;
            match heard.unwrap_or_else(|_| Err(Status::unavailable("the stream fell silent"))) {
                Ok(Some(message)) => {
                    (self.silent, self.pause) = (Instant::now(), SHORTEST_PAUSE);
                    if let Some(news) = message.kind.and_then(|kind| self.take(kind)) {
                        return Ok(news);
                    }
                }
                // the server ends a stream after a while, and each where the eval ends
                Ok(None) => self.again().await,
                Err(status) => self.broke(&status).await?,
            }
        }
    }

    async fn broke(&mut self, status: &Status) -> Result<(), Stop> {
        if status.code() == Code::NotFound && self.seen > 0 {
            let why = "it was deleted, or the server's stream of evals (AGON_EVL) was: its log is lost then";
            return Err(Stop::say(Exit::Failed, format!("eval {} was there and is gone: {why}", self.id)));
        }
        if !refusal::passes(status) || self.silent.elapsed() > self.client.patience {
            return Err(self.client.stop(status, "eval watch").await);
        }
        self.again().await;
        Ok(())
    }

    /// Waits a little before the stream is opened again.
    async fn again(&mut self) {
        self.stream = None;
        tokio::time::sleep(self.pause).await;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
    }

    async fn open(&mut self) -> Result<Streaming<pb::WatchEvalResponse>, Status> {
        let request = pb::WatchEvalRequest { name: self.id.clone(), after_sequence: self.seen };
        let late = |_| Status::deadline_exceeded("no answer");
        let opened = tokio::time::timeout(self.client.timeout, self.client.evals.watch_eval(request));
        Ok(opened.await.map_err(late)??.into_inner())
    }

    fn take(&mut self, kind: Kind) -> Option<EvalNews> {
        Some(match kind {
            Kind::Snapshot(eval) => {
                let ended = !matches!(eval.state(), State::Unspecified | State::Queued | State::Running);
                self.end = ended.then(|| eval.sequence());
                EvalNews::Snapshot(Box::new(eval))
            }
            Kind::Event(event) if event.sequence <= self.seen => return None,
            Kind::Event(event) => {
                self.seen = event.sequence;
                EvalNews::Event(event)
            }
            Kind::Progress(progress) => EvalNews::Progress(progress),
            Kind::Heartbeat(beat) => EvalNews::Quiet(Some(beat.waits_for).filter(|waits| !waits.is_empty())),
        })
    }
}
