//! Which connections have carried an answer, and which servers close theirs after a stream without saying so.

use std::collections::{BTreeSet, VecDeque};
use std::error::Error;
use std::net::SocketAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hyper_util::client::legacy::connect::HttpInfo;
use tokio::time::Instant;

use crate::Endpoint;
use crate::http::Reuse;
use crate::transport::closed_unanswered;

/// So many connections are remembered; a forgotten one counts as fresh.
const MOST_CONNECTIONS: usize = 2_048;
/// So many servers are remembered as closing their connections.
const MOST_SERVERS: usize = 1_024;
/// A connection that is closed so soon after its last answer was closed because of it, and not for having been idle.
const AT_ONCE: Duration = Duration::from_secs(1);

/// What is known of connections; bounded, and wrong only to the cost of one more handshake.
#[derive(Debug, Default)]
pub(crate) struct ConnectionHistory(Mutex<KnownConnections>);

#[derive(Debug, Default)]
struct KnownConnections {
    /// Connections that carried an answer, oldest first, with the time at which it ended.
    answered: VecDeque<(Ends, Instant)>,
    /// Servers that close a connection right after a stream.
    closing: BTreeSet<String>,
}

/// The two ends of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ends {
    local: SocketAddr,
    remote: SocketAddr,
}

impl Ends {
    /// The connection that brought a response.
    pub(crate) fn of(extensions: &http::Extensions) -> Option<Self> {
        let info = extensions.get::<HttpInfo>()?;
        Some(Self { local: info.local_addr(), remote: info.remote_addr() })
    }

    /// The connection on which a call failed.
    fn of_failure(error: &reqwest::Error) -> Option<Self> {
        let chain = std::iter::successors(error.source(), |cause| (*cause).source());
        let failed = chain.filter_map(|cause| cause.downcast_ref::<hyper_util::client::legacy::Error>()).last()?;
        let mut extensions = http::Extensions::new();
        failed.connect_info()?.get_extras(&mut extensions);
        Self::of(&extensions)
    }
}

impl ConnectionHistory {
    fn known(&self) -> MutexGuard<'_, KnownConnections> {
        // every change is one call, so that a panic elsewhere leaves them whole
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that an answer came over a connection, or ended on it.
    pub(crate) fn answered(&self, ends: Ends) {
        let mut known = self.known();
        known.answered.retain(|(other, _)| *other != ends);
        if known.answered.len() >= MOST_CONNECTIONS {
            known.answered.pop_front();
        }
        known.answered.push_back((ends, Instant::now()));
    }

    /// Whether a call to the server may use a connection that a stream was read from.
    pub(crate) fn reuse(&self, endpoint: &Endpoint) -> Reuse {
        let closes = self.known().closing.contains(&endpoint.to_string());
        if closes { Reuse::Never } else { Reuse::Allowed }
    }

    /// Whether a call failed because the server had closed a connection that it was sent out on again. Nothing of an
    /// answer had come, so that the server has done nothing that anybody knows of.
    pub(crate) fn was_stale(&self, endpoint: &Endpoint, error: &reqwest::Error) -> bool {
        let Some(ends) = Ends::of_failure(error).filter(|_| closed_unanswered(error)) else { return false };
        let mut known = self.known();
        let Some(at) = known.answered.iter().position(|(other, _)| *other == ends) else { return false };
        let last = known.answered.remove(at).map(|(_, last)| last);
        if last.is_some_and(|last| last.elapsed() < AT_ONCE) && known.closing.len() < MOST_SERVERS {
            known.closing.insert(endpoint.to_string());
        }
        true
    }
}
