//! Tasks with an owner: nothing runs on after the actor that started it.
use futures_util::FutureExt;
use ractor::{ActorCell, ActorRef, Message};
use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::task::{AbortHandle, JoinHandle};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::error;

/// All tasks of a node.
#[derive(Clone, Default)]
pub(crate) struct Tasks {
    tracker: TaskTracker,
    root: CancellationToken,
}

impl Tasks {
    /// A scope whose tasks end with it.
    pub(crate) fn scope(&self) -> TaskScope {
        TaskScope { tracker: self.tracker.clone(), token: self.root.child_token() }
    }
    /// Cancels every task.
    pub(crate) fn cancel(&self) {
        self.root.cancel();
    }
    /// Waits until every task has ended; false when `patience` ran out.
    pub(crate) async fn join(&self, patience: Duration) -> bool {
        self.tracker.close();
        tokio::time::timeout(patience, self.tracker.wait()).await.is_ok()
    }
    /// Runs `task` for the one who waits for it.
    pub(crate) fn run<T: Send + 'static>(&self, task: impl Future<Output = T> + Send + 'static) -> Awaited<T> {
        Awaited(self.tracker.spawn(task))
    }
    /// Runs `task` until it is done, the one who keeps it is gone, or every task is cancelled.
    pub(crate) fn until_cancelled(&self, task: impl Future<Output = ()> + Send + 'static) -> Awaited<()> {
        let (token, task) = (self.root.child_token(), Box::pin(task));
        self.run(async move { token.run_until_cancelled(task).await.unwrap_or_default() })
    }
    /// How many tasks run.
    pub(crate) fn count(&self) -> usize {
        self.tracker.len()
    }
}

/// A task whose result somebody waits for; it ends when nobody does. Its panic is the waiting one's.
pub(crate) struct Awaited<T>(JoinHandle<T>);

impl<T> Future for Awaited<T> {
    type Output = T;
    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        match Pin::new(&mut self.0).poll(context) {
            Poll::Ready(Ok(done)) => Poll::Ready(done),
            Poll::Ready(Err(error)) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
            // cancelled: the runtime is going down, and whoever waits with it
            Poll::Ready(Err(_)) | Poll::Pending => Poll::Pending,
        }
    }
}

impl<T> Drop for Awaited<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The tasks of one actor. Lives in its state: when the actor is gone, however it went, they are cancelled.
pub(crate) struct TaskScope {
    tracker: TaskTracker,
    token: CancellationToken,
}

impl Drop for TaskScope {
    fn drop(&mut self) {
        self.token.cancel();
    }
}

impl TaskScope {
    /// Runs `task` until it is done or the scope ends. If it panics, its owner is killed, so that a supervisor learns of it.
    pub(crate) fn spawn(&self, owner: ActorCell, task: impl Future<Output = ()> + Send + 'static) -> AbortHandle {
        // what guards it would otherwise hold it three times over
        let (token, task) = (self.token.clone(), Box::pin(task));
        let guarded = async move {
            let run = AssertUnwindSafe(token.run_until_cancelled(task)).catch_unwind();
            if run.await.is_err() {
                error!(actor = %owner.get_id(), "task panicked, its actor is killed");
                owner.kill();
            }
        };
        self.tracker.spawn(guarded).abort_handle()
    }

    /// Sends `message` to its owner after a while.
    pub(crate) fn after<M: Message>(&self, owner: &ActorRef<M>, wait: Duration, message: M) -> AbortHandle {
        let target = owner.clone();
        self.spawn(owner.get_cell(), async move {
            tokio::time::sleep(wait).await;
            tell(&target, message);
        })
    }
}

/// Sends a message; an actor that is gone has no use for it.
pub(crate) fn tell<M: Message>(actor: &ActorRef<M>, message: M) {
    if actor.cast(message).is_err() {
        tracing::debug!(actor = %actor.get_id(), "message to an actor that is gone");
    }
}
