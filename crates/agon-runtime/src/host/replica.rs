//! A host's copy of what a debate's speakers may see.
use crate::host::replica::vectors::KnownVectors;
use agon_core::signals::Gauge;
use agon_core::{Admission, Ask, Check, DebateId, Position};
use agon_prompt::{Prompt, PromptError, Reading, View};
use agon_store::{Journal, StoreError};
use std::sync::{Arc, PoisonError, RwLock};
use tokio::sync::{Mutex, MutexGuard};

mod vectors;

/// The view of one debate, kept up with its log for all of its speakers at this host.
pub(crate) struct Replica {
    debate: DebateId,
    journal: Arc<dyn Journal>,
    view: RwLock<Option<KnownLog>>,
    vectors: Mutex<KnownVectors>,
    /// Held while the journal is read, so that speakers who want the same records read them once.
    reading: Mutex<()>,
}

struct KnownLog {
    admission: Arc<Admission>,
    view: View,
}

/// Why a replica does not reach as far as was asked.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum ReplicaError {
    /// The journal failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The log does not hold that event.
    #[error("the log ends before event {}", .0.0)]
    Short(Position),
}

impl Replica {
    pub(crate) fn new(debate: DebateId, journal: Arc<dyn Journal>) -> Self {
        Self { debate, journal, view: RwLock::new(None), vectors: Mutex::default(), reading: Mutex::new(()) }
    }

    /// Reads the log up to `to` at least. Returns what the debate started from.
    pub(crate) async fn catch_up(&self, to: Position) -> Result<Arc<Admission>, ReplicaError> {
        if let Some(admission) = self.reached(to) {
            return Ok(admission);
        }
        let _alone = self.reading.lock().await;
        if let Some(admission) = self.reached(to) {
            return Ok(admission);
        }
        let after = self.position();
        let records = self.journal.read(&self.debate, after).await?;
        self.take_in(&records);
        self.reached(to).ok_or(ReplicaError::Short(to))
    }

    /// The prompt of a turn whose log was caught up with, for a model of this speed in tokens a second.
    pub(crate) fn prompt(&self, ask: &Ask, speed: Option<f64>) -> Option<Result<Prompt, PromptError>> {
        let known = self.view.read().unwrap_or_else(PoisonError::into_inner);
        known.as_ref().map(|known| {
            let fit = speed.and_then(|speed| known.admission.spec.fit(speed));
            agon_prompt::prompt_within(&known.view, ask, fit)
        })
    }

    /// What the speaker's next prompt begins with, as far as the log was caught up with.
    pub(crate) fn read_ahead(&self, ask: &Ask) -> Option<Prompt> {
        let known = self.view.read().unwrap_or_else(PoisonError::into_inner);
        known.as_ref().and_then(|known| agon_prompt::read_ahead(&known.view, ask))
    }

    /// What there is to be measured after a round, in a log that was caught up with.
    pub(crate) fn gauge(&self, sees: Position, round: u32) -> Option<Gauge> {
        let known = self.view.read().unwrap_or_else(PoisonError::into_inner);
        known.as_ref().map(|known| known.view.gauge(sees, round))
    }

    /// The checks of claims up to a position, in a log that was caught up with.
    pub(crate) fn checks(&self, sees: Position) -> Vec<Check> {
        let known = self.view.read().unwrap_or_else(PoisonError::into_inner);
        known.as_ref().map(|known| known.view.checks(sees).cloned().collect()).unwrap_or_default()
    }

    /// The vectors of texts of this debate that were embedded here before. Whoever holds them is the only one who embeds.
    pub(crate) async fn vectors(&self) -> MutexGuard<'_, KnownVectors> {
        self.vectors.lock().await
    }

    fn position(&self) -> Position {
        let known = self.view.read().unwrap_or_else(PoisonError::into_inner);
        known.as_ref().map_or(Position(0), |known| known.view.position())
    }

    fn reached(&self, to: Position) -> Option<Arc<Admission>> {
        let known = self.view.read().unwrap_or_else(PoisonError::into_inner);
        let known = known.as_ref().filter(|known| known.view.position() >= to)?;
        Some(known.admission.clone())
    }

    fn take_in(&self, records: &[Arc<agon_core::Record>]) {
        let mut known = self.view.write().unwrap_or_else(PoisonError::into_inner);
        for (position, event) in records.iter().flat_map(|record| record.entries()) {
            if let agon_core::Event::DebateAdmitted(admission) = event
                && known.is_none()
            {
                *known = Some(KnownLog { admission: Arc::new((**admission).clone()), view: View::new(admission) });
            }
            if let Some(known) = known.as_mut() {
                known.view.apply(position, event);
            }
        }
    }
}

/// Reads a model's text as the answer of its turn.
pub(crate) fn read_answer(admission: &Admission, ask: &Ask, text: &str) -> Result<Reading, String> {
    agon_prompt::read_answer(&admission.spec, ask, text).map_err(|malformed| malformed.to_string())
}
