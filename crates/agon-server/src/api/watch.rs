//! Following a debate: a snapshot, then every event once, until it is over or the watch is.
use super::debate::event_message;
use super::unserved::Unserved;
use super::{Api, CallContext, named};
use crate::auth::Scope;
use crate::error::Problem;
use crate::net::{NoRoom, RoomShare};
use agon_core::{Admission, CallCounts, CallProgress, Event, Position, Record, Timestamp};
use agon_proto::TokenDelta;
use agon_proto::pb::v1 as pb;
use agon_report::{deltas_shown_to_clients, for_clients};
use agon_runtime::{Watch, WatchError, Watched};
use agon_store::Upkeep;
use futures_util::stream::{self, BoxStream};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// What a watcher is told.
#[derive(Clone, Debug)]
pub enum WatchStep {
    /// The debate as it is now; always first.
    Snapshot(Box<pb::Debate>),
    /// What happened next, and how far the debate is with it.
    Event(Position, Timestamp, Box<Event>, CallCounts),
    /// A piece of a speech.
    Delta(TokenDelta),
    /// Nothing happened, or the watch ends before the debate does: the last event that was told, and what is known to keep the debate.
    Heartbeat(Position, Option<String>),
}

/// What a watcher is told, in order. Nothing is read before it is asked for, so a slow watcher holds no more than one step of the log.
pub type WatchStream = BoxStream<'static, Result<WatchStep, Problem>>;

