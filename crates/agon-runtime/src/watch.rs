//! Following a debate from outside: its records without loss, its tokens as they come.
use crate::base::journal;
use crate::base::shared::Shared;
use agon_bus::BusError;
use agon_core::{DebateId, DebateState, Event, Outcome, Position, Record};
use agon_proto::TokenDelta;
use agon_store::StoreError;
use feeds::DebateFeed;
use heard::HeardAnswers;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

pub(crate) mod feeds;
mod heard;

/// What a watcher sees.
#[derive(Clone, Debug, PartialEq)]
pub enum Watched {
    /// A record of the log. None is left out, none comes twice.
    Record(Arc<Record>),
    /// A piece of a speech while it is generated. Each begins where the one before has ended, the first at the speech's beginning;
    /// the record that follows holds the whole text.
    Delta(TokenDelta),
}

/// Why a debate can no longer be watched.
#[derive(Clone, Debug, thiserror::Error)]
pub enum WatchError {
    /// There is no such debate.
    #[error("there is no debate {0}")]
    Unknown(DebateId),
    /// The journal failed.
    #[error("the log cannot be read")]
    Store(#[from] StoreError),
    /// The bus failed.
    #[error("the bus cannot be listened to")]
    Bus(#[from] BusError),
    /// The node was shut down.
    #[error("the node is down; the debate continues on another one")]
    Down,
}

/// A watcher of one debate. The journal is the truth; hints only say when to read it.
pub struct Watch {
    shared: Shared,
    debate: DebateId,
    after: Position,
    ready: VecDeque<Arc<Record>>,
    feed: Arc<DebateFeed>,
    seen: Receiver<Watched>,
    wants: Wants,
    heard: HeardAnswers,
    ended: bool,
}

/// What a watcher wants to see, and how soon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wants {
    /// Tokens too.
    pub(crate) tokens: bool,
    /// Records as soon as may be, and not only the end at some time.
    pub(crate) brisk: bool,
    /// A debate that does not exist yet is waited for.
    pub(crate) patient: bool,
}

impl Watch {
    pub(crate) async fn open(
        shared: Shared,
        debate: DebateId,
        after: Position,
        wants: Wants,
    ) -> Result<Self, WatchError> {
        let mut known = Vec::new();
        let feed = match feeds::find(&shared, &debate) {
            Some(feed) => feed,
            None => {
                known = journal::read(&shared, &debate, Position(0)).await?;
                feeds::start(&shared, &debate, end_of(&known).0).await?
            }
        };
        let (read_to, over) = end_of(&known);
        known.retain(|record| record.last() > after);
        feed.brisk.fetch_add(usize::from(wants.brisk), Ordering::SeqCst);
        let mut watch = Self {
            seen: feed.follow(),
            ready: known.into(),
            // what was not asked for is not given back
            wants: Wants { tokens: false, ..wants },
            heard: HeardAnswers::default(),
            ended: false,
            shared,
            debate,
            after,
            feed,
        };
        if wants.tokens {
            watch.wants.tokens = true;
            watch.feed.want_tokens(&watch.shared).await?;
        }
        // listen first, then read: what is appended in between is told; nothing is after the end
        if !over {
            let newer = journal::read(&watch.shared, &watch.debate, after.max(read_to)).await?;
            watch.ready.extend(newer);
        }
        if watch.ready.is_empty() {
            let (end, over) = end_of(&journal::read(&watch.shared, &watch.debate, Position(0)).await?);
            if end == Position(0) && !wants.patient {
                return Err(WatchError::Unknown(watch.debate.clone()));
            }
            watch.ended = over && end <= watch.after;
        }
        Ok(watch)
    }

    /// What comes next; none after the record that ends the debate.
    pub async fn next(&mut self) -> Result<Option<Watched>, WatchError> {
        loop {
            if let Some(record) = self.ready.pop_front() {
                self.after = record.last();
                self.ended |= ends(&record).is_some();
                self.heard.settle(&record);
                return Ok(Some(Watched::Record(record)));
            }
            if self.ended {
                return Ok(None);
            }
            match self.seen.recv().await {
                Ok(Watched::Delta(delta)) if self.wants.tokens => {
                    if let Some(new) = self.heard.new_in(delta) {
                        return Ok(Some(Watched::Delta(new)));
                    }
                }
                Ok(Watched::Delta(_)) => {}
                // One who asks for what comes after the end is told of the end by nothing more coming.
                Ok(Watched::Record(record)) if record.last() <= self.after => self.ended |= ends(&record).is_some(),
                Ok(Watched::Record(record)) if record.first == self.after.next() => self.ready.push_back(record),
                // the reader is ahead, or this watcher was too slow for it
                Ok(Watched::Record(_)) | Err(RecvError::Lagged(_)) => self.read().await?,
                Err(RecvError::Closed) => self.read_the_rest().await?,
            }
        }
    }

    async fn read(&mut self) -> Result<(), WatchError> {
        let records = journal::read(&self.shared, &self.debate, self.after).await?;
        self.ready.extend(records);
        Ok(())
    }

    /// The reader has seen the end, or was stopped.
    async fn read_the_rest(&mut self) -> Result<(), WatchError> {
        self.read().await?;
        if self.ready.is_empty() { Err(WatchError::Down) } else { Ok(()) }
    }
}

/// Where a log ends, 0 for that of an unknown debate, and whether the debate is over.
fn end_of(records: &[Arc<Record>]) -> (Position, bool) {
    records.last().map_or((Position(0), false), |record| (record.last(), ends(record).is_some()))
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.feed.brisk.fetch_sub(usize::from(self.wants.brisk), Ordering::SeqCst);
        self.feed.eager.fetch_sub(usize::from(self.wants.tokens), Ordering::SeqCst);
    }
}

/// How the debate ended, if this record ends it.
pub(crate) fn ends(record: &Record) -> Option<(DebateState, Option<Outcome>)> {
    record.events.iter().find_map(|event| match event {
        Event::DebateEnded { state, outcome, .. } => Some((*state, *outcome)),
        _ => None,
    })
}
