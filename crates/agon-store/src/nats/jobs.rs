//! The job queue on JetStream: a work queue with one consumer for each priority and lane.
use super::NatsStore;
use super::error::StoreRefusal;
use super::job_leases::JobLeases;
use super::js::Outgoing;
use super::subjects::{self, JOBS};
use crate::lock::lock;
use crate::port::{Job, Jobs, StoreError};
use crate::weighted_fairness::WeightedRoundRobin;
use agon_core::{DebateId, Priority};
use async_nats::jetstream::{self, AckKind};
use async_nats::{HeaderMap, Request, StatusCode, Subscriber};
use async_trait::async_trait;
use bytes::Bytes;
use futures_util::StreamExt as _;
use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;
use tokio::time::Instant;

/// For how long a priority that had nothing counts as empty. After that it may gather credit, so that it is looked at again.
const EMPTY_FOR: Duration = Duration::from_secs(1);
/// A lane that had nothing so lately is asked after all others: to say that there is nothing, the server goes through the whole queue.
const RESTS_FOR: Duration = Duration::from_millis(100);

/// What this process knows of the job queue.
#[derive(Debug)]
pub(crate) struct NatsJobQueue {
    pub(crate) held: Mutex<JobLeases>,
    turns: Mutex<Turns>,
}

#[derive(Debug, Default)]
struct Turns {
    shares: WeightedRoundRobin,
    /// When a lane of a priority was last found empty.
    empty: HashMap<(Priority, u32), Instant>,
    lane: u32,
}

impl NatsJobQueue {
    pub(crate) fn new(most: usize) -> Self {
        Self { held: Mutex::new(JobLeases::new(most)), turns: Mutex::default() }
    }

    /// The lanes of all priorities in the order in which they are to be asked.
    fn order(&self, lanes: u32) -> Vec<(Priority, u32)> {
        let turns = &mut *lock(&self.turns);
        turns.lane = turns.lane.wrapping_add(1);
        let lane = |step: u32| turns.lane.wrapping_add(step).checked_rem(lanes).unwrap_or(0);
        let all =
            turns.shares.order().into_iter().flat_map(|priority| (0..lanes).map(move |step| (priority, lane(step))));
        let (rest, mut asked): (Vec<_>, Vec<_>) =
            all.partition(|place| turns.empty.get(place).is_some_and(|at| at.elapsed() < RESTS_FOR));
        asked.extend(rest);
        asked
    }
    fn found_empty(&self, place: (Priority, u32)) {
        lock(&self.turns).empty.insert(place, Instant::now());
    }
    fn served(&self, (priority, lane): (Priority, u32), lanes: u32) {
        let turns = &mut *lock(&self.turns);
        turns.empty.remove(&(priority, lane));
        let empty = |place| turns.empty.get(&place).is_some_and(|at| at.elapsed() <= EMPTY_FOR);
        turns.shares.charge(priority, |other| !(0..lanes).all(|lane| empty((other, lane))));
    }
}

#[async_trait]
impl Jobs for NatsStore {
    async fn enqueue(&self, debate: &DebateId, priority: Priority) -> Result<(), StoreError> {
        let subject = subjects::job(debate, priority, self.config.lanes.get());
        let (headers, body) = (HeaderMap::new(), Bytes::new());
        let message = Outgoing { stream: JOBS, subject: &subject, expected: Some(0), headers, body };
        match self.js.publish(message).await {
            // The server compares sequences before it counts: a job that is there is told from a queue that is full.
            Ok(_) | Err(StoreRefusal::Moved) => Ok(()),
            Err(StoreRefusal::Full(detail)) => Err(StoreError::Full(format!("the job queue ({detail})"))),
            Err(refusal @ (StoreRefusal::Denied(_) | StoreRefusal::Unsure(_))) => Err(refusal.during("adding a job")),
        }
    }

    /// Takes the permission to purge jobs. Where the server denies it, a job that is there has to do.
    async fn renew(&self, debate: &DebateId, priority: Priority) -> Result<(), StoreError> {
        match self.js.purge(JOBS, &subjects::jobs_of(debate)).await {
            Ok(_) => {}
            Err(refusal @ StoreRefusal::Denied(_)) => tracing::warn!(%debate, %refusal, "an older job is not removed"),
            Err(refusal) => return Err(refusal.during("removing an older job")),
        }
        self.enqueue(debate, priority).await
    }

