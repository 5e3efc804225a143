//! Takes jobs for the coordinators.
use crate::coordinators::Msg;
use crate::shared::Shared;
use crate::tasks::tell;
use agon_store::Job;
use ractor::ActorRef;
use std::sync::Arc;
use tokio::sync::{Notify, Semaphore};

/// Takes jobs while there is room for debates.
pub(crate) struct Taker {
    pub(crate) shared: Shared,
    pub(crate) target: ActorRef<Msg>,
}

impl Taker {
    /// Runs until no more jobs are to be taken, or its owner is gone.
    pub(crate) async fn run(&self) {
        let room: &Arc<Semaphore> = &self.shared.room_for_debates;
        while let Ok(place) = room.clone().acquire_owned().await {
            match self.next().await {
                Some(job) => tell(&self.target, Msg::Start { job, place }),
                None => return,
            }
        }
    }

    /// Waits for a job: a look at the queue after every hint, and now and then without one.
    async fn next(&self) -> Option<Job> {
        let ready: &Notify = &self.shared.job_ready;
        loop {
            let mut hint = std::pin::pin!(ready.notified());
            hint.as_mut().enable();
            if self.shared.room_for_debates.is_closed() {
                return None;
            }
            let times = &self.shared.config.times;
            match self.shared.jobs.take(self.shared.config.id.as_str(), times.job_lease).await {
                Ok(Some(job)) => return Some(job),
                Ok(None) => {}
                Err(error) => tracing::warn!(%error, "no job can be taken"),
            }
            tokio::select! {
                () = hint => {}
                () = tokio::time::sleep(times.job_poll) => {}
            }
        }
    }
}
