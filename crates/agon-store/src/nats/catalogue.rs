//! The catalogue on JetStream: the last message of a subject counts, and an index in memory that a tail keeps up.
use super::NatsStore;
use super::error::StoreRefusal;
use super::js::{Outgoing, header};
use super::subjects::{self, CATALOGUE};
use crate::catalogue::{
    Catalogue, CatalogueIndex, CatalogueQuery, DebateBacklog, DebateVectors, OwnerTest, supersedes,
};
use crate::lock::lock;
use crate::port::StoreError;
use agon_core::{DebateId, ModelName};
use agon_proto::{DebateSummary, Wire as _};
use async_nats::HeaderMap;
use async_trait::async_trait;
use bytes::Bytes;
use std::collections::{HashMap, HashSet};
use std::sync::Mutex;
use tokio::sync::watch;

/// Marks the message that says that a debate was struck. A bare purge would not be seen by tails.
const STRUCK: &str = "Agon-Struck";
/// How often a note is tried against others who note the same debate.
const TRIES: usize = 8;

/// The catalogue as this process knows it.
#[derive(Debug)]
pub(crate) struct CatalogueView {
    inner: Mutex<CatalogueState>,
    /// Whether all that stood at the start is known.
    pub(crate) loaded: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct CatalogueState {
    index: CatalogueIndex,
    /// The sequence of each debate's last message, struck ones included.
    sequences: HashMap<DebateId, u64>,
    /// How often the stream was found to be another one, or to have lost messages.
    losses: u64,
}

pub(crate) struct CatalogueMessage<'a> {
    pub(crate) subject: &'a str,
    pub(crate) sequence: u64,
    pub(crate) headers: Option<&'a HeaderMap>,
    pub(crate) payload: &'a [u8],
}

impl CatalogueView {
    pub(crate) fn new() -> Self {
        Self { inner: Mutex::default(), loaded: watch::Sender::new(false) }
    }

    /// Takes in a message; older ones than what is known say nothing. Whether it says that a debate was struck.
    pub(crate) fn take_in(&self, entry: &CatalogueMessage<'_>) -> bool {
        let Some(debate) = subjects::debate_of(entry.subject) else { return false };
        let mut inner = lock(&self.inner);
        let known = inner.sequences.entry(debate.clone()).or_default();
        if *known >= entry.sequence {
            return false;
        }
        *known = entry.sequence;
        if entry.headers.is_some_and(|headers| header(headers, STRUCK).is_some()) {
            inner.index.strike(&debate);
            return true;
        }
        match DebateSummary::from_bytes(entry.payload) {
            Ok(summary) => {
                inner.index.note(summary);
            }
            Err(error) => tracing::warn!(%debate, %error, "an entry of the catalogue cannot be read"),
        }
        false
    }

    /// Whether a summary says anything new, and the sequence that it has to follow.
    fn behind(&self, summary: &DebateSummary) -> Option<u64> {
        let inner = lock(&self.inner);
        let sequence = inner.sequences.get(&summary.id).copied();
        // what the stream has lost is news to it
        let said = |known: &DebateSummary| sequence.is_some() && known == summary;
        let news = inner.index.get(&summary.id).is_none_or(|known| !said(known) && supersedes(summary, known));
        news.then_some(sequence.unwrap_or(0))
    }
    /// The stream's sequences begin anew; what is known of debates stays until something newer is.
    pub(crate) fn reset(&self) {
        let mut inner = lock(&self.inner);
        inner.sequences.clear();
        inner.losses += 1;
    }
    /// The debate's messages are gone.
    pub(crate) fn purged(&self, debate: &DebateId, sequence: u64) {
        let mut inner = lock(&self.inner);
        if inner.sequences.get(debate).is_some_and(|known| *known <= sequence) {
            inner.sequences.remove(debate);
        }
    }
}

#[async_trait]
impl Catalogue for NatsStore {
    async fn note(&self, summary: DebateSummary) -> Result<(), StoreError> {
        let subject = subjects::entry(&summary.id);
        let noting = |error: StoreRefusal| error.during("noting a debate");
        let body = summary.to_bytes();
        for _ in 0..TRIES {
            // What superseded it while it was tried is the better note.
            let Some(expected) = self.listing.behind(&summary) else { return Ok(()) };
            let headers = HeaderMap::new();
            let message = Outgoing {
                stream: CATALOGUE,
                subject: &subject,
                expected: Some(expected),
                headers,
                body: body.clone(),
            };
            match self.js.publish(message).await {
                Ok(sequence) => {
                    self.listing.take_in(&CatalogueMessage {
                        subject: &subject,
                        sequence,
                        headers: None,
                        payload: &body,
                    });
                    return Ok(());
                }
                Err(StoreRefusal::Moved) => self.look_up(&summary.id).await.map_err(noting)?,
                Err(other @ (StoreRefusal::Full(_) | StoreRefusal::Denied(_) | StoreRefusal::Unsure(_))) => {
                    return Err(noting(other));
                }
            }
        }
        Err(StoreError::Backend(format!("noting {}: others note it all the time", summary.id)))
    }

