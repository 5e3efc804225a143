//! Tokens on their way to watchers: in small batches, and only while somebody may listen.
use crate::base::config::DELTA_BYTES;
use crate::base::shared::Shared;
use crate::base::subjects;
use agon_bus::Payload;
use agon_core::{DebateId, ParticipantId, TurnId};
use agon_llm::DeltaSink;
use agon_proto::{TokenDelta, Wire};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// Batches that may wait for the bus; further ones are lost, and the gap shows in the offsets.
const WAITING_BATCHES: usize = 64;

/// How often the whole answer so far is told, for those who came late or have lost a piece.
const WHOLE_EVERY: Duration = Duration::from_secs(3);
/// Longer answers are not told again.
const MOST_WHOLE: usize = 64 * 1024;

/// While nobody listens, somebody is looked for only at every so many pieces: asking the time for each costs more than the rest.
const LOOK_EVERY: u32 = 16;

/// Collects the pieces of one speech.
pub(crate) struct Batcher {
    shared: Shared,
    head: DeltaHead,
    subject: String,
    sender: mpsc::Sender<TokenDelta>,
    batch: String,
    offset: u64,
    /// All of it so far.
    whole: String,
    told_whole: Option<Instant>,
    listeners: bool,
    /// Pieces since somebody was last looked for.
    unheard: u32,
    last: Option<Instant>,
}

struct DeltaHead {
    debate: DebateId,
    turn: TurnId,
    participant: ParticipantId,
}

/// Sends what a [`Batcher`] collects.
pub(crate) struct Sender {
    shared: Shared,
    subject: String,
    receiver: mpsc::Receiver<TokenDelta>,
}

/// A batcher and its sender.
pub(crate) fn channel(
    shared: &Shared,
    debate: &DebateId,
    turn: TurnId,
    participant: &ParticipantId,
) -> (Batcher, Sender) {
    let subject = subjects::tokens(debate, turn);
    let (sender, receiver) = mpsc::channel(WAITING_BATCHES);
    let head = DeltaHead { debate: debate.clone(), turn, participant: participant.clone() };
    let batcher = Batcher {
        shared: shared.clone(),
        head,
        subject: subject.clone(),
        sender,
        batch: String::new(),
        offset: 0,
        whole: String::new(),
        told_whole: None,
        listeners: false,
        unheard: 0,
        last: None,
    };
    (batcher, Sender { shared: shared.clone(), subject, receiver })
}

impl DeltaSink for Batcher {
    fn text(&mut self, delta: &str) {
        if self.whole.len() <= MOST_WHOLE {
            self.whole.push_str(delta);
        }
        if !self.listeners && self.last.is_some() && self.unheard < LOOK_EVERY {
            self.unheard += 1;
            self.offset += delta.len() as u64;
            return;
        }
        self.unheard = 0;
        let now = Instant::now();
        let due = self.last.is_none_or(|last| now.duration_since(last) >= self.shared.config.times.delta_every);
        let came = due && !self.listeners;
        if due {
            self.listeners = self.shared.bus.may_have_listeners(&self.subject);
        }
        // they have missed what was said to nobody
        let missed = came && self.listeners && self.offset > 0;
        if self.listeners {
            self.batch.push_str(delta);
        } else {
            self.offset += delta.len() as u64;
        }
        if due || self.batch.len() >= DELTA_BYTES {
            self.last = Some(now);
            self.flush();
            self.tell_whole(now, missed);
        }
    }

    /// What was sent stays with the watchers until the turn is over; nobody who comes later is sent it again.
    fn retract(&mut self) {
        self.batch.clear();
        self.whole.clear();
    }

    /// A piece without text.
    fn loading(&mut self) {
        self.send(String::new());
    }
}

/// Tells watchers what a turn waits for.
pub(crate) async fn tell_waiting(
    shared: &Shared,
    debate: &DebateId,
    (turn, participant): (TurnId, &ParticipantId),
    what: String,
) {
    let subject = subjects::tokens(debate, turn);
    if !shared.bus.may_have_listeners(&subject) {
        return;
    }
    let head = TokenDelta {
        debate: debate.clone(),
        turn,
        participant: participant.clone(),
        offset: 0,
        text: String::new(),
        waiting: what,
    };
    if let Err(error) = shared.bus.publish(&subject, Payload::from(head.to_bytes())).await {
        tracing::debug!(%error, "token delta lost");
    }
}

impl Batcher {
    /// Sends what is left.
    pub(crate) fn flush(&mut self) {
        if self.batch.is_empty() {
            return;
        }
        let text = std::mem::take(&mut self.batch);
        self.send(text);
    }

    /// Tells all of it so far, now and then and where somebody has just come.
    fn tell_whole(&mut self, now: Instant, missed: bool) {
        let due = now.duration_since(*self.told_whole.get_or_insert(now)) >= WHOLE_EVERY;
        let is_whole = self.whole.len() as u64 == self.offset;
        if self.listeners && is_whole && (due || missed) {
            self.told_whole = Some(now);
            self.send_at(0, self.whole.clone());
        }
    }

    fn send(&mut self, text: String) {
        let offset = self.offset;
        self.offset += text.len() as u64;
        self.send_at(offset, text);
    }

    fn send_at(&self, offset: u64, text: String) {
        let DeltaHead { debate, turn, participant } = &self.head;
        let (debate, participant, waiting) = (debate.clone(), participant.clone(), String::new());
        let delta = TokenDelta { debate, turn: *turn, participant, offset, text, waiting };
        if self.sender.try_send(delta).is_err() {
            tracing::debug!(debate = %self.head.debate, "token delta lost: the bus is slow");
        }
    }
}

impl Sender {
    /// Sends until the batcher is gone.
    pub(crate) async fn run(&mut self) {
        while let Some(delta) = self.receiver.recv().await {
            if let Err(error) = self.shared.bus.publish(&self.subject, Payload::from(delta.to_bytes())).await {
                tracing::debug!(%error, "token delta lost");
            }
        }
    }
}
