//! Who is next: of all calls that wait at a moment, the seed chooses one, and the next follows once nothing else can run.
//!
//! What wakes several tasks of a node at the same moment may wake them in any order (tokio's `watch` draws it from a generator that
//! cannot be seeded). So a call does not go where it wants to at once: it waits here until every task is idle, which the paused clock
//! tells, and is then taken by its name. The order in which calls came changes nothing.
use crate::draws::SeededDraws;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Notify, oneshot};

/// What a call is told apart by: its node and what it asks, and what it carries.
pub(crate) type CallName = (String, Vec<u8>);

/// The time between two calls. The clock moves on only once every task is idle.
const STEP: Duration = Duration::from_millis(1);

/// The calls that wait.
#[derive(Default)]
pub(crate) struct Scheduler {
    waiting: Mutex<WaitingCalls>,
    arrived: Notify,
}

#[derive(Default)]
struct WaitingCalls {
    /// Calls of the same name are alike.
    calls: BTreeMap<(CallName, u64), oneshot::Sender<()>>,
    counter: u64,
}

impl Scheduler {
    /// Waits for a call's turn.
    pub(crate) async fn pass(&self, name: CallName) {
        let (go, turn) = oneshot::channel();
        {
            let mut waiting = self.waiting();
            waiting.counter += 1;
            let key = (name, waiting.counter);
            waiting.calls.insert(key, go);
        }
        self.arrived.notify_one();
        // the scheduler lives as long as its run
        turn.await.unwrap_or_default();
    }

    /// Lets one call pass after the other.
    pub(crate) async fn run(self: Arc<Self>, draws: Arc<SeededDraws>) {
        loop {
            if self.waiting().calls.is_empty() {
                self.arrived.notified().await;
            }
            tokio::time::sleep(STEP).await;
            let mut waiting = self.waiting();
            // those whose callers have gone ask for nothing
            waiting.calls.retain(|_, go| !go.is_closed());
            let at = draws.within(0..u64::try_from(waiting.calls.len()).unwrap_or(0));
            let next = waiting.calls.keys().nth(usize::try_from(at).unwrap_or(0)).cloned();
            if let Some(go) = next.and_then(|next| waiting.calls.remove(&next)) {
                go.send(()).unwrap_or_default();
            }
        }
    }

    fn waiting(&self) -> MutexGuard<'_, WaitingCalls> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
