//! One reader for each debate that is watched here, however many watch it.
use crate::base::journal;
use crate::base::shared::{Common, Shared};
use crate::base::subjects;
use crate::base::tasks::Awaited;
use crate::base::trouble::Trouble;
use crate::watch::{Watched, ends};
use agon_bus::{BusError, Received, Subscription};
use agon_core::{DebateId, Position};
use agon_proto::{Hint, TokenDelta, Wire};
use agon_store::StoreError;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;
use tokio::sync::{broadcast, mpsc};
use tokio::time::Instant;

/// A watcher may be so many records and pieces of speeches behind; one that is further behind reads the journal itself. Their room is taken
/// for each debate that anybody waits for, whether there is anything in it or not.
const BUFFER: usize = 128;
/// The longest pause between two looks at the journal for those who only wait for the end.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// Subscriptions to tokens that wait for their reader; one that finds no place was not needed.
const TOKENS_WAITING: usize = 4;

/// The readers of this process.
#[derive(Default)]
pub(crate) struct DebateFeeds {
    feeds: Mutex<HashMap<DebateId, Weak<DebateFeed>>>,
}

/// A debate's reader, for as long as somebody watches.
pub(crate) struct DebateFeed {
    debate: DebateId,
    shared: Weak<Common>,
    /// Gone with the reader.
    seen: broadcast::WeakSender<Watched>,
    tokens: mpsc::Sender<Box<dyn Subscription>>,
    /// Watchers that want every record soon.
    pub(crate) brisk: Arc<AtomicUsize>,
    /// Watchers that want tokens.
    pub(crate) eager: Arc<AtomicUsize>,
    _reader: Awaited<()>,
}

impl Drop for DebateFeed {
    fn drop(&mut self) {
        let Some(shared) = self.shared.upgrade() else { return };
        let mut feeds = shared.feeds.feeds.lock().unwrap_or_else(PoisonError::into_inner);
        // another one may have begun since
        if feeds.get(&self.debate).is_some_and(|feed| feed.strong_count() == 0) {
            feeds.remove(&self.debate);
        }
    }
}

impl DebateFeed {
    /// What the reader sees from now on; of one that has ended, nothing.
    pub(crate) fn follow(&self) -> broadcast::Receiver<Watched> {
        let ended = || broadcast::channel(1).1;
        self.seen.upgrade().map_or_else(ended, |seen| seen.subscribe())
    }
    /// Has the debate's tokens passed on, too.
    pub(crate) async fn want_tokens(&self, shared: &Shared) -> Result<(), BusError> {
        if self.eager.fetch_add(1, Ordering::SeqCst) == 0 {
            let tokens = shared.bus.subscribe(&subjects::all_tokens(&self.debate)).await?;
            self.tokens.try_send(tokens).ok();
        }
        Ok(())
    }
}

/// The reader of a debate, if there is one.
pub(crate) fn find(shared: &Shared, debate: &DebateId) -> Option<Arc<DebateFeed>> {
    let feeds = shared.feeds.feeds.lock().unwrap_or_else(PoisonError::into_inner);
    feeds.get(debate).and_then(Weak::upgrade)
}

/// Starts a reader of a debate whose log ends at `after`. Where another was quicker, it is that one.
pub(crate) async fn start(shared: &Shared, debate: &DebateId, after: Position) -> Result<Arc<DebateFeed>, BusError> {
    let hints = shared.bus.subscribe(&subjects::hints(debate)).await?;
    let mut feeds = shared.feeds.feeds.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(feed) = feeds.get(debate).and_then(Weak::upgrade) {
        return Ok(feed);
    }
    let (seen, _) = broadcast::channel(BUFFER);
    let (tokens, wanted) = mpsc::channel(TOKENS_WAITING);
    let (brisk, eager) = (Arc::<AtomicUsize>::default(), Arc::<AtomicUsize>::default());
    let (weak_seen, pause) = (seen.downgrade(), shared.config.times.log_poll);
    let reader = DebateFeedReader {
        shared: shared.clone(),
        debate: debate.clone(),
        after,
        hints: Some(hints),
        tokens: None,
        wanted,
        seen,
        brisk: brisk.clone(),
        eager: eager.clone(),
        pause,
        next_read: Instant::now() + pause,
        trouble: Trouble::default(),
    };
    let _reader = shared.tasks.until_cancelled(reader.run());
    let (debate, home) = (debate.clone(), Arc::downgrade(shared));
    let feed =
        Arc::new(DebateFeed { debate: debate.clone(), shared: home, seen: weak_seen, tokens, brisk, eager, _reader });
    feeds.insert(debate, Arc::downgrade(&feed));
    Ok(feed)
}

