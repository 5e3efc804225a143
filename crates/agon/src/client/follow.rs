//! Following a debate at a server: every event once, however often the connection breaks.
use super::connect::Client;
use super::wait::{EventWait, TELL};
use super::{calls, refusal};
use crate::exit::{Exit, Stop};
use crate::settings::Length;
use crate::watching::{FeedSender, WatchFeed, WatchItem, end_of, interrupts};
use agon_core::Position;
use agon_proto::pb;
use agon_proto::pb::v1::debate::State;
use agon_proto::pb::v1::watch_debate_response::Kind;
use agon_report::one_line;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tonic::{Code, Status};

/// The first pause before a broken connection is taken up again; doubles each time.
const SHORTEST_PAUSE: Duration = Duration::from_millis(100);
/// The longest pause.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// However little is left of the patience, a question has so long.
const SHORTEST_QUESTION: Duration = Duration::from_secs(1);
/// A stream that is silent for longer than this is dead: the server sends a sign of life every 15 s.
const SILENCE: Duration = Duration::from_secs(45);

/// Follows a debate from the event after `after` on.
pub fn follow(client: &Client, id: &str, after: Position) -> WatchFeed {
    let follower = StreamFollower { client: client.clone(), id: id.to_owned(), seen: after, wait: EventWait::new() };
    WatchFeed::new(|sink| follower.run(sink))
}

struct StreamFollower {
    client: Client,
    id: String,
    seen: Position,
    wait: EventWait,
}

