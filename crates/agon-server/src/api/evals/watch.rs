//! Following an eval: a snapshot, then every event once, until it is over or the watch is.
use super::view;
use super::waits::EvalWaits;
use crate::api::view::timestamp;
use crate::api::{Api, CallContext};
use crate::auth::Scope;
use crate::error::{EvalProblem, Problem};
use crate::net::{NoRoom, RoomShare};
use agon_core::{DebateId, Timestamp};
use agon_eval::{Design, EvalCard, EvalEvent, EvalRecord};
use agon_proto::pb::v1 as pb;
use agon_report::eval_event_line;
use agon_runtime::OpenEval;
use agon_store::{EvalHead, EvalLogs};
use futures_util::stream::{self, BoxStream};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// What a watcher is told.
#[derive(Clone, Debug)]
pub(crate) enum EvalStep {
    /// The eval as it is now; always first.
    Snapshot(Box<pb::Eval>),
    /// What happened next.
    Event(pb::EvalEvent),
    /// How far the eval is with what was told.
    Progress(pb::EvalProgress),
    /// Nothing happened, or the watch ends before the eval does: the last event that was told, and what is known to keep the eval.
    Heartbeat(u64, Option<String>),
}

/// What a watcher is told, in order.
pub(crate) type EvalStream = BoxStream<'static, Result<EvalStep, Problem>>;

impl Api {
    /// Follows an eval.
    pub(crate) async fn watch_eval(
        &self,
        call: &CallContext,
        request: &pb::WatchEvalRequest,
    ) -> Result<EvalStream, Problem> {
        call.caller.require(Scope::DebatesRead)?;
        if self.stop.is_cancelled() {
            return Err(Problem::Draining);
        }
        let place = self.watches.take(&call.caller.tenant, 1).map_err(|NoRoom { held, limit }| {
            let (what, retry) = ("open watches", self.times.retry_full);
            Problem::Full { reason: "WATCH_LIMIT", what, held, limit, retry }
        })?;
        let eval = self.eval(call, &request.name).await?;
        let waits = EvalWaits::of(&self.ports, &eval);
        let snapshot = pb::Eval { waits_for: waits.told().await.unwrap_or_default(), ..view::shown(&eval) };
        let now = Instant::now();
        let mut follower = EvalFollower {
            logs: self.ports.evals.clone(),
            blind: Blindness::default(),
            waits,
            records: eval.records,
            sequence: 0,
            after: request.after_sequence,
            ready: VecDeque::from([EvalStep::Snapshot(Box::new(snapshot))]),
            id: eval.id,
            told: now,
            look: self.times.evals_look,
            heartbeat: self.times.heartbeat,
            until: call.deadline.map_or(now + self.times.watch, |deadline| deadline.min(now + self.times.watch)),
            stop: self.stop.clone(),
            _place: place,
        };
        follower.take(&eval.events)?;
        Ok(Box::pin(stream::unfold(Some(follower), |follower| async move { follower?.step().await })))
    }

    /// Whether nothing follows after this event: the eval is over, and it was the last.
    pub async fn eval_is_over(&self, call: &CallContext, name: &str, after: u64) -> Result<bool, Problem> {
        call.caller.require(Scope::DebatesRead)?;
        let OpenEval { machine, events, .. } = self.eval(call, name).await?;
        Ok(machine.ended().is_some() && after >= events.len() as u64)
    }
}

/// Whether rates may be shown, by the events so far.
#[derive(Clone, Copy, Debug, Default)]
struct Blindness {
    fixed: bool,
    peeked: bool,
    ended: bool,
}

impl Blindness {
    fn take(&mut self, event: &EvalEvent) {
        match event {
            EvalEvent::EvalAdmitted(admission) => self.fixed = admission.spec.design == Design::Fixed,
            EvalEvent::LookTaken { by, .. } => self.peeked |= by == "peek",
            EvalEvent::EvalEnded { .. } => self.ended = true,
            EvalEvent::RetryOrdered { .. } | EvalEvent::RescoreOrdered { .. } => self.ended = false,
            EvalEvent::EvalClaimed { .. }
            | EvalEvent::CellOpened { .. }
            | EvalEvent::CellClosed(_)
            | EvalEvent::CellGraded(_)
            | EvalEvent::LabelsGiven { .. }
            | EvalEvent::GateLearned(_)
            | EvalEvent::EvalStopped { .. } => {}
        }
    }
    fn holds(self) -> bool {
        self.fixed && !self.peeked && !self.ended
    }
}

