//! Finds debates that stand still, and debates that the catalogue does not know. What it does may be done twice.
use crate::base::shared::Shared;
use crate::base::tasks::tell;
use crate::base::trouble::Trouble;
use crate::base::{catalogue, journal};
use crate::owner::coordinators::Msg;
use crate::owner::replay;
use crate::owner::takeover::LeftSince;
use agon_core::{Debate, DebateId, Halt, Position};
use agon_proto::{DebateSummary, SummaryState};
use agon_store::{CatalogueQuery, ListState, StoreError, Upkeep, supersedes};
use ractor::ActorRef;
use rand::RngExt;
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
        let (mut offset, mut trouble, mut since) = (0, Trouble::default(), Default::default());
        while !self.shared.room_for_debates.is_closed() {
            tokio::time::sleep(self.jittered(times.sweep)).await;
            let next = self.sweep(offset, &mut since).await;
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

    /// Queues what nobody has claimed for long, and takes up what is noted as this node's and is not. Returns where the next sweep goes on,
    /// for one sweep does only so much.
    async fn sweep(&self, offset: usize, since: &mut [LeftSince; 2]) -> Result<usize, StoreError> {
        let mut unfinished = self.shared.in_time(self.shared.catalogue.unfinished()).await?;
        unfinished.retain(|summary| self.is_idle(summary));
        let is_queued = |summary: &&DebateSummary| summary.state == SummaryState::Queued;
        let (queued, own): (Vec<_>, Vec<_>) = unfinished.iter().partition(is_queued);
        let ids = |idle: Vec<&DebateSummary>| idle.into_iter().map(|summary| summary.id.clone()).collect();
        // by the clock of this process: that of whoever noted it may be another
        let (now, times, [queued_since, own_since]) = (Instant::now(), &self.shared.config.times, since);
        let mut late = queued_since.look(ids(queued), now, times.queued_stale);
        late.append(&mut own_since.look(ids(own), now, times.running_stale));
        let still: Vec<&DebateSummary> = unfinished.iter().filter(|summary| late.contains(&summary.id)).collect();
        let begin = if offset < still.len() { offset } else { 0 };
        let batch = still.iter().skip(begin).take(MOST);
        let next = begin + batch.len();
        for summary in batch {
            self.restore(summary).await?;
        }
        Ok(if next < still.len() { next } else { 0 })
    }

    /// Whether nobody has claimed it, or it is not held here although it is noted so. Those that had another owner are found by whoever
    /// takes debates.
    fn is_idle(&self, summary: &DebateSummary) -> bool {
        let idle = match &summary.state {
            SummaryState::Queued => summary.epoch == 0,
            SummaryState::Running { owner } => *owner == self.shared.config.id,
            SummaryState::Local | SummaryState::Halted(_) | SummaryState::Ended { .. } => false,
        };
        idle && !self.shared.owned.has(&summary.id)
    }

    async fn restore(&self, summary: &DebateSummary) -> Result<(), StoreError> {
        let (debate, shared) = (&summary.id, &self.shared);
        if let Some(upkeep) = &shared.upkeep
            && shared.in_time(upkeep.is_lost(debate, summary.admitted)).await?
        {
            tracing::debug!(%debate, "the log of a debate is gone, it is left alone");
            return Ok(());
        }
        if summary.state == SummaryState::Queued {
            tracing::debug!(%debate, "a debate stands still, queued again");
            shared.in_time(shared.jobs.enqueue(debate, summary.priority)).await?;
            shared.hint_ready(debate, summary.priority).await;
        } else if let Ok(place) = shared.room_for_debates.clone().try_acquire_owned()
            && shared.owned.add(debate, None, Some(place))
        {
            tracing::warn!(%debate, "a debate was not coordinated, taken up again");
            tell(&self.target, Msg::Start(debate.clone()));
        }
        Ok(())
    }

    /// Notes the debates that have a log and no note in the catalogue, so many in one sweep.
    async fn rebuild(&self, upkeep: &Arc<dyn Upkeep>, comparison: &mut CatalogueComparison) -> Result<(), StoreError> {
        let losses = self.shared.catalogue.losses();
        let debates = self.shared.in_time(upkeep.debates()).await?;
        let mut unkept = self.shared.in_time(self.shared.catalogue.unkept(debates)).await?;
        unkept.append(&mut self.outgrown().await?);
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

    /// The debates that are noted as halted and went on since: whoever resumed or claimed them died before that was noted, or the store
    /// has lost the note. Nobody else looks for them.
    async fn outgrown(&self) -> Result<Vec<DebateId>, StoreError> {
        let states = [Halt::Paused, Halt::Interrupted].map(ListState::Halted).into();
        let query = CatalogueQuery { states, limit: MOST, ..CatalogueQuery::default() };
        let mut outgrown = Vec::new();
        for DebateSummary { id, last, .. } in self.shared.in_time(self.shared.catalogue.find(&query)).await? {
            match journal::read(&self.shared, &id, last).await {
                Ok(more) if more.is_empty() => {}
                Ok(_) => outgrown.push(id),
                Err(error) => tracing::debug!(debate = %id, %error, "the log of a halted debate cannot be read"),
            }
        }
        Ok(outgrown)
    }

    async fn note_unkept(&self, debate: &DebateId) -> Result<(), StoreError> {
        let Some(derived) = self.derived(debate).await? else { return Ok(()) };
        // the stream has lost it, and not everybody who heard it
        let heard = self.shared.in_time(self.shared.catalogue.get_summary(debate)).await?;
        let newest = heard.filter(|heard| supersedes(heard, &derived)).unwrap_or(derived);
        tracing::info!(%debate, "the catalogue had no note of a debate, or an old one");
        self.shared.in_time(self.shared.catalogue.note(newest)).await
    }

    /// What the log says: of a debate that is claimed, that its owner still has it. If that one is gone, it is found.
    async fn derived(&self, debate: &DebateId) -> Result<Option<DebateSummary>, StoreError> {
        let records = journal::read(&self.shared, debate, Position(0)).await?;
        let (Some(first), Some(last)) = (records.first(), records.last()) else { return Ok(None) };
        let folded = Debate::fold(records.iter().map(Arc::as_ref));
        let summary = folded.map(|folded| {
            let standing = catalogue::standing(&folded, first.at, last.at, replay::owner(&records).cloned());
            match replay::ender(&records) {
                Some(owner) => catalogue::open(standing, SummaryState::Running { owner: owner.clone() }),
                None => standing,
            }
        });
        if !self.shared.owned.has(debate) {
            self.shared.journal.forget(debate);
        }
        Ok(summary)
    }
}
