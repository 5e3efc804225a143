//! Finds debates that stand still, and debates that the catalogue does not know. What it does may be done twice.
use crate::base::shared::Shared;
use crate::base::tasks::tell;
use crate::base::trouble::Trouble;
use crate::base::{catalogue, journal};
use crate::cluster::Life;
use crate::owner::coordinators::Msg;
use agon_core::{Debate, DebateId, Position, Timestamp};
use agon_proto::{DebateSummary, SummaryState};
use agon_store::{StoreError, Upkeep, supersedes};
use ractor::ActorRef;
use rand::RngExt;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::Instant;

/// So many debates are queued again in one sweep, and so many noted again.
const MOST: usize = 256;

/// How the catalogue was last compared with the logs.
#[derive(Default)]
struct CatalogueComparison {
    /// When it was done, and how often the catalogue had lost something when it began; nothing before the first.
    done: Option<(Instant, u64)>,
    /// The debate behind which the next sweep goes on, where one sweep was not enough.
    after: Option<DebateId>,
}

impl CatalogueComparison {
    fn is_due(&self, losses: u64, pause: Duration) -> bool {
        self.done.is_none_or(|(at, before)| before != losses || at.elapsed() >= pause)
    }
}

pub(crate) struct Sweeper {
    pub(crate) shared: Shared,
    pub(crate) target: ActorRef<Msg>,
}

impl Sweeper {
    /// Runs until no more debates are to be taken, or its owner is gone.
    pub(crate) async fn run(&self) {
        let times = &self.shared.config.times;
        let mut comparison = CatalogueComparison::default();
        let (mut offset, mut trouble, mut orphans) = (0, Trouble::default(), BTreeSet::new());
        while !self.shared.room_for_debates.is_closed() {
            tokio::time::sleep(self.jittered(times.sweep)).await;
            let next = self.sweep(offset, &mut orphans).await;
            trouble.tell(
                &next,
                |error| tracing::warn!(%error, "debates that stand still cannot be found"),
                |after| tracing::info!(after, "debates that stand still are found again"),
            );
            offset = next.unwrap_or(offset);
            if let Some(upkeep) = &self.shared.upkeep
                && comparison.is_due(self.shared.catalogue.losses(), times.rebuild)
                && let Err(error) = self.rebuild(upkeep, &mut comparison).await
            {
                tracing::warn!(%error, "the catalogue cannot be compared with the logs");
            }
        }
    }

    /// Between three quarters and five quarters of it, so that nodes do not sweep together.
    fn jittered(&self, pause: Duration) -> Duration {
        pause.mul_f64(self.shared.config.random.draw(|numbers| numbers.random_range(0.75..1.25)))
    }

    /// Queues what stands still, and takes over what had a dead owner at the last sweep already: whoever was to take it over
    /// had no room. Returns where the next sweep goes on, for one sweep does only so much.
    async fn sweep(&self, offset: usize, orphans: &mut BTreeSet<DebateId>) -> Result<usize, StoreError> {
        let unfinished = self.shared.in_time(self.shared.catalogue.unfinished()).await?;
        let now = self.shared.clock.now();
        let still: Vec<&DebateSummary> = unfinished.iter().filter(|summary| self.stands_still(summary, now)).collect();
        let begin = if offset < still.len() { offset } else { 0 };
        let batch = still.iter().skip(begin).take(MOST);
        let next = begin + batch.len();
        let before = std::mem::take(orphans);
        orphans.extend(still.iter().filter(|summary| is_running(summary)).map(|summary| summary.id.clone()));
        for summary in batch {
            self.restore(summary, before.contains(&summary.id)).await?;
        }
        Ok(if next < still.len() { next } else { 0 })
    }

    fn stands_still(&self, summary: &DebateSummary, now: Timestamp) -> bool {
        let times = &self.shared.config.times;
        let unchanged = Duration::from_millis(now.since(summary.updated));
        match &summary.state {
            SummaryState::Queued => unchanged > times.queued_stale && !self.shared.owned.has(&summary.id),
            SummaryState::Running { owner } if *owner == self.shared.config.id => {
                unchanged > times.running_stale && !self.shared.owned.has(&summary.id)
            }
            SummaryState::Running { owner } => {
                unchanged > times.running_stale && self.shared.peers.life(owner, Instant::now()) == Life::Dead
            }
            SummaryState::Local | SummaryState::Halted(_) | SummaryState::Ended { .. } => false,
        }
    }

