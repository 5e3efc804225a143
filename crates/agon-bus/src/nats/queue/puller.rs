//! The one task that pulls for a pattern: it asks for work while somebody waits, and gives back what comes for nobody.
use super::consumer::{ConsumerLane, Consumers};
use super::delivery::NatsDelivery;
use crate::port::BusError;
use async_nats::{StatusCode, Subscriber};
use bytes::Bytes;
use futures_util::StreamExt;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::sync::{broadcast, mpsc, oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::super::state::{Access, PermissionViolation};

/// How long the server keeps one request for work.
const EXPIRES: Duration = Duration::from_secs(5);
/// How much longer its answer may take.
const GRACE: Duration = Duration::from_secs(1);
/// Pause after a failure.
const PAUSE: Duration = Duration::from_millis(250);
/// Pause where the consumer is missing and only others may make it.
const MISSING: Duration = Duration::from_secs(2);
/// Failures that last longer are told to those who wait.
const PATIENCE: Duration = Duration::from_secs(10);

/// Somebody who waits for work.
pub(super) struct Want {
    pub(super) lease: Duration,
    pub(super) hand: oneshot::Sender<Result<NatsDelivery, BusError>>,
}

pub(super) struct QueuePuller {
    consumers: Consumers,
    lane: ConsumerLane,
    wants: mpsc::Receiver<Want>,
    waiting: VecDeque<Want>,
    connects: watch::Receiver<u64>,
    violations: broadcast::Receiver<PermissionViolation>,
    /// Answers come here, under the number of their request.
    inbox: String,
    last_request: u64,
    outstanding: bool,
    /// When to look again, whatever was told until then.
    look_at: Option<Instant>,
    /// The lease that the consumer grants, once it is known to be there.
    lease: Option<Duration>,
    failing_since: Option<Instant>,
}

impl QueuePuller {
    pub(super) fn new(consumers: Consumers, lane: ConsumerLane, wants: mpsc::Receiver<Want>) -> Self {
        let tracker = consumers.link().tracker();
        let (connects, violations) = (tracker.connects(), tracker.violations());
        let inbox = consumers.link().client().new_inbox();
        Self {
            consumers,
            lane,
            wants,
            waiting: VecDeque::new(),
            connects,
            violations,
            inbox,
            last_request: 0,
            outstanding: false,
            look_at: None,
            lease: None,
            failing_since: None,
        }
    }

    pub(super) async fn run(mut self, closing: CancellationToken) {
        let mut answers = match self.consumers.link().client().subscribe(format!("{}.*", self.inbox)).await {
            Ok(answers) => answers,
            Err(error) => return tracing::warn!(pattern = %self.lane.filter, %error, "work cannot be pulled"),
        };
        loop {
            self.ask_if_wanted().await;
            let look_at = self.look_at;
            tokio::select! {
                biased;
                () = closing.cancelled() => break,
                Some(want) = self.wants.recv() => self.waiting.push_back(want),
                answer = answers.next() => match answer {
                    Some(answer) => self.take(answer).await,
                    None => return,
                },
                Ok(()) = self.connects.changed() => self.forget_request(),
                Ok(violation) = self.violations.recv() => self.violated(&violation),
                () = at(look_at) => self.look_again(),
            }
        }
        self.give_back_the_rest(answers).await;
    }

    /// What was asked may be gone: the server forgets requests with their connection.
    fn forget_request(&mut self) {
        self.outstanding = false;
        self.look_at = None;
    }

    /// Nothing came to a request, not even that there is nothing: across accounts no server says that the consumer is gone.
    fn look_again(&mut self) {
        if self.outstanding {
            self.lease = None;
        }
        self.forget_request();
    }

    async fn ask_if_wanted(&mut self) {
        self.waiting.retain(|want| !want.hand.is_closed());
        let Some(lease) = self.waiting.front().map(|want| want.lease) else { return };
        if self.outstanding || self.look_at.is_some() {
            return;
        }
        if !self.consumers.link().is_connected() {
            // a reconnect is told; this is for one that was missed
            self.look_at = Some(Instant::now() + GRACE);
            return;
        }
        match self.ask(lease).await {
            Ok(true) => {
                self.outstanding = true;
                self.look_at = Some(Instant::now() + EXPIRES + GRACE);
            }
            Ok(false) => self.look_at = Some(Instant::now() + MISSING),
            Err(error) => self.failed(error),
        }
    }

    /// Asks for work; false where there is no consumer yet.
    async fn ask(&mut self, lease: Duration) -> Result<bool, BusError> {
        if self.lease != Some(lease) {
            if !self.consumers.ensure(&self.lane, lease).await? {
                return Ok(false);
            }
            self.lease = Some(lease);
        }
        self.last_request += 1;
        let body = format!("{{\"batch\":1,\"expires\":{}}}", EXPIRES.as_nanos());
        let reply = format!("{}.{}", self.inbox, self.last_request);
        let link = self.consumers.link();
        let asking = link.client().publish_with_reply(self.lane.next_subject(link), reply, Bytes::from(body));
        let asked = tokio::time::timeout(link.request_timeout(), asking).await;
        let stuck = |_| BusError::Failed(format!("nothing can be sent to {}", link.servers()));
        asked.map_err(stuck)?.map_err(|e| BusError::Failed(e.to_string()))?;
        Ok(true)
    }

    async fn take(&mut self, answer: async_nats::Message) {
        let Some(status) = answer.status else { return self.take_work(answer).await };
        let number = answer.subject.rsplit('.').next().and_then(|number| number.parse().ok());
        if number != Some(self.last_request) || status == StatusCode::IDLE_HEARTBEAT {
            return;
        }
        self.forget_request();
        match status {
            StatusCode::NOT_FOUND | StatusCode::TIMEOUT => self.failing_since = None,
            // the consumer is gone, or its leader changes: see that it is there before the next request
            StatusCode::NO_RESPONDERS | StatusCode::REQUEST_TERMINATED => {
                self.lease = None;
                self.failed(BusError::Failed(told(&answer)));
            }
            _ => self.failed(BusError::Failed(told(&answer))),
        }
    }

    async fn take_work(&mut self, message: async_nats::Message) {
        self.forget_request();
        self.failing_since = None;
        match self.consumers.receive(message).await {
            Ok(Some(delivery)) => self.hand_over(delivery).await,
            Ok(None) => {}
            Err(error) => tracing::warn!(pattern = %self.lane.filter, %error, "work not received"),
        }
    }

    async fn hand_over(&mut self, delivery: NatsDelivery) {
        let mut delivery = delivery;
        while let Some(want) = self.waiting.pop_front() {
            match want.hand.send(Ok(delivery)) {
                Ok(()) | Err(Err(_)) => return,
                Err(Ok(unwanted)) => delivery = unwanted,
            }
        }
        delivery.give_back().await;
    }

    /// Tries again soon; what does not pass is told to those who wait.
    fn failed(&mut self, error: BusError) {
        let since = *self.failing_since.get_or_insert_with(Instant::now);
        let lasting = matches!(error, BusError::Denied(_)) || since.elapsed() > PATIENCE;
        self.look_at = Some(Instant::now() + PAUSE);
        if lasting {
            self.failing_since = None;
            self.tell_all(&error);
        } else {
            tracing::debug!(pattern = %self.lane.filter, %error, "work cannot be pulled now");
        }
    }

    fn violated(&mut self, violation: &PermissionViolation) {
        if violation.access == Access::Publish && violation.subject == self.lane.next_subject(self.consumers.link()) {
            self.forget_request();
            self.failed(BusError::Denied(violation.to_string()));
        }
    }

    fn tell_all(&mut self, error: &BusError) {
        for want in self.waiting.drain(..) {
            // whoever has gone need not know
            want.hand.send(Err(error.clone())).ok();
        }
    }

    async fn give_back_the_rest(mut self, mut answers: Subscriber) {
        self.wants.close();
        self.waiting.clear();
        if !self.consumers.link().is_connected() {
            // what was on its way comes again when its lease has run out
            return;
        }
        // a connection that is closed has nothing left to give back
        answers.drain().await.ok();
        while let Some(answer) = answers.next().await {
            if answer.status.is_none() {
                self.take_work(answer).await;
            }
        }
    }
}

fn told(answer: &async_nats::Message) -> String {
    answer.description.clone().unwrap_or_else(|| "the server does not hand out work".to_owned())
}

async fn at(when: Option<Instant>) {
    match when {
        Some(when) => tokio::time::sleep_until(when).await,
        None => std::future::pending().await,
    }
}