/// How a stream ended.
enum StreamOutcome {
    /// The debate is over, or nobody plays it before it is resumed.
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

impl StreamFollower {
    async fn run(mut self, sink: FeedSender) {
        let mut pause = SHORTEST_PAUSE;
        loop {
            let before = self.seen;
            let ended = self.stream(&sink).await;
            let progress = self.seen > before;
            if progress {
                pause = SHORTEST_PAUSE;
            }
            match ended {
                StreamOutcome::Over | StreamOutcome::Unheard => return,
                StreamOutcome::Unreadable(stop) => return sink.fail(stop).await,
                StreamOutcome::Broken(status) if self.is_final(&status) => {
                    return sink.fail(self.client.stop(&status, "watch").await).await;
                }
                StreamOutcome::Broken(status) => {
                    let why = refusal::words(&status);
                    self.wait.stuck(&format!("the connection broke ({why}); reconnecting"));
                    self.tell(&sink).await;
                }
                StreamOutcome::Cut if progress => continue,
                StreamOutcome::Cut => {}
            }
            tokio::time::sleep(pause.min(self.left())).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    fn is_final(&mut self, status: &Status) -> bool {
        self.wait.stuck_since.get_or_insert_with(Instant::now);
        !refusal::passes(status) || self.wait.exceeds(self.client.patience)
    }

    /// What is left of the patience.
    fn left(&self) -> Duration {
        self.wait.left(self.client.patience)
    }

    /// How long a question may take now.
    fn limit(&self) -> Duration {
        self.client.timeout.min(self.left().max(SHORTEST_QUESTION))
    }

    /// Says what is waited for, if it is time to.
    async fn tell(&mut self, sink: &FeedSender) {
        if let Some(notice) = self.wait.notice() {
            sink.notice(Some(notice.into())).await;
        }
    }

    /// Says that the debate goes on.
    async fn goes_on(&mut self, sink: &FeedSender) {
        let (told, end) = self.wait.over();
        if let Some(end) = end {
            sink.notice(Some(end.into())).await;
        }
        if told {
            sink.notice(None).await;
        }
    }

    /// The end of the wait, where a store was in trouble for too long.
    fn out_of_patience(&self) -> Option<StreamOutcome> {
        let patience = self.client.patience;
        let why = self.wait.why.as_deref().filter(|_| self.wait.exceeds(patience))?;
        let id = &self.id;
        Some(StreamOutcome::Unreadable(Stop::say(
            Exit::Unavailable,
            format!(
                "debate {id} has made no progress for {}: {why}\n  it continues when that is resolved; agon watch {id} follows it again",
                Length(patience)
            ),
        )))
    }

    async fn stream(&mut self, sink: &FeedSender) -> StreamOutcome {
        let request = pb::v1::WatchDebateRequest {
            name: self.id.clone(),
            after_sequence: self.seen.0,
            // they say what turns wait for, too
            include_deltas: true,
        };
        let opened = tokio::time::timeout(self.limit(), self.client.debates.watch_debate(request)).await;
        let mut stream = match opened {
            Ok(Ok(stream)) => stream.into_inner(),
            Ok(Err(status)) => return StreamOutcome::Broken(status),
            Err(_) => {
                let late = || StreamOutcome::Broken(Status::new(Code::DeadlineExceeded, "no answer"));
                return self.out_of_patience().unwrap_or_else(late);
            }
        };
        let mut heard = Instant::now();
        loop {
            let pause = self.wait.due_in().min(self.left()).max(SHORTEST_PAUSE);
            let ended = match tokio::time::timeout(pause, stream.message()).await {
                Ok(Ok(Some(message))) => {
                    heard = Instant::now();
                    self.take(message, sink).await
                }
                Ok(Ok(None)) => Some(StreamOutcome::Cut),
                Ok(Err(status)) => Some(StreamOutcome::Broken(status)),
                Err(_) if heard.elapsed() < SILENCE => None,
                Err(_) => Some(StreamOutcome::Broken(Status::new(Code::Unavailable, "the stream fell silent"))),
            };
            if let Some(ended) = ended.or_else(|| self.out_of_patience()) {
                return ended;
            }
            self.tell(sink).await;
        }
    }

    async fn take(&mut self, message: pb::v1::WatchDebateResponse, sink: &FeedSender) -> Option<StreamOutcome> {
        match message.kind? {
            Kind::Snapshot(debate) if is_halted(&debate) => Some(self.catch_up(sink).await),
            Kind::Snapshot(debate) => self.is_over(&debate).then_some(StreamOutcome::Over),
            Kind::Event(event) if event.sequence <= self.seen.0 => None,
            Kind::Event(event) => {
                self.goes_on(sink).await;
                let record = match calls::record(event) {
                    Ok(record) => record,
                    Err(stop) => return Some(StreamOutcome::Unreadable(stop)),
                };
                self.seen = record.last();
                self.wait.asked(&record);
                let (over, interrupted) = (end_of(&record).is_some(), interrupts(&record).is_some());
                let heard = sink.send(WatchItem::Record(Arc::new(record))).await;
                match (over, heard) {
                    (true, _) => Some(StreamOutcome::Over),
                    (false, false) => Some(StreamOutcome::Unheard),
                    (false, true) if interrupted => self.if_halted(sink, true).await,
                    (false, true) => None,
                }
            }
            Kind::Delta(delta) => {
                self.goes_on(sink).await;
                let turn = delta.turn?.try_into().ok()?;
                let heard = sink
                    .send(WatchItem::Delta { turn, offset: delta.offset, text: delta.text, waiting: delta.waiting })
                    .await;
                (!heard).then_some(StreamOutcome::Unheard)
            }
            Kind::Heartbeat(_) if sink.is_closed() => Some(StreamOutcome::Unheard),
            // no event says that a process of the debate's own was stopped or died
            Kind::Heartbeat(heartbeat) => {
                let well = heartbeat.waits_for.is_empty();
                if !well {
                    self.wait.stuck(&one_line(&heartbeat.waits_for));
                    self.tell(sink).await;
                }
                self.if_halted(sink, well).await
            }
        }
    }

    /// The end of the stream, where nobody plays the debate any more. The store is well as far as the server knows, or is not.
    async fn if_halted(&mut self, sink: &FeedSender, well: bool) -> Option<StreamOutcome> {
        let asked = Instant::now();
        match self.client.get_within(&self.id, self.limit().min(TELL)).await {
            Ok(debate) if is_halted(&debate) => Some(self.catch_up(sink).await),
            Ok(debate) if debate.state() == State::Lost => {
                let why =
                    debate.reason.and_then(|reason| reason.detail).map(|detail| one_line(&detail)).unwrap_or_default();
                let lost = format!("debate {} is lost: {why}", self.id);
                Some(StreamOutcome::Unreadable(Stop::say(Exit::Failed, lost)))
            }
            Ok(debate) => {
                if well && let Some(end) = self.wait.well() {
                    sink.notice(Some(end.into())).await;
                }
                self.wait.queued = debate.state() == State::Queued;
                None
            }
            // nobody but the server knows the debate: it is asked again
            Err(status) if refusal::passes(&status) => {
                self.wait.stuck_since.get_or_insert(asked);
                // that an answer is late says less than what is known
                if self.wait.why.is_none() || !refusal::is_late(&status) {
                    self.wait.stuck(&refusal::what(&status, &self.client.address));
                }
                None
            }
            Err(status) => Some(StreamOutcome::Unreadable(self.client.stop(&status, "get").await)),
        }
    }

    /// The rest of a log to which nothing is added, those of its events too that watchers are not sent.
    async fn catch_up(&mut self, sink: &FeedSender) -> StreamOutcome {
        let records = match self.client.events(&self.id).await {
            Ok(records) => records,
            Err(stop) => return StreamOutcome::Unreadable(stop),
        };
        let seen = self.seen;
        for record in records.into_iter().filter(|record| record.last() > seen) {
            self.seen = record.last();
            if !sink.send(WatchItem::Record(Arc::new(record))).await {
                return StreamOutcome::Unheard;
            }
        }
        StreamOutcome::Over
    }

    /// Nothing comes after what was seen already.
    fn is_over(&self, debate: &pb::v1::Debate) -> bool {
        let ended = match debate.state() {
            State::Succeeded | State::Failed | State::Cancelled => true,
            State::Unspecified
            | State::Queued
            | State::Running
            | State::Cancelling
            | State::Paused
            | State::Interrupted
            | State::Lost => false,
        };
        ended && debate.sequence <= self.seen.0
    }
}

/// Whether nobody plays the debate before it is resumed.
pub fn is_halted(debate: &pb::v1::Debate) -> bool {
    matches!(debate.state(), State::Paused | State::Interrupted)
}
