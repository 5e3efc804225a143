//! Finds debates that stand still, and debates that the catalogue does not know. What it does may be done twice.
use crate::coordinators::Msg;
use crate::peers::Life;
use crate::shared::Shared;
use crate::tasks::tell;
use crate::{ledger, notes};
use agon_core::{Debate, DebateId, Position, Timestamp};
use agon_proto::{Summary, SummaryState};
use agon_store::{DebateHead, Page, StoreError, Upkeep};
use ractor::ActorRef;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// So many debates are queued again in one sweep.
const MOST: usize = 256;
/// So many logs are looked at together.
const PAGE: u32 = 100;

pub(crate) struct Sweeper {
    pub(crate) shared: Shared,
    pub(crate) target: ActorRef<Msg>,
}

impl Sweeper {
    /// Runs until no more debates are to be taken, or its owner is gone.
    pub(crate) async fn run(&self) {
        let times = &self.shared.config.times;
        let mut rebuilt = Instant::now();
        let mut offset = 0;
        while !self.shared.room_for_debates.is_closed() {
            tokio::time::sleep(jittered(times.sweep)).await;
            match self.sweep(offset).await {
                Ok(next) => offset = next,
                Err(error) => tracing::warn!(%error, "debates that stand still cannot be found"),
            }
            if let Some(upkeep) = self.shared.upkeep.as_ref().filter(|_| rebuilt.elapsed() >= times.rebuild) {
                rebuilt = Instant::now();
                if let Err(error) = self.rebuild(upkeep).await {
                    tracing::warn!(%error, "the catalogue cannot be compared with the logs");
                }
            }
        }
    }

    /// Queues what stands still. Returns where the next sweep goes on, for one sweep does only so much.
    async fn sweep(&self, offset: usize) -> Result<usize, StoreError> {
        let unfinished = self.shared.in_time(self.shared.catalogue.unfinished()).await?;
        let now = self.shared.clock.now();
        let still: Vec<&Summary> = unfinished.iter().filter(|summary| self.stands_still(summary, now)).collect();
        let begin = if offset < still.len() { offset } else { 0 };
        let batch = still.iter().skip(begin).take(MOST);
        let next = begin + batch.len();
        for summary in batch {
            self.restore(summary).await?;
        }
        Ok(if next < still.len() { next } else { 0 })
    }

    fn stands_still(&self, summary: &Summary, now: Timestamp) -> bool {
        let times = &self.shared.config.times;
        let unchanged = Duration::from_millis(now.since(summary.updated));
        match &summary.state {
            SummaryState::Queued => unchanged > times.queued_stale && !self.shared.held.has(&summary.id),
            SummaryState::Running { owner } if *owner == self.shared.config.id => {
                unchanged > times.running_stale && !self.shared.held.has(&summary.id)
            }
            SummaryState::Running { owner } => {
                unchanged > times.running_stale && self.shared.peers.life(owner, Instant::now()) == Life::Dead
            }
            SummaryState::Local | SummaryState::Halted(_) | SummaryState::Ended { .. } => false,
        }
    }

    async fn restore(&self, summary: &Summary) -> Result<(), StoreError> {
        if let Some(upkeep) = &self.shared.upkeep
            && self.shared.in_time(upkeep.is_lost(&summary.id, summary.admitted)).await?
        {
            tracing::debug!(debate = %summary.id, "the log of a debate is gone, it is left alone");
            return Ok(());
        }
        let mine = match &summary.state {
            SummaryState::Running { owner } => *owner == self.shared.config.id,
            SummaryState::Queued | SummaryState::Local | SummaryState::Halted(_) | SummaryState::Ended { .. } => false,
        };
        // the others leave it alone, for this node lives
        if mine && let Ok(place) = self.shared.room_for_debates.clone().try_acquire_owned() {
            tracing::warn!(debate = %summary.id, "a debate of this node was not coordinated, taken up again");
            tell(&self.target, Msg::TakeOver { debate: summary.id.clone(), place });
            return Ok(());
        }
        tracing::debug!(debate = %summary.id, "a debate stands still, queued again");
        self.shared.in_time(self.shared.jobs.enqueue(&summary.id, summary.priority)).await?;
        self.shared.hint_ready(&summary.id, summary.priority).await;
        Ok(())
    }

    /// Notes the debates that the catalogue does not know. A page at a time, with breaks, for there may be many.
    async fn rebuild(&self, upkeep: &Arc<dyn Upkeep>) -> Result<(), StoreError> {
        let mut after = None;
        loop {
            let page = self.shared.in_time(upkeep.list(Page { limit: PAGE, after })).await?;
            for head in &page {
                match self.note_unknown(head).await {
                    // the debates before it are none the worse
                    Err(error @ StoreError::Damaged { .. }) => tracing::error!(%error, "a damaged log is not listed"),
                    noted => noted?,
                }
            }
            after = page.last().map(|head| head.id.clone());
            if after.is_none() || self.shared.room_for_debates.is_closed() {
                return Ok(());
            }
            tokio::time::sleep(PAGE_BREAK).await;
        }
    }

    async fn note_unknown(&self, head: &DebateHead) -> Result<(), StoreError> {
        if self.shared.in_time(self.shared.catalogue.get_summary(&head.id)).await?.is_some() {
            return Ok(());
        }
        let Some(summary) = self.derived(&head.id).await? else { return Ok(()) };
        tracing::info!(debate = %head.id, "the catalogue did not know a debate");
        self.shared.in_time(self.shared.catalogue.note(summary)).await
    }

    /// What the log says. A debate that is claimed is noted as waiting: whoever owns it will note itself, and if nobody
    /// does, it shall be found.
    async fn derived(&self, debate: &DebateId) -> Result<Option<Summary>, StoreError> {
        let records = ledger::read(&self.shared, debate, Position(0)).await?;
        let (Some(first), Some(last)) = (records.first(), records.last()) else { return Ok(None) };
        let folded = Debate::fold(records.iter().map(Arc::as_ref));
        let summary = folded.map(|folded| notes::standing(&folded, first.at, last.at, None));
        if !self.shared.held.has(debate) {
            self.shared.journal.forget(debate);
        }
        Ok(summary)
    }
}

/// A break between two pages of logs.
const PAGE_BREAK: Duration = Duration::from_millis(200);

/// Between three quarters and five quarters of it, so that nodes do not sweep together.
fn jittered(pause: Duration) -> Duration {
    pause.mul_f64(rand::random_range(0.75..1.25))
}
