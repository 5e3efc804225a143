//! Following a debate from outside: its records without loss, its tokens as they come.
use crate::shared::Shared;
use crate::subjects;
use crate::wire::Hint;
use agon_bus::{BusError, Received, Subscription};
use agon_core::{DebateId, DebateState, Event, Outcome, Position, Record};
use agon_proto::{TokenDelta, Wire};
use agon_store::StoreError;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// What a watcher sees.
#[derive(Clone, Debug, PartialEq)]
pub enum Watched {
    /// A record of the log. None is left out, none comes twice.
    Record(Arc<Record>),
    /// A piece of a speech while it is generated. Pieces may be lost; the record that follows holds the whole text.
    Delta(TokenDelta),
}

/// Why a debate can no longer be watched.
#[derive(Clone, Debug, thiserror::Error)]
pub enum WatchError {
    /// The journal failed.
    #[error("the log cannot be read")]
    Store(#[from] StoreError),
    /// The bus failed.
    #[error("the bus cannot be listened to")]
    Bus(#[from] BusError),
}

/// A watcher of one debate. The journal is the truth; hints only say when to read it.
pub struct Watch {
    shared: Shared,
    debate: DebateId,
    after: Position,
    ready: VecDeque<Arc<Record>>,
    /// None once the bus is closed: then the journal is read now and then.
    hints: Option<Box<dyn Subscription>>,
    tokens: Option<Box<dyn Subscription>>,
    pause: Pause,
    next_read: Instant,
    ended: bool,
}

/// How often the journal is read when no hint comes.
#[derive(Clone, Copy)]
pub(crate) enum Pause {
    /// Always after the same time.
    Steady,
    /// Ever more rarely, for one who only waits for the end.
    Growing(Duration),
}

/// The longest pause of one who only waits for the end.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

enum Woken {
    Read,
    Delta(TokenDelta),
}

impl Watch {
    pub(crate) async fn open(
        shared: Shared,
        debate: DebateId,
        after: Position,
        tokens: bool,
        pause: Pause,
    ) -> Result<Self, WatchError> {
        // listen first, then read: what is appended in between is told
        let hints = Some(shared.bus.subscribe(&subjects::hints(&debate)).await?);
        let tokens = match tokens {
            true => Some(shared.bus.subscribe(&subjects::all_tokens(&debate)).await?),
            false => None,
        };
        let (ready, next_read) = (VecDeque::new(), Instant::now());
        Ok(Self { shared, debate, after, ready, hints, tokens, pause, next_read, ended: false })
    }

    /// What comes next; none after the record that ends the debate. A debate that does not exist yet is waited for.
    pub async fn next(&mut self) -> Result<Option<Watched>, WatchError> {
        loop {
            if let Some(record) = self.ready.pop_front() {
                self.after = record.last();
                self.ended |= ends(&record).is_some();
                return Ok(Some(Watched::Record(record)));
            }
            if self.ended {
                return Ok(None);
            }
            match self.wait().await {
                Woken::Read => self.read().await?,
                Woken::Delta(delta) => return Ok(Some(Watched::Delta(delta))),
            }
        }
    }

    async fn read(&mut self) -> Result<(), StoreError> {
        self.ready.extend(self.shared.journal.read(&self.debate, self.after).await?);
        let steady = self.shared.config.times.log_poll;
        let pause = match &mut self.pause {
            Pause::Steady => steady,
            Pause::Growing(pause) => {
                *pause =
                    if self.ready.is_empty() { (*pause * 2).clamp(steady, LONGEST_PAUSE.max(steady)) } else { steady };
                *pause
            }
        };
        self.next_read = Instant::now() + pause;
        Ok(())
    }

    /// Tokens first: those that were generated before a record was appended are shown before it.
    async fn wait(&mut self) -> Woken {
        let (debate, after) = (&self.debate, self.after);
        loop {
            tokio::select! {
                biased;
                delta = next_delta(&mut self.tokens) => match delta {
                    Some(delta) => return Woken::Delta(delta),
                    None => self.tokens = None,
                },
                received = next_hint(&mut self.hints) => match received {
                    Some(received) if wants_reading(debate, after, &received) => return Woken::Read,
                    Some(_) => {}
                    None => self.hints = None,
                },
                () = tokio::time::sleep_until(self.next_read) => return Woken::Read,
            }
        }
    }
}

/// The next piece; none when there will be no more. Waits for ever where none are wanted.
async fn next_delta(tokens: &mut Option<Box<dyn Subscription>>) -> Option<TokenDelta> {
    let Some(subscription) = tokens else { return std::future::pending().await };
    loop {
        match subscription.next().await? {
            Received::Message(message) => match TokenDelta::from_bytes(&message.payload) {
                Ok(delta) => return Some(delta),
                Err(error) => tracing::warn!(%error, "token delta cannot be read"),
            },
            Received::Lagged(lost) => tracing::debug!(lost, "token deltas lost"),
        }
    }
}

async fn next_hint(hints: &mut Option<Box<dyn Subscription>>) -> Option<Received> {
    match hints {
        Some(hints) => hints.next().await,
        None => std::future::pending().await,
    }
}

fn wants_reading(debate: &DebateId, after: Position, received: &Received) -> bool {
    match received {
        Received::Message(message) => match Hint::decode(&message.payload) {
            Ok(Some(Hint::LogAdvanced(hint))) => hint.debate == *debate && hint.position > after,
            Ok(_) | Err(_) => false,
        },
        Received::Lagged(_) => true,
    }
}

/// How the debate ended, if this record ends it.
pub(crate) fn ends(record: &Record) -> Option<(DebateState, Option<Outcome>)> {
    record.events.iter().find_map(|event| match event {
        Event::DebateEnded { state, outcome, .. } => Some((*state, *outcome)),
        _ => None,
    })
}
