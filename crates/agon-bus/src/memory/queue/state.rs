//! What the queues hold, who waits, and what falls due when. Synchronous; told the time.
//!
//! Between two calls there is never both a free message and somebody who waits for it.
use crate::pattern::{PatternIndex, matches};
use crate::port::{BusError, Message, Payload};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;

/// Work that was handed out.
pub(super) struct Taken {
    pub(super) number: u64,
    pub(super) message: Message,
    pub(super) deliveries: u32,
    hold: u64,
}

#[derive(Default)]
pub(super) struct State {
    pub(super) closed: bool,
    last_number: u64,
    last_hold: u64,
    last_wait: u64,
    work: BTreeMap<u64, QueuedMessage>,
    /// The one piece of work of each subject.
    by_subject: HashMap<String, u64>,
    /// Numbers of the free messages by lane, so that a pull need not look at the others.
    free: HashMap<String, BTreeSet<u64>>,
    held_by_queue: HashMap<String, usize>,
    due: BTreeSet<(Instant, u64)>,
    waiting: BTreeMap<u64, WaitingConsumer>,
    waiting_for: PatternIndex<()>,
    /// When those who wait wake by themselves.
    armed: Option<Instant>,
}

struct QueuedMessage {
    message: Message,
    deliveries: u32,
    place: LeaseState,
}

#[derive(Clone, Copy)]
enum LeaseState {
    Free,
    /// Leased under a hold number.
    Leased(u64, Instant),
    Delayed(Instant),
}

struct WaitingConsumer {
    pattern: String,
    lease: Duration,
    hand: oneshot::Sender<Taken>,
}

impl State {
    /// Adds work, unless its subject has some. True when somebody's alarm has to be set sooner.
    pub(super) fn enqueue(&mut self, message: Message, capacity: usize, now: Instant) -> Result<bool, BusError> {
        if self.by_subject.contains_key(&message.subject) {
            return Ok(false);
        }
        let queue = first_tokens(&message.subject, QUEUE_TOKENS);
        match self.held_by_queue.get_mut(queue) {
            Some(held) if *held >= capacity => return Err(BusError::QueueFull(queue.to_owned())),
            Some(held) => *held += 1,
            None if capacity == 0 => return Err(BusError::QueueFull(queue.to_owned())),
            None => {
                self.held_by_queue.insert(queue.to_owned(), 1);
            }
        }
        self.last_number += 1;
        let number = self.last_number;
        self.by_subject.insert(message.subject.clone(), number);
        self.work.insert(number, QueuedMessage { message, deliveries: 0, place: LeaseState::Free });
        Ok(self.set_free(number, now))
    }

    /// The oldest free message that fits, leased from now on.
    pub(super) fn take(&mut self, pattern: &str, lease: Duration, now: Instant) -> Option<(Taken, bool)> {
        let number = match lane_of_pattern(pattern) {
            Some(lane) => self.first_in(self.free.get(lane)?, pattern)?,
            None => self.free.values().filter_map(|lane| self.first_in(lane, pattern)).min()?,
        };
        self.lease(number, lease, now)
    }

    fn first_in(&self, lane: &BTreeSet<u64>, pattern: &str) -> Option<u64> {
        let fits = |number: &&u64| self.work.get(number).is_some_and(|work| matches(pattern, &work.message.subject));
        lane.iter().find(fits).copied()
    }

    /// Joins the line of those who wait.
    pub(super) fn wait(&mut self, pattern: &str, lease: Duration, hand: oneshot::Sender<Taken>) -> u64 {
        self.last_wait += 1;
        self.waiting.insert(self.last_wait, WaitingConsumer { pattern: pattern.to_owned(), lease, hand });
        self.waiting_for.insert(pattern, self.last_wait, ());
        self.last_wait
    }

    /// Leaves the line.
    pub(super) fn leave(&mut self, id: u64) -> Option<oneshot::Sender<Taken>> {
        let waiting = self.waiting.remove(&id)?;
        self.waiting_for.remove(&waiting.pattern, id);
        Some(waiting.hand)
    }

    /// When to call [`State::release_due`] next; noted as known to those who wait.
    pub(super) fn arm(&mut self) -> Option<Instant> {
        self.armed = self.due.first().map(|(at, _)| *at);
        self.armed
    }

    /// Sets free what has fallen due, oldest message first.
    pub(super) fn release_due(&mut self, now: Instant) {
        let mut free = BTreeSet::new();
        while let Some((at, number)) = self.due.first().copied() {
            if at > now {
                break;
            }
            self.due.pop_first();
            free.insert(number);
        }
        for number in free {
            self.set_free(number, now);
        }
    }

    /// A lease that was handed over and never seen: as if it had not been.
    pub(super) fn put_back(&mut self, taken: &Taken, now: Instant) -> bool {
        if !self.holds(taken) {
            return false;
        }
        self.take_off(taken.number);
        if let Some(work) = self.work.get_mut(&taken.number) {
            work.deliveries = work.deliveries.saturating_sub(1);
        }
        self.set_free(taken.number, now)
    }

    /// Moves the end of a lease; false when it is no longer the holder's.
    pub(super) fn extend(&mut self, taken: &Taken, until: Instant) -> (bool, bool) {
        if !self.holds(taken) {
            return (false, false);
        }
        self.take_off(taken.number);
        (true, self.put(taken.number, LeaseState::Leased(taken.hold, until)))
    }

