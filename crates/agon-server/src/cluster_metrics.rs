//! Tells the metrics what this gateway knows of the whole cluster, now and then.
use crate::config::GatewayPorts;
use agon_bus::BusError;
use agon_bus::nats::{Fill, StreamWatch};
use agon_runtime::QueueWatch;
use agon_telemetry::{ClusterMetrics, StreamFigures};
use futures_util::StreamExt;
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How often it is tried again to look where that is not permitted.
const DENIED_PAUSE: Duration = Duration::from_secs(300);
/// So many streams are asked for at once.
const LOOKS_AT_ONCE: usize = 16;

/// Counts debates until `stop`; then nothing is told any more, for nobody keeps it true.
pub(crate) async fn debates(ports: GatewayPorts, every: Duration, stop: CancellationToken) {
    let counting = async {
        loop {
            let figures = ports.node.debate_figures().await.unwrap_or_else(|error| {
                tracing::debug!(%error, "debates not counted");
                None
            });
            ports.cluster.debates(figures);
            tokio::time::sleep(every).await;
        }
    };
    stop.run_until_cancelled(counting).await;
    ports.cluster.debates(None);
}

/// Counts queued turns until `stop`.
pub(crate) async fn turns(ports: GatewayPorts, every: Duration, stop: CancellationToken) {
    let mut watch = ports.node.queue_watch();
    let mut denied = Denied(false);
    let counting = async {
        loop {
            let counted = denied.look(&mut watch).await;
            ports.cluster.turns(counted);
            tokio::time::sleep(if denied.0 { DENIED_PAUSE.max(every) } else { every }).await;
        }
    };
    stop.run_until_cancelled(counting).await;
    ports.cluster.turns(None);
}

/// Looks until `stop` how full the streams are.
pub(crate) async fn streams(watch: StreamWatch, told: ClusterMetrics, every: Duration, stop: CancellationToken) {
    let mut refused = Refused::default();
    let looking = async {
        loop {
            told.streams(refused.look(&watch).await);
            tokio::time::sleep(every).await;
        }
    };
    stop.run_until_cancelled(looking).await;
    told.streams(BTreeMap::new());
}

/// The streams that may not be looked at, and since when; each is told once.
#[derive(Default)]
struct Refused(BTreeMap<String, Instant>);

impl Refused {
    /// All streams at once, so that one whose servers are silent holds up no other for long.
    async fn look(&mut self, watch: &StreamWatch) -> BTreeMap<String, StreamFigures> {
        let due = |name: &&String| self.0.get(*name).is_none_or(|tried| tried.elapsed() >= DENIED_PAUSE);
        let due: Vec<String> = watch.names().iter().filter(due).cloned().collect();
        let look = |name: String| async move { (watch.look(&name).await, name) };
        let looks: Vec<_> =
            futures_util::stream::iter(due.into_iter().map(look)).buffer_unordered(LOOKS_AT_ONCE).collect().await;
        looks.into_iter().filter_map(|(fill, name)| self.taken(name, fill)).collect()
    }

    fn taken(&mut self, name: String, fill: Result<Option<Fill>, BusError>) -> Option<(String, StreamFigures)> {
        match fill {
            Ok(fill) => {
                self.0.remove(&name);
                let Fill { bytes, byte_limit, messages, message_limit } = fill?;
                return Some((name, StreamFigures { bytes, byte_limit, messages, message_limit }));
            }
            Err(BusError::Denied(error)) => {
                if self.0.insert(name, Instant::now()).is_none() {
                    tracing::warn!(error, "it is not known how full a stream is, as this user of NATS may not ask");
                }
            }
            Err(error) => tracing::debug!(%error, stream = name, "it is not known how full a stream is"),
        }
        None
    }
}

/// Whether the last look was not permitted; told once.
struct Denied(bool);

impl Denied {
    async fn look(&mut self, watch: &mut QueueWatch) -> Option<BTreeMap<String, u64>> {
        let counted = watch.look().await;
        let before = std::mem::replace(&mut self.0, matches!(counted, Err(BusError::Denied(_))));
        match counted {
            Ok(counted) => return Some(counted),
            Err(BusError::Denied(error)) if !before => tracing::warn!(
                error,
                "queued turns not counted, as this user of NATS may not look at them; the metric agon_turns_queued is missing"
            ),
            Err(error) => tracing::debug!(%error, "queued turns not counted"),
        }
        None
    }
}
