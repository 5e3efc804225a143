//! What is known about a connection: filled from the client's events, read by health checks and by those who wait.
use async_nats::{Event, ServerError};
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{Notify, broadcast, watch};

/// How a connection is, and what has happened to it since it was made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkState {
    /// Whether it stands now.
    pub connected: bool,
    /// The server's version.
    pub server_version: String,
    /// The server's name.
    pub server_name: String,
    /// How often it was made again.
    pub reconnects: u64,
    /// How often a message was lost because a listener here was too slow; at least, as the client may not tell each.
    pub slow_consumers: u64,
    /// How often the server refused a subject.
    pub permission_violations: u64,
    /// The latest refusals, oldest first.
    pub recent_violations: Vec<PermissionViolation>,
    /// The latest error of server or client.
    pub last_error: Option<String>,
}

/// Which way a subject was to be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Sending to it.
    Publish,
    /// Listening to it.
    Subscribe,
}

/// A subject that the server refuses to this user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionViolation {
    /// Which way.
    pub access: Access,
    /// As the server wrote it, wildcards included.
    pub subject: String,
}
impl std::fmt::Display for PermissionViolation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let access = match self.access {
            Access::Publish => "publish to",
            Access::Subscribe => "subscribe to",
        };
        write!(f, "{access} {}", self.subject)
    }
}

/// Refusals that are kept for reading.
const RECENT_VIOLATIONS: usize = 16;
/// Refusals that wait for those who look out for theirs.
const PENDING_VIOLATIONS: usize = 256;
/// Where the client asks for nothing but an answer; a refusal there is one, and no fault.
pub(super) const ECHO_PREFIX: &str = "agon.v1.echo.";

/// What one listener has lost since it was told last.
#[derive(Default)]
pub(super) struct Loss {
    pub(super) lost: AtomicU64,
    pub(super) told: Notify,
}

/// Takes the events of one connection.
pub(super) struct Tracker {
    seen: Mutex<ConnectionEvents>,
    violations: broadcast::Sender<PermissionViolation>,
    connects: watch::Sender<u64>,
    losses: Mutex<HashMap<u64, Arc<Loss>>>,
    /// Those who try at the moment what they may do.
    probes: AtomicUsize,
}

/// Counts as one who tries what it may do, until it is dropped.
pub(super) struct Probe<'a>(&'a AtomicUsize);

impl Drop for Probe<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(Default)]
struct ConnectionEvents {
    slow_consumers: u64,
    violations: u64,
    recent: VecDeque<PermissionViolation>,
    last_error: Option<String>,
}

impl Tracker {
    pub(super) fn new() -> Self {
        Self {
            seen: Mutex::default(),
            violations: broadcast::Sender::new(PENDING_VIOLATIONS),
            connects: watch::Sender::new(0),
            losses: Mutex::default(),
            probes: AtomicUsize::new(0),
        }
    }

    pub(super) fn take(&self, event: &Event) {
        match event {
            Event::Connected => self.connects.send_modify(|connects| *connects += 1),
            Event::SlowConsumer(listener) => self.lost(*listener),
            Event::ServerError(ServerError::Other(text)) => match parse_violation(text) {
                Some(violation) => self.violated(violation),
                None => self.failed(text.clone()),
            },
            Event::ServerError(error @ (ServerError::AuthorizationViolation | ServerError::SlowConsumer(_))) => {
                self.failed(error.to_string());
            }
            Event::ClientError(error) => self.failed(error.to_string()),
            Event::Disconnected | Event::LameDuckMode | Event::Draining | Event::Closed => {}
        }
    }

    /// Fills in what events told.
    pub(super) fn describe(&self, state: &mut LinkState) {
        let seen = lock(&self.seen);
        state.reconnects = self.connects.borrow().saturating_sub(1);
        state.slow_consumers = seen.slow_consumers;
        state.permission_violations = seen.violations;
        state.recent_violations = seen.recent.iter().cloned().collect();
        state.last_error = seen.last_error.clone();
    }