    /// Ends a lease; free after `delay`. Of somebody who no longer holds it, it is ignored.
    pub(super) fn give_back(&mut self, taken: &Taken, delay: Duration, now: Instant) -> bool {
        if !self.holds(taken) {
            return false;
        }
        self.take_off(taken.number);
        if delay.is_zero() {
            self.set_free(taken.number, now)
        } else {
            self.put(taken.number, LeaseState::Delayed(now + delay))
        }
    }

    /// Takes a message out for good, whoever holds it.
    pub(super) fn remove(&mut self, number: u64) {
        self.take_off(number);
        let Some(work) = self.work.remove(&number) else { return };
        self.by_subject.remove(&work.message.subject);
        let queue = first_tokens(&work.message.subject, QUEUE_TOKENS);
        if let Some(held) = self.held_by_queue.get_mut(queue) {
            *held = held.saturating_sub(1);
        }
    }

    pub(super) fn count(&self, pattern: &str) -> usize {
        self.work.values().filter(|work| matches(pattern, &work.message.subject)).count()
    }

    pub(super) fn subjects(&self, most: usize) -> Vec<String> {
        self.by_subject.keys().take(most).cloned().collect()
    }

    pub(super) fn peek(&self, subject: &str) -> Option<Payload> {
        Some(self.work.get(self.by_subject.get(subject)?)?.message.payload.clone())
    }

    pub(super) fn close(&mut self) {
        self.closed = true;
        self.waiting.clear();
        self.waiting_for.clear();
    }

    fn holds(&self, taken: &Taken) -> bool {
        let place = self.work.get(&taken.number).map(|work| work.place);
        matches!(place, Some(LeaseState::Leased(hold, _)) if hold == taken.hold)
    }

    /// Hands the message to whoever waits longest, else files it as free.
    fn set_free(&mut self, number: u64, now: Instant) -> bool {
        let Some(work) = self.work.get_mut(&number) else { return false };
        let mut first = None;
        self.waiting_for.for_each_match(&work.message.subject, &mut |id, ()| {
            first = Some(first.map_or(id, |other: u64| other.min(id)));
        });
        let waiting = first.and_then(|id| Some((id, self.waiting.get(&id)?.lease)));
        let Some((id, lease)) = waiting else {
            work.place = LeaseState::Free;
            let lane = first_tokens(&work.message.subject, LANE_TOKENS);
            match self.free.get_mut(lane) {
                Some(free) => free.insert(number),
                None => self.free.entry(lane.to_owned()).or_default().insert(number),
            };
            return false;
        };
        let hand = self.leave(id);
        let Some((taken, tell)) = self.lease(number, lease, now) else { return false };
        // the receiver leaves the line under the same lock before it goes, so it is still there
        if let Some(Err(unseen)) = hand.map(|hand| hand.send(taken)) {
            self.put_back(&unseen, now);
        }
        tell
    }

    fn lease(&mut self, number: u64, lease: Duration, now: Instant) -> Option<(Taken, bool)> {
        self.take_off(number);
        self.last_hold += 1;
        let hold = self.last_hold;
        let tell = self.put(number, LeaseState::Leased(hold, now + lease));
        let work = self.work.get_mut(&number)?;
        work.deliveries = work.deliveries.saturating_add(1);
        Some((Taken { number, message: work.message.clone(), deliveries: work.deliveries, hold }, tell))
    }

    /// Takes the message off the lane or the alarm that it stands on.
    fn take_off(&mut self, number: u64) {
        let Some(work) = self.work.get(&number) else { return };
        match work.place {
            LeaseState::Leased(_, at) | LeaseState::Delayed(at) => {
                self.due.remove(&(at, number));
            }
            LeaseState::Free => {
                let lane = first_tokens(&work.message.subject, LANE_TOKENS);
                if let Some(free) = self.free.get_mut(lane) {
                    free.remove(&number);
                    if free.is_empty() {
                        self.free.remove(lane);
                    }
                }
            }
        }
    }

    /// Puts the message in a place that ends. True when that is sooner than those who wait will wake.
    fn put(&mut self, number: u64, place: LeaseState) -> bool {
        let Some(work) = self.work.get_mut(&number) else { return false };
        work.place = place;
        let (LeaseState::Leased(_, at) | LeaseState::Delayed(at)) = place else { return false };
        self.due.insert((at, number));
        // nobody's alarm is later than the one that was set last, because each is set to what falls due first
        !self.waiting.is_empty() && self.armed.is_none_or(|armed| at < armed)
    }
}

/// A queue is what the first three tokens name, such as `agon.v1.gen`.
const QUEUE_TOKENS: usize = 3;
/// A lane is what the first five tokens name, such as one model and priority: pulls are for one lane as a rule.
const LANE_TOKENS: usize = 5;

fn first_tokens(subject: &str, tokens: usize) -> &str {
    let end = subject.match_indices('.').nth(tokens.saturating_sub(1)).map_or(subject.len(), |(at, _)| at);
    subject.get(..end).unwrap_or(subject)
}

/// The one lane that all subjects of the pattern lie in, if there is such a one.
fn lane_of_pattern(pattern: &str) -> Option<&str> {
    let lane = first_tokens(pattern, LANE_TOKENS);
    lane.split('.').all(|token| token != "*" && token != ">").then_some(lane)
}
