//! Takes debates for the coordinators: first those that somebody had claimed and nobody plays, then jobs.
use crate::base::catalogue;
use crate::base::shared::Shared;
use crate::base::tasks::tell;
use crate::base::trouble::Trouble;
use crate::cluster::Life;
use crate::owner::coordinators::Msg;
use crate::owner::takeover::{Orphans, is_heir};
use agon_core::{DebateId, NodeId, TenantId};
use agon_proto::{DebateSummary, SummaryState};
use agon_store::{CatalogueQuery, Job, ListState, StoreError};
use ractor::ActorRef;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::{Notify, Semaphore};
use tokio::time::Instant;

/// Takes debates while there is room for them.
pub(crate) struct JobConsumer {
    pub(crate) shared: Shared,
    pub(crate) target: ActorRef<Msg>,
}

/// What there is to do.
enum NextDebate {
    /// A debate that nobody plays.
    Orphan(DebateId),
    Job(Job),
}

/// What a job that was taken is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// Its debate wants an owner.
    Start,
    /// Its debate has an owner elsewhere, or will have: the job is done with.
    Nothing,
    /// Not now.
    Later(Duration),
}

/// How soon a job is looked at again whose owner may be dead or not.
const UNSURE_PAUSE: Duration = Duration::from_secs(1);
/// A breath after a job that could not be used, so that many of them do not keep the store busy.
const BREATH: Duration = Duration::from_millis(5);

impl JobConsumer {
    /// Runs until no more debates are to be taken, or its owner is gone.
    pub(crate) async fn run(&self) {
        let room: &Arc<Semaphore> = &self.shared.room_for_debates;
        let mut orphans = Orphans::new(self.shared.clone());
        while let Ok(place) = room.clone().acquire_owned().await {
            let Some(work) = self.next(&mut orphans).await else { return };
            let (debate, job) = match work {
                NextDebate::Orphan(debate) => (debate, None),
                NextDebate::Job(job) => match self.weigh(&job.debate).await {
                    Use::Start => {
                        self.shared.jobs_taken.fetch_add(1, Ordering::Relaxed);
                        (job.debate.clone(), Some(job))
                    }
                    unused @ (Use::Nothing | Use::Later(_)) => {
                        self.put_away(&job, unused).await;
                        continue;
                    }
                },
            };
            // here and not by the supervisor, so that it counts when the next one is weighed
            if self.shared.owned.add(&debate, job, Some(place)) {
                tell(&self.target, Msg::Start(debate));
            }
        }
    }

    async fn put_away(&self, job: &Job, unused: Use) {
        let jobs = &self.shared.jobs;
        let done = match unused {
            Use::Later(pause) => self.shared.in_time(jobs.release(job, pause)).await,
            Use::Nothing | Use::Start => self.shared.in_time(jobs.complete(job)).await,
        };
        if let Err(error) = done {
            tracing::warn!(debate = %job.debate, %error, "unused job not put away, it will come again");
        }
        tokio::time::sleep(BREATH).await;
    }

    /// A job may be that of a node which died, or left over from one that lives: the catalogue and the signs of life tell.
    async fn weigh(&self, debate: &DebateId) -> Use {
        let config = &self.shared.config;
        let known = catalogue::known(&self.shared, debate).await;
        if self.shared.owned.has(debate) {
            let runs = known.is_some_and(|summary| summary.state == SummaryState::Running { owner: config.id.clone() });
            // a debate that is resumed or cancelled before its coordinator has noticed the pause wants to be looked at afterwards
            return if runs { Use::Nothing } else { Use::Later(UNSURE_PAUSE) };
        }
        if config.has_peers()
            && let Some(summary) = known
        {
            match &summary.state {
                SummaryState::Running { owner } if *owner != config.id => match self.owned(debate, owner) {
                    Use::Start => {}
                    unused @ (Use::Nothing | Use::Later(_)) => return unused,
                },
                // found by the catalogue, too: of two who claim it, one would do so in vain
                SummaryState::Queued if summary.epoch > 0 && !is_heir(&self.shared, debate) => return Use::Nothing,
                SummaryState::Queued
                | SummaryState::Running { .. }
                | SummaryState::Local
                | SummaryState::Halted(_)
                | SummaryState::Ended { .. } => {}
            }
        }
        match config.tenant_cap {
            Some(cap) if self.at_cap(&debate.tenant(), cap).await => Use::Later(config.times.cap_pause),
            Some(_) | None => Use::Start,
        }
    }

    /// A debate that is to be taken over. One whose tenant is at its cap is found again.
    async fn orphan(&self, orphans: &mut Orphans) -> Option<DebateId> {
        while let Some(DebateSummary { id, state, .. }) = orphans.next().await {
            match self.shared.config.tenant_cap {
                Some(cap) if state == SummaryState::Queued && self.at_cap(&id.tenant(), cap).await => {}
                Some(_) | None => {
                    tracing::info!(debate = %id, "taking over a debate that nobody plays");
                    return Some(id);
                }
            }
        }
        None
    }

    fn owned(&self, debate: &DebateId, owner: &NodeId) -> Use {
        match self.shared.peers.life(owner, Instant::now()) {
            Life::Alive => {
                tracing::debug!(%debate, %owner, "job of a debate that has an owner, dropped");
                Use::Nothing
            }
            Life::Leaving | Life::Dead => Use::Start,
            Life::Unknown => Use::Later(UNSURE_PAUSE),
        }
    }

    /// Whether as many debates of the tenant run as may. What is held here may not be noted yet.
    async fn at_cap(&self, tenant: &TenantId, cap: NonZeroUsize) -> bool {
        let here = self.shared.owned.of_tenant(tenant);
        if here.len() >= cap.get() {
            return true;
        }
        match self.running(tenant, cap).await {
            Ok(noted) => noted.into_iter().chain(here).collect::<BTreeSet<_>>().len() >= cap.get(),
            Err(error) => {
                tracing::warn!(%tenant, %error, "running debates cannot be counted");
                false
            }
        }
    }

    async fn running(&self, tenant: &TenantId, cap: NonZeroUsize) -> Result<Vec<DebateId>, StoreError> {
        let query = CatalogueQuery {
            tenant: Some(tenant.clone()),
            states: vec![ListState::Running],
            limit: cap.get(),
            ..CatalogueQuery::default()
        };
        let found = self.shared.in_time(self.shared.catalogue.find(&query)).await?;
        Ok(found.into_iter().map(|summary| summary.id).collect())
    }

    /// Waits for something to do: a look at catalogue and queue after every hint, and now and then without one.
    async fn next(&self, orphans: &mut Orphans) -> Option<NextDebate> {
        let ready: &Notify = &self.shared.job_ready;
        let mut trouble = Trouble::default();
        loop {
            let mut hint = std::pin::pin!(ready.notified());
            hint.as_mut().enable();
            if self.shared.room_for_debates.is_closed() {
                return None;
            }
            if let Some(orphan) = self.orphan(orphans).await {
                return Some(NextDebate::Orphan(orphan));
            }
            let times = &self.shared.config.times;
            let take = self.shared.jobs.take(self.shared.config.id.as_str(), times.job_lease);
            let taken = self.shared.in_time(take).await;
            trouble.tell(
                &taken,
                |error| tracing::warn!(%error, "no job can be taken"),
                |after| tracing::info!(after, "jobs can be taken again"),
            );
            if let Ok(Some(job)) = taken {
                return Some(NextDebate::Job(job));
            }
            tokio::select! {
                biased;
                () = hint => {}
                () = tokio::time::sleep(orphans.pause(times.job_poll)) => {}
            }
        }
    }
}