    /// While it is held, refused subscriptions are what somebody wanted to know.
    pub(super) fn probe(&self) -> Probe<'_> {
        self.probes.fetch_add(1, Ordering::Relaxed);
        Probe(&self.probes)
    }

    /// Whether this refusal takes away what somebody listens to.
    pub(super) fn deafens(&self, violation: &PermissionViolation) -> bool {
        violation.access == Access::Subscribe && self.probes.load(Ordering::Relaxed) == 0
    }

    /// Tells of refusals from now on.
    pub(super) fn violations(&self) -> broadcast::Receiver<PermissionViolation> {
        self.violations.subscribe()
    }

    /// How often the connection was made; changes with each reconnect.
    pub(super) fn connects(&self) -> watch::Receiver<u64> {
        self.connects.subscribe()
    }

    /// Losses of this listener are counted from now on.
    pub(super) fn listen(&self, listener: u64) -> Arc<Loss> {
        lock(&self.losses).entry(listener).or_default().clone()
    }

    /// The listener has gone.
    pub(super) fn unlisten(&self, listener: u64) {
        lock(&self.losses).remove(&listener);
    }

    fn lost(&self, listener: u64) {
        lock(&self.seen).slow_consumers += 1;
        if let Some(loss) = lock(&self.losses).get(&listener) {
            loss.lost.fetch_add(1, Ordering::Relaxed);
            loss.told.notify_one();
        }
    }

    fn violated(&self, violation: PermissionViolation) {
        if !violation.subject.starts_with(ECHO_PREFIX) {
            let mut seen = lock(&self.seen);
            seen.violations += 1;
            seen.last_error = Some(format!("not permitted to {violation}"));
            if seen.recent.len() == RECENT_VIOLATIONS {
                seen.recent.pop_front();
            }
            seen.recent.push_back(violation.clone());
        }
        // nobody looks out for one as a rule
        self.violations.send(violation).ok();
    }

    fn failed(&self, error: String) {
        lock(&self.seen).last_error = Some(error);
    }
}

/// Reads `Permissions Violation for Publish to "a.b"` and its like for subscriptions.
fn parse_violation(text: &str) -> Option<PermissionViolation> {
    let rest = text.strip_prefix("Permissions Violation for ")?;
    let access = match rest {
        rest if rest.starts_with("Publish") => Access::Publish,
        rest if rest.starts_with("Subscription") => Access::Subscribe,
        _ => return None,
    };
    let subject = rest.split('"').nth(1)?.to_owned();
    Some(PermissionViolation { access, subject })
}

/// The lock, also after a panic elsewhere: every change under these locks is complete before anything can panic.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_read_from_what_servers_say() {
        let read = |text: &str| parse_violation(text).map(|violation| (violation.access, violation.subject));
        let publish = read("Permissions Violation for Publish to \"agon.v1.log.0.t.d\"");
        assert_eq!(publish, Some((Access::Publish, "agon.v1.log.0.t.d".to_owned())));
        let subscribe = read("Permissions Violation for Subscription to \"agon.v1.>\" using queue \"q\"");
        assert_eq!(subscribe, Some((Access::Subscribe, "agon.v1.>".to_owned())));
        assert_eq!(read("Maximum Connections Exceeded"), None);
    }

    #[test]
    fn only_the_latest_refusals_are_kept_and_all_are_counted() {
        let tracker = Tracker::new();
        for n in 0..40 {
            let text = format!("Permissions Violation for Publish to \"a.{n}\"");
            tracker.take(&Event::ServerError(ServerError::Other(text)));
        }
        let mut state = LinkState::default();
        tracker.describe(&mut state);
        assert_eq!((state.permission_violations, state.recent_violations.len()), (40, RECENT_VIOLATIONS));
        assert_eq!(state.last_error.as_deref(), Some("not permitted to publish to a.39"));
    }
}