/// A place among the watches of a tenant, for as long as it is held.
pub struct WatchPlace(#[expect(dead_code, reason = "held for what its end does")] RoomShare);

impl Api {
    /// A place for one who watches what is drawn for several.
    pub fn watch_place(&self, call: &CallContext) -> Result<WatchPlace, Problem> {
        call.caller.require(Scope::DebatesRead)?;
        if self.stop.is_cancelled() {
            return Err(Problem::Draining);
        }
        self.place(call).map(WatchPlace)
    }

    /// Whether this gateway ends.
    pub fn stopping(&self) -> &CancellationToken {
        &self.stop
    }

    fn place(&self, call: &CallContext) -> Result<RoomShare, Problem> {
        self.watches.take(&call.caller.tenant, 1).map_err(|NoRoom { held, limit }| {
            let (what, retry) = ("open watches", self.times.retry_full);
            Problem::Full { reason: "WATCH_LIMIT", what, held, limit, retry }
        })
    }

    /// Follows a debate.
    pub async fn watch(&self, call: &CallContext, request: &pb::WatchDebateRequest) -> Result<WatchStream, Problem> {
        call.caller.require(Scope::DebatesRead)?;
        let debate = named(&call.caller, &request.name)?;
        if self.stop.is_cancelled() {
            return Err(Problem::Draining);
        }
        let place = self.place(call)?;
        let _opening = self.openings.wait(&call.caller.tenant).await.ok_or(Problem::Draining)?;
        let folded = self.folded(&debate).await?;
        let snapshot = self.shown_as(&folded, true).await?;
        let after = Position(request.after_sequence);
        let over = folded.debate.ended().is_some() && after >= folded.debate.position();
        let source = match over {
            true => None,
            false => match self.ports.node.watch(&debate, after, request.include_deltas).await {
                Err(WatchError::Unknown(_)) => return Err(self.missing(&debate).await?),
                source => Some(source.map_err(of_watch)?),
            },
        };
        // what `agon run` plays, it plays on its own hosts
        let hosts_here = request.include_deltas && self.local(&debate).await?.is_none();
        let now = Instant::now();
        let follower = EventFollower {
            admission: folded.debate.admission().clone(),
            source,
            ready: VecDeque::from([WatchStep::Snapshot(Box::new(snapshot))]),
            unserved: hosts_here.then(|| Unserved::of(self.ports.node.clone(), &folded.debate)),
            progress: folded.progress(after),
            upkeep: self.ports.upkeep.clone(),
            admitted: folded.records.first().map_or(Timestamp::default(), |record| record.at),
            after,
            told: now,
            heartbeat: self.times.heartbeat,
            until: call.deadline.map_or(now + self.times.watch, |deadline| deadline.min(now + self.times.watch)),
            stop: self.stop.clone(),
            _place: place,
        };
        Ok(Box::pin(stream::unfold(Some(follower), |follower| async move { follower?.step().await })))
    }

    /// Whether nothing will ever follow after this event: the debate is over, and it was the last.
    pub async fn is_over(&self, call: &CallContext, name: &str, after: Position) -> Result<bool, Problem> {
        call.caller.require(Scope::DebatesRead)?;
        let folded = self.folded(&named(&call.caller, name)?).await?;
        Ok(folded.debate.ended().is_some() && after >= folded.debate.position())
    }
}

/// How often a watch looks whether the store is in trouble, and gives a sign of life while it is, at least.
const TROUBLED_HEARTBEAT: Duration = Duration::from_secs(5);

struct EventFollower {
    /// Says whose words watchers are shown.
    admission: Arc<Admission>,
    /// None once nothing more will come.
    source: Option<Watch>,
    ready: VecDeque<WatchStep>,
    /// The turns that wait for a host, for whoever wants to know what turns wait for.
    unserved: Option<Unserved>,
    /// As of everything that was told or left out.
    progress: CallProgress,
    upkeep: Arc<dyn Upkeep>,
    admitted: Timestamp,
    after: Position,
    /// When something was told last.
    told: Instant,
    heartbeat: Duration,
    until: Instant,
    stop: CancellationToken,
    _place: RoomShare,
}

enum FollowerWake {
    Seen(Result<Option<Watched>, WatchError>),
    Silence,
    Stop,
}

impl EventFollower {
    async fn step(mut self) -> Option<(Result<WatchStep, Problem>, Option<Self>)> {
        loop {
            if let Some(step) = self.ready.pop_front() {
                if let WatchStep::Event(position, ..) = &step {
                    self.after = *position;
                }
                self.told = Instant::now();
                return Some((Ok(step), Some(self)));
            }
            let pause = self.heartbeat.saturating_sub(self.told.elapsed()).min(TROUBLED_HEARTBEAT);
            let pause = self.unserved.as_ref().map_or(pause, |unserved| unserved.pause(pause));
            let woken = wait(self.source.as_mut()?, pause, self.until, &self.stop).await;
            match woken {
                FollowerWake::Seen(Ok(Some(Watched::Record(record)))) => self.take(&record),
                FollowerWake::Seen(Ok(Some(Watched::Delta(delta)))) => {
                    if deltas_shown_to_clients(&self.admission.spec, &delta.participant) {
                        self.ready.push_back(WatchStep::Delta(delta));
                    }
                }
                FollowerWake::Seen(Ok(None)) => return None,
                FollowerWake::Seen(Err(WatchError::Unknown(_))) => return Some((Err(self.missing().await), None)),
                FollowerWake::Seen(Err(error)) => return Some((Err(of_watch(error)), None)),
                FollowerWake::Silence if self.is_lost().await => {
                    return Some((Err(Problem::Lost(self.admission.id.name().to_owned())), None));
                }
                FollowerWake::Silence if self.tell_unserved() => {}
                FollowerWake::Silence if self.waits_for().is_none() && self.told.elapsed() < self.heartbeat => {}
                FollowerWake::Silence => {
                    self.told = Instant::now();
                    return Some((Ok(WatchStep::Heartbeat(self.after, self.waits_for())), Some(self)));
                }
                // the last word is the cursor to go on from
                FollowerWake::Stop => return Some((Ok(WatchStep::Heartbeat(self.after, None)), None)),
            }
        }
    }

    /// Says which turns no host takes; whether there are any.
    fn tell_unserved(&mut self) -> bool {
        let waits = self.unserved.as_ref().map(|unserved| unserved.waits()).unwrap_or_default();
        let shown = waits.into_iter().filter(|wait| deltas_shown_to_clients(&self.admission.spec, &wait.participant));
        let before = self.ready.len();
        self.ready.extend(shown.map(WatchStep::Delta));
        self.ready.len() > before
    }

    async fn is_lost(&self) -> bool {
        // where that cannot be known, it is asked again
        self.upkeep.is_lost(&self.admission.id, self.admitted).await.unwrap_or(false)
    }

    /// What to say of a debate whose log was there and is not.
    async fn missing(&self) -> Problem {
        let name = self.admission.id.name();
        match self.is_lost().await {
            true => Problem::Lost(name.to_owned()),
            // whoever asks again is told whether it was deleted
            false => Problem::Unavailable(format!("the log of debate {name} is not there")),
        }
    }

    /// What of the store or the cluster keeps the debate.
    fn waits_for(&self) -> Option<String> {
        let leaderless = || self.unserved.as_ref()?.leaderless();
        self.upkeep.condition().trouble().or_else(leaderless)
    }

    /// A record may begin before the cursor: what the watcher has seen is left out, and so is what it is not to see.
    fn take(&mut self, record: &Arc<Record>) {
        for (position, event) in record.entries().filter(|(position, _)| *position > self.after) {
            self.progress.take(event);
            if let Some(unserved) = &mut self.unserved {
                unserved.take(event);
            }
            if let Some(shown) = for_clients(&self.admission.spec, event) {
                let calls = self.progress.calls();
                self.ready.push_back(WatchStep::Event(position, record.at, Box::new(shown.into_owned()), calls));
            }
        }
        if record.events.iter().any(|event| matches!(event, Event::DebateEnded { .. })) {
            self.source = None;
        }
    }
}

async fn wait(source: &mut Watch, heartbeat: Duration, until: Instant, stop: &CancellationToken) -> FollowerWake {
    tokio::select! {
        biased;
        () = stop.cancelled() => FollowerWake::Stop,
        () = tokio::time::sleep_until(until) => FollowerWake::Stop,
        seen = source.next() => FollowerWake::Seen(seen),
        () = tokio::time::sleep(heartbeat) => FollowerWake::Silence,
    }
}

fn of_watch(error: WatchError) -> Problem {
    match error {
        WatchError::Unknown(debate) => Problem::no_debate(&debate),
        WatchError::Down => Problem::Draining,
        WatchError::Store(error) => Problem::of_store(&error),
        WatchError::Bus(error) => {
            tracing::warn!(%error, "debate cannot be watched");
            Problem::Unavailable("the bus cannot be listened to".to_owned())
        }
    }
}

/// A step as gRPC carries it.
pub(crate) fn message(step: WatchStep) -> pb::WatchDebateResponse {
    use pb::watch_debate_response::{Heartbeat, Kind};
    let kind = match step {
        WatchStep::Snapshot(debate) => Kind::Snapshot(*debate),
        WatchStep::Event(position, at, event, calls) => Kind::Event(pb::DebateEvent {
            calls_done: Some(calls.done),
            calls_planned: Some(calls.planned),
            ..event_message(position, at, &event)
        }),
        WatchStep::Delta(delta) => Kind::Delta(pb::SpeechDelta {
            turn: Some(delta.turn.into()),
            participant: delta.participant.to_string(),
            offset: delta.offset,
            text: delta.text,
            waiting: delta.waiting,
        }),
        WatchStep::Heartbeat(position, waits_for) => {
            Kind::Heartbeat(Heartbeat { sequence: position.0, waits_for: waits_for.unwrap_or_default() })
        }
    };
    pb::WatchDebateResponse { kind: Some(kind) }
}