struct DebateFeedReader {
    shared: Shared,
    debate: DebateId,
    after: Position,
    /// None once the bus is closed: then the journal is read now and then.
    hints: Option<Box<dyn Subscription>>,
    tokens: Option<Box<dyn Subscription>>,
    wanted: mpsc::Receiver<Box<dyn Subscription>>,
    seen: broadcast::Sender<Watched>,
    brisk: Arc<AtomicUsize>,
    eager: Arc<AtomicUsize>,
    pause: Duration,
    next_read: Instant,
    trouble: Trouble,
}

enum ReaderWake {
    Read,
    Delta(TokenDelta),
    Tokens(Box<dyn Subscription>),
}

impl DebateFeedReader {
    /// Reads until the debate is over, its log is damaged or gone, or nobody watches any more.
    async fn run(mut self) {
        loop {
            match self.wait().await {
                // nobody listening is no failure
                ReaderWake::Delta(delta) => drop(self.seen.send(Watched::Delta(delta))),
                ReaderWake::Tokens(tokens) => self.tokens = Some(tokens),
                ReaderWake::Read => match self.read().await {
                    Ok(true) | Err(StoreError::Damaged { .. } | StoreError::NotFound(_)) => return,
                    Ok(false) => {
                        if let Some(after) = self.trouble.over() {
                            tracing::info!(debate = %self.debate, after, "log read again for its watchers");
                        }
                    }
                    Err(error) => {
                        if self.trouble.is_news() {
                            tracing::warn!(debate = %self.debate, %error, "log not read for its watchers");
                        }
                    }
                },
            }
        }
    }

    /// Whether the debate is over.
    async fn read(&mut self) -> Result<bool, StoreError> {
        let steady = self.shared.config.times.log_poll;
        self.next_read = Instant::now() + steady;
        let records = journal::read(&self.shared, &self.debate, self.after).await?;
        let rarer = match records.is_empty() && self.brisk.load(Ordering::SeqCst) == 0 {
            true => (self.pause * 2).min(LONGEST_PAUSE.max(steady)),
            false => steady,
        };
        self.pause = rarer;
        self.next_read = Instant::now() + rarer;
        let mut over = false;
        for record in records {
            self.after = record.last();
            over |= ends(&record).is_some();
            drop(self.seen.send(Watched::Record(record)));
        }
        Ok(over)
    }

    /// Tokens first: those that were generated before a record was appended are shown before it.
    async fn wait(&mut self) -> ReaderWake {
        loop {
            if self.eager.load(Ordering::SeqCst) == 0 {
                self.tokens = None;
            }
            tokio::select! {
                biased;
                delta = next_delta(&mut self.tokens) => match delta {
                    Some(delta) => return ReaderWake::Delta(delta),
                    None => self.tokens = None,
                },
                Some(tokens) = self.wanted.recv() => return ReaderWake::Tokens(tokens),
                received = next_hint(&mut self.hints) => match received {
                    Some(received) if wants_reading(self.after, &received) => return ReaderWake::Read,
                    Some(_) => {}
                    None => self.hints = None,
                },
                () = tokio::time::sleep_until(self.next_read) => return ReaderWake::Read,
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

fn wants_reading(after: Position, received: &Received) -> bool {
    match received {
        Received::Message(message) => match Hint::from_bytes(&message.payload) {
            Ok(Some(Hint::LogAdvanced(hint))) => hint.position > after,
            Ok(_) | Err(_) => false,
        },
        Received::Lagged(_) => true,
    }
}
