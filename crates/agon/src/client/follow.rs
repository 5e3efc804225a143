//! Following a debate at a server: every event once, however often the connection breaks.
use super::connect::Client;
use super::{calls, told};
use crate::exit::Stop;
use crate::watching::{Feed, Seen, Sink, end_of};
use agon_core::Position;
use agon_proto::pb;
use agon_proto::pb::v1::watch_debate_response::Kind;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tonic::{Code, Status};

/// The first pause before a broken connection is taken up again; doubles each time.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// A stream that is silent for longer than this is dead: the server sends a sign of life every 15 s.
const SILENCE: Duration = Duration::from_secs(45);

/// Follows a debate from the event after `after` on.
pub fn follow(client: &Client, id: &str, after: Position, tokens: bool) -> Feed {
    let follower =
        Follower { client: client.clone(), id: id.to_owned(), seen: after, tokens, begun: false, broken: None };
    Feed::new(|sink| follower.run(sink))
}

struct Follower {
    client: Client,
    id: String,
    seen: Position,
    tokens: bool,
    /// The server has answered at least once: from here on it is waited for.
    begun: bool,
    /// Since when nothing came.
    broken: Option<Instant>,
}

/// How a stream ended.
enum Ended {
    /// The debate is over.
    Over,
    /// Nobody wants to hear more.
    Unheard,
    /// The server ended it; the debate goes on.
    Cut,
    /// It broke.
    Broken(Status),
    /// What came cannot be read.
    Unreadable(Stop),
}

impl Follower {
    async fn run(mut self, sink: Sink) {
        let mut pause = SHORTEST_PAUSE;
        loop {
            let before = self.seen;
            let ended = self.stream(&sink).await;
            let progress = self.seen > before;
            if progress {
                (pause, self.broken) = (SHORTEST_PAUSE, None);
            }
            match ended {
                Ended::Over | Ended::Unheard => return,
                Ended::Unreadable(stop) => return sink.fail(stop).await,
                Ended::Broken(status) if self.is_final(&status) => {
                    return sink.fail(self.client.stop(&status, "watch").await).await;
                }
                Ended::Broken(_) => sink.notice(Some("The connection broke. Trying to take it up again.".into())).await,
                Ended::Cut if progress => continue,
                Ended::Cut => {}
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    fn is_final(&mut self, status: &Status) -> bool {
        let since = *self.broken.get_or_insert_with(Instant::now);
        // Who never answered is probably not there; who did is worth waiting for.
        let patience = if self.begun { self.client.patience } else { self.client.patience.min(LONGEST_PAUSE) };
        !told::passing(status.code()) || since.elapsed() > patience
    }

    async fn stream(&mut self, sink: &Sink) -> Ended {
        let request = pb::v1::WatchDebateRequest {
            name: self.id.clone(),
            after_sequence: self.seen.0,
            include_deltas: self.tokens,
        };
        let opened = tokio::time::timeout(self.client.timeout, self.client.debates.watch_debate(request)).await;
        let mut stream = match opened {
            Ok(Ok(stream)) => stream.into_inner(),
            Ok(Err(status)) => return Ended::Broken(status),
            Err(_) => return Ended::Broken(Status::new(Code::DeadlineExceeded, "no answer")),
        };
        sink.notice(None).await;
        loop {
            let message = match tokio::time::timeout(SILENCE, stream.message()).await {
                Ok(Ok(Some(message))) => message,
                Ok(Ok(None)) => return Ended::Cut,
                Ok(Err(status)) => return Ended::Broken(status),
                Err(_) => return Ended::Broken(Status::new(Code::Unavailable, "the stream fell silent")),
            };
            if let Some(ended) = self.take(message, sink).await {
                return ended;
            }
        }
    }

    async fn take(&mut self, message: pb::v1::WatchDebateResponse, sink: &Sink) -> Option<Ended> {
        (self.begun, self.broken) = (true, None);
        match message.kind? {
            Kind::Snapshot(debate) => self.is_over(&debate).then_some(Ended::Over),
            Kind::Event(event) if event.sequence <= self.seen.0 => None,
            Kind::Event(event) => {
                let record = match calls::record(event) {
                    Ok(record) => record,
                    Err(stop) => return Some(Ended::Unreadable(stop)),
                };
                self.seen = record.last();
                let over = end_of(&record).is_some();
                let heard = sink.send(Seen::Record(Arc::new(record))).await;
                (over || !heard).then_some(if over { Ended::Over } else { Ended::Unheard })
            }
            Kind::Delta(delta) => {
                let turn = delta.turn.map(Into::into)?;
                let heard = sink.send(Seen::Delta { turn, offset: delta.offset, text: delta.text }).await;
                (!heard).then_some(Ended::Unheard)
            }
            Kind::Heartbeat(_) => sink.is_closed().then_some(Ended::Unheard),
        }
    }

    /// Nothing comes after what was seen already.
    fn is_over(&self, debate: &pb::v1::Debate) -> bool {
        use pb::v1::debate::State;
        let ended = match debate.state() {
            State::Succeeded | State::Failed | State::Cancelled => true,
            State::Unspecified
            | State::Queued
            | State::Running
            | State::Cancelling
            | State::Paused
            | State::Interrupted => false,
        };
        ended && debate.sequence <= self.seen.0
    }
}
