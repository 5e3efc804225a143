//! A queue of jobs that has no room for a while.
use crate::cast::Cast;
use crate::test_bench::{TestBench, admission, debate, spec};
use agon_core::{DebateId, DebateState, Priority};
use agon_store::{Job, Jobs, StoreError};
use async_trait::async_trait;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const SECOND: Duration = Duration::from_secs(1);

struct Crowded {
    inner: Arc<dyn Jobs>,
    full: AtomicBool,
}

#[async_trait]
impl Jobs for Crowded {
    async fn enqueue(&self, debate: &DebateId, priority: Priority) -> Result<(), StoreError> {
        match self.full.load(Ordering::SeqCst) {
            true => Err(StoreError::Full("the job queue (maximum messages exceeded)".to_owned())),
            false => self.inner.enqueue(debate, priority).await,
        }
    }
    async fn take(&self, owner: &str, lease: Duration) -> Result<Option<Job>, StoreError> {
        self.inner.take(owner, lease).await
    }
    async fn renew(&self, debate: &DebateId, priority: Priority) -> Result<(), StoreError> {
        self.inner.renew(debate, priority).await
    }
    async fn complete(&self, job: &Job) -> Result<(), StoreError> {
        self.inner.complete(job).await
    }
    async fn release(&self, job: &Job, delay: Duration) -> Result<(), StoreError> {
        self.inner.release(job, delay).await
    }
}

#[tokio::test(start_paused = true)]
async fn a_debate_whose_job_does_not_fit_is_accepted_and_played_once_there_is_room() {
    let stage = TestBench::new();
    let jobs = Arc::new(Crowded { inner: stage.jobs.clone(), full: AtomicBool::new(true) });
    let stage = TestBench { jobs: jobs.clone(), ..stage };
    let cast = Cast::new(SECOND);
    let player = stage.player("h1", vec![cast.host("gpu1", 4)]).await;
    let node = stage.peer("n1", vec![]).await;

    player.submit(admission("a-debate", spec())).await.unwrap();
    tokio::time::sleep(120 * SECOND).await;
    assert_eq!(stage.log("a-debate").await.len(), 1, "nobody can have taken it");
    jobs.full.store(false, Ordering::SeqCst);

    let ended = tokio::time::timeout(600 * SECOND, node.finished(&debate("a-debate"))).await;
    assert_eq!(ended.unwrap().unwrap().0, DebateState::Succeeded);
}