    async fn get_summary(&self, debate: &DebateId) -> Result<Option<DebateSummary>, StoreError> {
        Ok(lock(&self.listing.inner).index.get(debate).cloned())
    }

    async fn over(&self, debates: Vec<DebateId>) -> Result<Vec<DebateId>, StoreError> {
        let inner = lock(&self.listing.inner);
        let is_over = |debate: &DebateId| inner.index.get(debate).is_some_and(|summary| summary.state.is_over());
        Ok(debates.into_iter().filter(is_over).collect())
    }

    /// Asks the stream, which may have been purged while this process knew what it held.
    async fn unkept(&self, debates: Vec<DebateId>) -> Result<Vec<DebateId>, StoreError> {
        let kept = self.js.debates(CATALOGUE, subjects::ALL_ENTRIES).await;
        let kept: HashSet<DebateId> =
            kept.map_err(|error| error.during("listing the catalogue"))?.into_iter().collect();
        let mut inner = lock(&self.listing.inner);
        let mut unkept = debates;
        unkept.retain(|debate| !kept.contains(debate) || inner.index.get(debate).is_none());
        for debate in unkept.iter().filter(|debate| !kept.contains(debate)) {
            inner.sequences.remove(debate);
        }
        Ok(unkept)
    }

    fn losses(&self) -> u64 {
        lock(&self.listing.inner).losses
    }

    async fn find(&self, query: &CatalogueQuery) -> Result<Vec<DebateSummary>, StoreError> {
        Ok(lock(&self.listing.inner).index.find(query))
    }

    async fn unfinished(&self) -> Result<Vec<DebateSummary>, StoreError> {
        Ok(lock(&self.listing.inner).index.unfinished())
    }

    async fn standing(&self) -> Result<DebateBacklog, StoreError> {
        Ok(lock(&self.listing.inner).index.standing())
    }

    async fn left(&self, is_gone: &OwnerTest<'_>) -> Result<Vec<DebateId>, StoreError> {
        Ok(lock(&self.listing.inner).index.left(is_gone))
    }

    async fn vectors(&self, model: &ModelName, debates: &[DebateId]) -> Result<DebateVectors, StoreError> {
        Ok(lock(&self.listing.inner).index.vectors(model, debates))
    }

    async fn keep_vectors(&self, model: &ModelName, vectors: DebateVectors) -> Result<(), StoreError> {
        lock(&self.listing.inner).index.keep_vectors(model, vectors);
        Ok(())
    }

    async fn strike(&self, debate: &DebateId) -> Result<(), StoreError> {
        let subject = subjects::entry(debate);
        let striking = |error: StoreRefusal| error.during("striking a debate");
        // what a stream has lost is still known to those who heard it
        let known = lock(&self.listing.inner).index.get(debate).is_some();
        if !known && self.js.last(CATALOGUE, &subject).await.map_err(striking)?.is_none() {
            return Ok(());
        }
        let mut headers = HeaderMap::new();
        headers.insert(STRUCK, "1");
        let mark = || Outgoing {
            stream: CATALOGUE,
            subject: &subject,
            expected: None,
            headers: headers.clone(),
            body: Bytes::new(),
        };
        let sequence = match self.js.publish(mark()).await {
            // the entry is larger than the mark
            Err(StoreRefusal::Full(_)) => {
                self.js.purge(CATALOGUE, &subject).await.map_err(striking)?;
                self.js.publish(mark()).await
            }
            marked => marked,
        };
        let sequence = sequence.map_err(striking)?;
        self.listing.take_in(&CatalogueMessage { subject: &subject, sequence, headers: Some(&headers), payload: &[] });
        Ok(())
    }
}

impl NatsStore {
    /// Takes in what the leader has of a debate.
    async fn look_up(&self, debate: &DebateId) -> Result<(), StoreRefusal> {
        match self.js.last(CATALOGUE, &subjects::entry(debate)).await? {
            None => self.listing.purged(debate, u64::MAX),
            Some(message) => {
                self.listing.take_in(&CatalogueMessage {
                    subject: &message.subject,
                    sequence: message.sequence,
                    headers: Some(&message.headers),
                    payload: &message.payload,
                });
            }
        }
        Ok(())
    }
}
