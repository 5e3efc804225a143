//! Takes jobs for the coordinators.
use crate::base::catalogue;
use crate::base::shared::Shared;
use crate::base::tasks::tell;
use crate::base::trouble::Trouble;
use crate::cluster::Life;
use crate::owner::coordinators::Msg;
use agon_core::{DebateId, NodeId, TenantId};
use agon_proto::SummaryState;
use agon_store::{CatalogueQuery, Job, ListState, StoreError};
use ractor::ActorRef;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::sync::{Notify, Semaphore};
use tokio::time::Instant;

/// Takes jobs while there is room for debates.
pub(crate) struct JobConsumer {
    pub(crate) shared: Shared,
    pub(crate) target: ActorRef<Msg>,
}

/// What a job that was taken is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Use {
    /// Its debate wants an owner, or has one here.
    Start,
    /// Its debate has an owner elsewhere: the job is done with.
    Nothing,
    /// Not now.
    Later(Duration),
}

/// How soon a job is looked at again whose owner may be dead or not.
const UNSURE_PAUSE: Duration = Duration::from_secs(1);
/// A breath after a job that could not be used, so that many of them do not keep the store busy.
const BREATH: Duration = Duration::from_millis(5);

impl JobConsumer {
    /// Runs until no more jobs are to be taken, or its owner is gone.
    pub(crate) async fn run(&self) {
        let room: &Arc<Semaphore> = &self.shared.room_for_debates;
        while let Ok(place) = room.clone().acquire_owned().await {
            let Some(job) = self.next().await else { return };
            match self.weigh(&job.debate).await {
                Use::Start => {
                    self.shared.jobs_taken.fetch_add(1, Ordering::Relaxed);
                    // here and not by the supervisor, so that it counts when the next job is weighed
                    let debate = job.debate.clone();
                    if self.shared.owned.add(&debate, Some(job), Some(place)) {
                        tell(&self.target, Msg::Start(debate));
                    }
                }
                unused @ (Use::Nothing | Use::Later(_)) => self.put_away(&job, unused).await,
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
        if self.shared.owned.has(debate) {
            return Use::Start;
        }
        if config.has_peers()
            && let Some(summary) = catalogue::known(&self.shared, debate).await
            && let SummaryState::Running { owner } = &summary.state
            && *owner != config.id
        {
            match self.owned(debate, owner) {
                Use::Start => {}
                unused @ (Use::Nothing | Use::Later(_)) => return unused,
            }
        }
        match config.tenant_cap {
            Some(cap) if self.at_cap(&debate.tenant(), cap).await => Use::Later(config.times.cap_pause),
            Some(_) | None => Use::Start,
        }
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

    /// Waits for a job: a look at the queue after every hint, and now and then without one.
    async fn next(&self) -> Option<Job> {
        let ready: &Notify = &self.shared.job_ready;
        let mut trouble = Trouble::default();
        loop {
            let mut hint = std::pin::pin!(ready.notified());
            hint.as_mut().enable();
            if self.shared.room_for_debates.is_closed() {
                return None;
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
                return Some(job);
            }
            tokio::select! {
                biased;
                () = hint => {}
                () = tokio::time::sleep(times.job_poll) => {}
            }
        }
    }
}