    /// The lease is the queue's own ([`crate::NatsStoreConfig::lease`]), because the server has one for all.
    async fn take(&self, _owner: &str, _lease: Duration) -> Result<Option<Job>, StoreError> {
        self.take_next().await.map_err(|error| error.during("taking a job"))
    }

    async fn complete(&self, job: &Job) -> Result<(), StoreError> {
        let Some(subject) = lock(&self.queue.held).subject(job, Instant::now()) else { return Ok(()) };
        self.answer(&subject, AckKind::Ack).await.map_err(|error| error.during("completing a job"))?;
        lock(&self.queue.held).remove(job);
        Ok(())
    }

    async fn release(&self, job: &Job, delay: Duration) -> Result<(), StoreError> {
        let Some(subject) = lock(&self.queue.held).subject(job, Instant::now()) else { return Ok(()) };
        let delay = Some(delay).filter(|delay| !delay.is_zero());
        self.answer(&subject, AckKind::Nak(delay)).await.map_err(|error| error.during("releasing a job"))?;
        lock(&self.queue.held).remove(job);
        Ok(())
    }
}

impl NatsStore {
    /// Asks the lanes one after another until one has a job: asking all at once would take jobs that nobody wants yet.
    async fn take_next(&self) -> Result<Option<Job>, StoreRefusal> {
        let lanes = self.config.lanes.get();
        let inbox = self.js.client.new_inbox();
        let answers = self.js.in_time(self.js.client.subscribe(inbox.clone())).await?;
        let mut answers = answers.map_err(|error| StoreRefusal::Unsure(error.to_string()))?;
        for (priority, lane) in self.queue.order(lanes) {
            let (asked, consumer) = (Instant::now(), subjects::job_consumer(priority, lane));
            self.pull(&inbox, &consumer).await?;
            let pulled = self.pulled(&mut answers, asked + self.config.lease).await;
            self.found.asked(&consumer, pulled.is_ok());
            if let Some(job) = pulled? {
                self.queue.served((priority, lane), lanes);
                return Ok(Some(job));
            }
            self.queue.found_empty((priority, lane));
        }
        Ok(None)
    }

    async fn pull(&self, inbox: &str, consumer: &str) -> Result<(), StoreRefusal> {
        let subject = format!("$JS.API.CONSUMER.MSG.NEXT.{JOBS}.{consumer}");
        let body = Bytes::from_static(br#"{"batch":1,"no_wait":true}"#);
        let sent = self.js.in_time(self.js.client.publish_with_reply(subject, inbox.to_owned(), body)).await?;
        sent.map_err(|error| StoreRefusal::Unsure(error.to_string()))
    }

    /// The job that came, if one did.
    async fn pulled(&self, answers: &mut Subscriber, until: Instant) -> Result<Option<Job>, StoreRefusal> {
        let closed = || StoreRefusal::Unsure("the connection was closed".to_owned());
        let message = self.js.in_time(answers.next()).await?.ok_or_else(closed)?;
        match message.status {
            None => {}
            Some(StatusCode::NO_RESPONDERS) => {
                return Err(StoreRefusal::Unsure("JetStream does not answer".to_owned()));
            }
            // Nothing there, or nothing for now.
            Some(_) => return Ok(None),
        }
        let unreadable = || StoreRefusal::Unsure(format!("{} is not a job", message.subject));
        let debate = subjects::debate_of(&message.subject).ok_or_else(unreadable)?;
        let subject = message.reply.clone().ok_or_else(unreadable)?;
        let message = jetstream::Message { message: message.clone(), context: self.js.context.clone() };
        let deliveries = message.info().map(|info| info.delivered).map_err(|_| unreadable())?;
        let deliveries = u32::try_from(deliveries).unwrap_or(u32::MAX);
        let token = lock(&self.queue.held).add(&debate, subject, until);
        Ok(Some(Job { debate, token, deliveries }))
    }

    /// Says what became of a delivery, and waits until the server has heard it.
    async fn answer(&self, subject: &str, kind: AckKind) -> Result<(), StoreRefusal> {
        self.js.ask(subject, Request::new().payload(kind.into())).await.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::NatsJobQueue;
    use agon_core::Priority;

    #[test]
    fn a_lane_that_had_nothing_just_now_is_asked_last() {
        let queue = NatsJobQueue::new(9);
        let first = (Priority::Interactive, 0);
        let place = |queue: &NatsJobQueue| queue.order(1).iter().position(|place| *place == first).unwrap();
        assert_eq!(place(&queue), 0);

        queue.found_empty(first);

        assert_eq!((place(&queue), queue.order(1).len()), (2, 3));
    }
}