struct EvalFollower {
    logs: Arc<dyn EvalLogs>,
    id: DebateId,
    blind: Blindness,
    waits: EvalWaits,
    /// Records that were read.
    records: u64,
    /// Events of these.
    sequence: u64,
    /// The last event that the watcher has seen.
    after: u64,
    ready: VecDeque<EvalStep>,
    /// When something was told last.
    told: Instant,
    look: Duration,
    heartbeat: Duration,
    until: Instant,
    stop: CancellationToken,
    _place: RoomShare,
}

impl EvalFollower {
    async fn step(mut self) -> Option<(Result<EvalStep, Problem>, Option<Self>)> {
        loop {
            if let Some(step) = self.ready.pop_front() {
                if let EvalStep::Event(event) = &step {
                    self.after = event.sequence;
                }
                self.told = Instant::now();
                return Some((Ok(step), Some(self)));
            }
            if self.blind.ended {
                return None;
            }
            tokio::select! {
                biased;
                () = self.stop.cancelled() => return Some((Ok(EvalStep::Heartbeat(self.after, None)), None)),
                () = tokio::time::sleep_until(self.until) => return Some((Ok(EvalStep::Heartbeat(self.after, None)), None)),
                () = tokio::time::sleep(self.look) => {}
            }
            if let Err(problem) = self.read().await {
                return Some((Err(problem), None));
            }
            if self.ready.is_empty() && self.told.elapsed() >= self.heartbeat {
                self.ready.push_back(EvalStep::Heartbeat(self.after, self.waits.told().await));
            }
        }
    }

    /// Reads what was appended, if anything was.
    async fn read(&mut self) -> Result<(), Problem> {
        let head = self.logs.eval_head(&self.id).await.map_err(|error| Problem::of_store(&error))?;
        let Some(EvalHead { records, card, .. }) = head else {
            return Err(EvalProblem::Unknown(self.id.name().to_owned()).into());
        };
        if records <= self.records {
            return Ok(());
        }
        let stored = self.logs.read_eval(&self.id, self.records).await.map_err(|error| Problem::of_store(&error))?;
        let mut events = Vec::new();
        for one in stored {
            let record = EvalRecord::from_bytes(&one.body);
            let record = record.map_err(|_| EvalProblem::Damaged(self.id.name().to_owned()))?;
            events.extend(record.events.into_iter().map(|event| (one.at.0, event)));
            self.records = one.number;
        }
        events.iter().for_each(|(_, event)| self.waits.take(event));
        self.take(&events)?;
        let card: EvalCard = serde_json::from_slice(&card).unwrap_or_default();
        self.ready.push_back(EvalStep::Progress(view::progress_of(&card)));
        Ok(())
    }

    /// Events that follow; those that the watcher has seen are left out. What may be shown is decided by all of them.
    fn take(&mut self, events: &[(u64, EvalEvent)]) -> Result<(), Problem> {
        events.iter().for_each(|(_, event)| self.blind.take(event));
        for (at, event) in events {
            self.sequence += 1;
            if self.sequence > self.after {
                let event = message(self.sequence, *at, event, self.blind.holds())?;
                self.ready.push_back(EvalStep::Event(event));
            }
        }
        Ok(())
    }
}

fn message(sequence: u64, at: u64, event: &EvalEvent, blind: bool) -> Result<pb::EvalEvent, Problem> {
    let withheld = blind.then(|| event.withheld());
    let json = eval_event_line(at, withheld.as_ref().unwrap_or(event));
    let json = json.map_err(|error| Problem::Internal(error.to_string()))?;
    Ok(pb::EvalEvent { sequence, time: Some(timestamp(Timestamp(at))), r#type: event.name().to_owned(), json })
}

/// A step as gRPC carries it.
pub(crate) fn eval_message(step: EvalStep) -> pb::WatchEvalResponse {
    use pb::watch_eval_response::{Heartbeat, Kind};
    let kind = match step {
        EvalStep::Snapshot(eval) => Kind::Snapshot(*eval),
        EvalStep::Event(event) => Kind::Event(event),
        EvalStep::Progress(progress) => Kind::Progress(progress),
        EvalStep::Heartbeat(sequence, waits_for) => {
            Kind::Heartbeat(Heartbeat { sequence, waits_for: waits_for.unwrap_or_default() })
        }
    };
    pb::WatchEvalResponse { kind: Some(kind) }
}