    async fn restore(&self, summary: &DebateSummary, orphaned: bool) -> Result<(), StoreError> {
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
        // the others leave it alone while this node lives; the job of one that died may be leased for long
        if (mine || orphaned)
            && !self.shared.owned.has(&summary.id)
            && let Ok(place) = self.shared.room_for_debates.clone().try_acquire_owned()
        {
            tracing::warn!(debate = %summary.id, mine, "a debate was not coordinated, taken up again");
            tell(&self.target, Msg::TakeOver { debate: summary.id.clone(), place });
            return Ok(());
        }
        tracing::debug!(debate = %summary.id, "a debate stands still, queued again");
        self.shared.in_time(self.shared.jobs.enqueue(&summary.id, summary.priority)).await?;
        self.shared.hint_ready(&summary.id, summary.priority).await;
        Ok(())
    }

    /// Notes the debates that have a log and no note in the catalogue, so many in one sweep.
    async fn rebuild(&self, upkeep: &Arc<dyn Upkeep>, comparison: &mut CatalogueComparison) -> Result<(), StoreError> {
        let losses = self.shared.catalogue.losses();
        let debates = self.shared.in_time(upkeep.debates()).await?;
        let mut unkept = self.shared.in_time(self.shared.catalogue.unkept(debates)).await?;
        unkept.sort_unstable();
        let from = comparison.after.take().map_or(0, |after| unkept.partition_point(|debate| *debate <= after));
        let mut rest = unkept.into_iter().skip(from);
        for debate in rest.by_ref().take(MOST) {
            if self.shared.room_for_debates.is_closed() {
                return Ok(());
            }
            match self.note_unkept(&debate).await {
                Ok(()) => {}
                // one log that cannot be read keeps no other from being noted
                Err(error @ StoreError::Damaged { .. }) => tracing::error!(%error, "a damaged log is not listed"),
                Err(StoreError::NotFound(_)) => tracing::debug!(%debate, "deleted meanwhile"),
                Err(error @ (StoreError::Backend(_) | StoreError::Full(_))) => {
                    (comparison.done, comparison.after) = (None, Some(debate));
                    return Err(error);
                }
            }
            comparison.after = Some(debate);
        }
        comparison.done = match rest.next() {
            Some(_) => None,
            None => {
                comparison.after = None;
                Some((Instant::now(), losses))
            }
        };
        Ok(())
    }

    async fn note_unkept(&self, debate: &DebateId) -> Result<(), StoreError> {
        let Some(derived) = self.derived(debate).await? else { return Ok(()) };
        // the stream has lost it, and not everybody who heard it
        let heard = self.shared.in_time(self.shared.catalogue.get_summary(debate)).await?;
        let newest = heard.filter(|heard| says_more(heard, &derived)).unwrap_or(derived);
        tracing::info!(%debate, "the catalogue had no note of a debate");
        self.shared.in_time(self.shared.catalogue.note(newest)).await
    }

    /// What the log says. A debate that is claimed is noted as waiting: whoever owns it will note itself, and if nobody
    /// does, it shall be found.
    async fn derived(&self, debate: &DebateId) -> Result<Option<DebateSummary>, StoreError> {
        let records = journal::read(&self.shared, debate, Position(0)).await?;
        let (Some(first), Some(last)) = (records.first(), records.last()) else { return Ok(None) };
        let folded = Debate::fold(records.iter().map(Arc::as_ref));
        let summary = folded.map(|folded| catalogue::standing(&folded, first.at, last.at, None));
        if !self.shared.owned.has(debate) {
            self.shared.journal.forget(debate);
        }
        Ok(summary)
    }
}

fn is_running(summary: &DebateSummary) -> bool {
    match &summary.state {
        SummaryState::Running { .. } => true,
        SummaryState::Queued | SummaryState::Local | SummaryState::Halted(_) | SummaryState::Ended { .. } => false,
    }
}

/// Whether a note says more than the log, which does not say that the debate's owner still has it.
fn says_more(heard: &DebateSummary, derived: &DebateSummary) -> bool {
    let owned = matches!(heard.state, SummaryState::Running { .. }) && derived.state == SummaryState::Queued;
    supersedes(heard, derived) || owned && heard.epoch == derived.epoch
}
