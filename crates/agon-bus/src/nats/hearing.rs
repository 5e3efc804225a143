//! Listens again where a right to listen was taken away for a while: the server forgets such subscriptions, and does not take them up
//! again by itself when the right is back.
use super::state::Tracker;
use async_nats::Client;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::time::Instant;

/// The pause before the connection is made anew, with all that listens on it; twice as long after each refusal that follows.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// After so long without a refusal the next one is a new one.
const CALM: Duration = Duration::from_secs(60);

/// Makes the connection anew a while after something that it listens to was refused, until nothing is.
pub(super) async fn keep(client: Client, tracker: Arc<Tracker>) {
    let mut violations = tracker.violations();
    let (mut pause, mut last) = (FIRST_PAUSE, None::<Instant>);
    loop {
        let violation = match violations.recv().await {
            Ok(violation) => violation,
            Err(RecvError::Lagged(_)) => continue,
            Err(RecvError::Closed) => return,
        };
        if !tracker.deafens(&violation) {
            continue;
        }
        if last.is_none_or(|last| last.elapsed() > CALM) {
            pause = FIRST_PAUSE;
        }
        tracing::warn!(
            subject = violation.subject,
            pause_s = pause.as_secs(),
            "may not listen any more; connecting anew"
        );
        tokio::time::sleep(pause).await;
        while !matches!(violations.try_recv(), Err(TryRecvError::Empty | TryRecvError::Closed)) {}
        if client.force_reconnect().await.is_err() {
            return;
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
        last = Some(Instant::now());
    }
}
